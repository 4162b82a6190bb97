"""One door to the sparse factorisations: checks the matrix and chooses the backend."""

from typing import Any

import numpy as np
import scipy.sparse as sp

from pliant.errors import ArgumentError, Array, SingularMatrix, check_choice
from pliant.numerics.pardiso import PardisoFactor, mkl_library
from pliant.numerics.sparse_factor import Factor
from pliant.numerics.superlu import SuperFactor


def factor(A: sp.sparray | sp.spmatrix, definite: bool = True, backend: str = "auto") -> Factor:
    """Factor a symmetric sparse matrix.

    Args:
        A: symmetric (n, n), both triangles stored.
        definite: promise that A is positive definite: twice as fast, and `SingularMatrix` if it is not.
        backend: "pardiso" (needs the extra `fast`), "superlu", or "auto": the first that is installed.

    Raises:
        SingularMatrix: A has no usable factor.
    """
    check_choice("backend", backend, ("auto", "pardiso", "superlu"))
    matrix = _checked(A)
    if backend != "superlu":
        library = mkl_library(required=backend == "pardiso")
        if library is not None:
            return PardisoFactor(matrix, definite, library)
    return SuperFactor(matrix, definite)


class PatternSolver:
    """Solves with one matrix after the other, all of one pattern: its analysis is done once."""

    def __init__(self, definite: bool = True):
        self.definite = definite
        self._factor: Factor | None = None

    def analyse(self, A: sp.csr_matrix) -> None:
        """Order and scale by this matrix what is solved from now on; else the first one that is solved decides."""
        self._factor = factor(A, self.definite)

    @property
    def analysed(self) -> bool:
        return self._factor is not None

    def solve(self, A: sp.csr_matrix, b: Array) -> Array:
        """x with A x = b. Raises `SingularMatrix`."""
        if self._factor is None:
            self._factor = factor(A, self.definite)
        else:
            self._factor.update(A)
        return self._factor.solve(b)

    def solve_again(self, b: Array) -> Array:
        """x with the last A."""
        assert self._factor is not None
        return self._factor.solve(b)


def _checked(A: Any) -> sp.csr_matrix:
    if not sp.issparse(A) or A.shape[0] != A.shape[1] or A.shape[0] == 0:
        raise ArgumentError(f"a square sparse matrix is needed; {getattr(A, 'shape', type(A).__name__)} was given")
    matrix = sp.csr_matrix(A, dtype=np.float64)
    if not matrix.has_canonical_format:
        matrix = matrix.copy()
        matrix.sum_duplicates()
    if not np.isfinite(matrix.data).all():
        raise ArgumentError("the matrix must be finite; it holds NaN or infinity")
    if (np.diff(matrix.indptr) == 0).any():
        raise SingularMatrix("the matrix is singular: a row is empty; is there a vertex that no cell uses?")
    return matrix
