"""Joints: points of two bodies that stay together, axes that drive or stop (maths sheet momentum 6).

Sweeps give joints the velocity -gap/dt, beside contacts. Then the gap that the end of the step would have is closed by
Newton's method, all joints that share bodies at once:

    f(j) = x_a+ - x_b+ = 0,   j -= (dt T)^-1 f,   T = J A^-1 J^T

where x+ is where the step really leads, and T the first order of df/dj / dt: each turn leaves a share dt w of the gap.
At the new places the velocities are then made equal, with the plain mass. All impulses act on both bodies at one point,
so that momentum is kept to rounding.

To these turns a system is its joined points, as it is its touched ones to contacts: with their velocities y they end at
free + dt y, where `free` is told by the step that it takes as if nothing held it.
"""

from typing import Any, NamedTuple

import numpy as np

from pliant.errors import Array, Ids
from pliant.numerics import rotation_from_quaternion_into
from pliant.numerics.block_cholesky import Elimination, elimination, factor_blocks, solve_blocks
from pliant.numerics.counting import borrowing, borrowing_inlined, quick_borrowing, quick_borrowing_inlined
from pliant.systems.world.point_forces import place_point
from pliant.systems.world.rows import AXIS, POINT, add_couple, add_entry, add_point, begin_tie, end_tie
from pliant.systems.world.tables import SYSTEM

REDUNDANT = 1e-6  # added to the diagonal of T, relative to it: joints may say the same twice, and turns go on anyway
TURN = 2 * np.pi
CLOSED = 1e-12  # of a body's size: a gap that is rounding
TURNS = 12  # of Newton's method


class JointTable(NamedTuple):
    """Points that stay together.

    Attributes:
        body: (k, 2); -1: the world. X: (k, 2, 3) rest places, or places in the world; at: (k, 2); rows.
        impulse: (k, 3) on the first body in the last step [N s], that of its sweeps alone; state.
        total: (k, 3) of all of it. Closing gaps of joints that say the same twice adds impulses that cancel each
            other, which must not be where the next step begins.
        gap: (k,) [m] at the end of it. x: (2, 3), R: (3, 3) work space.
        T: by blocks of points that share bodies. f: (3k,) right-hand side.
        size: [m] of the bodies.
        point: (k, 2) which of the touched points of a system each side is. free: (k, 2, 3) where that would be at the
            end of the step if it did not move any more.
        where: (2, k, 3) at which points impulses act: those of the step, and those that make velocities equal, which
            are `steady` (k, 3).
    """

    body: Ids
    X: Array
    at: Ids
    rows: Array
    impulse: Array
    total: Array
    gap: Array
    x: Array
    R: Array
    T: Elimination
    f: Array
    size: float
    point: Ids
    free: Array
    where: Array
    steady: Array


class AxisTable(NamedTuple):
    """Axes that motors drive and stops bound.

    Attributes:
        body: (k, 2); -1: the world. axis: (k, 3) in the axes of the first body, or the world. across: (k, 2, 3) a
            direction across it in both, whose angle is that of the joint.
        speed, torque: (k,) wanted [1/s], and the largest [N m]; no torque: no motor.
        low, high: (k,) stops [rad]; angle: (k,) at the start of the last step, with all turns; state.
        impulse: (k, 2) of motor and stop in the last step [N m s]; state.
    """

    body: Ids
    axis: Array
    across: Array
    speed: Array
    torque: Array
    low: Array
    high: Array
    angle: Array
    impulse: Array


@borrowing_inlined
def _joint_places(table, state, joints, j, y, dt):
    """joints.x: where the two points are in a state; of systems at the start of the step, or where y leads in dt."""
    for side in range(2):
        b = joints.body[j, side]
        if b < 0 or (table.kind[b] == SYSTEM and dt == 0):
            for i in range(3):
                joints.x[side, i] = joints.X[j, side, i]
            continue
        if table.kind[b] == SYSTEM:
            at = table.first_y[b] + 3 * joints.point[j, side]
            for i in range(3):
                joints.x[side, i] = joints.free[j, side, i] + dt * y[at + i]
            continue
        first, r = table.first[b], table.first[b + 1] - table.first[b]
        q = state.q[first : first + r]
        rotation_from_quaternion_into(joints.R, state.Q[b])
        place_point(state, joints.R, b, joints.X[j, side], joints.rows, joints.at[j, side], q, joints.x[side])


