"""Cubature: forces of any material from a few points with positive weights ([MR12] section 3.1).

    f = sum_e w_e G_e^T P(F_e),   K = sum_e w_e G_e^T (dP/dF) G_e,   F_e = I + G_e q

G_e (9, r) is the displacement gradient of the basis vectors at point e. Positive weights and clamped dP/dF make K
positive semidefinite.
"""

from dataclasses import dataclass, replace
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numba import njit
from numpy.typing import DTypeLike

from pliant.errors import Array, Ids
from pliant.fem import Material, Solid
from pliant.fem.material import clamped_stress_derivative, energy, implements, stress
from pliant.numerics.specialisation import specialised
from pliant.reduced.force import Force, jet_at
from pliant.reduced.groups import Groups


class CubaturePoints(NamedTuple):
    """What the compiled jet reads: constants, weights [m^3] and gradients (points, 9, r) of the points, and room."""

    parameters: Any
    weights: Array
    gradients: Array
    product: Array


@dataclass(frozen=True, eq=False)
class CubatureForce(Force):
    """Attributes:
    material_law: what P follows from.
    constants: (c, points) young, poisson, density and whatever else the material has, at the points.
    cells: (points,) the cell of each point.
    weights: (points,) [m^3].
    gradients: (points, 9, r) [1/m].
    errors: rms and largest relative force error on simulated states that were not trained on (2,).
    """

    kind: ClassVar[str] = "cubature"
    material_law: type[Material]
    constants: Array
    cells: Ids
    weights: Array
    gradients: Array
    errors: Array

    def __repr__(self) -> str:
        return f"CubatureForce(r={self.size}, {len(self.weights)} points, {self.material_law.__name__})"

    @property
    def size(self) -> int:
        return self.gradients.shape[2]

    def compiled(self, dtype: DTypeLike = np.float64) -> CubaturePoints:
        material = self.material_law(**dict(zip(self.material_law.constant_names(), self.constants)))
        parameters = material.parameters(len(self.weights))
        weights, gradients = np.array(self.weights), np.array(self.gradients)
        return CubaturePoints(parameters, weights, gradients, np.zeros((9, self.size)))

    def truncate(self, size: int) -> "CubatureForce":
        return replace(self, gradients=np.ascontiguousarray(self.gradients[:, :, :size]))

    def with_groups(self, groups: Groups) -> "CubatureForce":
        return replace(self, constants=np.stack(list(groups.per_cell.values()))[:, self.cells])

    def arrays(self) -> dict[str, Array]:
        return {name: getattr(self, name) for name in ("constants", "cells", "weights", "gradients", "errors")}


@implements(jet_at, CubaturePoints)
def _cubature_jet(force, z, jet):
    _sum_points(force.parameters, force.weights, force.gradients, force.product, z, jet)


@specialised
def _sum_points(parameters, weights, gradients, product, z, jet):
    pitch, r = len(z), gradients.shape[2]
    jet[:] = 0
    F, P, D = np.empty((3, 3)), np.empty((3, 3)), np.empty((9, 9))
    for e in range(len(weights)):
        G, w = gradients[e], weights[e]
        deform(G, z, F)
        jet[0] += w * energy(parameters, e, F)
        stress(parameters, e, F, P)
        clamped_stress_derivative(parameters, e, F, D)
        for k in range(9):
            for i in range(r):
                product[k, i] = 0.0
            for l in range(9):
                for i in range(r):
                    product[k, i] += w * D[k, l] * G[l, i]
        for j in range(r):
            row = (j + 1) * pitch
            for k in range(9):
                jet[row] += w * P[k // 3, k % 3] * G[k, j]
                for i in range(j + 1):
                    jet[row + i + 1] += G[k, j] * product[k, i]
    for j in range(1, r + 1):
        jet[j * pitch + j] *= 0.5


@njit(cache=True, nogil=True)
def deform(G, z, F):
    """F = I + G q with z = (1, q ..)."""
    for k in range(9):
        total = 1.0 if k % 4 == 0 else 0.0
        for i in range(G.shape[1]):
            total += G[k, i] * z[i + 1]
        F[k // 3, k % 3] = total


def point_gradients(solid: Solid, U: Array, points: Ids) -> Array:
    """G (k, 9, r) at integration points, numbered cell by cell."""
    e = solid.elements
    cells, local = np.divmod(points, e.gradients.shape[1])
    slopes = e.gradients[e.blocks[cells], local]
    nodal = U.reshape(-1, 3, U.shape[1])[solid.mesh.cells[cells]]
    return np.einsum("kair,kab->kibr", nodal, slopes).reshape(len(points), 9, -1)
