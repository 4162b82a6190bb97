"""Write a material of your own, rubber with cords along x, and stretch a bar of it.

psi = E/2 e:e + C/2 e_xx^2, small strains e without Poisson's effect; a bar of it along x answers (E + C) A strain.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

import pliant as pl
from pliant.fem import Material, material
from pliant.fem.material import implements


class CordParameters(NamedTuple):
    young: np.ndarray
    cords: np.ndarray


@dataclass(frozen=True, eq=False)
class Corded(Material):
    """Small strains, cords of modulus `cords` [Pa] along x."""

    cords: float | np.ndarray = 0.0

    def parameters(self, cell_count):
        return CordParameters(self.per_cell("young", cell_count), self.per_cell("cords", cell_count))


@implements(material.energy, CordParameters)
def energy(law, cell, F):
    e = 0.5 * (F + F.T) - np.eye(3)
    return 0.5 * law.young[cell] * (e * e).sum() + 0.5 * law.cords[cell] * e[0, 0] ** 2


@implements(material.stress, CordParameters)
def stress(law, cell, F, P):
    for i in range(3):
        for j in range(3):
            P[i, j] = law.young[cell] * (0.5 * (F[i, j] + F[j, i]) - (i == j))
    P[0, 0] += law.cords[cell] * (F[0, 0] - 1.0)


@implements(material.clamped_stress_derivative, CordParameters)
@implements(material.stress_derivative, CordParameters)
def stress_derivative(law, cell, F, D):
    D[:] = 0.0
    for i in range(3):
        for j in range(3):
            D[3 * i + j, 3 * i + j] += 0.5 * law.young[cell]
            D[3 * i + j, 3 * j + i] += 0.5 * law.young[cell]
    D[0, 0] += law.cords[cell]


@implements(material.stress_curvature, CordParameters)
def stress_curvature(law, cell, A, B, P):
    P[:] = 0.0


mesh = pl.shapes.bar((1, 0.1, 0.1), (6, 1, 1), kind="hex")
bar = pl.Solid(mesh, Corded(young=1e6, poisson=0.0, cords=4e6), fixed="x < 1e-9")
end = mesh.select("x > 0.9999")
load = np.zeros((mesh.vertex_count, 3))
load[end, 0] = 100 / len(end)  # 100 N in all
stretch = pl.solve_static(bar, load).reshape(-1, 3)[end, 0].mean()
print(f"stretched by {1e3 * stretch:.4f} mm; F L / ((E + C) A) = {1e3 * 100 / (5e6 * 0.01):.4f} mm")
assert abs(stretch / (100 / (5e6 * 0.01)) - 1) < 1e-9
