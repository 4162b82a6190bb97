"""A basis: the columns that span the shapes a reduced solid can take, u = U q."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from pliant.errors import ArgumentError, Array, BasisError, check_array, check_count
from pliant.fem import Solid

DEPENDENT = (
    1e-14  # smallest eigenvalue of the Gram matrix of unit columns; below it a reduced mass has no Cholesky factor
)


@dataclass(frozen=True, eq=False, init=False, repr=False)
class Basis:
    """Any linearly independent columns; pliant's own builders make them M-orthonormal. Arrays are read-only.

    Attributes:
        vectors: U (3n, r), zero on fixed vertices.
        singular_values: (r,) falling, where the basis came from a mass-PCA; else None.
        frequencies: (k,) [rad/s] of the vibration modes that went in; else None.
        counted: whether somebody said how many columns it has; if not, `reduce` measures how good they are.
        small_error: its largest error in small motion, where that was measured; else None.
        stiffness: (r,) factors of the elastic energy along each column, W(q) = V(U sqrt(stiffness) q); None: all one.
    """

    vectors: Array
    singular_values: Array | None
    frequencies: Array | None
    counted: bool
    stiffness: Array | None
    small_error: float | None

    def __init__(
        self,
        vectors: ArrayLike,
        singular_values: ArrayLike | None = None,
        frequencies: ArrayLike | None = None,
        counted: bool = True,
        stiffness: ArrayLike | None = None,
        small_error: float | None = None,
    ):
        U = check_array("vectors", vectors, (None, None), BasisError)
        _check_independent(U)
        extras = {"singular_values": singular_values, "frequencies": frequencies}
        kept = {name: None if x is None else check_array(name, x, (None,), BasisError) for name, x in extras.items()}
        kept["stiffness"] = None if stiffness is None else _checked_stiffness(stiffness, U.shape[1])
        self.__dict__.update({name: _read_only(x) for name, x in {"vectors": U, **kept}.items()})
        self.__dict__.update(counted=counted, small_error=small_error)

    @property
    def size(self) -> int:
        """r, the number of columns."""
        return self.vectors.shape[1]

    @property
    def elastic_vectors(self) -> Array:
        """U sqrt(stiffness) (3n, r): what reduced forces are made of."""
        return self.vectors if self.stiffness is None else self.vectors * np.sqrt(self.stiffness)

    def truncate(self, size: int) -> Basis:
        """The first `size` columns: the most important ones after a mass-PCA. Nobody knows their `small_error`."""
        size = check_count("size", size, at_most=self.size)
        values = None if self.singular_values is None else self.singular_values[:size]
        factors = None if self.stiffness is None else self.stiffness[:size]
        return Basis(self.vectors[:, :size], values, self.frequencies, stiffness=factors)

    def __repr__(self) -> str:
        return f"Basis({self.vectors.shape[0] // 3} vertices, {self.size} vectors)"


def check_solid(solid: Solid) -> Solid:
    """`solid`, which must be one."""
    if not isinstance(solid, Solid):
        raise ArgumentError(f"solid must be a pliant Solid; {type(solid).__name__} was given (use pl.Solid)")
    return solid


def check_fits(solid: Solid, basis: Basis) -> Basis:
    """`basis`, which must have the rows of `solid` and leave its fixed vertices alone."""
    if not isinstance(basis, Basis):
        raise BasisError(f"basis must be a pliant Basis; {type(basis).__name__} was given (use pl.Basis(vectors))")
    if basis.vectors.shape[0] != check_solid(solid).dof_count:
        raise BasisError(f"the basis has {basis.vectors.shape[0]} rows, the solid {solid.dof_count} dofs; rebuild it")
    if moved := np.abs(basis.vectors.reshape(-1, 3, basis.size)[solid.fixed]).sum():
        raise BasisError(f"the basis moves fixed vertices (sum of entries {moved:.2g}); set these rows to zero")
    return basis


def _check_independent(U: Array) -> None:
    rows, count = U.shape
    if rows % 3 or not 0 < count <= rows:
        raise BasisError(f"vectors must have 3 rows a vertex and at least one, at most 3n columns; {U.shape} was given")
    lengths = np.linalg.norm(U, axis=0)
    if (lengths == 0).any():
        raise BasisError(f"column {int(np.argmin(lengths))} of vectors is zero; leave it out")
    if np.linalg.eigvalsh((U.T @ U) / np.outer(lengths, lengths))[0] < DEPENDENT:
        raise BasisError(f"the {count} columns of vectors are linearly dependent; drop some or orthonormalise them")


def _checked_stiffness(stiffness: ArrayLike, size: int) -> Array:
    factors = check_array("stiffness", stiffness, (size,), BasisError)
    if not (factors > 0).all():
        raise BasisError(f"stiffness must be positive factors; {factors.min():.4g} was given")
    return factors


def _read_only(array: Array | None) -> Array | None:
    if array is None:
        return None
    frozen = array.copy()
    frozen.flags.writeable = False
    return frozen
