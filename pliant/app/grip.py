"""A hand on the simulation: a damped spring from a skin vertex to a point of the world.

    f = k (target - x+) - c (x+ - x) / dt,   x+ = x_free + g f

k is a few times the static stiffness of the solid at the vertex, so that it follows the hand whether it is rubber or
steel. x_free is where the next step would take the vertex without the hand, and g how far a unit force moves it in one
step. So the spring acts where the vertex will be, and cannot blow up however stiff it is or long the step.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from pliant.app.response import VertexPlace, one_step_response
from pliant.app.tuners import tuner_of
from pliant.errors import Array
from pliant.systems import System

STRENGTH = 3.0  # of the static stiffness: the vertex goes three quarters of the way to the hand
SWING = 2.0  # [Hz] of the vertex on the spring, where the static stiffness is not known
DAMPING_RATIO = 0.7
REACH = 1.5  # sizes of the solid: how far a hand can pull
PROBE = 1e-4  # sizes of the solid: how far a probing force may move the vertex


class Grip:
    """One hand.

    Attributes:
        vertex: which skin vertex it holds.
        target: (3,) where it pulls to [m].
        place: where the vertex is now.
        held: whether the vertex cannot move, so that there is nothing to pull.
        last: (3,) the force it asked for last [N].
    """

    def __init__(self, system: System, vertex: int, target: ArrayLike):
        self.vertex, self.target, self.last = vertex, np.array(target, dtype=float), np.zeros(3)
        self.place = VertexPlace(system, vertex)
        size = float(np.ptp(system.vertices(), axis=0).max())
        self._reach = REACH * size
        g = one_step_response(system, self.place, vertex, PROBE * size)
        self.held = g <= 0.0
        if not self.held:
            self._tune(system, g)

    def _tune(self, system: System, g: float) -> None:
        mass = system.dt**2 / (4 * g)
        compliance = tuner_of(system).compliance(system, self.vertex)
        self._k = STRENGTH / compliance if compliance else mass * (2 * np.pi * SWING) ** 2
        self._c = 2 * DAMPING_RATIO * np.sqrt(self._k * mass)
        self._soften = 1 / (1 + self._k * g + self._c * g / system.dt)

    def aim(self) -> None:
        """Nothing to tell: springs are asked for their force at every step."""

    def release(self) -> None:
        """Nothing to undo."""

    def force(self, free: Array, dt: float) -> Array:
        """(3,) [N] for the next step of `dt`, which without the hand would take the vertex to `free` (3,) [m]."""
        if not self.held:
            spring = self._k * within(self.target - free, self._reach)
            self.last = self._soften * (spring - self._c * (free - self.place()) / dt)
        return self.last


def pulls(grips: Sequence[Grip], system: System) -> list[Array]:
    """The force of each hand for the next step, under the pushes that act already; a trial step is taken back."""
    if not grips:
        return []
    start = system.state()
    try:
        system.step(1)
        free = [grip.place() for grip in grips]
    finally:
        system.restore(start)
    return [grip.force(x, system.dt) for grip, x in zip(grips, free)]


def within(pull: Array, reach: float) -> Array:
    """`pull` (3,), no longer than `reach`."""
    length = float(np.linalg.norm(pull))
    return pull if length <= reach else pull * (reach / length)
