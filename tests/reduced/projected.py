"""The oracle of the tests: f = U^T f(U q) and K = U^T K(U q) U, assembled on the full mesh every time. Slow, exact."""

from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import DTypeLike

from pliant.basis import Basis
from pliant.errors import ArgumentError, Array
from pliant.fem import Solid
from pliant.reduced import ReducedModel, reduce
from pliant.reduced.force import Force
from pliant.reduced.groups import Groups


@dataclass(frozen=True, eq=False)
class ProjectedForce(Force):
    """Attributes:
    solid: the full model.
    U: basis (3n, r).
    """

    kind: ClassVar[str] = "projected"
    solid: Solid
    U: Array

    @property
    def size(self) -> int:
        return self.U.shape[1]

    def jet(self, q: Array) -> Array:
        u, n = self.U @ q, self.size + 1
        f, K = self.solid.tangent(u)
        K = self.U.T @ (K @ self.U)
        rows = np.zeros((n, n))
        rows[0, 0], rows[1:, 0] = self.solid.energy(u), self.U.T @ f
        rows[1:, 1:] = np.tril(K) - 0.5 * np.diag(np.diag(K))
        return rows

    def compiled(self, dtype: DTypeLike = np.float64) -> Any:
        raise ArgumentError("a projected force is for comparison and cannot be stepped; reduce with cubic or cubature")

    def truncate(self, size: int) -> "ProjectedForce":
        return ProjectedForce(self.solid, self.U[:, :size])

    def with_groups(self, groups: Groups) -> "ProjectedForce":
        kind = type(self.solid.material)
        return ProjectedForce(Solid(self.solid.mesh, groups.material(kind), self.solid.fixed), self.U)

    def arrays(self) -> dict[str, Array]:
        return {}


def projected(solid: Solid, basis: Basis) -> ReducedModel:
    """The model whose force is the oracle."""
    return replace(reduce(solid, basis, force="linear"), force_law=ProjectedForce(solid, basis.vectors))
