"""Inertia of a pack's own limbs at (q, v): moments, spatial inertia and velocity terms ([LS11] Eq. 13-14, App. B).

    B_l = W5_l + sum_p q_p W7_lp,   mc = mc0 + N q,   Sig = Sig0 + sum_l q_l (B_l + W5_l^T),   I = tr(Sig) 1 - Sig
    f_l = -N_l . a - B_l : Z - 2 w . (W6_l v),   Z = tilde(al) + tilde(w)^2

Maths sheet substructuring 5 and 7; in class units, times s^3, s^4 or s^5 for an instance of scale s.
"""

from numba import njit

from pliant.numerics.simd8 import load8, spread8, store8
from pliant.numerics.simd8_matrices import add, apply, cross, dot, scaled
from pliant.systems.tree.strides import MATRIX, S3, S4, S5, SCALE


@njit(cache=True, nogil=True)
def moments(parts, part, r, q, at, moment):
    """B_l (r, 9) in class units."""
    first, second = 3 * parts.linear_at[part], 9 * parts.square_at[part]
    for l in range(r):
        B = weighted_matrices(parts.second, second + 9 * r * l, r, q, at)
        for k in range(9):
            store8(moment, MATRIX * l + 8 * k, B[k] + parts.first[first + 9 * l + k])


@njit(cache=True, nogil=True, forceinline=True)
def weighted_matrices(table, start, r, q, at):
    """sum_l q_l matrix_l (9,) of a table (r, 9) of the part."""
    zero = spread8(0.0)
    m0, m1, m2, m3, m4, m5, m6, m7, m8 = zero, zero, zero, zero, zero, zero, zero, zero, zero
    for l in range(r):
        q_l = load8(q, at + 8 * l)
        m0 += q_l * table[start]
        m1 += q_l * table[start + 1]
        m2 += q_l * table[start + 2]
        m3 += q_l * table[start + 3]
        m4 += q_l * table[start + 4]
        m5 += q_l * table[start + 5]
        m6 += q_l * table[start + 6]
        m7 += q_l * table[start + 7]
        m8 += q_l * table[start + 8]
        start += 9
    return m0, m1, m2, m3, m4, m5, m6, m7, m8


@njit(cache=True, nogil=True, forceinline=True)
def weighted(table, start, r, q, at):
    """sum_l q_l row_l (3,) of a table (r, 3) of the part."""
    zero = spread8(0.0)
    x, y, z = zero, zero, zero
    for l in range(r):
        q_l = load8(q, at + 8 * l)
        x += q_l * table[start + 3 * l]
        y += q_l * table[start + 3 * l + 1]
        z += q_l * table[start + 3 * l + 2]
    return x, y, z


@njit(cache=True, nogil=True)
def weighted_moments(r, v, at, moment):
    """sum_l v_l B_l (3, 3) = int rho x' x^T."""
    zero = spread8(0.0)
    m0, m1, m2, m3, m4, m5, m6, m7, m8 = zero, zero, zero, zero, zero, zero, zero, zero, zero
    for l in range(r):
        v_l = load8(v, at + 8 * l)
        m0 += v_l * load8(moment, MATRIX * l)
        m1 += v_l * load8(moment, MATRIX * l + 8)
        m2 += v_l * load8(moment, MATRIX * l + 16)
        m3 += v_l * load8(moment, MATRIX * l + 24)
        m4 += v_l * load8(moment, MATRIX * l + 32)
        m5 += v_l * load8(moment, MATRIX * l + 40)
        m6 += v_l * load8(moment, MATRIX * l + 48)
        m7 += v_l * load8(moment, MATRIX * l + 56)
        m8 += v_l * load8(moment, MATRIX * l + 64)
    return m0, m1, m2, m3, m4, m5, m6, m7, m8


@njit(cache=True, nogil=True, forceinline=True)
def first_moment(parts, packs, pack, q):
    """mc (3,) of the limbs about their origins, in true units."""
    part = packs.part[pack]
    body, s4 = parts.body[part], load8(packs.scale, SCALE * pack + S4)
    shift = weighted(parts.linear, parts.linear_at[part], packs.size[pack], q, packs.vector_at[pack])
    return scaled(s4, (shift[0] + body[1], shift[1] + body[2], shift[2] + body[3]))


