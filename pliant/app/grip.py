"""A hand on the simulation: a damped spring from a skin vertex to a point of the world.

    f = k (target - x+) - c (x+ - x) / dt,   x+ = x_free + g f

k is a few times the static stiffness of the solid at the vertex, so that it follows the hand whether it is rubber or
steel. x_free is where the next step would take the vertex without the hand, and g how far a unit force moves it in one
step. So the spring acts where the vertex will be, and cannot blow up however stiff it is or long the step.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from pliant.app.tuners import tuner_of
from pliant.errors import Array
from pliant.skin import Skin, SkinPart
from pliant.systems import System

STRENGTH = 3.0  # of the static stiffness: the vertex goes three quarters of the way to the hand
SWING = 2.0  # [Hz] of the vertex on the spring, where the static stiffness is not known
DAMPING_RATIO = 0.7
REACH = 1.5  # sizes of the solid: how far a hand can pull
PROBE = 1e-4  # sizes of the solid: how far a probing force may move the vertex
FIXED = 1e-12  # of its coordinates: a vertex that a probing force moves less than this is held


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
        g = _one_step_response(system, self.place, vertex, PROBE * size)
        self.held = g <= 0.0
        if not self.held:
            self._tune(system, g)

    def _tune(self, system: System, g: float) -> None:
        mass = system.dt**2 / (4 * g)
        compliance = tuner_of(system).compliance(system, self.vertex)
        self._k = STRENGTH / compliance if compliance else mass * (2 * np.pi * SWING) ** 2
        self._c = 2 * DAMPING_RATIO * np.sqrt(self._k * mass)
        self._soften = 1 / (1 + self._k * g + self._c * g / system.dt)

    def force(self, free: Array, dt: float) -> Array:
        """(3,) [N] for the next step of `dt`, which without the hand would take the vertex to `free` (3,) [m]."""
        if not self.held:
            spring = self._k * _within(self.target - free, self._reach)
            self.last = self._soften * (spring - self._c * (free - self.place()) / dt)
        return self.last


class VertexPlace:
    """Where one skin vertex is now, without moving all the others."""

    def __init__(self, system: System, vertex: int):
        self._system, self._vertex = system, vertex
        self._skin = None if system.skin is None else skin_of_vertex(system.skin, vertex)

    def __call__(self) -> Array:
        if self._skin is None:
            return self._system.vertices()[self._vertex]
        return self._skin.vertices(self._system.pose())[0]


def skin_of_vertex(skin: Skin, vertex: int) -> Skin:
    """The skin of one vertex; parts that do not move it stay, without rows, so that poses fit."""
    return Skin(1, np.empty((0, 3), dtype=np.int64), tuple(_rows(part, vertex) for part in skin.parts))


def _rows(part: SkinPart, vertex: int) -> SkinPart:
    mine = np.flatnonzero(part.vertices == vertex)
    rows = (3 * mine[:, None] + np.arange(3)).ravel()
    omega = None if part.omega is None else part.omega[rows]
    return SkinPart(np.zeros(len(mine), dtype=np.int64), part.weights[mine], part.X[mine], part.U[rows], omega)


def _one_step_response(system: System, place: VertexPlace, vertex: int, small: float) -> float:
    """The largest displacement of the vertex that one step of a unit force makes [m/N]; the state is put back."""
    start = system.state()
    still = _after_step(system, place, vertex, np.zeros(3), start)
    force = 1.0
    moved = _moved(system, place, vertex, force, still, start)
    if moved > small:
        force *= small / moved
        moved = _moved(system, place, vertex, force, still, start)
    return moved / force if moved > FIXED * np.abs(still).max() else 0.0


def _moved(system: System, place: VertexPlace, vertex: int, force: float, still: Array, start: dict) -> float:
    ends = [_after_step(system, place, vertex, force * axis, start) for axis in np.eye(3)]
    return float(np.abs(np.array(ends) - still).max())


def _after_step(system: System, place: VertexPlace, vertex: int, force: Array, start: dict) -> Array:
    system.release()
    system.push([vertex], force)
    try:
        system.step(1)
        return place()
    finally:
        system.release()
        system.restore(start)


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


def _within(pull: Array, reach: float) -> Array:
    length = float(np.linalg.norm(pull))
    return pull if length <= reach else pull * (reach / length)
