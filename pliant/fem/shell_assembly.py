"""Compiled loops over the triangles of a shell: energy, force, stiffness and curvature.

    E = (F^T F - 1) / 2 (3),   e = B u - b (N(u) - N(0)) (3 x 3),   W = 1/2 sum_t E . Cm E + e . Cb e

F = (a_1, a_2) (3 x 2), N = a_1 x a_2, b the curvature at rest; both strains are quadratic in u. A linear shell leaves
the quadratic part out. Symmetric 2 x 2 are written as (11, 22, sqrt 2 12).
"""

from typing import NamedTuple

import numpy as np
from numba import njit

from pliant.errors import Array, Ids
from pliant.numerics.inner import inner


class ShellData(NamedTuple):
    """What the loops read: triangles (m, 3), axes (m, 2, 3) and slopes (m, 3, 2), Cm and Cb (m, 3, 3), nodes (m, p),
    rows B (m, 3, p), b (m, 3), and whether strains are linear."""

    cells: Ids
    axes: Array
    slopes: Array
    membrane: Array
    bending: Array
    nodes: Ids
    rows: Array
    rest: Array
    linear: bool


@inner
def _cross(a, b, out):
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        out[i] = a[j] * b[k] - a[k] * b[j]


@inner
def _change(shell, t, u, d):
    """d (2, 3): the displacement gradient along both axes."""
    for k in range(2):
        for i in range(3):
            d[k, i] = (
                shell.slopes[t, 0, k] * u[shell.cells[t, 0], i]
                + shell.slopes[t, 1, k] * u[shell.cells[t, 1], i]
                + shell.slopes[t, 2, k] * u[shell.cells[t, 2], i]
            )


@inner
def _products(a, b, out):
    """sym(A^T B) of columns a, b (2, 3)."""
    xx = xy = yx = yy = 0.0
    for i in range(3):
        xx += a[0, i] * b[0, i]
        yy += a[1, i] * b[1, i]
        xy += a[0, i] * b[1, i]
        yx += a[1, i] * b[0, i]
    out[0], out[1], out[2] = xx, yy, (xy + yx) / np.sqrt(2.0)


@inner
def _normals(a, b, out, work):
    """a_1 x b_2 + b_1 x a_2 (3,)."""
    _cross(a[0], b[1], out)
    _cross(b[0], a[1], work)
    for i in range(3):
        out[i] += work[i]


@inner
def _bent(shell, t, u, e):
    """e (3, 3) = B u."""
    for c in range(3):
        for i in range(3):
            e[c, i] = 0.0
    for p in range(shell.nodes.shape[1]):
        v = shell.nodes[t, p]
        for c in range(3):
            for i in range(3):
                e[c, i] += shell.rows[t, c, p] * u[v, i]


@inner
def _times(C, e, out):
    """out = C e, e (3, 3)."""
    for c in range(3):
        for i in range(3):
            out[c, i] = C[c, 0] * e[0, i] + C[c, 1] * e[1, i] + C[c, 2] * e[2, i]


@inner
def _strains(shell, t, u, a, E, e, d, n, work):
    """Membrane E (3,) and bending e (3, 3); a (2, 3) becomes the columns of F."""
    _change(shell, t, u, d)
    for k in range(2):
        for i in range(3):
            a[k, i] = shell.axes[t, k, i]
    _products(a, d, E)
    curved = shell.rest[t, 0] != 0.0 or shell.rest[t, 1] != 0.0 or shell.rest[t, 2] != 0.0
    _bent(shell, t, u, e)
    if curved:
        _normals(a, d, n, work)
        for c in range(3):
            for i in range(3):
                e[c, i] -= shell.rest[t, c] * n[i]
    if shell.linear:
        return curved
    _products(d, d, work)
    for c in range(3):
        E[c] += 0.5 * work[c]
    if curved:
        _cross(d[0], d[1], n)
        for c in range(3):
            for i in range(3):
                e[c, i] -= shell.rest[t, c] * n[i]
    for k in range(2):
        for i in range(3):
            a[k, i] += d[k, i]
    return curved


