"""Wind on the surface of nonlinear seams: points that carry area, drawn by the coordinates of one part each.

f_q = sum_p area_p U_p^T pressure(X_p + U_p z_i, t)
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numba import njit

from pliant.errors import Array, Ids
from pliant.skin import SkinPart
from pliant.systems.seams.points import EXACT, POINTS, bisected
from pliant.systems.wind import CALM, WindField, wind_pressure


class Sail(NamedTuple):
    """Attributes:
    X: (p, 3) rest positions [m]. areas: (p,) [m^2]. part: (p,) whose coordinates a point reads.
    rows: three of U of every point; rows_at (p,).
    """

    X: Array
    areas: Array
    part: Ids
    rows: Array
    rows_at: Ids
    wind: WindField


def no_sail() -> Sail:
    """Nothing for the wind to blow on."""
    empty = np.empty(0, np.int64)
    return Sail(np.empty((0, 3)), np.empty(0), empty, np.empty(0), empty, _own(CALM))


def sail_of(parts: Sequence[SkinPart], areas: Array, wind: WindField) -> Sail:
    """Points that carry the areas (n,) [m^2] of all vertices: each its own, or clusters where there are many."""
    n = int((areas > 0).sum())
    X, total, owner, rows = [], [], [], []
    for number, part in enumerate(parts):
        chosen = np.flatnonzero(areas[part.vertices] > 0)
        if not len(chosen):
            continue
        count = len(chosen) if n <= EXACT else min(len(chosen), int(np.ceil(POINTS * len(chosen) / n)))
        U = part.U.reshape(len(part.vertices), 3, -1)
        for cluster in bisected(part.X[chosen], count):
            ids = chosen[cluster]
            share = areas[part.vertices[ids]]
            X.append(share @ part.X[ids] / share.sum())
            rows.append(np.tensordot(share / share.sum(), U[ids], 1).ravel())
            total.append(share.sum())
            owner.append(number)
    lengths = np.array([len(row) for row in rows])
    return Sail(
        np.array(X), np.array(total), np.array(owner), np.concatenate(rows), np.cumsum(lengths) - lengths, _own(wind)
    )


def vertex_areas(X: Array, triangles: Ids) -> Array:
    """A third of the area of the triangles around each vertex (n,) [m^2]."""
    a, b, c = (X[triangles[:, k]] for k in range(3))
    areas = np.zeros(len(X))
    np.add.at(areas, triangles, np.linalg.norm(np.cross(b - a, c - a), axis=1)[:, None] / 6)
    return areas


def _own(wind: WindField) -> WindField:
    """Writable arrays: compiled code treats read-only ones as a type of their own."""
    return WindField(wind.velocity.copy(), wind.waves.copy(), wind.pressure)


@njit(cache=True, nogil=True)
def add_wind(jets, sail, time, q, load):
    """Add what the wind means to q."""
    x, f = np.empty(3), np.empty(3)
    for p in range(len(sail.part)):
        i, at = sail.part[p], sail.rows_at[p]
        start, r = jets.reads_at[i], jets.n[i] - 1
        for c in range(3):
            x[c] = sail.X[p, c]
            for k in range(r):
                x[c] += sail.rows[at + c * r + k] * q[jets.reads[start + k]]
        wind_pressure(sail.wind, x, time, f)
        for c in range(3):
            for k in range(r):
                load[jets.reads[start + k]] += sail.areas[p] * f[c] * sail.rows[at + c * r + k]
