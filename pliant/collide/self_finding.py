"""Contacts of surfaces with themselves: every point against the nearest triangle that it may touch and that opposes it.

Three things keep the search short: boxes that are too far away; leaves whose triangles are all neighbours of the point,
which is known from rest; and boxes of normals, of which none opposes the point's. A flat or bulging neighbourhood is
passed over at once that way, however near it is (after Barbic and James 2010). None of them skips what could touch.
"""

from math import sqrt

import numpy as np

from pliant.collide.blocks import WIDTH, highest, squares_to_block
from pliant.collide.body import TRIANGLE, body_of
from pliant.collide.contacts import note
from pliant.collide.nearest import OPPOSED
from pliant.collide.pseudo_normals import face_normal, unit
from pliant.collide.selves import are_neighbours
from pliant.collide.slabs import FAR
from pliant.collide.touching import is_behind, nearest_on, note_inside, sample_mean, sample_place
from pliant.collide.triangle import nearer_distance
from pliant.numerics.counting import borrowing, borrowing_inlined
from pliant.numerics.simd8 import larger8, load8, lowest_bit, spread8, up_to8


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
            fit_normals(A, selves.faces, selves.normals.reshape(selves.normals.size))
            for sample in range(len(depth)):
                if depth[sample] >= 0:
                    deep, margin = depth[sample], 2 * margins[a]
                    k = surfaces.shape_sample[s] + sample
                    own = selves.first[k], selves.first[k + 1]
                    count = _touch_itself(A, rest, selves, own, touching, sample, margin, deep, a, contacts, count)
    return count


@borrowing
def fit_normals(A, faces, normals):
    """Write the normals of triangles (t, 3), and what those of every leaf are between: least components of all leaves,
    one after the other, then largest."""
    count = A.levels[1]
    for leaf in range(count):
        for k in range(6):
            normals[k * count + leaf] = 0.0
    for leaf in range(len(A.leaf_starts) - 1):
        a0, a1, a2, b0, b1, b2 = FAR, FAR, FAR, -FAR, -FAR, -FAR
        for t in range(A.leaf_starts[leaf, TRIANGLE], A.leaf_starts[leaf + 1, TRIANGLE]):
            n0, n1, n2 = face_normal(A.x, A.triangles, t)
            faces[t, 0], faces[t, 1], faces[t, 2] = n0, n1, n2
            a0, a1, a2, b0, b1, b2 = min(a0, n0), min(a1, n1), min(a2, n2), max(b0, n0), max(b1, n1), max(b2, n2)
        normals[leaf], normals[count + leaf], normals[2 * count + leaf] = a0, a1, a2
        normals[3 * count + leaf], normals[4 * count + leaf], normals[5 * count + leaf] = b0, b1, b2


@borrowing_inlined
def _may_oppose(normals, count, first, m):
    """Which of eight leaves have normals that may oppose m, as bits."""
    low0, high0 = m[0] * load8(normals, first), m[0] * load8(normals, 3 * count + first)
    low1, high1 = m[1] * load8(normals, count + first), m[1] * load8(normals, 4 * count + first)
    low2, high2 = m[2] * load8(normals, 2 * count + first), m[2] * load8(normals, 5 * count + first)
    most = larger8(-low0, -high0) + larger8(-low1, -high1) + larger8(-low2, -high2)
    return up_to8(-most, spread8(-OPPOSED))


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


@borrowing_inlined
def _touch_itself(A, rest, selves, own, touching, sample, margin, depth, a, contacts, count):
    p = sample_place(A, sample)
    t = _nearest_stranger(A, rest, selves, own, touching, sample, p, max(margin, depth) ** 2)
    if t < 0:
        return count
    m, (weights, _, c) = _outward(A, selves.faces, sample), nearest_on(A, t, p)
    d0, d1, d2 = p[0] - c[0], p[1] - c[1], p[2] - c[2]
    distance = sqrt(d0 * d0 + d1 * d1 + d2 * d2)
    if distance == 0 or is_behind(A, t, p):
        return note_inside(sample, p, m, A, t, a, a, contacts, count) if distance <= depth else count
    if distance < margin and d0 * m[0] + d1 * m[1] + d2 * m[2] < -OPPOSED * distance:
        n = d0 / distance, d1 / distance, d2 / distance
        return note(contacts, count, a, a, sample, t, weights, n, distance, p)
    return count


@borrowing_inlined
def _nearest_stranger(A, rest, selves, own, touching, sample, p, best):
    """The nearest triangle that a sample at p may touch, of those that oppose its outward direction; -1 if none within
    best. The blocks of leaves in its list are those from own[0] to own[1] - 1."""
    found, e, m = np.int64(-1), own[0], (0.0, 0.0, 0.0)
    single = highest(A.levels) == 0
    for first in range(0 if single else A.levels[1], A.levels[1 if single else 2], WIDTH):
        hits = np.int64(1) if single else up_to8(squares_to_block(A.blocks, first, p[0], p[1], p[2]), spread8(best))
        while hits != 0:
            block = (0 if single else first - A.levels[1]) + lowest_bit(hits)
            hits &= hits - 1
            while e < own[1] and selves.block[e] < block:
                e += 1
            leaves = up_to8(squares_to_block(A.blocks, WIDTH * block, p[0], p[1], p[2]), spread8(best))
            if e < own[1] and selves.block[e] == block:
                leaves &= np.int64(selves.strangers[e])
            if leaves != 0:
                m = _outward(A, selves.faces, sample)
                found, best = _stranger_in_block(A, rest, selves, touching, block, leaves, sample, p, m, found, best)
    return found


@borrowing_inlined
def _stranger_in_block(A, rest, selves, touching, block, hits, sample, p, m, found, best):
    """The same among some leaves of a block, as bits; and its squared distance."""
    faces, normals, first = selves.faces, selves.normals.reshape(selves.normals.size), WIDTH * block
    q = sample_mean(A, sample, rest)
    hits &= _may_oppose(normals, A.levels[1], first, m)
    while hits != 0:
        leaf = first + lowest_bit(hits)
        hits &= hits - 1
        for t in range(A.leaf_starts[leaf, TRIANGLE], A.leaf_starts[leaf + 1, TRIANGLE]):
            if not faces[t, 0] * m[0] + faces[t, 1] * m[1] + faces[t, 2] * m[2] < -OPPOSED:
                continue
            a, b, c = A.triangles[t, 0], A.triangles[t, 1], A.triangles[t, 2]
            d = nearer_distance(A.x, a, b, c, p[0], p[1], p[2], best)
            if d < best and not are_neighbours(rest, A.triangles, t, touching, q[0], q[1], q[2]):
                found, best = np.int64(t), d
    return found, best
