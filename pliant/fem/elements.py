"""Cells of all kinds: gradients of the shape functions at the integration points, their weights, and masses.

g_a = (dX/dxi)^-T dN_a/dxi,   w = w_xi det dX/dxi,   X(xi) = sum_a N_a(xi) X_a

Hexes that bend have incompatible modes (Wilson et al. 1973), F = sum_a x_a (x) g_a + sum_k (x_k - x(p_k)) (x) G_k with

    G_k = (det J_0 / det J) J_0^-T db_k/dxi,   b_k = 1 - xi_k^2,   J = dX/dxi, J_0 that of the middle

so that G_k has no mean and uniform strain is exact in any shape (Taylor et al. 1976). What the inner nodes x_k do turns
with the cell, so rotations are strainless, and F is linear in all nodes, so that StVK stays a quartic.
"""

from dataclasses import dataclass

import numpy as np

from pliant.errors import Array, Ids
from pliant.mesh import Mesh
from pliant.mesh.integration import energy_rule, mass_rule
from pliant.mesh.shape_functions import INNER_SHARES, are_straight, determinants, jacobians, tabulated

SLICE = 4096  # cells whose points are held at a time


@dataclass(frozen=True)
class Elements:
    """Integration data of all cells; congruent cells share a block.

    Attributes:
        gradients: (blocks, points, nodes, 3) d phi_a / dX [1/m].
        weights: (blocks, points) rest volume that a point stands for [m^3].
        nodes: (blocks, nodes, 3) positions from the first node [m].
        blocks: (m,) the block of each cell.
    """

    gradients: Array
    weights: Array
    nodes: Array
    blocks: Ids

    def __post_init__(self) -> None:
        # One layout for all kinds of cells, so that what reads them is compiled once.
        for name in ("gradients", "weights"):
            object.__setattr__(self, name, np.ascontiguousarray(getattr(self, name)))

    def cell_mass(self) -> Array:
        """int phi_a phi_b dV of every block, (blocks, nodes, nodes) [m^3]."""
        count = self.nodes.shape[1]
        if count in (3, 4):
            return self.weights[:, 0, None, None] / (count * (count + 1)) * (1 + np.eye(count))
        points, weights = mass_rule(count)
        values, slopes = tabulated(count, points)
        if count == 10 and are_straight(self.nodes):
            return self.weights.sum(axis=1)[:, None, None] * (6 * weights * values.T @ values)
        products = (values[:, :, None] * values[:, None]).reshape(len(points), -1)
        starts = range(0, len(self.nodes), SLICE)
        masses = [weights * determinants(self.nodes[start : start + SLICE], slopes) @ products for start in starts]
        return np.concatenate(masses).reshape(-1, count, count)


def elements(mesh: Mesh) -> Elements:
    """Integration data of a mesh."""
    return _tet4(mesh) if mesh.kind == "tet" else _isoparametric(mesh)


def _tet4(mesh: Mesh) -> Elements:
    corners = mesh.vertices[mesh.cells]
    nodes = corners - corners[:, :1]
    edges = nodes[:, 1:]
    inner = np.linalg.inv(edges).transpose(0, 2, 1)
    gradients = np.concatenate([-inner.sum(axis=1, keepdims=True), inner], axis=1)[:, None]
    return Elements(gradients, np.linalg.det(edges)[:, None] / 6, nodes, np.arange(mesh.cell_count))


def _isoparametric(mesh: Mesh) -> Elements:
    corners = mesh.vertices[mesh.cells]
    nodes, blocks = corners - corners[:, :1], np.arange(mesh.cell_count)
    if mesh.kind != "tet10":
        nodes, blocks = _congruent(nodes)
    points, weights = energy_rule(nodes.shape[1], not are_straight(corners))
    slopes = tabulated(nodes.shape[1], points)[1]
    jacobian = jacobians(nodes, slopes)
    gradients = np.einsum("paj,bpji->bpai", slopes, np.linalg.inv(jacobian))
    if mesh.kind == "hex11":
        gradients = _bending(nodes, points, jacobian)
    return Elements(gradients, weights * np.linalg.det(jacobian), nodes, blocks)


def _bending(nodes: Array, points: Array, jacobian: Array) -> Array:
    """Gradients (blocks, points, 11, 3) of hexes that bend."""
    corners = np.einsum("paj,bpji->bpai", tabulated(8, points)[1], np.linalg.inv(jacobian))
    middle = jacobians(nodes[:, :8], tabulated(8, np.zeros((1, 3)))[1])[:, 0]
    scale = np.linalg.det(middle)[:, None] / np.linalg.det(jacobian)
    modes = -2 * scale[:, :, None, None] * points[:, :, None] * np.linalg.inv(middle)[:, None]
    return np.concatenate([corners - np.einsum("kc,bpki->bpci", INNER_SHARES, modes), modes], axis=2)


def _congruent(shapes: Array) -> tuple[Array, Ids]:
    """Distinct arrangements of nodes up to rounding, and the one of each cell."""
    # Voxels of a grid far from the origin differ by rounding of their coordinates, not in shape.
    grain = 1e-9 * np.abs(shapes).max()
    _, first, blocks = np.unique(
        np.round(shapes.reshape(len(shapes), -1) / grain), axis=0, return_index=True, return_inverse=True
    )
    return shapes[first], blocks.ravel()
