"""Converged Newmark steps of one reduced part with held vertices: Newton on coordinates and holding forces at once.

    A d = load + G^T (f + df) - f(q) - M a - C v,    G (a + a1 d) = wanted

The constraints are linear, so each iteration meets them; the residual then converges as without them.
"""

import math

import numpy as np

from pliant.numerics.inner import inner
from pliant.numerics.merging import merged
from pliant.numerics.opaque import call
from pliant.numerics.small_spd import solve_eight
from pliant.systems.arrival import over_allowed, worst_rounding
from pliant.systems.clamped.converged import (
    HALVINGS,
    SLOW,
    copy_state,
    norm,
    renew_damping,
    residual_of,
    solve_shifted,
    update_rates,
    wish_for_stiffness,
)
from pliant.systems.clamped.guard import copy_row, excessive, gamma_of, kinetic, work_of
from pliant.systems.constraints import add_constraint_forces, apply_change, find_change, meets, want
from pliant.systems.newmark import beta_of
from pliant.systems.strain_points import find_damping_force


@inner
def held_step(law, load, settings, newton, z, v, a, work, trial, constraints, block, guard):
    """A step, halved where Newton or the energy fails. Returns 1, or 0 and all is as before; and the residual."""
    dt, residual, energy = settings[0], settings[3] - settings[3], guard.energy
    done, h, before, forces, start = dt - dt, dt, energy[0], constraints.forces, constraints.forces.copy()
    gamma = gamma_of(guard)
    copy_state(z, v, a, trial.start[0], trial.start[1], trial.start[2])
    while done < dt * (1 - 1e-6):
        part, last, held = min(h, dt - done), h <= dt / 2**HALVINGS, forces.copy()
        residual = _newmark(law, load, settings, newton, part, gamma, z, v, a, work, trial, constraints, block)
        after = work.jet[0] + kinetic(work.mass, trial.v)
        done_work = work_of(load, z, trial.z) + hands_work(constraints.G, held, forces, z, trial.z)
        if residual <= 1 and (last or not excessive(guard, energy[0], after, done_work)):
            done += part
            energy[0] = after
            copy_state(trial.z, trial.v, trial.a, z, v, a)
        elif last:
            copy_state(trial.start[0], trial.start[1], trial.start[2], z, v, a)
            copy_row(start, forces)
            energy[0] = before
            return 0, residual
        else:
            copy_row(held, forces)
            trial.renew[0] = 1
            h = h / 2
    return 1, residual


@inner
def hands_work(G, before, after, z, z_new):
    """Of hands whose forces go from `before` to `after` while q goes to q+, by the mean, as Newmark takes it [J]."""
    total = 0.0
    for row in range(len(G)):
        total += 0.5 * (before[row] + after[row]) * work_of(G[row], z, z_new)
    return total


@merged
def _newmark(law, load, settings, newton, h, gamma, z, v, a, work, trial, constraints, block):
    """One step into `trial`; returns the residual over what is allowed. Forces are as before where it is above 1."""
    G, rest, targets, rates, limits, forces, (wanted, change, Y, T) = constraints
    alpha, beta, one, n = settings[1], settings[2], settings.dtype.type(1), len(work.mass) // len(z)
    lead = beta_of(gamma)
    a1, a4 = 1 / (lead * h * h), gamma / (lead * h)
    mass_factor, damping_factor = a1 + a4 * alpha, a4 * beta
    want(G, rest, targets, rates, wanted, h, z, v, a)
    before, total = forces, trial.probe
    for i in range(len(z)):
        trial.z[i] = z[i] + h * v[i]
    residual, size, previous = np.inf, np.inf, np.inf
    for iteration in range(newton + 1):
        update_rates(h, gamma, z, v, a, trial)
        wish_for_stiffness(trial.renew, newton, iteration, residual, size, previous)
        call(law, trial.z, work.jet)
        strain = len(work.points.shear) > 0
        if strain:
            find_damping_force(work.points, 0, n - 1, trial.z, trial.v, work.viscous)
        for i in range(len(z)):
            total[i] = load[i]
        add_constraint_forces(G, forces, total)
        previous, factors = size, (alpha, beta, mass_factor, damping_factor)
        parts = (work.jet, work.damping, work.viscous, work.mass)
        size, allowed, stiffness = residual_of(*parts, strain, total, *factors, settings[3], trial)
        residual = over_allowed(size, previous, iteration == newton, allowed, worst_rounding(stiffness, settings[4]))
        # The first guess meets the constraints only where nothing moves.
        met = iteration > 0 or meets(G, wanted, trial.a)
        if (met and residual <= 1) or iteration == newton or not math.isfinite(residual):
            break
        if beta > 0:
            renew_damping(law, beta / (1 + damping_factor), iteration == 0, size > SLOW * previous, work, trial)
        if not solve_shifted(work, trial.residual, damping_factor, mass_factor):
            residual = np.inf
            break
        if iteration == 0:
            before = forces.copy()
        answer(G, Y, work.matrix, n, work.inverse, block)
        for i in range(len(z)):
            trial.probe[i] = trial.a[i] + a1 * work.change[i] if i > 0 else 0
        find_change(G, wanted, forces, change, Y, T, limits, settings.dtype.type(a1), trial.probe)
        for i in range(1, len(z)):
            trial.z[i] += work.change[i]
        apply_change(Y, change, one, trial.z)
    if residual <= 1 and norm(trial.z) < settings[4]:
        return residual
    copy_row(before, forces)
    return max(residual, 2.0)


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
