"""The sheet: a mesh of triangles in space, the middle surface of a thin shell."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse import coo_matrix, csr_matrix

from pliant.errors import ArgumentError, Array, Ids, MeshError, check_ids
from pliant.mesh import validation
from pliant.mesh.cell_kinds import signed_volumes
from pliant.mesh.mesh import Mesh
from pliant.mesh.surface_input import SurfaceLike, as_surface

NARROWEST = 1e-9  # a triangle of less area than this times its longest edge squared has no direction


class Sheet(Mesh):
    """Triangles that share edges two by two, open or closed, as the mesh of a shell. Arrays are read-only.

    Attributes:
        vertices: rest positions (n, 3) [m].
        cells: vertex ids (m, 3); which way round does not matter.
        vertex_groups: named vertex ids; `select('group("left")')` finds them.
        cell_groups: named triangle ids.
    """

    def __init__(
        self,
        vertices: ArrayLike,
        cells: ArrayLike,
        vertex_groups: Mapping[str, ArrayLike] | None = None,
        cell_groups: Mapping[str, ArrayLike] | None = None,
    ):
        points = validation.checked_vertices(vertices)
        rows = validation.checked_indices("triangles", cells, len(points), (3,))
        validation.check_no_repeats("triangles", rows)
        validation.check_no_duplicates(rows)
        _refuse_narrow(points, rows)
        validation.warn_unused(len(points), rows)
        rows.setflags(write=False)
        self.__dict__.update(
            vertices=points,
            cells=rows,
            vertex_groups=validation.checked_groups("vertex group", vertex_groups, len(points)),
            cell_groups=validation.checked_groups("cell group", cell_groups, len(rows)),
            materials={},
        )
        _ = self.sides  # refuses edges of three triangles

    def __repr__(self) -> str:
        return f"Sheet({self.vertex_count} vertices, {self.cell_count} triangles)"

    def _facts(self) -> dict[str, object]:
        area = {"area": f"{self.volumes.sum():.4g} m²"}
        return {**{name: fact for name, fact in super()._facts().items() if name != "volume"}, **area}

    @cached_property
    def volumes(self) -> Array:
        """Area of every triangle (m,) [m^2], all positive."""
        areas = signed_volumes(self.vertices[self.cells])
        areas.setflags(write=False)
        return areas

    @property
    def cell_size(self) -> float:
        return float(np.sqrt(self.volumes.mean()))

    @cached_property
    def sides(self) -> tuple[Ids, Ids]:
        """Edges as (e, 2) pairs of rows of all sides, 3 t + i from corner i + 1 to i + 2 of t; -1 where there is none;
        and the (3m,) edge of every side."""
        ends = np.sort(_all_sides(self.cells), axis=1)
        key = ends[:, 0] * self.vertex_count + ends[:, 1]
        keys, edge, count = np.unique(key, return_inverse=True, return_counts=True)
        if (count > 2).any():
            first = keys[count > 2][0]
            raise MeshError(
                f"an edge of a shell may belong to two triangles at most; {(count > 2).sum()} belong to more, the "
                f"first from vertex {first // self.vertex_count} to {first % self.vertex_count}: remove triangles there"
            )
        order = np.argsort(edge, kind="stable")
        pairs = np.full((len(keys), 2), -1)
        starts = np.concatenate([[0], np.cumsum(count)[:-1]])
        pairs[:, 0] = order[starts]
        pairs[count == 2, 1] = order[starts[count == 2] + 1]
        return pairs, edge

    @cached_property
    def cell_adjacency(self) -> csr_matrix:
        """Graph (m, m): triangles that share an edge."""
        pairs, _ = self.sides
        a, b = pairs[pairs[:, 1] >= 0].T // 3
        rows, columns = np.concatenate([a, b]), np.concatenate([b, a])
        return coo_matrix((np.ones(len(rows), dtype=np.int32), (rows, columns)), (self.cell_count,) * 2).tocsr()

    def submesh(self, cell_ids: ArrayLike) -> tuple[Sheet, Ids]:
        chosen = self.cells[check_ids("cell_ids", cell_ids, self.cell_count)]
        if len(chosen) == 0:
            raise ArgumentError("cell_ids must name at least one triangle; none was given")
        vertex_ids = np.unique(chosen)
        return Sheet(self.vertices[vertex_ids], np.searchsorted(vertex_ids, chosen)), vertex_ids

    def moved_to(self, vertices: ArrayLike) -> Sheet:
        return Sheet(vertices, self.cells, self.vertex_groups, self.cell_groups)

    def without_unused(self) -> Sheet:
        used = np.unique(self.cells)
        new_ids = np.full(self.vertex_count, -1)
        new_ids[used] = np.arange(len(used))
        groups = {name: new_ids[ids][new_ids[ids] >= 0] for name, ids in self.vertex_groups.items()}
        return Sheet(self.vertices[used], new_ids[self.cells], groups, self.cell_groups)

    @cached_property
    def _surface(self) -> tuple[Ids, Ids]:
        return self.cells.copy(), np.arange(self.cell_count)


def as_sheet(surface: Mesh | SurfaceLike) -> Sheet:
    """`surface` as a sheet with the same vertices."""
    if isinstance(surface, Sheet):
        return surface
    if isinstance(surface, Mesh):
        raise ArgumentError(
            f"a shell is made of triangles, and this mesh has {surface.kind} cells; "
            "give a Surface, a path or a pair (vertices, triangles), or use pl.Solid"
        )
    found = as_surface(surface)
    return Sheet(found.vertices, found.triangles)


def mesh_of(vertices: ArrayLike, cells: Ids) -> Mesh:
    """The mesh of these cells: a sheet where they are triangles."""
    return Sheet(vertices, cells) if cells.shape[1] == 3 else Mesh(vertices, cells)


def _all_sides(cells: Ids) -> Ids:
    """(3m, 2) ends of the side opposite each corner."""
    return cells[:, [[1, 2], [2, 0], [0, 1]]].reshape(-1, 2)


def _refuse_narrow(vertices: Array, cells: Ids) -> None:
    ends = vertices[_all_sides(cells)].reshape(-1, 3, 2, 3)
    longest = np.linalg.norm(ends[:, :, 1] - ends[:, :, 0], axis=2).max(axis=1)
    narrow = np.flatnonzero(signed_volumes(vertices[cells]) <= NARROWEST * longest**2)
    if narrow.size:
        raise MeshError(f"triangles must have an area; {validation.listed(narrow)} have none: remove them or remesh")
