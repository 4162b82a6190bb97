"""Lumped interface forces: a subtree is a mass at its interface (L1) or at its centre of mass (L2) ([LS11] Eq. 15-17).

    y = x_ij + rho,  rho = 0 (L1) or R_ij c (L2),   P = s a_hat - tilde(rho) J_w
    M_ij = m_j P^T P,   f'_ij = P^T (Rw_i^T F_j - m_j [a + al x y + w x (w x y) + 2 w x y' + y0])
    and for L2 + J_w^T Rw_i^T tau_j

Maths sheet substructuring 6. Parents drive children, never back.
"""

from typing import NamedTuple

import numpy as np
from numba import njit

from pliant.errors import Array
from pliant.numerics.simd8 import load8, spread8, store8
from pliant.numerics.simd8_matrices import add, apply, apply_transposed, cross, dot, load3, load9, scaled, store3
from pliant.systems.newmark import BETA, GAMMA
from pliant.systems.tree.children import project, scatter
from pliant.systems.tree.factor import factored
from pliant.systems.tree.frames import (
    AT,
    FRAME,
    PULL,
    REL_AT,
    REL_BIAS,
    REL_SPEED,
    REL_SPIN,
    RELATIVE,
    SPIN,
    TWIST,
    accelerate,
    gather_frames,
    place,
    relate,
)
from pliant.systems.tree.inertia import first_moment, moments
from pliant.systems.tree.strides import ANGULAR, LUMP, MASS, MOMENT, S3, SCALE, SPATIAL, TORQUE


class Lumps(NamedTuple):
    """What hangs on each limb: force, torque and first moment in the world, and mass, of its whole subtree."""

    subtree: Array


def lumps_of(count: int) -> Lumps:
    """Room for the sums of `count` packs."""
    return Lumps(np.zeros(8 * LUMP * count))


@njit(cache=True, nogil=True)
def sum_subtrees(parts, packs, motion, scratch, lumps):
    """Leaves to root: F_j, their torque, m_j and m_j c_j of every subtree."""
    subtree = lumps.subtree
    subtree[:] = 0.0
    for pack in range(len(packs.size) - 1, -1, -1):
        part, frame, at = packs.part[pack], 8 * FRAME * pack, 8 * LUMP * pack
        R, x = load9(scratch.frames, frame), load3(scratch.frames, frame + AT)
        f = apply(R, load3(scratch.wrench, SPATIAL * pack))
        t = add(cross(x, f), apply(R, load3(scratch.wrench, SPATIAL * pack + ANGULAR)))
        mass, mc = (
            load8(packs.scale, SCALE * pack + S3) * parts.body[part][0],
            first_moment(parts, packs, pack, motion.q),
        )
        store3(subtree, at, add(load3(subtree, at), f))
        store3(subtree, at + TORQUE, add(load3(subtree, at + TORQUE), t))
        store3(subtree, at + MOMENT, add(load3(subtree, at + MOMENT), add(scaled(mass, x), apply(R, mc))))
        store8(subtree, at + MASS, load8(subtree, at + MASS) + mass)
        if pack == 0:
            continue
        for lane in range(packs.lanes[pack]):
            place_above = packs.parent[8 * pack + lane]
            to = place_above // 8 * 8 * LUMP + place_above % 8
            for k in range(LUMP):
                subtree[to + 8 * k] += subtree[at + 8 * k + lane]


