"""Products of a tall basis with vectors, and with a sparse matrix from both sides; its rows lie in whole lines.

    u = U q,   g = U^T f,   U^T (K U)        U flat (3n, pitch), padded by zeros

A few rows of K U at a time are multiplied by U while they are in the caches.
"""

from numba import njit

from pliant.numerics.gram import add_lower_product
from pliant.numerics.inner import inner
from pliant.numerics.simd8 import load8, spread8, store8, total8
from pliant.numerics.simd_line import lanes_of, load_line, spread_line, store_line

TOGETHER = 20  # vertices whose rows are multiplied together


@njit(cache=True, nogil=True)
def displace(U, pitch, q, u):
    """u (n, 3) = U q, for q (pitch,) padded by zeros."""
    flat = u.reshape(-1)
    for row in range(len(flat)):
        at, total = row * pitch, spread8(0.0)
        for i in range(0, pitch, 8):
            total = total + load8(U, at + i) * load8(q, i)
        flat[row] = total8(total)


@njit(cache=True, nogil=True)
def gather(U, pitch, f, into):
    """into (pitch,) = U^T f, for f (n, 3)."""
    flat = f.reshape(-1)
    into[:] = 0.0
    for row in range(0, len(flat), 3):
        at, x, y, z = row * pitch, spread8(flat[row]), spread8(flat[row + 1]), spread8(flat[row + 2])
        for i in range(0, pitch, 8):
            b = at + i
            sums = load8(U, b) * x + load8(U, b + pitch) * y + load8(U, b + 2 * pitch) * z
            store8(into, i, load8(into, i) + sums)


@inner
def congruent(starts, columns, data, U, pitch, width, rows, K):
    """Add U^T A U to K (pitch, pitch) flat, below and on the diagonal; A symmetric, of 3 x 3 blocks.

    Args:
        starts, columns, data: of A in compressed rows. data and U have one precision.
        rows: room for 3 TOGETHER rows of U.
    """
    count = len(starts) // 3
    for first in range(0, count, TOGETHER):
        last = min(first + TOGETHER, count)
        _multiply(starts, columns, data, U, pitch, first, last, rows)
        add_lower_product(U, 3 * first * pitch, rows, 0, 3 * (last - first), pitch, width, K)


@njit(cache=True, nogil=True)
def _multiply(starts, columns, data, U, pitch, first, last, rows):
    """Rows of A U of some vertices, two lines at a time."""
    lanes = lanes_of(U)
    even = pitch // (2 * lanes) * 2 * lanes
    for vertex in range(first, last):
        to = 3 * (vertex - first) * pitch
        for i in range(0, even, 2 * lanes):
            _two_lines(starts, columns, data, U, pitch, lanes, vertex, i, rows, to + i)
        if even < pitch:
            _one_line(starts, columns, data, U, pitch, vertex, even, rows, to + even)


@inner(forceinline=True)
def _two_lines(starts, columns, data, U, pitch, lanes, vertex, i, rows, to):
    s0, s1, s2 = starts[3 * vertex], starts[3 * vertex + 1], starts[3 * vertex + 2]
    own = load_line(U, 3 * vertex * pitch + i)
    h0 = h1 = h2 = k0 = k1 = k2 = own - own
    for k in range(0, s1 - s0, 3):
        for j in range(3):
            at = (columns[s0 + k] + j) * pitch + i
            x, y = load_line(U, at), load_line(U, at + lanes)
            a, b, c = spread_line(data, s0 + k + j), spread_line(data, s1 + k + j), spread_line(data, s2 + k + j)
            h0, h1, h2 = h0 + a * x, h1 + b * x, h2 + c * x
            k0, k1, k2 = k0 + a * y, k1 + b * y, k2 + c * y
    store_line(rows, to, h0)
    store_line(rows, to + lanes, k0)
    store_line(rows, to + pitch, h1)
    store_line(rows, to + pitch + lanes, k1)
    store_line(rows, to + 2 * pitch, h2)
    store_line(rows, to + 2 * pitch + lanes, k2)


@inner(forceinline=True)
def _one_line(starts, columns, data, U, pitch, vertex, i, rows, to):
    s0, s1, s2 = starts[3 * vertex], starts[3 * vertex + 1], starts[3 * vertex + 2]
    own = load_line(U, 3 * vertex * pitch + i)
    h0 = h1 = h2 = own - own
    for k in range(s1 - s0):
        x = load_line(U, columns[s0 + k] * pitch + i)
        h0 = h0 + spread_line(data, s0 + k) * x
        h1 = h1 + spread_line(data, s1 + k) * x
        h2 = h2 + spread_line(data, s2 + k) * x
    store_line(rows, to, h0)
    store_line(rows, to + pitch, h1)
    store_line(rows, to + 2 * pitch, h2)
