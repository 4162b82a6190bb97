"""Compiled steps of seams: Newmark under outer loads, constraints, and the frame of a free body."""

from typing import NamedTuple

from numba import njit

from pliant.errors import Array
from pliant.systems.seams.constraints import apply_holds, measure_holds
from pliant.systems.seams.frame import find_spin, measure_shape, move_frame, spin_forces, take_frame
from pliant.systems.seams.loads import add_holding_forces, add_outer_loads
from pliant.systems.seams.points import PROJECTIONS, add_loads
from pliant.systems.seams.solver import add_forces, correct, predict, solve_arrow

TURNED = PROJECTIONS.index("R")  # inertia goes with the rotated displacement, whatever the loads do
SWEEPS = 3  # of a free step: the error of the spin's forces shrinks by spin dt each time


class Room(NamedTuple):
    """Work space of a step: the next q, v, a (size,), outer and all loads (size,), and coordinates of a group."""

    q: Array
    v: Array
    a: Array
    outer: Array
    load: Array
    z: Array


class Rigid(NamedTuple):
    """Of a free body: Q (size, 6), B = M Q (Q^T M Q)^-1 (size, 6), and its mass; no columns where it is held."""

    Q: Array
    B: Array
    mass: float


@njit(cache=True, nogil=True)
def seams_steps(arrow, factors, loads, holds, rigid, frame, ahead, shape, room, limit, time, q, v, a, count):
    """`count` steps in place; returns how many were taken, fewer where a state is not finite or beyond `limit`.

    Args:
        frame, ahead: of a free body now, and room for the end of the step.
    """
    free, dt = rigid.Q.shape[1] > 0, factors.dt
    if free:
        measure_shape(loads.masses, q, v, room.z, shape)
        find_spin(frame, shape, rigid.mass)
    for step in range(count):
        if len(holds.G):
            measure_holds(holds, frame.axes, frame.drift, dt, q, v, a)
        _fill(room.outer)
        add_outer_loads(loads, frame, shape, room.z, time + step * dt, q, room.outer)
        if free:
            _turn_gravity(frame, loads.gravity)
            _fly(arrow, factors, loads, holds, rigid, frame, ahead, shape, room, q, v, a)
        else:
            _accelerate(arrow, factors, holds, rigid, frame.drift, room.outer, room, q, v, a)
        if not _within(limit, room.q):
            return step
        _copy(room.q, q)
        _copy(room.v, v)
        _copy(room.a, a)
        if free:
            take_frame(ahead, frame)
    return count


@njit(cache=True, nogil=True)
def _fly(arrow, factors, loads, holds, rigid, frame, ahead, shape, room, q, v, a):
    """A step of a free body: room and `ahead` at its end.

    The forces of the spin are those at the end of the step, found by sweeps: lagging ones would feed the vibration,
    while taken like this they do no work, as nature has it.
    """
    dt = factors.dt
    take_frame(frame, ahead)
    for _ in range(SWEEPS):
        _copy(room.outer, room.load)
        spin_forces(loads.masses, ahead.drift, shape)
        add_loads(loads.masses, shape.u, shape.w, shape.forces, TURNED, room.z, room.load)
        _accelerate(arrow, factors, holds, rigid, frame.drift, room.load, room, q, v, a)
        add_holding_forces(holds, frame, ahead)
        measure_shape(loads.masses, room.q, room.v, room.z, shape)
        move_frame(frame, ahead, shape, rigid.mass, loads.gravity, dt)


@njit(cache=True, nogil=True)
def _accelerate(arrow, factors, holds, rigid, drift, load, room, q, v, a):
    """room.q, .v, .a at the end of a step from q, v, a under a load."""
    _copy(q, room.q)
    _copy(v, room.v)
    _copy(load, room.a)
    predict(factors.dt, room.q, room.v, a)
    add_forces(arrow, factors.alpha, factors.beta, room.q, room.v, -1.0, room.a)
    solve_arrow(arrow, factors, room.a)
    if len(holds.G):
        apply_holds(holds, drift[5], room.a)
    _remove_rigid(rigid, room.a)
    correct(factors.dt, room.q, room.v, room.a)


@njit(cache=True, nogil=True)
def _turn_gravity(frame, gravity):
    """Gravity in the body's axes, which a free body feels only where it is held."""
    for i in range(3):
        frame.drift[5, i] = 0.0
        for j in range(3):
            frame.drift[5, i] += frame.axes[j, i] * gravity[j]


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
def _remove_rigid(rigid, a):
    """a -= Q B^T a: the frame carries the rigid motion."""
    for k in range(rigid.Q.shape[1]):
        total = 0.0
        for j in range(len(a)):
            total += rigid.B[j, k] * a[j]
        for j in range(len(a)):
            a[j] -= rigid.Q[j, k] * total
