"""Full subtree inertia in O(d): what [LS11] names as the top of its pyramid (maths sheet substructuring 7).

(M(q) + blkdiag Keff) q'' = rhs + ext - bias, solved leaves to root and back. Elasticity is implicit inside it:
    Keff = g dt D + b dt^2 K,   rhs = -f - K (q_p - q*) - D v_p,   D = alpha M + beta K,
with Newmark's predictor q_p, v_p; then q = q_p + b dt^2 q'', v = v_p + g dt q''.

Mass damping of a tree that is held also brakes the frames: alpha times the momentum that they give each limb, as an
acceleration alpha (v, w) of its frame would, at the latest known speeds.
"""

from numba import njit

from pliant.numerics.simd8 import load8, spread8, store8
from pliant.numerics.simd8_matrices import (
    add,
    add_matrices,
    apply,
    apply_transposed,
    cross,
    dot,
    load3,
    load9,
    scaled,
    store3,
    store9,
    turned,
)
from pliant.systems.newmark import BETA, GAMMA
from pliant.systems.tree.children import project, scatter, turn_columns
from pliant.systems.tree.composite import hand_inertia
from pliant.systems.tree.factor import factored
from pliant.systems.tree.frames import (
    FRAME,
    PULL,
    REL_AT,
    RELATIVE,
    SPEED,
    SPIN,
    TWIST,
    carried_bias,
    gather_frames,
    gather_vectors,
)
from pliant.systems.tree.inertia import first_and_spread, moments, momentum_of, velocity_terms
from pliant.systems.tree.strides import (
    ANGULAR,
    COUPLING,
    GATHERED,
    INERTIA,
    MATRIX,
    S3,
    S4,
    S5,
    SCALE,
    SPATIAL,
    TURNING,
)


@njit(cache=True, nogil=True)
def climb(parts, packs, motion, scratch, sums, c):
    """Leaves to root: articulated inertias and biases. Returns a pack without a solution, or -1.

    Args:
        c: dt, alpha, beta, alpha of the frames.
    """
    for pack in range(len(packs.size)):
        if packs.bears[pack]:
            _clear(packs, pack, sums)
    for pack in range(len(packs.size) - 1, -1, -1):
        if not _articulate(parts, packs, pack, motion, scratch, sums, c):
            return pack
        if pack > 0:
            _hand_down(packs, pack, scratch, sums)
    return -1


@njit(cache=True, nogil=True)
def _clear(packs, pack, sums):
    r, at, triangle = packs.size[pack], packs.vector_at[pack], packs.triangle_at[pack]
    sums.K[triangle : triangle + 4 * r * (r + 1)] = 0.0
    sums.inner[6 * at : 6 * (at + 8 * r)] = 0.0
    sums.force[at : at + 8 * r] = 0.0
    sums.inertia[8 * INERTIA * pack : 8 * INERTIA * (pack + 1)] = 0.0
    sums.bias[SPATIAL * pack : SPATIAL * (pack + 1)] = 0.0


@njit(cache=True, nogil=True)
def _articulate(parts, packs, pack, motion, scratch, sums, c):
    """Factor Kq, and leave Ia = P - B Kq^-1 B^T and pa = pV - B Kq^-1 pq in place of P and pV."""
    r, part, at = packs.size[pack], packs.part[pack], packs.vector_at[pack]
    bears = packs.bears[pack] == 1
    moments(parts, part, r, motion.q, at, scratch.moment)
    w = load3(scratch.frames, 8 * FRAME * pack + SPIN)
    mc, spread = first_and_spread(parts, packs, pack, motion.q, scratch.moment)
    linear, angular = velocity_terms(parts, packs, pack, motion.v, w, mc, spread, scratch.moment)
    zero, one, slowing = spread8(0.0), spread8(1.0), spread8(c[3])
    speed = load3(scratch.frames, 8 * FRAME * pack + SPEED)
    if c[3] > 0.0:
        p, L = momentum_of(parts, packs, pack, motion.v, speed, w, mc, spread, scratch.moment)
        linear, angular = add(linear, scaled(slowing, p)), add(angular, scaled(slowing, L))
    if not factored(parts, packs, pack, motion, scratch, sums, c, scaled(slowing, speed), scaled(slowing, w)):
        return False
    _forward(parts, packs, pack, scratch, sums, bears)
    mass = load8(packs.scale, SCALE * pack + S3) * parts.body[part][0]
    A = (mass, zero, zero, zero, mass, zero, zero, zero, mass)
    C = (zero, mc[2], -mc[1], -mc[2], zero, mc[0], mc[1], -mc[0], zero)
    D = spread
    minus = scaled(-one, load3(scratch.wrench, SPATIAL * pack))
    linear = add(linear, minus)
    angular = add(angular, scaled(-one, load3(scratch.wrench, SPATIAL * pack + ANGULAR)))
    to = 8 * INERTIA * pack
    if bears:
        A, C = add_matrices(A, load9(sums.inertia, to)), add_matrices(C, load9(sums.inertia, to + COUPLING))
        D = add_matrices(D, load9(sums.inertia, to + TURNING))
        linear = add(linear, load3(sums.bias, SPATIAL * pack))
        angular = add(angular, load3(sums.bias, SPATIAL * pack + ANGULAR))
    for l in range(r):
        Y = 6 * at + SPATIAL * l
        a, b, y = load3(sums.Y, Y), load3(sums.Y, Y + ANGULAR), load8(sums.y, at + 8 * l)
        A, C, D = _less(A, a, a), _less(C, a, b), _less(D, b, b)
        linear, angular = add(linear, scaled(-y, a)), add(angular, scaled(-y, b))
    store9(sums.inertia, to, A)
    store9(sums.inertia, to + COUPLING, C)
    store9(sums.inertia, to + TURNING, D)
    store3(sums.bias, SPATIAL * pack, linear)
    store3(sums.bias, SPATIAL * pack + ANGULAR, angular)
    return True


