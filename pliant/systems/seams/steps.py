"""Compiled steps of seams: Newmark under outer loads, constraints, and the frame of a free body."""

from typing import NamedTuple

import numpy as np
from numba import njit

from pliant.errors import Array
from pliant.skin.point_kernels import TURNED
from pliant.systems.free_frame import spin_of
from pliant.systems.seams.frame import find_spin, measure_shape, move_frame, spin_forces, take_frame
from pliant.systems.seams.held_rows import apply_holds, measure_holds
from pliant.systems.seams.loads import add_holding_forces, add_outer_loads
from pliant.systems.seams.points import add_loads
from pliant.systems.seams.solver import add_forces, correct, predict, solve_arrow

SWEEPS = 3  # of a free step: the error of the spin's forces shrinks by spin dt each time


class Workspace(NamedTuple):
    """Work space of a step: the next q, v, a (size,), outer and all loads (size,)."""

    q: Array
    v: Array
    a: Array
    outer: Array
    load: Array


class RigidMotion(NamedTuple):
    """Of a free body: Q (size, 6), B = M Q (Q^T M Q)^-1 (size, 6), and its mass; no columns where it is held."""

    Q: Array
    B: Array
    mass: float


@njit(cache=True, nogil=True)
def seams_steps(arrow, factors, loads, holds, rigid, frame, ahead, shape, workspace, limit, time, q, v, a, count):
    """`count` steps in place; returns how many were taken, fewer where a state is not finite or beyond `limit`.

    Args:
        frame, ahead: of a free body now, and room for the end of the step.
    """
    free, dt = rigid.Q.shape[1] > 0, factors.dt
    if free:
        measure_shape(loads.masses, q, v, shape)
        find_spin(frame, shape, rigid.mass)
    for step in range(count):
        if free:
            _find_fall(frame, shape, loads.gravity)
        if len(holds.constraints.G):
            measure_holds(holds, frame.axes, frame.drift, dt, q, v, a)
        _fill(workspace.outer)
        add_outer_loads(loads, frame, shape, time + (step + 1) * dt, q, workspace.outer)
        if free:
            _fly(arrow, factors, loads, holds, rigid, frame, ahead, shape, workspace, q, v, a)
        else:
            _accelerate(arrow, factors, holds, rigid, workspace.outer, workspace, q, v, a)
        if not _within(limit, workspace.q):
            return step
        _copy(workspace.q, q)
        _copy(workspace.v, v)
        _copy(workspace.a, a)
        if free:
            take_frame(ahead, frame)
    return count


@njit(cache=True, nogil=True)
def _fly(arrow, factors, loads, holds, rigid, frame, ahead, shape, workspace, q, v, a):
    """A step of a free body: `workspace` and `ahead` at its end.

    The forces of the spin are those at the end of the step, found by sweeps: lagging ones would feed the vibration,
    while taken like this they do no work, as nature has it.
    """
    dt = factors.dt
    take_frame(frame, ahead)
    for _ in range(SWEEPS):
        _fill(workspace.load)
        spin_forces(loads.masses, ahead.drift, shape)
        # Inertia goes with the rotated displacement, whatever the loads do.
        add_loads(loads.masses, shape.u, shape.w, shape.forces, TURNED, workspace.load)
        # They turn nothing in the world: constraints must not count on a rigid answer to them.
        _remove_rigid(rigid.B, rigid.Q, workspace.load)
        _add(workspace.outer, workspace.load)
        _accelerate(arrow, factors, holds, rigid, workspace.load, workspace, q, v, a)
        add_holding_forces(holds, frame, ahead)
        measure_shape(loads.masses, workspace.q, workspace.v, shape)
        move_frame(frame, ahead, shape, rigid.mass, loads.gravity, dt)


@njit(cache=True, nogil=True)
def _accelerate(arrow, factors, holds, rigid, load, workspace, q, v, a):
    """room.q, .v, .a at the end of a step from q, v, a under a load."""
    _copy(q, workspace.q)
    _copy(v, workspace.v)
    _copy(load, workspace.a)
    predict(factors.dt, workspace.q, workspace.v, a)
    add_forces(arrow, factors.alpha, factors.beta, workspace.q, workspace.v, -1.0, workspace.a)
    solve_arrow(arrow, factors, workspace.a)
    if len(holds.constraints.G):
        apply_holds(holds, workspace.a)
    _remove_rigid(rigid.Q, rigid.B, workspace.a)
    correct(factors.dt, workspace.q, workspace.v, workspace.a)


@njit(cache=True, nogil=True)
def _find_fall(frame, shape, gravity):
    """frame.drift[5:] = R^T g - o x v, -I^-1 (o x R^T L): rates, in its own axes, of a free body that nothing holds."""
    v, o = frame.drift[0], frame.drift[1]
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        frame.drift[5, i] = o[k] * v[j] - o[j] * v[k]
        for n in range(3):
            frame.drift[5, i] += frame.axes[n, i] * gravity[n]
    L, twist = frame.free.L, np.empty(3)
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        L_j = frame.axes[0, j] * L[0] + frame.axes[1, j] * L[1] + frame.axes[2, j] * L[2]
        L_k = frame.axes[0, k] * L[0] + frame.axes[1, k] * L[1] + frame.axes[2, k] * L[2]
        twist[i] = o[j] * L_k - o[k] * L_j
    # spin_of gives I^-1 (R^T L - G): with L = 0 and G the twist, what is wanted.
    spin_of(shape.I, frame.axes[:3], np.zeros(3), twist, frame.drift[6])


@njit(cache=True, nogil=True)
def _fill(x):
    for j in range(len(x)):
        x[j] = 0.0


@njit(cache=True, nogil=True)
def _copy(x, out):
    for j in range(len(x)):
        out[j] = x[j]


@njit(cache=True, nogil=True)
def _within(limit, q):
    total = 0.0
    for j in range(len(q)):
        total += q[j] * q[j]
    return total < limit * limit


@njit(cache=True, nogil=True)
def _add(x, out):
    for j in range(len(x)):
        out[j] += x[j]


@njit(cache=True, nogil=True)
def _remove_rigid(Q, B, x):
    """x -= Q B^T x, where B^T Q = 1: the frame carries the rigid motion. Loads are dual, x -= B Q^T x."""
    for k in range(Q.shape[1]):
        total = 0.0
        for j in range(len(x)):
            total += B[j, k] * x[j]
        for j in range(len(x)):
            x[j] -= Q[j, k] * total
