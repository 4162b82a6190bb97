"""The watch over seams that stand: what they gain beyond the work of loads on the warped points.

    ledger = T + V - W              W: work of weight, pushes and wind on the points, and of hands
    d ledger = L . dq - f . dx      while hands hold, whose work is that on the coordinates

Newmark's mean acceleration gives linear parts just what loads L do on the coordinates, at any dt. But a load on a
warped point is turned back to the coordinates by the rotation of that point, so that far from rest it does more there
than it does in the world: what is gained so must stay within `energy_watch.BOUND`. Who wants loads that are not turned
back at all (`projection="none"`) wants just that, and is let be.

Hands may supply any energy, but not turn a point of mass by more than |w| = 2 pi: there warping is singular, and beyond
it linear parts have no shape that they stand for.
"""

from typing import NamedTuple

import numpy as np
from numba import njit

from pliant.errors import Array
from pliant.skin.point_kernels import PROJECTIONS, place_in_frames
from pliant.systems.energy_watch import BOUND, add_work, bounded, energy_watch
from pliant.systems.seams.solver import mechanical
from pliant.systems.seams.watched import ROUNDING
from pliant.systems.system_points import move, place

UNTURNED = PROJECTIONS.index("none")
FULL_TURN = 2 * np.pi  # [rad]
FLOWN, LOST, UNEXPLAINED, OVERTURNED = range(4)  # why steps end
LEDGER, ENERGY, WEIGHT, GIVEN, DONE, PUSHED, SINCE, HANDS, CHANGED = range(9)


class Standing(NamedTuple):
    """A watch and what it remembers.

    Attributes:
        watch: of `energy_watch`.
        numbers: (9,) the ledger, T + V and the potential of weight at the last check; since then what loads gave to the
            coordinates and what they did on the points; the potential of pushes as it was last counted; steps since
            the check; whether hands held; whether other loads act than in the last step.
        load: (size,) of the last step.
        good, left: (3, size) q, v and a at the last check, and at the end of the last call.
    """

    watch: Array
    numbers: Array
    load: Array
    good: Array
    left: Array


def standing(size: int, stiffness: float, extent: float) -> Standing:
    """Of so many coordinates; stiffness: the largest of any of them [N/m]."""
    good, left = np.full((2, 3, size), np.nan)
    return Standing(energy_watch(ROUNDING * stiffness * extent**2), np.zeros(9), np.zeros(size), good, left)


@njit(cache=True, nogil=True)
def resume_standing(standing, arrow, loads, held, frame, shape, q, v, a):
    """Go on where the last call ended, or begin anew where somebody wrote the state; held: whether hands hold."""
    numbers, same = standing.numbers, True
    for j in range(len(q)):
        same &= standing.left[0, j] == q[j] and standing.left[1, j] == v[j]
    if not same:
        standing.watch[:5], numbers[:] = 0.0, 0.0
        numbers[ENERGY], numbers[CHANGED] = mechanical(arrow, q, v), 2
        numbers[WEIGHT] = _weight_potential(loads, shape, q)
        bounded(standing.watch, 0.0, numbers[ENERGY], BOUND)
        _keep(standing.good, q, v, a)
    if held:
        numbers[HANDS] = 1
    numbers[PUSHED] = _push_potential(loads, frame, q)
    _mark_wind(loads, frame, q)


@njit(cache=True, nogil=True)
def count_step(standing, loads, frame, load, q, q_new):
    """Add what `load` (size,) does from q to q_new: that of a step is the mean of both its ends."""
    numbers, last, jump = standing.numbers, standing.load, 0.0
    for j in range(len(q)):
        before = load[j] if numbers[CHANGED] == 2 else last[j]
        numbers[GIVEN] += 0.5 * (before + load[j]) * (q_new[j] - q[j])
        jump += 0.5 * (before - load[j]) * (q_new[j] - q[j])
        last[j] = load[j]
    if numbers[CHANGED] > 0:
        _did(standing, jump)
        numbers[CHANGED] = 0
    if loads.windy:
        _did(standing, _wind_work(loads, frame, q_new))
    numbers[SINCE] += 1


