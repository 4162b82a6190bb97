"""What a limb means to the coordinates of its parent: J = [s a_hat; J_w] maps q' of the parent to its motion."""

from numba import njit

from pliant.numerics.simd8 import load8, store8
from pliant.numerics.simd8_matrices import add, apply, apply_transposed, cross, dot, load3, scaled, store3
from pliant.systems.tree.strides import ANGULAR, SCALE, SPATIAL


@njit(cache=True, nogil=True)
def project(packs, pack, scratch, A, C, D, g, h):
    """Ia J into `columns` (r, 6), J^T Ia J into `block`, J^T g into `pairs`, with J = [s a_hat; J_w] of the parent."""
    r, start = packs.parent_size[pack], packs.interface_at[pack]
    s, turn = load8(packs.scale, SCALE * pack), start // 4
    to = 0
    for l in range(r):
        a = scaled(
            s,
            (
                load8(packs.interface, start + 8 * l),
                load8(packs.interface, start + 8 * (r + l)),
                load8(packs.interface, start + 8 * (2 * r + l)),
            ),
        )
        w = (
            load8(scratch.jacobian, turn + 8 * l),
            load8(scratch.jacobian, turn + 8 * (r + l)),
            load8(scratch.jacobian, turn + 8 * (2 * r + l)),
        )
        store3(scratch.columns, SPATIAL * l, add(apply(A, a), apply(C, w)))
        store3(scratch.columns, SPATIAL * l + ANGULAR, add(apply_transposed(C, a), apply(D, w)))
        for k in range(l + 1):
            linear, angular = load3(scratch.columns, SPATIAL * k), load3(scratch.columns, SPATIAL * k + ANGULAR)
            store8(scratch.block, to, dot(a, linear) + dot(w, angular))
            to += 8
        store8(scratch.pairs, 8 * l, dot(a, g) + dot(w, h))


@njit(cache=True, nogil=True)
def turn_columns(r, x, columns):
    """(e; f) -> (e; x x e + f): forces at the child's origin moved to the parent's."""
    for l in range(r):
        e = load3(columns, SPATIAL * l)
        store3(columns, SPATIAL * l + ANGULAR, add(cross(x, e), load3(columns, SPATIAL * l + ANGULAR)))


@njit(cache=True, nogil=True)
def scatter(packs, pack, starts, stride, values, count, target):
    """Add the lanes of `values` to the parents' octets."""
    for lane in range(packs.lanes[pack]):
        place = packs.parent[8 * pack + lane]
        to = stride * starts[place // 8] + place % 8
        for k in range(count):
            target[to + 8 * k] += values[8 * k + lane]
