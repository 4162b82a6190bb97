"""Bodies through a step in which nothing touches them: the implicit midpoint rule, or [MC15] Eq. 35.

Every body has (maths sheet momentum 3, E12), with th = 1/2, and geometry, fictitious forces and spin at the middle,

    Mt (q'+ - q') / dt = c + d + S^T f - G^T I^-1 b_w - f(q_th) - C q'_th,   q_th = q + th (q+ - q),   q+ = q + dt q'_th
    v+ = v + dt (F/m + g),   L+ = L + dt torque,   Q+ = exp(dt spin) Q,   spin = R I^-1 (R^T L - G q'_th)

solved by quasi-Newton steps with the matrix A = Mt + th dt C + th^2 dt^2 K at the start of the step, until they change
nothing. L is kept to rounding by any rule; energy is not: Eq. 35, all geometry at the start and th = 1, gains it at
large steps. Bodies that are touched take th = 3/4, and what moves them is then their velocity at the end of the step;
those that are fast as well take th = 1, since only then q+ - q is what the contact was promised, dt q'+: a body that
hits the ground would else sink in by dt/4 of what its shape gives way.
"""

from typing import NamedTuple

import numpy as np

from pliant.errors import Array
from pliant.numerics import quaternion_turn_into, rotation_from_quaternion_into
from pliant.numerics.counting import borrowing, borrowing_inlined, quick_borrowing_inlined
from pliant.numerics.opaque import call_at
from pliant.numerics.simd16 import WIDTH
from pliant.numerics.spd_inverse import invert_spd, times_inverse
from pliant.systems.world.shaping import (
    fictitious,
    shape_at,
    spin_in_axes,
    to_axes,
    to_world,
    turn_tensor,
)
from pliant.systems.world.tables import FREE, HELD, SYSTEM, BodyTable, Shape, shape_space

MIDPOINT, EULER = range(2)
SWEEPS, FRESH = 60, 12  # iterations of a step, and those after which the matrix is made anew
CLOSE = 1e-11  # of what a step changes: a last change that is rounding
ROUNDING = 1e-13  # of coordinates, and [rad]: a way that nothing sees
NEAR = 1e5  # times both of a body that is touched, whose flight is a guess anyway
IN_FLIGHT, TOUCHED, STRUCK = 0.5, 0.75, 1.0  # theta


class Acting(NamedTuple):
    """What acts on bodies in a step: force (b, 3) [N] without weight, torque (b, 3) about t [N m], load on q, flat;
    pushed: what of the load was given as such; gravity (3,) [m/s^2]."""

    force: Array
    torque: Array
    load: Array
    pushed: Array
    gravity: Array


class Motion(NamedTuple):
    """Where a step leads: y (v, w, q') of all bodies, with w for the inertia at the start of the step; L, spin (b, 3)
    angular momentum and mean spin of the frame; theta (b,); touched (b,); gained: what flight added to q' in the last
    step, flat, which the next one guesses again."""

    y: Array
    L: Array
    spin: Array
    theta: Array
    touched: Array
    gained: Array


def motion_of(table: BodyTable) -> Motion:
    """Work space."""
    b = len(table.model)
    y, gained = np.zeros(table.first_y[-1]), np.zeros(table.first[-1])
    return Motion(y, np.zeros((b, 3)), np.zeros((b, 3)), np.zeros(b), np.zeros(b, np.uint8), gained)


class FlightSpace(NamedTuple):
    """Work space for one body at a time, of up to r coordinates."""

    shape: Shape
    R: Array
    Q: Array
    A: Array
    inverse: Array
    change: Array
    qd: Array
    mean: Array
    q: Array
    rhs: Array
    Lo: Array
    o: Array
    torque: Array
    spin: Array


def flight_space(r: int) -> FlightSpace:
    """For bodies of up to r coordinates."""
    vectors = [np.zeros(r) for _ in range(4)]
    triples = [np.zeros(3) for _ in range(4)]
    lanes = (r + WIDTH - 1) // WIDTH * WIDTH
    matrices = np.zeros(r * r), np.zeros(r * lanes)
    return FlightSpace(shape_space(r), np.zeros((3, 3)), np.zeros(4), *matrices, np.zeros(lanes), *vectors, *triples)


