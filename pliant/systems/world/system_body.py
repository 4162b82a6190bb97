"""A system of any kind as a body of a world, as its user sees it."""

from __future__ import annotations

from typing import NoReturn

import numpy as np
from numpy.typing import ArrayLike

from pliant.errors import ArgumentError, Array
from pliant.skin import Pose, Rates
from pliant.systems.system import System
from pliant.systems.world.body import Body
from pliant.systems.world.system_part import SystemPart


class SystemBody(Body):
    """One of `world.bodies` that is a tree, seams or another system; made by `world.add`.

    It moves by itself in its own axes, which stand in the world at `position`, turned by `rotation`, for good. Its
    steps are the small steps of the world, which alone may step it.
    """

    model: SystemPart

    @property
    def system(self) -> System:
        """What it is; pushes, hands and wind come through the world."""
        return self.model.system

    def _refuse(self, what: str) -> NoReturn:
        raise ArgumentError(f"{self.name} is a system of its own: {what}")

    @property
    def velocity(self) -> Array:
        """(3,) of its centre of mass [m/s]."""
        return self.momentum()[0] / self.mass

    @velocity.setter
    def velocity(self, value: ArrayLike) -> None:
        self._refuse("throw it by `body.system.launch`")

    @property
    def spin(self) -> Array:
        """A system has no one spin."""
        self._refuse("it has no one spin; ask `momentum()`")

    @spin.setter
    def spin(self, value: ArrayLike) -> None:
        self._refuse("throw it by `body.system.launch`")

    @property
    def q(self) -> Array:
        """(size,) coordinates of its parts in a row."""
        return self.system.pose().flat

    @q.setter
    def q(self, value: ArrayLike) -> None:
        self._refuse("write its state by `body.system.restore`")

    @property
    def v(self) -> Array:
        """(size,) rates of its coordinates."""
        return self.system.rates().flat

    @v.setter
    def v(self, value: ArrayLike) -> None:
        self._refuse("write its state by `body.system.restore`")

    @property
    def mass(self) -> float:
        """[kg]."""
        return self.system._mass()

    @property
    def centre(self) -> Array:
        """Where its mass is, is known to it alone."""
        self._refuse("its centre of mass is not told; take the mean of its vertices")

    def _shift(self) -> Array:
        return np.zeros(3)

    def vertices(self) -> Array:
        """World positions (n, 3) [m] of its mesh."""
        return self.out(self.system.vertices("mesh"))

    def energy(self) -> float:
        """Kinetic + elastic + gravitational [J], the last from its own origin."""
        return self.system.energy()

    def momentum(self) -> tuple[Array, Array]:
        """Linear (3,) [kg m/s] and angular (3,) momentum about the origin of the world [kg m^2/s]."""
        linear, angular = self.system.momentum()
        P = self.rotation @ linear
        return P, self.rotation @ angular + np.cross(self.position, P)

    # Between its axes and the world

    def out(self, x: Array) -> Array:
        """Places (k, 3) of its axes in the world."""
        return x @ self.rotation.T + self.position

    def into(self, x: Array) -> Array:
        """Places (k, 3) of the world in its axes."""
        return (x - self.position) @ self.rotation

    def pose(self) -> Pose:
        """That of its parts, in the world."""
        pose, R = self.system.pose(), self.rotation
        return Pose.stacked(R @ pose.rotations, self.out(pose.translations), pose.flat, pose.offsets)

    def rates(self) -> Rates:
        """Those of its parts, in the world."""
        rates, R = self.system.rates(), self.rotation
        return Rates(rates.linear @ R.T, rates.angular @ R.T, rates.flat, rates.offsets)
