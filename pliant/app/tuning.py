"""What can be changed about a running system; one tuner a kind of system knows how."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Generic, TypeVar

import numpy as np

from pliant.errors import ArgumentError, Array
from pliant.numerics.progress import Report
from pliant.systems import System
from pliant.systems.system import State


@dataclass(frozen=True)
class Settings:
    """What the sliders show.

    Attributes:
        stiffness: factor on Young's modulus of the scene.
        alpha, beta: Rayleigh damping [1/s], [s].
        gravity: (3,) [m/s^2].
        vectors: columns of the basis in use.
        dt: time step [s].
        newton: Newton iterations a step.
        wind: its mean speed [m/s].
    """

    stiffness: float = 1.0
    alpha: float = 0.0
    beta: float = 0.0
    gravity: tuple[float, float, float] = (0.0, 0.0, 0.0)
    vectors: int = 0
    dt: float = 0.001
    newton: int = 1
    wind: float = 0.0


@dataclass(frozen=True)
class Vibrations:
    """Vibration modes about the rest shape.

    Attributes:
        frequencies: (k,) [Hz], lowest first.
        coordinates: (k, r) what each adds to the coordinates of the first part.
    """

    frequencies: Array
    coordinates: Array


NO_VIBRATIONS = Vibrations(np.empty(0), np.empty((0, 0)))

S = TypeVar("S", bound=System)


class Tuner(ABC, Generic[S]):
    """Knows one kind of system; `tunable` names the settings it can change, `in_place` those without another system."""

    tunable: tuple[str, ...] = ()
    in_place: tuple[str, ...] = ()
    can_sketch: bool = False

    @abstractmethod
    def settings(self, system: S) -> Settings:
        """As the system was built."""

    @abstractmethod
    def tuned(self, base: S, settings: Settings) -> System:
        """`base` with other settings, at rest and at time 0."""

    def adjust(self, system: S, settings: Settings) -> None:
        """Change what is `in_place` of a running system."""

    def carried(self, state: State, target: System) -> State:
        """A state of one tuned system as a state of another."""
        return state

    def vibrations(self, system: S) -> Vibrations:
        """Its modes, where they are cheap to find."""
        return NO_VIBRATIONS

    def compliance(self, system: S, vertex: int) -> float | None:
        """How far a static unit force moves a skin vertex at most [m/N], where that is cheap to find."""
        return None

    def sketched(self, base: S, loads: Array, progress: Report) -> "Resketched":
        """`base` on a new basis for these loads (s, n, 3) [N], and how to bring its shapes there."""
        raise ArgumentError("a sketch needs a reduced solid; this scene has none")


@dataclass(frozen=True, eq=False)
class Resketched:
    """A system on a new basis, and what turns old coordinates into new ones (r_new, r_old)."""

    base: System
    projection: Array


class Untouched(Tuner[System]):
    """For systems whose settings nobody has taught the viewer to change: they run, and can be grabbed."""

    def settings(self, system: System) -> Settings:
        return Settings(vectors=len(system.pose().flat), dt=system.dt)

    def tuned(self, base: System, settings: Settings) -> System:
        return base
