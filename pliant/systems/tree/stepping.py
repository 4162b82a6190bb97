"""Steps of a tree, all in compiled code ([LS11] Algorithm 1; maths sheet substructuring 6-8).

Stiffness and forces of the limbs are those of q at the start of every step, as its end left them for the next.
"""

import numpy as np
from numba import njit

from pliant.numerics.merging import merged
from pliant.systems.free_frame import advance, take
from pliant.systems.newmark import BETA, GAMMA
from pliant.systems.tree.articulated import climb, descend
from pliant.systems.tree.composite import add_outside, compose
from pliant.systems.tree.frames import place_all, relate_all
from pliant.systems.tree.held_limbs import are_met, forget_step, hold_limbs, remember, want_limbs
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
from pliant.systems.tree.striding import (
    FINE,
    FINEST,
    HASTY,
    LEAST,
    PASSES,
    UNEXPLAINED,
    UNSETTLED,
    largest_change,
    largest_turn,
)
from pliant.systems.tree.watching import begin_call, count_pushes, explained, is_due, watch_step


@njit(cache=True, nogil=True)
def full_steps(
    parts, packs, motion, scratch, sums, before, flight, forces, held, watch, c, time, count, ends, free, passes, fresh
):
    """Take `count` steps with full inertia. Returns how many were taken, and FINE, UNEXPLAINED or a pack that failed.

    Frames are those of (q, v) before and after. Compiled apart from `lumped_steps`, since each takes long to compile.

    Args:
        before: the state at the start of the last step.
        flight: the free frame of the tree, and room for the one at the end of a step.
        forces: gravity (3,), wind field, pushes.
        held: vertices that are held.
        watch: of energy.
        c: dt, alpha, beta, alpha of the frames; the stride that one pass is enough for, and what of it passes may
            differ by.
        ends: energy is looked at after the last step, however few the steps since the last look.
        passes: of every step; 0: as many as it needs.
        fresh: stiffness and forces in `scratch` are those of q.
    """
    _settle(packs, motion, scratch)
    if not fresh:
        _jets(parts, packs, motion, scratch)
    begin_call(packs, motion, scratch, forces, watch)
    for step in range(count):
        failed = _step_in_parts(
            parts,
            packs,
            motion,
            scratch,
            sums,
            before,
            flight,
            forces,
            held,
            watch,
            c,
            time + step * c[0],
            free,
            passes,
        )
        if failed >= 0:
            return step, failed
        if is_due(watch, ends and step == count - 1) and not explained(
            parts, packs, motion, scratch, flight[0], forces, held, watch, time + (step + 1) * c[0]
        ):
            return step + 1, UNEXPLAINED
    count_pushes(motion, scratch, forces[2], watch)
    return count, FINE


@merged
def _step_in_parts(parts, packs, motion, scratch, sums, before, flight, forces, held, watch, c, time, free, passes):
    """One step, in halves of halves where its passes do not settle or find no solution; a pack that failed, or FINE."""
    c_part = c.copy()
    done, size = 0, FINEST
    while done < FINEST:
        c_part[0] = c[0] * size / FINEST
        failed = _full_step(
            parts, packs, motion, scratch, sums, before, flight, forces, held, c_part, time, free, passes, size > 1
        )
        if failed == FINE:
            watch_step(packs, motion, scratch, forces[1], held, watch)
            done += size
            time += c_part[0]
        elif size == 1 or passes > 0:
            return failed
        else:
            size //= 2
            _go_back(parts, packs, motion, scratch, before)
            forget_step(held)
    return FINE


@merged
def _full_step(parts, packs, motion, scratch, sums, before, flight, forces, held, c, time, free, passes, may_refuse):
    """A step of c[0] as one piece. Returns FINE, UNSETTLED or a pack that found no solution."""
    gravity, wind, pushes = forces
    force, torque, centre, inverse = np.zeros(3), np.zeros(3), np.zeros(3), np.zeros((6, 6))
    _begin(packs, motion, scratch, before, c[0])
    if len(held.forces):
        want_limbs(held, motion, scratch, c[0])
    least, most = (passes, passes) if passes > 0 else (2 if free else 1, PASSES)
    stride = 0.0
    for number in range(1, most + 1):
        scratch.q_last[:] = motion.q
        gather_loads(parts, packs, motion, scratch, gravity, wind, pushes, time + c[0])
        if free:
            add_outside(parts, packs, motion, scratch, force, torque, centre)
        failed = climb(parts, packs, motion, scratch, sums, c)
        if failed < 0 and len(held.forces) and (not free or root_inverse(sums, inverse)):
            hold_limbs(held, packs, motion, scratch, sums, inverse, free, force, torque, centre)
        if failed < 0 and free and not free_acceleration(sums, scratch.frames, motion.root):
            failed = 0
        if failed >= 0:
            return failed
        descend(packs, motion, scratch, sums, c[0])
        failed = _astray(parts, packs, motion)
        if failed >= 0:
            return failed
        if free:
            move_root(before.root, flight[0], flight[1], motion.root, c[0])
        stand(parts, packs, motion, scratch)
        if number < least or most == least:
            continue
        if number == least:
            turn, change = (
                largest_turn(packs, scratch),
                largest_change(parts, packs, motion.q, before.q, scratch.workspace),
            )
            stride = max(c[0] * turn, change)
            if stride < c[4] and _hands_are_met(held, motion, scratch):
                break
            continue
        change = largest_change(parts, packs, motion.q, scratch.q_last, scratch.workspace)
        met = _hands_are_met(held, motion, scratch)
        if change < max(c[5] * stride, LEAST) and met:
            break
        if number == most and may_refuse and not (met and change < HASTY * stride):
            return UNSETTLED
    if free and not _keep_flight(parts, packs, motion, scratch, sums, flight, force, torque, c[0]):
        return 0
    if len(held.forces):
        remember(held, motion, scratch)
    return FINE


