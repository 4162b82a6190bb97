"""Squared distances from a point to the triangles of a leaf, eight at a time, as by `triangle.squared_distance`.

Their corners stand one coordinate of all eight after the other. They are brought there when a leaf is first looked at.
"""

from pliant.collide.blocks import CORNERS
from pliant.collide.body import TRIANGLE
from pliant.collide.triangle import ROUNDED, TINY
from pliant.numerics.counting import borrowing, borrowing_inlined
from pliant.numerics.simd8 import WIDTH, larger8, lowest_bit, smallest8, spread8, up_to8, where_positive8
from pliant.numerics.simd8_matrices import cross, dot, load3


@borrowing_inlined
def nearer_in_leaf(body, leaf, p0, p1, p2, found, best):
    """The nearest triangle of a leaf and its squared distance, where that is below best; else what was found before."""
    if body.seen[leaf] != body.clock[0]:
        _bring_corners(body, leaf)
    corners, at = body.corners, CORNERS * leaf
    a, b, c = load3(corners, at), load3(corners, at + 3 * WIDTH), load3(corners, at + 6 * WIDTH)
    u, v, r = _minus(b, a), _minus(c, a), (p0 - a[0], p1 - a[1], p2 - a[2])
    n = cross(u, v)
    nn, off = dot(n, n), dot(r, n)
    if up_to8(off * off, ROUNDED * best * nn) == 0:
        return found, best
    uu, vv, uv, ur, vr = dot(u, u), dot(v, v), dot(u, v), dot(u, r), dot(v, r)
    s, t, whole = vv * ur - uv * vr, uu * vr - uv * ur, uu * vv - uv * uv
    outside = larger8(-s, larger8(-t, s + t - whole))  # where negative, the foot of p is inside
    by_u, by_v = _to_edge(u, uu, r, ur), _to_edge(v, vv, r, vr)
    by_w = _to_edge(_minus(v, u), uu + vv - 2.0 * uv, _minus(r, u), vr - ur + uu - uv)
    squares = where_positive8(-outside, off * off / nn, -larger8(-by_u, larger8(-by_v, -by_w)))
    least = smallest8(squares)
    if least < best:
        first = body.leaf_starts[leaf, TRIANGLE]
        return first + lowest_bit(up_to8(squares, spread8(least))), least
    return found, best


@borrowing
def _bring_corners(body, leaf):
    """Write the corners of a leaf's triangles, the last again where there are fewer than eight."""
    body.seen[leaf] = body.clock[0]
    x, begin, end = body.x, body.leaf_starts[leaf, TRIANGLE], body.leaf_starts[leaf + 1, TRIANGLE]
    own = body.corners[CORNERS * leaf : CORNERS * (leaf + 1)]
    for k in range(WIDTH):
        t = min(begin + k, end - 1)
        for corner in range(3):
            v, at = body.triangles[t, corner], 3 * WIDTH * corner + k
            own[at], own[at + WIDTH], own[at + 2 * WIDTH] = x[v, 0], x[v, 1], x[v, 2]


@borrowing_inlined
def _minus(x, y):
    return x[0] - y[0], x[1] - y[1], x[2] - y[2]


@borrowing_inlined
def _to_edge(u, uu, r, ur):
    """Squared distance from r to the edge from 0 to u, given u . u and u . r."""
    w = -larger8(-larger8(ur / larger8(uu, spread8(TINY)), spread8(0.0)), spread8(-1.0))
    d = r[0] - w * u[0], r[1] - w * u[1], r[2] - w * u[2]
    return dot(d, d)
