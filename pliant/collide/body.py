"""One placed body among the surfaces of all, as compiled code sees it."""

from typing import NamedTuple

from pliant.collide.blocks import CORNERS
from pliant.collide.surfaces import Counts
from pliant.errors import Array, Ids
from pliant.numerics.counting import borrowing

SKIP, TRIANGLE, VERTEX, EDGE, LEAF = range(5)  # columns of `nodes`, and all but the last of `leaf_starts`


class Body(NamedTuple):
    """Views of `Surfaces` and of the placed vertices."""

    x: Array
    boxes: Array
    blocks: Array
    levels: Ids
    corners: Array
    seen: Ids
    clock: Ids
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
        surfaces.blocks[6 * surfaces.first_block[b] : 6 * surfaces.first_block[b + 1]],
        surfaces.levels[s],
        surfaces.corners[CORNERS * surfaces.first_leaf[b] : CORNERS * surfaces.first_leaf[b + 1]],
        surfaces.seen[surfaces.first_leaf[b] : surfaces.first_leaf[b + 1]],
        surfaces.clock,
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
