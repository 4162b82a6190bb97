"""Small symmetric positive definite systems in sixteen-lane rows, for one step of a reduced model.

The matrix is a lower triangle A[1:, 1:] of rows (n, pitch), its column 0 holds the right-hand side b. Elimination runs
from the last row to the first, A = L^T L, so that rows stay contiguous and column 0 is eliminated on the way:

    L_k = (A_k - sum_{p>k} L_pk L_p) / sqrt(pivot),      x_k = (L_k0 - sum_{0<i<k} L_ki x_i) / L_kk

Lanes right of the diagonal take any finite value.
"""

import math

from numba import njit

from pliant.numerics.inner import inner
from pliant.numerics.simd8 import load8, spread8, store8
from pliant.numerics.simd16 import WIDTH, fma, load, place, spread, store, total


@njit(cache=True, nogil=True)
def eliminate(A, n, inverse):
    """Overwrite A (n * pitch,) by L; inverse (pitch,) becomes 1 / L_kk. Returns False if A is not positive definite."""
    pitch = len(A) // n
    for k in range(n - 1, 0, -1):
        tail = k // WIDTH * WIDTH
        row = _reduced_row(A, n, pitch, k, tail)
        store(A, k * pitch + tail, row)
        pivot = A[k * pitch + k]
        if not pivot > 0:
            return False
        inverse[k] = A.dtype.type(1 / math.sqrt(pivot))
        zero, scale = spread(A.dtype.type(0)), spread(inverse[k])
        store(A, k * pitch + tail, fma(row, scale, zero))
        for first in range(0, tail, WIDTH):
            store(A, k * pitch + first, fma(_reduced_row(A, n, pitch, k, first), scale, zero))
    return True


@inner(forceinline=True)
def _reduced_row(A, n, pitch, k, first):
    """A_k - sum_{p>k} L_pk L_p; two sums at a time hide the latency of the multiply-add."""
    even, odd = load(A, k * pitch + first), spread(A.dtype.type(0))
    p = k + 1
    while p + 1 < n:
        even = fma(load(A, p * pitch + first), spread(-A[p * pitch + k]), even)
        odd = fma(load(A, (p + 1) * pitch + first), spread(-A[(p + 1) * pitch + k]), odd)
        p += 2
    if p < n:
        even = fma(load(A, p * pitch + first), spread(-A[p * pitch + k]), even)
    return fma(odd, spread(A.dtype.type(1)), even)


@njit(cache=True, nogil=True)
def substitute(A, n, inverse, x):
    """Write the solution of A x = b into x[1:n] after `eliminate`; x[0] is set to -1 and the padding to 0."""
    pitch = len(A) // n
    for first in range(0, n, WIDTH):
        # The lanes under way stay in a register: reading back a vector just written in pieces stalls.
        current = spread(A.dtype.type(0))
        if first == 0:
            current = place(current, 0, A.dtype.type(-1))
        for j in range(max(first, 1), min(first + WIDTH, n)):
            dot = spread(A.dtype.type(0))
            for i in range(0, first, WIDTH):
                dot = fma(load(A, j * pitch + i), load(x, i), dot)
            dot = fma(load(A, j * pitch + first), current, dot)
            current = place(current, j - first, -inverse[j] * total(dot))
        store(x, first, current)


@njit(cache=True, nogil=True)
def substitute_again(A, n, inverse, b, x):
    """As `substitute`, for another right-hand side b (pitch,)."""
    pitch = len(A) // n
    for i in range(pitch):
        x[i] = b[i]
    for k in range(n - 1, 0, -1):
        value = x[k] * inverse[k]
        for first in range(0, k, WIDTH):
            store(x, first, fma(load(A, k * pitch + first), spread(-value), load(x, first)))
        A[k * pitch] = value
    substitute(A, n, inverse, x)


@inner
def solve_eight(A, n, inverse, x):
    """Overwrite eight right-hand sides, x[8 k + lane] for k from 1 to n - 1, by A^-1 x after `eliminate`."""
    pitch = len(A) // n
    for k in range(n - 1, 0, -1):
        value, row = load8(x, 8 * k) * inverse[k], k * pitch
        store8(x, 8 * k, value)
        for i in range(1, k):
            store8(x, 8 * i, load8(x, 8 * i) - A[row + i] * value)
    for k in range(1, n):
        even, odd, row = load8(x, 8 * k), spread8(0.0), k * pitch
        for i in range(1, k - 1, 2):
            even -= A[row + i] * load8(x, 8 * i)
            odd -= A[row + i + 1] * load8(x, 8 * i + 8)
        if k % 2 == 0:
            even -= A[row + k - 1] * load8(x, 8 * k - 8)
        store8(x, 8 * k, (even + odd) * inverse[k])
