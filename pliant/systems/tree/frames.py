"""Frames of limbs: where they stand on their parents, by polar decomposition, how they move ([LS11] Eq. 1-9, 11-12).

    x = s (x_hat + a_hat q),   A = 1 + sum_l B^l q_l = R S,   R_ij = R R_hat,   Y = tr(S) 1 - S
    w_ij = R Y^-1 2 skew(R^T A'),   al_ij = J_w q'' + wd0,   column l of J_w = R Y^-1 2 skew(R^T B^l)

Maths sheet substructuring 3-4. All in the axes of the parent; v_ij w_ij a_ij al_ij: motion relative to it.
"""

import numpy as np
from numba import njit

from pliant.numerics.polar import polar
from pliant.numerics.simd8 import least8, load8, spread8, store8, total8
from pliant.numerics.simd8_matrices import (
    add,
    apply,
    apply_transposed,
    cofactors,
    cross,
    cross_columns,
    dot,
    load3,
    load9,
    scaled,
    store3,
    store9,
    times,
    transposed,
    twice_skew,
)
from pliant.systems.tree.strides import GATHERED, HAT, HAT_TURN, SCALE

# Numbers a pack keeps of its frames: R (9), x (3), v (3), w (3), a (3), al (3), in the limb's axes but for R and x.
FRAME, AT, SPEED, SPIN, PULL, TWIST = 24, 72, 96, 120, 144, 168
# And relative to the parent: R (9), x (3), v (3), w (3), wd0 (3), a (3), al (3), in the parent's axes.
RELATIVE, REL_AT, REL_SPEED, REL_SPIN, REL_BIAS, REL_PULL, REL_TWIST = 27, 72, 96, 120, 144, 168, 192

POLAR_STEPS, POLAR_DONE = 12, 1e-28


