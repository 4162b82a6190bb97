"""One point of a body against the placed surface of another.

For a point p with the outward direction m of its own surface, and the nearest point c of the other:

    outside:  contact within the margin, n = (p - c) / |p - c|, gap = |p - c|, if n opposes m
    inside:   of the triangles that oppose m the nearest is the way out, n its normal, gap = (p - c) . n

A direction opposes m if n . m < -0.1. Taking another triangle where the nearest does not oppose is what lets aligned
boxes stand on each other: a corner of one that lies in the side of the other has that side nearest.
"""

from math import sqrt

from pliant.collide.contacts import note
from pliant.collide.nearest import OPPOSED, nearest_opposed, opposes
from pliant.collide.pseudo_normals import common_side, face_normal, feature_normal, opposes_sample, sample_normal
from pliant.collide.triangle import FACE, between, nearest_weights
from pliant.numerics.counting import borrowing, borrowing_inlined

SKIN = 1e-6  # of the reach: a point this near is on the surface, which counts as inside


@borrowing_inlined
def sample_place(body, sample):
    """Where a point that touches others is."""
    return sample_mean(body, sample, body.x)


@borrowing_inlined
def sample_mean(body, sample, x):
    """What x (v, 3) of its vertices is at a point that touches others."""
    i, j, w = body.sample_ends[sample, 0], body.sample_ends[sample, 1], body.sample_weights[sample]
    return (
        (1 - w) * x[i, 0] + w * x[j, 0],
        (1 - w) * x[i, 1] + w * x[j, 1],
        (1 - w) * x[i, 2] + w * x[j, 2],
    )


@borrowing_inlined
def nearest_on(body, t, p):
    """Weights, feature and place of the point of triangle t nearest to p."""
    i, j, k = body.triangles[t, 0], body.triangles[t, 1], body.triangles[t, 2]
    w0, w1, w2, feature = nearest_weights(body.x, i, j, k, p[0], p[1], p[2])
    return (w0, w1, w2), feature, between(body.x, i, j, k, w0, w1, w2)


@borrowing_inlined
def is_behind(body, t, p):
    """Whether p is inside, t being the triangle nearest to it: never where the nearest point is on a rim."""
    _, feature, c = nearest_on(body, t, p)
    return is_inner(body, t, feature, p, c)


@borrowing_inlined
def is_inner(body, t, feature, p, c):
    """The same, with the nearest point c of t, and the feature that it is on."""
    d0, d1, d2 = p[0] - c[0], p[1] - c[1], p[2] - c[2]
    side = common_side(body, t, feature, d0, d1, d2)
    if side != 0:
        return side < 0
    n0, n1, n2 = feature_normal(body, t, feature)
    return d0 * n0 + d1 * n1 + d2 * n2 < 0


@borrowing_inlined
def touch(A, sample, p, B, t, weights, c, distance, inside, margin, a, b, contacts, count):
    """Note the contact, if any, of a sample of A at p with B, whose nearest triangle is t, and there the point c; the
    number of contacts."""
    if inside or distance <= SKIN * B.reach:
        if distance <= max(B.reach, margin):
            count = _touch_inside(A, sample, p, B, t, max(B.reach, margin), a, b, contacts, count)
    elif distance < margin:
        n = (p[0] - c[0]) / distance, (p[1] - c[1]) / distance, (p[2] - c[2]) / distance
        if opposes_sample(A, sample, n[0], n[1], n[2], OPPOSED):
            return note(contacts, count, a, b, sample, t, weights, n, distance, p)
    return count


@borrowing
def _touch_inside(A, sample, p, B, t, reach, a, b, contacts, count):
    m0, m1, m2 = sample_normal(A, sample)
    if not opposes(B.x, B.triangles, t, m0, m1, m2):
        t, _ = nearest_opposed(B.x, B.triangles, B.nodes, B.boxes, p[0], p[1], p[2], m0, m1, m2, reach * reach)
    if t < 0:
        return count
    return note_inside(sample, p, (m0, m1, m2), B, t, a, b, contacts, count)


@borrowing
def note_inside(sample, p, m, B, t, a, b, contacts, count):
    """Note that a sample at p, whose outward direction is m, is inside B, with triangle t as the way out."""
    weights, feature, c = nearest_on(B, t, p)
    d0, d1, d2 = c[0] - p[0], c[1] - p[1], c[2] - p[2]
    depth = sqrt(d0 * d0 + d1 * d1 + d2 * d2)
    n = face_normal(B.x, B.triangles, t)
    if feature != FACE and depth > SKIN * B.reach and d0 * m[0] + d1 * m[1] + d2 * m[2] < -OPPOSED * depth:
        n = d0 / depth, d1 / depth, d2 / depth
    gap = -(d0 * n[0] + d1 * n[1] + d2 * n[2])
    return note(contacts, count, a, b, sample, t, weights, n, gap, p)
