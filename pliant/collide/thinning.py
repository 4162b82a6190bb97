"""Few contacts of every pair of bodies that do for many: the deepest, then what is farthest from all that are kept.

Contacts that nothing reaches for a while come last.
"""

import numpy as np

from pliant.numerics.counting import borrowing

MOST = 24
LATER = 1e-9  # how much less the distance of a contact counts that nothing reaches for a while


@borrowing
def thin(contacts, first, count, most, reach, alike):
    """Keep at most so many contacts of each pair, in their order, of those after the first; the number that is left.

    Contacts of a pair must stand together, whichever of the two has the point, as `find_contacts` leaves them.

    Args:
        reach: (b,) [m] how far each body gets soon: contacts whose gap is larger than those of the two together give
            way to others.
        alike: [m] depths that differ by no more are the same: then the first of them is the deepest, so that bodies at
            rest keep their contacts from step to step.
    """
    begin = kept = np.int64(first)  # a literal would be a type of its own
    while begin < count:
        end = begin + 1
        while end < count and _same_pair(contacts.body, begin, end):
            end += 1
        if end - begin > most:
            _choose(contacts, begin, end, most, _together(contacts, begin, reach), alike)
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
def _together(contacts, c, reach):
    a, b = contacts.body[c, 0], contacts.body[c, 1]
    return reach[a] + (reach[b] if b >= 0 else 0.0)


@borrowing
def _same_pair(body, i, j):
    a, b, c, d = body[i, 0], body[i, 1], body[j, 0], body[j, 1]
    return (a == c and b == d) or (a == d and b == c)


@borrowing
def _choose(contacts, begin, end, most, soon, alike):
    """Write -1 to `work` for the chosen, their squared distance to these for the others, less if they are not near."""
    point, work = contacts.point, contacts.work
    chosen = begin
    for k in range(begin, end):
        work[k] = 1e300
        if contacts.gap[k] < contacts.gap[chosen]:
            chosen = k
    deepest = contacts.gap[chosen]
    for k in range(chosen, begin - 1, -1):
        if contacts.gap[k] <= deepest + alike:
            chosen = k
    for _ in range(most):
        work[chosen] = -1.0
        p0, p1, p2 = point[chosen, 0], point[chosen, 1], point[chosen, 2]
        farthest = begin
        for k in range(begin, end):
            d = (point[k, 0] - p0) ** 2 + (point[k, 1] - p1) ** 2 + (point[k, 2] - p2) ** 2
            d *= 1.0 if contacts.gap[k] <= soon else LATER
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
    contacts.gap[target], contacts.work[target] = contacts.gap[source], contacts.work[source]
    for k in range(3):
        contacts.barycentric[target, k] = contacts.barycentric[source, k]
        contacts.normal[target, k] = contacts.normal[source, k]
        contacts.point[target, k] = contacts.point[source, k]
