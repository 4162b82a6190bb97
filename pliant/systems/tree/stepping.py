"""Steps of a tree, all in compiled code ([LS11] Algorithm 1; maths sheet substructuring 6-8)."""

import numpy as np
from numba import njit

from pliant.systems.free_frame import advance, take
from pliant.systems.newmark import BETA, GAMMA
from pliant.systems.tree.articulated import climb, descend
from pliant.systems.tree.composite import add_outside, compose
from pliant.systems.tree.frames import hold_all, place_all
from pliant.systems.tree.held_limbs import hold_limbs, want_limbs
from pliant.systems.tree.loads import gather_loads
from pliant.systems.tree.lumped import step_down, sum_subtrees
from pliant.systems.tree.part_forces import evaluate_jets
from pliant.systems.tree.root import (
    free_acceleration,
    keep_momentum,
    locked_acceleration,
    move_root,
    root_inverse,
    show_root,
)


@njit(cache=True, nogil=True)
def full_steps(parts, packs, motion, scratch, sums, before, flight, forces, held, c, time, count, free, passes):
    """Take `count` steps with full inertia. Returns how many were taken, and a pack that found no solution or -1.

    Frames are those of (q, v) before and after. Compiled apart from `lumped_steps`, since each takes long to compile.

    Args:
        before: the state at the start of the last step.
        flight: the free frame of the tree, and room for the one at the end of a step.
        forces: gravity (3,), wind field, pushes.
        held: vertices that are held.
        c: dt, alpha, beta.
    """
    gravity, wind, pushes = forces
    force, torque, centre, inverse = np.zeros(3), np.zeros(3), np.zeros(3), np.zeros((6, 6))
    _settle(packs, motion, scratch)
    for step in range(count):
        _begin(packs, motion, scratch, before, c[0])
        if len(held.forces):
            want_limbs(held, motion, scratch, c[0])
        for _ in range(passes):
            evaluate_jets(parts, packs, motion.q, scratch.pairs, scratch.hessian, scratch.K, scratch.f, scratch.W)
            gather_loads(parts, packs, motion, scratch, gravity, wind, pushes, time + (step + 1) * c[0])
            if free:
                add_outside(parts, packs, motion, scratch, force, torque, centre)
            failed = climb(parts, packs, motion, scratch, sums, c)
            if failed < 0 and len(held.forces) and (not free or root_inverse(sums, inverse)):
                hold_limbs(held, packs, motion, scratch, sums, inverse, free, force, torque, centre)
            if failed < 0 and free and not free_acceleration(sums, scratch.frames, motion.root):
                failed = 0
            if failed >= 0:
                return step, failed
            descend(packs, motion, scratch, sums, c[0])
            if free:
                move_root(before.root, flight[0], flight[1], motion.root, c[0])
                show_root(motion.root, scratch.frames)
            hold_all(packs, motion.q, motion.v, motion.a, scratch.room, scratch.holds, scratch.jacobian, True)
            place_all(packs, scratch.holds, scratch.frames, scratch.room)
        failed = _end(parts, packs, motion, scratch, sums, flight, force, torque, c[0], free)
        if failed >= 0:
            return step, failed
    return count, -1


@njit(cache=True, nogil=True)
def lumped_steps(parts, packs, motion, scratch, sums, lumps, before, flight, forces, c, time, count, free, second):
    """Take `count` steps of L1 or, `second`, L2; otherwise as `full_steps`."""
    gravity, wind, pushes = forces
    force, torque, centre = np.zeros(3), np.zeros(3), np.zeros(3)
    _settle(packs, motion, scratch)
    for step in range(count):
        _begin(packs, motion, scratch, before, c[0])
        evaluate_jets(parts, packs, motion.q, scratch.pairs, scratch.hessian, scratch.K, scratch.f, scratch.W)
        gather_loads(parts, packs, motion, scratch, gravity, wind, pushes, time + (step + 1) * c[0])
        sum_subtrees(parts, packs, motion, scratch, lumps)
        if free:
            add_outside(parts, packs, motion, scratch, force, torque, centre)
            # L1 keeps its constant added mass in sums.K; composing touches only inertia and bias.
            compose(parts, packs, motion, scratch, sums)
            if not locked_acceleration(sums, scratch.frames, motion.root, force, torque):
                return step, 0
            move_root(before.root, flight[0], flight[1], motion.root, c[0])
            show_root(motion.root, scratch.frames)
        failed = step_down(parts, packs, motion, scratch, sums, lumps, c, second)
        if failed < 0:
            failed = _end(parts, packs, motion, scratch, sums, flight, force, torque, c[0], free)
        if failed >= 0:
            return step, failed
    return count, -1


