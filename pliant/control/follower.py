"""Following a path: gentle forces of actuators that bring a system of any kind back after a disturbance ([MR12] 5)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from pliant.control.actuators import Actuation, Actuator
from pliant.control.path import Path
from pliant.control.riccati import gains
from pliant.control.step_model import StepModel, act, step_model
from pliant.errors import ArgumentError, Array, check_count, check_number
from pliant.systems import System
from pliant.systems.playing import EachStep, play
from pliant.systems.system import check_system

MODES = 8


class Follower(EachStep):
    """Forces that act on a system along a path, and more where it is off it; made by `track`.

    Attributes:
        model: the linear model along the path.
        gentleness: of its forces.
        on: does it act? Writable; else only what acts along the path does.
        effort: u (c,) of the next step, from -1 to 1.
    """

    def __init__(self, model: StepModel, gentleness: float):
        super().__init__(self._steer)
        self.model, self.gentleness, self.on = model, gentleness, True
        self._gains = gains(model, gentleness)
        self._readers: dict[int, Array] = {}
        self._known: System | None = None
        self.effort, self._due = np.zeros(len(model.actuation)), np.inf

    def __repr__(self) -> str:
        return f"Follower({self.path}, {len(self.effort)} actuators, gentleness {self.gentleness:g})"

    @property
    def path(self) -> Path:
        return self.model.path

    def gentler(self, gentleness: float) -> Follower:
        """The same with other gentleness, which is quick: the linear model stays."""
        return Follower(self.model, check_number("gentleness", gentleness, above=0))

    def distance(self, system: System) -> float:
        """Root mean square, of the system from the path [m]; nan where the path is over."""
        k = self.path.step_at(system.time)
        if k is None:
            return float("nan")
        return self.path.sensors.distance(self.path.sensors.look(system).x, self.path.sight(k).x)

    def follow(self, system: System, steps: int) -> Array:
        """Take steps along the path; `distance` after each (steps,) [m]."""
        away = np.zeros(check_count("steps", steps))
        for k in range(len(away)):
            play(system, self, 1)
            away[k] = self.distance(system)
        system.release()
        return away

    def _steer(self, system: System) -> None:
        self._check(system)
        k = self.path.step_at(system.time)
        if k is None or k == self.path.step_count or not self.on:
            self.effort = np.zeros(len(self.effort))
        else:
            self.effort = self._efforts(system, k)
        self._due = system.time + system.dt
        act(system, self.path, self.model.actuation, self.effort)

    def _efforts(self, system: System, k: int) -> Array:
        if abs(system.time - self._due) > 0.5 * self.path.dt:  # somebody went to another state
            self.effort = np.zeros(len(self.effort))
        if k not in self._readers:
            self._readers[k] = self.model.reader(k)
        errors = self.model.errors(k, self.path.sensors.look(system), self._readers[k])
        return np.clip(-self._gains[k] @ np.concatenate([errors, self.effort]), -1.0, 1.0)

    def _check(self, system: System) -> None:
        """Is it the system of the path, or a copy?"""
        if system is self._known and system.dt == self.path.dt:
            return
        own = self.path.system
        counts = [len(each.vertices("mesh")) for each in (own, check_system(system))]
        if type(system) is not type(own) or counts[0] != counts[1] or abs(system.dt / self.path.dt - 1) > 1e-9:
            raise ArgumentError(
                f"the path is of a {type(own).__name__} with {counts[0]} vertices and steps of {self.path.dt:.4g} s, "
                f"the system a {type(system).__name__} with {counts[1]} and {system.dt:.4g} s; note its own path"
            )
        self._known = system


def track(
    path: Path,
    actuators: Sequence[Actuator],
    gentleness: float = 0.1,
    modes: int = MODES,
) -> Follower:
    """Learn how the system moves near a path, and what its actuators should do there.

    Args:
        path: as `note_path` noted it.
        actuators: each a `Patch` or a `Muscle`, none of which does more than its own force.
        gentleness: price of forces. At 1 they are about as strong as those of the body, at 0.01 ten times.
        modes: motions of the body that are watched and steered, the slowest first.

    Raises:
        ArgumentError: an actuator can move nothing.
    """
    if not isinstance(path, Path):
        raise ArgumentError(f"path must be what note_path gives; {type(path).__name__} was given")
    price, count = check_number("gentleness", gentleness, above=0), check_count("modes", modes)
    return Follower(step_model(path, Actuation(path.system, actuators), count), price)
