"""Notes pulls while somebody plays with a solid, as the loads of a new basis; statics turn them into shapes."""

import numpy as np

from pliant.errors import ArgumentError, Array

MOST_PULLS = 200
SPACING = 0.1  # [s] between two notes; a hand does not do much more in that time


class Sketchpad:
    """The forces of hands at a row of instants."""

    def __init__(self) -> None:
        self.pulls: list[list[tuple[int, Array]]] = []
        self._next = 0.0

    def note(self, now: float, pulls: list[tuple[int, Array]]) -> None:
        """Keep `pulls`, vertex and force [N], unless the last note is too recent."""
        if now < self._next or len(self.pulls) >= MOST_PULLS:
            return
        if any(np.any(force) for _, force in pulls):
            self.pulls.append(pulls)
            self._next = now + SPACING

    def loads(self, vertex_count: int) -> Array:
        """(s, n, 3) [N]."""
        if not self.pulls:
            raise ArgumentError("the sketch is empty; start it, pull the solid about, then stop it")
        loads = np.zeros((len(self.pulls), vertex_count, 3))
        for load, pulls in zip(loads, self.pulls):
            for vertex, force in pulls:
                load[vertex] += force
        return loads
