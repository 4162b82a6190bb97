"""A hand on an interface: it is turned to a rotation from rest, at a rate of its own, critically damped."""

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike

from pliant.basis.interface_entities import Entity
from pliant.errors import ArgumentError, Array, Ids, check_array, check_count
from pliant.mesh.domains import Domains, PartKey, part_number

NONE, SPACE = np.empty(0, np.int64), np.eye(3)


class _Turned(Protocol):
    turns: tuple["Turn", ...]

    def _aim_holds(self) -> None: ...
    def _end_turn(self, turn: "Turn") -> None: ...


class Turn:
    """An interface held at a rotation from rest until `release`; made by `system.turn`.

    Attributes:
        entity: which of `system.entities`.
        places: its coordinates that turn; nonlinear parts have none.
        rate: how fast it goes there [1/s].
    """

    def __init__(
        self, system: _Turned, entity: int, rotation: Array, rate: float, places: Ids = NONE, axes: Array = SPACE
    ):
        self._system, self.entity, self.places, self.rate = system, entity, places, rate
        self._axes, self._rotation = axes, rotation.copy()

    @property
    def rotation(self) -> Array:
        """(3,) rotation vector [rad]; writable. More than half a turn is welcome, see `turn`."""
        return self._rotation.copy()

    @rotation.setter
    def rotation(self, value: ArrayLike) -> None:
        self._rotation = check_array("rotation", value, (3,)).copy()
        if self.held:
            self._system._aim_holds()

    @property
    def held(self) -> bool:
        """Is it still in force?"""
        return any(turn is self for turn in self._system.turns)

    def release(self) -> None:
        """Let go; once more does nothing."""
        self._system._end_turn(self)

    @property
    def angles(self) -> Array:
        """q_rot = theta a along the axes that the interface can turn about."""
        return self._axes @ self._rotation

    def __repr__(self) -> str:
        x, y, z = self._rotation
        return f"Turn(interface {self.entity} by ({x:.4g}, {y:.4g}, {z:.4g}) rad)"


def checked_entity(entities: Sequence[Entity], entity: int) -> int:
    """The number of an entity that is there."""
    if not entities:
        raise ArgumentError("there are no interfaces; couple more than one part")
    return check_count("entity", entity, at_least=0, at_most=len(entities) - 1)


def refuse_turned(turns: Sequence[Turn], entity: int) -> None:
    """An interface has one hand that turns it."""
    if any(turn.entity == entity for turn in turns):
        raise ArgumentError(f"entity {entity} is held already; set the rotation of its handle, or release it first")


def shared_by(domains: Domains, entities: Sequence[Entity], a: PartKey, b: PartKey) -> int:
    """Which of the entities two parts share, the parts given by their numbers or names."""
    parts = sorted(part_number(domains, "interface", key) for key in (a, b))
    found = [number for number, entity in enumerate(entities) if list(entity.parts) == parts]
    if len(found) != 1:
        count = f"{len(found)} interfaces; give one of {found}" if found else "no interface; name neighbours"
        raise ArgumentError(f"{' and '.join(domains.names[k] for k in parts)} share {count}")
    return found[0]
