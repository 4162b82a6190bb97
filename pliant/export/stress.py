"""The von Mises stress of every cell, from the Cauchy stress averaged over its integration points.

sigma = P F^T / det F,   s = sigma - tr(sigma)/3 I,   von Mises = sqrt(3/2 s:s)
"""

import numpy as np

from pliant.errors import Array
from pliant.fem import Linear
from pliant.fem.assembly import deformation_gradient
from pliant.fem.elements import elements
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


def von_mises_stress(mesh: Mesh, material: Material, u: Array) -> Array:
    """Von Mises stress (m,) [Pa] at displacements u (n, 3) [m]; not a number in cells that are turned inside out.

    In a `Linear` material all stresses are one and the same, so P itself is taken.
    """
    e, sigma = elements(mesh), np.zeros((mesh.cell_count, 3, 3))
    parameters = material.parameters(mesh.cell_count)
    _cauchy_stresses(
        parameters, mesh.cells, e.blocks, e.gradients, e.weights, np.array(u), isinstance(material, Linear), sigma
    )
    deviator = sigma - np.trace(sigma, axis1=1, axis2=2)[:, None, None] / 3 * np.eye(3)
    return np.sqrt(1.5 * (deviator**2).sum(axis=(1, 2)))
