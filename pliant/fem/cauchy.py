"""The Cauchy stress of every cell, averaged over its integration points: sigma = P F^T / det F."""

import numpy as np

from pliant.errors import Array
from pliant.fem.assembly import deformation_gradient
from pliant.fem.elements import elements
from pliant.fem.linear import Linear
from pliant.fem.material import Material, stress
from pliant.mesh import Mesh
from pliant.numerics.specialisation import specialised


@specialised
def _cauchy_stresses(material, cells, blocks, gradients, weights, u, linear, sigma):
    """Write the mean Cauchy stress of each cell into sigma (m, 3, 3); not a number where it is turned inside out."""
    F, P = np.empty((3, 3)), np.empty((3, 3))
    for c in range(len(cells)):
        total = 0.0
        for p in range(weights.shape[1]):
            weight = weights[blocks[c], p]
            deformation_gradient(u, cells[c], gradients[blocks[c], p], F)
            stress(material, c, F, P)
            total += weight
            if linear:
                sigma[c] += weight * P
            else:
                J = np.linalg.det(F)
                sigma[c] += (weight / J if J > 0 else np.nan) * (P @ F.T)
        sigma[c] /= total


def cauchy_stress(mesh: Mesh, material: Material, u: Array) -> Array:
    """(m, 3, 3) [Pa] at displacements u (n, 3) [m]; not a number in cells that are turned inside out.

    In a `Linear` material all stresses are one and the same, so P itself is taken.
    """
    e, sigma = elements(mesh), np.zeros((mesh.cell_count, 3, 3))
    parameters = material.parameters(mesh.cell_count)
    linear = isinstance(material, Linear)
    _cauchy_stresses(parameters, mesh.cells, e.blocks, e.gradients, e.weights, np.array(u), linear, sigma)
    return sigma


def at_vertices(mesh: Mesh, sigma: Array) -> Array:
    """(n, 3, 3) means of the cells around each vertex, larger cells counting more."""
    total, volume = np.zeros((mesh.vertex_count, 3, 3)), np.zeros(mesh.vertex_count)
    for corner in mesh.cells.T:
        np.add.at(total, corner, mesh.volumes[:, None, None] * sigma)
        np.add.at(volume, corner, mesh.volumes)
    return total / np.where(volume > 0, volume, 1.0)[:, None, None]
