"""The Cauchy stress of every cell, averaged over its integration points: sigma = P F^T / det F.

Of a shell that of its middle surface, sigma = F S F^T / |a_1 x a_2|, as if its thickness did not change.
"""

import numpy as np

from pliant.errors import Array
from pliant.fem.assembly import deformation_gradient
from pliant.fem.elements import elements
from pliant.fem.linear import Linear
from pliant.fem.material import Material, stress
from pliant.fem.shell import Shell
from pliant.mesh import Mesh
from pliant.mesh.sheet import Sheet
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
    if isinstance(mesh, Sheet):
        return _in_sheet(mesh, material, u)
    e, sigma = elements(mesh), np.zeros((mesh.cell_count, 3, 3))
    parameters = material.parameters(mesh.cell_count)
    linear = isinstance(material, Linear)
    _cauchy_stresses(parameters, mesh.cells, e.blocks, e.gradients, e.weights, np.array(u), linear, sigma)
    return sigma


def _in_sheet(sheet: Sheet, material: Material, u: Array) -> Array:
    shell = Shell(sheet, material, 1.0).data
    F = (shell.axes + np.einsum("tak,tai->tki", shell.slopes, np.asarray(u)[sheet.cells])).transpose(0, 2, 1)
    G = np.einsum("tik,til->tkl", F, shell.axes.transpose(0, 2, 1)) if shell.linear else F.transpose(0, 2, 1) @ F
    E = (G + G.transpose(0, 2, 1)) / 2 - np.eye(2) if shell.linear else (G - np.eye(2)) / 2
    strain = np.stack([E[:, 0, 0], E[:, 1, 1], np.sqrt(2) * E[:, 0, 1]], axis=1)
    S = np.einsum("tcd,td->tc", shell.membrane / sheet.volumes[:, None, None], strain)
    shear = S[:, 2] / np.sqrt(2)
    stress = np.stack([S[:, 0], shear, shear, S[:, 1]], axis=1).reshape(-1, 2, 2)
    if shell.linear:
        axes = shell.axes.transpose(0, 2, 1)
        return axes @ stress @ axes.transpose(0, 2, 1)
    area = np.linalg.norm(np.cross(F[:, :, 0], F[:, :, 1]), axis=1)
    return F @ stress @ F.transpose(0, 2, 1) / area[:, None, None]


def at_vertices(mesh: Mesh, sigma: Array) -> Array:
    """(n, 3, 3) means of the cells around each vertex, larger cells counting more."""
    total, volume = np.zeros((mesh.vertex_count, 3, 3)), np.zeros(mesh.vertex_count)
    for corner in mesh.cells.T:
        np.add.at(total, corner, mesh.volumes[:, None, None] * sigma)
        np.add.at(volume, corner, mesh.volumes)
    return total / np.where(volume > 0, volume, 1.0)[:, None, None]
