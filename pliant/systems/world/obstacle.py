"""A surface that never moves by itself, wherever a rigid part may stand: no mass, no cells."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from pliant.errors import Array, Ids
from pliant.mesh import Surface
from pliant.reduced.inertia import Inertia
from pliant.systems.saving import savable


@dataclass(frozen=True, eq=False)
class Obstacle:
    """Attributes:
    surface: what others touch; closed, or open and then solid behind its outer side.
    """

    surface: Surface

    def __repr__(self) -> str:
        return f"Obstacle({self.surface})"

    @property
    def size(self) -> int:
        """r = 0."""
        return 0

    @property
    def X(self) -> Array:
        """Vertices (n, 3) [m]."""
        return self.surface.vertices

    @cached_property
    def U(self) -> Array:
        """An empty basis (3n, 0)."""
        return np.zeros((3 * len(self.X), 0))

    @property
    def triangles(self) -> Ids:
        """What is drawn."""
        return self.surface.triangles

    @cached_property
    def fixed(self) -> Ids:
        """No vertex is held."""
        return np.empty(0, dtype=np.int64)

    @cached_property
    def inertia(self) -> Inertia:
        """Of a unit mass at the origin: nothing asks for it but for where the frame stands."""
        return Inertia(np.eye(4))


savable(Obstacle)
