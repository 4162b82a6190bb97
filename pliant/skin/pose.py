"""What a system looks like at an instant: for each part its frame and its coordinates."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike

from pliant.errors import ArgumentError, Array, Ids
from pliant.skin.tables import doubles, frozen

Frame = tuple[Array, Array]


class Pose:
    """A few hundred numbers. Immutable; `frames` and `coordinates` are views into the stacked arrays, made when read.

    Args:
        frames: one (R, t) a part: rotation (3, 3) and translation (3,), part to world.
        coordinates: one q (r,) a part.

    Attributes:
        rotations, translations: the frames of all parts, (d, 3, 3) and (d, 3) [m].
        flat: the coordinates of all parts, one after the other.
        offsets: (d + 1,) where those of each part begin in `flat`.
    """

    rotations: Array
    translations: Array
    flat: Array
    offsets: Ids

    def __init__(self, frames: Sequence[tuple[ArrayLike, ArrayLike]], coordinates: Sequence[ArrayLike]):
        if len(frames) != len(coordinates):
            raise ArgumentError(f"a pose needs one frame a part; {len(frames)} and {len(coordinates)} were given")
        qs = [np.asarray(q, dtype=np.float64) for q in coordinates]
        offsets = np.zeros(len(qs) + 1, dtype=np.int64)
        np.cumsum([len(q) for q in qs], out=offsets[1:])
        rotations = np.array([R for R, _ in frames], dtype=np.float64).reshape(-1, 3, 3)
        translations = np.array([t for _, t in frames], dtype=np.float64).reshape(-1, 3)
        self._hold(rotations, translations, np.concatenate(qs) if qs else np.empty(0), offsets)

    @classmethod
    def stacked(cls, rotations: Array, translations: Array, flat: Array, offsets: Ids) -> Pose:
        """A pose of these arrays, as they are: quick for thousands of parts. They must not change afterwards."""
        pose = cls.__new__(cls)
        pose._hold(doubles(rotations), doubles(translations), doubles(flat), offsets)
        d = pose.part_count
        shapes = pose.rotations.shape, pose.translations.shape, pose.flat.shape
        if shapes != ((d, 3, 3), (d, 3), (offsets[-1],)):
            raise ArgumentError(
                f"{d} parts with {offsets[-1]} coordinates need rotations ({d}, 3, 3), translations ({d}, 3) and flat "
                f"({offsets[-1]},); {', '.join(map(str, shapes))} were given"
            )
        return pose

    def _hold(self, rotations: Array, translations: Array, flat: Array, offsets: Ids) -> None:
        self.rotations, self.translations = frozen(rotations), frozen(translations)
        self.flat, self.offsets = frozen(flat), frozen(offsets)

    def __repr__(self) -> str:
        return f"Pose({self.part_count} parts, {len(self.flat)} coordinates)"

    @property
    def part_count(self) -> int:
        """d."""
        return len(self.offsets) - 1

    @cached_property
    def frames(self) -> tuple[Frame, ...]:
        """One (R, t) a part."""
        return tuple(zip(self.rotations, self.translations))

    @cached_property
    def coordinates(self) -> tuple[Array, ...]:
        """One q (r,) a part."""
        ends = self.offsets.tolist()
        return tuple(self.flat[a:b] for a, b in pairwise(ends))
