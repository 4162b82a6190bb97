"""Few contacts of every pair of bodies that do for many: the deepest, then what is farthest from all that are kept."""

import numpy as np

from pliant.numerics.counting import borrowing

MOST = 24


@borrowing
def thin(contacts, count, most=MOST):
    """Keep at most so many contacts of each pair of bodies, in their order; the number that is left.

    Contacts of a pair must stand together, whichever of the two has the point, as `find_contacts` leaves them.
    """
    begin = kept = np.int64(0)  # a literal would be a type of its own
    while begin < count:
        end = begin + 1
        while end < count and _same_pair(contacts.body, begin, end):
            end += 1
        if end - begin > most:
            _choose(contacts, begin, end, most)
        else:
            for k in range(begin, end):
                contacts.work[k] = -1.0
        for k in range(begin, end):
            if contacts.work[k] < 0:
                _move(contacts, k, kept)
                kept += 1
        begin = end
    return kept


@borrowing
def _same_pair(body, i, j):
    a, b, c, d = body[i, 0], body[i, 1], body[j, 0], body[j, 1]
    return (a == c and b == d) or (a == d and b == c)


@borrowing
def _choose(contacts, begin, end, most):
    """Write -1 to `work` for the chosen, their squared distance to these for the others."""
    point, work = contacts.point, contacts.work
    chosen = begin
    for k in range(begin, end):
        work[k] = 1e300
        if contacts.gap[k] < contacts.gap[chosen]:
            chosen = k
    for _ in range(most):
        work[chosen] = -1.0
        p0, p1, p2 = point[chosen, 0], point[chosen, 1], point[chosen, 2]
        farthest = begin
        for k in range(begin, end):
            d = (point[k, 0] - p0) ** 2 + (point[k, 1] - p1) ** 2 + (point[k, 2] - p2) ** 2
            if d < work[k]:
                work[k] = d
            if work[k] > work[farthest]:
                farthest = k
        chosen = farthest


@borrowing
def _move(contacts, source, target):
    if source == target:
        return
    contacts.body[target, 0], contacts.body[target, 1] = contacts.body[source, 0], contacts.body[source, 1]
    contacts.sample[target], contacts.triangle[target] = contacts.sample[source], contacts.triangle[source]
    contacts.gap[target] = contacts.gap[source]
    for k in range(3):
        contacts.barycentric[target, k] = contacts.barycentric[source, k]
        contacts.normal[target, k] = contacts.normal[source, k]
        contacts.point[target, k] = contacts.point[source, k]
