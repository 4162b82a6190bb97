"""Energy, force and stiffness of a reduced quartic energy in one pass over its coefficients ([SI05] Eq. 11, 18-20).

With h the Hessian of the homogeneous quartic of `packing.py`: K = h, f = h z / 3, W = z h z / 12.
"""

from typing import NamedTuple

import numpy as np
from numba import njit

from pliant.errors import Array
from pliant.fem.material import implements
from pliant.numerics.simd16 import WIDTH, fma, head, load, spread, store, total
from pliant.reduced.force import jet_at, pitch_of, slab
from pliant.reduced.packing import table_for
from pliant.reduced.quartic_dense import contract_dense
from pliant.reduced.quartic_symmetric import contract_symmetric, fold


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
    table, *workspace = slab([len(values), width, width, n * width if block else width, rows, rows], dtype)
    table[:] = values
    return Quartic(n, block, table, *workspace)


@implements(jet_at, Quartic)
def _quartic_jet(force, z, jet):
    _multiply_pairs(force.n, z, force.pairs)
    if force.block == 0:
        contract_dense(force.n, force.table, force.pairs, force.packed, force.partial)
    else:
        contract_symmetric(force.n, force.block, force.table, z, force.pairs, force.packed, force.partial)
        fold(force.n, z, force.packed, force.partial, force.rows, force.dots)
    _unpack(force.n, z, force.packed, force.rows, force.dots, jet)


@njit(cache=True, nogil=True, forceinline=True)
def _multiply_pairs(n, z, pairs):
    """pairs[ij] = z_i z_j. What a row writes past its end, the next one overwrites."""
    zero = spread(z.dtype.type(0))
    at = 0
    for j in range(n):
        z_j = spread(z[j])
        for i in range(0, j + 1, WIDTH):
            store(pairs, at + i, fma(load(z, i), z_j, zero))
        at += j + 1


@njit(cache=True, nogil=True, forceinline=True)
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
