"""What every sparse factor can do: solve, and follow a matrix whose numbers change but whose pattern does not."""

from abc import ABC, abstractmethod

import numpy as np
import scipy.sparse as sp

from pliant.errors import ArgumentError, Array, SingularMatrix

REFINE_ABOVE = 1e-10  # backward error beyond which a solution gets one step of iterative refinement
REFUSE_ABOVE = 1e-6  # backward error beyond which the refined solution is refused
PROBE = 1e-2  # a known vector must come back with this relative error, or the matrix is singular to working precision


class Factor(ABC):
    """A factorised symmetric matrix A (n, n). A backend implements the abstract methods."""

    def __init__(self, A: sp.csr_matrix):
        self.matrix = A
        self._norm = _row_sum_norm(A)
        self._analyse(A)
        self._refactor(A)
        self._probe()

    def solve(self, b: Array) -> Array:
        """x with A x = b, for b (n,) or (n, k).

        The backward error |A x - b| / (|A| |x| + |b|) is checked; one refinement step repairs what pivoting lost.
        """
        b = np.asarray(b, dtype=np.float64)
        if b.ndim not in (1, 2) or b.shape[0] != self.matrix.shape[0]:
            raise ArgumentError(f"the right-hand side must have {self.matrix.shape[0]} rows; {b.shape} was given")
        if b.size == 0:
            return b.copy()
        x = self._substitute(b)
        residual = b - self.matrix @ x
        if self._backward_error(residual, x, b) > REFINE_ABOVE:
            x += self._substitute(residual)
            if not self._backward_error(b - self.matrix @ x, x, b) <= REFUSE_ABOVE:
                raise SingularMatrix("the matrix is singular to working precision; is a part of the body unsupported?")
        return x

    def update(self, A: sp.csr_matrix) -> None:
        """Factor a matrix with the pattern of the first one; the symbolic analysis is kept."""
        if not _same_pattern(A, self.matrix):
            raise ArgumentError("update needs a matrix with the pattern that was factored first; factor it afresh")
        self.matrix = A
        self._norm = _row_sum_norm(A)
        self._refactor(A)

    @abstractmethod
    def _analyse(self, A: sp.csr_matrix) -> None:
        """Work that depends on the pattern alone."""

    @abstractmethod
    def _refactor(self, A: sp.csr_matrix) -> None:
        """Work that depends on the numbers. Raises `SingularMatrix`."""

    @abstractmethod
    def _substitute(self, b: Array) -> Array:
        """Forward and back substitution for b (n,) or (n, k)."""

    @abstractmethod
    def close(self) -> None:
        """Give the memory back now; the factor cannot be used afterwards. Happens by itself on deletion."""

    def _backward_error(self, residual: Array, x: Array, b: Array) -> float:
        scale = self._norm * np.abs(x).max(axis=0) + np.abs(b).max(axis=0)
        return float(np.max(np.abs(residual).max(axis=0) / np.where(scale > 0, scale, 1.0)))

    def _probe(self) -> None:
        """Solve for a known vector: the only cheap way to see a null space that the right-hand sides never touch."""
        known = np.random.default_rng(0).standard_normal(self.matrix.shape[0])
        error = np.linalg.norm(self._substitute(self.matrix @ known) - known) / np.linalg.norm(known)
        if not error <= PROBE:
            raise SingularMatrix("the matrix is singular to working precision; is a part of the body unsupported?")


def _same_pattern(A: sp.csr_matrix, B: sp.csr_matrix) -> bool:
    if not sp.issparse(A) or A.format != "csr" or A.shape != B.shape or A.nnz != B.nnz:
        return False
    same_rows = A.indptr is B.indptr or np.array_equal(A.indptr, B.indptr)
    return bool(same_rows and (A.indices is B.indices or np.array_equal(A.indices, B.indices)))


def _row_sum_norm(A: sp.csr_matrix) -> float:
    return float(np.add.reduceat(np.abs(A.data), A.indptr[:-1]).max())
