"""Material groups: cells that share constants, which a reduced model can change without new precomputation."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from pliant.errors import ArgumentError, Array, Ids, check_array, check_count
from pliant.fem import Material, Solid

LIMIT = 16  # groups; a material that is graded more finely is one group, scaled as a whole
FACTORS = ("young", "density")  # constants that scale with their group's; all others are shifted


@dataclass(frozen=True, eq=False)
class Groups:
    """Constants of each group, and what every cell has in units of its group's.

    Attributes:
        labels: (m,) the group of each cell.
        young, poisson, density: (g,) [Pa], [-], [kg/m^3].
        shares: (c, m) young and density as factors, the others as differences, in the order of `constants`; (c, 1)
            where all cells have the group's.
        others: constants beyond these three that the material has, by name, each (g,).
        plane: whether these are triangles of a shell.
    """

    labels: Ids
    young: Array
    poisson: Array
    density: Array
    shares: Array
    others: Mapping[str, Array] = field(default_factory=dict)
    plane: bool = False

    def __post_init__(self) -> None:
        for array in (self.labels, self.shares, *self.constants.values()):
            array.setflags(write=False)

    def __repr__(self) -> str:
        return f"Groups({self.count} of {len(self.labels)} cells)"

    @property
    def count(self) -> int:
        return len(self.young)

    @property
    def constants(self) -> dict[str, Array]:
        """All constants by name, each (g,)."""
        return {"young": self.young, "poisson": self.poisson, "density": self.density, **self.others}

    @property
    def moduli(self) -> Array:
        """Bulk and shear modulus of every group (g, 2), of shells Young's (g, 1) [Pa]."""
        if self.plane:
            return self.young[:, None].copy()
        return _moduli(self.young, self.poisson)

    @property
    def modulus_shares(self) -> Array:
        """Both moduli of every cell in units of its group's (2, m)."""
        cells = self.per_cell
        return (_moduli(cells["young"], cells["poisson"]) / self.moduli[self.labels]).T

    @property
    def density_shares(self) -> Array:
        """The density of every cell in units of its group's (m,)."""
        return np.broadcast_to(self.shares[2], len(self.labels))

    @property
    def per_cell(self) -> dict[str, Array]:
        """All constants of every cell by name, each (m,)."""
        rows = np.broadcast_to(self.shares, (len(self.constants), len(self.labels)))
        return {
            name: values[self.labels] * row if name in FACTORS else values[self.labels] + row
            for (name, values), row in zip(self.constants.items(), rows)
        }

    def material(self, kind: type[Material]) -> Material:
        return kind(**self.per_cell)

    def changed(self, given: Mapping[str, ArrayLike | None], group: int | None = None) -> Groups:
        """With new constants of one group, or of all of them: one number, or one a group."""
        changes: dict[str, Any] = {
            name: self._new(name, value, group) for name, value in given.items() if value is not None
        }
        others = {name: changes.pop(name, values) for name, values in self.others.items()}
        return replace(self, **changes, others=others)

    def _new(self, name: str, value: ArrayLike, group: int | None) -> Array:
        if name not in self.constants:
            raise ArgumentError(f"{name} is not a constant of this material; it has {', '.join(self.constants)}")
        if name == "poisson" and self.plane:
            raise ArgumentError("Poisson's ratio is part of how the edges of a shell bend; build the model anew")
        if name not in FACTORS and self.shares.shape[1] > 1:
            title = "Poisson's ratio" if name == "poisson" else name
            raise ArgumentError(f"{title} differs from cell to cell here; build the model anew to change it")
        new = self.constants[name].copy()
        if group is not None:
            new[check_count("group", group, at_least=0, at_most=self.count - 1)] = check_array(name, value, ())
        elif np.ndim(value) == 0:
            new[:] = check_array(name, value, ())
        else:
            new[:] = check_array(name, value, new.shape)
        return new


def groups_of(solid: Solid) -> Groups:
    """Cells with equal constants share a group; beyond `LIMIT` kinds there is one group of mean constants."""
    m, names = solid.mesh.cell_count, solid.material.constant_names()
    constants = np.stack([solid.material.per_cell(name, m) for name in names])
    kinds, labels = np.unique(constants, axis=1, return_inverse=True)
    scaled = np.array([name in FACTORS for name in names])[:, None]
    if kinds.shape[1] <= LIMIT:
        return _groups(names, kinds, labels.ravel(), np.where(scaled, 1.0, 0.0), not solid.has_inside)
    mean = constants.mean(axis=1, keepdims=True)
    shares = np.where(scaled, constants / np.where(scaled, mean, 1.0), constants - mean)
    return _groups(names, mean, np.zeros(m, dtype=np.int64), shares, not solid.has_inside)


def _groups(names: tuple[str, ...], constants: Array, labels: Ids, shares: Array, plane: bool) -> Groups:
    young, poisson, density, *others = constants
    return Groups(labels, young, poisson, density, shares, dict(zip(names[3:], others)), plane)


def _moduli(young: Array, poisson: Array) -> Array:
    # Both are positive for every stable material, while lam is not.
    return np.stack([young / (3 * (1 - 2 * poisson)), young / (2 * (1 + poisson))], axis=1)
