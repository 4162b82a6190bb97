"""Small symmetric positive definite systems in sixteen-lane rows, for one step of a reduced model.

The matrix is a lower triangle A[1:, 1:] of rows (n, pitch), its column 0 holds the right-hand side b. Elimination runs
from the last row to the first, so that rows stay contiguous and column 0 is eliminated on the way:

    R_k = A_k - sum_{p>k} (R_pk / R_pp) R_p,      x_k = (R_k0 - sum_{0<i<k} R_ki x_i) / R_kk

Lanes right of the diagonal take any finite value.
"""

from numba import njit

from pliant.reduced.lanes import WIDTH, fma, load, place, spread, store, total


@njit(cache=True, nogil=True)
def eliminate(A, n, inverse):
    """Overwrite A (n * pitch,) by R; inverse (n,) becomes 1 / R_kk. Returns False if A is not positive definite."""
    pitch = len(A) // n
    for k in range(n - 1, 0, -1):
        for first in range(k // WIDTH * WIDTH, -1, -WIDTH):
            store(A, k * pitch + first, _reduced_row(A, n, pitch, inverse, k, first))
        pivot = A[k * pitch + k]
        if not pivot > 0:
            return False
        inverse[k] = A.dtype.type(1) / pivot
    return True


@njit(cache=True, nogil=True)
def _reduced_row(A, n, pitch, inverse, k, first):
    """R_k; two sums hide the latency of the multiply-add, and the row that was finished last comes last."""
    even, odd = load(A, k * pitch + first), spread(A.dtype.type(0))
    p = n - 1
    while p > k + 1:
        even = fma(load(A, p * pitch + first), spread(-A[p * pitch + k] * inverse[p]), even)
        p -= 1
        odd = fma(load(A, p * pitch + first), spread(-A[p * pitch + k] * inverse[p]), odd)
        p -= 1
    even = fma(odd, spread(A.dtype.type(1)), even)
    if p > k:
        even = fma(load(A, p * pitch + first), spread(-A[p * pitch + k] * inverse[p]), even)
    return even


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
