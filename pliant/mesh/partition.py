"""Balanced parts: of nearly equal size, each in one piece through its cells' faces."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from scipy.sparse import csr_matrix
from scipy.sparse.csgraph import breadth_first_order, connected_components

from pliant.errors import Ids
from pliant.mesh.mesh import Mesh

METIS_TRIES = 8
BALANCED = 1.05  # the largest part over the mean, plus one cell for rounding
HALVING_SEEDS = 4  # each is the far end as seen from the one before
HALVING_TRIES = 4  # each takes fewer cells, by the number that loose pieces added to the last


def balanced_parts(mesh: Mesh, count: int) -> Ids:
    """A part number 0 to count - 1 for every cell (m,): nearly equal numbers of cells, each part face-connected.

    METIS cuts where few faces are shared; without the package pymetis the parts are grown breadth first.
    """
    piece_of_cell = mesh.components[1]
    labels = np.empty(mesh.cell_count, dtype=np.int64)
    first = 0
    for piece, share in enumerate(shares(np.bincount(piece_of_cell), count)):
        cells = np.flatnonzero(piece_of_cell == piece)
        labels[cells] = first + _split_connected(mesh.cell_adjacency[cells][:, cells], share)
        first += share
    return labels


def shares(sizes: Ids, k: int) -> list[int]:
    """Divide k among pieces in proportion to their sizes, at least one each and at most their size."""
    counts = np.ones(len(sizes), dtype=np.int64)
    for _ in range(k - len(sizes)):
        load = np.where(counts < sizes, sizes / counts, 0)
        counts[np.argmax(load)] += 1
    return counts.tolist()


def _split_connected(graph: csr_matrix, k: int) -> Ids:
    """The first of a few tries that is balanced, else the one whose largest part is smallest."""
    if k == 1:
        return np.zeros(graph.shape[0], dtype=np.int64)
    tries: list[Ids] = []
    for labels in _tries(graph, k):
        tries.append(labels)
        if np.bincount(labels).max() <= BALANCED * graph.shape[0] / k + 1:
            break
    return min(tries, key=lambda labels: np.bincount(labels).max())


def _tries(graph: csr_matrix, k: int) -> Iterator[Ids]:
    """METIS where it is installed, with several seeds, as far as it gives k whole parts; then grown parts."""
    try:
        import pymetis
    except ImportError:
        yield grown_parts(graph, k)
        return
    for seed in range(METIS_TRIES):
        recursive = seed > 0  # halving again and again is a little worse, and seldom fails
        options = pymetis.Options(seed=seed, contig=int(not recursive))
        if hasattr(pymetis, "CSRAdjacency"):
            adjacency: dict[str, Any] = {"adjacency": pymetis.CSRAdjacency(graph.indptr, graph.indices)}
        else:  # before pymetis 2025.2
            adjacency = {"xadj": graph.indptr, "adjncy": graph.indices}
        _, raw = pymetis.part_graph(k, **adjacency, options=options, recursive=recursive)
        labels = joined_fragments(graph, np.asarray(raw, dtype=np.int64))
        if len(np.unique(labels)) == k:
            yield labels
    yield grown_parts(graph, k)


def joined_fragments(graph: csr_matrix, labels: Ids) -> Ids:
    """Give every loose fragment of a part to the neighbour it shares most faces with; `graph` must be connected."""
    labels = labels.copy()
    rows, columns = graph.nonzero()
    while True:
        same = labels[rows] == labels[columns]
        inner = csr_matrix((np.ones(same.sum(), dtype=np.int8), (rows[same], columns[same])), graph.shape)
        count, piece = connected_components(inner, directed=False)
        if count == len(np.unique(labels)):
            return labels
        loose = _smallest_loose_piece(labels, piece)
        border = (piece[rows] == loose) & ~same
        labels[piece == loose] = np.bincount(labels[columns[border]]).argmax()


def _smallest_loose_piece(labels: Ids, piece: Ids) -> int:
    sizes = np.bincount(piece)
    label_of_piece = np.empty(len(sizes), dtype=np.int64)
    label_of_piece[piece] = labels
    several = np.bincount(label_of_piece)[label_of_piece] > 1
    return int(np.argmin(np.where(several, sizes, sizes.max() + 1)))


def grown_parts(graph: csr_matrix, k: int) -> Ids:
    """Parts of a connected graph by repeated halving: cells are taken breadth first from a far end."""
    labels = np.zeros(graph.shape[0], dtype=np.int64)
    if k == 1:
        return labels
    near = _half(graph, max(1, round(graph.shape[0] * (k // 2) / k)))
    k_near, k_far = _halved_count(k, int(near.sum()), int((~near).sum()))
    labels[near] = grown_parts(graph[near][:, near], k_near)
    labels[~near] = k_near + grown_parts(graph[~near][:, ~near], k_far)
    return labels


def _half(graph: csr_matrix, size: int) -> np.ndarray:
    """Mask of about `size` cells; both they and the rest are connected."""
    halves: list[np.ndarray] = []
    seed = 0
    for _ in range(HALVING_SEEDS):
        order = breadth_first_order(graph, seed, directed=False, return_predecessors=False)
        seed, taken = order[-1], size
        for _ in range(HALVING_TRIES):
            halves.append(_connected_half(graph, order[:taken]))
            excess = int(halves[-1].sum()) - size
            if excess == 0:
                return halves[-1]
            taken = int(np.clip(taken - excess, 1, len(order) - 1))
    return min(halves, key=lambda near: abs(int(near.sum()) - size))


def _connected_half(graph: csr_matrix, taken: Ids) -> np.ndarray:
    # What is taken breadth first is connected; of the rest, all but the largest piece joins it, so that both are.
    far = np.ones(graph.shape[0], dtype=bool)
    far[taken] = False
    _, piece = connected_components(graph[far][:, far], directed=False)
    far[np.flatnonzero(far)[piece != np.bincount(piece).argmax()]] = False
    return ~far


def _halved_count(k: int, near: int, far: int) -> tuple[int, int]:
    k_far = int(np.clip(round(k * far / (near + far)), max(1, k - near), min(far, k - 1)))
    return k - k_far, k_far
