"""The point of a triangle that is nearest to a given one, and the feature that it lies on.

Features: FACE; edges 1, 2, 3 from corner 0, 1, 2 to the next; corners 4, 5, 6. Regions as by Ericson, Real-Time
Collision Detection 5.1.5; a triangle without area is its edges.
"""

from pliant.numerics.counting import borrowing

FACE, FIRST_EDGE, FIRST_CORNER = 0, 1, 4


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
    """From p to triangle abc."""
    w0, w1, w2, _ = nearest_weights(x, a, b, c, p0, p1, p2)
    c0, c1, c2 = between(x, a, b, c, w0, w1, w2)
    return (p0 - c0) ** 2 + (p1 - c1) ** 2 + (p2 - c2) ** 2


@borrowing
def cross_of(x, a, b, c):
    """(b - a) x (c - a): twice the area along the outward normal."""
    u0, u1, u2 = x[b, 0] - x[a, 0], x[b, 1] - x[a, 1], x[b, 2] - x[a, 2]
    v0, v1, v2 = x[c, 0] - x[a, 0], x[c, 1] - x[a, 1], x[c, 2] - x[a, 2]
    return u1 * v2 - u2 * v1, u2 * v0 - u0 * v2, u0 * v1 - u1 * v0
