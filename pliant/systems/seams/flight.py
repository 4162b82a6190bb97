"""A step of a free body by the midpoint rule: the acceleration of its coordinates and that of its spin, both at once.

    A a = f - K (q + dt/2 v) - C v + J^T (forces of the spin),   A = M + dt/2 C + dt^2/4 K
    q += dt v + dt^2/2 a,   v += dt a,   t += dt V_m,   P += dt F,   L += dt tau,   R <- exp(dt spin_m) R

The forces of the spin (`middle`) depend on a by dt times the spin, and sweeps find it: no difference quotient of the
spin lags behind, which would feed vibrations. The rule is symmetric in time, and keeps energy but for a swing of second
order in dt.
"""

from typing import NamedTuple

import numpy as np
from numba import njit

from pliant.errors import Array
from pliant.numerics import rotation_from_quaternion_into
from pliant.numerics.merging import merged
from pliant.systems.free_frame import advance, turn
from pliant.systems.seams.free_holds import (
    answer_holds,
    correct_holds,
    load_holds,
    measure_holds,
    power_of_holds,
    wrench_of_holds,
)
from pliant.systems.seams.loads import add_outer_loads
from pliant.systems.seams.middle import (
    Middle,
    find_turning,
    halfway,
    measure_middle,
    middle_workspace,
    spin_forces,
)
from pliant.systems.seams.rigid_motion import remove_rigid
from pliant.systems.seams.rigid_rows import find_rigid_rows
from pliant.systems.seams.solver import add_forces, solve_arrow
from pliant.systems.system_points import SystemPoints, act_as_warped, move

CLOSE = 1e-8  # change of a in the last sweep, against the motion that is there
STILL = 1e-4  # of q a step: the motion of a shape that stands still, which rounding must not keep from converging
MOST = 40  # sweeps; then there is no solution


class Flight(NamedTuple):
    """What steps of a free body keep and reuse.

    Attributes:
        G: (3, size) of a step in which something is held; centre: (3, size) what the centre of mass then moves by.
        lanes: work space of these, eight for each chained coordinate.
    """

    middle: Middle
    G: Array
    centre: Array
    lanes: Array


def flight_workspace(masses: SystemPoints, size: int) -> Flight:
    """For these mass points and so many coordinates."""
    lanes = np.zeros(8 * len(masses.ids))
    return Flight(middle_workspace(len(masses.measure)), np.zeros((3, size)), np.zeros((3, size)), lanes)


@merged
def fly(arrow, factors, loads, holds, rigid, frame, ahead, shape, flight, workspace, time, q, v, a):
    """workspace.q, .v, .a and `ahead` at the end of a step; False where there is no solution.

    shape.u, .w, .du, .dw are moved along; flight.middle.ddu and .ddw are those of `a`, and of workspace.a afterwards.
    """
    dt, middle, masses, mass = factors.dt, flight.middle, loads.masses, rigid.mass
    x, load, base, outer = workspace.a, workspace.load, workspace.base, workspace.outer
    for j in range(len(q)):
        x[j], outer[j] = a[j], 0.0
    _measure(masses, shape, middle, mass, dt)
    _guess(frame, ahead, middle, mass, loads.gravity, dt)
    _advance_half(dt, q, v, x, workspace.q)
    add_outer_loads(loads, ahead, shape, time + dt, workspace.q, outer)
    for i in range(3):
        frame.force[i], frame.torque[i] = ahead.force[i], ahead.torque[i]
    for j in range(len(q)):
        workspace.q[j], base[j] = q[j] + 0.5 * dt * v[j], outer[j]
    add_forces(arrow, factors.alpha, factors.beta, workspace.q, v, -1.0, base)
    held = len(holds.constraints.G) > 0
    if held:
        measure_holds(holds, dt, q, v, x)
        _linearise(arrow, factors, masses, holds, rigid, flight)
    for sweep in range(MOST):
        if sweep:
            move(masses, x, middle.ddu, middle.ddw)
            _measure(masses, shape, middle, mass, dt)
            if held:
                measure_holds(holds, dt, q, v, x)
        wrench_of_holds(holds, frame, ahead, middle)
        find_turning(frame, ahead, middle, mass, dt)
        spin_forces(masses, middle)
        for j in range(len(q)):
            load[j] = base[j]
        act_as_warped(masses, middle.Rt, middle.D, middle.forces, load)
        load_holds(holds, load)
        remove_rigid(rigid.B, rigid.Q, load)
        solve_arrow(arrow, factors, load)
        for j in range(len(q)):
            load[j] -= x[j]
        if held:
            correct_holds(holds, frame, ahead, middle, loads.gravity, mass, dt, q, v, x, load)
        change, size = 0.0, 0.0
        for j in range(len(q)):
            x[j] += load[j]
            change = max(change, dt * abs(load[j]))
            size = max(size, dt * abs(x[j]), abs(v[j]), STILL * abs(q[j]) / dt)
        if not change < np.inf:
            return False
        if change <= CLOSE * size:
            _finish(masses, rigid, frame, ahead, shape, middle, mass, loads.gravity, dt, workspace, q, v)
            return True
    return False