@njit(cache=True, nogil=True)
def gather_vectors(packs, pack, source, count, workspace, at):
    """Copy `count` octets of every lane's parent vector into workspace[at:]."""
    for lane in range(8):
        place = packs.parent[8 * pack + lane]
        start = packs.vector_at[place // 8] + place % 8
        for k in range(count):
            workspace[at + 8 * k + lane] = source[start + 8 * k]


@njit(cache=True, nogil=True)
def gather_frames(packs, pack, frames, workspace):
    """Copy the frame of every lane's parent."""
    for lane in range(8):
        place = packs.parent[8 * pack + lane]
        start = place // 8 * 8 * FRAME + place % 8
        for k in range(FRAME):
            workspace[8 * k + lane] = frames[start + 8 * k]


@njit(cache=True, nogil=True, forceinline=True)
def _interface_sums(interface, start, r, q, at, sums):
    """sums (12,) = the interface's rows times q."""
    for row in range(12):
        total = spread8(0.0)
        for l in range(r):
            total += load8(interface, start + 8 * (row * r + l)) * load8(q, at + 8 * l)
        store8(sums, 8 * row, total)


@njit(cache=True, nogil=True)
def _rotation(A, workspace):
    """The rotation nearest to A: Newton's iteration X <- (X + X^-T)/2, or lane by lane where it would reflect."""
    X = A
    for _ in range(POLAR_STEPS):
        C = cofactors(X)
        det = dot((X[0], X[1], X[2]), (C[0], C[1], C[2]))
        if not least8(det) > 0.02:
            break
        half = 0.5 / det
        Y = (
            0.5 * X[0] + half * C[0],
            0.5 * X[1] + half * C[1],
            0.5 * X[2] + half * C[2],
            0.5 * X[3] + half * C[3],
            0.5 * X[4] + half * C[4],
            0.5 * X[5] + half * C[5],
            0.5 * X[6] + half * C[6],
            0.5 * X[7] + half * C[7],
            0.5 * X[8] + half * C[8],
        )
        change = spread8(0.0)
        for k in range(9):
            change += (Y[k] - X[k]) * (Y[k] - X[k])
        X = Y
        if total8(change) < POLAR_DONE:
            return X
    store9(workspace, 0, A)
    one, R = np.empty((3, 3)), np.empty((3, 3))
    for lane in range(8):
        for k in range(9):
            one[k // 3, k % 3] = workspace[8 * k + lane]
        if np.isfinite(one).all():
            polar(one, R)
        for k in range(9):
            workspace[8 * k + lane] = R[k // 3, k % 3]
    return load9(workspace, 0)


@njit(cache=True, nogil=True, forceinline=True)
def _inverse_of_spread(S):
    """Y^-1 for Y = tr(S) 1 - S, S symmetric."""
    trace = S[0] + S[4] + S[8]
    Y = (trace - S[0], -S[1], -S[2], -S[3], trace - S[4], -S[5], -S[6], -S[7], trace - S[8])
    C = cofactors(Y)
    inverse = 1.0 / dot((Y[0], Y[1], Y[2]), (C[0], C[1], C[2]))
    # Y is symmetric, so its cofactors need no transposition.
    return (
        inverse * C[0],
        inverse * C[1],
        inverse * C[2],
        inverse * C[3],
        inverse * C[4],
        inverse * C[5],
        inverse * C[6],
        inverse * C[7],
        inverse * C[8],
    )


@njit(cache=True, nogil=True)
def relate(packs, pack, q, v, a, workspace, relative, jacobian, with_jacobian, with_accelerations):
    """Relative frame and rates of a pack from its parents' q, v and, if wanted, a; J_w (3, r_p) if wanted."""
    r, start = packs.parent_size[pack], packs.interface_at[pack]
    at, size = 8 * RELATIVE * pack, load8(packs.scale, SCALE * pack)
    one = spread8(1.0)
    zero = spread8(0.0)
    gather_vectors(packs, pack, q, r, workspace, GATHERED)
    _interface_sums(packs.interface, start, r, workspace, GATHERED, workspace)
    x = add(load3(packs.hat, HAT * pack), load3(workspace, 0))
    store3(relative, at + REL_AT, scaled(size, x))
    A = load9(workspace, HAT_TURN)
    A = (A[0] + one, A[1], A[2], A[3], A[4] + one, A[5], A[6], A[7], A[8] + one)
    R = _rotation(A, workspace)
    store9(relative, at, times(R, load9(packs.hat, HAT * pack + HAT_TURN)))
    Rt = transposed(R)
    RY = times(R, _inverse_of_spread(times(Rt, A)))
    gather_vectors(packs, pack, v, r, workspace, GATHERED)
    _interface_sums(packs.interface, start, r, workspace, GATHERED, workspace)
    store3(relative, at + REL_SPEED, scaled(size, load3(workspace, 0)))
    rate = load9(workspace, HAT_TURN)
    w = apply(RY, twice_skew(times(Rt, rate)))
    store3(relative, at + REL_SPIN, w)
    # wd0: the angular acceleration where q'' = 0.
    S_rate = times(Rt, _minus(rate, cross_columns(w, A)))
    body = apply(Rt, w)
    trace = S_rate[0] + S_rate[4] + S_rate[8]
    lag = add(scaled(trace, body), scaled(-one, apply(S_rate, body)))
    turned = twice_skew(times(Rt, cross_columns(w, rate)))
    bias = apply(RY, scaled(-one, add(turned, lag)))
    store3(relative, at + REL_BIAS, bias)
    if with_accelerations:
        gather_vectors(packs, pack, a, r, workspace, GATHERED)
        _interface_sums(packs.interface, start, r, workspace, GATHERED, workspace)
        store3(relative, at + REL_PULL, scaled(size, load3(workspace, 0)))
        store3(relative, at + REL_TWIST, add(bias, apply(RY, twice_skew(times(Rt, load9(workspace, HAT_TURN))))))
    if with_jacobian:
        _jacobian(packs.interface, start, r, R, RY, zero, jacobian)


@njit(cache=True, nogil=True, forceinline=True)
def _minus(A, B):
    return (
        A[0] - B[0],
        A[1] - B[1],
        A[2] - B[2],
        A[3] - B[3],
        A[4] - B[4],
        A[5] - B[5],
        A[6] - B[6],
        A[7] - B[7],
        A[8] - B[8],
    )


@njit(cache=True, nogil=True)
def _jacobian(interface, start, r, R, RY, zero, jacobian):
    """J_w = L B with the 3x9 matrix L: column (a, j) of L is R Y^-1 (e_j x row a of R). Rows (3, r) from start / 4."""
    to = start // 4
    for l in range(r):
        w = (zero, zero, zero)
        for a in range(3):
            row = (R[3 * a], R[3 * a + 1], R[3 * a + 2])
            b = start + 8 * ((3 + 3 * a) * r + l)
            column = (load8(interface, b), load8(interface, b + 8 * r), load8(interface, b + 16 * r))
            # sum_j B_aj (e_j x row) = (B_a) x row
            w = add(w, cross(column, row))
        turned = apply(RY, w)
        store8(jacobian, to + 8 * l, turned[0])
        store8(jacobian, to + 8 * (r + l), turned[1])
        store8(jacobian, to + 8 * (2 * r + l), turned[2])


@njit(cache=True, nogil=True)
def place(packs, pack, relative, frames, workspace):
    """World frame and velocities of a pack from its parents': R, x, v, w ([LS11] Eq. 11)."""
    gather_frames(packs, pack, frames, workspace)
    at, to = 8 * RELATIVE * pack, 8 * FRAME * pack
    R_above, R = load9(workspace, 0), load9(relative, at)
    x, w_above = load3(relative, at + REL_AT), load3(workspace, SPIN)
    store9(frames, to, times(R_above, R))
    store3(frames, to + AT, add(load3(workspace, AT), apply(R_above, x)))
    v = add(add(load3(workspace, SPEED), cross(w_above, x)), load3(relative, at + REL_SPEED))
    store3(frames, to + SPEED, apply_transposed(R, v))
    store3(frames, to + SPIN, apply_transposed(R, add(w_above, load3(relative, at + REL_SPIN))))


@njit(cache=True, nogil=True, forceinline=True)
def carried_bias(w_above, x, relative, at):
    """gam in the parent's axes: what the child's accelerations are without a, al and q'' of the parent."""
    v, w = load3(relative, at + REL_SPEED), load3(relative, at + REL_SPIN)
    linear = add(cross(w_above, cross(w_above, x)), scaled(spread8(2.0), cross(w_above, v)))
    return linear, add(load3(relative, at + REL_BIAS), cross(w_above, w))


@njit(cache=True, nogil=True)
def accelerate(packs, pack, relative, frames, workspace):
    """a and al of a pack, its frame being placed and `relate` having left the relative accelerations."""
    gather_frames(packs, pack, frames, workspace)
    at, to = 8 * RELATIVE * pack, 8 * FRAME * pack
    x, w_above, twist = load3(relative, at + REL_AT), load3(workspace, SPIN), load3(workspace, TWIST)
    linear, angular = carried_bias(w_above, x, relative, at)
    a = add(add(load3(workspace, PULL), cross(twist, x)), add(linear, load3(relative, at + REL_PULL)))
    bias = load3(relative, at + REL_BIAS)
    # wd0 is in both REL_TWIST and the carried bias, and counts once.
    al = add(add(twist, load3(relative, at + REL_TWIST)), add(angular, scaled(spread8(-1.0), bias)))
    R = load9(relative, at)
    store3(frames, to + PULL, apply_transposed(R, a))
    store3(frames, to + TWIST, apply_transposed(R, al))


@njit(cache=True, nogil=True)
def place_all(packs, relative, frames, workspace):
    """Frames and velocities of all packs but the root's."""
    for pack in range(1, len(packs.size)):
        place(packs, pack, relative, frames, workspace)


@njit(cache=True, nogil=True)
def relate_all(packs, q, v, a, workspace, relative, jacobian, with_jacobian):
    """`relate` of all packs but the root's."""
    for pack in range(1, len(packs.size)):
        relate(packs, pack, q, v, a, workspace, relative, jacobian, with_jacobian, False)
