"""Few contacts of every pair of bodies that do for many: the deepest, then what is farthest from all chosen ones."""

from math import sqrt

import numpy as np

from pliant.collide.flows import SHARE
from pliant.numerics.counting import borrowing

MOST = 24
FOLDS = 4  # times as many contacts of a body with itself, which may touch in several places


@borrowing
def choose(contacts, count, most, reach, ways, soon, slack, alike, chosen):
    """Choose at most so many contacts of each pair of bodies, of those that can close soon.

    Contacts of a pair must stand together, whichever of the two has the point, as `find_contacts` leaves them.

    Args:
        reach: (b,) [m] how far the surface of each body gets soon, beside its way; ways: (b, 3). Gaps can close that
            are no wider than what they close in the time `soon` [s], `slack` [m], and a share of all of these, since
            bodies may be thrown off their ways.
        alike: [m] depths that differ by no more are the same: then the first of them is the deepest, so that bodies at
            rest keep their contacts from step to step.
        chosen: (m,) of uint8, written.
    """
    begin = np.int64(0)  # a literal would be a type of its own
    while begin < count:
        end, near, wide = begin, 0, slack + SHARE * _together(contacts, begin, reach, ways)
        while end < count and _same_pair(contacts.body, begin, end):
            chosen[end] = contacts.gap[end] <= wide + soon * max(0.0, -contacts.rate[end])
            near += chosen[end]
            end += 1
        room = FOLDS * most if contacts.body[begin, 0] == contacts.body[begin, 1] else most
        if near > room:
            _spread(contacts, begin, end, room, alike, chosen)
        begin = end


@borrowing
def drop_marked(surfaces, contacts, count):
    """Forget the contacts of bodies that `surfaces.again` marks; the number that is left."""
    kept = np.int64(0)
    for k in range(count):
        a, b = contacts.body[k, 0], contacts.body[k, 1]
        if not (surfaces.again[a] or (b >= 0 and surfaces.again[b])):
            _move(contacts, k, kept)
            kept += 1
    return kept


@borrowing
def _together(contacts, c, reach, ways):
    """How far two bodies may come closer to each other [m]."""
    a, b, square = contacts.body[c, 0], contacts.body[c, 1], 0.0
    for i in range(3):
        square += (ways[a, i] - (ways[b, i] if b >= 0 else 0.0)) ** 2
    return reach[a] + (reach[b] if b >= 0 else 0.0) + sqrt(square)


@borrowing
def _same_pair(body, i, j):
    a, b, c, d = body[i, 0], body[i, 1], body[j, 0], body[j, 1]
    return (a == c and b == d) or (a == d and b == c)


@borrowing
def _spread(contacts, begin, end, most, alike, chosen):
    """Leave `most` of those that are chosen: the others are marked 0 again."""
    point, work, best = contacts.point, contacts.work, _deepest(contacts, begin, end, alike, chosen)
    for k in range(begin, end):
        work[k] = 1e300 if chosen[k] else -2.0
        chosen[k] = 0
    for _ in range(most):
        work[best], chosen[best] = -1.0, 1
        p0, p1, p2 = point[best, 0], point[best, 1], point[best, 2]
        farthest = best
        for k in range(begin, end):
            if work[k] >= 0:
                d = (point[k, 0] - p0) ** 2 + (point[k, 1] - p1) ** 2 + (point[k, 2] - p2) ** 2
                work[k] = min(work[k], d)
                if work[k] > work[farthest]:
                    farthest = k
        best = farthest


@borrowing
def _deepest(contacts, begin, end, alike, chosen):
    """The first of those that are as deep as the deepest."""
    depth = 1e300
    for k in range(begin, end):
        if chosen[k]:
            depth = min(depth, contacts.gap[k])
    for k in range(begin, end):
        if chosen[k] and contacts.gap[k] <= depth + alike:
            return k
    return begin


@borrowing
def _move(contacts, source, target):
    if source == target:
        return
    contacts.body[target, 0], contacts.body[target, 1] = contacts.body[source, 0], contacts.body[source, 1]
    contacts.sample[target], contacts.triangle[target] = contacts.sample[source], contacts.triangle[source]
    contacts.gap[target], contacts.rest[target] = contacts.gap[source], contacts.rest[source]
    for k in range(3):
        contacts.barycentric[target, k] = contacts.barycentric[source, k]
        contacts.normal[target, k] = contacts.normal[source, k]
        contacts.point[target, k] = contacts.point[source, k]