@njit(cache=True, nogil=True)
def _begin(packs, motion, scratch, before, dt):
    """Remember the state and predict q and v."""
    for pack in range(len(packs.size)):
        # Lanes without a limb follow the first; left alone, without its pushes and children, they would go astray.
        for i in range(packs.vector_at[pack], packs.vector_at[pack] + 8 * packs.size[pack], 8):
            for lane in range(packs.lanes[pack], 8):
                motion.q[i + lane], motion.v[i + lane], motion.a[i + lane] = motion.q[i], motion.v[i], motion.a[i]
    before.q[:], before.v[:], before.a[:], before.root[:] = motion.q, motion.v, motion.a, motion.root
    for i in range(len(motion.q)):
        scratch.q_p[i] = motion.q[i] + dt * motion.v[i] + (0.5 - BETA) * dt * dt * motion.a[i]
        scratch.v_p[i] = motion.v[i] + (1.0 - GAMMA) * dt * motion.a[i]


@njit(cache=True, nogil=True)
def _end(parts, packs, motion, scratch, sums, flight, force, torque, dt, free):
    """A pack that went astray, or -1 and the momentum of a free tree is kept.

    Args:
        force, torque: from outside, about the centre of mass, summed where the frames stood when loads were gathered.
    """
    failed = _astray(parts, packs, motion)
    if failed >= 0 or not free:
        return failed
    compose(parts, packs, motion, scratch, sums)
    advance(flight[0], flight[1], force, torque, sums.inertia[0], dt)
    if not keep_momentum(sums, motion.root, flight[1]) or not np.isfinite(motion.root).all():
        return 0
    take(flight[1], flight[0])
    show_root(motion.root, scratch.frames)
    place_all(packs, scratch.holds, scratch.frames, scratch.room)
    return -1


@njit(cache=True, nogil=True)
def _astray(parts, packs, motion):
    """A pack with a limb whose coordinates are not finite or beyond all bounds, or -1."""
    for pack in range(len(packs.size)):
        at, limit = packs.vector_at[pack], parts.limit[packs.part[pack]]
        for lane in range(packs.lanes[pack]):
            square = 0.0
            for i in range(at + lane, at + 8 * packs.size[pack], 8):
                square += motion.q[i] * motion.q[i]
            if not square < limit * limit:
                return pack
    return -1


@njit(cache=True, nogil=True)
def _settle(packs, motion, scratch):
    """Frames of (q, v). At the start of all steps, so that a path depends on the state alone, to the last bit."""
    show_root(motion.root, scratch.frames)
    hold_all(packs, motion.q, motion.v, motion.a, scratch.room, scratch.holds, scratch.jacobian, True)
    place_all(packs, scratch.holds, scratch.frames, scratch.room)


@njit(cache=True, nogil=True)
def stand(parts, packs, motion, scratch):
    """Frames, forces and energies of (q, v) as they are."""
    _settle(packs, motion, scratch)
    evaluate_jets(parts, packs, motion.q, scratch.pairs, scratch.hessian, scratch.K, scratch.f, scratch.W)


def refactor(parts, packs, motion, scratch, sums, c):
    """The factors of a step from here, for the answers to forces; jets and frames as `stand` left them."""
    scratch.q_p[:], scratch.v_p[:] = motion.q, motion.v
    scratch.load[:], scratch.wrench[:] = 0.0, 0.0
    climb(parts, packs, motion, scratch, sums, c)


@njit(cache=True, nogil=True)
def accelerate_now(parts, packs, motion, scratch, sums, forces, c, time, free):
    """a of all coordinates and, where it is free, of the root, under the forces of now; c has dt = 0."""
    gravity, wind, pushes = forces
    stand(parts, packs, motion, scratch)
    scratch.q_p[:], scratch.v_p[:] = motion.q, motion.v
    gather_loads(parts, packs, motion, scratch, gravity, wind, pushes, time)
    if climb(parts, packs, motion, scratch, sums, c) < 0 and (
        not free or free_acceleration(sums, scratch.frames, motion.root)
    ):
        descend(packs, motion, scratch, sums, c[0])