@inner
def _pull(rest, M, T):
    """T = sum_c b_c M_c."""
    for i in range(3):
        T[i] = rest[0] * M[0, i] + rest[1] * M[1, i] + rest[2] * M[2, i]


@inner
def _add_stress(S, a, P):
    """P_k += S_kl a_l."""
    shear = S[2] / np.sqrt(2.0)
    for i in range(3):
        P[0, i] += S[0] * a[0, i] + shear * a[1, i]
        P[1, i] += shear * a[0, i] + S[1] * a[1, i]


@inner
def _add_pull(T, a, P, work):
    """P -= d (T . a_1 x a_2) / d a."""
    _cross(a[1], T, work)
    for i in range(3):
        P[0, i] -= work[i]
    _cross(T, a[0], work)
    for i in range(3):
        P[1, i] -= work[i]


@inner
def _spread(shell, t, P, M, f):
    """f_a += slope_ak P_k on the corners, f_p += B_cp M_c on all nodes."""
    for a in range(3):
        for i in range(3):
            f[shell.cells[t, a], i] += shell.slopes[t, a, 0] * P[0, i] + shell.slopes[t, a, 1] * P[1, i]
    for p in range(shell.nodes.shape[1]):
        for i in range(3):
            f[shell.nodes[t, p], i] += (
                shell.rows[t, 0, p] * M[0, i] + shell.rows[t, 1, p] * M[1, i] + shell.rows[t, 2, p] * M[2, i]
            )


@njit(cache=True, nogil=True)
def shell_energy(shell, u):
    """W(u) [J]."""
    a, d, E, e, M = np.empty((2, 3)), np.empty((2, 3)), np.empty(3), np.empty((3, 3)), np.empty((3, 3))
    n, work, total = np.empty(3), np.empty(3), 0.0
    for t in range(len(shell.cells)):
        _strains(shell, t, u, a, E, e, d, n, work)
        _times(shell.bending[t], e, M)
        for c in range(3):
            for k in range(3):
                total += 0.5 * E[c] * shell.membrane[t, c, k] * E[k] + 0.5 * e[c, k] * M[c, k]
    return total


@njit(cache=True, nogil=True)
def shell_force(shell, u, f):
    """Add dW/du to f (n, 3)."""
    a, d, E, e, M = np.empty((2, 3)), np.empty((2, 3)), np.empty(3), np.empty((3, 3)), np.empty((3, 3))
    n, work, S, T, P = np.empty(3), np.empty(3), np.empty(3), np.empty(3), np.empty((2, 3))
    for t in range(len(shell.cells)):
        curved = _strains(shell, t, u, a, E, e, d, n, work)
        _stresses(shell, t, curved, a, E, e, S, M, T, P, work)
        _spread(shell, t, P, M, f)


@inner
def _stresses(shell, t, curved, a, E, e, S, M, T, P, work):
    """S = Cm E, M = Cb e, T = b . M, and P, all that acts on F."""
    for c in range(3):
        S[c] = shell.membrane[t, c, 0] * E[0] + shell.membrane[t, c, 1] * E[1] + shell.membrane[t, c, 2] * E[2]
    _times(shell.bending[t], e, M)
    for k in range(2):
        for i in range(3):
            P[k, i] = 0.0
    _add_stress(S, a, P)
    if curved:
        _pull(shell.rest[t], M, T)
        _add_pull(T, a, P, work)


@inner
def _only_tension(S):
    """The nearest stress without compression, (11, 22, sqrt 2 12), in place."""
    mean, half, shear = 0.5 * (S[0] + S[1]), 0.5 * (S[0] - S[1]), S[2] / np.sqrt(2.0)
    radius = np.sqrt(half * half + shear * shear)
    high, low = max(mean + radius, 0.0), max(mean - radius, 0.0)
    stretch = 0.5 * (high - low) / radius if radius > 0.0 else 0.0
    S[0], S[1], S[2] = (
        0.5 * (high + low) + stretch * half,
        0.5 * (high + low) - stretch * half,
        np.sqrt(2.0) * stretch * shear,
    )


