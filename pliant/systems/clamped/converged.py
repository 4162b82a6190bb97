"""Implicit Newmark steps of one reduced part to convergence, halved where Newton or the energy fails (sheet section 6).

A = a1 M + a4 C + K + beta dK[v+]

Where K damps, the last term makes Newton quadratic; it is symmetric, and taken where it is slow. Where rates of strain
are damped, D v is of the moment in every residual, and D in A mostly that of the first guess: a product with a vector
costs a fifth of a matrix.

Where K is dear and kept (`Force.shared`) it is made anew once a step, for the third force, where the first two
corrections lead: q + dt v holds the ringing of stiff vectors, and K there is no better than that of the step before.
The other iterations mix what the ones before them did (`systems/mixing.py`).
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import DTypeLike

from pliant.errors import Array, Ids
from pliant.numerics.inner import inner
from pliant.numerics.merging import merged
from pliant.numerics.opaque import call
from pliant.numerics.small_spd import eliminate, substitute, substitute_again
from pliant.reduced.force import pitch_of, slab
from pliant.systems.arrival import over_allowed, worst_rounding
from pliant.systems.clamped.guard import (
    CHECKED,
    FELT,
    SINCE,
    copy_row,
    excessive,
    gamma_of,
    kinetic,
    mean_work,
    passes,
    stray,
)
from pliant.systems.clamped.newmark import SHIFTS
from pliant.systems.energy_watch import add_supply
from pliant.systems.mixing import Mixing, mix_corrections, mixing_workspace
from pliant.systems.newmark import beta_of
from pliant.systems.overshoot import share_of
from pliant.systems.strain_points import fill_damping, find_damping_force

HALVINGS = 8
SLOW = 0.05  # of the residual before: without dK[v+], which costs two jets, Newton mostly goes faster than that
RENEWED, JUDGED = 2, 6  # the iteration that makes a kept K anew, and the one from which slow ones do so as well
PATIENCE = 10  # iterations that may be left at the pace of now: about as many take as long as another K
MORE = 6  # iterations with a kept K are cheaper than another K, and may be so many more
PROBE = 1e-3  # how far along v the stiffness is compared, relative to q; any size is exact for cubic forces


class Trial(NamedTuple):
    """A step that may fail: new state, residual, a probe along v+ (pitch,), jets on both sides, the state before.

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
    return Trial(z, v, a, residual, probe, ahead, behind, np.zeros((3, pitch), dtype), renew, mixing)


@inner
def converged_steps(law, load, settings, newton, z, v, a, work, trial, guard, count):
    """`count` steps of at most `newton` iterations each. Returns how many were taken, and the last residual.

    A step is halved where it does not converge, and where it gains energy beyond its work: under large strains the
    trapezoidal rule has solutions that do.

    Args:
        load: external force (pitch,).
        settings: dt, alpha, beta, tolerance, limit, what explicit steps take off their energy.
        work: `Workspace`.
        trial: `Trial`.
        guard: `Guard`.
    """
    dt, residual, energy, counts = settings[0], settings[3] - settings[3], guard.energy, guard.counts
    felt = guard.now[FELT]
    for step in range(count):
        done, h, before, gamma = dt - dt, dt, energy[0], gamma_of(guard)
        copy_state(z, v, a, trial.start[0], trial.start[1], trial.start[2])
        while done < dt * (1 - 1e-6):
            part, last = min(h, dt - done), h <= dt / 2**HALVINGS
            residual = _newmark(law, load, settings, newton, part, gamma, z, v, a, work, trial)
            after = work.jet[0] + kinetic(work.mass, trial.v)
            if residual <= 1 and (last or not excessive(guard, energy[0], after, mean_work(felt, load, z, trial.z))):
                done += part
                energy[0] = after
                copy_state(trial.z, trial.v, trial.a, z, v, a)
            elif last:
                copy_state(trial.start[0], trial.start[1], trial.start[2], z, v, a)
                energy[0] = before
                return step, residual
            else:
                trial.renew[0] = 1
                h = h / 2
        add_supply(guard.ledger, mean_work(felt, load, trial.start[0], z))
        copy_row(load, felt)
        stray(guard.reach, z, counts)
        counts[SINCE] += 1
        if counts[SINCE] >= CHECKED and not passes(guard, energy[0], z, v, a):
            return step + 1 - counts[SINCE], residual
    return count, residual


