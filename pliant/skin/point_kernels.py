"""Material points in compiled loops: displace, place, move and pull back the entries of `SkinTables`, a few or all.

    u = U z,  w = Omega z,  y = X + warp(w) u,   x = sum_e weight_e (R y + t)
    x' = sum_e weight_e (R (warp(w) u' + d(warp(w) u)/dw w') + s x R y + V),   u' = U z',  w' = Omega z'
    x'' = sum_e weight_e (R y'' + al x R y + s x (s x R y + 2 R y') + A),   y'' of u'' = U z'',  w'' = Omega z''
    f_z = U^T R^T f | U^T (exp(w)^T R^T f) | U^T (warp(w)^T R^T f) | the gradient of the work of f
                                                              PROJECTIONS none, R, Rt, J ([BA13] section 4)

z are chained coordinates, R t the frame of an entry, V s and A al its velocities and accelerations in the world.
"""

import numpy as np
from numba import njit

from pliant.numerics import rotation_exponential_into
from pliant.numerics.inner import inner
from pliant.skin.rows import add_rows, times_rows
from pliant.skin.warp import warp, warp_motion, warp_slope, warped

PROJECTIONS = ("none", "R", "Rt", "J")
TURNED = PROJECTIONS.index("R")
GRADIENT = PROJECTIONS.index("J")


@njit(cache=True, nogil=True)
def displace(tables, z, u, w):
    """u and w (e, 3) of all entries; w stays zero where nothing warps."""
    _, part, _, _, rows, turns, U, omega, _, first, size, _ = tables
    for e in range(len(part)):
        p = part[e]
        u[e, 0], u[e, 1], u[e, 2] = times_rows(U, rows[e], size[p], z, first[p])
        if turns[e] >= 0:
            w[e, 0], w[e, 1], w[e, 2] = times_rows(omega, turns[e], size[p], z, first[p])


@njit(cache=True, nogil=True)
def place_in_frames(tables, u, w, y):
    """y = X + warp(w) u (e, 3) of all entries, in the axes of their frames."""
    X, turns = tables.X, tables.turns
    for e in range(len(y)):
        a, b, c = u[e, 0], u[e, 1], u[e, 2]
        if turns[e] >= 0:
            a, b, c = warped(w[e, 0], w[e, 1], w[e, 2], a, b, c)
        y[e, 0], y[e, 1], y[e, 2] = a + X[e, 0], b + X[e, 1], c + X[e, 2]


@njit(cache=True, nogil=True)
def place_points(tables, R, t, u, w, x):
    """x (p, 3) in the world."""
    start, part, weights, X, _, turns, _, _, frame, _, _, _ = tables
    for k in range(len(start) - 1):
        x[k, 0] = x[k, 1] = x[k, 2] = 0.0
        for e in range(start[k], start[k + 1]):
            f, share = frame[part[e]], weights[e]
            a, b, c = u[e, 0], u[e, 1], u[e, 2]
            if turns[e] >= 0:
                a, b, c = warped(w[e, 0], w[e, 1], w[e, 2], a, b, c)
            a, b, c = a + X[e, 0], b + X[e, 1], c + X[e, 2]
            for i in range(3):
                x[k, i] += share * (R[f, i, 0] * a + R[f, i, 1] * b + R[f, i, 2] * c + t[f, i])


@inner
def move_in_frames(tables, u, w, du, dw, y, rate):
    """y = X + warp(w) u of all entries and its rate (e, 3), in the axes of their frames."""
    D = np.empty((3, 3))
    for e in range(len(u)):
        _move_entry(tables.turns[e] >= 0, tables.X[e], u[e], w[e], du[e], dw[e], D, y[e], rate[e])


@inner
def _move_entry(warps, X, u, w, du, dw, D, y, rate):
    """y and y' (3,) of one entry; D (3, 3) is work space."""
    if not warps:
        for i in range(3):
            y[i], rate[i] = X[i] + u[i], du[i]
        return
    warp(w, u, y)
    warp(w, du, rate)
    warp_slope(w, u, D)
    for i in range(3):
        y[i] += X[i]
        rate[i] += D[i, 0] * dw[0] + D[i, 1] * dw[1] + D[i, 2] * dw[2]


