"""Points that move with seams: where they are, and what forces on them mean to the coordinates.

u = U q,  w = W q,  y = X + warp(w) u                                 ([BA13] Eq. 17)
f_q = U^T f | U^T R^T f | U^T Rt^T f | U^T Rt^T f + W^T (d(Rt u)/dw)^T f      none, R, Rt, J (maths sheet 5)

A point is a vertex or the weighted mean of a cluster of them: loads that vary smoothly need far fewer points than the
mesh has vertices, and a cluster of one vertex is that vertex exactly.
"""

from typing import NamedTuple

import numpy as np
from numba import njit

from pliant.errors import Array, Ids
from pliant.numerics import rotation_exponential_into
from pliant.skin import SkinPart
from pliant.skin.warp import warp, warp_factors
from pliant.systems.seams.parts import CoupledParts

PROJECTIONS = ("none", "R", "Rt", "J")
EXACT = 2000  # up to this many vertices carry their own load
POINTS = 384  # clusters of larger models, shared out among the groups


class Points(NamedTuple):
    """What compiled loops read.

    Attributes:
        X: (p, 3) rest positions [m].
        weights: (p,) mass [kg] or area [m^2] that a point stands for.
        group: (p,) the group whose coordinates it reads, rising.
        starts: (g + 1,) where the coordinates of each group begin in `reads`.
        reads: which of q they are.
        begins: (p,) where the rows of a point begin in `rows`.
        rows: three of U, then three of W, of every point.
    """

    X: Array
    weights: Array
    group: Ids
    starts: Ids
    reads: Ids
    begins: Ids
    rows: Array


def vertex_points(coupled: CoupledParts, vertices: Ids) -> Points:
    """One point of weight one a vertex; `vertices` sorted as `by_group` says."""
    kinds, X, rows = coupled.sharing[0][vertices], [np.empty((0, 3))], [np.empty(0)]
    for kind in np.unique(kinds):
        group = coupled.groups[kind]
        k, r = np.searchsorted(group.vertices, vertices[kinds == kind]), group.U.shape[1]
        both = [matrix.reshape(-1, 3 * r)[k] for matrix in _matrices(group)]
        X.append(group.X[k])
        rows.append(np.hstack(both).ravel())
    return _packed(coupled, np.concatenate(X), np.ones(len(vertices)), kinds, np.concatenate(rows))


def by_group(coupled: CoupledParts, vertices: Ids) -> Ids:
    """The order of vertices (k,) in which those of one group follow each other."""
    return np.argsort(coupled.sharing[0][vertices], kind="stable")


def clustered_points(coupled: CoupledParts, weights: Array) -> Points:
    """Points that carry the weights (n,) of all vertices: each its own, or clusters where there are many."""
    n = int((weights > 0).sum())
    X, total, kind, rows = [], [], [], []
    for number, group in enumerate(coupled.groups):
        chosen = np.flatnonzero(weights[group.vertices] > 0)
        if not len(chosen):
            continue
        count = len(chosen) if n <= EXACT else min(len(chosen), int(np.ceil(POINTS * len(chosen) / n)))
        for cluster in bisected(group.X[chosen], count):
            ids = chosen[cluster]
            share = weights[group.vertices[ids]]
            mean = share / share.sum()
            X.append(mean @ group.X[ids])
            total.append(share.sum())
            kind.append(number)
            r = group.U.shape[1]
            both = [np.tensordot(mean, matrix.reshape(-1, 3, r)[ids], 1).ravel() for matrix in _matrices(group)]
            rows.append(np.concatenate(both))
    return _packed(coupled, np.array(X).reshape(-1, 3), np.array(total), np.array(kind), np.concatenate(rows))


def bisected(X: Array, count: int) -> list[Ids]:
    """Split points (k, 3) into `count` clusters of nearly equal size, each time across the longest side."""
    pieces = [(np.arange(len(X)), count)]
    done = []
    while pieces:
        ids, parts = pieces.pop()
        if parts == 1:
            done.append(ids)
            continue
        axis = int(np.ptp(X[ids], axis=0).argmax())
        order = ids[np.argsort(X[ids, axis], kind="stable")]
        near = parts // 2
        cut = round(len(ids) * near / parts)
        pieces += [(order[cut:], parts - near), (order[:cut], near)]
    return done


def _matrices(group: SkinPart) -> tuple[Array, Array]:
    assert group.omega is not None, "seams warp"
    return group.U, group.omega


def _packed(coupled: CoupledParts, X: Array, weights: Array, kinds: Ids, rows: Array) -> Points:
    starts, reads = coupled.chains
    sizes = 6 * np.diff(starts)[kinds]
    return Points(X, weights, kinds.astype(np.int64), starts, reads, np.cumsum(sizes) - sizes, rows)


