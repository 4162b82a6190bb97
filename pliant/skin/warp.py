"""Modal warping: a linear displacement u bent by its own rotation vector w ([BA13] Eq. 17, 22).

warp(w) u = u + b w x u + c w x (w x u),   b = (1 - cos t)/t^2,   c = (t - sin t)/t^3,   t = |w|
"""

import numpy as np
from numba import njit

from pliant.numerics.inner import inner

# Below this angle the series are more accurate than the quotients.
SMALL = 1e-2
SMOOTH = 0.25  # t^2 below which the slopes of the factors are series, to 1e-10


@inner
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


@njit(cache=True, nogil=True)
def warp_motion(w, u, dw, du, Rt, D, out):
    """warp(w) as a matrix Rt, D = d(warp(w) u)/dw, and out = warp(w) u and J' v: (3, 3) and (2, 3).

    J' v is the second rate of warp(w) u while w and u move uniformly, at rates dw and du: what inertia feels of it.
    """
    x, y, z = w[0], w[1], w[2]
    s, along = x * x + y * y + z * z, x * dw[0] + y * dw[1] + z * dw[2]
    speed, dot = dw[0] * dw[0] + dw[1] * dw[1] + dw[2] * dw[2], x * u[0] + y * u[1] + z * u[2]
    b, c, db, dc, ddb, ddc = _factors(s)
    # Along the motion b' = db (w.dw) and b'' = db dw.dw + ddb (w.dw)^2; c likewise.
    b1, c1 = db * along, dc * along
    b2, c2 = db * speed + ddb * along * along, dc * speed + ddc * along * along
    wu, dwu, wdu, dwdu = _crossed(w, u), _crossed(dw, u), _crossed(w, du), _crossed(dw, du)
    wwu, dwwu, wdwu, dwdwu = _crossed(w, wu), _crossed(dw, wu), _crossed(w, dwu), _crossed(dw, dwu)
    wwdu, dwwdu, wdwdu = _crossed(w, wdu), _crossed(dw, wdu), _crossed(w, dwdu)
    for i in range(3):
        out[0, i] = u[i] + b * wu[i] + c * wwu[i]
        turned = b2 * wu[i] + 2 * b1 * (dwu[i] + wdu[i]) + 2 * b * dwdu[i]
        twice = c2 * wwu[i] + 2 * c1 * (dwwu[i] + wdwu[i] + wwdu[i]) + 2 * c * (dwdwu[i] + dwwdu[i] + wdwdu[i])
        out[1, i] = turned + twice
        for n in range(3):
            Rt[i, n] = c * w[i] * w[n]
            D[i, n] = c * (w[i] * u[n] - 2 * u[i] * w[n]) + (db * wu[i] + dc * wwu[i]) * w[n]
        Rt[i, i] += 1 - c * s
        D[i, i] += c * dot
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        Rt[j, i] += b * w[k]
        Rt[i, j] -= b * w[k]
        D[j, i] -= b * u[k]
        D[i, j] += b * u[k]


@njit(cache=True, nogil=True)
def _factors(s):
    """b, c and (1/t) d/dt of them, once and twice, for t^2 = s."""
    if s < SMOOTH:
        b = 1 / 2 - s * (1 / 24 - s * (1 / 720 - s * (1 / 40320 - s * (1 / 3628800 - s / 479001600))))
        c = 1 / 6 - s * (1 / 120 - s * (1 / 5040 - s * (1 / 362880 - s * (1 / 39916800 - s / 6227020800))))
        db = -1 / 12 + s * (1 / 180 - s * (1 / 6720 - s * (1 / 453600 - s / 47900160)))
        dc = -1 / 60 + s * (1 / 1260 - s * (1 / 60480 - s * (1 / 4989600 - s / 622702080)))
        ddb = 1 / 90 - s * (1 / 1680 - s * (1 / 75600 - s * (1 / 5987520 - s / 726485760)))
        ddc = 1 / 630 - s * (1 / 15120 - s * (1 / 831600 - s * (1 / 77837760 - s / 10897286400)))
        return b, c, db, dc, ddb, ddc
    t = np.sqrt(s)
    sin, cos = np.sin(t), np.cos(t)
    b, c = (1 - cos) / s, (t - sin) / (s * t)
    db = (t * sin - 2 * (1 - cos)) / (s * s)
    dc = (t * (1 - cos) - 3 * (t - sin)) / (s * s * t)
    ddb = (s * cos - 5 * t * sin + 8 * (1 - cos)) / (s * s * s)
    ddc = (8 * t + 7 * t * cos + s * sin - 15 * sin) / (s * s * s * t)
    return b, c, db, dc, ddb, ddc


@njit(cache=True, nogil=True, inline="always")
def _crossed(a, b):
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]
