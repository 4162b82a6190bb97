"""Material groups: cells that share constants, which a reduced model can change without new precomputation."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from pliant.errors import ArgumentError, Array, Ids, check_array, check_count
from pliant.fem import Material, Solid

LIMIT = 16  # groups; a material that is graded more finely is one group, scaled as a whole


@dataclass(frozen=True, eq=False)
class Groups:
    """Constants of each group, and what every cell has in units of its group's.

    Attributes:
        labels: (m,) the group of each cell.
        young, poisson, density: (g,) [Pa], [-], [kg/m^3].
        shares: (3, m) young and density as factors, poisson as a difference; (3, 1) where all cells have the group's.
    """

    labels: Ids
    young: Array
    poisson: Array
    density: Array
    shares: Array

    def __post_init__(self) -> None:
        for array in (self.labels, self.young, self.poisson, self.density, self.shares):
            array.setflags(write=False)

    @property
    def count(self) -> int:
        return len(self.young)

    @property
    def moduli(self) -> Array:
        """Bulk and shear modulus of every group (g, 2) [Pa]."""
        return _moduli(self.young, self.poisson)

    @property
    def modulus_shares(self) -> Array:
        """Both moduli of every cell in units of its group's (2, m)."""
        young, poisson, _ = self.per_cell
        return (_moduli(young, poisson) / self.moduli[self.labels]).T

    @property
    def per_cell(self) -> tuple[Array, Array, Array]:
        """young, poisson and density of every cell, each (m,)."""
        factor, shift, weight = np.broadcast_to(self.shares, (3, len(self.labels)))
        g = self.labels
        return self.young[g] * factor, self.poisson[g] + shift, self.density[g] * weight

    def material(self, kind: type[Material]) -> Material:
        return kind(*self.per_cell)

    def changed(
        self,
        young: ArrayLike | None = None,
        poisson: ArrayLike | None = None,
        density: ArrayLike | None = None,
        group: int | None = None,
    ) -> "Groups":
        """With new constants of one group, or of all of them: one number, or one a group."""
        given = {"young": young, "poisson": poisson, "density": density}
        if poisson is not None and self.shares.shape[1] > 1:
            raise ArgumentError("Poisson's ratio differs from cell to cell here; build the model anew to change it")
        changes: dict[str, Any] = {
            name: self._new(name, value, group) for name, value in given.items() if value is not None
        }
        result = replace(self, **changes)
        Constants(result.young, result.poisson, result.density)
        return result

    def _new(self, name: str, value: ArrayLike, group: int | None) -> Array:
        new = getattr(self, name).copy()
        if group is not None:
            new[check_count("group", group, at_least=0, at_most=self.count - 1)] = check_array(name, value, ())
        elif np.ndim(value) == 0:
            new[:] = check_array(name, value, ())
        else:
            new[:] = check_array(name, value, new.shape)
        return new


class Constants(Material):
    """A material without a law: lends its range checks."""

    def parameters(self, cell_count: int) -> None:
        raise NotImplementedError


def groups_of(solid: Solid) -> Groups:
    """Cells with equal constants share a group; beyond `LIMIT` kinds there is one group of mean constants."""
    m, material = solid.mesh.cell_count, solid.material
    constants = np.stack([material.per_cell(name, m) for name in ("young", "poisson", "density")])
    kinds, labels = np.unique(constants, axis=1, return_inverse=True)
    if kinds.shape[1] <= LIMIT:
        young, poisson, density = kinds
        return Groups(labels.ravel(), young, poisson, density, np.array([[1.0], [0.0], [1.0]]))
    mean = constants.mean(axis=1, keepdims=True)
    shares = np.stack([constants[0] / mean[0], constants[1] - mean[1], constants[2] / mean[2]])
    young, poisson, density = mean
    return Groups(np.zeros(m, dtype=np.int64), young, poisson, density, shares)


def _moduli(young: Array, poisson: Array) -> Array:
    # Both are positive for every stable material, while lam is not.
    return np.stack([young / (3 * (1 - 2 * poisson)), young / (2 * (1 + poisson))], axis=1)
