"""The triangle surface: vertices and triangles, frozen; a soup is welcome."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from os import PathLike

import numpy as np
from numpy.typing import ArrayLike

from pliant.errors import Array, Ids
from pliant.mesh.cell_kinds import triple_product
from pliant.mesh.clustering import clustered
from pliant.mesh.files.surface_files import write_surface
from pliant.mesh.notebook import metres, surface_card
from pliant.mesh.validation import checked_indices, checked_vertices


@dataclass(frozen=True, eq=False, init=False, repr=False)
class Surface:
    """Triangles in space, closed or not, joined or not.

    Attributes:
        vertices: positions (n, 3) [m].
        triangles: vertex ids (t, 3), counter-clockwise seen from outside.
    """

    vertices: Array
    triangles: Ids

    def __init__(self, vertices: ArrayLike, triangles: ArrayLike):
        points = checked_vertices(vertices)
        rows = checked_indices("triangles", triangles, len(points), (3,))
        rows.setflags(write=False)
        self.__dict__.update(vertices=points, triangles=rows)

    def __repr__(self) -> str:
        return f"Surface({len(self.vertices)} vertices, {len(self.triangles)} triangles)"

    def _repr_html_(self) -> str:
        facts = {"vertices": len(self.vertices), "triangles": len(self.triangles), "size": metres(self.bounds)}
        return surface_card("Surface", facts, self.vertices, self.triangles)

    @cached_property
    def bounds(self) -> Array:
        """Smallest and largest coordinates (2, 3) [m] of the triangles."""
        corners = self.vertices[self.triangles].reshape(-1, 3)
        return np.stack([corners.min(axis=0), corners.max(axis=0)])

    @cached_property
    def volume(self) -> float:
        """Volume [m^3] that a closed surface encloses, by the divergence theorem; negative if it is inside out."""
        corners = self.vertices - self.bounds.mean(axis=0)
        return float(triple_product(*(corners[self.triangles[:, i]] for i in range(3))).sum() / 6)

    def clustered(self, size: float) -> Surface:
        """Vertices in one cube of edge `size` [m] become their mean; triangles that vanish or repeat are left out.

        The vertices are sorted by cube, the triangles by vertex, so that neighbours in space are neighbours in memory.
        """
        return Surface(*clustered(self.vertices, self.triangles, size))

    def write(self, path: str | PathLike[str]) -> None:
        """Write to a .obj, .off, .ply or .stl file, which appears whole or not at all."""
        write_surface(self, path)
