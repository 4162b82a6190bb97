"""Modal warping: a linear displacement u bent by its own rotation vector w ([BA13] Eq. 17, 22).

warp(w) u = u + b w x u + c w x (w x u),   b = (1 - cos t)/t^2,   c = (t - sin t)/t^3,   t = |w|
"""

import numpy as np
from numba import njit

# Below this angle the series are more accurate than the quotients.
SMALL = 1e-2


@njit(cache=True, nogil=True)
def warp_factors(square):
    """b and c for t^2 = `square`."""
    if square < SMALL * SMALL:
        return 0.5 - square / 24 + square * square / 720, 1 / 6 - square / 120 + square * square / 5040
    t = np.sqrt(square)
    return (1 - np.cos(t)) / square, (t - np.sin(t)) / (square * t)


@njit(cache=True, nogil=True)
def warp(w, u, out):
    """out = warp(w) u, all (3,)."""
    b, c = warp_factors(w[0] * w[0] + w[1] * w[1] + w[2] * w[2])
    x, y, z = w[1] * u[2] - w[2] * u[1], w[2] * u[0] - w[0] * u[2], w[0] * u[1] - w[1] * u[0]
    out[0] = u[0] + b * x + c * (w[1] * z - w[2] * y)
    out[1] = u[1] + b * y + c * (w[2] * x - w[0] * z)
    out[2] = u[2] + b * z + c * (w[0] * y - w[1] * x)
