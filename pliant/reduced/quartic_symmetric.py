"""The Hessian of a large quartic energy in one pass over its distinct coefficients, a third of `quartic_dense.py`."""

from numba import njit

from pliant.numerics.inner import inner
from pliant.numerics.simd16 import WIDTH, fma, head, load, spread, store, total


@njit(cache=True, nogil=True)
def contract_symmetric(n, block, table, z, pairs, packed, partial):
    """One pass over all distinct coefficients c_ijkl; row (k, l) of the table runs over the pairs (i, j).

    packed[kl] = sum_ij c z_i z_j,   partial[k, ij] += c z_l,   partial[l, ij] += c z_k
    The other pairs of positions follow from `partial` in `fold`. Four rows l share one visit to partial[k].
    """
    m = n * (n + 1) // 2
    width = len(pairs)
    zero = spread(z.dtype.type(0))
    for x in range(n):
        for p in range(x * width, x * width + (x + 1) * (x + 2) // 2, WIDTH):
            store(partial, p, zero)
    for p in range(0, m, WIDTH):
        store(packed, p, zero)
    at, start = 0, 0
    for first in range(0, m, block):
        while (start + 1) * (start + 2) // 2 <= first:
            start += 1
        for k in range(start, n):
            length = (k + 1) * (k + 2) // 2
            end = min(first + block, (length + WIDTH - 1) // WIDTH * WIDTH)
            packed[length - 1] += _diagonal_row(table, at, first, end, pairs, partial, k * width, z[k] + z[k])
            at += end - first
            l = k + 1
            while l + 3 < n:
                _rows(table, at, first, end, pairs, packed, partial, k * width, l * width, width, z, k, l)
                at += 4 * (end - first)
                l += 4
            while l < n:
                p = l * (l + 1) // 2 + k
                packed[p] += _row(table, at, first, end, pairs, partial, k * width, l * width, z[k], z[l])
                at += end - first
                l += 1


@njit(cache=True, nogil=True, forceinline=True)
def _row(table, at, first, end, pairs, partial, at_k, at_l, z_k, z_l):
    dot = spread(z_k - z_k)
    to_k, to_l = spread(z_l), spread(z_k)
    for p in range(first, end, WIDTH):
        c = load(table, at)
        at += WIDTH
        dot = fma(c, load(pairs, p), dot)
        store(partial, at_k + p, fma(c, to_k, load(partial, at_k + p)))
        store(partial, at_l + p, fma(c, to_l, load(partial, at_l + p)))
    return total(dot)


@inner(forceinline=True)
def _diagonal_row(table, at, first, end, pairs, partial, at_k, twice_z_k):
    dot = spread(twice_z_k - twice_z_k)
    to_k = spread(twice_z_k)
    for p in range(first, end, WIDTH):
        c = load(table, at)
        at += WIDTH
        dot = fma(c, load(pairs, p), dot)
        store(partial, at_k + p, fma(c, to_k, load(partial, at_k + p)))
    return total(dot)


@njit(cache=True, nogil=True, forceinline=True)
def _rows(table, at, first, end, pairs, packed, partial, at_k, at_0, width, z, k, l):
    dot_0 = spread(z.dtype.type(0))
    dot_1 = dot_2 = dot_3 = dot_0
    z_k, z_0, z_1, z_2, z_3 = spread(z[k]), spread(z[l]), spread(z[l + 1]), spread(z[l + 2]), spread(z[l + 3])
    at_1, at_2, at_3 = at_0 + width, at_0 + 2 * width, at_0 + 3 * width
    step = end - first
    for p in range(first, end, WIDTH):
        pair, sum_k = load(pairs, p), load(partial, at_k + p)
        c = load(table, at)
        dot_0, sum_k = fma(c, pair, dot_0), fma(c, z_0, sum_k)
        store(partial, at_0 + p, fma(c, z_k, load(partial, at_0 + p)))
        c = load(table, at + step)
        dot_1, sum_k = fma(c, pair, dot_1), fma(c, z_1, sum_k)
        store(partial, at_1 + p, fma(c, z_k, load(partial, at_1 + p)))
        c = load(table, at + 2 * step)
        dot_2, sum_k = fma(c, pair, dot_2), fma(c, z_2, sum_k)
        store(partial, at_2 + p, fma(c, z_k, load(partial, at_2 + p)))
        c = load(table, at + 3 * step)
        dot_3, sum_k = fma(c, pair, dot_3), fma(c, z_3, sum_k)
        store(partial, at_3 + p, fma(c, z_k, load(partial, at_3 + p)))
        store(partial, at_k + p, sum_k)
        at += WIDTH
    p = l * (l + 1) // 2 + k
    packed[p] += total(dot_0)
    packed[p + l + 1] += total(dot_1)
    packed[p + 2 * l + 3] += total(dot_2)
    packed[p + 3 * l + 6] += total(dot_3)


@njit(cache=True, nogil=True)
def fold(n, z, packed, partial, rows, dots):
    """h_ij += 1/2 sum_x z_x Y_x[ij],  h_ix += z_j Y_x[ij],  h_jx += z_i Y_x[ij],  with Y_x = partial[x], j <= x.

    The second and third sums are left in rows[x, i] and dots[x, j]: adding them up here would make the processor wait
    for stores that are still under way.
    """
    width, pitch, half = len(packed), len(rows) // n, z.dtype.type(0.5)
    for x in range(n):
        z_x = spread(half * z[x])
        for p in range(0, (x + 1) * (x + 2) // 2, WIDTH):
            store(packed, p, fma(load(partial, x * width + p), z_x, load(packed, p)))
        for first in range(0, x + 1, WIDTH):
            row = _fold_row(z, partial, x * width, first, x, dots, x * pitch)
            store(rows, x * pitch + first, row)


@inner(forceinline=True)
def _fold_row(z, partial, y, first, x, dots, at):
    """sum_j z_j Y_x[ij] for sixteen i, and dots[x, j] += sum_i z_i Y_x[ij] over the same i."""
    zero = spread(z.dtype.type(0))
    row, z_i = zero, load(z, first)
    middle = min(first + WIDTH, x + 1)
    for j in range(first, middle):
        Y = head(load(partial, y + j * (j + 1) // 2 + first), j + 1 - first)
        row = fma(Y, spread(z[j]), row)
        dots[at + j] = total(fma(Y, z_i, zero)) + (dots[at + j] if first > 0 else z[0] - z[0])
    for j in range(middle, x + 1):
        Y = load(partial, y + j * (j + 1) // 2 + first)
        row = fma(Y, spread(z[j]), row)
        dots[at + j] = total(fma(Y, z_i, zero)) + (dots[at + j] if first > 0 else z[0] - z[0])
    return row
