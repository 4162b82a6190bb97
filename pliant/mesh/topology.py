"""Who touches whom: faces shared by cells, the surface, edges, and adjacency graphs."""

import numpy as np
from scipy.sparse import coo_matrix, csr_matrix

from pliant.errors import Ids, MeshError
from pliant.mesh.cell_kinds import KINDS, CellKind


def same_rows(rows: Ids) -> tuple[Ids, Ids]:
    """Pairs (i, j) of rows that hold the same ids in any order; rows of three alike give two pairs."""
    columns = np.sort(rows, axis=1).T
    base = int(rows.max(initial=0)) + 1
    keys = [columns[i] * base + columns[i + 1] for i in range(0, len(columns) - 1, 2)]
    keys += [columns[-1]] * (len(columns) % 2)
    order = np.lexsort(keys)
    alike = np.all([key[order[1:]] == key[order[:-1]] for key in keys], axis=0)
    return order[:-1][alike], order[1:][alike]


def cell_faces(cells: Ids) -> Ids:
    """All faces (m * f, 3|4|6|8) with all their nodes, those of cell c in rows c * f to (c + 1) * f - 1."""
    faces = KINDS[cells.shape[1]].faces
    return cells[:, faces].reshape(-1, faces.shape[1])


def shared_faces(cells: Ids) -> tuple[Ids, Ids]:
    """Pairs of rows of `cell_faces` that are the same face seen from its two cells."""
    first, second = same_rows(cell_faces(cells))
    crowded = np.flatnonzero(np.bincount(np.concatenate([first, second])) > 1) if first.size else first
    if crowded.size:
        cell = int(crowded[0]) // len(KINDS[cells.shape[1]].faces)
        raise MeshError(
            f"a face may be shared by two cells at most; one of cell {cell} is shared by more: "
            "remove duplicate or overlapping cells"
        )
    return first, second


def surface_triangles(cells: Ids, shared: tuple[Ids, Ids]) -> tuple[Ids, Ids]:
    """Faces that belong to one cell only, as outward triangles (t, 3) through all nodes; and their cells (t,)."""
    kind, faces = KINDS[cells.shape[1]], cell_faces(cells)
    outside = np.ones(len(faces), dtype=bool)
    outside[shared[0]] = outside[shared[1]] = False
    owners = np.flatnonzero(outside) // len(kind.faces)
    return face_triangles(faces[outside], kind), np.repeat(owners, len(kind.cuts))


def face_triangles(faces: Ids, kind: CellKind) -> Ids:
    """Faces (k, 3|4|6|8) of a kind of cells as flat triangles (t, 3) through all their nodes, face by face."""
    return faces[:, kind.cuts].reshape(-1, 3)


def cell_adjacency(cells: Ids, shared: tuple[Ids, Ids]) -> csr_matrix:
    """Graph (m, m) with a one where two cells share a face."""
    faces_each = len(KINDS[cells.shape[1]].faces)
    return _symmetric_graph(shared[0] // faces_each, shared[1] // faces_each, len(cells))


def vertex_adjacency(cells: Ids, vertex_count: int) -> csr_matrix:
    """Graph (n, n) with a one where two different vertices share a cell."""
    corners = cells.shape[1]
    starts = np.arange(0, cells.size + 1, corners)
    incidence = csr_matrix((np.ones(cells.size, dtype=np.int32), cells.ravel(), starts), (len(cells), vertex_count))
    graph = (incidence.T @ incidence).tocsr()
    graph.setdiag(0)
    graph.eliminate_zeros()
    graph.sort_indices()
    graph.data[:] = 1
    return graph


def unique_edges(cells: Ids) -> Ids:
    """Edges (e, 2) of the cells, the smaller vertex first, sorted; those with a node in the middle in two halves."""
    kind = KINDS[cells.shape[1]]
    ends = kind.edges
    if kind.order == 2:
        ends = np.concatenate([np.stack([kind.edges[:, side], kind.middles], axis=1) for side in (0, 1)])
    pairs = np.sort(cells[:, ends].reshape(-1, 2), axis=1)
    base = int(cells.max(initial=0)) + 1
    keys = np.unique(pairs[:, 0] * base + pairs[:, 1])
    return np.stack([keys // base, keys % base], axis=1)


def _symmetric_graph(first: Ids, second: Ids, size: int) -> csr_matrix:
    rows, columns = np.concatenate([first, second]), np.concatenate([second, first])
    return coo_matrix((np.ones(len(rows), dtype=np.int32), (rows, columns)), (size, size)).tocsr()
