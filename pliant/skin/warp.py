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
def warped(w0, w1, w2, u0, u1, u2):
    """warp(w) u on plain numbers."""
    b, c = warp_factors(w0 * w0 + w1 * w1 + w2 * w2)
    x, y, z = w1 * u2 - w2 * u1, w2 * u0 - w0 * u2, w0 * u1 - w1 * u0
    return (
        u0 + b * x + c * (w1 * z - w2 * y),
        u1 + b * y + c * (w2 * x - w0 * z),
        u2 + b * z + c * (w0 * y - w1 * x),
    )


@njit(cache=True, nogil=True)
def warp(w, u, out):
    """out = warp(w) u, all (3,)."""
    out[0], out[1], out[2] = warped(w[0], w[1], w[2], u[0], u[1], u[2])


@njit(cache=True, nogil=True)
def warp_slope(w, u, D):
    """D = d(warp(w) u)/dw = -b [u]x + c ((w.u) I + w u^T - 2 u w^T) + b' (w x u) w^T + c' (w x (w x u)) w^T."""
    square = w[0] * w[0] + w[1] * w[1] + w[2] * w[2]
    b, c = warp_factors(square)
    if square < 1e-4:
        db, dc = -1 / 12 + square / 180, -1 / 60 + square / 1260
    else:
        t = np.sqrt(square)
        db = (t * np.sin(t) - 2 * (1 - np.cos(t))) / (square * square)
        dc = (t * (1 - np.cos(t)) - 3 * (t - np.sin(t))) / (square * square * t)
    dot = w[0] * u[0] + w[1] * u[1] + w[2] * u[2]
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        once = w[j] * u[k] - w[k] * u[j]
        twice = w[i] * dot - u[i] * square
        for n in range(3):
            D[i, n] = c * (w[i] * u[n] - 2 * u[i] * w[n]) + (db * once + dc * twice) * w[n]
        D[i, i] += c * dot
    D[0, 1] += b * u[2]
    D[0, 2] -= b * u[1]
    D[1, 0] -= b * u[2]
    D[1, 2] += b * u[0]
    D[2, 0] += b * u[1]
    D[2, 1] -= b * u[0]
