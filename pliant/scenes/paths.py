"""Paths of bodies that go their way: evenly from place to place, turning evenly about one axis between two of them."""

from collections.abc import Callable, Sequence
from itertools import pairwise

import numpy as np

from pliant.errors import Array
from pliant.numerics import rotation_exponential, rotation_logarithm
from pliant.scenes.world_tables import PathTable


class KeyedPath:
    """Time [s] -> position (3,) and rotation (3, 3); before its first and after its last time it stands still.

    Attributes:
        duration: its last time [s].
    """

    def __init__(self, keys: Sequence[PathTable]):
        self._times = np.array([key.time for key in keys])
        self._places = np.array([key.at for key in keys])
        self._turns = [rotation_exponential(np.radians(key.turn)) for key in keys]
        self._ways = [rotation_logarithm(b @ a.T) for a, b in pairwise(self._turns)]
        self.duration = float(self._times[-1])

    def __call__(self, time: float) -> tuple[Array, Array]:
        times, places, turns = self._times, self._places, self._turns
        k = int(np.clip(np.searchsorted(times, time, side="right") - 1, 0, len(times) - 1))
        if k == len(self._ways) or time <= times[0]:
            return places[k], turns[k]
        share = (time - times[k]) / (times[k + 1] - times[k])
        return places[k] + share * (places[k + 1] - places[k]), rotation_exponential(share * self._ways[k]) @ turns[k]


def path_of(keys: Sequence[PathTable]) -> Callable[[float], tuple[Array, Array]]:
    """The path through keyframes."""
    return KeyedPath(keys)
