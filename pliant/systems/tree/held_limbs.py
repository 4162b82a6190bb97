"""Held vertices of a tree, inside its step: the constraint forces act on the way from their limbs to the root.

After `climb` the columns of unit forces give T and what the step would do to the points; the forces then go into the
sums that `descend` reads. All of it costs as much as the limbs on these ways, not as the tree.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numba import njit

from pliant.errors import Array, Ids
from pliant.skin import Points
from pliant.systems.constraints import feedback, meet
from pliant.systems.holding import Hold
from pliant.systems.tree.answering import Lineage, climb_column, descend_column, lineage
from pliant.systems.tree.frames import FRAME, PULL
from pliant.systems.tree.limb_points import (
    LimbPoints,
    accelerate_limbs,
    act_alone,
    limb_points,
    move_limbs,
    place_limbs,
)
from pliant.systems.tree.packs import Layout

UNSEEN = 5e-4  # of the size of a tree
AMISS = 0.03  # of what a hand wants: an error that it may leave
UNSTRAYED = 0.1  # of a distance that nobody sees: how far a held point may stray in one step


class HoldWorkspace(NamedTuple):
    """Attributes:
    wanted, change: (3k,) accelerations that the points shall have, and what forces make them.
    y, pulls: (3k, sum r) and (3k, m, 6) columns. y_free, pulls_free: (sum r,), (m, 6) what moves without the forces.
    T: (3k, 3k).
    x_start, forces_start, memory_start: (k, 3), (3k,), (3k,) as the step began. aims: (k, 3) where it shall end.
    kept: (2, 3k) memory and forces of a good state.
    """

    wanted: Array
    change: Array
    y: Array
    pulls: Array
    y_free: Array
    pulls_free: Array
    T: Array
    x_start: Array
    aims: Array
    forces_start: Array
    memory_start: Array
    kept: Array


class HeldLimbs(NamedTuple):
    """Held vertices of a tree and their constraints.

    Attributes:
        points: the vertices, their limbs those of `lines`.
        lines: the limbs and their ancestors.
        targets, rates: (3k,) [m], [1/s]. limits: (k,) the largest forces [N].
        unseen: a distance that nobody sees [m].
        memory: (3k,) accelerations that the last step gave to the points; state.
        forces: (3k,) [N]; state.
    """

    points: LimbPoints
    lines: Lineage
    targets: Array
    rates: Array
    limits: Array
    unseen: float
    memory: Array
    forces: Array
    work: HoldWorkspace


def held_limbs(
    layout: Layout,
    parents: Ids,
    scales: Array,
    points: Sequence[Points],
    holds: Sequence[Hold],
    size: float,
    forces: Array,
    memory: Array,
) -> HeldLimbs:
    """The holds of a tree of some size [m]; `points` one a hold, `forces` and `memory` as they were (3k,)."""
    used = np.unique(np.concatenate([np.empty(0, np.int64), *(each.frames for each in points)]))
    lines = lineage(layout, parents, used if len(used) else np.zeros(1, np.int64))
    k, c, m, total = len(holds), 3 * len(holds), len(lines.limbs), int(lines.at[-1])
    shapes = [(c,), (c,), (c, total), (c, m, 6), (total,), (m, 6), (c, c), (k, 3), (k, 3), (c,), (c,), (2, c)]
    held = HeldLimbs(
        limb_points(layout, scales, points, lines.limbs),
        lines,
        np.concatenate([np.empty(0), *(hold.target for hold in holds)]),
        np.repeat(np.array([hold.rate for hold in holds], dtype=float), 3),
        np.array([hold.limit for hold in holds], dtype=float),
        UNSEEN * size,
        np.array(memory, dtype=float).ravel(),
        np.array(forces, dtype=float).ravel(),
        HoldWorkspace(*map(np.zeros, shapes)),
    )
    held.work.kept[:] = held.memory, held.forces
    return held


@njit(cache=True, nogil=True)
def want_limbs(held, motion, scratch, dt):
    """What the accelerations of the points shall be, from the state at the start of the step."""
    points, work = held.points, held.work
    move_limbs(points, motion, scratch)
    x, v = points.work.x, points.work.v
    for k in range(len(x)):
        for i in range(3):
            row = 3 * k + i
            gap = x[k, i] - held.targets[row]
            wanted = feedback(gap, v[k, i], held.memory[row], held.rates[row], dt)
            work.wanted[row] = wanted
            work.aims[k, i] = x[k, i] + dt * v[k, i] + 0.25 * dt * dt * (held.memory[row] + wanted)
    work.x_start[:], work.forces_start[:], work.memory_start[:] = x, held.forces, held.memory


@njit(cache=True, nogil=True)
def forget_step(held):
    """As if the step had not been taken."""
    held.forces[:], held.memory[:] = held.work.forces_start, held.work.memory_start


@njit(cache=True, nogil=True)
def keep_memory(held):
    """What goes with a good state."""
    held.work.kept[0], held.work.kept[1] = held.memory, held.forces


@njit(cache=True, nogil=True)
def hand_work(held, motion, scratch):
    """What the hands did in a step [J]: the mean of their forces at its ends, times the way of their points."""
    points, work, total = held.points, held.work, 0.0
    place_limbs(points, motion, scratch)
    x = points.work.x
    for k in range(len(x)):
        for i in range(3):
            row = 3 * k + i
            total += _mean(held, row) * (x[k, i] - work.x_start[k, i])
    return total


@njit(cache=True, nogil=True)
def hold_limbs(held, packs, motion, scratch, sums, root_inverse, free, force, torque, centre):
    """Find the forces and put them into sums.y and sums.bias, and into the outside force and torque about the centre.

    Args:
        root_inverse: (6, 6) of the articulated inertia of a free root.
    """
    points, lines, forces, work = held.points, held.lines, held.forces, held.work
    c, x = len(forces), points.work.x
    move_limbs(points, motion, scratch)
    _add_columns(held, packs, scratch, sums)
    _predict(held, packs, scratch, sums, root_inverse, free)
    for row in range(c):
        work.change[row], forces[row] = work.wanted[row] - points.work.a[row // 3, row % 3], 0.0
        for column in range(row, c):
            total = 0.0
            for j in range(work.y.shape[1]):
                total += work.y[row, j] * work.y[column, j]
            if free:
                for i in range(6):
                    for j in range(6):
                        total += work.pulls[row, 0, i] * root_inverse[i, j] * work.pulls[column, 0, j]
            work.T[row, column] = total
    meet(work.T, work.change, forces, held.limits)
    for row in range(c):
        for slot in range(len(lines.place)):
            start = packs.vector_at[lines.place[slot] // 8] + lines.place[slot] % 8
            for i in range(lines.size[slot]):
                sums.y[start + 8 * i] += forces[row] * work.y[row, lines.at[slot] + i]
        for lane in range(8):
            for i in range(6):
                sums.bias[8 * i + lane] += forces[row] * work.pulls[row, 0, i]
    for k in range(len(x)):
        for i in range(3):
            j, m = (i + 1) % 3, (i + 2) % 3
            force[i] += _mean(held, 3 * k + i)
            torque[i] += (x[k, j] - centre[j]) * _mean(held, 3 * k + m)
            torque[i] -= (x[k, m] - centre[m]) * _mean(held, 3 * k + j)


@njit(cache=True, nogil=True)
def _mean(held, row):
    """A force over the step: the trapezoidal rule, as accelerations are summed."""
    return 0.5 * (held.forces[row] + held.work.forces_start[row])


@njit(cache=True, nogil=True)
def remember(held, motion, scratch):
    """The accelerations that a step gave to the points: those that were wanted, but for limits and what bends."""
    points, pulls, second = held.points, held.work.pulls_free, held.work.y_free
    move_limbs(points, motion, scratch)
    for slot in range(len(points.place)):
        frame = 8 * FRAME * (points.place[slot] // 8) + points.place[slot] % 8
        for i in range(6):
            pulls[slot, i] = scratch.frames[frame + PULL + 8 * i]
    for k in range(len(second)):
        second[k] = motion.a[points.tables.chain[k]]
    accelerate_limbs(points, second, pulls)
    for row in range(len(held.memory)):
        held.memory[row] = points.work.a[row // 3, row % 3]


@njit(cache=True, nogil=True)
def are_met(held):
    """Did the points get the accelerations that were wanted, and go where these lead, but for 3 % or what is unseen?

    An error e that stays shifts a held point by e / om^2. A point that strays in every step does work that no hand
    means. Forces at their limit do what they can.
    """
    work, x = held.work, held.points.work.x
    for k in range(len(held.limits)):
        error, wanted, strayed, way, force = 0.0, 0.0, 0.0, 0.0, 0.0
        for i in range(3):
            row = 3 * k + i
            error += (held.memory[row] - work.wanted[row]) ** 2
            wanted += work.wanted[row] ** 2
            strayed += (x[k, i] - work.aims[k, i]) ** 2
            way += (work.aims[k, i] - work.x_start[k, i]) ** 2
            force += held.forces[row] ** 2
        allowed = AMISS * np.sqrt(wanted) + held.unseen * held.rates[3 * k] ** 2
        near = AMISS * np.sqrt(way) + UNSTRAYED * held.unseen
        if (error > allowed**2 or strayed > near**2) and force < (1 - 1e-9) * held.limits[k] ** 2:
            return False
    return True


@njit(cache=True, nogil=True)
def _add_columns(held, packs, scratch, sums):
    """The columns of unit forces on the points along the axes of the world."""
    work = held.work
    work.y[:], work.pulls[:] = 0.0, 0.0
    for row in range(len(held.forces)):
        act_alone(held.points, row, -1.0, work.y[row], work.pulls[row])
        climb_column(packs, scratch, sums, held.lines, work.y[row], work.pulls[row])


@njit(cache=True, nogil=True)
def _predict(held, packs, scratch, sums, root_inverse, free):
    """The accelerations of the points in the step without the forces, into points.work.a."""
    lines, y, pulls = held.lines, held.work.y_free, held.work.pulls_free
    for slot in range(len(lines.place)):
        start = packs.vector_at[lines.place[slot] // 8] + lines.place[slot] % 8
        for i in range(lines.size[slot]):
            y[lines.at[slot] + i] = sums.y[start + 8 * i]
    for i in range(6):
        pulls[0, i] = 0.0 if free else scratch.frames[PULL + 8 * i]
        for j in range(6):
            if free:
                pulls[0, i] -= root_inverse[i, j] * sums.bias[8 * j]
    descend_column(packs, scratch, sums, lines, y, pulls, True)
    accelerate_limbs(held.points, y, pulls)