@borrowing
def tie_joints(table, geometry, state, joints, touched, ties, y, dt, moved, space):
    """Ties of all joints at a state, with targets -gap/dt; `moved`: is it the end of the step, 1 or 0?"""
    x = joints.x
    for j in range(len(joints.body)):
        _joint_places(table, state, joints, j, y, moved * dt)
        for i in range(3):
            space.middle[i] = joints.where[moved, j, i] = 0.5 * (x[0, i] + x[1, i])
        k = begin_tie(ties, POINT, space.middle, space.world)
        for side in range(2):
            b = joints.body[j, side]
            if b >= 0 and table.kind[b] == SYSTEM:
                add_point(table, touched, ties, k, b, joints.point[j, side], 1.0 if side == 0 else -1.0)
            elif b >= 0:
                r, at = table.first[b + 1] - table.first[b], joints.at[j, side]
                rows = joints.rows[at : at + 3 * r]
                add_entry(table, geometry, state.t, ties, k, b, rows, 1.0 if side == 0 else -1.0)
        end_tie(ties, k)
        for i in range(3):
            ties.target[k, i] = -(x[0, i] - x[1, i]) / dt
            ties.impulse[k, i] = joints.impulse[j, i]


@borrowing
def tie_axes(table, geometry, axes, ties, dt, space):
    """Two ties of every axis, of its motor and of its stop, behind those of the joints."""
    for j in range(len(axes.body)):
        a, b = axes.body[j, 0], axes.body[j, 1]
        angle = _angle(geometry, axes, j, space)
        angle += TURN * np.floor((axes.angle[j] - angle) / TURN + 0.5)  # turns go on from where they were
        axes.angle[j] = angle
        for stop in range(2):
            k = begin_tie(ties, AXIS, space.middle, space.axes)
            if a >= 0:
                add_couple(table, geometry, ties, k, a, 1.0)
            if b >= 0:
                add_couple(table, geometry, ties, k, b, -1.0)
            ties.impulse[k, 0] = axes.impulse[j, stop]
            if stop == 0:
                ties.target[k, 0] = axes.speed[j]
                ties.least[k], ties.most[k] = -axes.torque[j] * dt, axes.torque[j] * dt
            else:
                near_low = angle - axes.low[j] < axes.high[j] - angle
                ties.target[k, 0] = (axes.low[j] if near_low else axes.high[j]) / dt - angle / dt
                ties.least[k], ties.most[k] = (0.0, np.inf) if near_low else (-np.inf, 0.0)
            ties.impulse[k, 0] = min(max(ties.impulse[k, 0], ties.least[k]), ties.most[k])


@borrowing
def _angle(geometry, axes, j, space):
    """How far the second body lags behind the first about the axis [rad]; the axis itself into space.axes[0]."""
    n, u, v = space.axes[0], space.axes[1], space.axes[2]
    a, b = axes.body[j, 0], axes.body[j, 1]
    for i in range(3):
        n[i], u[i], v[i] = 0.0, 0.0, 0.0
        for l in range(3):
            A = geometry.R[a, i, l] if a >= 0 else space.world[i, l]
            B = geometry.R[b, i, l] if b >= 0 else space.world[i, l]
            n[i] += A * axes.axis[j, l]
            u[i] += B * axes.across[j, 1, l]
            v[i] += A * axes.across[j, 0, l]
    sine = n[0] * (u[1] * v[2] - u[2] * v[1]) + n[1] * (u[2] * v[0] - u[0] * v[2]) + n[2] * (u[0] * v[1] - u[1] * v[0])
    along_u = n[0] * u[0] + n[1] * u[1] + n[2] * u[2]
    along_v = n[0] * v[0] + n[1] * v[1] + n[2] * v[2]
    cosine = u[0] * v[0] + u[1] * v[1] + u[2] * v[2] - along_u * along_v
    return np.arctan2(sine, cosine)