@borrowing_inlined
def law_at(models, model, q):
    """W, f and K of a model at q (r,), into its jet."""
    at, pitch, r = models.first_z[model], models.pitch[model], models.size[model]
    z = models.z[at : at + pitch]
    z[0] = 1.0
    for k in range(r):
        z[k + 1] = q[k]
    jet = models.jet[models.first_jet[model] : models.first_jet[model] + (r + 1) * pitch]
    call_at(models.entry[model], models.record[model], z, jet)


@borrowing
def _step_matrix(models, model, Mt, alpha, beta, theta, dt, A, at, inverse):
    """A = Mt + th dt (alpha M + beta K0) + th^2 dt^2 K (r r,), and A^-1 into `inverse` from `at` on; is there one?

    K is that of the law's last place; where a body is crushed it may have negative eigenvalues, and then that at rest
    stands in: A only says how steps look for their solution, and what contacts feel.
    """
    if _invert(models, model, Mt, alpha, beta, theta, dt, False, A, at, inverse):
        return True
    return _invert(models, model, Mt, alpha, beta, theta, dt, True, A, at, inverse)


@borrowing
def _invert(models, model, Mt, alpha, beta, theta, dt, at_rest, A, at, inverse):
    r, pitch = models.size[model], models.pitch[model]
    jet, first = models.first_jet[model], models.first_M[model]
    a, b, c = theta * dt * alpha, theta * dt * beta, theta * theta * dt * dt
    for k in range(r):
        for l in range(k + 1):
            rest = models.K[first + k * r + l]
            K = rest if at_rest else models.jet[jet + (k + 1) * pitch + l + 1] * (2.0 if l == k else 1.0)
            A[k * r + l] = A[l * r + k] = Mt[k * r + l] + a * models.M[first + k * r + l] + b * rest + c * K
    return invert_spd(A[: r * r].reshape((r, r)), r, at, inverse)


@borrowing
def arrange(models, table, state, geometry, theta, dt, space):
    """Geometry of all bodies at the start of a step; the first whose matrix is not positive definite, or -1."""
    for b in range(len(table.model)):
        model, kind, first, at = table.model[b], table.kind[b], table.first[b], table.first_A[b]
        r = models.size[model]
        rotation_from_quaternion_into(geometry.R[b], state.Q[b])
        geometry.mass[b] = models.mass[model]
        if kind > HELD:
            continue
        q = state.q[first : first + r]
        if kind == FREE:
            shape_at(models, model, q, space.shape, True)
            geometry.light[b] = 1 / models.mass[model]
            turn_tensor(geometry.R[b], space.shape.I, geometry.I[b])
            turn_tensor(geometry.R[b], space.shape.inverse, geometry.inverse[b])
            for i in range(3 * r):
                geometry.IG[3 * first + i] = space.shape.IG[i]
        else:
            for i in range(r * r):
                space.shape.Mt[i] = models.M[models.first_M[model] + i]
        if r > 0:
            law_at(models, model, q)
            alpha, beta = table.alpha[b], table.beta[b]
            A, inverse = space.A, geometry.A
            if not _step_matrix(models, model, space.shape.Mt, alpha, beta, theta[b], dt, A, at, inverse):
                return b
    return -1


@borrowing
def fly(models, table, state, geometry, acting, motion, rule, dt, space):
    """Velocities at the end of the step into `motion`; the first body that finds none, or -1."""
    for b in range(len(table.model)):
        if table.kind[b] == SYSTEM:
            continue
        y = motion.y[table.first_y[b] : table.first_y[b + 1]]
        for i in range(3):
            motion.L[b, i] = state.L[b, i]
            y[i] = state.v[b, i]
            y[3 + i] = motion.spin[b, i] if table.kind[b] > HELD else 0.0
        if table.kind[b] > HELD:
            continue
        if table.kind[b] == FREE:
            for i in range(3):
                y[i] += dt * (acting.force[b, i] * geometry.light[b] + acting.gravity[i])
                motion.L[b, i] += dt * acting.torque[b, i]
            to_world(geometry.inverse[b], motion.L[b], y[3:6])
        found = _deform(models, table, state, geometry, acting, motion, b, rule, dt, space)
        if not found:
            return b
        r, first = models.size[table.model[b]], table.first[b]
        for k in range(r):
            y[6 + k] = space.qd[k]
            motion.gained[first + k] = space.qd[k] - state.qd[first + k]
    return -1


