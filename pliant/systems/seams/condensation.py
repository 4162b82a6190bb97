"""Condensing the internal coordinates of a nonlinear part onto its boundary, in rows of lanes as `numerics.small_spd`.

    [A_bb A_bi] [x_b]   [r_b]      A_ii = L^T L,  Y = L^-T A_ib,  y = L^-T r_i
    [A_ib A_ii] [x_i] = [r_i]      S = A_bb - Y^T Y,  r_b - Y^T y;  back: x_i = L^-1 (y - Y x_b)

The matrix is a lower triangle of rows (n, pitch), n = 1 + b + k, boundary first, with the right-hand side in column 0.
"""

import math

from numba import njit

from pliant.numerics.simd16 import WIDTH, fma, load, spread, store, total


@njit(cache=True, nogil=True)
def condense(A, n, kept, inverse):
    """Overwrite rows after `kept` by L, y and Y, and the first ones by S and r_b - Y^T y.

    Returns:
        False if A_ii is not positive definite.
    """
    pitch = len(A) // n
    zero = spread(0.0)
    for k in range(n - 1, kept, -1):
        tail = k // WIDTH * WIDTH
        row = _reduced_row(A, n, pitch, k, k + 1, tail)
        store(A, k * pitch + tail, row)
        pivot = A[k * pitch + k]
        if not pivot > 0:
            return False
        inverse[k] = 1 / math.sqrt(pivot)
        scale = spread(inverse[k])
        store(A, k * pitch + tail, fma(row, scale, zero))
        for first in range(0, tail, WIDTH):
            store(A, k * pitch + first, fma(_reduced_row(A, n, pitch, k, k + 1, first), scale, zero))
    for k in range(kept, 0, -1):
        for first in range(0, k + 1, WIDTH):
            store(A, k * pitch + first, _reduced_row(A, n, pitch, k, kept + 1, first))
    return True


@njit(cache=True, nogil=True, forceinline=True)
def _reduced_row(A, n, pitch, k, p, first):
    """A_k less the sum of L_pk L_p over the rows from p on; two sums at a time hide the latency."""
    even, odd = load(A, k * pitch + first), spread(0.0)
    while p + 1 < n:
        even = fma(load(A, p * pitch + first), spread(-A[p * pitch + k]), even)
        odd = fma(load(A, (p + 1) * pitch + first), spread(-A[(p + 1) * pitch + k]), odd)
        p += 2
    if p < n:
        even = fma(load(A, p * pitch + first), spread(-A[p * pitch + k]), even)
    return fma(odd, spread(1.0), even)


@njit(cache=True, nogil=True)
def expand(A, n, kept, inverse, x):
    """x[kept + 1 : n] after `condense`, given x[1 : kept + 1]; x (pitch,), x[0] becomes -1."""
    pitch = len(A) // n
    x[0] = -1.0
    for k in range(kept + 1, n):
        x[k] = 0.0
    for k in range(kept + 1, n):
        dot = spread(0.0)
        for first in range(0, k, WIDTH):
            dot = fma(load(A, k * pitch + first), load(x, first), dot)
        # The diagonal met x_k = 0; what lies right of it meets zeros.
        x[k] = -inverse[k] * total(dot)


@njit(cache=True, nogil=True, fastmath={"contract", "reassoc"})
def condense_again(A, n, kept, inverse, x):
    """For another right-hand side x (pitch,) after `condense`: y in place of r_i, and r_b - Y^T y in place of r_b."""
    pitch = len(A) // n
    for k in range(n - 1, kept, -1):
        x[k] *= inverse[k]
        value, row = x[k], k * pitch
        for i in range(1, k):
            x[i] -= A[row + i] * value