@njit(cache=True, nogil=True)
def shell_tangent(shell, places, pitch, u, geometric, f, data):
    """Add f(u) to f (n, 3) and K(u) to the data of the pattern of the nodes.

    `geometric`: how much of the stress counts in K: 2 all, 1 tension alone, so that K is semidefinite, 0 none.
    """
    a, d, E, e, M = np.empty((2, 3)), np.empty((2, 3)), np.empty(3), np.empty((3, 3)), np.empty((3, 3))
    n, work, S, T, P = np.empty(3), np.empty(3), np.empty(3), np.empty(3), np.empty((2, 3))
    J, K, CJ = np.empty((3, 9)), np.empty((9, 9)), np.empty(3)
    count = shell.nodes.shape[1]
    G, weak, CB = np.empty((3, 3, 3)), np.empty(3), np.empty((3, count))
    for t in range(len(shell.cells)):
        curved = _strains(shell, t, u, a, E, e, d, n, work)
        _stresses(shell, t, curved, a, E, e, S, M, T, P, work)
        _spread(shell, t, P, M, f)
        C, g = shell.bending[t], shell.slopes[t]
        for c in range(3):
            for p in range(count):
                CB[c, p] = C[c, 0] * shell.rows[t, 0, p] + C[c, 1] * shell.rows[t, 1, p] + C[c, 2] * shell.rows[t, 2, p]
        for p in range(count):
            v = shell.nodes[t, p]
            for q in range(count):
                value = shell.rows[t, 0, p] * CB[0, q] + shell.rows[t, 1, p] * CB[1, q] + shell.rows[t, 2, p] * CB[2, q]
                for i in range(3):
                    data[places[t, p, q] + i * pitch[v] + i] += value
        # dE = J du of the corners
        for c in range(3):
            for i in range(3):
                J[0, 3 * c + i] = a[0, i] * g[c, 0]
                J[1, 3 * c + i] = a[1, i] * g[c, 1]
                J[2, 3 * c + i] = (a[0, i] * g[c, 1] + a[1, i] * g[c, 0]) / np.sqrt(2.0)
        for x in range(9):
            for c in range(3):
                CJ[c] = (
                    shell.membrane[t, c, 0] * J[0, x]
                    + shell.membrane[t, c, 1] * J[1, x]
                    + shell.membrane[t, c, 2] * J[2, x]
                )
            for y in range(9):
                K[y, x] = J[0, y] * CJ[0] + J[1, y] * CJ[1] + J[2, y] * CJ[2]
        if geometric > 0 and not shell.linear:
            if geometric == 1:
                _only_tension(S)
            shear = S[2] / np.sqrt(2.0)
            for c in range(3):
                for b in range(3):
                    value = S[0] * g[c, 0] * g[b, 0] + S[1] * g[c, 1] * g[b, 1]
                    value += shear * (g[c, 0] * g[b, 1] + g[c, 1] * g[b, 0])
                    for i in range(3):
                        K[3 * c + i, 3 * b + i] += value
        if curved:
            _add_curved(shell, t, places, pitch, a, T, CB, geometric, G, weak, K, data)
        for c in range(3):
            for b in range(3):
                for i in range(3):
                    for j in range(3):
                        data[places[t, c, b] + i * pitch[shell.cells[t, c]] + j] += K[3 * c + i, 3 * b + j]


