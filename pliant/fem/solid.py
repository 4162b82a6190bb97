"""The full model: a mesh of a material, some of its vertices fixed.

M a + C v + f(u) = f_ext,   f = dW/du,   K = df/du
"""

from __future__ import annotations

from functools import cached_property

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike

from pliant.errors import ArgumentError, Array, Ids, SelectionError, check_array, check_ids
from pliant.fem import assembly
from pliant.fem.elements import Elements, elements
from pliant.fem.material import Material
from pliant.fem.pattern import Pattern, Restriction, pattern
from pliant.mesh import Mesh
from pliant.mesh.notebook import surface_card


class Solid:
    """A deformable solid, unreduced. Immutable.

    Args:
        mesh: tets or hexes, linear or quadratic, or hexes that bend.
        material: its constants are one number or one a cell.
        fixed: vertices held at rest: ids, a boolean mask (n,), or an expression such as "x < 0.01". None: free.

    Attributes:
        fixed: (k,) fixed vertex ids.
        free: (f,) dofs that can move.
        elements: integration data: gradients, weights and blocks.
        parameters: material constants for compiled code.
        has_inside: whether cells fill space, and so can be turned inside out.
    """

    has_inside = True
    elements: Elements

    def __init__(self, mesh: Mesh, material: Material, fixed: ArrayLike | str | None = None):
        if not isinstance(mesh, Mesh):
            raise ArgumentError(f"mesh must be a pliant Mesh; {type(mesh).__name__} was given (use pl.read_mesh)")
        if not isinstance(material, Material):
            raise ArgumentError(f"material must be one such as pl.StVK(...); {type(material).__name__} was given")
        if mesh.kind == "triangle":
            raise ArgumentError("a Sheet of triangles has no inside; use pl.Shell(sheet, material, thickness)")
        self._hold(mesh, material, fixed_vertices(mesh, fixed))
        self.elements = elements(mesh)

    def _hold(self, mesh: Mesh, material: Material, fixed: Ids) -> None:
        self.mesh, self.material, self.fixed = mesh, material, fixed
        self.parameters = material.parameters(mesh.cell_count)
        self.density = material.per_cell("density", mesh.cell_count)
        held = np.zeros(mesh.vertex_count, dtype=bool)
        held[self.fixed] = True
        self.free: Ids = np.flatnonzero(np.repeat(~held, 3))
        if not len(self.free):
            raise ArgumentError("fixed holds every vertex; leave some free to move")

    def __repr__(self) -> str:
        mesh, of = self.mesh, type(self.material).__name__[:40]
        return (
            f"Solid({mesh.vertex_count} vertices, {mesh.cell_count} {mesh.kind} cells, {of}, {len(self.fixed)} fixed)"
        )

    def _repr_html_(self) -> str:
        mass = {"mass": f"{self.lumped_mass[::3].sum():.4g} kg"}
        facts = {"material": self.material, "fixed vertices": len(self.fixed), **self.mesh._facts(), **mass}
        return surface_card("Solid", facts, self.mesh.vertices, self.mesh.surface)

    def of_material(self, material: Material) -> Solid:
        """The same solid of another material."""
        return Solid(self.mesh, material, self.fixed)

    @property
    def dof_count(self) -> int:
        """3n."""
        return 3 * self.mesh.vertex_count

    @cached_property
    def pattern(self) -> Pattern:
        """Sparsity of stiffness and mass."""
        return pattern(self.mesh.cells, self.mesh.vertex_count)

    @cached_property
    def _restriction(self) -> Restriction:
        return self.pattern.restriction(self.free)

    @cached_property
    def mass(self) -> sp.csr_matrix:
        """Consistent mass (3n, 3n) [kg], with the pattern of the stiffness."""
        data, e = np.zeros(len(self.pattern.indices)), self.elements
        assembly.assemble_mass(
            self.mesh.cells, e.blocks, e.cell_mass(), self.density, self.pattern.places, self.pattern.pitch, data
        )
        data.setflags(write=False)
        return self.pattern.matrix(data)

    @cached_property
    def lumped_mass(self) -> Array:
        """A positive mass at every vertex (3n,) [kg]: row sums of the consistent mass of linear cells.

        Those of quadratic cells and of hexes that bend are negative at corners. Their cells spread their mass like the
        diagonal of the consistent mass instead (Hinton, Rock and Zienkiewicz 1976), which keeps total and, of straight
        quadratic cells, centre.
        """
        lumped = (
            self._row_sums if self.mesh.kind in ("tet", "hex", "triangle") else np.repeat(self._diagonal_shares(), 3)
        )
        lumped.setflags(write=False)
        return lumped

    @cached_property
    def _row_sums(self) -> Array:
        return np.asarray(self.mass.sum(axis=1)).ravel()

    def _diagonal_shares(self) -> Array:
        masses = self.elements.cell_mass()
        shares = np.einsum("baa->ba", masses)
        shares = shares * (masses.sum(axis=(1, 2)) / shares.sum(axis=1))[:, None]
        per_cell = self.density[:, None] * shares[self.elements.blocks]
        return np.bincount(self.mesh.cells.ravel(), per_cell.ravel(), self.mesh.vertex_count).astype(np.float64)

    def energy(self, u: ArrayLike) -> float:
        """Elastic energy W(u) [J]."""
        return float(assembly.assemble_energy(*self._arrays, self._nodal("u", u)))

    def force(self, u: ArrayLike) -> Array:
        """Internal force f(u) = dW/du (3n,) [N]."""
        f = np.zeros((self.mesh.vertex_count, 3))
        assembly.assemble_force(*self._arrays, self._nodal("u", u), f)
        return f.ravel()

    def stiffness(self, u: ArrayLike | None = None, clamp: bool = False) -> sp.csr_matrix:
        """K(u) = df/du (3n, 3n) [N/m]; None means rest. `clamp`: every cell's part is made semidefinite."""
        return self.tangent(np.zeros(self.dof_count) if u is None else u, clamp)[1]

    def tangent(self, u: ArrayLike, clamp: bool = False) -> tuple[Array, sp.csr_matrix]:
        """Force and stiffness in one pass."""
        f, data = np.zeros((self.mesh.vertex_count, 3)), np.zeros(len(self.pattern.indices))
        assembly.assemble_tangent(
            *self._arrays, self.pattern.places, self.pattern.pitch, self._nodal("u", u), clamp or None, f, data
        )
        return f.ravel(), self.pattern.matrix(data)

    def curvature(self, a: ArrayLike, b: ArrayLike) -> Array:
        """(H:a) b, the second derivative of the force at rest (3n,)."""
        f = np.zeros((self.mesh.vertex_count, 3))
        assembly.assemble_curvature(*self._arrays, self._nodal("a", a), self._nodal("b", b), f)
        return f.ravel()

    def curvatures(self, vectors: ArrayLike) -> Array:
        """(H:v_i) v_j for all pairs i <= j of the columns of (3n, k): (3n, k(k+1)/2), pairs in row order."""
        V = check_array("vectors", vectors, (self.dof_count, None))
        k = V.shape[1]
        f = np.zeros((k * (k + 1) // 2, self.mesh.vertex_count, 3))
        nodal = np.array(V.T, order="C").reshape(k, -1, 3)  # writable, as any other
        assembly.assemble_curvatures(*self._arrays, nodal, f)
        return f.reshape(len(f), -1).T

    def free_matrix(self, matrix: sp.csr_matrix) -> sp.csr_matrix:
        """Rows and columns of the free dofs of a matrix that `mass` or `stiffness` gave, or of their sums."""
        return self._restriction(matrix)

    def gravity_load(self, gravity: ArrayLike) -> Array:
        """M g (3n,) [N] for an acceleration (3,) [m/s^2]."""
        return self._row_sums * np.tile(check_array("gravity", gravity, (3,)), self.mesh.vertex_count)

    @cached_property
    def _arrays(self) -> tuple:
        e = self.elements
        return self.parameters, self.mesh.cells, e.blocks, e.gradients, e.weights

    def _nodal(self, name: str, u: ArrayLike) -> Array:
        flat = np.reshape(u, -1) if np.shape(u) == (self.mesh.vertex_count, 3) else u
        nodal = check_array(name, flat, (self.dof_count,)).reshape(-1, 3)
        # Compiled code treats read-only arrays as a type of their own; a copy is cheaper than a second compilation.
        return nodal if nodal.flags.writeable else nodal.copy()


def fixed_vertices(mesh: Mesh, fixed: ArrayLike | str | None, name: str = "fixed") -> Ids:
    """(k,) sorted ids of the vertices that `fixed` means, as of `Solid`."""
    if fixed is None:
        return np.empty(0, dtype=np.int64)
    if not isinstance(fixed, str):
        return np.unique(check_ids(name, fixed, mesh.vertex_count))
    ids = mesh.select(fixed)
    if not len(ids):
        low, high = mesh.vertices.min(axis=0), mesh.vertices.max(axis=0)
        raise SelectionError(
            f"{name} = {fixed!r} selects no vertex; the mesh spans x {low[0]:.4g} to {high[0]:.4g}, "
            f"y {low[1]:.4g} to {high[1]:.4g}, z {low[2]:.4g} to {high[2]:.4g}"
        )
    return ids
