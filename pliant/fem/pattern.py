"""Where element entries go: the sparsity pattern of stiffness and mass, computed once for a mesh."""

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp
from numba import njit

from pliant.errors import Array, Ids


@dataclass(frozen=True)
class Pattern:
    """CSR pattern (3n, 3n) made of 3 x 3 blocks, one for every pair of vertices that share a cell.

    Attributes:
        indptr, indices: of the (3n, 3n) matrices.
        places: (m, corners, corners) for each pair of corners the first data index of its block.
        pitch: (n,) distance between the rows of a block in the data, by row vertex.
    """

    indptr: Ids
    indices: Ids
    places: Ids
    pitch: Ids

    def matrix(self, data: Array) -> sp.csr_matrix:
        """The sparse matrix with these data."""
        size = len(self.indptr) - 1
        return sp.csr_matrix((data, self.indices, self.indptr), shape=(size, size), copy=False)

    def restriction(self, dofs: Ids) -> "Restriction":
        """Rows and columns of some dofs only."""
        return Restriction.of(self.matrix(np.arange(len(self.indices), dtype=np.float64)), dofs)


@dataclass(frozen=True)
class Restriction:
    """Picks a submatrix out of any data of a pattern without searching again."""

    entries: Ids
    indptr: Ids
    indices: Ids

    @staticmethod
    def of(numbered: sp.csr_matrix, dofs: Ids) -> "Restriction":
        """From a matrix whose data are their own positions."""
        part = numbered[dofs][:, dofs].tocsr()
        part.sort_indices()
        return Restriction(part.data.astype(np.int64), part.indptr, part.indices)

    def __call__(self, matrix: sp.csr_matrix) -> sp.csr_matrix:
        size = len(self.indptr) - 1
        return sp.csr_matrix((matrix.data[self.entries], self.indices, self.indptr), shape=(size, size), copy=False)


def pattern(cells: Ids, vertex_count: int) -> Pattern:
    """The pattern of cells (m, corners) of so many vertices."""
    n, corners = vertex_count, cells.shape[1]
    touches = sp.csr_matrix(
        (np.ones(cells.size, dtype=np.int32), cells.ravel(), np.arange(0, cells.size + 1, corners)),
        shape=(len(cells), n),
    )
    graph = (touches.T @ touches).tocsr()
    graph.sort_indices()
    row_length = np.diff(graph.indptr).astype(np.int64)
    starts = graph.indptr[:-1].astype(np.int64)
    in_row = np.arange(graph.nnz) - np.repeat(starts, row_length)
    first = 9 * np.repeat(starts, row_length) + 3 * in_row
    indptr = np.append(0, np.cumsum(np.repeat(3 * row_length, 3)))
    indices = _scalar_indices(graph.indptr, graph.indices)
    index = np.int32 if indptr[-1] < 2**31 else np.int64
    places = _places(cells, graph.indptr, graph.indices, first)
    return Pattern(indptr.astype(index), indices.astype(index), places, 3 * row_length)


@njit(cache=True)
def _scalar_indices(indptr, indices):
    out = np.empty(9 * len(indices), dtype=np.int64)
    at = 0
    for row in range(len(indptr) - 1):
        for _i in range(3):
            for p in range(indptr[row], indptr[row + 1]):
                for j in range(3):
                    out[at] = 3 * indices[p] + j
                    at += 1
    return out


@njit(cache=True)
def _places(cells, indptr, indices, first):
    m, corners = cells.shape
    out = np.empty((m, corners, corners), dtype=np.int64)
    for c in range(m):
        for a in range(corners):
            start, end = indptr[cells[c, a]], indptr[cells[c, a] + 1]
            for b in range(corners):
                out[c, a, b] = first[start + np.searchsorted(indices[start:end], cells[c, b])]
    return out
