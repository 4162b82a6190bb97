"""Forces on points of bodies, pushes and wind: what they mean to frames and coordinates at the start of a step.

force = sum f,   torque = sum (x - t) x f,   load = sum S_c^T R^T f
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from pliant.errors import Array, Ids
from pliant.numerics.counting import borrowing, quick_borrowing
from pliant.systems.wind import wind_pressure


class PointForces(NamedTuple):
    """Points of bodies, one entry a point and body.

    Attributes:
        body: (k,). X: (k, 3) rest places in the body's axes. at: (k,) where the rows S_c (3 r) begin in `rows`.
        force: (k, 3) [N]. area: (k,) that the wind blows on [m^2].
        x, now: (k, 3) where they are, and the force there.
    """

    body: Ids
    X: Array
    at: Ids
    rows: Array
    force: Array
    area: Array
    x: Array
    now: Array


def no_forces() -> PointForces:
    """Of no points."""
    ids, rows = np.zeros(0, np.int64), np.zeros((0, 3))
    return PointForces(ids, rows, ids.copy(), np.zeros(0), rows.copy(), np.zeros(0), rows.copy(), rows.copy())


def joined_forces(each: Sequence[PointForces]) -> PointForces:
    """All of them in a row."""
    first = np.cumsum([0, *(len(forces.rows) for forces in each)])[:-1]
    moved = [forces._replace(at=forces.at + start) for forces, start in zip(each, first)]
    return PointForces._make(np.concatenate(arrays) for arrays in zip(*moved))


@borrowing
def gather(table, state, geometry, points, wind, time, acting):
    """Fill force, torque and load of `acting`."""
    acting.force[:], acting.torque[:] = 0.0, 0.0
    for k in range(len(acting.load)):
        acting.load[k] = acting.pushed[k]
    for k in range(len(points.body)):
        b, at = points.body[k], points.at[k]
        first, r = table.first[b], table.first[b + 1] - table.first[b]
        place_point(state, geometry.R[b], b, points.X[k], points.rows, at, state.q[first : first + r], points.x[k])
        f = points.now[k]
        for i in range(3):
            f[i] = points.force[k, i]
        if points.area[k] > 0:
            wind_pressure(wind, points.x[k], time, f)
            for i in range(3):
                f[i] = points.area[k] * f[i]
        add_force(table, state, geometry, b, points.rows, at, points.x[k], f, acting)


@borrowing
def add_force(table, state, geometry, b, rows, at, x, f, acting):
    """Force f (3,) on body b, at a point that is at x (3,) and whose rows begin at `at`."""
    first, r = table.first[b], table.first[b + 1] - table.first[b]
    a0, a1, a2 = x[0] - state.t[b, 0], x[1] - state.t[b, 1], x[2] - state.t[b, 2]
    acting.torque[b, 0] += a1 * f[2] - a2 * f[1]
    acting.torque[b, 1] += a2 * f[0] - a0 * f[2]
    acting.torque[b, 2] += a0 * f[1] - a1 * f[0]
    R = geometry.R[b]
    for i in range(3):
        acting.force[b, i] += f[i]
        along = R[0, i] * f[0] + R[1, i] * f[1] + R[2, i] * f[2]
        for l in range(r):
            acting.load[first + l] += rows[at + i * r + l] * along


@quick_borrowing
def place_point(state, R, b, X, rows, at, q, x):
    """x = R (X + S_c q) + t."""
    r = len(q)
    p0, p1, p2 = X[0], X[1], X[2]
    for l in range(r):
        p0 += rows[at + l] * q[l]
        p1 += rows[at + r + l] * q[l]
        p2 += rows[at + 2 * r + l] * q[l]
    for i in range(3):
        x[i] = R[i, 0] * p0 + R[i, 1] * p1 + R[i, 2] * p2 + state.t[b, i]
