"""Held vertices of a tree, inside its step: the constraint forces act on the way from their limbs to the root.

After `climb` the columns of unit forces give T and what the step would do to the points; the forces then go into the
sums that `descend` reads. All of it costs as much as the limbs on these ways, not as the tree.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numba import njit

from pliant.errors import Array, Ids
from pliant.numerics import cholesky, cholesky_solve
from pliant.skin import Points
from pliant.skin.rows import times_rows
from pliant.systems.constraints import DEPENDENT, feedback
from pliant.systems.holding import Hold
from pliant.systems.tree.answering import Lineage, climb_column, descend_column, lineage
from pliant.systems.tree.frames import FRAME, PULL, SPEED, SPIN
from pliant.systems.tree.limb_points import LimbPoints, limb_points, read_limbs
from pliant.systems.tree.packs import Layout


class HeldLimbs(NamedTuple):
    """Held vertices of a tree, their constraints and work space.

    Attributes:
        points: the vertices, their limbs counted in `lines`.
        lines: the limbs and their ancestors.
        targets, rates: (3k,) [m], [1/s]. limits: (k,) the largest forces [N].
        memory: (3k,) accelerations that the last step gave to the points; state. wanted: of this one.
        forces: (3k,) [N].
        y, pulls: (3k, sum r) and (3k, m, 6) columns. free: (sum r,), (m, 6) what the step does without the forces.
        T: (3k, 3k). x: (k, 3).
        x_start, forces_start: as the step began. memories: (2, 3k) those of the start of the step, of a good state.
    """

    points: LimbPoints
    lines: Lineage
    targets: Array
    rates: Array
    limits: Array
    memory: Array
    wanted: Array
    forces: Array
    y: Array
    pulls: Array
    y_free: Array
    pulls_free: Array
    T: Array
    x: Array
    x_start: Array
    forces_start: Array
    memories: Array


def held_limbs(
    layout: Layout, parents: Ids, scales: Array, points: Sequence[Points], holds: Sequence[Hold], memory: Array
) -> HeldLimbs:
    """The holds of a tree; `points` one a hold, `memory` (k, 3)."""
    used = np.unique(np.concatenate([np.empty(0, np.int64), *(each.frames for each in points)]))
    lines = lineage(layout, parents, used if len(used) else np.zeros(1, np.int64))
    k, c, m, total = len(holds), 3 * len(holds), len(lines.limbs), int(lines.at[-1])
    shapes = [(c,), (c,), (c, total), (c, m, 6), (total,), (m, 6), (c, c), (k, 3), (k, 3), (c,), (2, c)]
    held = HeldLimbs(
        limb_points(layout, scales, points, lines.limbs),
        lines,
        np.concatenate([np.empty(0), *(hold.target for hold in holds)]),
        np.repeat(np.array([hold.rate for hold in holds], dtype=float), 3),
        np.array([hold.limit for hold in holds], dtype=float),
        memory.ravel().copy(),
        *map(np.zeros, shapes),
    )
    held.memories[:] = held.memory
    return held


@njit(cache=True, nogil=True)
def want_limbs(held, motion, scratch, dt):
    """What the accelerations of the points shall be, from the state at the start of the step."""
    points, x, xd = held.points, held.x, np.empty(3)
    read_limbs(points, motion, scratch)
    for k in range(len(x)):
        xd[:] = 0.0
        x[k] = 0.0
        for e in range(points.start[k], points.start[k + 1]):
            _add_motion(points, scratch, e, x[k], xd)
        for i in range(3):
            row = 3 * k + i
            gap = x[k, i] - held.targets[row]
            held.wanted[row] = feedback(gap, xd[i], held.memory[row], held.rates[row], dt)
    held.x_start[:], held.forces_start[:], held.memories[0] = x, held.forces, held.memory


@njit(cache=True, nogil=True)
def forget_step(held):
    """As if the step had not been taken."""
    held.forces[:], held.memory[:] = held.forces_start, held.memories[0]


@njit(cache=True, nogil=True)
def keep_memory(held):
    """What goes with a good state."""
    held.memories[1] = held.memory


@njit(cache=True, nogil=True)
def hand_work(held, motion, scratch):
    """What the hands did in a step [J]: the mean of their forces at its ends, times the way of their points."""
    points, work = held.points, 0.0
    x, nothing = np.empty(3), np.empty(3)
    read_limbs(points, motion, scratch)
    for k in range(len(held.x)):
        x[:] = 0.0
        for e in range(points.start[k], points.start[k + 1]):
            _add_motion(points, scratch, e, x, nothing)
        for i in range(3):
            row = 3 * k + i
            work += 0.5 * (held.forces[row] + held.forces_start[row]) * (x[i] - held.x_start[k, i])
    return work


@njit(cache=True, nogil=True)
def _add_motion(points, scratch, e, x, xd):
    """x += weight (R y + t),  x' += weight R (v + w x y + y')."""
    slot, share = points.slot[e], points.weight[e]
    place, R = points.place[slot], points.R[slot]
    frame = 8 * FRAME * (place // 8) + place % 8
    y, rate, speed = np.empty(3), np.empty(3), np.empty(3)
    y[0], y[1], y[2] = times_rows(points.U, points.rows[e], points.size[slot], points.q, points.at[slot])
    rate[0], rate[1], rate[2] = times_rows(points.U, points.rows[e], points.size[slot], points.v, points.at[slot])
    for i in range(3):
        y[i] += points.X[e, i]
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        w_j, w_k = scratch.frames[frame + SPIN + 8 * j], scratch.frames[frame + SPIN + 8 * k]
        speed[i] = scratch.frames[frame + SPEED + 8 * i] + w_j * y[k] - w_k * y[j] + rate[i]
    for i in range(3):
        x[i] += share * (R[i, 0] * y[0] + R[i, 1] * y[1] + R[i, 2] * y[2] + points.t[slot, i])
        xd[i] += share * (R[i, 0] * speed[0] + R[i, 1] * speed[1] + R[i, 2] * speed[2])


@njit(cache=True, nogil=True)
def hold_limbs(held, packs, motion, scratch, sums, root_inverse, free, force, torque, centre):
    """Find the forces and put them into sums.y and sums.bias, and into the outside force and torque about the centre.

    Args:
        root_inverse: (6, 6) of the articulated inertia of a free root.
    """
    points, lines, c = held.points, held.lines, len(held.forces)
    read_limbs(points, motion, scratch)
    _add_columns(held, packs, scratch, sums)
    _predict(held, packs, scratch, sums, root_inverse, free)
    for row in range(c):
        held.forces[row] = held.wanted[row] - held.forces[row]
        for column in range(row, c):
            total = 0.0
            for j in range(held.y.shape[1]):
                total += held.y[row, j] * held.y[column, j]
            if free:
                for i in range(6):
                    for j in range(6):
                        total += held.pulls[row, 0, i] * root_inverse[i, j] * held.pulls[column, 0, j]
            held.T[row, column] = total
        held.T[row, row] *= 1 + DEPENDENT
    if not cholesky(held.T):
        held.forces[:] = 0.0
        return
    cholesky_solve(held.T, held.forces)
    _limit(held)
    for row in range(c):
        for slot in range(len(lines.place)):
            start = packs.vector_at[lines.place[slot] // 8] + lines.place[slot] % 8
            for i in range(lines.size[slot]):
                sums.y[start + 8 * i] += held.forces[row] * held.y[row, lines.at[slot] + i]
        for lane in range(8):
            for i in range(6):
                sums.bias[8 * i + lane] += held.forces[row] * held.pulls[row, 0, i]
    for k in range(len(held.x)):
        for i in range(3):
            j, m = (i + 1) % 3, (i + 2) % 3
            force[i] += held.forces[3 * k + i]
            torque[i] += (held.x[k, j] - centre[j]) * held.forces[3 * k + m]
            torque[i] -= (held.x[k, m] - centre[m]) * held.forces[3 * k + j]


@njit(cache=True, nogil=True)
def _limit(held):
    """Forces within their limits."""
    for k in range(len(held.limits)):
        square = 0.0
        for row in range(3 * k, 3 * k + 3):
            square += held.forces[row] ** 2
        if square > held.limits[k] ** 2:
            for row in range(3 * k, 3 * k + 3):
                held.forces[row] *= held.limits[k] / np.sqrt(square)


@njit(cache=True, nogil=True)
def remember(held, motion, scratch):
    """The accelerations that a step gave to the points: those that were wanted, but for limits and what bends."""
    points, pulls = held.points, held.pulls_free
    read_limbs(points, motion, scratch)
    for slot in range(len(points.place)):
        frame = 8 * FRAME * (points.place[slot] // 8) + points.place[slot] % 8
        for i in range(6):
            pulls[slot, i] = scratch.frames[frame + PULL + 8 * i]
        for k in range(points.at[slot], points.at[slot + 1]):
            held.y_free[k] = motion.a[points.ids[k]]
    held.memory[:] = 0.0
    for k in range(len(held.x)):
        for e in range(points.start[k], points.start[k + 1]):
            _add_acceleration(held, scratch, e, held.memory[3 * k : 3 * k + 3])


@njit(cache=True, nogil=True)
def are_met(held):
    """Did the points get the accelerations that were wanted, but for a hundredth, or what a thousandth of a force does?

    Forces at their limit do what they can.
    """
    for k in range(len(held.limits)):
        error, wanted, force, answer = 0.0, 0.0, 0.0, 0.0
        for row in range(3 * k, 3 * k + 3):
            error += (held.memory[row] - held.wanted[row]) ** 2
            wanted += held.wanted[row] ** 2
            force += held.forces[row] ** 2
            answer = max(answer, held.T[row, row] ** 2)
        allowed = 0.01 * np.sqrt(wanted) + 1e-3 * answer * np.sqrt(force) + 1e-9
        if error > allowed**2 and force < (1 - 1e-9) * held.limits[k] ** 2:
            return False
    return True


@njit(cache=True, nogil=True)
def _add_columns(held, packs, scratch, sums):
    """The columns of unit forces on the points along the axes of the world."""
    points = held.points
    held.y[:], held.pulls[:], held.x[:] = 0.0, 0.0, 0.0
    nothing = np.empty(3)
    for k in range(len(held.x)):
        for e in range(points.start[k], points.start[k + 1]):
            _add_motion(points, scratch, e, held.x[k], nothing)
            for axis in range(3):
                add_unit(points, e, axis, -1.0, held.y[3 * k + axis], held.pulls[3 * k + axis])
    for row in range(len(held.forces)):
        climb_column(packs, scratch, sums, held.lines, held.y[row], held.pulls[row])


@njit(cache=True, nogil=True)
def add_unit(points, e, axis, sign, reduced, wrench):
    """Add a unit force on an entry along an axis of the world to loads, limb by limb."""
    slot, share = points.slot[e], sign * points.weight[e]
    r, at, R, row = points.size[slot], points.at[slot], points.R[slot], points.rows[e]
    y0, y1, y2 = times_rows(points.U, row, r, points.q, at)
    y0, y1, y2 = y0 + points.X[e, 0], y1 + points.X[e, 1], y2 + points.X[e, 2]
    f0, f1, f2 = share * R[axis, 0], share * R[axis, 1], share * R[axis, 2]
    wrench[slot, 0] += f0
    wrench[slot, 1] += f1
    wrench[slot, 2] += f2
    wrench[slot, 3] += y1 * f2 - y2 * f1
    wrench[slot, 4] += y2 * f0 - y0 * f2
    wrench[slot, 5] += y0 * f1 - y1 * f0
    for l in range(r):
        u = points.U[row + l] * f0 + points.U[row + r + l] * f1 + points.U[row + 2 * r + l] * f2
        reduced[at + l] += points.scale[slot] * u


@njit(cache=True, nogil=True)
def _predict(held, packs, scratch, sums, root_inverse, free):
    """The accelerations of the points in the step without the forces, into held.forces."""
    points, lines, pulls = held.points, held.lines, held.pulls_free
    for slot in range(len(lines.place)):
        start = packs.vector_at[lines.place[slot] // 8] + lines.place[slot] % 8
        for i in range(lines.size[slot]):
            held.y_free[lines.at[slot] + i] = sums.y[start + 8 * i]
    for i in range(6):
        pulls[0, i] = 0.0 if free else scratch.frames[PULL + 8 * i]
        for j in range(6):
            if free:
                pulls[0, i] -= root_inverse[i, j] * sums.bias[8 * j]
    descend_column(packs, scratch, sums, lines, held.y_free, pulls, True)
    held.forces[:] = 0.0
    for k in range(len(held.x)):
        for e in range(points.start[k], points.start[k + 1]):
            _add_acceleration(held, scratch, e, held.forces[3 * k : 3 * k + 3])


@njit(cache=True, nogil=True)
def _add_acceleration(held, scratch, e, out):
    """out += weight R (a + al x y + w x (w x y + 2 y') + y'')."""
    points = held.points
    slot, R = points.slot[e], points.R[points.slot[e]]
    frame, pull = 8 * FRAME * (points.place[slot] // 8) + points.place[slot] % 8, held.pulls_free[slot]
    r, at, row = points.size[slot], points.at[slot], points.rows[e]
    y, rate, a, inner, w = np.empty(3), np.empty(3), np.empty(3), np.empty(3), np.empty(3)
    y[0], y[1], y[2] = times_rows(points.U, row, r, points.q, at)
    rate[0], rate[1], rate[2] = times_rows(points.U, row, r, points.v, at)
    a[0], a[1], a[2] = times_rows(points.U, row, r, held.y_free, held.lines.at[slot])
    for i in range(3):
        y[i] += points.X[e, i]
        w[i] = scratch.frames[frame + SPIN + 8 * i]
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        inner[i] = w[j] * y[k] - w[k] * y[j] + 2 * rate[i]
        a[i] = points.scale[slot] * a[i] + pull[i] + pull[3 + j] * y[k] - pull[3 + k] * y[j]
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        a[i] += w[j] * inner[k] - w[k] * inner[j]
    for i in range(3):
        out[i] += points.weight[e] * (R[i, 0] * a[0] + R[i, 1] * a[1] + R[i, 2] * a[2])
