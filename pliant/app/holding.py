"""Hands that hold instead of pulling, on systems that know constraints: a vertex at a place, an interface at an angle.

A constraint goes to its target at a rate of its own, damped, so a hand that jumps moves the solid without a jump.
"""

import numpy as np
from numpy.typing import ArrayLike

from pliant.app.grip import REACH, Grip, within
from pliant.errors import ArgumentError
from pliant.systems import Seams, System


class Hold:
    """One hand that holds a vertex.

    Attributes:
        vertex: which skin vertex; where a surface is worn, the nearest vertex of its cell is held.
        target: (3,) where it shall go [m].
        last: (3,) zero: what a constraint costs is not asked.
    """

    def __init__(self, system: Seams, vertex: int, target: ArrayLike):
        self.vertex, self.target, self.last = vertex, np.array(target, dtype=float), np.zeros(3)
        node = _node(system, vertex)
        pose, skin = system.pose(), system.skin or system.body
        self._start = system.body.vertices_at(pose, [node])[0]
        self._beside = skin.vertices_at(pose, [vertex])[0] - self._start
        self._reach = REACH * float(np.ptp(system.mesh.vertices, axis=0).max())
        self._handle = system.hold(node, self._start)

    def aim(self) -> None:
        """Tell the system where the hand is now."""
        goal = self._start + within(self.target - self._beside - self._start, self._reach)
        if np.any(goal != self._handle.target):
            self._handle.target = goal

    def release(self) -> None:
        """Let go."""
        self._handle.release()


class Twist:
    """One hand that turns the interface next to a vertex.

    Attributes:
        vertex: where it was taken.
        rotation: (3,) rotation vector from where the interface was [rad].
        last: (3,) zero.
    """

    def __init__(self, system: Seams, vertex: int, rotation: ArrayLike):
        self.vertex, self.rotation, self.last = vertex, np.array(rotation, dtype=float), np.zeros(3)
        entity = _nearest_interface(system, _node(system, vertex))
        self._start = system.rotation_of(entity)
        self._handle = system.turn(entity, self._start)

    def aim(self) -> None:
        """Tell the system where the hand is now."""
        goal = self._start + self.rotation
        if np.any(goal != self._handle.rotation):
            self._handle.rotation = goal

    def release(self) -> None:
        """Let go."""
        self._handle.release()


Hand = Grip | Hold | Twist


def hand_on(system: System, vertex: int, target: ArrayLike) -> Hand:
    """A hand on a skin vertex: a constraint where the system knows them, a spring elsewhere."""
    if isinstance(system, Seams):
        return Hold(system, vertex, target)
    grip = Grip(system, vertex, target)
    if grip.held:
        raise ArgumentError("this point is fixed; pull somewhere else")
    return grip


def again_on(system: System, hand: Hand) -> Hand:
    """The same hand on a system that takes the place of another."""
    if isinstance(hand, Twist):
        return Twist(_turning(system), hand.vertex, np.zeros(3))
    return hand_on(system, hand.vertex, hand.target)


def twist_on(system: System, vertex: int, rotation: ArrayLike) -> Twist:
    """A hand that turns the interface next to a skin vertex."""
    return Twist(_turning(system), vertex, rotation)


def can_turn(system: System) -> bool:
    """Has it interfaces that a hand can turn?"""
    return isinstance(system, Seams) and any(len(places) for places, _ in system.coupled.trace.turns)


def _turning(system: System) -> Seams:
    if not isinstance(system, Seams) or not can_turn(system):
        raise ArgumentError("this scene has no interfaces to turn; pull it instead")
    return system


def _node(system: Seams, vertex: int) -> int:
    """The vertex of the mesh that a hand on a skin vertex holds."""
    if system.worn is None:
        return vertex
    corners = system.worn.embedding.rows[vertex]
    return int(corners.indices[np.argmax(corners.data)])


def _nearest_interface(system: Seams, node: int) -> int:
    X = system.mesh.vertices

    def distance(number: int) -> float:
        if not len(system.coupled.trace.turns[number][0]):
            return np.inf
        return float(np.linalg.norm(X[system.entities[number].vertices] - X[node], axis=1).min())

    return min(range(len(system.entities)), key=distance)
