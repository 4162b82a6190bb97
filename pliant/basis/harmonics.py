"""Manifold harmonics: the smoothest functions on a triangle patch or on a curve ([BA13] section 3.2).

S h = l B h,  S_ab = -(cot b_ab + cot b'_ab)/2,  S_aa = -sum_b S_ab,  B_ab = (|t| + |t'|)/12,  B_aa = sum_t |t|/6
(maths sheet boundary-aware 2; the paper's diagonal sign is an erratum). Curves have linear elements instead.
"""

import numpy as np
import scipy.sparse as sp

from pliant.errors import Array, Ids
from pliant.numerics import lowest_eigenpairs

SHIFT = 1e-3  # of the smallest curvature scale: S is singular, so the shift must be below zero
TIE = 1e-8  # relative distance of eigenvalues that count as one
AXES = np.array([1.0, 2.0, 4.0])  # unequal, so that a square's harmonics come out along its sides


def patch_harmonics(X: Array, triangles: Ids, edges: Ids, count: int) -> Array:
    """The `count` smoothest functions (k, count), fewer where the patch has fewer vertices, the constant first.

    Args:
        X: (k, 3) vertices of the patch [m].
        triangles: (t, 3) ids into X; none for a curve.
        edges: (e, 2) of a curve.
    """
    S, B = _surface_matrices(X, triangles) if len(triangles) else _curve_matrices(X, edges)
    count = min(count, len(X))
    size = np.ptp(X, axis=0).max()
    values, H = lowest_eigenpairs(S, B, count, -SHIFT / size**2)
    return _without_ties(values, H, B, X)


def _surface_matrices(X: Array, triangles: Ids) -> tuple[sp.csr_matrix, sp.csr_matrix]:
    corners = X[triangles]
    areas = 0.5 * np.linalg.norm(np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]), axis=1)
    S, B = np.zeros((len(triangles), 3, 3)), np.zeros((len(triangles), 3, 3))
    B[:] = areas[:, None, None] / 12 * (1 + np.eye(3))
    for c in range(3):
        a, b = (c + 1) % 3, (c + 2) % 3
        cot = np.einsum("ti,ti->t", corners[:, a] - corners[:, c], corners[:, b] - corners[:, c]) / (2 * areas)
        for i, j, sign in ((a, b, -0.5), (b, a, -0.5), (a, a, 0.5), (b, b, 0.5)):
            S[:, i, j] += sign * cot
    return _assembled(S, triangles, len(X)), _assembled(B, triangles, len(X))


def _curve_matrices(X: Array, edges: Ids) -> tuple[sp.csr_matrix, sp.csr_matrix]:
    lengths = np.linalg.norm(X[edges[:, 1]] - X[edges[:, 0]], axis=1)[:, None, None]
    S = np.array([[1.0, -1.0], [-1.0, 1.0]]) / lengths
    B = lengths / 6 * (1 + np.eye(2))
    return _assembled(S, edges, len(X)), _assembled(B, edges, len(X))


def _assembled(local: Array, cells: Ids, n: int) -> sp.csr_matrix:
    rows, columns = np.broadcast_arrays(cells[:, :, None], cells[:, None, :])
    return sp.csr_matrix((local.ravel(), (rows.ravel(), columns.ravel())), (n, n))


def _without_ties(values: Array, H: Array, B: sp.csr_matrix, X: Array) -> Array:
    """Harmonics of one eigenvalue are any rotation of each other; choose the one that sorts them by their spread."""
    spread = ((X - X.mean(axis=0)) ** 2) @ AXES
    weight = np.asarray(B.sum(axis=1)).ravel() * spread
    H, first = H.copy(), 0
    for last in range(1, len(values) + 1):
        if last < len(values) and values[last] - values[first] <= TIE * values[last]:
            continue
        if last - first > 1:
            block = H[:, first:last]
            H[:, first:last] = block @ np.linalg.eigh(block.T @ (weight[:, None] * block))[1]
        first = last
    largest = np.abs(H).argmax(axis=0)
    return H * np.where(H[largest, np.arange(H.shape[1])] < 0, -1.0, 1.0)