@njit(cache=True, nogil=True)
def _hands_are_met(held, motion, scratch):
    if len(held.forces):
        remember(held, motion, scratch)
    return are_met(held)


@njit(cache=True, nogil=True)
def lumped_steps(
    parts,
    packs,
    motion,
    scratch,
    sums,
    lumps,
    before,
    flight,
    forces,
    held,
    watch,
    c,
    time,
    count,
    ends,
    free,
    second,
    fresh,
):
    """Take `count` steps of L1 or, `second`, L2; otherwise as `full_steps`."""
    _settle(packs, motion, scratch)
    if not fresh:
        _jets(parts, packs, motion, scratch)
    begin_call(packs, motion, scratch, forces, watch)
    for step in range(count):
        failed = _lumped_step(
            parts, packs, motion, scratch, sums, lumps, before, flight, forces, c, time + step * c[0], free, second
        )
        if failed >= 0:
            return step, failed
        watch_step(packs, motion, scratch, forces[1], held, watch)
        if is_due(watch, ends and step == count - 1) and not explained(
            parts, packs, motion, scratch, flight[0], forces, held, watch, time + (step + 1) * c[0]
        ):
            return step + 1, UNEXPLAINED
    count_pushes(motion, scratch, forces[2], watch)
    return count, FINE


@merged
def _lumped_step(parts, packs, motion, scratch, sums, lumps, before, flight, forces, c, time, free, second):
    gravity, wind, pushes = forces
    force, torque, centre = np.zeros(3), np.zeros(3), np.zeros(3)
    _begin(packs, motion, scratch, before, c[0])
    gather_loads(parts, packs, motion, scratch, gravity, wind, pushes, time + c[0])
    sum_subtrees(parts, packs, motion, scratch, lumps)
    if free:
        add_outside(parts, packs, motion, scratch, force, torque, centre)
        # L1 keeps its constant added mass in sums.K; composing touches only inertia and bias.
        compose(parts, packs, motion, scratch, sums)
        if not locked_acceleration(sums, scratch.frames, motion.root, force, torque):
            return 0
        move_root(before.root, flight[0], flight[1], motion.root, c[0])
        show_root(motion.root, scratch.frames)
    failed = step_down(parts, packs, motion, scratch, sums, lumps, c, second)
    if failed < 0:
        failed = _astray(parts, packs, motion)
    if failed >= 0:
        return failed
    fill_lanes(packs, motion)
    _jets(parts, packs, motion, scratch)
    if free and not _keep_flight(parts, packs, motion, scratch, sums, flight, force, torque, c[0]):
        return 0
    return FINE


@njit(cache=True, nogil=True)
def fill_lanes(packs, motion):
    """Lanes without a limb follow the first; left alone, without its pushes and children, they would go astray."""
    for pack in range(len(packs.size)):
        for i in range(packs.vector_at[pack], packs.vector_at[pack] + 8 * packs.size[pack], 8):
            for lane in range(packs.lanes[pack], 8):
                motion.q[i + lane], motion.v[i + lane], motion.a[i + lane] = motion.q[i], motion.v[i], motion.a[i]


@njit(cache=True, nogil=True)
def _begin(packs, motion, scratch, before, dt):
    """Remember the state and predict q and v."""
    before.q[:], before.v[:], before.a[:], before.root[:] = motion.q, motion.v, motion.a, motion.root
    for i in range(len(motion.q)):
        scratch.q_p[i] = motion.q[i] + dt * motion.v[i] + (0.5 - BETA) * dt * dt * motion.a[i]
        scratch.v_p[i] = motion.v[i] + (1.0 - GAMMA) * dt * motion.a[i]


@merged
def _go_back(parts, packs, motion, scratch, before):
    """To the start of the step."""
    motion.q[:], motion.v[:], motion.a[:], motion.root[:] = before.q, before.v, before.a, before.root
    stand(parts, packs, motion, scratch)


@njit(cache=True, nogil=True)
def _keep_flight(parts, packs, motion, scratch, sums, flight, force, torque, dt):
    """Keep the momentum of a free tree; whether it could be.

    Args:
        force, torque: from outside, about the centre of mass, summed where the frames stood when loads were gathered.
    """
    compose(parts, packs, motion, scratch, sums)
    advance(flight[0], flight[1], force, torque, sums.inertia[0], dt)
    if not keep_momentum(sums, motion.root, flight[1]) or not np.isfinite(motion.root).all():
        return False
    take(flight[1], flight[0])
    show_root(motion.root, scratch.frames)
    place_all(packs, scratch.relative, scratch.frames, scratch.workspace)
    return True


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
    fill_lanes(packs, motion)
    show_root(motion.root, scratch.frames)
    relate_all(packs, motion.q, motion.v, motion.a, scratch.workspace, scratch.relative, scratch.jacobian, True)
    place_all(packs, scratch.relative, scratch.frames, scratch.workspace)


@njit(cache=True, nogil=True)
def _jets(parts, packs, motion, scratch):
    evaluate_jets(parts, packs, motion.q, scratch.pairs, scratch.hessian, scratch.K, scratch.f, scratch.W)


@njit(cache=True, nogil=True)
def stand(parts, packs, motion, scratch):
    """Frames, forces and energies of (q, v) as they are."""
    _settle(packs, motion, scratch)
    _jets(parts, packs, motion, scratch)


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
