"""Contacts of all bodies with analytic obstacles."""

from math import sqrt

from pliant.collide.body import EDGE, SKIP, VERTEX, body_of
from pliant.collide.contacts import note
from pliant.collide.field_distance import field_contact, field_distance
from pliant.collide.pseudo_normals import sample_normal
from pliant.collide.sweeping import field_depth
from pliant.collide.touching import sample_place
from pliant.numerics.counting import borrowing


@borrowing
def find_field_contacts(surfaces, x, margins, fields, may_touch, contacts, first):
    """Append contacts with obstacles after the first ones, body by body, of those that `surfaces.again` marks.

    Args:
        may_touch: (b, f) of bool or uint8, bodies and obstacles.
        first: how many contacts there are already.

    Returns:
        The number of contacts, with the first ones.
    """
    count = first
    for a in range(len(surfaces.shape)):
        if not surfaces.again[a]:
            continue
        A, way = body_of(surfaces, x, a), surfaces.ways[a]
        margin = margins[a] + sqrt(way[0] * way[0] + way[1] * way[1] + way[2] * way[2])
        depth, deep = field_depth(surfaces, a), surfaces.deep[a : a + 1]
        for k in range(len(fields.kind)):
            if may_touch[a, k]:
                near, deepest = margin + fields.margin[k], depth + fields.margin[k]
                count = _touch_field(A, fields, k, near, deepest, a, deep, contacts, count)
    return count


@borrowing
def _touch_field(A, fields, k, margin, deepest, a, deep, contacts, count):
    kind, size = fields.kind[k], fields.size[k]
    node, end = 0, len(A.boxes)
    while node < end:
        box = A.boxes[node]
        c = 0.5 * (box[0] + box[3]), 0.5 * (box[1] + box[4]), 0.5 * (box[2] + box[5])
        radius = 0.5 * sqrt((box[3] - box[0]) ** 2 + (box[4] - box[1]) ** 2 + (box[5] - box[2]) ** 2)
        p = _seen_from(fields.R[k], fields.t[k], c)
        if not field_distance(kind, size, p[0], p[1], p[2]) - radius < margin:
            node = A.nodes[node, SKIP]
            continue
        if A.nodes[node, SKIP] == node + 1:
            for sample in range(A.nodes[node, VERTEX], A.nodes[node + 1, VERTEX]):
                count = _touch_sample(A, sample, fields, k, margin, deepest, a, deep, contacts, count)
            for sample in range(A.nodes[node, EDGE], A.nodes[node + 1, EDGE]):
                count = _touch_sample(A, sample, fields, k, margin, deepest, a, deep, contacts, count)
        node += 1
    return count


@borrowing
def _touch_sample(A, sample, fields, k, margin, deepest, a, deep, contacts, count):
    kind, size, R = fields.kind[k], fields.size[k], fields.R[k]
    place = sample_place(A, sample)
    p = _seen_from(R, fields.t[k], place)
    distance = field_distance(kind, size, p[0], p[1], p[2])
    if not distance < margin:
        return count
    m0, m1, m2 = sample_normal(A, sample)
    m = _turned_back(R, m0, m1, m2)
    gap, n0, n1, n2 = field_contact(kind, size, p[0], p[1], p[2], m[0], m[1], m[2])
    if not gap < margin or gap < min(distance, -deepest):
        return count  # none, or a way out that it did not come in by
    deep[0] = max(deep[0], -gap)
    n = (
        R[0, 0] * n0 + R[0, 1] * n1 + R[0, 2] * n2,
        R[1, 0] * n0 + R[1, 1] * n1 + R[1, 2] * n2,
        R[2, 0] * n0 + R[2, 1] * n1 + R[2, 2] * n2,
    )
    return note(contacts, count, a, -1 - k, sample, -1, (0.0, 0.0, 0.0), n, gap, place)


@borrowing
def _seen_from(R, t, place):
    return _turned_back(R, place[0] - t[0], place[1] - t[1], place[2] - t[2])


@borrowing
def _turned_back(R, d0, d1, d2):
    return (
        R[0, 0] * d0 + R[1, 0] * d1 + R[2, 0] * d2,
        R[0, 1] * d0 + R[1, 1] * d1 + R[2, 1] * d2,
        R[0, 2] * d0 + R[1, 2] * d1 + R[2, 2] * d2,
    )
