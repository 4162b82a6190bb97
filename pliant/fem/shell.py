"""A thin shell, unreduced: a sheet of triangles of a material and a thickness, some of its vertices held.

    W = sum_t A_t ( h/2 E : C E  +  h^3/24 e : C e ),   C = E/(1 - nu^2) (nu tr . I + (1 - nu) .)

E is the Green strain of the flat triangle and e the change of its second derivatives (`bending.py`), a vector each,
less what the curvature at rest turns with the triangle: |e| is the change of curvature where nothing stretches (as
the quadratic bending of Bergou et al. 2006; Garg et al. 2007 have curvature at rest). Both are quadratic in u, and W
does not feel rotations, so a shell in a basis is exactly a cubic polynomial, as a solid of StVK is ([SI05] section 4).
"""

from __future__ import annotations

from functools import cached_property

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike

from pliant.errors import ArgumentError, Array, Ids, MaterialError, check_array
from pliant.fem import shell_assembly
from pliant.fem.bending import bending
from pliant.fem.elements import Elements
from pliant.fem.linear import Linear
from pliant.fem.material import Material
from pliant.fem.pattern import Pattern, pattern
from pliant.fem.shell_assembly import ShellData
from pliant.fem.solid import Solid, fixed_vertices
from pliant.fem.stvk import StVK
from pliant.mesh import Mesh
from pliant.mesh.sheet import Sheet, as_sheet
from pliant.mesh.surface_input import SurfaceLike

ALL, TENSION, NONE = 2, 1, 0  # what of the stress counts in the stiffness


class Shell(Solid):
    """A thin deformable shell, plate or cloth, unreduced. Immutable; a `Solid` to all who ask.

    Args:
        surface: triangles, open or closed: a Surface, a path, a pair (vertices, triangles) or a Sheet. An edge belongs
            to two triangles at most. This is the middle of the shell.
        material: StVK, or Linear for small motion; constants are one number or one a triangle.
        thickness: [m], one number or one a triangle (m,).
        fixed: vertices held at rest, as of `Solid`; edges between two of them do not turn either, so that a fixed edge
            is clamped.
        hinged: vertices held at rest whose edges may turn: simply supported.

    Attributes:
        fixed: (k,) ids of the vertices that do not move, clamped or hinged.
        clamped, hinged: (c,), (h,) those of either sort.
        thickness: (m,) [m].
    """

    has_inside = False

    def __init__(
        self,
        surface: Mesh | SurfaceLike,
        material: Material,
        thickness: ArrayLike,
        fixed: ArrayLike | str | None = None,
        hinged: ArrayLike | str | None = None,
    ):
        if type(material) not in (StVK, Linear):
            given = type(material).__name__
            raise MaterialError(
                f"a shell is made of pl.StVK(...), or pl.Linear(...) for small motion; {given} was given"
            )
        sheet = as_sheet(surface)
        self.thickness = _checked_thickness(thickness, sheet)
        self.clamped = fixed_vertices(sheet, fixed)
        self.hinged: Ids = np.setdiff1d(fixed_vertices(sheet, hinged, "hinged"), self.clamped)
        self._hold(sheet, material, np.union1d(self.clamped, self.hinged))
        mask = np.zeros(sheet.vertex_count, dtype=bool)
        mask[self.clamped] = True
        self._bending = bending(sheet, mask)
        corners = sheet.vertices[sheet.cells]
        gradients = self._bending.slopes @ self._bending.axes
        weights = (sheet.volumes * self.thickness)[:, None]
        self.elements = Elements(gradients[:, None], weights, corners - corners[:, :1], np.arange(sheet.cell_count))

    def __repr__(self) -> str:
        mesh, of = self.mesh, type(self.material).__name__
        thin, thick = self.thickness.min(), self.thickness.max()
        high = f"{thin:.4g}" if thin == thick else f"{thin:.4g} to {thick:.4g}"
        return (
            f"Shell({mesh.vertex_count} vertices, {mesh.cell_count} triangles, {of}, {high} m, {len(self.fixed)} fixed)"
        )

    def of_material(self, material: Material) -> Shell:
        return Shell(self.mesh, material, self.thickness, self.clamped, self.hinged)

    @cached_property
    def pattern(self) -> Pattern:
        return pattern(self._bending.nodes, self.mesh.vertex_count)

    @cached_property
    def data(self) -> ShellData:
        """What compiled code reads."""
        b, m = self._bending, self.mesh.cell_count
        E, nu = self.material.per_cell("young", m), self.material.per_cell("poisson", m)
        C = plane_stress(E, nu) * self.mesh.volumes[:, None, None]
        bent = _without(C * (self.thickness**3 / 12)[:, None, None], b.loose)
        cells = np.array(self.mesh.cells)
        linear = isinstance(self.material, Linear)
        return ShellData(
            cells, b.axes, b.slopes, C * self.thickness[:, None, None], bent, b.nodes, b.rows, b.rest, linear
        )

    def energy(self, u: ArrayLike) -> float:
        return float(shell_assembly.shell_energy(self.data, self._nodal("u", u)))

    def force(self, u: ArrayLike) -> Array:
        f = np.zeros((self.mesh.vertex_count, 3))
        shell_assembly.shell_force(self.data, self._nodal("u", u), f)
        return f.ravel()

    def tangent(self, u: ArrayLike, clamp: bool = False) -> tuple[Array, sp.csr_matrix]:
        return self._tangent(u, TENSION if clamp else ALL)

    def viscosity(self, u: ArrayLike) -> Array:
        """Data, on the pattern, of the stiffness without that of the stress: what brakes strain and nothing else."""
        return self._tangent(u, NONE)[1].data

    def _tangent(self, u: ArrayLike, geometric: int) -> tuple[Array, sp.csr_matrix]:
        f, data = np.zeros((self.mesh.vertex_count, 3)), np.zeros(len(self.pattern.indices))
        at = self.pattern
        shell_assembly.shell_tangent(self.data, at.places, at.pitch, self._nodal("u", u), geometric, f, data)
        return f.ravel(), at.matrix(data)

    def curvature(self, a: ArrayLike, b: ArrayLike) -> Array:
        pair = np.stack([self._nodal("a", a), self._nodal("b", b)])
        return self._curvatures(pair, np.array([0]), np.array([1]))[:, 0]

    def curvatures(self, vectors: ArrayLike) -> Array:
        V = check_array("vectors", vectors, (self.dof_count, None))
        return self._curvatures(np.array(V.T, order="C").reshape(V.shape[1], -1, 3), *np.triu_indices(V.shape[1]))

    def _curvatures(self, nodal: Array, first: Ids, second: Ids) -> Array:
        f = np.zeros((len(first), self.mesh.vertex_count, 3))
        if not self.data.linear:
            shell_assembly.shell_curvatures(self.data, nodal, first, second, f)
        return f.reshape(len(f), -1).T


