"""Vertices held at positions and interfaces held at rotations, damped and implicit in the step ([BA13] section 5).

Position:     U_p q = Rt(w)^-1 (target - X_p),  w of the previous step      (Eq. 18; c is a displacement)
Orientation:  q_rot = theta a                                              (Eq. 24)
x = G q - target,  critically damped at the rate om (maths sheet 6):
    G a+ = -(2 om (x' + dt/2 x'') + om^2 (x + dt x' + dt^2/4 x'')) / (1 + om dt + om^2 dt^2/4)

G is constant, so are Y = A^-1 G^T and T = (G Y)^-1:  a+ = a0 + Y T (G a+ - G a0).
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numba import njit

from pliant.errors import Array, Ids
from pliant.systems.seams.parts import CoupledParts
from pliant.systems.seams.points import Points, move_points, vertex_points
from pliant.systems.seams.solver import Arrow, Condensed, solve_arrow

DEPENDENT = 1e-9  # constraints that others imply: eigenvalues of the scaled G A^-1 G^T below this are left out
STEEPEST = 5.0  # [rad] warping is singular at a full turn; rotations beyond this are cut back


class Holds(NamedTuple):
    """What compiled steps read of all constraints: three rows a held vertex first, then the rows of turned entities.

    Attributes:
        points, targets: held vertices and where they go (p, 3) [m].
        angles: (m,) targets of the other rows [rad].
        rates: (c,) om [1/s].
        G, Y, T: (c, size), (size, c), (c, c).
        forces: (p, 3) what holds each vertex in the last step, in the body's axes before warping [N].
    """

    points: Points
    targets: Array
    angles: Array
    rates: Array
    G: Array
    Y: Array
    T: Array
    forces: Array
    u: Array
    w: Array
    z: Array
    gap: Array
    wanted: Array


def holds_of(
    coupled: CoupledParts,
    arrow: Arrow,
    factors: Condensed,
    vertices: Ids,
    targets: Array,
    turned: Sequence[tuple[Ids, Array]],
    rates: Array,
    rigid: tuple[Array, Array] | None,
) -> Holds:
    """The constraints of vertices (p,), sorted by group, and of entities (coordinates, angles).

    Args:
        rigid: Q (size, 6) and B = M Q (Q^T M Q)^-1 of a free solid: turning an interface is then an inner motion,
            which must not move the frame.
    """
    angles = np.concatenate([np.empty(0), *(angle for _, angle in turned)])
    places = np.concatenate([np.empty(0, np.int64), *(ids for ids, _ in turned)])
    p, c = len(vertices), 3 * len(vertices) + len(angles)
    points = vertex_points(coupled, vertices)
    G = np.zeros((c, coupled.size))
    for k in range(p):
        reads = points.reads[points.starts[points.group[k]] : points.starts[points.group[k] + 1]]
        rows = points.rows[points.begins[k] : points.begins[k] + 3 * len(reads)].reshape(3, -1)
        for i in range(3):
            np.add.at(G[3 * k + i], reads, rows[i])
    G[np.arange(3 * p, c), places] = 1.0
    if rigid is not None:
        Q, B = rigid
        G[3 * p :] -= (G[3 * p :] @ Q) @ B.T
    Y = np.empty((coupled.size, c))
    for row in range(c):
        x = G[row].copy()
        solve_arrow(arrow, factors, x)
        Y[:, row] = x
    workspace = int(np.diff(points.starts).max(initial=1))
    forces, u, w = (np.zeros((p, 3)) for _ in range(3))
    work = (forces, u, w, np.zeros(workspace), np.zeros(c), np.zeros(c))
    return Holds._make((points, targets, angles, rates, G, Y, _inverse(G @ Y), *work))


def _inverse(T: Array) -> Array:
    """T^-1, or where constraints depend on each other the inverse on what does not."""
    if not len(T):
        return np.empty((0, 0))
    scale = 1 / np.sqrt(np.maximum(np.diag(T), np.finfo(float).tiny))
    values, vectors = np.linalg.eigh(0.5 * (T + T.T) * np.outer(scale, scale))
    inverse = np.where(values > DEPENDENT * values[-1], 1 / np.maximum(values, np.finfo(float).tiny), 0.0)
    return np.outer(scale, scale) * ((vectors * inverse) @ vectors.T)


@njit(cache=True, nogil=True)
def unwarp(w, d, out):
    """out = Rt(w)^-1 d = d - w x d / 2 + k w x (w x d),  k = (1 - (t/2) cot(t/2)) / t^2; w is cut back to STEEPEST."""
    square = w[0] * w[0] + w[1] * w[1] + w[2] * w[2]
    cut = 1.0
    if square > STEEPEST * STEEPEST:
        cut = STEEPEST / np.sqrt(square)
        square = STEEPEST * STEEPEST
    half = 0.5 * np.sqrt(square)
    k = 1 / 12 + square / 720 if square < 1e-4 else (1 - half / np.tan(half)) / square
    a, b, c = cut * w[0], cut * w[1], cut * w[2]
    x, y, z = b * d[2] - c * d[1], c * d[0] - a * d[2], a * d[1] - b * d[0]
    out[0] = d[0] - 0.5 * x + k * (b * z - c * y)
    out[1] = d[1] - 0.5 * y + k * (c * x - a * z)
    out[2] = d[2] - 0.5 * z + k * (a * y - b * x)


@njit(cache=True, nogil=True)
def measure_holds(holds, frame, drift, dt, q, v, a):
    """The wanted G a+ (c,) from the state at the start of the step, into holds.wanted.

    Args:
        frame: (4, 3) R and t of the body.
        drift: (6, 3) of a free body in its axes: its velocity, spin and their rates, the pivot, and the fall.
    """
    p = len(holds.targets)
    move_points(holds.points, q, holds.z, holds.u, holds.w)
    aim, goal, speed, push = np.empty(3), np.empty(3), np.empty(3), np.empty(3)
    for k in range(p):
        for i in range(3):
            aim[i] = -holds.points.X[k, i]
            for j in range(3):
                aim[i] += frame[j, i] * (holds.targets[k, j] - frame[3, j])
        unwarp(holds.w[k], aim, goal)
        _carried(holds.points.X[k], aim, drift, speed, push)
        unwarp(holds.w[k], speed, aim)
        unwarp(holds.w[k], push, speed)
        for i in range(3):
            holds.gap[3 * k + i] = -goal[i]
            holds.wanted[3 * k + i] = _feedback(holds, 3 * k + i, dt, q, v, a, -goal[i], aim[i], speed[i])
    for row in range(3 * p, len(holds.G)):
        holds.wanted[row] = _feedback(holds, row, dt, q, v, a, -holds.angles[row - 3 * p], 0.0, 0.0)


@njit(cache=True, nogil=True)
def _carried(X, aim, drift, speed, push):
    """Velocity and acceleration, in the body's axes, that the motion of a free body gives to a held point."""
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        arm_j, arm_k = X[j] + aim[j] - drift[4, j], X[k] + aim[k] - drift[4, k]
        speed[i] = drift[0, i] + drift[1, j] * arm_k - drift[1, k] * arm_j
        push[i] = drift[2, i] + drift[3, j] * arm_k - drift[3, k] * arm_j


