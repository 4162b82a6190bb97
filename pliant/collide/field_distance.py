"""Signed distance to an analytic obstacle, and the direction out of it, in the obstacle's own frame.

Inside a box the way out is the nearest of the faces that oppose the direction m of the point's own surface.
"""

from math import sqrt

from pliant.collide.fields import BOX, CAPSULE, PLANE
from pliant.collide.nearest import FARTHEST, OPPOSED
from pliant.numerics.counting import borrowing


@borrowing
def field_distance(kind, size, p0, p1, p2):
    """Distance of p, negative inside."""
    if kind == PLANE:
        return p1
    if kind == BOX:
        d0, d1, d2 = abs(p0) - size[0], abs(p1) - size[1], abs(p2) - size[2]
        outside = sqrt(max(d0, 0.0) ** 2 + max(d1, 0.0) ** 2 + max(d2, 0.0) ** 2)
        return outside + min(max(d0, d1, d2), 0.0)
    along = p1 - _on_axis(kind, size, p1)
    return sqrt(p0 * p0 + along * along + p2 * p2) - size[0]


@borrowing
def field_contact(kind, size, p0, p1, p2, m0, m1, m2):
    """Gap and normal at p, whose own surface looks along m; the gap is FARTHEST where no way out opposes m."""
    if kind == PLANE:
        gap, n0, n1, n2 = p1, 0.0, 1.0, 0.0
    elif kind == BOX:
        d0, d1, d2 = abs(p0) - size[0], abs(p1) - size[1], abs(p2) - size[2]
        if max(d0, d1, d2) <= 0:
            return _way_out_of_box(size, (p0, p1, p2), (m0, m1, m2))
        n0, n1, n2 = _signed(max(d0, 0.0), p0), _signed(max(d1, 0.0), p1), _signed(max(d2, 0.0), p2)
        gap = sqrt(n0 * n0 + n1 * n1 + n2 * n2)
        n0, n1, n2 = n0 / gap, n1 / gap, n2 / gap
    else:
        n0, n1, n2 = p0, p1 - _on_axis(kind, size, p1), p2
        radius = sqrt(n0 * n0 + n1 * n1 + n2 * n2)
        gap = radius - size[0]
        if radius > 0:
            n0, n1, n2 = n0 / radius, n1 / radius, n2 / radius
        else:
            n0, n1, n2 = -m0, -m1, -m2
    if n0 * m0 + n1 * m1 + n2 * m2 < -OPPOSED:
        return gap, n0, n1, n2
    return FARTHEST, n0, n1, n2


@borrowing
def _way_out_of_box(size, p, m):
    gap, chosen, side = -FARTHEST, -1, 1.0
    for axis in range(3):
        if abs(m[axis]) > OPPOSED:
            way = -1.0 if m[axis] > 0 else 1.0
            if way * p[axis] - size[axis] > gap:
                gap, chosen, side = way * p[axis] - size[axis], axis, way
    if chosen < 0:
        return FARTHEST, 0.0, 0.0, 0.0
    return gap, side * (chosen == 0), side * (chosen == 1), side * (chosen == 2)


@borrowing
def _on_axis(kind, size, p1):
    """The nearest place on the axis of a capsule; a sphere is one of no length."""
    return min(max(p1, -size[1]), size[1]) if kind == CAPSULE else 0.0


@borrowing
def _signed(length, like):
    return length if like >= 0 else -length
