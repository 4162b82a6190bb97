"""An implicit Newmark step of one reduced part to convergence, halved where Newton or the energy fails (sheet 6).

A d = load + G^T (f + df) - f(q) - M a - C v,    G (a + a1 d) = wanted,    A = a1 M + a4 C + K + beta dK[v+]

Where hands hold vertices, Newton finds coordinates and their forces at once. The constraints are linear, so each
iteration meets them; the residual then converges as without them.

Where K damps, the last term makes Newton quadratic; it is symmetric, and taken where it is slow. Where rates of strain
are damped, D v is of the moment in every residual, and D in A mostly that of the first guess: a product with a vector
costs a fifth of a matrix.

Where K is dear and kept (`Force.shared`) it is made anew once a step, for the third force, where the first two
corrections lead: q + dt v holds the ringing of stiff vectors, and K there is no better than that of the step before.
The other iterations mix what the ones before them did (`systems/mixing.py`). Under a hand K is made anew each time.
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import DTypeLike

from pliant.errors import Array, Ids
from pliant.numerics.inner import inner
from pliant.numerics.merging import merged
from pliant.numerics.opaque import call
from pliant.numerics.small_spd import eliminate, solve_eight, substitute, substitute_again
from pliant.reduced.force import pitch_of, slab
from pliant.systems.arrival import over_allowed, worst_rounding
from pliant.systems.clamped.guard import FELT, copy_row, excessive, kinetic, mean_work
from pliant.systems.clamped.newmark import SHIFTS
from pliant.systems.constraints import add_constraint_forces, apply_change, find_change, meets, want
from pliant.systems.mixing import Mixing, mix_corrections, mixing_workspace
from pliant.systems.newmark import BETA, GAMMA
from pliant.systems.strain_points import fill_damping, find_damping_force

HALVINGS = 8
SLOW = 0.05  # of the residual before: without dK[v+], which costs two jets, Newton mostly goes faster than that
RENEWED, JUDGED = 2, 6  # the iteration that makes a kept K anew, as later ones do where those that are left will not do
MORE = 6  # iterations with a kept K are cheaper than another K, and may be so many more
PROBE = 1e-3  # how far along v the stiffness is compared, relative to q; any size is exact for cubic forces


class Trial(NamedTuple):
    """A step that may fail: new state, residual, a probe along v+ (pitch,), jets on both sides, state and load before.

    renew: (1,) the wish for a K of the moment. mixing: of iterations with a kept K, else without rows.
    """

    z: Array
    v: Array
    a: Array
    residual: Array
    probe: Array
    ahead: Array
    behind: Array
    start: Array
    renew: Ids
    mixing: Mixing


def trial_workspace(n: int, dtype: DTypeLike, renew: Ids, lasting: bool) -> Trial:
    """Room for n = r + 1; `lasting`: whether K is kept until `renew` wishes for another."""
    pitch = pitch_of(n)
    z, v, a, residual, probe, ahead, behind = slab([pitch] * 5 + [n * pitch] * 2, dtype)
    mixing = mixing_workspace(n - 1 if lasting else 0)
    return Trial(z, v, a, residual, probe, ahead, behind, np.zeros((4, pitch), dtype), renew, mixing)


@merged
def converged_step(law, load, settings, newton, z, v, a, work, trial, constraints, held, block, guard):
    """A step of at most `newton` iterations. Returns whether it was taken, or all is as before; and the residual.

    It is halved where it does not converge, and where it gains energy beyond its work: under large strains the
    trapezoidal rule has solutions that do.

    Args:
        load: external force (pitch,) but for that of hands.
        settings: dt, alpha, beta, tolerance, limit, what explicit steps take off their energy.
        work: `Workspace`.
        trial: `Trial`.
        constraints: of hands, or none.
        held: (2, c) room for their forces. block: (8 pitch,) room for right-hand sides.
        guard: `Guard`.
    """
    dt, residual, energy, forces = settings[0], settings[3] - settings[3], guard.energy, constraints.forces
    done, h, before, felt, total = dt - dt, dt, energy[0], trial.start[3], trial.probe
    copy_state(z, v, a, trial.start[0], trial.start[1], trial.start[2])
    copy_row(guard.now[FELT], felt)
    copy_row(forces, held[0])
    while done < dt * (1 - 1e-6):
        part, last = min(h, dt - done), h <= dt / 2**HALVINGS
        copy_row(forces, held[1])
        residual = _newmark(law, load, settings, newton, part, z, v, a, work, trial, constraints, block)
        after = work.jet[0] + kinetic(work.mass, trial.v)
        if residual <= 1 and (last or not excessive(guard, energy[0], after, mean_work(felt, total, z, trial.z))):
            done += part
            energy[0] = after
            copy_row(total, felt)
            copy_state(trial.z, trial.v, trial.a, z, v, a)
        elif last:
            copy_state(trial.start[0], trial.start[1], trial.start[2], z, v, a)
            copy_row(held[0], forces)
            energy[0] = before
            return False, residual
        else:
            copy_row(held[1], forces)
            trial.renew[0] = 1
            h = h / 2
    return True, residual


@inner
def copy_state(z, v, a, z_to, v_to, a_to):
    """z_to, v_to, a_to = z, v, a."""
    for i in range(len(z)):
        z_to[i], v_to[i], a_to[i] = z[i], v[i], a[i]


@merged
def _newmark(law, load, settings, newton, h, z, v, a, work, trial, constraints, block):
    """One step into `trial`, and all of its load into its probe; returns the residual over what is allowed: at most 1
    is a solution."""
    G, rest, targets, rates, limits, forces, (wanted, change, Y, T) = constraints
    alpha, beta, n, total = settings[1], settings[2], len(work.mass) // len(z), trial.probe
    a1, a4 = 1 / (BETA * h * h), GAMMA / (BETA * h)
    mass_factor, damping_factor = a1 + a4 * alpha, a4 * beta
    held = len(G) > 0
    lasting = not held and len(trial.mixing.q) > 0
    if held:
        want(G, rest, targets, rates, wanted, h, z, v, a)
    for i in range(len(z)):
        trial.z[i] = z[i] + h * v[i]
    newton += MORE if lasting else 0
    residual, size, previous, stiffness = np.inf, np.inf, np.inf, -1.0
    for iteration in range(newton + 1):
        update_rates(h, z, v, a, trial)
        wish_for_stiffness(trial.renew, newton, iteration, residual, size, previous)
        call(law, trial.z, work.jet)
        strain = len(work.points.shear) > 0
        if strain:
            find_damping_force(work.points, 0, n - 1, trial.z, trial.v, work.viscous)
        copy_row(load, total)
        add_constraint_forces(G, forces, total)
        previous, known = size, stiffness
        factors = (alpha, beta, mass_factor, damping_factor)
        parts = (work.jet, work.damping, work.viscous, work.mass)
        size, allowed, stiffness = residual_of(*parts, strain, total, *factors, settings[3], trial)
        residual = over_allowed(size, previous, iteration == newton, allowed, worst_rounding(stiffness, settings[4]))
        # The first guess meets the constraints only where nothing moves.
        met = not held or iteration > 0 or meets(G, wanted, trial.a)
        if (met and residual <= 1) or iteration == newton or not math.isfinite(residual):
            break
        kept = lasting and stiffness == known
        if kept:
            substitute_again(work.matrix, n, work.inverse, trial.residual, work.change)
        else:
            if beta > 0:
                begins = known >= 0 if lasting else iteration == 0
                renew_damping(law, beta / (1 + damping_factor), begins, size > SLOW * previous, work, trial)
            if not solve_shifted(work, trial.residual, damping_factor, mass_factor):
                return np.inf
        if held:
            answer(G, Y, work.matrix, n, work.inverse, block)
            for i in range(len(z)):
                trial.probe[i] = trial.a[i] + a1 * work.change[i] if i > 0 else 0
            find_change(G, wanted, forces, change, Y, T, limits, settings.dtype.type(a1), trial.probe)
        elif lasting:
            mix_correction(trial, not kept, work.change)
        for i in range(1, len(z)):
            trial.z[i] += work.change[i]
        if held:
            apply_change(Y, change, settings.dtype.type(1), trial.z)
    return residual if residual > 1 or norm(trial.z) < settings[4] else np.inf


@inner
def answer(G, Y, matrix, n, inverse, block):
    """Y = G A^-1, eight rows at a time."""
    for first in range(0, len(G), 8):
        count = min(8, len(G) - first)
        for j in range(1, n):
            for row in range(count):
                block[8 * j + row] = G[first + row, j]
        solve_eight(matrix, n, inverse, block)
        for j in range(1, n):
            for row in range(count):
                Y[first + row, j] = block[8 * j + row]


@inner
def wish_for_stiffness(renew, newton, iteration, residual, size, previous):
    """Before an iteration, given the last residual over what is allowed, its size, and that of the one before."""
    if iteration == RENEWED:
        renew[0] = 1
    elif iteration > JUDGED:
        renew[0] |= previous == 0 or residual * (size / previous) ** (newton - iteration) > 1


@inner
def mix_correction(trial, begins, change):
    """By those of the iterations before, which had the same K."""
    r = len(trial.mixing.q)
    mix_corrections(trial.mixing, 0, begins, trial.z[1 : r + 1], trial.residual[1 : r + 1], change[1 : r + 1])


@inner
def update_rates(h, z, v, a, trial):
    """v+ = a4 (q+ - q) + a5 v + a6 a,  a+ = a1 (q+ - q) - a2 v - a3 a."""
    a1, a2, a3 = 1 / (BETA * h * h), 1 / (BETA * h), (1 - 2 * BETA) / (2 * BETA)
    a4, a5, a6 = GAMMA / (BETA * h), 1 - GAMMA / BETA, (1 - GAMMA / (2 * BETA)) * h
    for i in range(1, len(z)):
        d = trial.z[i] - z[i]
        trial.v[i] = a4 * d + a5 * v[i] + a6 * a[i]
        trial.a[i] = a1 * d - a2 * v[i] - a3 * a[i]


@inner
def norm(x):
    """Of the lanes after the first."""
    square = 0.0
    for i in range(1, len(x)):
        square += x[i] * x[i]
    return math.sqrt(square)


@inner
def residual_of(jet, damping, damped, mass, strain, load, alpha, beta, mass_factor, damping_factor, tolerance, trial):
    """load - f - M (a + alpha v) - beta D v into trial.residual; returns its norm, the allowed one, |diag(K)|.

    Args:
        damped: D v, where rates of `strain` are damped; else `damping`, rows of D, is multiplied by v.
    """
    pitch, r = len(load), trial.residual
    n = len(jet) // pitch
    loads, forces, inertias, dampers, roundings, stiffness = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    for j in range(1, n):
        inertia, viscous = load[j] - load[j], load[j] - load[j]
        for i in range(1, n):
            at = j * pitch + i if i <= j else i * pitch + j
            twice = 2 if i == j else 1
            inertia += twice * mass[at] * (trial.a[i] + alpha * trial.v[i])
            viscous += twice * beta * damping[at] * trial.v[i]
        if strain:
            viscous = beta * damped[j]
        r[j] = load[j] - jet[j * pitch] - inertia - viscous
        at = j * pitch + j
        diagonal = 2 * (jet[at] + damping_factor * damping[at] + mass_factor * mass[at])
        loads, forces = loads + load[j] ** 2, forces + jet[j * pitch] ** 2
        inertias, dampers = inertias + inertia**2, dampers + viscous**2
        roundings += (diagonal * trial.z[j]) ** 2
        stiffness += (2 * jet[j * pitch + j]) ** 2
    # What rounding of q alone leaves cannot be improved on.
    rounding = 8 * np.finfo(load.dtype).eps * math.sqrt(roundings)
    allowed = max(tolerance * math.sqrt(max(loads, forces, inertias, dampers)), rounding)
    return norm(r), allowed, math.sqrt(stiffness)


@merged
def renew_damping(law, factor, begins, slow, work, trial):
    """What damps in Newton's matrix: D at the first guess, and of the moment where it is slow; or dK[v+] where K damps.

    Only the path depends on it.
    """
    if len(work.points.shear):
        if begins or slow:
            fill_damping(work.points, 0, len(work.mass) // len(trial.z) - 1, trial.z, work.damping)
    elif slow:
        _add_rate(law, factor, work, trial)


@inner
def _add_rate(law, factor, work, trial):
    """K += factor dK[v+] by a central difference along v+."""
    speed = norm(trial.v)
    if speed == 0:
        return
    step = PROBE * max(norm(trial.z), 1e-6) / speed
    for i in range(len(trial.z)):
        trial.probe[i] = trial.z[i] + step * trial.v[i]
    call(law, trial.probe, trial.ahead)
    for i in range(len(trial.z)):
        trial.probe[i] = trial.z[i] - step * trial.v[i]
    call(law, trial.probe, trial.behind)
    for k in range(len(work.jet)):
        work.jet[k] += factor / (2 * step) * (trial.ahead[k] - trial.behind[k])


@inner
def solve_shifted(work, right, damping_factor, mass_factor):
    """(K + damping_factor D + mass_factor M) change = right, with more inertia until definite; False: none helps."""
    pitch, mass = len(right), work.mass
    n = len(mass) // pitch
    for _ in range(SHIFTS):
        for k in range(len(mass)):
            work.matrix[k] = work.jet[k] + damping_factor * work.damping[k] + mass_factor * mass[k]
        for j in range(1, n):
            work.matrix[j * pitch + j] *= 2
            work.matrix[j * pitch] = right[j]
        if eliminate(work.matrix, n, work.inverse):
            substitute(work.matrix, n, work.inverse, work.change)
            return True
        mass_factor = max(4 * mass_factor, _curvature_per_mass(work.jet, mass, n, pitch))
    return False


@inner
def _curvature_per_mass(jet, mass, n, pitch):
    """A small share of the mean diagonal of K over that of M: where to start when there is no inertia yet."""
    K, M = 0.0, 0.0
    for j in range(1, n):
        K += abs(jet[j * pitch + j])
        M += mass[j * pitch + j]
    return 1e-3 * K / M
