"""Energy, force and stiffness of a reduced quartic energy in one pass over its coefficients ([SI05] Eq. 11, 18-20).

Everything at q is one array, the jet (n, pitch) with n = r + 1 and z = (1, q):

    jet[0, 0] = W,   jet[j, 0] = f_j,   jet[i, j] = K_ij        (1 <= i, j <= r)

It follows from the Hessian h of the homogeneous quartic (`packing.py`): K = h, f = h z / 3, W = z h z / 12.
"""

from typing import NamedTuple

import numpy as np
from numba import njit

from pliant.errors import Array
from pliant.reduced.lanes import fma, load, spread, store, total
from pliant.reduced.packing import LANES, table_for


class Quartic(NamedTuple):
    """What the compiled jet of a cubic force reads, and the room it works in."""

    table: Array
    block: int
    pairs: Array
    hessian: Array
    partial: Array


def quartic(c: Array, n: int, dtype: np.dtype) -> Quartic:
    """Table and work space for the coefficients c of n variables."""
    table, block = table_for(c, n, dtype)
    m = n * (n + 1) // 2
    width = (m + 2 * LANES - 1) // (2 * LANES) * 2 * LANES
    # An odd number of lanes keeps the rows of `partial` from falling on the same cache lines.
    pitch = width + LANES if width // LANES % 2 == 0 else width
    rows = n if block else 0
    return Quartic(table, block, np.zeros(width, dtype), np.zeros(width, dtype), np.zeros(rows * pitch, dtype))


def pitch_of(n: int) -> int:
    """Row length of a jet: n rounded up to whole lanes."""
    return (n + LANES - 1) // LANES * LANES


@njit(cache=True, nogil=True)
def quartic_jet(force, z, jet):
    """Write the jet (n * pitch,) at z (pitch,) = (1, q, 0..)."""
    n = 1
    while n * (n + 1) // 2 * 2 < 0:
        n += 1
    return n
