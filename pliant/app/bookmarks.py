"""States to go back to: what was before each touch, for undo, and those that a person saved."""

from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pliant.app.tuning import carried
from pliant.errors import ArgumentError, Array, check_count
from pliant.systems import System

MOST_UNDONE = 20
MOST_SAVED = 9


@dataclass(frozen=True)
class Bookmark:
    """A state, and how many coordinates the system had that was in it."""

    state: Mapping[str, NDArray]
    size: int
    time: float


class Bookmarks:
    """Of one scene; they outlive a change of its settings as far as the basis allows it."""

    def __init__(self) -> None:
        self._before: deque[Bookmark] = deque(maxlen=MOST_UNDONE)
        self._saved: list[Bookmark] = []

    @property
    def can_undo(self) -> bool:
        """Is there anything to go back to?"""
        return bool(self._before)

    @property
    def times(self) -> tuple[float, ...]:
        """When the saved states were [s]."""
        return tuple(mark.time for mark in self._saved)

    def note(self, system: System) -> None:
        """Something is about to happen that a person may want undone."""
        if not self._before or self._before[-1].time != system.time:
            self._before.append(_marked(system))

    def undo(self, system: System) -> None:
        """Back to where the last touch began."""
        if not self._before:
            raise ArgumentError("there is nothing to undo; pull, step or reset first")
        _go(system, self._before.pop())

    def project(self, projection: Array) -> None:
        """Go on with another basis; (r_new, r_old) turns old coordinates into new ones."""
        self._before = deque((_projected(mark, projection) for mark in self._before), maxlen=MOST_UNDONE)
        self._saved = [_projected(mark, projection) for mark in self._saved]

    def save(self, system: System) -> None:
        """Keep how it is now; the oldest one goes where there are too many."""
        self._saved = [*self._saved, _marked(system)][-MOST_SAVED:]

    def load(self, system: System, number: int) -> None:
        """Back to a saved state, the first one being 0."""
        if not self._saved:
            raise ArgumentError("no state is saved yet; save one first")
        _go(system, self._saved[check_count("state", number, at_least=0, at_most=len(self._saved) - 1)])


def _marked(system: System) -> Bookmark:
    return Bookmark(system.state(), system.size, system.time)


def _go(system: System, mark: Bookmark) -> None:
    system.restore(carried(mark.state, mark.size, system))


def _projected(mark: Bookmark, projection: Array) -> Bookmark:
    own = projection[:, : mark.size]
    state = {name: own @ value if np.shape(value) == (mark.size,) else value for name, value in mark.state.items()}
    return Bookmark(state, len(projection), mark.time)
