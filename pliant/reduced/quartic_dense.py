"""The Hessian of a small quartic energy from half of its symmetric table of pairs by pairs (maths sheet section 5)."""

from numba import njit

from pliant.numerics.inner import inner
from pliant.numerics.simd16 import WIDTH, fma, load, spread, store, total


@njit(cache=True, nogil=True)
def contract_dense(n, table, pairs, packed, dots):
    """h = table z z over half of the symmetric table: every number serves its row and its column."""
    m = n * (n + 1) // 2
    zero, one = spread(pairs.dtype.type(0)), spread(pairs.dtype.type(1))
    for column in range(0, m, WIDTH):
        store(packed, column, zero)
    at = 0
    for row in range(0, (m + WIDTH - 1) // WIDTH * WIDTH, 4):
        at = _four_dense_rows(table, at, row, m, pairs, packed, dots)
    for column in range(0, m, WIDTH):
        store(packed, column, fma(load(dots, column), one, load(packed, column)))


@inner(forceinline=True)
def _four_dense_rows(table, at, row, m, pairs, packed, dots):
    """packed += four rows by their weights, dots = the rows times the pairs; returns where the next four begin."""
    zero, one = spread(pairs.dtype.type(0)), spread(pairs.dtype.type(1))
    w_0, w_1, w_2, w_3 = spread(pairs[row]), spread(pairs[row + 1]), spread(pairs[row + 2]), spread(pairs[row + 3])
    # The block on the diagonal is stored whole and needs no transpose.
    first = row // WIDTH * WIDTH
    h = fma(load(table, at), w_0, fma(load(table, at + WIDTH), w_1, zero))
    h = fma(load(table, at + 2 * WIDTH), w_2, fma(load(table, at + 3 * WIDTH), w_3, h))
    store(packed, first, fma(h, one, load(packed, first)))
    at += 4 * WIDTH
    dot_0 = dot_1 = dot_2 = dot_3 = zero
    for column in range(first + WIDTH, m, WIDTH):
        w = load(pairs, column)
        t = load(table, at)
        h, dot_0 = fma(t, w_0, zero), fma(t, w, dot_0)
        t = load(table, at + WIDTH)
        h, dot_1 = fma(t, w_1, h), fma(t, w, dot_1)
        t = load(table, at + 2 * WIDTH)
        h, dot_2 = fma(t, w_2, h), fma(t, w, dot_2)
        t = load(table, at + 3 * WIDTH)
        h, dot_3 = fma(t, w_3, h), fma(t, w, dot_3)
        # What earlier rows left comes last: it may still be on its way to memory.
        store(packed, column, fma(h, one, load(packed, column)))
        at += 4 * WIDTH
    dots[row], dots[row + 1], dots[row + 2], dots[row + 3] = total(dot_0), total(dot_1), total(dot_2), total(dot_3)
    return at
