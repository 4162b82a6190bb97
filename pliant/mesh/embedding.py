"""Points carried by a volume mesh: rows of weights that follow its vertices, and bring forces back to them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csr_matrix

from pliant.errors import ArgumentError, Array, Ids, check_array
from pliant.mesh.cell_search import cell_weights, containing_cells
from pliant.mesh.mesh import Mesh
from pliant.mesh.packages import imported
from pliant.mesh.validation import LARGEST


@dataclass(frozen=True, eq=False)
class Embedding:
    """x_points = rows @ x_mesh.

    Attributes:
        rows: weights (p, n), each row sums to one.
        cells: the cell that carries each point (p,).
        outside: whether each point lies outside the mesh (p,).
    """

    rows: csr_matrix
    cells: Ids
    outside: NDArray[np.bool_]

    def __repr__(self) -> str:
        return f"Embedding({len(self.cells)} points in {self.rows.shape[1]} vertices, {self.outside.sum()} outside)"

    def carry(self, x: ArrayLike) -> Array:
        """Positions, displacements or any other vertex values (n, d) -> the same at the points (p, d)."""
        return self.rows @ check_array("x", x, (self.rows.shape[1], None))

    def gather(self, f: ArrayLike) -> Array:
        """Forces at the points (p, d) -> forces on the vertices (n, d) that do the same work."""
        return self.rows.T @ check_array("f", f, (self.rows.shape[0], None))


def embed(mesh: Mesh, points: ArrayLike) -> Embedding:
    """Hang points (p, 3) [m] on a mesh.

    Inside a cell the weights are its shape functions: barycentric (tets), trilinear (hexes), or quadratic. An outside
    point follows the cell nearest to it, extended linearly; so linear fields are exact everywhere, up to about 100
    cells away, and quadratic ones inside straight quadratic cells.
    """
    positions = check_array("points", points, (None, 3)).copy()  # writable, or the loops are compiled a second time
    if np.abs(positions).max(initial=0.0) > LARGEST:
        raise ArgumentError(
            f"points must lie within {LARGEST:g} m of the origin; {np.abs(positions).max():g} was given"
        )
    cells, anchors = containing_cells(mesh.vertices, mesh.cells, positions), positions.copy()
    outside = cells < 0
    if outside.any():
        anchors[outside], cells[outside] = _nearest_on_surface(mesh, positions[outside])
    weights = cell_weights(mesh.vertices, mesh.cells, cells, positions, anchors)
    return Embedding(_sparse_rows(mesh, cells, weights), cells, outside)


def _nearest_on_surface(mesh: Mesh, points: Array) -> tuple[Array, Ids]:
    igl = imported("igl", "embedding points outside the mesh")
    _, triangle, nearest = igl.point_mesh_squared_distance(points, mesh.vertices, mesh.surface)
    return nearest, mesh.surface_cells[triangle]


def _sparse_rows(mesh: Mesh, cells: Ids, weights: Array) -> csr_matrix:
    starts = np.arange(0, weights.size + 1, weights.shape[1])
    rows = csr_matrix((weights.ravel(), mesh.cells[cells].ravel(), starts), (len(cells), mesh.vertex_count))
    rows.sort_indices()
    return rows