@njit(cache=True, nogil=True)
def first_and_spread(parts, packs, pack, q, moment):
    """mc (3,) and I (3, 3) of the limbs about their origins, in true units."""
    r, part, at = packs.size[pack], packs.part[pack], packs.vector_at[pack]
    body = parts.body[part]
    mc = first_moment(parts, packs, pack, q)
    M = weighted_moments(r, q, at, moment)
    m = weighted_matrices(parts.first, 3 * parts.linear_at[part], r, q, at)
    xx, yy, zz = M[0] + m[0] + body[4], M[4] + m[4] + body[8], M[8] + m[8] + body[12]
    xy, xz, yz = M[1] + m[3] + body[5], M[2] + m[6] + body[6], M[5] + m[7] + body[9]
    s5 = load8(packs.scale, SCALE * pack + S5)
    xy, xz, yz = -s5 * xy, -s5 * xz, -s5 * yz
    return mc, (s5 * (yy + zz), xy, xz, xy, s5 * (xx + zz), yz, xz, yz, s5 * (xx + yy))


@njit(cache=True, nogil=True)
def velocity_terms(parts, packs, pack, v, w, mc, spread, moment):
    """b_V (3,), (3,): the wrench that holds the limbs on their path where a, al and q'' are zero."""
    r, part, at = packs.size[pack], packs.part[pack], packs.vector_at[pack]
    s4, s5, two = load8(packs.scale, SCALE * pack + S4), load8(packs.scale, SCALE * pack + S5), spread8(2.0)
    Nv = scaled(s4, weighted(parts.linear, parts.linear_at[part], r, v, at))
    linear = add(cross(w, cross(w, mc)), scaled(two, cross(w, Nv)))
    M = weighted_moments(r, v, at, moment)
    stretch = scaled(M[0] + M[4] + M[8], w)
    turn = apply(M, w)
    coriolis = scaled(two * s5, (stretch[0] - turn[0], stretch[1] - turn[1], stretch[2] - turn[2]))
    return linear, add(cross(w, apply(spread, w)), coriolis)


@njit(cache=True, nogil=True)
def momentum_of(parts, packs, pack, v, speed, w, mc, spread, moment):
    """Linear and angular momentum of the limbs about their origins, in their axes."""
    r, part, at = packs.size[pack], packs.part[pack], packs.vector_at[pack]
    s3, s4, s5 = (
        load8(packs.scale, SCALE * pack + S3),
        load8(packs.scale, SCALE * pack + S4),
        load8(packs.scale, SCALE * pack + S5),
    )
    mass = s3 * parts.body[part][0]
    linear = add(scaled(mass, speed), cross(w, mc))
    linear = add(linear, scaled(s4, weighted(parts.linear, parts.linear_at[part], r, v, at)))
    M = weighted_moments(r, v, at, moment)
    # 2 skew(int rho x' x^T) = int rho x x x'
    own = scaled(s5, (M[7] - M[5], M[2] - M[6], M[3] - M[1]))
    return linear, add(add(cross(mc, speed), apply(spread, w)), own)


@njit(cache=True, nogil=True)
def inertial_forces(parts, packs, pack, v, a, al, w, moment, out):
    """out = s^4 N_l . a + s^5 (B_l : Z + 2 w . W6_l v), the negative of the system force f_sys."""
    r, part, at = packs.size[pack], packs.part[pack], packs.vector_at[pack]
    s4, s5 = load8(packs.scale, SCALE * pack + S4), load8(packs.scale, SCALE * pack + S5)
    square = dot(w, w)
    z0, z4, z8 = w[0] * w[0] - square, w[1] * w[1] - square, w[2] * w[2] - square
    z1, z2, z5 = w[0] * w[1], w[0] * w[2], w[1] * w[2]
    z3, z6, z7 = z1 + al[2], z2 - al[1], z5 + al[0]
    z1, z2, z5 = z1 - al[2], z2 + al[1], z5 - al[0]
    linear, spin = parts.linear_at[part], 3 * parts.square_at[part]
    w2 = scaled(2.0 * s5, w)
    for l in range(r):
        b = MATRIX * l
        contracted = load8(moment, b) * z0 + load8(moment, b + 8) * z1 + load8(moment, b + 16) * z2
        contracted += load8(moment, b + 24) * z3 + load8(moment, b + 32) * z4 + load8(moment, b + 40) * z5
        contracted += load8(moment, b + 48) * z6 + load8(moment, b + 56) * z7 + load8(moment, b + 64) * z8
        turned = weighted(parts.spin, spin + 3 * r * l, r, v, at)
        start = linear + 3 * l
        pulled = a[0] * parts.linear[start] + a[1] * parts.linear[start + 1] + a[2] * parts.linear[start + 2]
        store8(out, at + 8 * l, s4 * pulled + s5 * contracted + dot(w2, turned))
