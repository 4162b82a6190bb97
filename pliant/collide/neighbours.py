"""Which triangles of a surface meet in an edge, and which of their corners are one vertex.

Edge e of a triangle (a, b, c) is ab, bc, ca for e = 0, 1, 2. Two triangles are neighbours if they run along an edge in
opposite directions. Where more than two meet in an edge, as where two bricks touch along it, those are neighbours that
have the solid between them; so one vertex becomes several where surfaces merely touch, and every vertex has one fan.
"""

import numpy as np
from scipy.sparse import coo_matrix
from scipy.sparse.csgraph import connected_components

from pliant.errors import Array, Ids


def edge_neighbours(vertices: Array, triangles: Ids) -> Ids:
    """The half edge 3 t + e (t, 3) on the other side of every edge; -1 where the surface is open."""
    start, end = triangles.ravel(), np.roll(triangles, -1, axis=1).ravel()
    key = np.minimum(start, end) * (int(triangles.max()) + 1) + np.maximum(start, end)
    order = np.lexsort((start > end, key))
    begins = np.flatnonzero(np.diff(key[order], prepend=-1))
    counts = np.diff(begins, append=len(order))
    across = np.full(triangles.size, -1)

    first, second = order[begins[counts == 2]], order[begins[counts == 2] + 1]
    opposed = start[first] != start[second]
    across[first[opposed]], across[second[opposed]] = second[opposed], first[opposed]
    for begin, count in zip(begins[counts > 2], counts[counts > 2]):
        _pair_around(vertices, triangles, order[begin : begin + count], across)
    return across.reshape(-1, 3)


def _pair_around(vertices: Array, triangles: Ids, halves: Ids, across: Ids) -> None:
    """Pair half edges of one crowded edge: seen along ab, the solid lies clockwise of a triangle that runs along ab."""
    start, end = triangles[halves // 3, halves % 3], triangles[halves // 3, (halves + 1) % 3]
    axis = vertices[end[0]] - vertices[start[0]]
    arms = vertices[triangles[halves // 3, (halves + 2) % 3]] - vertices[start[0]]
    u = arms[0] - axis * (arms[0] @ axis) / (axis @ axis)
    angles = np.arctan2(arms @ np.cross(axis, u) / np.linalg.norm(axis), arms @ u)
    forward = start == start[0]
    free = ~forward
    for half in np.flatnonzero(forward):
        turn = np.where(free, (angles[half] - angles) % (2 * np.pi), np.inf)
        nearest = int(turn.argmin())
        if np.isfinite(turn[nearest]):
            free[nearest] = False
            across[halves[half]], across[halves[nearest]] = halves[nearest], halves[half]


def joined_corners(across: Ids) -> Ids:
    """Number (t, 3) of the vertex at every corner, given what is across each edge: one number a fan."""
    halves = np.flatnonzero(across.ravel() >= 0)
    others = across.ravel()[halves]
    rows = np.concatenate([halves, halves // 3 * 3 + (halves + 1) % 3])  # an edge runs from corner e to corner e + 1
    columns = np.concatenate([others // 3 * 3 + (others + 1) % 3, others])
    graph = coo_matrix((np.ones(len(rows), dtype=np.int8), (rows, columns)), (across.size, across.size))
    return connected_components(graph, directed=False)[1].reshape(-1, 3)
