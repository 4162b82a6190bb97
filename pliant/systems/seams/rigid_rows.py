"""How the momentum of a free body moves with its coordinates, in the middle of a step: rows of all mass points at once.

    G_k = sum m (e_k x s)^T J,   C_k = sum m e_k^T J / sum m,   J = Rt U + D W of every point

Six forces on every point are pulled back side by side, so that its rows of U and W are read once.
"""

import numpy as np
from numba import njit

from pliant.numerics.simd8 import load8, store8
from pliant.systems.seams.rigid_motion import remove_rigid


@njit(cache=True, nogil=True)
def find_rigid_rows(masses, middle, rigid, lanes, G, centre):
    """G and C (3, size), without rigid motion; `lanes` is work space, eight for each chained coordinate."""
    for k in range(len(lanes)):
        lanes[k] = 0.0
    _pull_six(masses, middle, rigid.mass, lanes)
    for k in range(3):
        for j in range(G.shape[1]):
            G[k, j] = centre[k, j] = 0.0
        for c in range(len(masses.ids)):
            G[k, masses.ids[c]] += lanes[8 * c + k]
            centre[k, masses.ids[c]] += lanes[8 * c + 3 + k]
        remove_rigid(rigid.B, rigid.Q, G[k])
        remove_rigid(rigid.B, rigid.Q, centre[k])


@njit(cache=True, nogil=True)
def _pull_six(masses, middle, mass, lanes):
    """lanes += J^T (m e_k x s, m e_k / mass), k = 0, 1, 2 each."""
    _, part, _, _, rows, turns, U, omega, _, first, size, _ = masses.tables
    f, c = np.zeros(24), middle.centre[0]
    for p in range(len(masses.measure)):
        m, Rt, D = masses.measure[p], middle.Rt[p], middle.D[p]
        x, y, z = m * (middle.y[p, 0] - c[0]), m * (middle.y[p, 1] - c[1]), m * (middle.y[p, 2] - c[2])
        f[1], f[2], f[3] = z, -y, m / mass
        f[8], f[10], f[12] = -z, x, m / mass
        f[16], f[17], f[21] = y, -x, m / mass
        fx, fy, fz = load8(f, 0), load8(f, 8), load8(f, 16)
        px = Rt[0, 0] * fx + Rt[1, 0] * fy + Rt[2, 0] * fz
        py = Rt[0, 1] * fx + Rt[1, 1] * fy + Rt[2, 1] * fz
        pz = Rt[0, 2] * fx + Rt[1, 2] * fy + Rt[2, 2] * fz
        bx = D[0, 0] * fx + D[1, 0] * fy + D[2, 0] * fz
        by = D[0, 1] * fx + D[1, 1] * fy + D[2, 1] * fz
        bz = D[0, 2] * fx + D[1, 2] * fy + D[2, 2] * fz
        r, u, w, to = size[part[p]], rows[p], turns[p], 8 * first[part[p]]
        for j in range(r):
            moved = U[u + j] * px + U[u + r + j] * py + U[u + 2 * r + j] * pz
            bent = omega[w + j] * bx + omega[w + r + j] * by + omega[w + 2 * r + j] * bz
            store8(lanes, to + 8 * j, load8(lanes, to + 8 * j) + moved + bent)
