"""A hand on a vertex: it goes to its target at a rate of its own, critically damped, and so never jumps."""

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from pliant.errors import Array, check_array, check_number
from pliant.systems.spinning import spin
from pliant.systems.swinging import swing

if TYPE_CHECKING:
    from pliant.systems.system import Layer, System

RATE = 20.0  # [1/s] how fast held things go to their targets, where steps allow it


class Hold:
    """A vertex held at a place until `release`; made by `system.hold`.

    Attributes:
        vertex, on: which vertex, of the skin or of the mesh.
        rate: how fast it goes to its target [1/s].
        limit: its largest force [N].
    """

    def __init__(
        self, system: "System", vertex: int, on: "Layer", target: ArrayLike, rate: float | None, limit: float | None
    ):
        self._system, self.vertex, self.on = system, vertex, on
        self._target = check_array("target", target, (3,)).copy()
        self.rate = checked_rate(rate, system.dt)
        self.limit = np.inf if limit is None else check_number("limit", limit, above=0)

    @property
    def target(self) -> Array:
        """(3,) where to [m]; writable."""
        return self._target.copy()

    @target.setter
    def target(self, value: ArrayLike) -> None:
        self._target = check_array("target", value, (3,)).copy()
        if self.held:
            self._system._aim_holds()

    def adjust(self, rate: float | None, limit: float | None) -> bool:
        """Take another rate or limit where one is given; whether there was one."""
        self.rate = self.rate if rate is None else checked_rate(rate, self._system.dt)
        self.limit = self.limit if limit is None else check_number("limit", limit, above=0)
        return rate is not None or limit is not None

    @property
    def force(self) -> Array:
        """(3,) what held it in the last step [N]; zero once let go."""
        forces = dict(zip(map(id, self._system.holds), self._system.hold_forces))
        return forces.get(id(self), np.zeros(3))

    @property
    def spin(self) -> float:
        """How fast the body that it holds spins [rad/s], as if it were rigid."""
        return spin(self._system)

    @property
    def swing(self) -> float:
        """The energy of motion of the body that it holds [J], of a few of its vertices."""
        return swing(self._system)

    @property
    def held(self) -> bool:
        """Is it still in force?"""
        return any(hold is self for hold in self._system.holds)

    def release(self) -> None:
        """Let go; once more does nothing."""
        self._system._let_go(self)

    def __repr__(self) -> str:
        x, y, z = self._target
        return f"Hold(vertex {self.vertex} at ({x:.4g}, {y:.4g}, {z:.4g}), {'held' if self.held else 'released'})"


def checked_rate(rate: float | None, dt: float) -> float:
    """As given, by default 20 /s or 1/dt if that is less."""
    return min(RATE, 1 / dt) if rate is None else check_number("rate", rate, above=0)