@quick_borrowing
def couple_joints(table, ties, first_tie, joints):
    """T from the rows of the ties of joints, factorised."""
    blocks = joints.T
    for j in range(len(blocks.order)):
        for k in range(blocks.first[j], blocks.first[j + 1]):
            blocks.T[k, :, :] = 0.0
            if blocks.coupled[k]:
                _couple(table, ties, first_tie + blocks.order[blocks.row[k]], first_tie + blocks.order[j], blocks.T[k])
        for i in range(3):
            blocks.T[blocks.first[j], i, i] *= 1 + REDUNDANT
    factor_blocks(blocks)


@quick_borrowing_inlined
def _couple(table, ties, i, l, T):
    """T block of two ties: sum of W_i V_l^T over the bodies that they share."""
    for e in range(ties.start[i], ties.start[i + 1]):
        for f in range(ties.start[l], ties.start[l + 1]):
            if ties.body[e] != ties.body[f]:
                continue
            wide = table.wide[ties.body[e]]
            for a in range(3):
                for c in range(3):
                    total = 0.0
                    for s in range(wide):
                        total += ties.W[ties.at[e] + a * wide + s] * ties.V[ties.at[f] + c * wide + s]
                    T[a, c] += total


@borrowing
def solve_joints(joints):
    """f <- T^-1 f."""
    solve_blocks(joints.T, joints.f)


@borrowing
def gaps_of(table, state, joints, y, dt):
    """f = -(x_a - x_b)/dt at the end of the step; the largest gap [m]."""
    most, scale = 0.0, -1 / dt
    for j in range(len(joints.body)):
        _joint_places(table, state, joints, j, y, dt)
        square = 0.0
        for i in range(3):
            d = joints.x[0, i] - joints.x[1, i]
            joints.f[3 * j + i] = scale * d
            square += d * d
        joints.gap[j] = np.sqrt(square)
        most = max(most, joints.gap[j])
    return most


def no_joints() -> JointTable:
    """None."""
    return joint_table([], np.zeros((0, 3)), [], 1.0)


def joint_table(sides: list[tuple[int, Array, Array]], impulses: Array, islands: list[int], size: float) -> JointTable:
    """Joints from sides in pairs (body or -1, X (3,), S (3, r)); `islands`: how many points each has, in a row."""
    k = len(sides) // 2
    sizes = [S.size for _, _, S in sides]
    at = np.cumsum([0, *sizes])[:-1].astype(np.int64)
    return JointTable(
        np.array([b for b, _, _ in sides], dtype=np.int64).reshape(k, 2),
        np.array([X for _, X, _ in sides], dtype=np.float64).reshape(k, 2, 3),
        at.reshape(k, 2),
        np.concatenate([S.ravel() for _, _, S in sides] or [np.zeros(0)]),
        impulses,
        np.zeros((k, 3)),
        np.zeros(k),
        np.zeros((2, 3)),
        np.zeros((3, 3)),
        elimination(k, _sharing(sides, islands)),
        np.zeros(3 * k),
        size,
        np.zeros((k, 2), np.int64),
        np.zeros((k, 2, 3)),
        np.zeros((2, k, 3)),
        np.zeros((k, 3)),
    )


def _sharing(sides: list[tuple[int, Array, Array]], islands: list[int]) -> list[tuple[int, int]]:
    """Pairs of points of the same island that share a body."""
    numbers = np.repeat(np.arange(len(islands)), islands)
    on: dict[tuple[int, int], list[int]] = {}
    for k in range(len(sides) // 2):
        for body in {sides[2 * k][0], sides[2 * k + 1][0]} - {-1}:
            on.setdefault((int(numbers[k]), body), []).append(k)
    return [(a, b) for points in on.values() for n, a in enumerate(points) for b in points[:n]]


def axis_table(rows: list[tuple[Any, ...]], angles: Array, impulses: Array) -> AxisTable:
    """Axes from rows (body, body, axis, across, across of the other, speed, torque, low, high); angles (k,) so far."""
    k = len(rows)
    columns = list(zip(*rows)) if rows else [()] * 9
    speed, torque, low, high = (np.array(column, dtype=np.float64) for column in columns[5:])
    return AxisTable(
        np.array([row[:2] for row in rows], dtype=np.int64).reshape(k, 2),
        np.array(columns[2], dtype=np.float64).reshape(k, 3),
        np.array([row[3:5] for row in rows], dtype=np.float64).reshape(k, 2, 3),
        speed,
        torque,
        low,
        high,
        angles,
        impulses,
    )
