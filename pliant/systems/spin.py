"""Angular momentum of an unreduced free body, balanced exactly: the trapezoidal rule alone keeps it to second order.

    L+ (1 + alpha dt/2) = L (1 - alpha dt/2) + dt (tau + tau+) / 2,    v += dw x (x - c),   I dw = what L+ lacks

c is the centre of mass, so that linear momentum stays.
"""

import numpy as np
import scipy.sparse as sp

from pliant.errors import Array


def angular_momentum(mass: sp.csr_matrix, x: Array, v: Array) -> Array:
    """About the origin (3,), for positions (n, 3) and velocities (3n,)."""
    return np.cross(x, (mass @ v).reshape(-1, 3)).sum(axis=0)


def spun(mass: sp.csr_matrix, x: Array, v: Array, wanted: Array) -> Array:
    """Velocities (3n,) with this angular momentum about the origin, changed by a rotation about the centre of mass."""
    weights = mass @ np.ones(len(v))
    arms = x - weights[::3] @ x / weights[::3].sum()
    turns = np.stack([np.cross(axis, arms).ravel() for axis in np.eye(3)], axis=1)
    inertia = turns.T @ (mass @ turns)
    return v + turns @ np.linalg.solve(inertia, wanted - angular_momentum(mass, x, v))
