"""Linear forces f = K q: small motion, and sound ([MR12] section 2)."""

from dataclasses import dataclass, replace
from typing import ClassVar, NamedTuple

import numpy as np
from numba import njit
from numpy.typing import DTypeLike

from pliant.errors import ArgumentError, Array
from pliant.fem import Linear, Shell, Solid
from pliant.fem.material import implements
from pliant.fem.viscosity import LAME
from pliant.mesh import Mesh
from pliant.numerics.simd16 import WIDTH, fma, load, spread, store, total
from pliant.reduced.force import Force, aligned, jet_at, lower_rows, pitch_of
from pliant.reduced.groups import Groups
from pliant.reduced.shell_strain import shell_matrix


class LinearRows(NamedTuple):
    """Rows of L with K = L + L^T, and room for K q."""

    rows: Array
    product: Array


@dataclass(frozen=True, eq=False)
class LinearForce(Force):
    """Attributes:
    parts: (g, 2, r, r) stiffness for unit bulk and unit shear modulus of each group, of shells (g, 1, r, r) for unit
        Young's modulus; (1, 1, r, r) of a material that is
        not made of them.
    moduli: (g, 2) bulk and shear [Pa]; (1, 1) one.
    elastic: (c, g) the constants that such a material was given; None where `moduli` say it all.
    """

    kind: ClassVar[str] = "linear"
    parts: Array
    moduli: Array
    elastic: Array | None = None

    def __repr__(self) -> str:
        return f"LinearForce(r={self.size}, {len(self.moduli)} groups)"

    @property
    def size(self) -> int:
        return self.parts.shape[2]

    @property
    def matrix(self) -> Array:
        """K (r, r) [N/m for mass-normalised vectors: 1/s^2]."""
        return np.einsum("gp,gpij->ij", self.moduli, self.parts)

    def compiled(self, dtype: DTypeLike = np.float64) -> LinearRows:
        return LinearRows(lower_rows(self.matrix, dtype), aligned(pitch_of(self.size + 1), dtype))

    def truncate(self, size: int) -> "LinearForce":
        return replace(self, parts=np.ascontiguousarray(self.parts[:, :, :size, :size]))

    def with_groups(self, groups: Groups) -> "LinearForce":
        if self.elastic is None:
            return LinearForce(self.parts, groups.moduli)
        if not np.array_equal(self.elastic, _elastic(groups)):
            raise ArgumentError("this linear force is that of its constants; reduce a solid that has the new ones")
        return self

    def arrays(self) -> dict[str, Array]:
        return {"parts": self.parts} if self.elastic is None else {"parts": self.parts, "elastic": self.elastic}


def linear_force(solid: Solid, U: Array, groups: Groups) -> LinearForce:
    """U^T K U at rest, bulk and shear parts of every group."""
    if isinstance(solid, Shell):
        made = [shell_matrix(solid, U, np.flatnonzero(groups.labels == g)) for g in range(groups.count)]
        return LinearForce(np.stack(made)[:, None] / groups.moduli[:, :, None, None], groups.moduli)
    if type(solid.material) not in LAME:
        K = U.T @ (solid.stiffness() @ U)
        return LinearForce(0.5 * (K + K.T)[None, None], np.ones((1, 1)), _elastic(groups))
    return LinearForce(np.stack([_group_parts(solid, U, groups, g) for g in range(groups.count)]), groups.moduli)


def loaded_linear_force(arrays: dict[str, Array], groups: Groups) -> LinearForce:
    """From the `arrays` of a file."""
    if "elastic" in arrays:
        return LinearForce(arrays["parts"], np.ones((1, 1)), arrays["elastic"])
    return LinearForce(arrays["parts"], groups.moduli)


def _elastic(groups: Groups) -> Array:
    """All constants of every group but the density."""
    return np.stack([values for name, values in groups.constants.items() if name != "density"])


def _group_parts(solid: Solid, U: Array, groups: Groups, group: int) -> Array:
    """(2, r, r) for unit bulk and unit shear modulus of one group, from its cells alone.

    K of lam = mu = 1 is that of (E, nu) = (2.5, 0.25), and K of lam = 0, mu = 1 that of (2, 0); their difference has
    mu = 0.
    """
    cells = np.flatnonzero(groups.labels == group)
    mesh, vertices = solid.mesh.submesh(cells)
    rows = U.reshape(-1, 3, U.shape[1])[vertices].reshape(-1, U.shape[1])
    bulk, shear = groups.modulus_shares[:, cells]
    both, alone = (_projected(mesh, rows, E * bulk, nu) for E, nu in ((2.5, 0.25), (2.0, 0.0)))
    trace = both - alone
    if np.array_equal(bulk, shear):
        return np.stack([trace, alone - 2 / 3 * trace])
    both, alone = (_projected(mesh, rows, E * shear, nu) for E, nu in ((2.5, 0.25), (2.0, 0.0)))
    return np.stack([trace, alone - 2 / 3 * (both - alone)])


def _projected(mesh: Mesh, U: Array, young: Array, poisson: float) -> Array:
    """U^T K U of cells with these constants, one of Young's modulus for each."""
    K = U.T @ (Solid(mesh, Linear(young, poisson)).stiffness() @ U)
    return 0.5 * (K + K.T)


@implements(jet_at, LinearRows)
def _linear_jet(force, z, jet):
    _multiply(force.rows, z, force.product, jet)


@njit(cache=True, nogil=True)
def _multiply(rows, z, product, jet):
    pitch = len(z)
    n = len(rows) // pitch
    for i in range(0, pitch, WIDTH):
        store(product, i, spread(z.dtype.type(0)))
        store(jet, i, spread(z.dtype.type(0)))
    for j in range(1, n):
        z_j, dot = spread(z[j]), spread(z.dtype.type(0))
        for i in range(0, j + 1, WIDTH):
            L = load(rows, j * pitch + i)
            store(jet, j * pitch + i, L)
            store(product, i, fma(L, z_j, load(product, i)))
            dot = fma(L, load(z, i), dot)
        jet[j * pitch] = total(dot)
    for j in range(1, n):
        jet[j * pitch] += product[j]
        jet[0] += z.dtype.type(0.5) * z[j] * jet[j * pitch]
