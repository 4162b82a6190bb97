"""Energy, force and stiffness of all limbs, eight at a time: one small matrix product a pack.

h = T (z z^T),  K = h,  f = h z / 3,  W = z h z / 12   with z = (1, q): the quartic of `reduced/packing.py`.
Maths sheet substructuring 2 and 11.
"""

from numba import njit

from pliant.numerics.simd8 import load8, spread8, store8
from pliant.systems.tree.parts import ROWS
from pliant.systems.tree.strides import KS3, SCALE

assert ROWS == 4


@njit(cache=True, nogil=True)
def evaluate_jets(parts, packs, q, pairs, hessian, K, f, W):
    """K lower triangles, f vectors and W of every pack, in true units.

    Args:
        pairs, hessian: room for 8 m and 8 (m + 3) numbers, m = (r + 1)(r + 2)/2 of the largest r.
    """
    for pack in range(len(packs.size)):
        r, part = packs.size[pack], packs.part[pack]
        at = packs.vector_at[pack]
        stiffness_factor = load8(packs.scale, SCALE * pack + KS3)
        _multiply_pairs(r, q, at, pairs)
        _contract(r, parts.table, parts.table_at[part], pairs, hessian)
        energy = load8(hessian, 0)
        for j in range(1, r + 1):
            row = 4 * j * (j + 1)
            first = load8(hessian, row)
            total = first
            for i in range(1, j + 1):
                total += load8(hessian, row + 8 * i) * load8(q, at + 8 * i - 8)
                store8(
                    K,
                    packs.triangle_at[pack] + 4 * j * (j - 1) + 8 * i - 8,
                    stiffness_factor * load8(hessian, row + 8 * i),
                )
            for i in range(j + 1, r + 1):
                total += load8(hessian, 4 * i * (i + 1) + 8 * j) * load8(q, at + 8 * i - 8)
            energy += load8(q, at + 8 * j - 8) * (first + total)
            store8(f, at + 8 * j - 8, total * stiffness_factor * (1.0 / 3.0))
        store8(W, 8 * pack, energy * stiffness_factor * (1.0 / 12.0))


@njit(cache=True, nogil=True)
def _multiply_pairs(r, q, at, pairs):
    """pairs[j (j + 1)/2 + i] = z_i z_j, i <= j."""
    store8(pairs, 0, spread8(1.0))
    for j in range(1, r + 1):
        q_j = load8(q, at + 8 * j - 8)
        row = 4 * j * (j + 1)
        store8(pairs, row, q_j)
        for i in range(1, j + 1):
            store8(pairs, row + 8 * i, q_j * load8(q, at + 8 * i - 8))


@njit(cache=True, nogil=True)
def _contract(r, table, at, pairs, hessian):
    """hessian = table pairs, four rows at a time."""
    m = (r + 1) * (r + 2) // 2
    for row in range(0, m, 4):
        a = spread8(0.0)
        b = c = d = a
        for column in range(m):
            pair = load8(pairs, 8 * column)
            a += pair * table[at]
            b += pair * table[at + 1]
            c += pair * table[at + 2]
            d += pair * table[at + 3]
            at += 4
        store8(hessian, 8 * row, a)
        store8(hessian, 8 * row + 8, b)
        store8(hessian, 8 * row + 16, c)
        store8(hessian, 8 * row + 24, d)
