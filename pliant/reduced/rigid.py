"""A rigid part: a shape with mass and no coordinates, wherever a reduced model may stand."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from pliant.errors import ArgumentError, Array, Ids
from pliant.fem import Linear, Solid
from pliant.mesh import Mesh
from pliant.reduced.groups import groups_of
from pliant.reduced.inertia import Inertia, grams


@dataclass(frozen=True, eq=False, init=False, repr=False)
class Rigid:
    """A rigid piece in its own frame: r = 0.

    Args:
        mesh: tets or hexes.
        density: [kg/m^3], one number or one a cell.

    Attributes:
        mesh, density: as given.
        inertia: inertia integrals, without the rows of a basis.
    """

    mesh: Mesh
    density: float | Array
    inertia: Inertia

    def __init__(self, mesh: Mesh, density: ArrayLike = 1000.0):
        if not isinstance(mesh, Mesh):
            raise ArgumentError(f"mesh must be a pliant Mesh; {type(mesh).__name__} was given (use pl.read_mesh)")
        if mesh.kind == "triangle":
            raise ArgumentError("a sheet of triangles has no inside; a rigid body is made of a mesh with cells")
        # Any elastic constants do: only the density is read.
        solid = Solid(mesh, Linear(1.0, 0.0, density))  # type: ignore[arg-type]
        groups = groups_of(solid)
        gram = np.einsum("g,gij->ij", groups.density, grams(solid, np.zeros((solid.dof_count, 0)), groups))
        gram.setflags(write=False)
        self.__dict__.update(mesh=mesh, density=solid.material.density, inertia=Inertia(gram))

    def __repr__(self) -> str:
        return f"Rigid({self.mesh.vertex_count} vertices, {self.inertia.mass:.4g} kg)"

    @property
    def size(self) -> int:
        """r = 0."""
        return 0

    @property
    def X(self) -> Array:
        """Rest positions (n, 3) [m]."""
        return self.mesh.vertices

    @cached_property
    def U(self) -> Array:
        """An empty basis (3n, 0)."""
        return np.zeros((3 * self.mesh.vertex_count, 0))

    @property
    def cells(self) -> Ids:
        return self.mesh.cells

    @cached_property
    def fixed(self) -> Ids:
        """No vertex is held."""
        return np.empty(0, dtype=np.int64)

    @property
    def mass(self) -> Array:
        """The reduced mass (0, 0); the total is `inertia.mass`."""
        return self.inertia.reduced_mass
