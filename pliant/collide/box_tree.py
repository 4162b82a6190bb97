"""Trees of boxes over the triangles of a surface: who lies below which box. Built once, at rest.

Nodes stand in depth-first order. The subtree of node i is the nodes i to skip[i] - 1; i is a leaf if skip[i] = i + 1,
else its children are i + 1 and skip[i + 1]. Triangles stand in the order of the leaves, so those below node i are
first[i] to first[skip[i]] - 1, and one number a node tells them.
"""

import numpy as np
from numba import njit

from pliant.errors import Array, Ids

LEAF = 8  # triangles of a leaf, at most


def box_tree(centres: Array) -> tuple[Ids, Ids, Ids]:
    """Halve the triangles with these centres (t, 3) across the longest side, until leaves are small.

    Returns:
        The triangles (t,) in the order of the leaves, `skip` (n,) and `first` (n,) of the nodes.
    """
    order, first, last = _halved(centres)
    return order, np.searchsorted(first, last), first


@njit(cache=True)
def _halved(centres):
    count = len(centres)
    order, first, last = np.arange(count), np.empty(2 * count, np.int64), np.empty(2 * count, np.int64)
    stack = [(0, count)]
    nodes = 0
    while stack:
        begin, end = stack.pop()
        first[nodes], last[nodes] = begin, end
        nodes += 1
        if end - begin > LEAF:
            below = order[begin:end]
            axis = _longest_side(centres, below)
            below[:] = below[np.argsort(centres[below, axis], kind="mergesort")]
            middle = (begin + end) // 2
            stack.append((middle, end))
            stack.append((begin, middle))
    return order, first[:nodes].copy(), last[:nodes].copy()


@njit(cache=True)
def _longest_side(centres, below):
    longest, side = 0, -1.0
    for axis in range(3):
        along = centres[below, axis]
        extent = along.max() - along.min()
        if extent > side:
            longest, side = axis, extent
    return longest
