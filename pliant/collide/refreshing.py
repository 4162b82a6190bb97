"""Contacts that were found a little while ago, where they are now.

Both ends move with their surfaces, the normal stays:  gap = n . (p - c) + rest,  with the sample p, the point c of the
triangle that was nearest, and a rest that is zero for most: what the way out of a body differs from p - c by.
"""

from pliant.collide.body import body_of
from pliant.collide.touching import sample_place
from pliant.numerics.counting import borrowing


@borrowing
def begin_refreshing(surfaces, x, contacts, first, count):
    """Note the rests of contacts that were just found, from the first on, in `contacts.rest`."""
    for c in range(first, count):
        contacts.rest[c] = contacts.gap[c] - _apart(surfaces, x, contacts, c)


@borrowing
def refresh_contacts(surfaces, x, contacts, count):
    """Gaps and places of contacts for the present places x of all vertices."""
    for c in range(count):
        contacts.gap[c] = contacts.rest[c] + _apart(surfaces, x, contacts, c)


@borrowing
def _apart(surfaces, x, contacts, c):
    """n . (p - c), and p into the contact; of an obstacle, which stands still, n . p."""
    a, b, n = contacts.body[c, 0], contacts.body[c, 1], contacts.normal[c]
    p0, p1, p2 = sample_place(body_of(surfaces, x, a), contacts.sample[c])
    contacts.point[c, 0], contacts.point[c, 1], contacts.point[c, 2] = p0, p1, p2
    apart = n[0] * p0 + n[1] * p1 + n[2] * p2
    if b >= 0:
        B = body_of(surfaces, x, b)
        for k in range(3):
            v, w = B.triangles[contacts.triangle[c], k], contacts.barycentric[c, k]
            apart -= w * (n[0] * B.x[v, 0] + n[1] * B.x[v, 1] + n[2] * B.x[v, 2])
    return apart
