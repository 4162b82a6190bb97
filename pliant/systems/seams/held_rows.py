"""Vertices held at positions and interfaces held at rotations, as rows for the constraint solver ([BA13] section 5).

Position:     U_p q = Rt(w)^-1 (target - X_p),  w of the previous step      (Eq. 18; c is a displacement)
Orientation:  q_rot = theta a                                              (Eq. 24)

G is constant, and so is Y = A^-1 G^T. The vertices of a free body have rows of their own, see `free_holds`.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numba import njit

from pliant.errors import Array, Ids
from pliant.skin import Skin
from pliant.skin.warp import warp_slope
from pliant.systems.constraints import Constraints, apply_change, constraints_of, feedback, find_change
from pliant.systems.seams.parts import CoupledParts
from pliant.systems.seams.points import vertex_points
from pliant.systems.seams.solver import Arrow, Condensed, solve_arrow
from pliant.systems.system_points import SystemPoints, move

BENT = 1.0  # [rad] of a held point, from which on the turning of its warp is left out of its velocity
STEEPEST = 5.0  # [rad] warping is singular at a full turn; rotations beyond this are cut back


class HeldWorkspace(NamedTuple):
    """Attributes:
    du, dw, ddu, ddw: (p, 3) rates and second rates of displacement and rotation vector.
    y, rate, second: (p, 3) of a free body, where its held points are in its axes, and the rates of that.
    Rt, D: (p, 3, 3) the warps of these.
    """

    du: Array
    dw: Array
    ddu: Array
    ddw: Array
    y: Array
    rate: Array
    second: Array
    Rt: Array
    D: Array


class HeldRows(NamedTuple):
    """Three rows a held vertex first, then the rows of turned entities.

    Attributes:
        points: the held vertices.
        constraints: targets are world positions [m], then angles [rad]; forces are those in the axes of the body,
            of one that stands before warping [N].
    """

    points: SystemPoints
    constraints: Constraints
    work: HeldWorkspace


def held_rows(
    coupled: CoupledParts,
    body: Skin,
    arrow: Arrow,
    factors: Condensed,
    vertices: Ids,
    targets: Array,
    turned: Sequence[tuple[Ids, Array]],
    rates: Array,
    limits: Sequence[float],
    rigid: tuple[Array, Array] | None,
) -> HeldRows:
    """The constraints of vertices (p,) and of entities (coordinates, angles).

    Args:
        limits: (p,) the largest forces on the vertices [N].
        rigid: Q (size, 6) and B = M Q (Q^T M Q)^-1 of a free solid: turning an interface is then an inner motion,
            which must not move the frame.
    """
    places = np.concatenate([np.empty(0, np.int64), *(ids for ids, _ in turned)])
    p, c = len(vertices), 3 * len(vertices) + len(places)
    points = vertex_points(coupled, body, vertices)
    tables, G = points.tables, np.zeros((c, coupled.size))
    for k in range(p):
        part = tables.part[k]
        r, first = tables.size[part], tables.first[part]
        rows = tables.U[tables.rows[k] : tables.rows[k] + 3 * r].reshape(3, r)
        for i in range(3):
            np.add.at(G[3 * k + i], points.ids[first : first + r], rows[i])
    G[np.arange(3 * p, c), places] = 1.0
    if rigid is not None:
        Q, B = rigid
        G[3 * p :] -= (G[3 * p :] @ Q) @ B.T
    goals = np.concatenate([targets.ravel(), *(angles for _, angles in turned)])
    constraints = constraints_of(G, np.zeros(c), goals, rates, np.zeros(c), limits)
    for row in range(c):
        constraints.work.Y[row] = G[row]
        solve_arrow(arrow, factors, constraints.work.Y[row])
    shapes = [*[(p, 3)] * 7, *[(p, 3, 3)] * 2]
    return HeldRows(points, constraints, HeldWorkspace(*map(np.zeros, shapes)))


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
def measure_holds(held, dt, q, v, a):
    """The wanted G a+ (c,) of a body that stands, from the state at the start of the step."""
    points, constraints = held.points, held.constraints
    p, X = len(points.work.x), points.tables.X
    move(points, a, held.work.ddu, held.work.ddw)
    move(points, v, held.work.du, held.work.dw)
    move(points, q, points.work.u, points.work.w)
    bend, aim, goal, speed, down = np.empty((3, 3)), np.empty(3), np.empty(3), np.empty(3), np.empty(3)
    for k in range(p):
        w, dw, ddw = points.work.w[k], held.work.dw[k], held.work.ddw[k]
        for i in range(3):
            aim[i] = constraints.targets[3 * k + i] - X[k, i]
        unwarp(w, aim, goal)
        # The warp turns while the point moves: x' = Rt U v + d(Rt u)/dw W v, of which G v is the first term. The other
        # is known at the start of the step only; where the point is bent far it would feed the motion.
        share = max(0.0, 1.0 - (w[0] * w[0] + w[1] * w[1] + w[2] * w[2]) / (BENT * BENT))
        warp_slope(w, points.work.u[k], bend)
        for i in range(3):
            aim[i] = share * (bend[i, 0] * dw[0] + bend[i, 1] * dw[1] + bend[i, 2] * dw[2])
            down[i] = share * (bend[i, 0] * ddw[0] + bend[i, 1] * ddw[1] + bend[i, 2] * ddw[2])
        unwarp(w, aim, speed)
        unwarp(w, down, aim)
        for i in range(3):
            wanted = _feedback(constraints, 3 * k + i, dt, q, v, a, -goal[i], speed[i], 0.0)
            constraints.work.wanted[3 * k + i] = wanted - aim[i]
    for row in range(3 * p, len(constraints.G)):
        constraints.work.wanted[row] = _feedback(constraints, row, dt, q, v, a, -constraints.targets[row], 0.0, 0.0)


@njit(cache=True, nogil=True, fastmath={"contract", "reassoc"})
def _feedback(constraints, row, dt, q, v, a, x, xd, xa):
    G = constraints.G[row]
    for j in range(len(q)):
        x += G[j] * q[j]
        xd += G[j] * v[j]
        xa += G[j] * a[j]
    return feedback(x, xd, xa, constraints.rates[row], dt)


@njit(cache=True, nogil=True)
def apply_holds(held, a):
    """Correct the acceleration a (size,) so that G a is what was wanted, and keep the forces."""
    G, _, _, _, limits, forces, (wanted, change, Y, T) = held.constraints
    for row in range(len(G)):
        forces[row] = 0.0
    find_change(G, wanted, forces, change, Y, T, limits, 1.0, a)
    apply_change(Y, change, 1.0, a)
