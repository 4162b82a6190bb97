"""Cubic forces: St. Venant-Kirchhoff in a basis is exactly a cubic polynomial in q ([SI05] section 4).

W(q) is a quartic with coefficients c = sum_g bulk_g c_bulk,g + mu_g c_mu,g over the material groups g, so that Young's
modulus and Poisson's ratio change without new precomputation. Truncation is slicing.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np
from numpy.typing import DTypeLike

from pliant.errors import Array, BasisError
from pliant.fem import Shell, Solid
from pliant.numerics.progress import Progress
from pliant.reduced.force import Force
from pliant.reduced.groups import Groups
from pliant.reduced.jet import Quartic, quartic
from pliant.reduced.packing import coefficient_count, truncated, variable_count
from pliant.reduced.shell_strain import shell_coefficients
from pliant.reduced.strain import energy_coefficients

MOST = 150  # basis vectors: tables of 3 GB while they are computed


@dataclass(frozen=True, eq=False)
class CubicForce(Force):
    """Attributes:
    parts: (g, 2, C(r + 4, 4)) coefficients for unit bulk and shear modulus of each group, of shells (g, 1, ..) for unit
        Young's modulus, ordered as in `packing.py`.
    moduli: (g, 2) bulk and shear, of shells (g, 1) Young's [Pa].
    """

    kind: ClassVar[str] = "cubic"
    parts: Array
    moduli: Array

    def __repr__(self) -> str:
        return f"CubicForce(r={self.size}, {len(self.moduli)} groups)"

    @cached_property
    def size(self) -> int:
        return variable_count(self.parts.shape[2]) - 1

    @cached_property
    def coefficients(self) -> Array:
        """c (C(r + 4, 4),) of the quartic energy in (1, q)."""
        return np.einsum("gp,gpc->c", self.moduli, self.parts)

    def compiled(self, dtype: DTypeLike = np.float64) -> Quartic:
        return quartic(self.coefficients, self.size + 1, np.dtype(dtype))

    def truncate(self, size: int) -> "CubicForce":
        flat = truncated(self.parts.reshape(-1, self.parts.shape[2]), self.size + 1, size + 1)
        return CubicForce(flat.reshape(*self.parts.shape[:2], coefficient_count(size + 1)), self.moduli)

    def with_groups(self, groups: Groups) -> "CubicForce":
        return CubicForce(self.parts, groups.moduli)

    def arrays(self) -> dict[str, Array]:
        return {"parts": self.parts}


def cubic_force(solid: Solid, U: Array, groups: Groups, progress: Progress = None) -> CubicForce:
    """Precompute the polynomials of a solid, whatever its material, as if it were StVK with its lam and mu."""
    if U.shape[1] > MOST:
        raise BasisError(
            f"cubic forces take at most {MOST} basis vectors, since their memory grows with the fourth power; "
            f"{U.shape[1]} were given: use force='cells' or 'cubature', or fewer"
        )
    if isinstance(solid, Shell):
        cells_of = [np.flatnonzero(groups.labels == g) for g in range(groups.count)]
        made = [shell_coefficients(solid, U, cells, progress) for cells in cells_of]
        return CubicForce(np.stack(made)[:, None] / groups.moduli[:, :, None], groups.moduli)
    shares = groups.modulus_shares
    parts = []
    for g in range(groups.count):
        cells = np.flatnonzero(groups.labels == g)
        parts.append(energy_coefficients(solid, U, cells, shares[:, cells], progress))
    return CubicForce(np.stack(parts), groups.moduli)
