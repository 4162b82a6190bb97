"""Sparse factors by SuperLU in symmetric mode, in the fill-reducing order of METIS where pymetis is installed."""

import numpy as np
import scipy.sparse as sp
from scipy.sparse.linalg import splu

from pliant.errors import Array, SingularMatrix
from pliant.numerics.sparse_factor import Factor

DEFINITE_PIVOT, INDEFINITE_PIVOT = 0.0, 0.01  # leave the diagonal if it is smaller than this part of the column


class SuperFactor(Factor):
    """LU with (nearly) diagonal pivots of P A P^T; the order P is found once per pattern."""

    def __init__(self, A: sp.csr_matrix, definite: bool):
        self._definite = definite
        super().__init__(A)

    def close(self) -> None:
        del self._lu

    def _analyse(self, A: sp.csr_matrix) -> None:
        self._order = nested_dissection(A)
        if self._order is not None:
            n = A.shape[0]
            numbered = sp.csr_matrix((np.arange(1, A.nnz + 1), A.indices, A.indptr), A.shape)
            self._permuted = numbered[self._order][:, self._order].tocsc()
            self._permuted.sort_indices()
            self._source = self._permuted.data - 1
            self._position = np.empty(n, dtype=np.int64)
            self._position[self._order] = np.arange(n)

    def _refactor(self, A: sp.csr_matrix) -> None:
        columns = A.tocsc() if self._order is None else self._permuted_like(A)
        try:
            self._lu = splu(
                columns,
                permc_spec="MMD_AT_PLUS_A" if self._order is None else "NATURAL",
                diag_pivot_thresh=DEFINITE_PIVOT if self._definite else INDEFINITE_PIVOT,
                options={"SymmetricMode": True},
            )
        except RuntimeError as reason:
            raise SingularMatrix(f"the matrix is singular ({reason}); is a part of the body unsupported?") from None
        if self._definite and not (self._lu.U.diagonal() > 0).all():
            raise SingularMatrix("the matrix is not positive definite; is a part of the body unsupported?")

    def _permuted_like(self, A: sp.csr_matrix) -> sp.csc_matrix:
        pattern = self._permuted
        return sp.csc_matrix((A.data[self._source], pattern.indices, pattern.indptr), A.shape)

    def _substitute(self, b: Array) -> Array:
        if self._order is None:
            return self._lu.solve(b)
        return self._lu.solve(b[self._order])[self._position]


def nested_dissection(A: sp.csr_matrix) -> np.ndarray | None:
    """A fill-reducing order (n,) of the unknowns, or None without pymetis.

    Unknowns with equal rows, such as the three of a vertex, are merged first: ordering the vertex graph is
    nine times cheaper than ordering the matrix.
    """
    try:
        import pymetis
    except ImportError:
        return None
    group = _groups_of_equal_rows(A)
    count = int(group.max()) + 1
    members = sp.csr_matrix((np.ones(len(group)), (group, np.arange(len(group)))), (count, len(group)))
    graph = (members @ A.astype(bool).astype(np.float64) @ members.T).tocsr()
    graph.setdiag(0)
    graph.eliminate_zeros()
    adjacency = pymetis.CSRAdjacency(graph.indptr, graph.indices)
    order = np.asarray(pymetis.nested_dissection(adjacency)[0])
    rank = np.empty(count, dtype=np.int64)
    rank[order] = np.arange(count)
    return np.argsort(rank[group], kind="stable")


def _groups_of_equal_rows(A: sp.csr_matrix) -> np.ndarray:
    """(n,) group of each row; rows with the same pattern share a group (a random hash of the pattern decides)."""
    labels = np.random.default_rng(0).random(A.shape[0])
    hashes = np.add.reduceat(labels[A.indices], A.indptr[:-1])
    return np.unique(hashes, return_inverse=True)[1]
