"""What bodies are made of that the tables of bodies do not move: a frame, no coordinates, no mass of their own."""

from functools import cached_property

import numpy as np

from pliant.errors import Array, Ids
from pliant.reduced.inertia import Inertia


class Massless:
    """Attributes:
    X: (n, 3) vertices [m].
    """

    X: Array

    @property
    def size(self) -> int:
        """r = 0."""
        return 0

    @cached_property
    def U(self) -> Array:
        """An empty basis (3n, 0)."""
        return np.zeros((3 * len(self.X), 0))

    @cached_property
    def fixed(self) -> Ids:
        """No vertex that its frame would need to know of."""
        return np.empty(0, dtype=np.int64)

    @cached_property
    def inertia(self) -> Inertia:
        """Of a unit mass at the origin: nothing asks for it but for where the frame stands."""
        return Inertia(np.eye(4))