@njit(cache=True, nogil=True)
def lump_masses(packs, scratch, sums, lumps):
    """sum_j m_j s^2 a_hat^T a_hat into sums.K: L1's added mass, which never changes."""
    sums.K[:] = 0.0
    zero = spread8(0.0)
    for pack in range(1, len(packs.size)):
        m, r = load8(lumps.subtree, 8 * LUMP * pack + MASS), packs.parent_size[pack]
        start, s = packs.interface_at[pack], load8(packs.scale, SCALE * pack)
        to = 0
        for l in range(r):
            for k in range(l + 1):
                total = zero
                for row in range(3):
                    i = start + 8 * row * r
                    total += load8(packs.interface, i + 8 * l) * load8(packs.interface, i + 8 * k)
                store8(scratch.block, to, m * s * s * total)
                to += 8
        scatter(packs, pack, packs.triangle_at, 1, scratch.block, r * (r + 1) // 2, sums.K)


@njit(cache=True, nogil=True)
def step_down(parts, packs, motion, scratch, sums, lumps, c, second):
    """Root to leaves: a Newmark step of every pack, the root's frame being moved. Returns a pack that failed, or -1.

    Args:
        c: dt, alpha, beta.
        second: L2.
    """
    sums.force[:] = 0.0
    if second:
        sums.K[:] = 0.0
    for level in range(len(packs.level) - 1):
        first, last = packs.level[level], packs.level[level + 1]
        below = packs.level[level + 2] if level + 2 < len(packs.level) else last
        for pack in range(last, below):
            _hang(packs, pack, scratch, sums, lumps, second)
        for pack in range(first, last):
            if not _solve(parts, packs, pack, motion, scratch, sums, c):
                return pack
        for pack in range(last, below):
            relate(
                packs,
                pack,
                motion.q,
                motion.v,
                motion.a,
                scratch.workspace,
                scratch.relative,
                scratch.jacobian,
                second,
                True,
            )
            place(packs, pack, scratch.relative, scratch.frames, scratch.workspace)
            accelerate(packs, pack, scratch.relative, scratch.frames, scratch.workspace)
    return -1


@njit(cache=True, nogil=True)
def _hang(packs, pack, scratch, sums, lumps, second):
    """Subtract f'_ij from, and for L2 add M_ij to, what the parents' equations gather."""
    at, frame, subtree = 8 * RELATIVE * pack, 8 * FRAME * pack, 8 * LUMP * pack
    r, one = packs.parent_size[pack], spread8(1.0)
    m, F = load8(lumps.subtree, subtree + MASS), load3(lumps.subtree, subtree)
    torque, mc = load3(lumps.subtree, subtree + TORQUE), load3(lumps.subtree, subtree + MOMENT)
    gather_frames(packs, pack, scratch.frames, scratch.workspace)
    w, al = load3(scratch.workspace, SPIN), load3(scratch.workspace, TWIST)
    y, y_rate = load3(scratch.relative, at + REL_AT), load3(scratch.relative, at + REL_SPEED)
    bracket = load3(scratch.workspace, PULL)
    zero = spread8(0.0)
    rho = (zero, zero, zero)
    if second:
        # The child's own frame is still that of the step before: c is taken in it.
        centre = scaled(1.0 / m, mc)
        out = add(centre, scaled(-one, load3(scratch.frames, frame + AT)))
        rho = apply(load9(scratch.relative, at), apply_transposed(load9(scratch.frames, frame), out))
        turn = load3(scratch.relative, at + REL_SPIN)
        y, y_rate = add(y, rho), add(y_rate, cross(turn, rho))
        bracket = add(bracket, add(cross(load3(scratch.relative, at + REL_BIAS), rho), cross(turn, cross(turn, rho))))
        torque = add(torque, scaled(-one, cross(centre, F)))
    bracket = add(bracket, add(cross(al, y), cross(w, cross(w, y))))
    bracket = add(bracket, scaled(2.0 * one, cross(w, y_rate)))
    R = load9(scratch.workspace, 0)
    g = add(scaled(m, bracket), scaled(-one, apply_transposed(R, F)))
    if second:
        h = add(cross(rho, g), scaled(-one, apply_transposed(R, torque)))
        A = (m, zero, zero, zero, m, zero, zero, zero, m)
        C = (zero, m * rho[2], -m * rho[1], -m * rho[2], zero, m * rho[0], m * rho[1], -m * rho[0], zero)
        square = dot(rho, rho)
        D = (
            m * (square - rho[0] * rho[0]),
            -m * rho[0] * rho[1],
            -m * rho[0] * rho[2],
            -m * rho[0] * rho[1],
            m * (square - rho[1] * rho[1]),
            -m * rho[1] * rho[2],
            -m * rho[0] * rho[2],
            -m * rho[1] * rho[2],
            m * (square - rho[2] * rho[2]),
        )
        project(packs, pack, scratch, A, C, D, g, h)
        scatter(packs, pack, packs.triangle_at, 1, scratch.block, r * (r + 1) // 2, sums.K)
    else:
        start, s = packs.interface_at[pack], load8(packs.scale, SCALE * pack)
        g = scaled(s, g)
        for l in range(r):
            total = g[0] * load8(packs.interface, start + 8 * l)
            total += g[1] * load8(packs.interface, start + 8 * (r + l))
            store8(scratch.pairs, 8 * l, total + g[2] * load8(packs.interface, start + 8 * (2 * r + l)))
    scatter(packs, pack, packs.vector_at, 1, scratch.pairs, r, sums.force)


@njit(cache=True, nogil=True)
def _solve(parts, packs, pack, motion, scratch, sums, c):
    """q'' = -Kq^-1 pq, and the new q, v."""
    r, at, triangle, frame = packs.size[pack], packs.vector_at[pack], packs.triangle_at[pack], 8 * FRAME * pack
    a, al = load3(scratch.frames, frame + PULL), load3(scratch.frames, frame + TWIST)
    moments(parts, packs.part[pack], r, motion.q, at, scratch.moment)
    if not factored(parts, packs, pack, motion, scratch, sums, c, a, al):
        return False
    for i in range(r):
        total = load8(sums.y, at + 8 * i)
        for j in range(i):
            total -= load8(sums.factor, triangle + 4 * i * (i + 1) + 8 * j) * load8(sums.y, at + 8 * j)
        store8(sums.y, at + 8 * i, total * load8(sums.factor, triangle + 4 * i * (i + 1) + 8 * i))
    for i in range(r - 1, -1, -1):
        total = -load8(sums.y, at + 8 * i)
        for j in range(i + 1, r):
            total -= load8(sums.factor, triangle + 4 * j * (j + 1) + 8 * i) * load8(motion.a, at + 8 * j)
        store8(motion.a, at + 8 * i, total * load8(sums.factor, triangle + 4 * i * (i + 1) + 8 * i))
    for i in range(at, at + 8 * r, 8):
        a_i = load8(motion.a, i)
        store8(motion.q, i, load8(scratch.q_p, i) + (BETA * c[0] * c[0]) * a_i)
        store8(motion.v, i, load8(scratch.v_p, i) + (GAMMA * c[0]) * a_i)
    return True
