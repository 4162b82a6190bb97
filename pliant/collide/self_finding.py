"""Contacts of surfaces with themselves: every point against the nearest triangle that it may touch and that opposes it.

Two things keep the search short: boxes that are too far away, and boxes of normals, of which none opposes the point's.
A flat or bulging neighbourhood is passed over at once that way, however near it is (after Barbic and James 2010).
"""

from math import sqrt

import numpy as np

from pliant.collide.body import SKIP, TRIANGLE, body_of
from pliant.collide.boxes import box_distance
from pliant.collide.contacts import note
from pliant.collide.nearest import OPPOSED
from pliant.collide.pseudo_normals import face_normal, unit
from pliant.collide.selves import are_neighbours
from pliant.collide.slabs import FAR
from pliant.collide.touching import is_behind, nearest_on, note_inside, sample_place
from pliant.collide.triangle import squared_distance
from pliant.numerics.counting import borrowing


@borrowing
def find_self_contacts(surfaces, selves, x, margins, contacts, first):
    """Append contacts of bodies with themselves after the first ones, of those that `surfaces.again` marks.

    Args:
        selves: which bodies do, see `Selves`.
        margins: (b,) [m] how far each may move before contacts are found again: a gap may close from both sides.
        first: how many contacts there are already.

    Returns:
        The number of contacts, with the first ones.
    """
    count = first
    for a in range(len(surfaces.shape)):
        if selves.on[a] and surfaces.again[a]:
            s = surfaces.shape[a]
            A, touching = body_of(surfaces, x, a), selves.touching[s]
            rest = selves.rest[surfaces.shape_vertex[s] : surfaces.shape_vertex[s + 1]]
            depth = selves.depth[surfaces.shape_sample[s] : surfaces.shape_sample[s + 1]]
            fit_normals(A, selves.faces, selves.normals)
            for sample in range(len(depth)):
                if depth[sample] >= 0:
                    deep, margin = depth[sample], 2 * margins[a]
                    count = _touch_itself(A, rest, selves, touching, sample, margin, deep, a, contacts, count)
    return count


@borrowing
def fit_normals(A, faces, normals):
    """Write the normals of triangles (t, 3), and what those below every node are between (n, 6): least components, then
    largest."""
    for i in range(len(A.boxes) - 1, -1, -1):
        box = normals[i]
        if A.nodes[i, SKIP] == i + 1:
            for k in range(3):
                box[k], box[3 + k] = FAR, -FAR
            for t in range(A.nodes[i, TRIANGLE], A.nodes[i + 1, TRIANGLE]):
                faces[t, 0], faces[t, 1], faces[t, 2] = face_normal(A.x, A.triangles, t)
                for k in range(3):
                    box[k], box[3 + k] = min(box[k], faces[t, k]), max(box[3 + k], faces[t, k])
        else:
            left, right = normals[i + 1], normals[A.nodes[i + 1, SKIP]]
            for k in range(3):
                box[k], box[3 + k] = min(left[k], right[k]), max(left[3 + k], right[3 + k])


@borrowing
def _may_oppose(box, m0, m1, m2):
    """Whether a normal that is between these may oppose m."""
    least = min(m0 * box[0], m0 * box[3]) + min(m1 * box[1], m1 * box[4]) + min(m2 * box[2], m2 * box[5])
    return least < -OPPOSED


@borrowing
def _outward(A, faces, sample):
    """Outward direction at a sample: the mean of the normals around it, which is quick."""
    half = A.sample_edges[sample]
    if half >= 0:
        t, other = half // 3, A.across[half // 3, half % 3]
        o = other // 3 if other >= 0 else t
        return unit(faces[t, 0] + faces[o, 0], faces[t, 1] + faces[o, 1], faces[t, 2] + faces[o, 2])
    v, n0, n1, n2 = A.sample_ends[sample, 0], 0.0, 0.0, 0.0
    for k in range(A.fan_starts[v], A.fan_starts[v + 1]):
        t = A.fans[k] // 3
        n0, n1, n2 = n0 + faces[t, 0], n1 + faces[t, 1], n2 + faces[t, 2]
    return unit(n0, n1, n2)


@borrowing
def _touch_itself(A, rest, selves, touching, sample, margin, depth, a, contacts, count):
    p, m = sample_place(A, sample), _outward(A, selves.faces, sample)
    t = _nearest_stranger(A, rest, selves, touching, sample, p, m, max(margin, depth) ** 2)
    if t < 0:
        return count
    weights, _, c = nearest_on(A, t, p)
    d0, d1, d2 = p[0] - c[0], p[1] - c[1], p[2] - c[2]
    distance = sqrt(d0 * d0 + d1 * d1 + d2 * d2)
    if distance == 0 or is_behind(A, t, p):
        return note_inside(sample, p, m, A, t, a, a, contacts, count) if distance <= depth else count
    if distance < margin and d0 * m[0] + d1 * m[1] + d2 * m[2] < -OPPOSED * distance:
        n = d0 / distance, d1 / distance, d2 / distance
        return note(contacts, count, a, a, sample, t, weights, n, distance, p)
    return count


@borrowing
def _nearest_stranger(A, rest, selves, touching, sample, p, m, best):
    """The nearest triangle that a sample at p, whose outward direction is m, may touch; -1 if none within best."""
    i, j, w = A.sample_ends[sample, 0], A.sample_ends[sample, 1], A.sample_weights[sample]
    q0 = (1 - w) * rest[i, 0] + w * rest[j, 0]
    q1 = (1 - w) * rest[i, 1] + w * rest[j, 1]
    q2 = (1 - w) * rest[i, 2] + w * rest[j, 2]
    found, node, end, faces, normals = np.int64(-1), 0, A.nodes[0, SKIP], selves.faces, selves.normals
    while node < end:
        if not box_distance(A.boxes[node], p[0], p[1], p[2]) < best or not _may_oppose(normals[node], m[0], m[1], m[2]):
            node = A.nodes[node, SKIP]
            continue
        if A.nodes[node, SKIP] == node + 1:
            for t in range(A.nodes[node, TRIANGLE], A.nodes[node + 1, TRIANGLE]):
                if not faces[t, 0] * m[0] + faces[t, 1] * m[1] + faces[t, 2] * m[2] < -OPPOSED:
                    continue
                d = squared_distance(A.x, A.triangles[t, 0], A.triangles[t, 1], A.triangles[t, 2], p[0], p[1], p[2])
                if d < best and not are_neighbours(rest, A.triangles, t, touching, q0, q1, q2):
                    found, best = np.int64(t), d
        node += 1
    return found
