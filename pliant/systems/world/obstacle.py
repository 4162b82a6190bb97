"""A surface that never moves by itself, wherever a rigid part may stand: no mass, no cells."""

from __future__ import annotations

from dataclasses import dataclass

from pliant.errors import Array, Ids
from pliant.mesh import Surface
from pliant.systems.saving import savable
from pliant.systems.world.massless import Massless


@dataclass(frozen=True, eq=False)
class Obstacle(Massless):
    """Attributes:
    surface: what others touch; closed, or open and then solid behind its outer side.
    """

    surface: Surface

    def __repr__(self) -> str:
        return f"Obstacle({self.surface})"

    @property
    def X(self) -> Array:  # type: ignore[override]
        """Vertices (n, 3) [m]."""
        return self.surface.vertices

    @property
    def triangles(self) -> Ids:
        """What is drawn."""
        return self.surface.triangles


savable(Obstacle)
