"""Symmetric systems whose few null vectors are held by a border, without putting dense columns into the factor.

    [ A    B ] [x]   [b]
    [ B^T  0 ] [m] = [0]

A (n, n) sparse, singular or nearly so in as many directions as B (n, c) has columns. Springs on c well-chosen unknowns
make A + k S S^T regular and keep its pattern; its factor solves c columns more, and a dense system of size 2c takes the
springs out again. This is exact: how stiff the springs are does not matter.
"""

import numpy as np
import scipy.linalg as la
import scipy.sparse as sp

from pliant.errors import Array, Ids, SingularMatrix
from pliant.numerics.sparse import factor


class BorderedFactor:
    """The factored bordered matrix; `solve` returns x alone.

    Args:
        A: symmetric (n, n) with its diagonal stored.
        B: border (n, c), regular on the null space of A.
        definite: A is positive semidefinite, so that with springs it is definite.
    """

    def __init__(self, A: sp.csr_matrix, B: Array, definite: bool = True):
        self._border = B
        self._springs = _independent_rows(B)
        self._factor = factor(_with_springs(A, self._springs), definite)
        stiffness = A.diagonal()[self._springs]
        S = np.zeros(B.shape)
        S[self._springs, np.arange(len(stiffness))] = stiffness
        self._columns = self._factor.solve(np.hstack([S, -B]))
        count = B.shape[1]
        released = np.vstack([np.eye(count, 2 * count) - self._columns[self._springs], B.T @ self._columns])
        self._small = la.lu_factor(released)

    def solve(self, b: Array) -> Array:
        """x (n,) or (n, k) with A x + B m = b and B^T x = 0."""
        x = self._factor.solve(b)
        small = la.lu_solve(self._small, np.concatenate([x[self._springs], -(self._border.T @ x)]))
        if not np.isfinite(small).all():
            raise SingularMatrix("the bordered matrix is singular; does the border reach the null space?")
        return x + self._columns @ small


def _independent_rows(B: Array) -> Ids:
    """The c rows of B (n, c) whose block is best conditioned, by QR with column pivoting."""
    return la.qr(B.T, mode="r", pivoting=True)[1][: B.shape[1]]


def _with_springs(A: sp.csr_matrix, unknowns: Ids) -> sp.csr_matrix:
    """A with the diagonal entries of `unknowns` doubled."""
    rows = np.repeat(np.arange(A.shape[0]), np.diff(A.indptr))
    chosen = (rows == A.indices) & np.isin(rows, unknowns)
    return sp.csr_matrix((np.where(chosen, 2 * A.data, A.data), A.indices, A.indptr), A.shape)
