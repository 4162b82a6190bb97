"""The von Mises stress of every cell: s = sigma - tr(sigma)/3 I,   von Mises = sqrt(3/2 s:s)."""

import numpy as np

from pliant.errors import Array
from pliant.fem.cauchy import cauchy_stress
from pliant.fem.material import Material
from pliant.mesh import Mesh


def von_mises_stress(mesh: Mesh, material: Material, u: Array) -> Array:
    """Von Mises stress (m,) [Pa] at displacements u (n, 3) [m]; not a number in cells that are turned inside out."""
    sigma = cauchy_stress(mesh, material, u)
    deviator = sigma - np.trace(sigma, axis1=1, axis2=2)[:, None, None] / 3 * np.eye(3)
    return np.sqrt(1.5 * (deviator**2).sum(axis=(1, 2)))
