"""Tet4 and Hex8: gradients of the shape functions at the integration points, and their weights.

Tet4: one point. Hex8: 3 x 3 x 3 Gauss points, which StVK needs (its energy has degree 4 along each axis of a brick).
"""

from dataclasses import dataclass
from itertools import product

import numpy as np

from pliant.errors import Array, Ids
from pliant.mesh import Mesh

# Corners of the reference cube [-1, 1]^3 in VTK order: the lower quad, then the upper one.
HEX_CORNERS = np.array(
    [[-1, -1, -1], [1, -1, -1], [1, 1, -1], [-1, 1, -1], [-1, -1, 1], [1, -1, 1], [1, 1, 1], [-1, 1, 1]], dtype=float
)


@dataclass(frozen=True)
class Elements:
    """Integration data of all cells; congruent cells share a block.

    Attributes:
        gradients: (blocks, points, corners, 3) d phi_a / dX [1/m].
        weights: (blocks, points) rest volume that a point stands for [m^3].
        values: (points, corners) phi_a at the points.
        blocks: (m,) the block of each cell.
    """

    gradients: Array
    weights: Array
    values: Array
    blocks: Ids

    def cell_mass(self) -> Array:
        """int phi_a phi_b dV of every block, (blocks, corners, corners) [m^3]."""
        if self.values.shape[1] == 4:
            return self.weights[:, 0, None, None] / 20 * (1 + np.eye(4))
        return np.einsum("bp,pi,pj->bij", self.weights, self.values, self.values)


def elements(mesh: Mesh) -> Elements:
    """Integration data of a mesh."""
    return _tet4(mesh) if mesh.kind == "tet" else _hex8(mesh)


def _tet4(mesh: Mesh) -> Elements:
    corners = mesh.vertices[mesh.cells]
    edges = corners[:, 1:] - corners[:, :1]
    inner = np.linalg.inv(edges).transpose(0, 2, 1)
    gradients = np.concatenate([-inner.sum(axis=1, keepdims=True), inner], axis=1)[:, None]
    weights = np.linalg.det(edges)[:, None] / 6
    return Elements(gradients, weights, np.full((1, 4), 0.25), np.arange(mesh.cell_count))


def _hex8(mesh: Mesh) -> Elements:
    corners = mesh.vertices[mesh.cells]
    shapes, blocks = _congruent(corners - corners[:, :1])
    points, point_weights = _gauss_cube(3)
    values = np.prod(1 + points[:, None] * HEX_CORNERS, axis=2) / 8
    local = _local_gradients(points)
    jacobian = np.einsum("bai,paj->bpij", shapes, local)  # dX_i / dxi_j
    gradients = np.einsum("paj,bpji->bpai", local, np.linalg.inv(jacobian))
    return Elements(gradients, point_weights * np.linalg.det(jacobian), values, blocks)


def _congruent(shapes: Array) -> tuple[Array, Ids]:
    """Distinct corner arrangements up to rounding, and the one of each cell."""
    # Voxels of a grid far from the origin differ by rounding of their coordinates, not in shape.
    grain = 1e-9 * np.abs(shapes).max()
    _, first, blocks = np.unique(
        np.round(shapes.reshape(len(shapes), -1) / grain), axis=0, return_index=True, return_inverse=True
    )
    return shapes[first], blocks.ravel()


def _gauss_cube(order: int) -> tuple[Array, Array]:
    x, w = np.polynomial.legendre.leggauss(order)
    return np.array(list(product(x, x, x))), np.array([a * b * c for a, b, c in product(w, w, w)])


def _local_gradients(points: Array) -> Array:
    """d phi_a / d xi at the points, (points, 8, 3)."""
    factors = 1 + points[:, None] * HEX_CORNERS
    others = factors[:, :, [1, 2, 0]] * factors[:, :, [2, 0, 1]]
    return HEX_CORNERS * others / 8
