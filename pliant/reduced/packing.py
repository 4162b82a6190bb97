"""Order of the numbers of a reduced quartic energy, and the tables its compiled kernels read ([SI05] section 4).

With z = (1, q) the energy of a reduced StVK solid is one homogeneous quartic, n = r + 1:

    W = 1/2 P q q + 1/6 Q q q q + 1/24 S q q q q = sum_{i<=j<=k<=l} c_ijkl z_i z_j z_k z_l

Pairs i <= j are numbered p = j (j + 1)/2 + i, so the pairs with j <= k are the first (k + 1)(k + 2)/2. Coefficients are
stored for k, for l >= k, for those pairs: every (k, l) owns one long row.
"""

import numpy as np
from numba import njit

from pliant.errors import Array
from pliant.numerics.simd16 import WIDTH

# As long as it fits into the second cache, half of the m x m table of m pairs is faster than one without repetitions.
DENSE_BYTES = 1 << 19
BLOCK_BYTES = 1024


def coefficient_count(n: int) -> int:
    """Number of monomials of degree four in n variables."""
    return n * (n + 1) * (n + 2) * (n + 3) // 24


def variable_count(coefficients: int) -> int:
    """n, from the number of monomials of degree four."""
    n = 1
    while coefficient_count(n) < coefficients:
        n += 1
    return n


@njit(cache=True, nogil=True)
def repeats(i, j, k, l):
    """Product of the factorials of the multiplicities of i <= j <= k <= l: S_ijkl = repeats c_ijkl."""
    run = 2 if i == j else 1
    product = run
    run = run + 1 if j == k else 1
    product *= run
    run = run + 1 if k == l else 1
    return product * run


@njit(cache=True, nogil=True)
def truncated(c, n, fewer):
    """The coefficients (.., C(fewer + 3, 4)) of the first `fewer` variables, from c (.., C(n + 3, 4)) of n."""
    keep = np.empty(fewer * (fewer + 1) * (fewer + 2) * (fewer + 3) // 24, dtype=np.int64)
    at, kept = 0, 0
    for k in range(n):
        length = (k + 1) * (k + 2) // 2
        for l in range(k, n):
            if l < fewer:
                keep[kept : kept + length] = np.arange(at, at + length)
                kept += length
            at += length
    return c[:, keep]


@njit(cache=True, nogil=True)
def pair_table(c, n, lanes):
    """The symmetric table (m, m) of h_ij = sum_{k<=l} table[(ij), (kl)] z_k z_l, padded by zeros to whole lanes.

    h_ij is the Hessian of W right of the diagonal and half of it on the diagonal.
    """
    m = n * (n + 1) // 2
    width = (m + lanes - 1) // lanes * lanes
    square = np.zeros((width, width))
    at = 0
    for k in range(n):
        for l in range(k, n):
            for j in range(k + 1):
                for i in range(j + 1):
                    s = c[at] * repeats(i, j, k, l)
                    at += 1
                    _place(square, s, i, j, k, l)
                    _place(square, s, i, k, j, l)
                    _place(square, s, i, l, j, k)
    return square


@njit(cache=True, nogil=True)
def dense_table(c, n, lanes):
    """Upper half of `pair_table`.

    Rows come in fours, from the block of `lanes` columns that holds their diagonal on; the four rows of a block lie one
    after the other.
    """
    square = pair_table(c, n, lanes)
    width = len(square)
    table = np.empty(width * (width + lanes) // 2)
    to = 0
    for row in range(0, width, 4):
        for column in range(row // lanes * lanes, width, lanes):
            table[to : to + 4 * lanes] = square[row : row + 4, column : column + lanes].copy().ravel()
            to += 4 * lanes
    return table


@njit(cache=True, nogil=True)
def _place(square, s, i, j, k, l):
    s *= (0.5 if i == j else 1.0) * (0.5 if k == l else 1.0)
    row, column = l * (l + 1) // 2 + k, j * (j + 1) // 2 + i
    square[column, row] = square[row, column] = s


@njit(cache=True, nogil=True)
def symmetric_table(c, n, block, lanes):
    """The coefficients by blocks of pairs that stay in the first cache, each row padded to whole lanes by zeros."""
    m = n * (n + 1) // 2
    table = np.zeros(len(c) + lanes * (m + 1) * (1 + m // block))
    to = 0
    for first in range(0, m, block):
        at = 0
        for k in range(n):
            length = (k + 1) * (k + 2) // 2
            for _ in range(k, n):
                if length > first:
                    end = min(first + block, length)
                    for j in range(end - first):
                        table[to + j] = c[at + first + j]
                    to += (end - first + lanes - 1) // lanes * lanes
                at += length
    return table[: to + lanes].copy()


def table_for(c: Array, n: int, dtype: np.dtype) -> tuple[Array, int]:
    """The table for n variables to be used in some precision, and its block length; 0 stands for the dense table."""
    m = n * (n + 1) // 2
    block = 0 if m * (m + WIDTH) // 2 * dtype.itemsize <= DENSE_BYTES else BLOCK_BYTES // dtype.itemsize
    return (symmetric_table(c, n, block, WIDTH) if block else dense_table(c, n, WIDTH)), block
