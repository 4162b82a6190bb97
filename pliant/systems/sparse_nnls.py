"""Non-negative least squares with few positive weights, for rules of few points."""

import numpy as np
import scipy.linalg as la

from pliant.errors import Array, Ids


def sparse_nnls(gram: Array, right: Array, total: float, tolerance: float, most: int) -> Array:
    """w >= 0 with few positive entries: Lawson and Hanson from zero, until |A w - b|^2 < tolerance^2 total.

    Args:
        total: b^T b.
    """
    w, active = np.zeros(len(right)), np.empty(0, dtype=np.int64)
    scale = np.sqrt(np.diag(gram))
    scale[scale == 0] = np.inf  # columns of nothing, as those of points that are held still
    while len(active) < min(most, len(right)):
        gradient = (right - gram @ w) / scale
        gradient[active] = -np.inf
        best = int(np.argmax(gradient))
        if gradient[best] <= 1e-9 * np.abs(right / scale).max():
            break
        active = _settle(gram, right, w, np.append(active, best))
        if total - 2 * right @ w + w @ (gram @ w) < tolerance**2 * total:
            break
    return w


def _settle(gram: Array, right: Array, w: Array, active: Ids) -> Ids:
    """Least squares over the active columns into w, dropping those that reach zero on the way."""
    while True:
        A = gram[np.ix_(active, active)]
        wanted = la.solve(A + 1e-10 * np.diag(np.diag(A)), right[active], assume_a="pos", check_finite=False)
        if (wanted > 0).all():
            w[:] = 0.0
            w[active] = wanted
            return active
        own, bad = w[active], wanted <= 0
        own = own + np.min(own[bad] / (own[bad] - wanted[bad])) * (wanted - own)
        keep = ~bad | (own > 1e-12 * own.max())
        w[:] = 0.0
        w[active[keep]] = own[keep]
        active = active[keep]
