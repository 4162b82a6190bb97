"""The drawing formula, compiled, over a range of vertices of `SkinTables`."""

from numba import njit

from pliant.skin.rows import times_rows
from pliant.skin.warp import warped


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
            a, b, c = times_rows(U, rows[e], size[p], q, first[p])
            if turns[e] >= 0:
                w0, w1, w2 = times_rows(omega, turns[e], size[p], q, first[p])
                a, b, c = warped(w0, w1, w2, a, b, c)
            a += X[e, 0]
            b += X[e, 1]
            c += X[e, 2]
            sum_x += w * (R[f, 0, 0] * a + R[f, 0, 1] * b + R[f, 0, 2] * c + t[f, 0])
            sum_y += w * (R[f, 1, 0] * a + R[f, 1, 1] * b + R[f, 1, 2] * c + t[f, 1])
            sum_z += w * (R[f, 2, 0] * a + R[f, 2, 1] * b + R[f, 2, 2] * c + t[f, 2])
        row = into[k]
        x[row, 0], x[row, 1], x[row, 2] = sum_x, sum_y, sum_z
