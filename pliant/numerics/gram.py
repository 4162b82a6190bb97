"""The lower triangle of a product of two tall matrices, in tiles of eight rows and one line that stay in registers.

K_ji += sum_k A_kj B_ki,   i <= j,   A and B (count, pitch) of which the first `width` columns matter
"""

from numba import njit

from pliant.numerics.inner import inner
from pliant.numerics.simd_line import lanes_of, load_line, spread_line, store_line

ROWS = 8


def pitch_for(width: int, itemsize: int) -> int:
    """The length of rows that hold `width` numbers in whole lines and whole tiles."""
    lanes = max(64 // itemsize, ROWS)
    return (width + lanes - 1) // lanes * lanes


@njit(cache=True, nogil=True)
def add_lower_product(A, at_a, B, at_b, count, pitch, width, K):
    """Add to the flat K (pitch, pitch), whose entries above the diagonal are of no use afterwards."""
    lanes = lanes_of(K)
    for j in range(0, width, ROWS):
        for i in range(0, j + ROWS, lanes):
            _add_tile(A, at_a + j, B, at_b + i, count, pitch, K, j * pitch + i)


@inner(forceinline=True)
def _add_tile(A, a, B, b, count, pitch, K, at):
    k0, k1 = load_line(K, at), load_line(K, at + pitch)
    k2, k3 = load_line(K, at + 2 * pitch), load_line(K, at + 3 * pitch)
    k4, k5 = load_line(K, at + 4 * pitch), load_line(K, at + 5 * pitch)
    k6, k7 = load_line(K, at + 6 * pitch), load_line(K, at + 7 * pitch)
    for _ in range(count):
        line = load_line(B, b)
        k0, k1 = k0 + spread_line(A, a) * line, k1 + spread_line(A, a + 1) * line
        k2, k3 = k2 + spread_line(A, a + 2) * line, k3 + spread_line(A, a + 3) * line
        k4, k5 = k4 + spread_line(A, a + 4) * line, k5 + spread_line(A, a + 5) * line
        k6, k7 = k6 + spread_line(A, a + 6) * line, k7 + spread_line(A, a + 7) * line
        a += pitch
        b += pitch
    store_line(K, at, k0)
    store_line(K, at + pitch, k1)
    store_line(K, at + 2 * pitch, k2)
    store_line(K, at + 3 * pitch, k3)
    store_line(K, at + 4 * pitch, k4)
    store_line(K, at + 5 * pitch, k5)
    store_line(K, at + 6 * pitch, k6)
    store_line(K, at + 7 * pitch, k7)
