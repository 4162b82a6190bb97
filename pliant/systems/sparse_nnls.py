"""Non-negative least squares with few positive weights, for rules of few points."""

import numpy as np
import scipy.linalg as la

from pliant.errors import Array, Ids

TIE = 1e-7  # relative: of points that are as good by symmetry the first is taken, not the one that rounding favours


def sparse_nnls(gram: Array, right: Array, total: float, tolerance: float, most: int) -> Array:
    """w >= 0 with few positive entries: Lawson and Hanson from zero, until |A w - b|^2 < tolerance^2 total.

    Args:
        total: b^T b.
    """
    w, active, misfit = np.zeros(len(right)), np.empty(0, dtype=np.int64), total
    scale = np.sqrt(np.diag(gram))
    scale[scale == 0] = np.inf  # columns of nothing, as those of points that are held still
    while len(active) < min(most, len(right)):
        gradient = (right - gram @ w) / scale
        gradient[active] = -np.inf
        best = int(np.argmax(gradient >= (1 - TIE) * gradient.max()))
        if gradient[best] <= 1e-9 * np.abs(right / scale).max():
            break
        fitted = w.copy()
        try:
            chosen = _settle(gram, right, fitted, np.append(active, best))
            left = float(total - 2 * right @ fitted + fitted @ (gram @ fitted))
        except la.LinAlgError:
            left = np.inf
        if left >= misfit:  # it is like those that are active to rounding, as in bodies that are copies of each other
            scale[best] = np.inf
            continue
        w, active, misfit = fitted, chosen, left
        if misfit < tolerance**2 * total:
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
