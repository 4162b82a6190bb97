"""The point of a triangle that is nearest to a given one, and the feature that it lies on.

Features: FACE; edges 1, 2, 3 from corner 0, 1, 2 to the next; corners 4, 5, 6. Regions as by Ericson, Real-Time
Collision Detection 5.1.5; a triangle without area is its edges.
"""

from pliant.numerics.counting import borrowing, borrowing_inlined

FACE, FIRST_EDGE, FIRST_CORNER = 0, 1, 4
TINY = 1e-300
ROUNDED = 1 + 1e-9  # times as far as a bound: farther also with the rounding of both


@borrowing
def nearest_weights(x, a, b, c, p0, p1, p2):
    """Weights of corners a, b, c in the point nearest to p, and its feature."""
    u0, u1, u2 = x[b, 0] - x[a, 0], x[b, 1] - x[a, 1], x[b, 2] - x[a, 2]
    v0, v1, v2 = x[c, 0] - x[a, 0], x[c, 1] - x[a, 1], x[c, 2] - x[a, 2]
    r0, r1, r2 = p0 - x[a, 0], p1 - x[a, 1], p2 - x[a, 2]
    ur, vr = u0 * r0 + u1 * r1 + u2 * r2, v0 * r0 + v1 * r1 + v2 * r2
    if ur <= 0 and vr <= 0:
        return 1.0, 0.0, 0.0, FIRST_CORNER
    uu, vv = u0 * u0 + u1 * u1 + u2 * u2, v0 * v0 + v1 * v1 + v2 * v2
    uv = u0 * v0 + u1 * v1 + u2 * v2
    us, vs = ur - uu, vr - uv  # the same products from b
    if us >= 0 and vs <= us:
        return 0.0, 1.0, 0.0, FIRST_CORNER + 1
    area_c = ur * vs - us * vr
    if area_c <= 0 and ur >= 0 and us <= 0:
        w = ur / (ur - us) if ur > us else 0.0
        return 1 - w, w, 0.0, FIRST_EDGE
    ut, vt = ur - uv, vr - vv  # and from c
    if vt >= 0 and ut <= vt:
        return 0.0, 0.0, 1.0, FIRST_CORNER + 2
    area_b = ut * vr - ur * vt
    if area_b <= 0 and vr >= 0 and vt <= 0:
        w = vr / (vr - vt) if vr > vt else 0.0
        return 1 - w, 0.0, w, FIRST_EDGE + 2
    area_a = us * vt - ut * vs
    if area_a <= 0 and vs >= us and ut >= vt:
        w = (vs - us) / ((vs - us) + (ut - vt)) if (vs - us) + (ut - vt) > 0 else 0.0
        return 0.0, 1 - w, w, FIRST_EDGE + 1
    whole = area_a + area_b + area_c
    return area_a / whole, area_b / whole, area_c / whole, FACE


@borrowing
def between(x, a, b, c, w0, w1, w2):
    """The point of triangle abc with these weights."""
    return (
        w0 * x[a, 0] + w1 * x[b, 0] + w2 * x[c, 0],
        w0 * x[a, 1] + w1 * x[b, 1] + w2 * x[c, 1],
        w0 * x[a, 2] + w1 * x[b, 2] + w2 * x[c, 2],
    )


@borrowing
def squared_distance(x, a, b, c, p0, p1, p2):
    """From p to triangle abc: to its plane if the foot of p is inside, else to the nearest of its edges.

    The same as by `nearest_weights`, in half the time: there is one branch instead of one for every region.
    """
    u0, u1, u2 = x[b, 0] - x[a, 0], x[b, 1] - x[a, 1], x[b, 2] - x[a, 2]
    v0, v1, v2 = x[c, 0] - x[a, 0], x[c, 1] - x[a, 1], x[c, 2] - x[a, 2]
    r0, r1, r2 = p0 - x[a, 0], p1 - x[a, 1], p2 - x[a, 2]
    uu, vv, uv = u0 * u0 + u1 * u1 + u2 * u2, v0 * v0 + v1 * v1 + v2 * v2, u0 * v0 + u1 * v1 + u2 * v2
    ur, vr = u0 * r0 + u1 * r1 + u2 * r2, v0 * r0 + v1 * r1 + v2 * r2
    s, t, whole = vv * ur - uv * vr, uu * vr - uv * ur, uu * vv - uv * uv
    if s >= 0 and t >= 0 and s + t <= whole and whole > 0:
        n0, n1, n2 = u1 * v2 - u2 * v1, u2 * v0 - u0 * v2, u0 * v1 - u1 * v0
        return (r0 * n0 + r1 * n1 + r2 * n2) ** 2 / (n0 * n0 + n1 * n1 + n2 * n2)
    by_u, by_v = _to_edge(u0, u1, u2, uu, r0, r1, r2, ur), _to_edge(v0, v1, v2, vv, r0, r1, r2, vr)
    ww, wr = uu + vv - 2 * uv, vr - ur + uu - uv
    return min(by_u, by_v, _to_edge(v0 - u0, v1 - u1, v2 - u2, ww, r0 - u0, r1 - u1, r2 - u2, wr))


@borrowing_inlined
def nearer_distance(x, a, b, c, p0, p1, p2, best):
    """`squared_distance` where that is below best, else something that is not: the plane of a triangle is often too
    far already."""
    u0, u1, u2 = x[b, 0] - x[a, 0], x[b, 1] - x[a, 1], x[b, 2] - x[a, 2]
    v0, v1, v2 = x[c, 0] - x[a, 0], x[c, 1] - x[a, 1], x[c, 2] - x[a, 2]
    n0, n1, n2 = u1 * v2 - u2 * v1, u2 * v0 - u0 * v2, u0 * v1 - u1 * v0
    off = (p0 - x[a, 0]) * n0 + (p1 - x[a, 1]) * n1 + (p2 - x[a, 2]) * n2
    if off * off > ROUNDED * best * (n0 * n0 + n1 * n1 + n2 * n2):
        return best
    return squared_distance(x, a, b, c, p0, p1, p2)


@borrowing
def _to_edge(u0, u1, u2, uu, r0, r1, r2, ur):
    """Squared distance from r to the edge from 0 to u, given u . u and u . r."""
    w = min(max(ur / max(uu, TINY), 0.0), 1.0)
    return (r0 - w * u0) ** 2 + (r1 - w * u1) ** 2 + (r2 - w * u2) ** 2


@borrowing
def cross_of(x, a, b, c):
    """(b - a) x (c - a): twice the area along the outward normal."""
    u0, u1, u2 = x[b, 0] - x[a, 0], x[b, 1] - x[a, 1], x[b, 2] - x[a, 2]
    v0, v1, v2 = x[c, 0] - x[a, 0], x[c, 1] - x[a, 1], x[c, 2] - x[a, 2]
    return u1 * v2 - u2 * v1, u2 * v0 - u0 * v2, u0 * v1 - u1 * v0