@njit(cache=True, nogil=True)
def look_again(standing, arrow, loads, held, frame, shape, q, v, a):
    """FLOWN, and the state is kept, where what was gained is within the bound and no point has turned too far; else the
    kept one comes back: UNEXPLAINED or OVERTURNED.
    """
    numbers = standing.numbers
    _count_pushes(standing, loads, frame, q)
    weight = _weight_potential(loads, shape, q)
    _did(standing, weight - numbers[WEIGHT])
    energy, numbers[WEIGHT] = mechanical(arrow, q, v), weight
    given = numbers[GIVEN] if numbers[HANDS] > 0 else energy - numbers[ENERGY]
    numbers[LEDGER] += given - numbers[DONE]
    numbers[ENERGY], numbers[GIVEN], numbers[DONE], numbers[SINCE] = energy, 0.0, 0.0, 0
    if not held:
        numbers[HANDS] = 0
    why = FLOWN if bounded(standing.watch, numbers[LEDGER], energy, BOUND) else UNEXPLAINED
    if why == FLOWN and not _farthest_turn(loads, shape, q) <= FULL_TURN:
        why = OVERTURNED
    if why == FLOWN or loads.projection == UNTURNED:
        _keep(standing.good, q, v, a)
        return FLOWN
    for j in range(len(q)):
        q[j], v[j], a[j] = standing.good[0, j], standing.good[1, j], standing.good[2, j]
    standing.left[:] = np.nan
    return why


@njit(cache=True, nogil=True)
def end_call(standing, loads, frame, q, v, a):
    """Count what pushes have done, since others may act in the next call."""
    _count_pushes(standing, loads, frame, q)
    _keep(standing.left, q, v, a)


@njit(cache=True, nogil=True)
def _did(standing, work):
    standing.numbers[DONE] += work
    add_work(standing.watch, work)


@njit(cache=True, nogil=True)
def _count_pushes(standing, loads, frame, q):
    now = _push_potential(loads, frame, q)
    _did(standing, now - standing.numbers[PUSHED])
    standing.numbers[PUSHED] = now


@njit(cache=True, nogil=True)
def _keep(kept, q, v, a):
    for j in range(len(q)):
        kept[0, j], kept[1, j], kept[2, j] = q[j], v[j], a[j]


@njit(cache=True, nogil=True)
def _weight_potential(loads, shape, q):
    """sum m g . x [J]: the work of weight is its change."""
    total = 0.0
    if loads.weighs:
        move(loads.masses, q, shape.u, shape.w)
        place_in_frames(loads.masses.tables, shape.u, shape.w, shape.y)
        for p in range(len(loads.weight)):
            for i in range(3):
                total += loads.weight[p, i] * shape.y[p, i]
    return total


@njit(cache=True, nogil=True)
def _farthest_turn(loads, shape, q):
    """The largest |w| of the points of mass [rad]."""
    move(loads.masses, q, shape.u, shape.w)
    most = 0.0
    for p in range(len(shape.w)):
        most = max(most, shape.w[p, 0] ** 2 + shape.w[p, 1] ** 2 + shape.w[p, 2] ** 2)
    return np.sqrt(most)


@njit(cache=True, nogil=True)
def _push_potential(loads, frame, q):
    """sum f . x of pushes [J]: their work is its change."""
    total, R, t = 0.0, frame.axes[:3].reshape((1, 3, 3)), frame.axes[3:]
    for j in range(len(q)):
        total += loads.reduced[j] * q[j]
    if len(loads.pushes):
        place(loads.pushed, R, t, q)
        for p in range(len(loads.pushes)):
            for i in range(3):
                total += loads.pushes[p, i] * loads.pushed.work.x[p, i]
    return total


@njit(cache=True, nogil=True)
def _mark_wind(loads, frame, q):
    if loads.windy:
        place(loads.sail.points, frame.axes[:3].reshape((1, 3, 3)), frame.axes[3:], q)


@njit(cache=True, nogil=True)
def _wind_work(loads, frame, q_new):
    """Of the wind from where its points were last placed."""
    x, total = loads.sail.points.work.x, 0.0
    for p in range(len(x)):
        for i in range(3):
            total -= loads.sail.forces[p, i] * x[p, i]
    _mark_wind(loads, frame, q_new)
    for p in range(len(x)):
        for i in range(3):
            total += loads.sail.forces[p, i] * x[p, i]
    return total
