"""The triangle nearest to a point among those of many leaves, whose boxes are looked at side by side.

The boxes stand one coordinate after the other, so that several go through the processor at a time: 64 take no longer
than a few steps down a tree.
"""

from pliant.collide.body import LEAF, SKIP
from pliant.collide.triangle import nearer_distance
from pliant.numerics.counting import borrowing, borrowing_inlined


@borrowing_inlined
def nearest_in_leaves(B, close, p, reach):
    """Nearest triangle within reach below these nodes of B and its squared distance; -1 where there is none."""
    hits, best = 0, reach * reach
    for node in close:
        hits += _span(
            B.leaves, B.nodes[node, LEAF], B.nodes[B.nodes[node, SKIP], LEAF], p[0], p[1], p[2], best, B.spans
        )
    if hits == 0:
        return -1, best
    first, least = -1, best
    for node in close:
        for leaf in range(B.nodes[node, LEAF], B.nodes[B.nodes[node, SKIP], LEAF]):
            if B.spans[leaf] < least:
                first, least = leaf, B.spans[leaf]
    found, best = _search(B, first, p, -1, best)
    if hits > 1:
        for node in close:
            for leaf in range(B.nodes[node, LEAF], B.nodes[B.nodes[node, SKIP], LEAF]):
                if B.spans[leaf] < best and leaf != first:
                    found, best = _search(B, leaf, p, found, best)
    return found, best


@borrowing
def _span(leaves, begin, end, p0, p1, p2, best, spans):
    """Write squared distances of boxes from p; how many are below best."""
    bounds, own, hits = leaves.reshape((6, len(leaves) // 6)), spans[begin:end], 0
    a0, a1, a2 = bounds[0, begin:end], bounds[1, begin:end], bounds[2, begin:end]
    b0, b1, b2 = bounds[3, begin:end], bounds[4, begin:end], bounds[5, begin:end]
    for k in range(end - begin):
        d0 = max(a0[k] - p0, p0 - b0[k], 0.0)
        d1 = max(a1[k] - p1, p1 - b1[k], 0.0)
        d2 = max(a2[k] - p2, p2 - b2[k], 0.0)
        own[k] = d0 * d0 + d1 * d1 + d2 * d2
        hits += own[k] < best
    return hits


@borrowing_inlined
def _search(B, leaf, p, found, best):
    x, triangles = B.x, B.triangles
    for t in range(B.leaf_starts[leaf], B.leaf_starts[leaf + 1]):
        d = nearer_distance(x, triangles[t, 0], triangles[t, 1], triangles[t, 2], p[0], p[1], p[2], best)
        if d < best:
            found, best = t, d
    return found, best
