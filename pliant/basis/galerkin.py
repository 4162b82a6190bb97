"""Static equilibrium within a basis, with the full model's force and stiffness: U^T f(U q) = U^T load.

Slow, since every iteration assembles the full model; it needs nothing precomputed.
"""

import numpy as np
import scipy.linalg as la

from pliant.errors import Array, Diverged
from pliant.fem import Solid

TOLERANCE = 1e-8  # on |U^T (f - load)| / |U^T load|
ITERATIONS = 100
SHORTEST = 2.0**-20  # of a step in the line search
DECREASE = 1e-4


def galerkin_static(
    solid: Solid, U: Array, load: Array, start: Array | None = None, iterations: int = ITERATIONS
) -> Array:
    """q (r,) in equilibrium with a load (3n,), by Newton with a line search on the potential W(U q) - load . U q.

    Where the reduced stiffness is indefinite its eigenvalues are made positive, so each step goes downhill.

    Raises:
        Diverged: no equilibrium was found.
    """
    q = np.zeros(U.shape[1]) if start is None else start.copy()
    target = U.T @ load
    for _ in range(iterations):
        f, K = solid.tangent(U @ q)
        gap = target - U.T @ f
        if np.linalg.norm(gap) <= TOLERANCE * np.linalg.norm(target):
            return q
        q = _searched(solid, U, load, q, _downhill(U.T @ (K @ U), gap), gap)
    size = float(np.linalg.norm(gap) / np.linalg.norm(target))
    raise Diverged(f"no equilibrium within the basis (relative residual {size:.2g}); reduce the load", residual=size)


def _downhill(K: Array, gap: Array) -> Array:
    values, vectors = la.eigh(K)
    values = np.maximum(np.abs(values), 1e-12 * np.abs(values).max())
    return vectors @ ((vectors.T @ gap) / values)


def _searched(solid: Solid, U: Array, load: Array, q: Array, d: Array, gap: Array) -> Array:
    """q + scale d with a lower potential, or with a smaller gap once the potential is all rounding."""

    def potential(q):
        return solid.energy(U @ q) - load @ (U @ q)

    scale, before = 1.0, potential(q)
    while scale > SHORTEST:
        trial = q + scale * d
        if potential(trial) <= before - DECREASE * scale * (d @ gap):
            return trial
        if np.linalg.norm(U.T @ (load - solid.force(U @ trial))) < 0.9 * np.linalg.norm(gap):
            return trial
        scale /= 2
    return trial
