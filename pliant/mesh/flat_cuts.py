"""The smallest cut near a plane: a minimal cut of the cells around it, weighed by the areas of their faces."""

import numpy as np
from scipy.sparse import coo_matrix, csr_matrix
from scipy.sparse.csgraph import breadth_first_order, connected_components, maximum_flow
from scipy.spatial import cKDTree

from pliant.errors import Array, Ids
from pliant.mesh.sections import Space

STRAY = 0.5  # how much dearer a face is at the edge of the band than on the plane
REACH = 2.0  # widths from the cut that the plane gives, sideways as well
GRAIN = 1000  # whole numbers to the mean area of a face


def flat_cut(space: Space, cells: Ids, pairs: Ids, x: Array, n: Array, width: float) -> Ids:
    """Pairs (k, 2) of cells that part a band about a plane with the least area of faces, those above first.

    Args:
        cells: ids of the part that is cut.
        pairs: a cut that the plane gives.
        x, n: the plane.
        width: half that of the band [m].

    Returns the pairs given where the band has only one side.
    """
    heights = (space.centroids[cells] - x) @ n
    near = np.abs(heights) <= width
    # The plane may meet the part elsewhere too: a band that goes on to there would be cut there as well.
    local = cells[near][_distances(space, cells[near], pairs) <= REACH * width]
    band, up = _piece_with(space, local, pairs[:, 0]), np.zeros(len(space.cells), dtype=np.int64)
    up[cells] = np.where(near, 0, np.where(heights > 0, 1, -1))
    place = np.full(len(space.cells), -1)
    place[band] = np.arange(len(band))
    links = _links(space, band)
    behind = np.where(links.others >= 0, up[links.others], 0)
    sources, sinks = (np.unique(links.owners[behind == side]) for side in (1, -1))
    if not len(sources) or not len(sinks) or len(np.intersect1d(sources, sinks)):
        return pairs
    inner = (links.others >= 0) & (behind == 0)
    inner[inner] &= place[links.others[inner]] >= 0
    chosen = _least_cut(space, links, inner, place, x, n, width, place[sources], place[sinks])
    return pairs if chosen is None else np.stack([links.owners[chosen], links.others[chosen]], axis=1)


def _distances(space: Space, cells: Ids, pairs: Ids) -> Array:
    """From the centroids of cells (k,) to the nearest of those beside a cut."""
    return np.asarray(cKDTree(space.centroids[np.unique(pairs)]).query(space.centroids[cells])[0])


class _Links:
    """Faces of some cells: the cell, the face's number in it, and the cell behind."""

    def __init__(self, owners: Ids, numbers: Ids, others: Ids):
        self.owners, self.numbers, self.others = owners, numbers, others


def _links(space: Space, cells: Ids) -> _Links:
    faces = space.neighbours.shape[1]
    return _Links(np.repeat(cells, faces), np.tile(np.arange(faces), len(cells)), space.neighbours[cells].ravel())


def _piece_with(space: Space, cells: Ids, seeds: Ids) -> Ids:
    """Those of some cells that hang together with the seeds."""
    place = np.full(len(space.cells), -1)
    place[cells] = np.arange(len(cells))
    links = _links(space, cells)
    inside = links.others >= 0
    inside[inside] = place[links.others[inside]] >= 0
    rows, columns = place[links.owners[inside]], place[links.others[inside]]
    graph = csr_matrix((np.ones(len(rows), dtype=np.int8), (rows, columns)), (len(cells), len(cells)))
    piece = connected_components(graph, directed=False)[1]
    held = place[seeds]
    return cells[np.isin(piece, piece[held[held >= 0]])]


def _least_cut(
    space: Space,
    links: _Links,
    inner: np.ndarray,
    place: Ids,
    x: Array,
    n: Array,
    width: float,
    sources: Ids,
    sinks: Ids,
) -> np.ndarray | None:
    """Which links the least cut severs, seen from above; None: every cut meets vertices that are taken."""
    owners, numbers, others = links.owners[inner], links.numbers[inner], links.others[inner]
    areas = np.linalg.norm(space.areas[owners, numbers], axis=1)
    corners = space.faces[owners, numbers]
    height = (space.vertices[corners].mean(axis=1) - x) @ n
    price = (
        np.rint(GRAIN * areas / areas.mean() * (1 + STRAY * np.minimum(1, (height / width) ** 2))).astype(np.int64) + 1
    )
    endless = int(price.sum()) + 1
    if endless > np.iinfo(np.int32).max // 4:
        price, endless = price // 16 + 1, endless // 16
    price[space.taken[corners].any(axis=1)] = endless
    size = int(place.max()) + 1
    source, sink = size, size + 1
    rows = np.concatenate([place[owners], np.full(len(sources), source), sinks])
    columns = np.concatenate([place[others], sources, np.full(len(sinks), sink)])
    values = np.concatenate([price, np.full(len(sources) + len(sinks), endless)])
    capacity = coo_matrix((values.astype(np.int32), (rows, columns)), (size + 2, size + 2)).tocsr()
    result = maximum_flow(capacity, source, sink)
    if result.flow_value >= endless:
        return None
    residual = capacity - result.flow
    residual.data = np.maximum(residual.data, 0)
    residual.eliminate_zeros()
    above = np.zeros(size + 2, dtype=bool)
    above[breadth_first_order(residual, source, return_predecessors=False)] = True
    severed = np.zeros(len(links.owners), dtype=bool)
    severed[inner] = above[place[owners]] & ~above[place[others]]
    return severed
