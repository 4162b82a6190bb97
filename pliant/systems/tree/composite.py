"""Sums over a tree as it stands: composite inertia and momentum at the root, energies, outside forces.

Ic_i = Mvv + sum_j T^T Ic_j T,   h_i = Mvv V + Mvq q' + sum_j T^T h_j   (maths sheet substructuring 7-8)
"""

import numpy as np
from numba import njit

from pliant.numerics.simd8 import load8, spread8, store8
from pliant.numerics.simd8_matrices import (
    add,
    add_matrices,
    apply,
    cross,
    cross_columns,
    cross_rows,
    dot,
    load3,
    load9,
    scaled,
    scaled_matrix,
    store3,
    store9,
    transposed,
    turned,
)
from pliant.systems.tree.frames import AT, FRAME, REL_AT, RELATIVE, SPEED, SPIN
from pliant.systems.tree.inertia import first_and_spread, first_moment, moments, momentum_of, weighted, weighted_moments
from pliant.systems.tree.strides import (
    ANGULAR,
    COUPLING,
    HANDED,
    INERTIA,
    MASS,
    MOMENT,
    S3,
    S4,
    S5,
    SCALE,
    SPATIAL,
    TORQUE,
    TURNING,
)


@njit(cache=True, nogil=True)
def compose(parts, packs, motion, scratch, sums):
    """Leave Ic and h of every subtree, in its own axes about its origin, in sums.inertia and sums.bias."""
    zero = spread8(0.0)
    for pack in range(len(packs.size)):
        if packs.bears[pack]:
            sums.inertia[8 * INERTIA * pack : 8 * INERTIA * (pack + 1)] = 0.0
            sums.bias[SPATIAL * pack : SPATIAL * (pack + 1)] = 0.0
    for pack in range(len(packs.size) - 1, -1, -1):
        part, frame, to = packs.part[pack], 8 * FRAME * pack, 8 * INERTIA * pack
        moments(parts, part, packs.size[pack], motion.q, packs.vector_at[pack], scratch.moment)
        mc, D = first_and_spread(parts, packs, pack, motion.q, scratch.moment)
        speed, w = load3(scratch.frames, frame + SPEED), load3(scratch.frames, frame + SPIN)
        linear, angular = momentum_of(parts, packs, pack, motion.v, speed, w, mc, D, scratch.moment)
        mass = load8(packs.scale, SCALE * pack + S3) * parts.body[part][0]
        A = (mass, zero, zero, zero, mass, zero, zero, zero, mass)
        C = (zero, mc[2], -mc[1], -mc[2], zero, mc[0], mc[1], -mc[0], zero)
        if packs.bears[pack]:
            A, C = add_matrices(A, load9(sums.inertia, to)), add_matrices(C, load9(sums.inertia, to + COUPLING))
            D = add_matrices(D, load9(sums.inertia, to + TURNING))
            linear = add(linear, load3(sums.bias, SPATIAL * pack))
            angular = add(angular, load3(sums.bias, SPATIAL * pack + ANGULAR))
        store9(sums.inertia, to, A)
        store9(sums.inertia, to + COUPLING, C)
        store9(sums.inertia, to + TURNING, D)
        store3(sums.bias, SPATIAL * pack, linear)
        store3(sums.bias, SPATIAL * pack + ANGULAR, angular)
        if pack > 0:
            R, x = load9(scratch.relative, 8 * RELATIVE * pack), load3(scratch.relative, 8 * RELATIVE * pack + REL_AT)
            g, h = apply(R, linear), apply(R, angular)
            hand_inertia(packs, pack, turned(R, A), turned(R, C), turned(R, D), g, h, x, scratch.workspace, sums)


@njit(cache=True, nogil=True)
def hand_inertia(packs, pack, A, C, D, g, h, x, workspace, sums):
    """Add T^T Ia T and T^T (g; h) to the parents, given in their axes about the child's origin, which is at x."""
    E = add_matrices(C, scaled_matrix(spread8(-1.0), cross_rows(A, x)))
    below = add_matrices(cross_columns(x, E), scaled_matrix(spread8(-1.0), cross_rows(transposed(C), x)))
    store9(workspace, 0, A)
    store9(workspace, COUPLING, E)
    store9(workspace, TURNING, add_matrices(D, below))
    store3(workspace, HANDED, g)
    store3(workspace, HANDED + ANGULAR, add(cross(x, g), h))
    for lane in range(packs.lanes[pack]):
        place = packs.parent[8 * pack + lane]
        to = place // 8 * 8 * INERTIA + place % 8
        for k in range(INERTIA):
            sums.inertia[to + 8 * k] += workspace[8 * k + lane]
        to = place // 8 * SPATIAL + place % 8
        for k in range(6):
            sums.bias[to + 8 * k] += workspace[HANDED + 8 * k + lane]