@njit(cache=True, nogil=True)
def _measure(masses, shape, middle, mass, dt):
    halfway(shape.u, shape.du, middle.ddu, dt, middle.u, middle.du)
    halfway(shape.w, shape.dw, middle.ddw, dt, middle.w, middle.dw)
    measure_middle(masses, middle, mass)


@njit(cache=True, nogil=True)
def _guess(frame, ahead, middle, mass, gravity, dt):
    """Where the body will be in the middle of the step, for outer loads: by its spin of the step before."""
    turn(frame.free, ahead.free, 0.5 * dt * middle.turn)
    R = ahead.axes[:3]
    rotation_from_quaternion_into(R, ahead.free.Q)
    for i in range(3):
        ahead.free.t[i] = frame.free.t[i] + 0.5 * dt * (frame.free.P[i] / mass + 0.5 * dt * gravity[i])
        ahead.axes[3, i] = ahead.free.t[i]
        for j in range(3):
            ahead.axes[3, i] -= R[i, j] * middle.centre[0, j]


@njit(cache=True, nogil=True)
def _advance_half(dt, q, v, a, out):
    for j in range(len(q)):
        out[j] = q[j] + 0.5 * dt * v[j] + 0.25 * dt * dt * a[j]


@merged
def _linearise(arrow, factors, masses, holds, rigid, flight):
    """G of the present middle, and the answers of holds."""
    middle = flight.middle
    find_rigid_rows(masses, middle, rigid, flight.lanes, flight.G, flight.centre)
    answer_holds(holds, middle, flight.G, flight.centre, rigid)
    for row in range(len(holds.constraints.G)):
        Y = holds.constraints.work.Y[row]
        for j in range(len(Y)):
            Y[j] = holds.constraints.G[row, j]
        solve_arrow(arrow, factors, Y)


@merged
def _finish(masses, rigid, frame, ahead, shape, middle, mass, gravity, dt, workspace, q, v):
    """The state at the end of the step, and the points with it."""
    x, total = workspace.a, np.empty(3)
    remove_rigid(rigid.Q, rigid.B, x)
    for j in range(len(q)):
        workspace.q[j] = q[j] + dt * v[j] + 0.5 * dt * dt * x[j]
        workspace.v[j] = v[j] + dt * x[j]
    move(masses, x, middle.ddu, middle.ddw)
    for p in range(len(shape.u)):
        for i in range(3):
            shape.u[p, i] += dt * shape.du[p, i] + 0.5 * dt * dt * middle.ddu[p, i]
            shape.w[p, i] += dt * shape.dw[p, i] + 0.5 * dt * dt * middle.ddw[p, i]
            shape.du[p, i] += dt * middle.ddu[p, i]
            shape.dw[p, i] += dt * middle.ddw[p, i]
    for i in range(3):
        total[i] = ahead.force[i] + mass * gravity[i]
    advance(frame.free, ahead.free, total, ahead.torque, mass, dt)
    turn(frame.free, ahead.free, dt * middle.turn)


@njit(cache=True, nogil=True)
def work_of(holds, flight, ahead, workspace, gravity, mass, dt, q, v):
    """What all that acted in a step has done [J]: F.V + tau.o on the frame, and f.v on the shape, in the middle."""
    middle, work = flight.middle, 0.0
    for i in range(3):
        # P of `ahead` is that of the end of the step.
        speed = ahead.free.P[i] / mass - 0.5 * dt * (ahead.force[i] / mass + gravity[i])
        work += (ahead.force[i] + mass * gravity[i]) * speed + ahead.torque[i] * middle.turn[i]
        work -= mass * middle.lift[i] * middle.centre[1, i]
    for j in range(len(q)):
        work += workspace.outer[j] * (v[j] + 0.5 * dt * workspace.a[j])
    return dt * (work + power_of_holds(holds, dt, v, workspace.a))
