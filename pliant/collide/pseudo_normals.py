"""Outward directions at faces, edges and vertices of a placed surface, which tell inside from outside.

A point is outside if (p - c) . n > 0, with c its nearest point and n the angle-weighted pseudo-normal of the feature
that c lies on (Baerentzen & Aanaes 2005): of a face its normal, of an edge the sum of its two, of a vertex the sum of
the normals around it, each times its angle there.
"""

from math import atan2, sqrt

from pliant.collide.triangle import FACE, FIRST_CORNER, FIRST_EDGE, cross_of
from pliant.numerics.counting import borrowing


@borrowing
def unit(n0, n1, n2):
    """The direction of n; zero where it has none."""
    length = sqrt(n0 * n0 + n1 * n1 + n2 * n2)
    if length > 0:
        return n0 / length, n1 / length, n2 / length
    return 0.0, 0.0, 0.0


@borrowing
def face_normal(x, triangles, t):
    """Of triangle t, of length one."""
    n0, n1, n2 = cross_of(x, triangles[t, 0], triangles[t, 1], triangles[t, 2])
    return unit(n0, n1, n2)


@borrowing
def edge_normal(x, triangles, across, t, e):
    """Of edge e of triangle t, of length one."""
    n0, n1, n2 = face_normal(x, triangles, t)
    other = across[t, e]
    if other < 0:
        return n0, n1, n2
    m0, m1, m2 = face_normal(x, triangles, other // 3)
    return unit(n0 + m0, n1 + m1, n2 + m2)


@borrowing
def vertex_normal(x, triangles, fan_starts, fans, v):
    """Of vertex v, of length one."""
    n0, n1, n2 = 0.0, 0.0, 0.0
    for k in range(fan_starts[v], fan_starts[v + 1]):
        t, e = fans[k] // 3, fans[k] % 3
        b, c = triangles[t, (e + 1) % 3], triangles[t, (e + 2) % 3]
        m0, m1, m2 = cross_of(x, v, b, c)
        area = sqrt(m0 * m0 + m1 * m1 + m2 * m2)
        if area > 0:
            along = (
                (x[b, 0] - x[v, 0]) * (x[c, 0] - x[v, 0])
                + (x[b, 1] - x[v, 1]) * (x[c, 1] - x[v, 1])
                + (x[b, 2] - x[v, 2]) * (x[c, 2] - x[v, 2])
            )
            weight = atan2(area, along) / area
            n0, n1, n2 = n0 + weight * m0, n1 + weight * m1, n2 + weight * m2
    return unit(n0, n1, n2)


@borrowing
def feature_normal(body, t, feature):
    """Of a feature of triangle t, of length one."""
    if feature == FACE:
        return face_normal(body.x, body.triangles, t)
    if feature < FIRST_CORNER:
        return edge_normal(body.x, body.triangles, body.across, t, feature - FIRST_EDGE)
    v = body.triangles[t, feature - FIRST_CORNER]
    return vertex_normal(body.x, body.triangles, body.fan_starts, body.fans, v)


@borrowing
def common_side(body, t, feature, d0, d1, d2):
    """1 if d leads to the outer side of all triangles around a feature of t, or from a rim; -1 to the inner; else 0.

    Where they agree, so does the pseudo-normal, which takes several times as long.
    """
    x, triangles, across = body.x, body.triangles, body.across
    if feature == FACE:
        return _side(x, triangles, t, d0, d1, d2)
    if feature < FIRST_CORNER:
        other = across[t, feature - FIRST_EDGE]
        if other < 0:
            return 1
        return _agreed(_side(x, triangles, t, d0, d1, d2), _side(x, triangles, other // 3, d0, d1, d2))
    v = triangles[t, feature - FIRST_CORNER]
    common = _side(x, triangles, t, d0, d1, d2)
    for k in range(body.fan_starts[v], body.fan_starts[v + 1]):
        t, e = body.fans[k] // 3, body.fans[k] % 3
        if across[t, e] < 0 or across[t, (e + 2) % 3] < 0:
            return 1
        common = _agreed(common, _side(x, triangles, t, d0, d1, d2))
    return common


@borrowing
def _side(x, triangles, t, d0, d1, d2):
    n0, n1, n2 = cross_of(x, triangles[t, 0], triangles[t, 1], triangles[t, 2])
    along = n0 * d0 + n1 * d1 + n2 * d2
    return 1 if along > 0 else (-1 if along < 0 else 0)


@borrowing
def _agreed(one, other):
    return one if one == other else 0


@borrowing
def sample_normal(body, sample):
    """Outward direction at a point that touches others."""
    half = body.sample_edges[sample]
    if half < 0:
        return vertex_normal(body.x, body.triangles, body.fan_starts, body.fans, body.sample_ends[sample, 0])
    return edge_normal(body.x, body.triangles, body.across, half // 3, half % 3)


@borrowing
def opposes_sample(body, sample, n0, n1, n2, least):
    """Whether n . m < -least for the outward direction m at a point that touches others, and n of length one.

    Where it holds for all triangles around the point, it does for m, and where n leads outward from all, it does not:
    then m itself, which takes several times as long, is not needed.
    """
    half = body.sample_edges[sample]
    if half >= 0:
        m0, m1, m2 = edge_normal(body.x, body.triangles, body.across, half // 3, half % 3)
        return n0 * m0 + n1 * m1 + n2 * m2 < -least
    v, some, all_of_them = body.sample_ends[sample, 0], False, True
    for k in range(body.fan_starts[v], body.fan_starts[v + 1]):
        t, e = body.fans[k] // 3, body.fans[k] % 3
        m0, m1, m2 = cross_of(body.x, v, body.triangles[t, (e + 1) % 3], body.triangles[t, (e + 2) % 3])
        along = n0 * m0 + n1 * m1 + n2 * m2
        some = some or along < 0
        all_of_them = all_of_them and along < 0 and along * along > least * least * (m0 * m0 + m1 * m1 + m2 * m2)
    if some == all_of_them:
        return some
    m0, m1, m2 = vertex_normal(body.x, body.triangles, body.fan_starts, body.fans, v)
    return n0 * m0 + n1 * m1 + n2 * m2 < -least
