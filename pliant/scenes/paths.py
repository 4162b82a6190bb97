"""Paths of bodies that go their way: evenly from place to place, turning evenly about one axis between two of them."""

from collections.abc import Callable, Sequence
from itertools import pairwise

import numpy as np

from pliant.errors import Array
from pliant.numerics import rotation_exponential, rotation_logarithm
from pliant.scenes.world_tables import PathTable


def path_of(keys: Sequence[PathTable]) -> Callable[[float], tuple[Array, Array]]:
    """Time [s] -> position (3,) and rotation (3, 3); before its first and after its last time it stands still."""
    times = np.array([key.time for key in keys])
    places = np.array([key.at for key in keys])
    turns = [rotation_exponential(np.radians(key.turn)) for key in keys]
    ways = [rotation_logarithm(b @ a.T) for a, b in pairwise(turns)]

    def path(time: float) -> tuple[Array, Array]:
        k = int(np.clip(np.searchsorted(times, time, side="right") - 1, 0, len(times) - 1))
        if k == len(ways) or time <= times[0]:
            return places[k], turns[k]
        share = (time - times[k]) / (times[k + 1] - times[k])
        return places[k] + share * (places[k + 1] - places[k]), rotation_exponential(share * ways[k]) @ turns[k]

    return path