@borrowing_inlined
def _deform(models, table, state, geometry, acting, motion, b, rule, dt, space):
    """q' at the end of a step into space.qd, and the mean spin of the frame; whether there is one."""
    model, first, at, theta = table.model[b], table.first[b], table.first_A[b], motion.theta[b]
    r, free = models.size[model], table.kind[b] == FREE
    qd0, gained = state.qd[first : first + r], motion.gained[first : first + r]
    A, qd, change, scale, turned = geometry.A, space.qd, space.change, 0.0, 0.0
    loose = NEAR if motion.touched[b] else 1.0
    small, close, unseen = 0.0, loose * CLOSE, loose * ROUNDING
    for k in range(r):
        guess = 0.0 if rule == EULER else gained[k]
        qd[k] = qd0[k] + guess
        scale = max(scale, abs(qd0[k]), abs(guess))
        small = max(small, unseen * abs(state.q[first + k]))
    for i in range(3):
        turned = max(turned, abs(motion.spin[b, i]))
    if rule == EULER:
        _residual(models, table, state, geometry, acting, motion, b, rule, dt, space)
        times_inverse(A, at, r, space.rhs, change)
        for k in range(r):
            qd[k] -= change[k]
        return True
    for sweep in range(SWEEPS):
        shift = _residual(models, table, state, geometry, acting, motion, b, rule, dt, space)
        if sweep > 0 and sweep % FRESH == 0 and r > 0:
            alpha, beta = table.alpha[b], table.beta[b]
            A, at = space.inverse, 0
            if not _step_matrix(models, model, space.shape.Mt, alpha, beta, theta, dt, space.A, at, A):
                return False
        times_inverse(A, at, r, space.rhs, change)
        most = 0.0
        for k in range(r):
            qd[k] -= change[k]
            most = max(most, abs(change[k]))
            if not abs(change[k]) < np.inf:
                return False
        if sweep == 0:
            scale, turned = max(scale, most), max(turned, shift)
        still = most <= close * scale or dt * most <= small
        if still and (shift <= close * turned or dt * shift <= unseen or not free):
            return True
    return False


@quick_borrowing_inlined
def _residual(models, table, state, geometry, acting, motion, b, rule, dt, space):
    """Mt (q'+ - q') - dt (forces) at the present space.qd into space.rhs; how far the mean spin has shifted."""
    model, first, theta = table.model[b], table.first[b], motion.theta[b]
    r, free, shift = models.size[model], table.kind[b] == FREE, 0.0
    q0, qd0 = state.q[first : first + r], state.qd[first : first + r]
    qd, mean, q, rhs, shape = space.qd, space.mean, space.q, space.rhs, space.shape
    middle = 0.0 if rule == EULER else 0.5
    for k in range(r):
        mean[k] = qd0[k] if rule == EULER else theta * qd[k] + (1 - theta) * qd0[k]
        q[k] = q0[k] + middle * dt * mean[k]
        rhs[k] = 0.0
    if free:
        shape_at(models, model, q, shape, True)
        shift = _turn(state, motion, b, middle * dt, dt, acting, r, space)
        to_axes(space.R, acting.torque[b], space.torque)
        fictitious(models, model, shape, space.o, space.Lo, space.torque, mean, rhs)
    else:
        for i in range(r * r):
            shape.Mt[i] = models.M[models.first_M[model] + i]
        to_axes(geometry.R[b], acting.gravity, space.o)
        for k in range(r):
            at, total = models.first_N[model] + 3 * k, 0.0
            for i in range(3):
                total += models.N[at + i] * space.o[i]
            rhs[k] = total
    if r == 0:
        return shift
    for k in range(r):
        q[k] = q0[k] + (0.0 if rule == EULER else theta * dt * mean[k])
        rhs[k] += acting.load[first + k]
    law_at(models, model, q)
    jet, pitch, at, alpha, beta = models.first_jet[model], models.pitch[model], models.first_M[model], 0.0, 0.0
    alpha, beta = table.alpha[b], table.beta[b]
    for k in range(r):
        total, M, K = 0.0, models.M[at + k * r : at + (k + 1) * r], models.K[at + k * r : at + (k + 1) * r]
        for l in range(r):
            total += (alpha * M[l] + beta * K[l]) * mean[l]
        rhs[k] = dt * (models.jet[jet + (k + 1) * pitch] + total - rhs[k])
    if rule == EULER:
        # Stiffness acts on what q' does within the step as well: A (q'+ - q') = dt (forces - dt K q').
        for k in range(r):
            total = 0.0
            for l in range(r):
                low, high = max(k, l), min(k, l)
                K = models.jet[jet + (low + 1) * pitch + high + 1] * (2.0 if k == l else 1.0)
                total += K * qd0[l]
            rhs[k] += dt * dt * total
        return shift
    for k in range(r):
        total, M = 0.0, shape.Mt[k * r : (k + 1) * r]
        for l in range(r):
            total += M[l] * (qd[l] - qd0[l])
        rhs[k] += total
    return shift


