"""A rigid part: a shape with mass and no coordinates, wherever a reduced model may stand."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from pliant.errors import ArgumentError, Array, Ids, check_array
from pliant.fem import Linear, Solid
from pliant.mesh import Mesh, Sheet
from pliant.mesh.slab import slab_of
from pliant.reduced.groups import groups_of
from pliant.reduced.inertia import Inertia, grams


@dataclass(frozen=True, eq=False, init=False, repr=False)
class Rigid:
    """A rigid piece in its own frame: r = 0.

    Args:
        mesh: tets or hexes; or a sheet of triangles, which gets cells between its faces.
        density: [kg/m^3], one number or one a cell.
        thickness: of a sheet [m], one number or one a triangle.

    Attributes:
        mesh, density: as given.
        inertia: inertia integrals, without the rows of a basis.
    """

    mesh: Mesh
    density: float | Array
    inertia: Inertia

    def __init__(self, mesh: Mesh, density: ArrayLike = 1000.0, thickness: ArrayLike | None = None):
        if not isinstance(mesh, Mesh):
            raise ArgumentError(f"mesh must be a pliant Mesh; {type(mesh).__name__} was given (use pl.read_mesh)")
        if isinstance(mesh, Sheet):
            if thickness is None:
                raise ArgumentError(
                    "a sheet of triangles has no inside; say how thick it is: pl.Rigid(sheet, 1000, 0.01)"
                )
            if np.ndim(density):
                density = np.repeat(check_array("density", density, (mesh.cell_count,)), 3)
            wide = check_array("thickness", np.broadcast_to(thickness, mesh.cell_count), (mesh.cell_count,))
            mesh = slab_of(mesh, wide).mesh
        elif thickness is not None:
            raise ArgumentError("thickness is for a sheet of triangles; this mesh has cells")
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