@njit(cache=True, nogil=True, forceinline=True)
def _less(A, x, y):
    """A - x y^T."""
    return (
        A[0] - x[0] * y[0],
        A[1] - x[0] * y[1],
        A[2] - x[0] * y[2],
        A[3] - x[1] * y[0],
        A[4] - x[1] * y[1],
        A[5] - x[1] * y[2],
        A[6] - x[2] * y[0],
        A[7] - x[2] * y[1],
        A[8] - x[2] * y[2],
    )


@njit(cache=True, nogil=True)
def _forward(parts, packs, pack, scratch, sums, bears):
    """Y = L^-1 B^T (r, 6) and y = L^-1 pq, B = [s^4 N; s^5 2 skew(B_l)] + children."""
    r, at, triangle, part = packs.size[pack], packs.vector_at[pack], packs.triangle_at[pack], packs.part[pack]
    s4, s5 = load8(packs.scale, SCALE * pack + S4), load8(packs.scale, SCALE * pack + S5)
    linear = parts.linear_at[part]
    for i in range(r):
        row, to, b = triangle + 4 * i * (i + 1), 6 * at + SPATIAL * i, MATRIX * i
        a0 = s4 * parts.linear[linear]
        a1 = s4 * parts.linear[linear + 1]
        a2 = s4 * parts.linear[linear + 2]
        linear += 3
        b0 = s5 * (load8(scratch.moment, b + 56) - load8(scratch.moment, b + 40))
        b1 = s5 * (load8(scratch.moment, b + 16) - load8(scratch.moment, b + 48))
        b2 = s5 * (load8(scratch.moment, b + 24) - load8(scratch.moment, b + 8))
        if bears:
            given, turn = load3(sums.inner, to), load3(sums.inner, to + ANGULAR)
            a0, a1, a2 = a0 + given[0], a1 + given[1], a2 + given[2]
            b0, b1, b2 = b0 + turn[0], b1 + turn[1], b2 + turn[2]
        y = load8(sums.y, at + 8 * i)
        for j in range(i):
            L, above = load8(sums.factor, row + 8 * j), 6 * at + SPATIAL * j
            a0 -= L * load8(sums.Y, above)
            a1 -= L * load8(sums.Y, above + 8)
            a2 -= L * load8(sums.Y, above + 16)
            b0 -= L * load8(sums.Y, above + 24)
            b1 -= L * load8(sums.Y, above + 32)
            b2 -= L * load8(sums.Y, above + 40)
            y -= L * load8(sums.y, at + 8 * j)
        inverse = load8(sums.factor, row + 8 * i)
        store3(sums.Y, to, scaled(inverse, (a0, a1, a2)))
        store3(sums.Y, to + ANGULAR, scaled(inverse, (b0, b1, b2)))
        store8(sums.y, at + 8 * i, inverse * y)


