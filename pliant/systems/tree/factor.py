"""The implicit matrix of a pack and its factor: Kq = (1 + g dt alpha) M + (g dt beta + b dt^2) K + children.

    pq = bq - load + f + K (q_p - q) + D v_p + children,   D = alpha M + beta K

[SI05] App. C in terms of the new acceleration, for eight limbs at a time.
"""

from numba import njit

from pliant.numerics.simd8 import least8, load8, spread8, sqrt8, store8, where_positive8
from pliant.numerics.simd8_matrices import load3
from pliant.systems.newmark import BETA, GAMMA
from pliant.systems.tree.frames import FRAME, SPIN
from pliant.systems.tree.inertia import inertial_forces
from pliant.systems.tree.strides import KS3, S5, SCALE


@njit(cache=True, nogil=True)
def factored(parts, packs, pack, motion, scratch, sums, c, a, al):
    """Kq of a pack, factored, and pq in sums.y, its frames accelerated by a and al.

    Where K is indefinite under compression, its value at rest takes its place for this step.
    """
    r, triangle, part = packs.size[pack], packs.triangle_at[pack], packs.part[pack]
    w = load3(scratch.frames, 8 * FRAME * pack + SPIN)
    inertial_forces(parts, packs, pack, motion.v, a, al, w, scratch.moment, sums.y)
    _assemble(parts, packs, pack, motion, scratch, sums, c)
    if factor_lanes(r, sums.factor, triangle):
        return True
    rest, stiffness_factor = parts.triangle_at[part], load8(packs.scale, SCALE * pack + KS3)
    failed = load8(sums.factor, triangle)
    for k in range(r):
        failed = where_positive8(load8(sums.factor, triangle + 4 * k * (k + 3)), failed, spread8(-1.0))
    for k in range(r * (r + 1) // 2):
        K = where_positive8(failed, load8(scratch.K, triangle + 8 * k), stiffness_factor * parts.rest[rest + k])
        store8(scratch.K, triangle + 8 * k, K)
    inertial_forces(parts, packs, pack, motion.v, a, al, w, scratch.moment, sums.y)
    _assemble(parts, packs, pack, motion, scratch, sums, c)
    return factor_lanes(r, sums.factor, triangle)


@njit(cache=True, nogil=True)
def _assemble(parts, packs, pack, motion, scratch, sums, c):
    """Kq = (1 + g dt alpha) M + (g dt beta + b dt^2) K + children, and pq into sums.y, which holds bq."""
    r, at, triangle = packs.size[pack], packs.vector_at[pack], packs.triangle_at[pack]
    mass, s5, bears = parts.triangle_at[packs.part[pack]], load8(packs.scale, SCALE * pack + S5), packs.bears[pack] == 1
    dt, alpha, beta = c[0], c[1], c[2]
    mass_factor, stiffness_factor = s5 * (1.0 + GAMMA * dt * alpha), GAMMA * dt * beta + BETA * dt * dt
    by_alpha = s5 * alpha
    for i in range(r):
        row = triangle + 4 * i * (i + 1)
        ahead = load8(scratch.q_p, at + 8 * i) - load8(motion.q, at + 8 * i) + beta * load8(scratch.v_p, at + 8 * i)
        fast = load8(scratch.v_p, at + 8 * i)
        total = load8(sums.y, at + 8 * i) - load8(scratch.load, at + 8 * i) + load8(scratch.f, at + 8 * i)
        if bears:
            total += load8(sums.force, at + 8 * i)
        for j in range(i + 1):
            K, M = load8(scratch.K, row + 8 * j), parts.mass[mass]
            mass += 1
            entry = stiffness_factor * K + mass_factor * M
            if bears:
                entry += load8(sums.K, row + 8 * j)
            store8(sums.factor, row + 8 * j, entry)
            ahead_j = load8(scratch.q_p, at + 8 * j) - load8(motion.q, at + 8 * j)
            v_j = load8(scratch.v_p, at + 8 * j)
            total += K * (ahead_j + beta * v_j) + (by_alpha * M) * v_j
            if j < i:
                back = K * ahead + (by_alpha * M) * fast
                store8(sums.y, at + 8 * j, load8(sums.y, at + 8 * j) + back)
        store8(sums.y, at + 8 * i, total)


@njit(cache=True, nogil=True)
def factor_lanes(r, A, start):
    """Cholesky of lower triangles in place, the diagonal inverted; a diagonal that is not positive is left negative."""
    positive = True
    for i in range(r):
        row = start + 4 * i * (i + 1)
        for j in range(i + 1):
            other = start + 4 * j * (j + 1)
            total = load8(A, row + 8 * j)
            for k in range(j):
                total -= load8(A, row + 8 * k) * load8(A, other + 8 * k)
            if j < i:
                store8(A, row + 8 * j, total * load8(A, other + 8 * j))
                continue
            if not least8(total) > 0.0:
                positive = False
            good = where_positive8(total, total, spread8(1.0))
            store8(A, row + 8 * j, where_positive8(total, 1.0 / sqrt8(good), spread8(-1.0)))
    return positive
