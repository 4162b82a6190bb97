"""What a hand holds on to: a vertex at a position, an interface at a rotation."""

from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike

from pliant.errors import Array, Ids, check_array
from pliant.systems.seams.constraints import Holds, holds_of
from pliant.systems.seams.parts import CoupledParts
from pliant.systems.seams.points import by_group
from pliant.systems.seams.solver import Arrow, Condensed


class _Holder(Protocol):
    def _bind(self) -> None: ...


class _Handle:
    """A constraint in force until `release`."""

    def __init__(self, hands: "Hands", rate: float, target: Array):
        self._hands, self.rate, self._target = hands, rate, target

    @property
    def held(self) -> bool:
        """Is it still in force?"""
        return self in self._hands.all

    def release(self) -> None:
        """Let go; once more does nothing."""
        self._hands.let_go(self)


class Grip(_Handle):
    """A vertex held at a position.

    Attributes:
        vertex: its id.
        rate: how fast it goes there [1/s].
        target: (3,) where to [m]; writable.
    """

    def __init__(self, hands: "Hands", vertex: int, target: Array, rate: float):
        super().__init__(hands, rate, target)
        self.vertex = vertex

    @property
    def target(self) -> Array:
        return self._target.copy()

    @target.setter
    def target(self, value: ArrayLike) -> None:
        self._target = check_array("target", value, (3,))
        if self.held:
            self._hands.aim()


class Turn(_Handle):
    """An interface held at a rotation from rest.

    Attributes:
        entity: which of `system.entities`.
        rate: how fast it goes there [1/s].
        rotation: (3,) rotation vector [rad]; writable. More than half a turn is welcome.
    """

    def __init__(self, hands: "Hands", entity: int, places: Ids, axes: Array, rotation: Array, rate: float):
        super().__init__(hands, rate, rotation)
        self.entity, self.places, self._axes = entity, places, axes

    @property
    def rotation(self) -> Array:
        return self._target.copy()

    @rotation.setter
    def rotation(self, value: ArrayLike) -> None:
        self._target = check_array("rotation", value, (3,))
        if self.held:
            self._hands.aim()

    @property
    def angles(self) -> Array:
        """q_rot = theta a along the axes that the interface can turn about."""
        return self._axes @ self._target


class Hands:
    """All handles of a system, and the constraints that they are to its steps.

    Attributes:
        grips, turns: the handles in force.
        holds: what compiled steps read, after `bind`.
    """

    holds: Holds

    def __init__(self, holder: _Holder):
        self._holder = holder
        self.grips: list[Grip] = []
        self.turns: list[Turn] = []
        self._order: Ids = np.empty(0, dtype=np.int64)

    @property
    def all(self) -> list[_Handle]:
        return [*self.grips, *self.turns]

    def let_go(self, handle: _Handle) -> None:
        """Drop a handle, if it is still in force."""
        if handle in self.all:
            self.grips = [grip for grip in self.grips if grip is not handle]
            self.turns = [turn for turn in self.turns if turn is not handle]
            self._holder._bind()

    def bind(
        self, coupled: CoupledParts, arrow: Arrow, factors: Condensed, rigid: tuple[Array, Array] | None = None
    ) -> None:
        """Make the constraints anew, for these columns and this step; `rigid` as of `holds_of`."""
        vertices = np.array([grip.vertex for grip in self.grips], dtype=np.int64)
        self._order = by_group(coupled, vertices)
        sorted_grips = [self.grips[k] for k in self._order]
        targets = np.array([grip.target for grip in sorted_grips]).reshape(-1, 3)
        turned = [(turn.places, turn.angles) for turn in self.turns]
        rates = [np.full(3, grip.rate) for grip in sorted_grips]
        rates += [np.full(len(turn.places), turn.rate) for turn in self.turns]
        joined = np.concatenate([np.empty(0), *rates])
        self.holds = holds_of(coupled, arrow, factors, vertices[self._order], targets, turned, joined, rigid)

    def aim(self) -> None:
        """Targets have moved; nothing else has."""
        for row, k in enumerate(self._order):
            self.holds.targets[row] = self.grips[k].target
        self.holds.angles[:] = np.concatenate([np.empty(0), *(turn.angles for turn in self.turns)])
