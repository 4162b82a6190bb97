"""Cubature: forces of any material from a few points with positive weights ([MR12] section 3.1).

    f = sum_e w_e G_e^T P(F_e),   K = sum_e w_e G_e^T (dP/dF) G_e,   F_e = I + G_e q

G_e (9, r) is the displacement gradient of the basis vectors at point e. Positive weights and clamped dP/dF make K
positive semidefinite.
"""

from dataclasses import dataclass, replace
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import DTypeLike

from pliant.errors import Array, Ids
from pliant.fem import Material, Solid
from pliant.fem.material import implements
from pliant.numerics.gram import pitch_for
from pliant.numerics.inner import inner
from pliant.numerics.specialisation import specialised
from pliant.reduced.force import Force, aligned, jet_at, slab
from pliant.reduced.groups import Groups
from pliant.reduced.point_octets import RESPONSE, add_points

TOGETHER = 16  # points that are evaluated together


class Points(NamedTuple):
    """Weights [m^3] (points,) and gradients, flat (points, 9, pitch); `used` of them, then zeros to whole rounds."""

    used: int
    weights: Array
    gradients: Array


class CubatureWorkspace(NamedTuple):
    """Work space for one round of points, and the sums over all of them; flat but for those of a single point."""

    pitch: int
    width: int
    q: Array
    F: Array
    U: Array
    x: Array
    V: Array
    one_F: Array
    one_P: Array
    one_D: Array
    response: Array
    product: Array
    force: Array
    stiffness: Array


class CubaturePoints(NamedTuple):
    """What the compiled jet reads: constants of the material at the points, the points, and room."""

    parameters: Any
    points: Points
    workspace: CubatureWorkspace


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
        count, r = len(self.weights), self.size
        padded = -(-count // TOGETHER) * TOGETHER
        constants = np.pad(self.constants, ((0, 0), (0, padded - count)), mode="edge")
        material = self.material_law(**dict(zip(self.material_law.constant_names(), constants)))
        pitch = pitch_for(r, np.dtype(dtype).itemsize)
        weights, gradients = np.zeros(padded), aligned(padded * 9 * pitch, dtype)
        weights[:count] = self.weights
        gradients.reshape(padded, 9, pitch)[:count, :, :r] = self.gradients
        points = Points(count, weights, gradients)
        return CubaturePoints(material.parameters(padded), points, _workspace(r, pitch, dtype))

    def truncate(self, size: int) -> "CubatureForce":
        return replace(self, gradients=np.ascontiguousarray(self.gradients[:, :, :size]))

    def with_groups(self, groups: Groups) -> "CubatureForce":
        return replace(self, constants=np.stack(list(groups.per_cell.values()))[:, self.cells])

    def arrays(self) -> dict[str, Array]:
        return {name: getattr(self, name) for name in ("constants", "cells", "weights", "gradients", "errors")}


def _workspace(r: int, pitch: int, dtype: DTypeLike) -> CubatureWorkspace:
    lengths = [8 * RESPONSE, 72 * pitch, pitch, pitch * pitch]
    response, product, force, stiffness = slab(lengths, dtype)
    q, F, U, x, V = slab([pitch, 144, 144, 48, 144], np.float64)
    single = np.zeros((3, 3)), np.zeros((3, 3)), np.zeros((9, 9))
    return CubatureWorkspace(pitch, r, q, F, U, x, V, *single, response, product, force, stiffness)


@implements(jet_at, CubaturePoints)
def _cubature_jet(force, z, jet):
    _sum_points(force.parameters, force.points, force.workspace, z, jet)


@specialised
def _sum_points(parameters, points, workspace, z, jet):
    q, force, stiffness, pitch = workspace.q, workspace.force, workspace.stiffness, workspace.pitch
    force[:] = 0
    stiffness[:] = 0
    for i in range(workspace.width):
        q[i] = z[i + 1]
    jet[:] = 0
    jet[0] = add_points(parameters, points, workspace)
    for j in range(workspace.width):
        row = (j + 1) * len(z)
        jet[row] = force[j]
        for i in range(j + 1):
            jet[row + i + 1] = stiffness[j * pitch + i]
        jet[row + j + 1] *= 0.5


@inner
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