@inner
def copy_state(z, v, a, z_to, v_to, a_to):
    """z_to, v_to, a_to = z, v, a."""
    for i in range(len(z)):
        z_to[i], v_to[i], a_to[i] = z[i], v[i], a[i]


@merged
def _newmark(law, load, settings, newton, h, gamma, z, v, a, work, trial):
    """One step into `trial`; returns the residual over what is allowed: at most 1 is a solution."""
    alpha, beta = settings[1], settings[2]
    lead = beta_of(gamma)
    a1, a4 = 1 / (lead * h * h), gamma / (lead * h)
    mass_factor, damping_factor = a1 + a4 * alpha, a4 * beta
    for i in range(len(z)):
        trial.z[i] = z[i] + h * v[i]
    newton += MORE if len(trial.mixing.q) > 0 else 0
    residual, size, previous, factored, slope = np.inf, np.inf, np.inf, -1.0, 0.0
    for iteration in range(newton + 1):
        update_rates(h, gamma, z, v, a, trial)
        wish_for_stiffness(trial.renew, newton, iteration, residual, size, previous)
        call(law, trial.z, work.jet)
        strain = len(work.points.shear) > 0
        if strain:
            find_damping_force(work.points, 0, len(work.mass) // len(z) - 1, trial.z, trial.v, work.viscous)
        previous, factors = size, (alpha, beta, mass_factor, damping_factor)
        parts = (work.jet, work.damping, work.viscous, work.mass)
        size, allowed, stiffness = residual_of(*parts, strain, load, *factors, settings[3], trial)
        residual = over_allowed(size, previous, iteration == newton, allowed, worst_rounding(stiffness, settings[4]))
        if residual <= 1 or iteration == newton or not math.isfinite(residual):
            break
        share = share_of(slope, _along(trial.residual, work.change)) if iteration > 0 else 1.0
        if share < 1:
            _go_back(1 - share, trial.z, work.change)
            slope *= share
            continue
        lasting = len(trial.mixing.q) > 0
        kept = lasting and stiffness == factored
        if kept:
            substitute_again(work.matrix, len(work.mass) // len(z), work.inverse, trial.residual, work.change)
        else:
            if beta > 0:
                begins = factored >= 0 if lasting else iteration == 0
                renew_damping(law, beta / (1 + damping_factor), begins, size > SLOW * previous, work, trial)
            if not solve_shifted(work, trial.residual, damping_factor, mass_factor):
                return np.inf
        _mix(trial, not kept, work.change)
        factored, slope = stiffness, _along(trial.residual, work.change)
        if slope <= 0 and lasting:
            substitute_again(work.matrix, len(work.mass) // len(z), work.inverse, trial.residual, work.change)
            slope = _along(trial.residual, work.change)
        for i in range(1, len(z)):
            trial.z[i] += work.change[i]
    return residual if norm(trial.z) < settings[4] else np.inf


@inner
def _along(residual, change):
    """r . d."""
    slope = 0.0
    for i in range(1, len(change)):
        slope += residual[i] * change[i]
    return slope


@inner
def _go_back(share, z, change):
    """By so much of the last correction."""
    for i in range(1, len(z)):
        z[i] -= share * change[i]
        change[i] *= 1 - share


@inner
def wish_for_stiffness(renew, newton, iteration, residual, size, previous):
    """Before an iteration, given the last residual over what is allowed, its size, and that of the one before."""
    if iteration == RENEWED:
        renew[0] = 1
    elif iteration > JUDGED:
        left = min(PATIENCE, newton - iteration)
        renew[0] |= previous == 0 or residual * (size / previous) ** left > 1


@inner
def _mix(trial, begins, change):
    r = len(trial.mixing.q)
    if r > 0:
        mix_corrections(trial.mixing, 0, begins, trial.z[1 : r + 1], trial.residual[1 : r + 1], change[1 : r + 1])


@inner
def update_rates(h, gamma, z, v, a, trial):
    """v+ = a4 (q+ - q) + a5 v + a6 a,  a+ = a1 (q+ - q) - a2 v - a3 a."""
    lead = beta_of(gamma)
    a1, a2, a3 = 1 / (lead * h * h), 1 / (lead * h), (1 - 2 * lead) / (2 * lead)
    a4, a5, a6 = gamma / (lead * h), 1 - gamma / lead, (1 - gamma / (2 * lead)) * h
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
