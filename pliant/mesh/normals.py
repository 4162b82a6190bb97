"""Normals of a surface at its vertices, weighted by the area of the triangles around them."""

import numpy as np
from numba import njit

from pliant.errors import Array, Ids


@njit(cache=True, nogil=True)
def _add_normals(x, triangles, N):
    for a, b, c in triangles:
        u0, u1, u2 = x[b, 0] - x[a, 0], x[b, 1] - x[a, 1], x[b, 2] - x[a, 2]
        v0, v1, v2 = x[c, 0] - x[a, 0], x[c, 1] - x[a, 1], x[c, 2] - x[a, 2]
        n0, n1, n2 = u1 * v2 - u2 * v1, u2 * v0 - u0 * v2, u0 * v1 - u1 * v0
        for v in (a, b, c):
            N[v, 0] += n0
            N[v, 1] += n1
            N[v, 2] += n2


def vertex_normals(x: Array, triangles: Ids) -> Array:
    """Unit normals (n, 3) at vertices x (n, 3); (0, 1, 0) where no triangle gives a direction."""
    N = np.zeros((len(x), 3))
    _add_normals(np.array(x), np.array(triangles), N)
    return unit(N)


def unit(vectors: Array) -> Array:
    """Vectors of length one; (0, 1, 0) for those of length zero."""
    length = np.linalg.norm(vectors, axis=-1, keepdims=True)
    return np.where(length > 0, vectors / np.where(length > 0, length, 1.0), np.array([0.0, 1.0, 0.0]))
