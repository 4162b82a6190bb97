"""Hands of people: one holds a vertex at a place, one turns an interface.

What is held goes to its target at a rate om of its own, critically damped, so a hand that jumps moves the solid with no
jump. It pulls no harder and moves no faster than the body bears (`System.gentleness`), nor by more than a few sizes of
the body in a second. To that end it aims no farther ahead of the vertex than where it moves steadily with that speed:

    x'' = om^2 a - 2 om v = 0,   a = 2 v / om

and nearer, the more the body is spun or swung up: one that was spun as fast as it bears, has the energy from this hand
that it bears, or swung as fast within half a period, is held where it is, which only brakes it. The energy from a hand
is what the body has gained since it was taken, and no more than the work of the hand, nor is that of its swing: the
rest is of the wind, of weight or of other hands.
"""

import numpy as np
from numpy.typing import ArrayLike

from pliant.errors import ArgumentError, Array, Ids
from pliant.systems import System
from pliant.systems.gentleness import Gentleness
from pliant.systems.spinning import is_free
from pliant.systems.swinging import Swung

REACH = 1.5  # sizes of the solid: how far a hand can pull
AHEAD = 0.3  # sizes of the solid: how far a goal is from where the vertex is now, at most
FIXED = 1e-9  # of how far the point moves that moves most: rounding, where a point is held by the scene
COMPARED = 8  # points
SPENT, SWUNG = 0.5, 0.25  # of the energy and of the swing that it bears: where less is left, a hand is slower
NEAR = 0.05  # sizes of the solid: a vertex this near to its goal has arrived


class Grip:
    """A hand that holds a vertex.

    Attributes:
        vertex: which vertex of what is drawn.
        target: (3,) where it shall go [m]; no farther than the hand reaches.

    Args:
        limit: its largest force [N], at any speed; None: what the body bears.
    """

    def __init__(self, system: System, vertex: int, target: ArrayLike, limit: float | None = None):
        self.vertex, self.target, self._limit = vertex, np.array(target, dtype=float), limit
        self._start = _place(system, vertex)
        self._size = float(np.ptp(system.vertices(), axis=0).max())
        if not can_move(system, vertex):
            raise ArgumentError("this point is fixed; pull somewhere else")
        self.take(system)

    def take(self, system: System) -> None:
        """Hold the vertex of this system, which may have come in the place of another."""
        hold = system.hold(self.vertex, self._start, limit=self._limit)
        assert hold is not None, "a hold with a target gives its handle"
        # Asked once it is held: where a vertex brings columns of its own, the cells around it are softer.
        bearable = gentleness(system, self.vertex) if self._limit is None else Gentleness(self._limit, np.inf)
        if np.isfinite(bearable.force):
            system.hold(self.vertex, self._start, limit=bearable.force)
        self._system, self._hold, self._flies = system, hold, is_free(system)
        self._ahead = min(AHEAD * self._size, 2 * bearable.speed / hold.rate)
        self._spin, self._spun = bearable.spin, hold.spin if np.isfinite(bearable.spin) else 0.0
        self._bears, self._done, self._last = bearable.work, 0.0, _place(system, self.vertex)
        self._energy = system.energy() if np.isfinite(bearable.work) else 0.0
        self._swing, self._swung = bearable.swing, Swung(bearable.half)
        self.aim()

    def aim(self) -> None:
        """Tell the system where the hand is now."""
        here = _place(self._system, self.vertex)
        self._done += float(self.force @ (here - self._last))
        self._last = here
        goal = here + within(self._way(here), self._ahead * self._steadiness())
        if np.any(goal != self._hold.target):
            self._hold.target = goal

    def _steadiness(self) -> float:
        """One where the body moves as when it was taken, zero where the hand has added what it bears."""
        if np.isfinite(self._bears):
            stored = min(self._done, self._system.energy() - self._energy)
            return min(_left(stored / self._bears, SPENT), _left(self._swung_up(), SWUNG))
        if np.isfinite(self._spin):
            return float(np.clip(1 - (self._hold.spin - self._spun) / self._spin, 0.0, 1.0))
        return 1.0

    def _swung_up(self) -> float:
        """The energy of the swing over what the body bears of it."""
        if not np.isfinite(self._swing):
            return 0.0
        return min(self._done, self._swung.see(self._system.time, self._hold.swing)) / self._swing

    def _way(self, here: Array) -> Array:
        """(3,) that is left to go: the hand reaches from where it began, along with what flies."""
        start = here if self._flies else self._start
        return start + within(self.target - start, REACH * self._size) - here

    @property
    def force(self) -> Array:
        """(3,) what held it in the last step [N]."""
        return self._hold.force

    @property
    def steady_force(self) -> Array:
        """(3,) the force once it has arrived [N]; zero on the way, where most of it is against inertia."""
        gap = self._way(_place(self._system, self.vertex))
        return self.force if np.linalg.norm(gap) < NEAR * self._size else np.zeros(3)

    def release(self) -> None:
        """Let go."""
        self._hold.release()

    def __repr__(self) -> str:
        x, y, z = self.target
        return f"Grip(vertex {self.vertex} to ({x:.4g}, {y:.4g}, {z:.4g}))"