@njit(cache=True, nogil=True)
def move_points(tables, R, V, s, u, w, du, dw, v):
    """v (p, 3), the velocities in the world; du, dw (e, 3) are the rates of u and w."""
    start, part, weights, X, _, turns, _, _, frame, _, _, _ = tables
    y, rate, D = np.empty(3), np.empty(3), np.empty((3, 3))
    for k in range(len(start) - 1):
        v[k, 0] = v[k, 1] = v[k, 2] = 0.0
        for e in range(start[k], start[k + 1]):
            f, share = frame[part[e]], weights[e]
            _move_entry(turns[e] >= 0, X[e], u[e], w[e], du[e], dw[e], D, y, rate)
            _turn(R[f], y)
            _turn(R[f], rate)
            for i in range(3):
                j, m = (i + 1) % 3, (i + 2) % 3
                v[k, i] += share * (rate[i] + s[f, j] * y[m] - s[f, m] * y[j] + V[f, i])


@njit(cache=True, nogil=True)
def accelerate_points(tables, R, s, A, al, u, w, du, dw, ddu, ddw, a):
    """a (p, 3), the accelerations in the world; du, dw and ddu, ddw (e, 3) are the rates of u and w."""
    start, part, weights, X, _, turns, _, _, frame, _, _, _ = tables
    Rt, D, out = np.empty((3, 3)), np.empty((3, 3)), np.empty((2, 3))
    y, rate, second, inner = np.empty(3), np.empty(3), np.empty(3), np.empty(3)
    for k in range(len(start) - 1):
        a[k, 0] = a[k, 1] = a[k, 2] = 0.0
        for e in range(start[k], start[k + 1]):
            f, share = frame[part[e]], weights[e]
            if turns[e] >= 0:
                move_warped(X[e], u[e], w[e], du[e], dw[e], ddu[e], ddw[e], Rt, D, out, y, rate, second)
            else:
                for i in range(3):
                    y[i], rate[i], second[i] = X[e, i] + u[e, i], du[e, i], ddu[e, i]
            _turn(R[f], y)
            _turn(R[f], rate)
            _turn(R[f], second)
            for i in range(3):
                j, m = (i + 1) % 3, (i + 2) % 3
                inner[i] = s[f, j] * y[m] - s[f, m] * y[j] + 2 * rate[i]
            for i in range(3):
                j, m = (i + 1) % 3, (i + 2) % 3
                turning = al[f, j] * y[m] - al[f, m] * y[j] + s[f, j] * inner[m] - s[f, m] * inner[j]
                a[k, i] += share * (second[i] + turning + A[f, i])


@njit(cache=True, nogil=True)
def _turn(R, x):
    """x <- R x (3,)."""
    a, b, c = x[0], x[1], x[2]
    for i in range(3):
        x[i] = R[i, 0] * a + R[i, 1] * b + R[i, 2] * c


@inner
def move_warped(X, u, w, du, dw, ddu, ddw, Rt, D, out, y, rate, second):
    """y = X + warp(w) u and its two rates, (3,) each, and Rt and D (3, 3); `out` is work space (2, 3)."""
    warp_motion(w, u, dw, du, Rt, D, out)
    for i in range(3):
        y[i] = X[i] + out[0, i]
        rate[i] = Rt[i, 0] * du[0] + Rt[i, 1] * du[1] + Rt[i, 2] * du[2]
        rate[i] += D[i, 0] * dw[0] + D[i, 1] * dw[1] + D[i, 2] * dw[2]
        second[i] = out[1, i] + Rt[i, 0] * ddu[0] + Rt[i, 1] * ddu[1] + Rt[i, 2] * ddu[2]
        second[i] += D[i, 0] * ddw[0] + D[i, 1] * ddw[1] + D[i, 2] * ddw[2]


@inner
def pull_warped(tables, Rt, D, forces, reduced):
    """As `pull_forces` by the gradient, for warps (p, 3, 3) that `move_warped` has measured; one entry a point."""
    pull, bend = np.empty(3), np.empty(3)
    for p in range(len(forces)):
        part, f = tables.part[p], forces[p]
        for i in range(3):
            pull[i] = Rt[p, 0, i] * f[0] + Rt[p, 1, i] * f[1] + Rt[p, 2, i] * f[2]
            bend[i] = D[p, 0, i] * f[0] + D[p, 1, i] * f[1] + D[p, 2, i] * f[2]
        size, first = tables.size[part], tables.first[part]
        add_rows(tables.U, tables.rows[p], size, pull[0], pull[1], pull[2], reduced, first)
        add_rows(tables.omega, tables.turns[p], size, bend[0], bend[1], bend[2], reduced, first)


