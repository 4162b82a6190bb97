"""Rotation vectors of vertices, linear in the displacement, for modal warping ([BA13] section 4.3).

w_e = 1/2 sum_a g_a x u_a  (half the curl) of a cell;  w_v = sum_e V_e w_e / sum_e V_e  over ALL cells at the vertex.
A mesh cut into domains sums both over its domains before it divides: each alone would crack after warping.
"""

import numpy as np
from numba import njit

from pliant.errors import Array
from pliant.fem import Solid


def rotation_sums(solid: Solid, U: Array) -> tuple[Array, Array]:
    """sum_e V_e w_e (3n, r) of displacements U (3n, r), and sum_e V_e (n,) [m^3]; their quotient is w."""
    e = solid.elements
    volumes = e.weights.sum(axis=1)
    means = np.einsum("bp,bpai->bai", e.weights, e.gradients) / volumes[:, None, None]
    sums, total = np.zeros(U.shape), np.zeros(solid.mesh.vertex_count)
    _add_curls(solid.mesh.cells, e.blocks, means, volumes, np.ascontiguousarray(U), sums, total)
    return sums, total


@njit(cache=True, nogil=True)
def _add_curls(cells, blocks, gradients, volumes, U, sums, total):
    curl = np.empty((3, U.shape[1]))
    for c in range(len(cells)):
        g, volume = gradients[blocks[c]], volumes[blocks[c]]
        curl[:] = 0.0
        for a in range(cells.shape[1]):
            row = 3 * cells[c, a]
            for i in range(3):
                j, k = (i + 1) % 3, (i + 2) % 3
                s, t = 0.5 * volume * g[a, j], 0.5 * volume * g[a, k]
                for r in range(U.shape[1]):
                    curl[i, r] += s * U[row + k, r] - t * U[row + j, r]
        for a in range(cells.shape[1]):
            total[cells[c, a]] += volume
            for i in range(3):
                for r in range(U.shape[1]):
                    sums[3 * cells[c, a] + i, r] += curl[i, r]