@njit(cache=True, nogil=True, fastmath={"contract", "reassoc"})
def _feedback(holds, row, dt, q, v, a, x, xd, xa):
    G, om = holds.G[row], holds.rates[row]
    for j in range(len(q)):
        x += G[j] * q[j]
        xd += G[j] * v[j]
        xa += G[j] * a[j]
    pull = 2 * om * (xd + 0.5 * dt * xa) + om * om * (x + dt * xd + 0.25 * dt * dt * xa)
    return -pull / (1 + om * dt + 0.25 * om * om * dt * dt)


@njit(cache=True, nogil=True, fastmath={"contract", "reassoc"})
def apply_holds(holds, fall, a):
    """Correct the acceleration a (size,) so that G a is what was wanted, and keep the forces.

    Args:
        fall: (3,) rate of a free body's velocity that `a` does not hold, in its axes: gravity, and axes that turn.
    """
    c, p, down = len(holds.G), len(holds.targets), np.empty(3)
    for row in range(c):
        total = holds.wanted[row]
        for j in range(len(a)):
            total -= holds.G[row, j] * a[j]
        holds.gap[row] = total
    for k in range(p):
        unwarp(holds.w[k], fall, down)
        for i in range(3):
            holds.gap[3 * k + i] -= down[i]
    for row in range(c):
        force = 0.0
        for column in range(c):
            force += holds.T[row, column] * holds.gap[column]
        if row < 3 * p:
            holds.forces[row // 3, row % 3] = force
        for j in range(len(a)):
            a[j] += holds.Y[j, row] * force
