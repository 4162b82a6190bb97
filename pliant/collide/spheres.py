"""BD-trees: spheres around parts of a surface, from poses alone, in time that no number of vertices enters ([JP04]).

A node has vertices C, which several bones k move by weights w_ik (a body: one, all). In the axes of each bone its share
of C is within a ball; the sphere of the node follows from these (maths sheet momentum 7b):

    a_k = mean X_i + (mean S_i) q_k,   rad_k = max |X_i - mean X| + sum_l |q_kl| max |S_il - mean S_l|,  over C
    g_k = R_k a_k + t_k,   c = sum_k wbar_k g_k
    rad = min(max_k rad_k, sum_k wmax_k rad_k) + sum_k dw_k |g_k - c|,   dw_k = max |w_ik - wbar_k|

Erratum E9: the radius of [MC15] section 8, max_k wmax_k rad_k, is no bound. Spheres are wrapped: each is around its own
vertices, not around its children, so that nodes are updated in any order, and only those that are asked for.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from pliant.collide.box_tree import box_tree
from pliant.errors import Array, Ids
from pliant.numerics.counting import borrowing, quick_borrowing


class SphereTree(NamedTuple):
    """Nodes in depth-first order, as of `box_tree`, and what their spheres are made of.

    Attributes:
        skip: (n,). first: (n + 1,) where the items of each begin. items: (m,) numbers of the caller's, leaf by leaf.
        start: (n + 1,) where the shares of bones in each begin. bone, mean, most, off: (e,) which bone, wbar, wmax, dw.
        X: (e, 3) mean place. at: (e,) where its mean rows (3 r) begin in `rows`, and radii (r) at a third of that in
            `radii`. radius: (e,) at rest.
        stamp: (n,) of the pose that `spheres` (n, 4), centre and radius, are of. work: (bones, 4).
    """

    skip: Ids
    first: Ids
    items: Ids
    start: Ids
    bone: Ids
    mean: Array
    most: Array
    off: Array
    X: Array
    at: Ids
    rows: Array
    radii: Array
    radius: Array
    stamp: Ids
    spheres: Array
    work: Array


class Posed(NamedTuple):
    """Where bones are: R (k, 3, 3), t (k, 3), coordinates q in a row, of which those of each begin at first (k + 1,);
    `stamp` (1,) is another number for every pose."""

    R: Array
    t: Array
    q: Array
    first: Ids
    stamp: Ids


@dataclass(frozen=True, eq=False)
class Moved:
    """What one bone moves: vertices (v,) by weights (v,), places X (v, 3) in its axes and rows S (v, 3, r)."""

    vertices: Ids
    weights: Array
    X: Array
    S: Array


def sphere_tree(
    items: Ids, centres: Array, moved: Sequence[Moved], count: int, levels: int | None = None
) -> SphereTree:
    """A tree over items: points (m, 1), triangles (m, 3) or cells (m, k) of `count` vertices, with centres (m, 3).

    Args:
        levels: below the root; None: as many as there are.
    """
    order, skip, first = box_tree(centres)
    if levels is not None:
        skip, first = _pruned(skip, first, levels)
    bounds = np.append(first, len(items))
    weights = np.zeros((count, len(moved)))
    places = np.full((count, len(moved)), -1)
    for k, part in enumerate(moved):
        weights[part.vertices, k] = part.weights
        places[part.vertices, k] = np.arange(len(part.vertices))
    start, shares, rows, radii = [0], [], [], []
    for node in range(len(skip)):
        own = np.unique(items[order[bounds[node] : bounds[skip[node]]]])
        for k in map(int, np.flatnonzero(weights[own].max(axis=0) > 0)):
            part, w = moved[k], weights[own, k]
            i = places[own[w > 0], k]
            X, S = part.X[i].mean(axis=0), part.S[i].mean(axis=0)
            rest = np.linalg.norm(part.X[i] - X, axis=1).max()
            shares.append((k, w.mean(), w.max(), np.abs(w - w.mean()).max(), *X, rest))
            rows.append(S.ravel())
            radii.append(np.linalg.norm(part.S[i] - S, axis=1).max(axis=0, initial=0.0))
        start.append(len(shares))
    table = np.array(shares).reshape(-1, 8)
    sizes = np.array([len(row) for row in rows], dtype=np.int64)
    n = len(skip)
    return SphereTree(
        skip.astype(np.int64),
        bounds.astype(np.int64),
        order.astype(np.int64),
        np.array(start, dtype=np.int64),
        table[:, 0].astype(np.int64),
        np.ascontiguousarray(table[:, 1]),
        np.ascontiguousarray(table[:, 2]),
        np.ascontiguousarray(table[:, 3]),
        np.ascontiguousarray(table[:, 4:7]),
        np.cumsum(sizes) - sizes,
        np.concatenate([np.zeros(0), *rows]),
        np.concatenate([np.zeros(0), *radii]),
        np.ascontiguousarray(table[:, 7]),
        np.full(n, -1, dtype=np.int64),
        np.zeros((n, 4)),
        np.zeros((len(moved), 4)),
    )


def _pruned(skip: Ids, first: Ids, levels: int) -> tuple[Ids, Ids]:
    """The nodes no deeper than so many levels."""
    depth = levels_of(skip)
    kept = np.flatnonzero(depth <= levels)
    return np.searchsorted(kept, skip[kept]), first[kept]


def levels_of(skip: Ids) -> Ids:
    """(n,) how deep every node is below the root."""
    depth = np.zeros(len(skip) + 1, dtype=np.int64)
    for node in np.flatnonzero(skip > np.arange(len(skip)) + 1):
        depth[node + 1] = depth[skip[node + 1]] = depth[node] + 1
    return depth[:-1]


@quick_borrowing
def _ball_of_bone(tree, posed, e, out):
    """g_k and rad_k of a share, into out (4,)."""
    k, at, X = tree.bone[e], tree.at[e], tree.X[e]
    q0 = posed.first[k]
    r = posed.first[k + 1] - q0
    radius = tree.radius[e]
    for l in range(r):
        radius += abs(posed.q[q0 + l]) * tree.radii[at // 3 + l]
    for i in range(3):
        out[i] = posed.t[k, i]
    for j in range(3):
        a = X[j]
        for l in range(r):
            a += tree.rows[at + j * r + l] * posed.q[q0 + l]
        for i in range(3):
            out[i] += posed.R[k, i, j] * a
    out[3] = radius


@borrowing
def update_sphere(tree, posed, node):
    """Write the sphere of a node in a pose, where nobody asked for it before."""
    if tree.stamp[node] == posed.stamp[0]:
        return
    tree.stamp[node] = posed.stamp[0]
    begin, end, sphere = tree.start[node], tree.start[node + 1], tree.spheres[node]
    for i in range(4):
        sphere[i] = 0.0
    widest = shared = 0.0
    for e in range(begin, end):
        ball = tree.work[e - begin]
        _ball_of_bone(tree, posed, e, ball)
        for i in range(3):
            sphere[i] += tree.mean[e] * ball[i]
        widest, shared = max(widest, ball[3]), shared + tree.most[e] * ball[3]
    sphere[3] = min(widest, shared)
    for e in range(begin, end):
        ball, apart = tree.work[e - begin], 0.0
        for i in range(3):
            apart += (ball[i] - sphere[i]) ** 2
        sphere[3] += tree.off[e] * np.sqrt(apart)
