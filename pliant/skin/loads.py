"""What forces on a skin mean to the parts of a pose."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import hypot
from typing import NamedTuple, overload

from pliant.errors import Array, Ids


class PartLoad(NamedTuple):
    """What forces on the skin mean to a part: a force on its frame, a torque about its origin, forces on `q`."""

    force: Array
    torque: Array
    reduced: Array

    def __repr__(self) -> str:
        return f"PartLoad({hypot(*self.force):.4g} N, {hypot(*self.torque):.4g} N m, r={len(self.reduced)})"


@dataclass(frozen=True, eq=False)
class Loads(Sequence[PartLoad]):
    """One `PartLoad` a part of the pose, held in arrays over all of them.

    Attributes:
        force, torque: (d, 3) [N], [N m].
        flat: forces on all coordinates, one part after the other.
        offsets: (d + 1,) where those of each part begin in `flat`.
    """

    force: Array
    torque: Array
    flat: Array
    offsets: Ids

    def __repr__(self) -> str:
        return f"Loads({len(self)} parts, {len(self.flat)} coordinates)"

    def __len__(self) -> int:
        return len(self.force)

    @overload
    def __getitem__(self, index: int) -> PartLoad: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[PartLoad, ...]: ...
    def __getitem__(self, index: int | slice) -> PartLoad | tuple[PartLoad, ...]:
        if isinstance(index, slice):
            return tuple(self[i] for i in range(*index.indices(len(self))))
        i = range(len(self))[index]
        return PartLoad(self.force[i], self.torque[i], self.flat[self.offsets[i] : self.offsets[i + 1]])
