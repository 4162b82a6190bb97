"""A motion to be followed: what a system did by itself, as seen by its sensors, and states to linearise about."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from pliant.control.sensors import Sensors, Sight
from pliant.errors import ArgumentError, Array, Diverged, Ids, check_count
from pliant.systems import System
from pliant.systems.playing import Forces, play
from pliant.systems.state import State
from pliant.systems.system import check_system

KNOTS = 24  # states that are linearised about; between them the linear model is interpolated
SENSORS = 64
CLOSE = 0.02  # of how far a motion goes: an end that is so near to the beginning is where it repeats
STILL = 1e-6  # of the extent: a motion that goes less far stands
MOST_PERIODS = 60


@dataclass(frozen=True, eq=False)
class Path:
    """A motion of T steps; made by `note_path`.

    Attributes:
        system: a copy of what moved, for trials.
        forces: what acted; None: nothing but what is part of the system.
        sensors: its points.
        dt: time step [s]. time: of the start [s].
        x, v: (T + 3, p, 3) places and velocities of the points after every step, and two more [m], [m/s].
        repeats: does it end as it begins, so that it goes on for ever?
        knots: numbers of steps (k,) that begin in `states`, and `before` them the states a step earlier.
    """

    system: System
    forces: Forces | None
    sensors: Sensors
    dt: float
    time: float
    x: Array
    v: Array
    repeats: bool
    knots: Ids
    before: tuple[State, ...] = field(repr=False)

    def __repr__(self) -> str:
        kind = "for ever" if self.repeats else f"{self.step_count * self.dt:.4g} s"
        return f"Path({self.step_count} steps of {self.dt:.4g} s, {kind}, of a {type(self.system).__name__})"

    @property
    def step_count(self) -> int:
        """T."""
        return len(self.x) - 3

    def step_at(self, time: float) -> int | None:
        """The step that begins then, T at the end; None where the path is over, or has not begun."""
        k = round((time - self.time) / self.dt)
        if self.repeats:
            return k % self.step_count
        return k if 0 <= k <= self.step_count else None

    def sight(self, k: int) -> Sight:
        """Of the sensors before step k."""
        return Sight(self.x[k], self.v[k])

    @property
    def extent(self) -> float:
        """Of what moves [m]."""
        return float(np.ptp(self.x[0], axis=0).max())


def note_path(
    system: System,
    steps: int,
    forces: Forces | None = None,
    repeats: bool = False,
    sensors: int = SENSORS,
    knots: int = KNOTS,
) -> Path:
    """What the system does from now on if nobody touches it; the system itself stays as it is.

    Args:
        steps: how many.
        forces: act on it all along, such as `scene.schedule`; None: it moves by what it has.
        repeats: go around for ever; the motion must then end as it begins (`in_stride` finds where it does).
        sensors: points that tell where it is.
        knots: states along it that will be linearised about.
    """
    most = check_count("knots", knots)
    count, seen = check_count("steps", steps), check_count("sensors", sensors)
    moving = copy.copy(check_system(system))
    moving.release()
    sensing, start = Sensors(moving, seen), moving.state()
    chosen = np.unique(np.linspace(0, count, min(most, count) + 1).astype(np.int64)[: -1 if repeats else None])
    wanted, sights, before = set(chosen.tolist()), [sensing.look(moving)], dict[int, State]()
    last = start
    for k in range(count + 2):
        if k in wanted:
            before[k] = last
        last = moving.state()
        play(moving, forces, 1)
        sights.append(sensing.look(moving))
    moving.release()
    moving.restore(start)
    x, v = (np.array(each) for each in zip(*sights))
    if repeats:
        _check_repeating(sensing, x, v, count, system.dt)
        before[0] = _state_at_end(moving, start, forces, count)
    return Path(
        moving, forces, sensing, system.dt, system.time, x, v, repeats, chosen, tuple(before[k] for k in chosen)
    )


def in_stride(system: System, period: int, forces: Forces | None = None) -> State:
    """The state from which it repeats itself every `period` steps, at the present time.

    Args:
        period: steps, after which all that acts repeats, too.
        forces: what acts.

    Raises:
        Diverged: it does not come to repeat itself.
    """
    steps = check_count("period", period)
    moving = copy.copy(check_system(system))
    sensors, time = Sensors(moving, SENSORS), system.time
    before, extent = sensors.look(moving), float(np.ptp(moving.vertices("mesh"), axis=0).max())
    for _ in range(MOST_PERIODS):
        farthest = 0.0
        for _ in range(steps):
            play(moving, forces, 1)
            farthest = max(farthest, sensors.distance(sensors.look(moving).x, before.x))
        now, left = sensors.look(moving), moving.state() | {"time": time}
        moving.restore(left)
        span = max(steps * moving.dt, 1 / 10)
        off = sensors.distance(now.x, before.x) + span * sensors.distance(now.v, before.v)
        if off <= max(0.1 * CLOSE * farthest, 0.1 * STILL * extent):
            return left
        before = now
    raise Diverged(
        f"after {MOST_PERIODS} periods of {steps * moving.dt:.4g} s the motion does not repeat itself yet; give it "
        "more damping, or a period that fits what acts",
        time,
    )


def _check_repeating(sensors: Sensors, x: Array, v: Array, count: int, dt: float) -> None:
    off = sensors.distance(x[count], x[0])
    farthest = max(sensors.distance(each, x[0]) for each in x[: count + 1])
    if off > max(CLOSE * farthest, STILL * float(np.ptp(x[0], axis=0).max())):
        raise ArgumentError(
            f"the motion does not repeat after {count} steps: it is {off:.3g} m from where it began; begin in the "
            "state that in_stride finds, or leave out repeats"
        )


def _state_at_end(moving: System, start: Mapping[str, Array], forces: Forces | None, count: int) -> State:
    """A step before the start, of a motion that repeats: what it does before its end."""
    play(moving, forces, count - 1)
    found = moving.state()
    moving.release()
    moving.restore(start)
    return found