@njit(cache=True, nogil=True)
def _hand_down(packs, pack, scratch, sums):
    """Add T^T Ia T, T^T Ia H, H^T Ia H and T^T g, H^T g, g = Ia gam + pa, to the parents."""
    at, r = 8 * RELATIVE * pack, packs.parent_size[pack]
    R, x = load9(scratch.relative, at), load3(scratch.relative, at + REL_AT)
    start = 8 * INERTIA * pack
    A, C = turned(R, load9(sums.inertia, start)), turned(R, load9(sums.inertia, start + COUPLING))
    D = turned(R, load9(sums.inertia, start + TURNING))
    gather_frames(packs, pack, scratch.frames, scratch.workspace)
    linear, angular = carried_bias(load3(scratch.workspace, SPIN), x, scratch.relative, at)
    g = add(add(apply(A, linear), apply(C, angular)), apply(R, load3(sums.bias, SPATIAL * pack)))
    h = add(add(apply_transposed(C, linear), apply(D, angular)), apply(R, load3(sums.bias, SPATIAL * pack + ANGULAR)))
    project(packs, pack, scratch, A, C, D, g, h)
    scatter(packs, pack, packs.triangle_at, 1, scratch.block, r * (r + 1) // 2, sums.K)
    turn_columns(r, x, scratch.columns)
    scatter(packs, pack, packs.vector_at, 6, scratch.columns, 6 * r, sums.inner)
    scatter(packs, pack, packs.vector_at, 1, scratch.pairs, r, sums.force)
    hand_inertia(packs, pack, A, C, D, g, h, x, scratch.workspace, sums)


@njit(cache=True, nogil=True)
def descend(packs, motion, scratch, sums, dt):
    """Root to leaves: q'' and the new q, v, a of all packs, the root's a and al being set."""
    for pack in range(len(packs.size)):
        if pack > 0:
            _accelerate(packs, pack, motion, scratch)
        r, at, triangle = packs.size[pack], packs.vector_at[pack], packs.triangle_at[pack]
        frame = 8 * FRAME * pack
        a, al = load3(scratch.frames, frame + PULL), load3(scratch.frames, frame + TWIST)
        for i in range(r - 1, -1, -1):
            Y = 6 * at + SPATIAL * i
            total = load8(sums.y, at + 8 * i) + dot(load3(sums.Y, Y), a) + dot(load3(sums.Y, Y + ANGULAR), al)
            total = -total
            for j in range(i + 1, r):
                total -= load8(sums.factor, triangle + 4 * j * (j + 1) + 8 * i) * load8(motion.a, at + 8 * j)
            store8(motion.a, at + 8 * i, total * load8(sums.factor, triangle + 4 * i * (i + 1) + 8 * i))
        for i in range(at, at + 8 * r, 8):
            a_i = load8(motion.a, i)
            store8(motion.q, i, load8(scratch.q_p, i) + (BETA * dt * dt) * a_i)
            store8(motion.v, i, load8(scratch.v_p, i) + (GAMMA * dt) * a_i)


@njit(cache=True, nogil=True)
def _accelerate(packs, pack, motion, scratch):
    """A_j = T A_i + H q''_i + gam."""
    at, frame, r = 8 * RELATIVE * pack, 8 * FRAME * pack, packs.parent_size[pack]
    gather_frames(packs, pack, scratch.frames, scratch.workspace)
    x, twist = load3(scratch.relative, at + REL_AT), load3(scratch.workspace, TWIST)
    linear, angular = carried_bias(load3(scratch.workspace, SPIN), x, scratch.relative, at)
    linear = add(linear, add(load3(scratch.workspace, PULL), cross(twist, x)))
    angular = add(angular, twist)
    gather_vectors(packs, pack, motion.a, r, scratch.workspace, GATHERED)
    start, s = packs.interface_at[pack], load8(packs.scale, SCALE * pack)
    zero = spread8(0.0)
    a0, a1, a2, w0, w1, w2 = zero, zero, zero, zero, zero, zero
    for l in range(r):
        q = load8(scratch.workspace, GATHERED + 8 * l)
        a0 += q * load8(packs.interface, start + 8 * l)
        a1 += q * load8(packs.interface, start + 8 * (r + l))
        a2 += q * load8(packs.interface, start + 8 * (2 * r + l))
        w0 += q * load8(scratch.jacobian, start // 4 + 8 * l)
        w1 += q * load8(scratch.jacobian, start // 4 + 8 * (r + l))
        w2 += q * load8(scratch.jacobian, start // 4 + 8 * (2 * r + l))
    R = load9(scratch.relative, at)
    store3(scratch.frames, frame + PULL, apply_transposed(R, add(linear, scaled(s, (a0, a1, a2)))))
    store3(scratch.frames, frame + TWIST, apply_transposed(R, add(angular, (w0, w1, w2))))
