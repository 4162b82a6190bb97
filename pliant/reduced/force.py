"""What a reduced internal force is to compiled code: a named tuple, and one function chosen by its type.

All of W, f and K at q come as one array, the jet (n, pitch) with n = r + 1, a lower triangle, zero above the diagonal:

    jet[0, 0] = W [J],   jet[j, 0] = f_j,   L = jet[1:, 1:],   K = L + L^T

Coordinates come as z = (1, q) padded by zeros to whole lanes, so that its lanes and those of the jet's rows agree.
"""

import numpy as np
from numba import njit
from numpy.typing import DTypeLike

from pliant.errors import Array
from pliant.reduced.lanes import WIDTH


def jet_at(force, z, jet):
    """Write the jet (n * pitch,) of `force` at z (pitch,). Each force model supplies its own by `implements`."""
    raise NotImplementedError


@njit(cache=True, nogil=True)
def evaluate(force, z, jet):
    """`jet_at` for callers that are not compiled."""
    jet_at(force, z, jet)


def aligned(size: int, dtype: DTypeLike) -> Array:
    """Zeros (size,) that begin on a cache line: a vector load that straddles two lines costs twice."""
    length = size * np.dtype(dtype).itemsize
    room = np.zeros(length + 64, dtype=np.uint8)
    start = -room.ctypes.data % 64
    return room[start : start + length].view(dtype)


def pitch_of(n: int) -> int:
    """Length of z and of a jet's rows: n rounded up to whole lanes."""
    return (n + WIDTH - 1) // WIDTH * WIDTH


def padded(q: Array, first: float, dtype: DTypeLike) -> Array:
    """(first, q) padded by zeros to whole lanes, (pitch,)."""
    z = aligned(pitch_of(len(q) + 1), dtype)
    z[0], z[1 : len(q) + 1] = first, q
    return z


def lower_rows(K: Array, dtype: DTypeLike) -> Array:
    """A symmetric matrix (r, r) as rows (n * pitch,) of L, with K = L + L^T, row and column 0 empty."""
    n = len(K) + 1
    rows = aligned(n * pitch_of(n), dtype)
    rows.reshape(n, -1)[1:, 1:n] = np.tril(K) - 0.5 * np.diag(np.diag(K))
    return rows
