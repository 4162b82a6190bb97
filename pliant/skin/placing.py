"""The drawing formula and its transpose, compiled, over a range of vertices of `SkinTables`."""

import numpy as np
from numba import njit

from pliant.numerics import rotation_exponential_into
from pliant.skin.warp import warp_factors


@njit(cache=True, nogil=True, fastmath={"contract", "reassoc", "nsz"})
def _times(matrix, at, size, q, first):
    """The three rows of a vertex times its coordinates."""
    # Unsigned, since an index that might be negative keeps the loop from being vectorised.
    row_x, columns, start = np.uint64(at), np.uint64(size), np.uint64(first)
    row_y, row_z = row_x + columns, row_x + columns + columns
    x, y, z = 0.0, 0.0, 0.0
    for k in range(columns):
        value = q[start + k]
        x += matrix[row_x + k] * value
        y += matrix[row_y + k] * value
        z += matrix[row_z + k] * value
    return x, y, z


@njit(cache=True, nogil=True)
def _warped(w0, w1, w2, u0, u1, u2):
    """warp(w) u, as `pliant.skin.warp` has it, on plain numbers."""
    b, c = warp_factors(w0 * w0 + w1 * w1 + w2 * w2)
    x, y, z = w1 * u2 - w2 * u1, w2 * u0 - w0 * u2, w0 * u1 - w1 * u0
    return (
        u0 + b * x + c * (w1 * z - w2 * y),
        u1 + b * y + c * (w2 * x - w0 * z),
        u2 + b * z + c * (w0 * y - w1 * x),
    )


@njit(cache=True, nogil=True)
def place(tables, R, t, q, vertices, into, low, high, x):
    """x[into[k]] of vertices[k] for k from `low` to `high`; q are the chained coordinates."""
    # Taken out of the tuple once: each look into it would count a reference.
    start, part, weights, X, rows, turns, U, omega, frame, first, size, _ = tables
    for k in range(low, high):
        v = vertices[k]
        sum_x, sum_y, sum_z = 0.0, 0.0, 0.0
        for e in range(start[v], start[v + 1]):
            p = part[e]
            f, w = frame[p], weights[e]
            a, b, c = _times(U, rows[e], size[p], q, first[p])
            if turns[e] >= 0:
                w0, w1, w2 = _times(omega, turns[e], size[p], q, first[p])
                a, b, c = _warped(w0, w1, w2, a, b, c)
            a += X[e, 0]
            b += X[e, 1]
            c += X[e, 2]
            sum_x += w * (R[f, 0, 0] * a + R[f, 0, 1] * b + R[f, 0, 2] * c + t[f, 0])
            sum_y += w * (R[f, 1, 0] * a + R[f, 1, 1] * b + R[f, 1, 2] * c + t[f, 1])
            sum_z += w * (R[f, 2, 0] * a + R[f, 2, 1] * b + R[f, 2, 2] * c + t[f, 2])
        row = into[k]
        x[row, 0], x[row, 1], x[row, 2] = sum_x, sum_y, sum_z


@njit(cache=True, nogil=True)
def collect(tables, R, q, vertices, forces, force, torque, reduced):
    """Add what `forces` (k, 3) on `vertices` (k,) mean to the frames and to the chained coordinates."""
    start, part, weights, X, rows, turns, U, omega, frame, first, size, _ = tables
    w, arm, pull, bend = np.empty(3), np.empty(3), np.empty(3), np.empty((3, 3))
    for k in range(len(vertices)):
        v = vertices[k]
        for e in range(start[v], start[v + 1]):
            p = part[e]
            f, at, r, q0 = frame[p], rows[e], size[p], first[p]
            a, b, c = _times(U, at, r, q, q0)
            if turns[e] >= 0:
                w[0], w[1], w[2] = _times(omega, turns[e], r, q, q0)
                a, b, c = _warped(w[0], w[1], w[2], a, b, c)
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
            if turns[e] >= 0:
                rotation_exponential_into(bend, w)
                a, b, c = pull[0], pull[1], pull[2]
                for i in range(3):
                    pull[i] = bend[0, i] * a + bend[1, i] * b + bend[2, i] * c
            _add_rows(U, at, r, pull[0], pull[1], pull[2], reduced, q0)


@njit(cache=True, nogil=True, fastmath={"contract", "reassoc", "nsz"})
def _add_rows(matrix, at, size, x, y, z, out, first):
    """out += the three rows of a vertex, transposed, times (x, y, z)."""
    row_x, columns, start = np.uint64(at), np.uint64(size), np.uint64(first)
    row_y, row_z = row_x + columns, row_x + columns + columns
    for k in range(columns):
        out[start + k] += matrix[row_x + k] * x + matrix[row_y + k] * y + matrix[row_z + k] * z