@njit(cache=True, nogil=True)
def add_energies(parts, packs, motion, scratch, gravity, out):
    """out = kinetic, elastic and gravitational energy [J]; the elastic one as the last jets left it.

    Kinetic + elastic of every limb into scratch.energy.
    """
    out[:] = 0.0
    workspace = scratch.workspace
    for pack in range(len(packs.size)):
        r, part, at, frame = packs.size[pack], packs.part[pack], packs.vector_at[pack], 8 * FRAME * pack
        moments(parts, part, r, motion.q, at, scratch.moment)
        mc, D = first_and_spread(parts, packs, pack, motion.q, scratch.moment)
        speed, w = load3(scratch.frames, frame + SPEED), load3(scratch.frames, frame + SPIN)
        linear, angular = momentum_of(parts, packs, pack, motion.v, speed, w, mc, D, scratch.moment)
        s3, s4, s5 = (
            load8(packs.scale, SCALE * pack + S3),
            load8(packs.scale, SCALE * pack + S4),
            load8(packs.scale, SCALE * pack + S5),
        )
        M = weighted_moments(r, motion.v, at, scratch.moment)
        Nv = scaled(s4, weighted(parts.linear, parts.linear_at[part], r, motion.v, at))
        own = scaled(s5, (M[7] - M[5], M[2] - M[6], M[3] - M[1]))
        twice = dot(speed, add(linear, Nv)) + dot(w, add(angular, own))
        mass = parts.triangle_at[part]
        for i in range(r):
            for j in range(i + 1):
                share = (1.0 if i == j else 2.0) * parts.mass[mass]
                twice += (s5 * share) * load8(motion.v, at + 8 * i) * load8(motion.v, at + 8 * j)
                mass += 1
        store8(workspace, 0, 0.5 * twice)
        x = add(
            scaled(s3 * parts.body[part][0], load3(scratch.frames, frame + AT)), apply(load9(scratch.frames, frame), mc)
        )
        store8(workspace, 8, x[0] * gravity[0] + x[1] * gravity[1] + x[2] * gravity[2])
        for lane in range(packs.lanes[pack]):
            scratch.energy[8 * pack + lane] = workspace[lane] + scratch.W[8 * pack + lane]
            out[0] += workspace[lane]
            out[1] += scratch.W[8 * pack + lane]
            out[2] -= workspace[8 + lane]


@njit(cache=True, nogil=True)
def add_outside(parts, packs, motion, scratch, force, torque, centre):
    """Total outside force (3,) and torque about the centre of mass (3,), and that centre (3,), in world axes."""
    force[:], torque[:] = 0.0, 0.0
    workspace, total, moment = scratch.workspace, 0.0, np.zeros(3)
    for pack in range(len(packs.size)):
        part, frame = packs.part[pack], 8 * FRAME * pack
        R, x = load9(scratch.frames, frame), load3(scratch.frames, frame + AT)
        f, t = (
            apply(R, load3(scratch.wrench, SPATIAL * pack)),
            apply(R, load3(scratch.wrench, SPATIAL * pack + ANGULAR)),
        )
        mass, mc = (
            load8(packs.scale, SCALE * pack + S3) * parts.body[part][0],
            first_moment(parts, packs, pack, motion.q),
        )
        store3(workspace, 0, f)
        store3(workspace, TORQUE, add(t, cross(x, f)))
        store3(workspace, MOMENT, add(scaled(mass, x), apply(R, mc)))
        store8(workspace, MASS, mass)
        for lane in range(packs.lanes[pack]):
            total += workspace[MASS + lane]
            for k in range(3):
                force[k] += workspace[8 * k + lane]
                torque[k] += workspace[TORQUE + 8 * k + lane]
                moment[k] += workspace[MOMENT + 8 * k + lane]
    centre[:] = moment / total
    torque -= np.cross(centre, force)
