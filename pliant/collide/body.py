"""One placed body among the surfaces of all, as compiled code sees it."""

from typing import NamedTuple

from pliant.collide.surfaces import Counts
from pliant.errors import Array, Ids
from pliant.numerics.counting import borrowing

SKIP, TRIANGLE, VERTEX, EDGE, LEAF = range(5)  # columns of `nodes`


class Body(NamedTuple):
    """Views of `Surfaces` and of the placed vertices."""

    x: Array
    boxes: Array
    leaves: Array
    slabs: Array
    nodes: Counts
    leaf_starts: Counts
    triangles: Counts
    across: Counts
    fan_starts: Counts
    fans: Counts
    sample_ends: Counts
    sample_weights: Array
    sample_edges: Counts
    stack: Ids
    spans: Array
    reach: float
    closed: bool


@borrowing
def body_of(surfaces, x, b):
    """Body b with vertices of x, which holds those of all bodies in a row; for `borrowing` code alone."""
    s = surfaces.shape[b]
    v, t, k = surfaces.shape_vertex, surfaces.shape_triangle, surfaces.shape_sample
    n, l = surfaces.shape_node, surfaces.shape_leaf
    return Body(
        x[surfaces.first_vertex[b] : surfaces.first_vertex[b + 1]],
        surfaces.boxes[surfaces.first_box[b] : surfaces.first_box[b + 1]],
        surfaces.leaves[6 * surfaces.first_leaf[b] : 6 * surfaces.first_leaf[b + 1]],
        surfaces.slabs[b],
        surfaces.nodes[n[s] : n[s + 1]],
        surfaces.leaf_starts[l[s] : l[s + 1]],
        surfaces.triangles[t[s] : t[s + 1]],
        surfaces.across[t[s] : t[s + 1]],
        surfaces.fan_starts[v[s] + s : v[s + 1] + s + 1],
        surfaces.fans[3 * t[s] : 3 * t[s + 1]],
        surfaces.sample_ends[k[s] : k[s + 1]],
        surfaces.sample_weights[k[s] : k[s + 1]],
        surfaces.sample_edges[k[s] : k[s + 1]],
        surfaces.stack,
        surfaces.spans,
        surfaces.reach[s],
        surfaces.closed[s],
    )
