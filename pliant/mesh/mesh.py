"""The volume mesh: vertices and cells of one kind, frozen and validated."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from os import PathLike

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse import csr_matrix
from scipy.sparse.csgraph import connected_components

from pliant.errors import ArgumentError, Array, Ids, check_ids
from pliant.mesh import topology, validation
from pliant.mesh.cell_kinds import KINDS, VOLUME_KINDS, signed_volumes
from pliant.mesh.files.writing import write_mesh
from pliant.mesh.notebook import metres, surface_card
from pliant.mesh.orders import with_inner, with_middles, without_middles
from pliant.mesh.selection import select


@dataclass(frozen=True, eq=False, init=False, repr=False)
class Mesh:
    """Space filled with tets or hexes. Arrays are read-only; flipped cells are turned right, and reported.

    Attributes:
        vertices: rest positions (n, 3) [m].
        cells: vertex ids (m, 4) of tets with positive volume, or (m, 8) of hexes in VTK's corner order: the bottom
            quad counter-clockwise seen from above, then the top quad. Quadratic cells (m, 10) and (m, 20) have a vertex
            on every edge besides, in VTK's order; edges may be curved. Hexes that bend (m, 11) have three vertices
            inside, each its own, which are put where the corners have them.
        vertex_groups: named vertex ids; `select('group("left")')` finds them.
        cell_groups: named cell ids.
        materials: constants {"young" [Pa], "poisson", "density" [kg/m^3]} of a cell group, where a file has them.
    """

    vertices: Array
    cells: Ids
    vertex_groups: Mapping[str, Ids] = field(default_factory=dict)
    cell_groups: Mapping[str, Ids] = field(default_factory=dict)
    materials: Mapping[str, Mapping[str, float]] = field(default_factory=dict)

    def __init__(
        self,
        vertices: ArrayLike,
        cells: ArrayLike,
        vertex_groups: Mapping[str, ArrayLike] | None = None,
        cell_groups: Mapping[str, ArrayLike] | None = None,
        materials: Mapping[str, Mapping[str, float]] | None = None,
    ):
        points = validation.checked_vertices(vertices)
        rows = validation.checked_indices("cells", cells, len(points), tuple(VOLUME_KINDS))
        validation.check_no_repeats("cells", rows)
        validation.check_no_duplicates(rows)
        validation.check_middles(rows)
        rows, volumes = validation.oriented(points, rows)
        points = validation.placed(points, rows)
        validation.check_shapes(points, rows, volumes)
        validation.warn_unused(len(points), rows)
        groups = validation.checked_groups("cell group", cell_groups, len(rows))
        self.__dict__.update(
            vertices=points,
            cells=_read_only(rows),
            vertex_groups=validation.checked_groups("vertex group", vertex_groups, len(points)),
            cell_groups=groups,
            materials=validation.checked_materials(materials, groups),
        )

    def __repr__(self) -> str:
        return f"Mesh({self.vertex_count} vertices, {self.cell_count} {self.kind} cells)"

    def _repr_html_(self) -> str:
        return surface_card("Mesh", self._facts(), self.vertices, self.surface)

    def _facts(self) -> dict[str, object]:
        counts = {"vertices": self.vertex_count, "cells": f"{self.cell_count} {self.kind}"}
        return {**counts, "size": metres(self.bounds), "volume": f"{self.volumes.sum():.4g} m³"}

    @property
    def kind(self) -> str:
        """ "tet", "hex", "tet10", "hex11" or "hex20"."""
        return KINDS[self.cells.shape[1]].name

    @property
    def order(self) -> int:
        """1 for linear cells, 2 for quadratic ones."""
        return KINDS[self.cells.shape[1]].order

    @property
    def vertex_count(self) -> int:
        """n."""
        return len(self.vertices)

    @property
    def cell_count(self) -> int:
        """m."""
        return len(self.cells)

    @cached_property
    def volumes(self) -> Array:
        """Volume of every cell (m,) [m^3], all positive."""
        return _read_only(signed_volumes(self.vertices[self.cells]))

    @property
    def cell_size(self) -> float:
        """Edge of a cube of the mean volume of a cell [m]."""
        return float(np.cbrt(self.volumes.mean()))

    @cached_property
    def bounds(self) -> Array:
        """Smallest and largest coordinates (2, 3) [m]."""
        return _read_only(np.stack([self.vertices.min(axis=0), self.vertices.max(axis=0)]))

    @cached_property
    def centroids(self) -> Array:
        """Mean of the corners of every cell (m, 3) [m]."""
        corners = self.cells[:, : KINDS[self.cells.shape[1]].corners]
        return _read_only(self.vertices[corners].mean(axis=1))

    @cached_property
    def surface(self) -> Ids:
        """Outward triangles (t, 3) of vertex ids, through all vertices of a face.

        One a face of a tet, two of a hex, four of a tet10, six of a hex20.
        """
        return _read_only(self._surface[0])

    @cached_property
    def surface_cells(self) -> Ids:
        """The cell behind every surface triangle (t,)."""
        return _read_only(self._surface[1])

    @cached_property
    def surface_vertices(self) -> Ids:
        """Sorted ids of the vertices on the surface."""
        return _read_only(np.unique(self.surface))

    @cached_property
    def edges(self) -> Ids:
        """Edges (e, 2) of the cells as sorted pairs of vertex ids; those of quadratic cells in two halves."""
        return _read_only(topology.unique_edges(self.cells))

    @cached_property
    def cell_adjacency(self) -> csr_matrix:
        """Graph (m, m): cells that share a face."""
        return topology.cell_adjacency(self.cells, self._shared_faces)

    @cached_property
    def vertex_adjacency(self) -> csr_matrix:
        """Graph (n, n): different vertices that share a cell."""
        return topology.vertex_adjacency(self.cells, self.vertex_count)

    @cached_property
    def components(self) -> tuple[int, Ids]:
        """Number of face-connected pieces, and the piece of every cell (m,)."""
        count, labels = connected_components(self.cell_adjacency, directed=False)
        return int(count), _read_only(labels.astype(np.int64))

    def select(self, expression: str) -> Ids:
        """Sorted ids of the vertices where a condition on x, y, z holds, such as "x < 0.01 and abs(y) < 0.2".

        The language knows numbers, x y z pi, + - * / **, comparisons, and or not, abs sqrt sin cos min max, and
        group("name") for a vertex group. Nothing is executed.
        """
        return select(expression, self.vertices, self.vertex_groups)

    def select_cells(self, expression: str) -> Ids:
        """Sorted ids of the cells at whose centroid a condition holds; group("name") is a cell group."""
        return select(expression, self.centroids, self.cell_groups)

    def submesh(self, cell_ids: ArrayLike) -> tuple[Mesh, Ids]:
        """The mesh of some cells (ids or mask), and the ids its vertices have here; groups are not carried over."""
        chosen = self.cells[check_ids("cell_ids", cell_ids, self.cell_count)]
        if len(chosen) == 0:
            raise ArgumentError("cell_ids must name at least one cell; none was given")
        vertex_ids = np.unique(chosen)
        return Mesh(self.vertices[vertex_ids], np.searchsorted(vertex_ids, chosen)), vertex_ids

    def moved_to(self, vertices: ArrayLike) -> Mesh:
        """The same cells and groups with vertices (n, 3) elsewhere."""
        return Mesh(vertices, self.cells, self.vertex_groups, self.cell_groups, self.materials)

    def without_unused(self) -> Mesh:
        """The same mesh without the vertices that no cell uses; vertex ids close up."""
        used = np.unique(self.cells)
        new_ids = np.full(self.vertex_count, -1)
        new_ids[used] = np.arange(len(used))
        groups = {name: new_ids[ids][new_ids[ids] >= 0] for name, ids in self.vertex_groups.items()}
        return Mesh(self.vertices[used], new_ids[self.cells], groups, self.cell_groups, self.materials)

    def refine_order(self) -> Mesh:
        """The same cells with a vertex in the middle of every edge: tet -> tet10, hex -> hex20.

        Old vertices keep their ids; the new ones follow. Groups and materials are kept; a new vertex is in a vertex
        group if both ends of its edge are.
        """
        return with_middles(self)

    def bendable(self) -> Mesh:
        """The same hexes with three vertices inside each, by which they bend as beams do: hex -> hex11.

        Old vertices keep their ids; the new ones follow. Groups and materials are kept; new vertices are in the vertex
        groups that have all corners of their cell.
        """
        return with_inner(self)

    def linear(self) -> Mesh:
        """The same cells without the vertices on their edges or inside: tet10 -> tet, hex11 and hex20 -> hex."""
        return without_middles(self)

    def write(self, path: str | PathLike[str]) -> None:
        """Write to a file; the ending chooses the format (.vtu .vtk .msh .mesh .veg .node .ele ...).

        The file appears whole or not at all. Groups are kept by .veg (cells) and .inp (vertices and cells). Hexes that
        bend are written as plain ones: `bendable()` makes them again.
        """
        write_mesh(self, path)

    @cached_property
    def _surface(self) -> tuple[Ids, Ids]:
        return topology.surface_triangles(self.cells, self._shared_faces)

    @cached_property
    def _shared_faces(self) -> tuple[Ids, Ids]:
        return topology.shared_faces(self.cells)


def _read_only(array: np.ndarray) -> np.ndarray:
    array.setflags(write=False)
    return array
