"""One part: basis, reduced mass, reduced internal force and inertia integrals. Immutable, shared by its instances."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from os import PathLike

import numpy as np
from numpy.typing import ArrayLike

from pliant.basis import Basis
from pliant.basis import residual as full_residual
from pliant.basis.size_report import SizeReport
from pliant.errors import ArgumentError, Array, Ids, check_array, check_choice, check_count
from pliant.fem import Material, Shell, Solid, StVK
from pliant.fem.cauchy import at_vertices, cauchy_stress
from pliant.mesh import Mesh
from pliant.mesh.notebook import surface_card
from pliant.mesh.sheet import mesh_of
from pliant.reduced.file import write_arrays
from pliant.reduced.force import Force
from pliant.reduced.groups import Groups
from pliant.reduced.inertia import Inertia
from pliant.reduced.material_names import material_title, name_in_files

GROUP_ARRAYS = ("labels", "young", "poisson", "density", "shares")


@dataclass(frozen=True, eq=False)
class ReducedModel:
    """A deformable piece in its own frame; made by `reduce` or `load`.

    Attributes:
        X: rest positions (n, 3) [m].
        U: basis (3n, r).
        cells: (m, 4) or (m, 8) of the mesh it came from; (m, 3) of a shell.
        fixed: vertices that were held (k,).
        material_law: class of the material.
        groups: material groups and their constants.
        force_law: the reduced internal force.
        unit_grams: inertia of every group for density one.
        report: error over size, where the basis was chosen for a tolerance; else None.
        thickness: of every triangle of a shell (m,) [m]; None for solids.
        hinged: those of the fixed vertices of a shell at which it may turn; None for solids.
    """

    X: Array
    U: Array
    cells: Ids
    fixed: Ids
    material_law: type[Material]
    groups: Groups
    force_law: Force
    unit_grams: Array
    report: SizeReport | None = None
    thickness: Array | None = None
    hinged: Ids | None = None

    def __repr__(self) -> str:
        return f"ReducedModel(r={self.size}, {len(self.X)} vertices, {self.material}, {self.force_law.kind})"

    def _repr_html_(self) -> str:
        facts: dict[str, object] = {"coordinates": self.size, "of unknowns": 3 * len(self.X), "material": self.material}
        facts |= {"force": self.force_law.kind, "mass": f"{self.inertia.mass:.4g} kg"}
        if self.report is not None:
            facts["error of its basis"] = f"{self.report.error:.2%}"
        return surface_card("ReducedModel", facts, self.X, self.mesh.surface)

    @property
    def size(self) -> int:
        """r."""
        return self.U.shape[1]

    @property
    def material(self) -> str:
        """Name of the material law."""
        return material_title(self.material_law)

    @property
    def basis(self) -> Basis:
        return Basis(self.U)

    @cached_property
    def mesh(self) -> Mesh:
        return mesh_of(self.X, self.cells)

    @cached_property
    def solid(self) -> Solid:
        """The unreduced solid, rebuilt."""
        material = self.groups.material(self.material_law)
        if self.thickness is None:
            return Solid(self.mesh, material, self.fixed)
        clamped = np.setdiff1d(self.fixed, np.zeros(0, np.int64) if self.hinged is None else self.hinged)
        return Shell(self.mesh, material, self.thickness, clamped, self.hinged)

    @cached_property
    def inertia(self) -> Inertia:
        """Inertia integrals for the present densities."""
        return Inertia(np.einsum("g,gij->ij", self.groups.density, self.unit_grams))

    @property
    def mass(self) -> Array:
        """U^T M U (r, r) [kg]."""
        return self.inertia.reduced_mass

    def energy(self, q: ArrayLike) -> float:
        """Elastic energy W(q) [J]."""
        return float(self.force_law.jet(self._checked(q))[0, 0])

    def force(self, q: ArrayLike) -> Array:
        """Internal force dW/dq (r,)."""
        return self.force_law.jet(self._checked(q))[1:, 0].copy()

    def stiffness(self, q: ArrayLike | None = None) -> Array:
        """K = df/dq (r, r); None means rest."""
        L = self.force_law.jet(np.zeros(self.size) if q is None else self._checked(q))[1:, 1:]
        return L + L.T

    def stiffness_derivative(self, q: ArrayLike, v: ArrayLike) -> Array:
        """dK[v] (r, r), the derivative of K along v (r,); exact for StVK, whose K is quadratic in q."""
        q, v = self._checked(q), self._checked(v)
        largest = np.abs(self.U @ v).max()
        exact = self.force_law.kind in ("cubic", "linear") or largest == 0
        exact |= self.force_law.kind == "cells" and self.material_law is StVK
        step = 1.0 if exact else 1e-4 * np.ptp(self.X, axis=0).max() / largest
        return (self.stiffness(q + step * v) - self.stiffness(q - step * v)) / (2 * step)

    def stress(self, q: ArrayLike, at: str = "cells") -> Array:
        """Cauchy stress [Pa] at q (r,): (m, 3, 3), the mean of every cell, about that at its centre; or (n, 3, 3).

        Of a shell that of its middle surface: what bending adds on both faces is not in it.

        Args:
            at: "cells", or "vertices": means of the cells around each, larger ones counting more.
        """
        check_choice("at", at, ("cells", "vertices"))
        u = (self.U @ self._checked(q)).reshape(-1, 3)
        sigma = cauchy_stress(self.mesh, self.solid.material, u)
        return sigma if at == "cells" else at_vertices(self.mesh, sigma)

    def residual(self, q: ArrayLike, load: ArrayLike | None = None) -> float:
        """Relative displacement error that the full model would see in the state U q; see `pliant.basis.residual`."""
        return full_residual(self.solid, self.basis, self._checked(q), load)

    def truncate(self, size: int) -> ReducedModel:
        """The model of the first `size` basis vectors; no precomputation."""
        size = check_count("size", size, at_most=self.size)
        keep = 4 + 3 * size
        return replace(
            self,
            U=_read_only(self.U[:, :size]),
            force_law=self.force_law.truncate(size),
            unit_grams=_read_only(self.unit_grams[:, :keep, :keep]),
            report=None,
        )

    def with_material(
        self,
        young: ArrayLike | None = None,
        poisson: ArrayLike | None = None,
        density: ArrayLike | None = None,
        group: int | None = None,
        **others: ArrayLike,
    ) -> ReducedModel:
        """The model with other constants, one number or one a group, or of one `group`; no precomputation.

        `others` are constants that the material has beyond these three, by name.
        With another density the basis is not mass-orthonormal any more; `mass` is exact all the same.
        """
        given = {"young": young, "poisson": poisson, "density": density, **others}
        groups = self.groups.changed(given, group)
        self.material_law(**groups.constants)  # checks their ranges
        return replace(self, groups=groups, force_law=self.force_law.with_groups(groups))

    def save(self, path: str | PathLike) -> None:
        """Write the model to a file, whole or not at all."""
        law, groups = self.force_law, self.groups
        if groups.plane and self.thickness is None:
            raise ArgumentError(
                "this is a shell between the faces that a world gave it; save the model of the shell itself"
            )
        arrays = {name: getattr(self, name) for name in ("X", "U", "cells", "fixed", "unit_grams")}
        arrays |= {f"groups.{name}": getattr(groups, name) for name in GROUP_ARRAYS}
        arrays |= {f"force.{name}": array for name, array in law.arrays().items()}
        arrays |= {f"groups.others.{name}": values for name, values in groups.others.items()}
        if self.report is not None:
            arrays |= {f"report.{name}": array for name, array in self.report.arrays().items()}
        if self.thickness is not None and self.hinged is not None:
            arrays |= {"shell.thickness": self.thickness, "shell.hinged": self.hinged}
        header = {"kind": "model", "material": name_in_files(self.material_law), "force": law.kind}
        write_arrays(path, header, arrays)

    def _checked(self, q: ArrayLike) -> Array:
        return check_array("q", q, (self.size,))


def _read_only(array: Array) -> Array:
    frozen = np.ascontiguousarray(array)
    frozen.setflags(write=False)
    return frozen
