"""Contacts that were found a little while ago, where they are now.

Both ends move with their surfaces, the normal stays:  gap = n . (p - c) + rest,  with the sample p, the point c of the
triangle that was nearest, and a rest that is zero for most: what the way out of a body differs from p - c by.
"""

from pliant.numerics.counting import borrowing, borrowing_inlined


@borrowing
def begin_refreshing(surfaces, x, contacts, first, count):
    """Note the rests of contacts that were just found, from the first on, in `contacts.rest`."""
    for c in range(first, count):
        contacts.rest[c] = contacts.gap[c] - _apart(surfaces, x, contacts, c)


@borrowing
def refresh_contacts(surfaces, x, contacts, count):
    """Gaps and places of contacts for the present places x of all vertices."""
    for c in range(count):
        p0, p1, p2 = _sample(surfaces, x, contacts.body[c, 0], contacts.sample[c])
        contacts.point[c, 0], contacts.point[c, 1], contacts.point[c, 2] = p0, p1, p2
        contacts.gap[c] = contacts.rest[c] + _apart(surfaces, x, contacts, c)


@borrowing
def rate_contacts(surfaces, u, contacts, count, near):
    """How fast gaps open, for the velocities u of all vertices, of contacts that are not near anyway."""
    for c in range(count):
        contacts.rate[c] = _apart(surfaces, u, contacts, c) if contacts.gap[c] > near else 0.0


@borrowing_inlined
def _apart(surfaces, x, contacts, c):
    """n . (p - c) of places or velocities; of an obstacle, which stands still, n . p."""
    b, n = contacts.body[c, 1], contacts.normal[c]
    p0, p1, p2 = _sample(surfaces, x, contacts.body[c, 0], contacts.sample[c])
    apart = n[0] * p0 + n[1] * p1 + n[2] * p2
    if b >= 0:
        first, t = surfaces.first_vertex[b], surfaces.shape_triangle[surfaces.shape[b]] + contacts.triangle[c]
        for k in range(3):
            v, w = first + surfaces.triangles[t, k], contacts.barycentric[c, k]
            apart -= w * (n[0] * x[v, 0] + n[1] * x[v, 1] + n[2] * x[v, 2])
    return apart


@borrowing_inlined
def _sample(surfaces, x, a, sample):
    """As `sample_place`, without looking at all of the body."""
    k, first = surfaces.shape_sample[surfaces.shape[a]] + sample, surfaces.first_vertex[a]
    i, j, w = first + surfaces.sample_ends[k, 0], first + surfaces.sample_ends[k, 1], surfaces.sample_weights[k]
    return (
        (1 - w) * x[i, 0] + w * x[j, 0],
        (1 - w) * x[i, 1] + w * x[j, 1],
        (1 - w) * x[i, 2] + w * x[j, 2],
    )