@njit(cache=True, nogil=True)
def pull_back(tables, R, u, w, forces, projection, force, torque, reduced):
    """Add what world forces (p, 3) mean: force and torque about its origin (f, 3) of frames, `reduced` of z."""
    start, part, weights, X, rows, turns, U, omega, frame, first, size, _ = tables
    arm, pull, turn, bend = np.empty(3), np.empty(3), np.zeros(3), np.empty((3, 3))
    for k in range(len(start) - 1):
        if forces[k, 0] == 0 and forces[k, 1] == 0 and forces[k, 2] == 0:
            continue
        for e in range(start[k], start[k + 1]):
            p = part[e]
            f, warps = frame[p], turns[e] >= 0
            a, b, c = u[e, 0], u[e, 1], u[e, 2]
            if warps:
                a, b, c = warped(w[e, 0], w[e, 1], w[e, 2], a, b, c)
            a, b, c = a + X[e, 0], b + X[e, 1], c + X[e, 2]
            for i in range(3):
                arm[i] = R[f, i, 0] * a + R[f, i, 1] * b + R[f, i, 2] * c
            a, b, c = weights[e] * forces[k, 0], weights[e] * forces[k, 1], weights[e] * forces[k, 2]
            force[f, 0] += a
            force[f, 1] += b
            force[f, 2] += c
            torque[f, 0] += arm[1] * c - arm[2] * b
            torque[f, 1] += arm[2] * a - arm[0] * c
            torque[f, 2] += arm[0] * b - arm[1] * a
            for i in range(3):
                pull[i] = R[f, 0, i] * a + R[f, 1, i] * b + R[f, 2, i] * c
            if warps:
                _unbend(w[e], u[e], projection, pull, turn, bend)
                if projection == GRADIENT:
                    add_rows(omega, turns[e], size[p], turn[0], turn[1], turn[2], reduced, first[p])
            add_rows(U, rows[e], size[p], pull[0], pull[1], pull[2], reduced, first[p])


@njit(cache=True, nogil=True)
def pull_units(tables, R, u, w, projection, reduced):
    """What unit forces along the axes of the world on each point mean to z, into `reduced` (3p, len z)."""
    forces = np.zeros((len(tables.start) - 1, 3))
    frame, moment = np.zeros((len(R), 3)), np.zeros((len(R), 3))
    for row in range(3 * len(forces)):
        forces[row // 3, row % 3] = 1.0
        pull_back(tables, R, u, w, forces, projection, frame, moment, reduced[row])
        forces[row // 3, row % 3] = 0.0


@inner
def pull_forces(tables, u, w, forces, projection, reduced):
    """As `pull_back`, of forces (p, 3) in the axes of the frames and on the coordinates alone."""
    start, part, weights, _, rows, turns, U, omega, _, first, size, _ = tables
    pull, turn, bend = np.empty(3), np.zeros(3), np.empty((3, 3))
    for k in range(len(start) - 1):
        for e in range(start[k], start[k + 1]):
            p = part[e]
            for i in range(3):
                pull[i] = weights[e] * forces[k, i]
            if turns[e] >= 0:
                _unbend(w[e], u[e], projection, pull, turn, bend)
                if projection == GRADIENT:
                    add_rows(omega, turns[e], size[p], turn[0], turn[1], turn[2], reduced, first[p])
            add_rows(U, rows[e], size[p], pull[0], pull[1], pull[2], reduced, first[p])


@inner
def _unbend(w, u, projection, pull, turn, bend):
    """pull <- pull | exp(w)^T pull | warp(w)^T pull, and for the gradient turn = (d(warp(w) u)/dw)^T pull."""
    if projection == 0:
        return
    a, b, c = pull[0], pull[1], pull[2]
    if projection == TURNED:
        rotation_exponential_into(bend, w)
        for i in range(3):
            pull[i] = bend[0, i] * a + bend[1, i] * b + bend[2, i] * c
        return
    # The transpose of warp(w) is warp(-w): the odd term changes its sign, the even one does not.
    pull[0], pull[1], pull[2] = warped(-w[0], -w[1], -w[2], a, b, c)
    if projection == GRADIENT:
        warp_slope(w, u, bend)
        for i in range(3):
            turn[i] = bend[0, i] * a + bend[1, i] * b + bend[2, i] * c


@njit(cache=True, nogil=True)
def chain(q, ids, z):
    """z = q[ids]."""
    for k in range(len(ids)):
        z[k] = q[ids[k]]


@inner
def unchain(z, ids, q):
    """q[ids] += z."""
    for k in range(len(ids)):
        q[ids[k]] += z[k]
