"""What collisions need to know of one surface: constants, found once at rest and shared by its instances."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from pliant.collide.box_tree import box_tree
from pliant.collide.neighbours import edge_neighbours, joined_corners
from pliant.collide.samples import edge_samples
from pliant.errors import Array, Ids, MeshError, check_number
from pliant.mesh.validation import checked_indices, checked_vertices

DEEPEST = 0.25  # of the least extent: beyond it the way out is a guess


@dataclass(frozen=True, eq=False)
class CollisionShape:
    """A triangle surface in the order of its box tree.

    Nothing is inside an open surface but what is just behind it: a point no farther than `reach` whose nearest point
    is not on the rim. Flat surfaces and heightfields thus bear what rests on their outer side, and let pass what comes
    from behind.

    Attributes:
        ids: the vertex (s,) of the caller that each vertex of this surface is. One where surfaces merely touch, as
            bricks along an edge, is there once for each of them.
        triangles: vertices (t, 3) of this surface.
        triangle_ids: the triangle (t,) of the caller that each is.
        across: half edge 3 t + e (t, 3) on the other side of the edge from corner e to the next; -1 at a rim.
        fan_starts, fans: corners 3 t + e around vertex v are fans[fan_starts[v]:fan_starts[v + 1]].
        sample_ends: vertices (k, 2) between which the points lie that touch others: all vertices, then edge samples.
        sample_weights: w (k,); the point is (1 - w) x_0 + w x_1.
        sample_edges: the half edge (k,) that a sample lies on; -1 for a vertex.
        nodes: (n + 1, 5) the box tree: skip, first triangle, first vertex, first edge sample and first leaf of every
            node; the last row is the end.
        leaf_starts: (l + 1, 4) rows of `nodes` of the leaves, without the last number, then the end.
        reach: how deep a point may be inside and still be found [m].
        closed: whether every edge has two triangles.
    """

    ids: Ids
    triangles: Ids
    triangle_ids: Ids
    across: Ids
    fan_starts: Ids
    fans: Ids
    sample_ends: Ids
    sample_weights: Array
    sample_edges: Ids
    nodes: Ids
    leaf_starts: Ids
    reach: float
    closed: bool

    def __repr__(self) -> str:
        return f"CollisionShape({len(self.ids)} vertices, {len(self.triangles)} triangles, {len(self.samples)} samples)"

    @property
    def samples(self) -> Ids:
        """Numbers (k,) of the points that touch others; the first are the vertices."""
        return np.arange(len(self.sample_weights))


def collision_shape(
    vertices: ArrayLike,
    triangles: ArrayLike,
    spacing: float | None = None,
    reach: float | None = None,
    sharp: bool = False,
) -> CollisionShape:
    """The shape of a surface, for contacts.

    Args:
        vertices: positions at rest (n, 3) [m]; those without a triangle are left out.
        triangles: vertex ids (t, 3), counter-clockwise seen from outside.
        spacing: longer edges get points that touch, at most this far apart [m]; None: vertices alone touch.
        reach: how deep a point may be inside and still be found [m]; by default a quarter of the least extent, and of
            an open surface the mean length of its edges.
        sharp: are there points on sharp edges alone?
    """
    x = checked_vertices(vertices)
    rows, kept = _checked_triangles(triangles, len(x))
    spacing = None if spacing is None else check_number("spacing", spacing, above=0)
    order, skip, first = box_tree(x[rows].mean(axis=1))
    rows = rows[order]
    across = edge_neighbours(x, rows)
    corners = joined_corners(across)

    numbers, earliest = np.unique(corners, return_index=True)
    by_leaf = np.argsort(earliest, kind="stable")
    place = np.empty(len(numbers), dtype=np.int64)
    place[by_leaf] = np.arange(len(numbers))
    own, ids = place[corners], rows.ravel()[earliest[by_leaf]]
    fans = np.argsort(own, axis=None, kind="stable")
    halves, ends, weights = edge_samples(x[ids], own, across, spacing, sharp)

    bounds, is_leaf = np.append(first, len(rows)), skip == np.arange(len(skip)) + 1
    nodes = np.stack(
        [
            np.append(skip, len(skip) + 1),
            bounds,
            np.searchsorted(earliest[by_leaf] // 3, bounds),
            len(ids) + np.searchsorted(halves // 3, bounds),
            np.concatenate([[0], np.cumsum(is_leaf)]),
        ],
        axis=1,
    )
    count = len(ids)
    arrays = {
        "ids": ids,
        "triangles": own,
        "triangle_ids": kept[order],
        "across": across,
        "fan_starts": np.searchsorted(own.ravel()[fans], np.arange(count + 1)),
        "fans": fans,
        "sample_ends": np.concatenate([np.repeat(np.arange(count)[:, None], 2, axis=1), ends]),
        "sample_weights": np.concatenate([np.zeros(count), weights]),
        "sample_edges": np.concatenate([np.full(count, -1), halves]),
        "nodes": nodes,
        "leaf_starts": nodes[np.append(is_leaf, True), :4],
    }
    for array in arrays.values():
        array.setflags(write=False)
    closed = bool((across >= 0).all())
    depth = _default_reach(x[ids], own, closed) if reach is None else check_number("reach", reach, at_least=0)
    return CollisionShape(**arrays, reach=depth, closed=closed)


def _checked_triangles(triangles: ArrayLike, vertex_count: int) -> tuple[Ids, Ids]:
    """Rows with three different corners, and their numbers; without the others, what is beside them is joined."""
    rows = checked_indices("triangles", triangles, vertex_count, (3,))
    kept = np.flatnonzero((rows != np.roll(rows, 1, axis=1)).all(axis=1))
    if len(kept) == 0:
        raise MeshError(f"triangles must have different corners; all {len(rows)} of them name a vertex twice")
    return rows[kept], kept


def _default_reach(vertices: Array, triangles: Ids, closed: bool) -> float:
    if closed:
        return DEEPEST * float(np.ptp(vertices, axis=0).min())
    corners = vertices[triangles]
    return float(np.linalg.norm(corners - np.roll(corners, 1, axis=1), axis=2).mean())
