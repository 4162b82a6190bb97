"""Energy, force and stiffness of a reduced quartic energy in one pass over its coefficients ([SI05] Eq. 11, 18-20).

With h the Hessian of the homogeneous quartic of `packing.py`: K = h, f = h z / 3, W = z h z / 12.
"""

from typing import NamedTuple

import numpy as np
from numba import njit

from pliant.errors import Array
from pliant.fem.material import implements
from pliant.reduced.force import jet_at, pitch_of, slab
from pliant.reduced.lanes import WIDTH, fma, head, load, spread, store, total
from pliant.reduced.packing import table_for


class Quartic(NamedTuple):
    """What the compiled jet of a cubic force reads, and the room it works in; `block` 0 means the dense table."""

    n: int
    block: int
    table: Array
    pairs: Array
    packed: Array
    partial: Array
    rows: Array
    dots: Array


def quartic(c: Array, n: int, dtype: np.dtype) -> Quartic:
    """Table and work space for the coefficients c of n variables."""
    values, block = table_for(c, n, dtype)
    # Lanes are loaded and stored whole, so every row needs room for one more vector than it has numbers.
    width = (n * (n + 1) // 2 // WIDTH // 2 * 2 + 3) * WIDTH
    rows = n * pitch_of(n)
    table, *room = slab([len(values), width, width, n * width if block else width, rows, rows], dtype)
    table[:] = values
    return Quartic(n, block, table, *room)


@implements(jet_at, Quartic)
def _quartic_jet(force, z, jet):
    _multiply_pairs(force.n, z, force.pairs)
    if force.block == 0:
        _contract_dense(force.n, force.table, force.pairs, force.packed, force.partial)
    else:
        _contract_sparing(force.n, force.block, force.table, z, force.pairs, force.packed, force.partial)
        _fold(force.n, z, force.packed, force.partial, force.rows, force.dots)
    _unpack(force.n, z, force.packed, force.rows, force.dots, jet)


@njit(cache=True, nogil=True)
def _multiply_pairs(n, z, pairs):
    """pairs[ij] = z_i z_j. What a row writes past its end, the next one overwrites."""
    zero = spread(z.dtype.type(0))
    at = 0
    for j in range(n):
        z_j = spread(z[j])
        for i in range(0, j + 1, WIDTH):
            store(pairs, at + i, fma(load(z, i), z_j, zero))
        at += j + 1


@njit(cache=True, nogil=True)
def _contract_dense(n, table, pairs, packed, dots):
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


@njit(cache=True, nogil=True)
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


@njit(cache=True, nogil=True)
def _contract_sparing(n, block, table, z, pairs, packed, partial):
    """One pass over all distinct coefficients c_ijkl; row (k, l) of the table runs over the pairs (i, j).

    packed[kl] = sum_ij c z_i z_j,   partial[k, ij] += c z_l,   partial[l, ij] += c z_k
    The other pairs of positions follow from `partial` in `_fold`. Four rows l share one visit to partial[k].
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


@njit(cache=True, nogil=True)
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


@njit(cache=True, nogil=True)
def _diagonal_row(table, at, first, end, pairs, partial, at_k, twice_z_k):
    dot = spread(twice_z_k - twice_z_k)
    to_k = spread(twice_z_k)
    for p in range(first, end, WIDTH):
        c = load(table, at)
        at += WIDTH
        dot = fma(c, load(pairs, p), dot)
        store(partial, at_k + p, fma(c, to_k, load(partial, at_k + p)))
    return total(dot)


@njit(cache=True, nogil=True)
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
def _fold(n, z, packed, partial, rows, dots):
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


@njit(cache=True, nogil=True)
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


@njit(cache=True, nogil=True)
def _unpack(n, z, packed, rows, dots, jet):
    """Rows of the jet from the packed Hessian, whose diagonal is halved; row 0 has room for f to gather in."""
    pitch = len(jet) // n
    zero, one, third = spread(z.dtype.type(0)), spread(z.dtype.type(1)), z.dtype.type(1 / 3)
    for i in range(0, pitch, WIDTH):
        store(jet, i, zero)
    energy = packed[0] + rows[0] + dots[0]
    energy *= z[0] * z[0] * 2
    at = 1
    for j in range(1, n):
        z_j, dot = spread(z[j]), zero
        for i in range(0, j + 1, WIDTH):
            h = fma(load(rows, j * pitch + i), one, fma(load(dots, j * pitch + i), one, load(packed, at + i)))
            if i + WIDTH > j:
                h = head(h, j + 1 - i)
            store(jet, j * pitch + i, h)
            store(jet, i, fma(h, z_j, load(jet, i)))
            dot = fma(h, load(z, i), dot)
        jet[j * pitch] = total(dot)
        at += j + 1
    energy += z[0] * jet[0]
    for j in range(1, n):
        force = jet[j] + jet[j * pitch]
        energy += z[j] * force
        jet[j * pitch] = third * force
        jet[j] = 0
    jet[0] = energy / 12