@inner
def _add_curved(shell, t, places, pitch, a, T, CB, geometric, G, weak, K, data):
    """What turns with the normal: G_c = dN/du_c; -(B^T C b) G, its transpose, (b C b) G^T G and the part of T."""
    g, b, C = shell.slopes[t], shell.rest[t], shell.bending[t]
    for c in range(3):
        for i in range(3):
            j, k = (i + 1) % 3, (i + 2) % 3
            G[c, i, i] = 0.0
            # N_i = a1_j a2_k - a1_k a2_j
            G[c, i, j] = g[c, 0] * a[1, k] - g[c, 1] * a[0, k]
            G[c, i, k] = g[c, 1] * a[0, j] - g[c, 0] * a[1, j]
    square = 0.0
    for c in range(3):
        for k in range(3):
            square += b[c] * C[c, k] * b[k]
    for c in range(3):
        for o in range(3):
            for i in range(3):
                for j in range(3):
                    total = G[c, 0, i] * G[o, 0, j] + G[c, 1, i] * G[o, 1, j] + G[c, 2, i] * G[o, 2, j]
                    K[3 * c + i, 3 * o + j] += square * total
            if geometric == 2 and not shell.linear:
                twist = g[c, 0] * g[o, 1] - g[c, 1] * g[o, 0]
                for i in range(3):
                    j, k = (i + 1) % 3, (i + 2) % 3
                    K[3 * c + i, 3 * o + j] -= twist * T[k]
                    K[3 * c + i, 3 * o + k] += twist * T[j]
    for p in range(shell.nodes.shape[1]):
        v = shell.nodes[t, p]
        weight = b[0] * CB[0, p] + b[1] * CB[1, p] + b[2] * CB[2, p]
        for c in range(3):
            for i in range(3):
                for j in range(3):
                    data[places[t, p, c] + i * pitch[v] + j] -= weight * G[c, i, j]
                    data[places[t, c, p] + j * pitch[shell.cells[t, c]] + i] -= weight * G[c, i, j]


@njit(cache=True, nogil=True)
def shell_curvatures(shell, vectors, first, second, f):
    """Add (H:a) b, the second derivative of the force at rest, to f (pairs, n, 3).

    a and b are numbers `first` and `second` (pairs,) of the vectors (k, n, 3).
    """
    x, y, X = np.empty((2, 3)), np.empty((2, 3)), np.empty((2, 3))
    Ex, Ey, Exy, S = np.empty(3), np.empty(3), np.empty(3), np.empty(3)
    ex, ey, M, T, P = np.empty((3, 3)), np.empty((3, 3)), np.empty((3, 3)), np.empty(3), np.empty((2, 3))
    n, work = np.empty(3), np.empty(3)
    for t in range(len(shell.cells)):
        C, b = shell.membrane[t], shell.rest[t]
        curved = b[0] != 0.0 or b[1] != 0.0 or b[2] != 0.0
        for k in range(2):
            for i in range(3):
                X[k, i] = shell.axes[t, k, i]
        for pair in range(len(first)):
            _change(shell, t, vectors[first[pair]], x)
            _change(shell, t, vectors[second[pair]], y)
            _products(X, x, Ex)
            _products(X, y, Ey)
            _products(x, y, Exy)
            for k in range(2):
                for i in range(3):
                    P[k, i] = 0.0
            for c in range(3):
                S[c] = C[c, 0] * Exy[0] + C[c, 1] * Exy[1] + C[c, 2] * Exy[2]
            _add_stress(S, X, P)
            for c in range(3):
                S[c] = C[c, 0] * Ex[0] + C[c, 1] * Ex[1] + C[c, 2] * Ex[2]
            _add_stress(S, y, P)
            for c in range(3):
                S[c] = C[c, 0] * Ey[0] + C[c, 1] * Ey[1] + C[c, 2] * Ey[2]
            _add_stress(S, x, P)
            for c in range(3):
                for i in range(3):
                    M[c, i] = 0.0
            if curved:
                _bent(shell, t, vectors[first[pair]], ex)
                _bent(shell, t, vectors[second[pair]], ey)
                _normals(X, x, n, work)
                for c in range(3):
                    for i in range(3):
                        ex[c, i] -= b[c] * n[i]
                _normals(X, y, n, work)
                for c in range(3):
                    for i in range(3):
                        ey[c, i] -= b[c] * n[i]
                _times(shell.bending[t], ex, M)
                _pull(b, M, T)
                _add_pull(T, y, P, work)
                _times(shell.bending[t], ey, M)
                _pull(b, M, T)
                _add_pull(T, x, P, work)
                _normals(x, y, n, work)
                for c in range(3):
                    for i in range(3):
                        ex[c, i] = -b[c] * n[i]
                _times(shell.bending[t], ex, M)
                _pull(b, M, T)
                _add_pull(T, X, P, work)
            _spread(shell, t, P, M, f[pair])