@njit(cache=True, nogil=True, fastmath={"contract", "reassoc", "nsz"})
def _three(rows, at, size, z, out):
    x, y, t = 0.0, 0.0, 0.0
    for k in range(size):
        value = z[k]
        x += rows[at + k] * value
        y += rows[at + size + k] * value
        t += rows[at + 2 * size + k] * value
    out[0], out[1], out[2] = x, y, t


@njit(cache=True, nogil=True)
def move_points(points, q, z, u, w):
    """u = U q and w = W q of all points, (p, 3); z is room for the coordinates of a group."""
    group, size = -1, 0
    for p in range(len(points.group)):
        if points.group[p] != group:
            group = points.group[p]
            first = points.starts[group]
            size = points.starts[group + 1] - first
            for k in range(size):
                z[k] = q[points.reads[first + k]]
        _three(points.rows, points.begins[p], size, z, u[p])
        _three(points.rows, points.begins[p] + 3 * size, size, z, w[p])


@njit(cache=True, nogil=True)
def place_points(points, u, w, y):
    """y = X + warp(w) u."""
    for p in range(len(y)):
        warp(w[p], u[p], y[p])
        for i in range(3):
            y[p, i] += points.X[p, i]


@njit(cache=True, nogil=True)
def add_loads(points, u, w, forces, projection, z, load):
    """Add what forces (p, 3) in the body's axes mean to q; `projection` counts in PROJECTIONS, u and w as moved."""
    pull, turn, R = np.empty(3), np.zeros(3), np.empty((3, 3))
    group, size, first = -1, 0, 0
    for p in range(len(points.group)):
        if points.group[p] != group:
            _scatter(points, first, size, z, load)
            group = points.group[p]
            first = points.starts[group]
            size = points.starts[group + 1] - first
            for k in range(size):
                z[k] = 0.0
        _pull_back(w[p], u[p], forces[p], projection, R, pull, turn)
        _add_rows(points.rows, points.begins[p], size, pull, z)
        if projection == 3:
            _add_rows(points.rows, points.begins[p] + 3 * size, size, turn, z)
    _scatter(points, first, size, z, load)


@njit(cache=True, nogil=True)
def _scatter(points, first, size, z, load):
    for k in range(size):
        load[points.reads[first + k]] += z[k]


@njit(cache=True, nogil=True, fastmath={"contract"})
def _add_rows(rows, at, size, f, z):
    a, b, c = f[0], f[1], f[2]
    for k in range(size):
        z[k] += rows[at + k] * a + rows[at + size + k] * b + rows[at + 2 * size + k] * c


@njit(cache=True, nogil=True)
def _pull_back(w, u, f, projection, R, pull, turn):
    """pull = f | R^T f | Rt^T f, and for J also turn = (d(Rt u)/dw)^T f."""
    if projection == 0:
        pull[0], pull[1], pull[2] = f[0], f[1], f[2]
    elif projection == 1:
        rotation_exponential_into(R, w)
        for i in range(3):
            pull[i] = R[0, i] * f[0] + R[1, i] * f[1] + R[2, i] * f[2]
    else:
        # The transpose of warp(w) is warp(-w): the odd term changes its sign, the even one does not.
        for i in range(3):
            turn[i] = -w[i]
        warp(turn, f, pull)
        if projection == 3:
            warp_slope(w, u, R)
            for i in range(3):
                turn[i] = R[0, i] * f[0] + R[1, i] * f[1] + R[2, i] * f[2]


@njit(cache=True, nogil=True)
def warp_slope(w, u, D):
    """D = d(warp(w) u)/dw = -b [u]x + c ((w.u) I + w u^T - 2 u w^T) + b' (w x u) w^T + c' (w x (w x u)) w^T."""
    square = w[0] * w[0] + w[1] * w[1] + w[2] * w[2]
    b, c = warp_factors(square)
    if square < 1e-4:
        db, dc = -1 / 12 + square / 180, -1 / 60 + square / 1260
    else:
        t = np.sqrt(square)
        db = (t * np.sin(t) - 2 * (1 - np.cos(t))) / (square * square)
        dc = (t * (1 - np.cos(t)) - 3 * (t - np.sin(t))) / (square * square * t)
    dot = w[0] * u[0] + w[1] * u[1] + w[2] * u[2]
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        once = w[j] * u[k] - w[k] * u[j]
        twice = w[i] * dot - u[i] * square
        for n in range(3):
            D[i, n] = c * (w[i] * u[n] - 2 * u[i] * w[n]) + (db * once + dc * twice) * w[n]
        D[i, i] += c * dot
    D[0, 1] += b * u[2]
    D[0, 2] -= b * u[1]
    D[1, 0] -= b * u[2]
    D[1, 2] += b * u[0]
    D[2, 0] += b * u[1]
    D[2, 1] -= b * u[0]
