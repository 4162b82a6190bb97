"""Compiled steps of seams: Newmark under outer loads and constraints where they stand, `fly` where they are free."""

from typing import NamedTuple

from numba import njit

from pliant.errors import Array
from pliant.numerics.merging import merged
from pliant.systems.energy_watch import add_work
from pliant.systems.seams.flight import fly, work_of
from pliant.systems.seams.frame import find_spin, measure_shape, take_frame
from pliant.systems.seams.held_rows import apply_holds, measure_holds
from pliant.systems.seams.loads import add_outer_loads
from pliant.systems.seams.solver import add_forces, correct, predict, solve_arrow
from pliant.systems.seams.standing import (
    FLOWN,
    LOST,
    SINCE,
    UNEXPLAINED,
    count_step,
    end_call,
    look_again,
    resume_standing,
)
from pliant.systems.seams.watched import CHECKED, passes, resume
from pliant.systems.system_points import move


class Workspace(NamedTuple):
    """Work space of a step: the next q, v, a (size,), outer loads, those that sweeps find, and others (size,)."""

    q: Array
    v: Array
    a: Array
    outer: Array
    load: Array
    base: Array


@njit(cache=True, nogil=True)
def standing_steps(arrow, factors, loads, holds, frame, shape, standing, workspace, limit, time, q, v, a, count):
    """`count` steps in place of a body with fixed vertices: how many were taken, and why not all.

    FLOWN: all, or a state is not finite or beyond `limit`; UNEXPLAINED, OVERTURNED: back to the last check, before this
    call if the number is negative.
    """
    held = len(holds.constraints.G) > 0
    resume_standing(standing, arrow, loads, held, frame, shape, q, v, a)
    since = -int(standing.numbers[SINCE])
    for step in range(count):
        _stand(arrow, factors, loads, holds, frame, shape, workspace, time + step * factors.dt, q, v, a)
        if not _within(limit, workspace.q):
            end_call(standing, loads, frame, q, v, a)
            return step, FLOWN
        count_step(standing, loads, frame, workspace.outer, q, workspace.q)
        _adopt(workspace, q, v, a)
        if standing.numbers[SINCE] >= CHECKED:
            why = look_again(standing, arrow, loads, held, frame, shape, q, v, a)
            if why != FLOWN:
                return since, why
            since = step + 1
    end_call(standing, loads, frame, q, v, a)
    return count, FLOWN


@njit(cache=True, nogil=True)
def flying_steps(
    arrow, factors, loads, holds, rigid, frame, ahead, shape, flight, watched, workspace, limit, time, q, v, a, count
):
    """`count` steps in place of a free body: how many were taken, and why not all: FLOWN, LOST or UNEXPLAINED.

    Args:
        frame, ahead: of the body now, and work space for the end of the step.
    """
    dt, masses, kept = factors.dt, loads.masses, 0
    resume(watched, arrow, masses, rigid, frame, shape, q, v, a)
    _take_off(masses, rigid, frame, shape, flight.middle, q, v, a)
    for step in range(count):
        now, why = time + step * dt, LOST
        found = fly(arrow, factors, loads, holds, rigid, frame, ahead, shape, flight, workspace, now, q, v, a)
        if found and _within(limit, workspace.q):
            why = FLOWN
            add_work(watched.watch, work_of(holds, flight, ahead, workspace, loads.gravity, rigid.mass, dt, q, v))
            _adopt(workspace, q, v, a)
            take_frame(ahead, frame)
        if why == LOST or (step + 1) % CHECKED == 0 or step + 1 == count:
            if not passes(watched, arrow, masses, rigid, frame, shape, q, v, a):
                return kept, UNEXPLAINED
            if why == LOST:
                return step, LOST
            kept = step + 1
    return count, FLOWN


@merged
def _take_off(masses, rigid, frame, shape, middle, q, v, a):
    """The points and the spin of a free body as they are before the first step."""
    measure_shape(masses, q, v, shape)
    find_spin(frame, shape, rigid.mass)
    move(masses, a, middle.ddu, middle.ddw)
    R, spin = frame.axes, frame.drift[1]
    for i in range(3):
        middle.turn[i] = R[i, 0] * spin[0] + R[i, 1] * spin[1] + R[i, 2] * spin[2]


@merged
def _stand(arrow, factors, loads, holds, frame, shape, workspace, time, q, v, a):
    """workspace.q, .v and .a at the end of a step of a body that has fixed vertices."""
    if len(holds.constraints.G):
        measure_holds(holds, factors.dt, q, v, a)
    _copy(q, workspace.q)
    _copy(v, workspace.v)
    for j in range(len(q)):
        workspace.outer[j] = 0.0
    add_outer_loads(loads, frame, shape, time + factors.dt, q, workspace.outer)
    _copy(workspace.outer, workspace.a)
    predict(factors.dt, workspace.q, workspace.v, a)
    add_forces(arrow, factors.alpha, factors.beta, workspace.q, workspace.v, -1.0, workspace.a)
    solve_arrow(arrow, factors, workspace.a)
    if len(holds.constraints.G):
        apply_holds(holds, workspace.a)
    correct(factors.dt, workspace.q, workspace.v, workspace.a)


@njit(cache=True, nogil=True)
def _copy(x, out):
    for j in range(len(x)):
        out[j] = x[j]


@njit(cache=True, nogil=True)
def _adopt(workspace, q, v, a):
    _copy(workspace.q, q)
    _copy(workspace.v, v)
    _copy(workspace.a, a)


@njit(cache=True, nogil=True)
def _within(limit, q):
    total = 0.0
    for j in range(len(q)):
        total += q[j] * q[j]
    return total < limit * limit
