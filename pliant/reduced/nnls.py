"""Non-negative least squares from normal equations, with a warm start (Lawson, Hanson 1974).

min |A w - b|,   w >= 0,   given A^T A and A^T b
"""

import numpy as np
import scipy.linalg as la
from numpy.typing import NDArray

from pliant.errors import Array

ROUNDS = 3  # passes per column before the search gives up; the loop ends by itself in exact arithmetic


def nnls_gram(gram: Array, right: Array, start: Array) -> Array:
    """w (k,) for A^T A (k, k), A^T b (k,) and a feasible start (k,), whose positive entries are tried first."""
    w = start.copy()
    passive = w > 0
    scale = max(float(np.abs(right).max()), np.finfo(float).tiny)
    for _ in range(ROUNDS * len(w)):
        w = _descend(gram, right, w, passive)
        gradient = right - gram @ w
        gradient[passive] = -np.inf
        best = int(np.argmax(gradient))
        if gradient[best] <= 1e-12 * scale:
            break
        passive[best] = True
    return w


def _descend(gram: Array, right: Array, w: Array, passive: NDArray[np.bool_]) -> Array:
    """Minimise over the passive columns, dropping those that reach zero on the way."""
    while passive.any():
        ids = np.flatnonzero(passive)
        target = np.zeros_like(w)
        target[ids] = _solve(gram[np.ix_(ids, ids)], right[ids])
        if (target[ids] > 0).all():
            return target
        bad = ids[target[ids] <= 0]
        fraction = np.min(w[bad] / np.maximum(w[bad] - target[bad], np.finfo(float).tiny))
        w = w + fraction * (target - w)
        passive[bad[w[bad] <= 1e-14 * np.abs(w).max()]] = False
        passive[bad[np.argmin(w[bad])]] = False
        w[~passive] = 0.0
    return np.zeros_like(w)


def _solve(gram: Array, right: Array) -> Array:
    try:
        return la.cho_solve(la.cho_factor(gram, check_finite=False), right, check_finite=False)
    except la.LinAlgError:
        return np.linalg.pinv(gram) @ right