class Twist:
    """A hand that turns the interface next to a vertex.

    Attributes:
        vertex: where it was taken.
        rotation: (3,) rotation vector from where the interface was [rad].
        force, steady_force: (3,) zero: what turns an interface pulls nowhere.
    """

    force = steady_force = np.zeros(3)

    def __init__(self, system: System, vertex: int, rotation: ArrayLike):
        self.vertex, self.rotation = vertex, np.array(rotation, dtype=float)
        self._entity = _nearest_interface(system, vertex)
        self._start = system.rotation_of(self._entity)
        self.take(system)

    def take(self, system: System) -> None:
        """Hold the interface of this system, which may have come in the place of another."""
        self._turn = system.turn(self._entity, self._start + self.rotation)

    def aim(self) -> None:
        """Tell the system where the hand is now."""
        goal = self._start + self.rotation
        if np.any(goal != self._turn.rotation):
            self._turn.rotation = goal

    def release(self) -> None:
        """Let go."""
        self._turn.release()

    def __repr__(self) -> str:
        x, y, z = self.rotation
        return f"Twist(interface {self._entity} by ({x:.4g}, {y:.4g}, {z:.4g}) rad)"


Hand = Grip | Twist


def gentleness(system: System, vertex: int) -> Gentleness:
    """What the body bears of a hand; kinds that do not know bear all."""
    try:
        return system.gentleness(vertex)
    except ArgumentError:
        return Gentleness(np.inf, np.inf)


def await_hands(system: System) -> None:
    """Find now what the first hand on a system would wait for; without a basis nobody waits for that longer."""
    if system.body is not None:
        gentleness(system, int(system.triangles[0, 0]))


def can_move(system: System, vertex: int) -> bool:
    """Does a point move with the unknowns at all?"""
    return bool(which_move(system, np.array([vertex]))[0])


def which_move(system: System, vertices: Ids) -> Array:
    """(k,) whether vertices (k,) move. Asked of the rows themselves against those of other points.

    No force is tried, so neither the size of the body, nor its stiffness, nor the unit of its mesh matters.
    """
    if is_free(system):
        return np.ones(len(vertices), dtype=bool)
    drawn = np.unique(system.triangles)
    asked = np.concatenate([vertices, drawn[:: max(1, len(drawn) // COMPARED)]])
    try:
        sizes = np.linalg.norm(system.rows(system.points(asked)).reshape(len(asked), -1), axis=1)
    except ArgumentError:  # this kind does not tell, and refuses by itself
        return np.ones(len(vertices), dtype=bool)
    return sizes[: len(vertices)] > FIXED * sizes.max()


def within(pull: Array, reach: float) -> Array:
    """`pull` (3,), no longer than `reach`."""
    length = float(np.linalg.norm(pull))
    return pull if length <= reach else pull * (reach / length)


def _left(spent: float, within: float) -> float:
    """One where this share of what a body bears is left, or more, zero where none is."""
    return float(np.clip((1 - spent) / within, 0.0, 1.0))


def _place(system: System, vertex: int) -> Array:
    return system.points([vertex]).place(system.pose())[0]


def _nearest_interface(system: System, vertex: int) -> int:
    """Of those that can be turned, in the shape at rest."""
    if not system.turnable:
        raise ArgumentError("this scene has no interfaces to turn; pull it instead")
    X = system.mesh.vertices
    x = (X if system.worn is None else system.worn.surface.vertices)[vertex]
    gaps = {number: np.linalg.norm(X[ids] - x, axis=1).min() for number, ids in system.turnable.items()}
    return min(gaps, key=gaps.__getitem__)