def plane_stress(young: Array, poisson: Array) -> Array:
    """C (m, 3, 3) [Pa] for strains (11, 22, sqrt 2 12)."""
    C = np.zeros((len(young), 3, 3))
    C[:, 0, 0] = C[:, 1, 1] = 1.0
    C[:, 0, 1] = C[:, 1, 0] = poisson
    C[:, 2, 2] = 1 - poisson
    return C * (young / (1 - poisson**2))[:, None, None]


def _without(C: Array, loose: Array) -> Array:
    """C - C m (m^T C m)^-1 m^T C for all m (m, 3, 3) that are not zero, one after the other."""
    for m in loose.transpose(1, 0, 2):
        Cm = np.einsum("tij,tj->ti", C, m)
        resistance = np.einsum("ti,ti->t", m, Cm)
        left = resistance > 1e-9 * np.einsum("tii,tj,tj->t", C, m, m)
        C = C - np.where(left, 1 / np.where(left, resistance, 1.0), 0.0)[:, None, None] * Cm[:, :, None] * Cm[:, None]
    return C


def _checked_thickness(thickness: ArrayLike, sheet: Sheet) -> Array:
    given = check_array("thickness", thickness, (None,) * min(np.ndim(thickness), 1))
    if given.ndim and len(given) != sheet.cell_count:
        raise ArgumentError(
            f"thickness has {len(given)} values and the shell {sheet.cell_count} triangles; give one number or one each"
        )
    if not (given > 0).all():
        raise ArgumentError(f"thickness must be above 0 m; {np.min(given):g} was given")
    values = np.array(np.broadcast_to(given, sheet.cell_count))
    values.setflags(write=False)
    return values