@borrowing_inlined
def _turn(state, motion, b, ahead, dt, acting, r, space):
    """Axes a time `ahead` of the start by the present spin, the spin there, and how far it has shifted.

    Angular momentum is that of the middle of the step, or, of a touched body, that of its end.
    """
    spin, shift = space.spin, 0.0
    for i in range(3):
        spin[i] = ahead * motion.spin[b, i]
    _turned(space, spin, state.Q[b])
    for i in range(3):
        middle = 0.5 * dt * acting.torque[b, i] if motion.touched[b] == 0 and ahead > 0 else 0.0
        spin[i] = motion.L[b, i] - middle
    to_axes(space.R, spin, space.Lo)
    spin_in_axes(space.shape, r, space.Lo, space.mean, space.o)
    to_world(space.R, space.o, spin)
    for i in range(3):
        shift = max(shift, abs(spin[i] - motion.spin[b, i]))
        motion.spin[b, i] = spin[i]
    return shift


@borrowing_inlined
def _turned(space, vector, Q):
    """space.R = exp(vector) R(Q)."""
    for i in range(4):
        space.Q[i] = Q[i]
    quaternion_turn_into(space.Q, vector)
    rotation_from_quaternion_into(space.R, space.Q)


@borrowing
def move(models, table, state, geometry, acting, motion, rule, dt, space):
    """All bodies to the end of a step, as `move_body`; the first that finds no spin, or -1."""
    for b in range(len(table.model)):
        moves = table.kind[b] <= HELD
        if moves and not move_body(models, table, state, state, geometry, acting, motion, b, rule, dt, space):
            return b
    return -1


@borrowing
def move_body(models, table, state, after, geometry, acting, motion, b, rule, dt, space):
    """A body at the end of a step with the velocities of `motion`, which contacts may have changed, into `after`."""
    first, theta, r = table.first[b], motion.theta[b], models.size[table.model[b]]
    y = motion.y[table.first_y[b] : table.first_y[b + 1]]
    for k in range(r):
        space.mean[k] = theta * y[6 + k] + (1 - theta) * state.qd[first + k]
    found = True
    if table.kind[b] == FREE:
        found = _place(models, table, state, after, geometry, acting, motion, b, rule, dt, y, space)
    for k in range(r):
        after.q[first + k] = state.q[first + k] + dt * (theta * y[6 + k] + (1 - theta) * state.qd[first + k])
        after.qd[first + k] = y[6 + k]
    return found


@borrowing
def _place(models, table, state, after, geometry, acting, motion, b, rule, dt, y, space):
    """t, v, Q and L of a free body into `after`; whether its spin was found."""
    model, first, r = table.model[b], table.first[b], models.size[table.model[b]]
    fell = 0.5 * dt if rule == MIDPOINT and motion.touched[b] == 0 else 0.0
    for i in range(3):
        push = acting.force[b, i] * geometry.light[b] + acting.gravity[i]
        after.v[b, i] = y[i]
        after.t[b, i] = state.t[b, i] + dt * (y[i] - fell * push)
    middle, found = 0.0 if rule == EULER else 0.5, False
    turned = 0.0
    for i in range(3):
        turned = max(turned, abs(motion.spin[b, i]))
    for k in range(r):
        space.q[k] = state.q[first + k] + middle * dt * space.mean[k]
        if rule == EULER:
            space.mean[k] = y[6 + k]
    shape_at(models, model, space.q, space.shape, False)
    for sweep in range(SWEEPS):
        shift = _turn(state, motion, b, middle * dt, dt, acting, r, space)
        turned = max(turned, shift) if sweep == 0 else turned
        if shift <= CLOSE * turned or dt * shift <= ROUNDING or rule == EULER:
            found = True
            break
    for i in range(3):
        space.spin[i] = dt * motion.spin[b, i]
        after.L[b, i] = motion.L[b, i]
    for i in range(4):
        after.Q[b, i] = state.Q[b, i]
    quaternion_turn_into(after.Q[b], space.spin)
    return found
