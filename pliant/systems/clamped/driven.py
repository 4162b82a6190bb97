"""Steps of one reduced part under loads that change within them: wind, and hands that hold vertices.

Each step is the plain one of its integrator, after which the hands' forces change by what their constraints ask for
(`systems.constraints`); implicit steps answer with their own matrix, explicit ones with M, statics with K.
"""

from typing import NamedTuple

import numpy as np
from numba import njit

from pliant.errors import Array
from pliant.numerics import cholesky, cholesky_solve
from pliant.numerics.simd8 import load8, spread8, store8
from pliant.numerics.small_spd import solve_eight
from pliant.numerics.specialisation import specialised
from pliant.systems.clamped.converged import converged_steps, solve_shifted
from pliant.systems.clamped.explicit import explicit_steps
from pliant.systems.clamped.held import answer, held_step
from pliant.systems.clamped.newmark import single_iterations
from pliant.systems.clamped.static import balance
from pliant.systems.constraints import (
    DEPENDENT,
    Constraints,
    add_constraint_forces,
    apply_change,
    apply_changes,
    find_change,
    want,
)
from pliant.systems.wind_points import Sail, blow


class Drive(NamedTuple):
    """What drives a part besides constant loads.

    Attributes:
        constraints: of held vertices, on lanes as z has them.
        sail: its surface in the wind. windy: whether there is a wind.
        load: (pitch,) of the present step. q, blown: (r,) coordinates and the wind's load.
        inverse_mass: M^-1 (r, r). columns: (8 pitch,) the first eight rows of G, side by side.
        block: (8 pitch,) of right-hand sides.
        R, t: the frame of the ground, (1, 3, 3) and (1, 3).
    """

    constraints: Constraints
    sail: Sail
    windy: bool
    load: Array
    q: Array
    blown: Array
    inverse_mass: Array
    columns: Array
    block: Array
    R: Array
    t: Array


@specialised
def driven_implicit(force, load, settings, constants, newton, z, v, a, work, trial, drive, time, count):
    """`count` implicit steps; returns how many were taken, and the last residual. Arguments as of the plain steps."""
    # Taken out of the tuple once: each look into it, and each call with it, would count references.
    constraints, _, windy, total, _, _, _, columns, block, _, _ = drive
    G, rest, targets, rates, forces, wanted, change, Y, T = constraints
    matrix, inverse, n = work.matrix, work.inverse, len(work.mass) // len(z)
    residual, dt, held, taken = settings[3] - settings[3], settings[0], len(G) > 0, 0
    for step in range(count):
        for i in range(len(load)):
            total[i] = load[i]
        if windy:
            _add_wind(drive, z, time + (step + 1) * dt)
        if newton > 1:
            if held:
                taken, residual = held_step(force, total, settings, newton, z, v, a, work, trial, constraints, block)
            else:
                taken, residual = converged_steps(force, total, settings, newton, z, v, a, work, trial, 1)
            if taken == 0:
                return step, residual
            continue
        if held:
            add_constraint_forces(G, forces, total)
            want(G, rest, targets, rates, wanted, dt, z, v, a)
        if single_iterations(force, total, constants, settings[4], z, v, a, work, 1) == 0:
            return step, residual
        if 0 < len(G) <= 8:
            _hold_few(G, wanted, forces, change, T, matrix, n, inverse, columns, block, constants, z, v, a)
        elif held:
            answer(G, Y, matrix, n, inverse, block)
            find_change(G, wanted, forces, change, Y, T, constants[0], a)
            apply_changes(Y, change, constants[1], constants[0], z, v, a)
    return count, residual


@specialised
def driven_explicit(force, load, settings, z, v, a, work, drive, time, count):
    """`count` explicit steps; returns how many were taken."""
    G, _, _, _, forces, wanted, change, Y, T = drive.constraints
    dt, one = settings[0], settings.dtype.type(1)
    for step in range(count):
        _gather(drive, load, z, time + (step + 1) * dt)
        if explicit_steps(force, drive.inverse_mass, drive.load, settings, z, v, a, work, 1) == 0:
            return step
        if len(G):
            _settle_explicit(drive.constraints, dt, z, v, a)
            _multiply(drive.inverse_mass, drive.constraints)
            find_change(G, wanted, forces, change, Y, T, one, a)
            apply_change(Y, change, one, a)
            apply_change(Y, change, dt / 2, v)
    return count


@specialised
def driven_statics(force, load, settings, z, v, a, work, trial, drive, time, count):
    """`count` equilibria; returns how many were found, and the last residual."""
    G, _, _, _, forces, wanted, change, Y, T = drive.constraints
    residual, one = settings[3] - settings[3], settings.dtype.type(1)
    for step in range(count):
        _gather(drive, load, z, time + (step + 1) * settings[0])
        taken, residual = balance(force, drive.load, settings, z, v, a, work, trial)
        if taken == 0:
            return step, residual
        if len(G):
            _approach(drive.constraints, settings[0], z)
            solve_shifted(work, trial.residual, one, one - one)
            answer(G, Y, work.matrix, len(work.mass) // len(z), work.inverse, drive.block)
            find_change(G, wanted, forces, change, Y, T, one, z)
            apply_change(Y, change, one, z)
    return count, residual


@njit(cache=True, nogil=True)
def _gather(drive, load, z, time):
    """drive.load = load, wind and the forces of hands."""
    for i in range(len(load)):
        drive.load[i] = load[i]
    if drive.windy:
        _add_wind(drive, z, time)
    add_constraint_forces(drive.constraints.G, drive.constraints.forces, drive.load)


@njit(cache=True, nogil=True)
def _add_wind(drive, z, time):
    q, blown = drive.q, drive.blown
    for i in range(len(q)):
        q[i], blown[i] = z[i + 1], 0.0
    blow(drive.sail, drive.R, drive.t, time, 0, q, blown)
    for i in range(len(q)):
        drive.load[i + 1] += blown[i]


@njit(cache=True, nogil=True, fastmath={"contract", "reassoc"})
def _hold_few(G, wanted, forces, change, T, matrix, n, inverse, columns, block, constants, z, v, a):
    """As `_answer`, `find_change` and `apply_changes`, for one or two hands, whose columns fill one block."""
    c, a1, a4 = len(G), constants[0], constants[1]
    for j in range(1, n):
        store8(block, 8 * j, load8(columns, 8 * j))
    solve_eight(matrix, n, inverse, block)
    for row in range(c):
        entries, gap = spread8(0.0), wanted[row]
        for j in range(1, n):
            entries += G[row, j] * load8(block, 8 * j)
            gap -= G[row, j] * a[j]
        store8(block, 0, a1 * entries)
        change[row] = gap
        for column in range(row, c):
            T[row, column] = block[column]
        T[row, row] *= 1 + DEPENDENT
    if not cholesky(T):
        return
    cholesky_solve(T, change)
    for row in range(c):
        forces[row] += change[row]
    for j in range(1, n):
        d = z[0] - z[0]
        for row in range(c):
            d += block[8 * j + row] * change[row]
        z[j] += d
        v[j] += a4 * d
        a[j] += a1 * d


@njit(cache=True, nogil=True)
def _settle_explicit(constraints, dt, z, v, a):
    """a+ = -2 om v+ - om^2 x+ where the step has found x+, and v+ but for dt/2 times the change of a+."""
    for row in range(len(constraints.G)):
        G, om = constraints.G[row], constraints.rates[row]
        x, half = constraints.rest[row] - constraints.targets[row], dt - dt
        for i in range(len(z)):
            x += G[i] * z[i]
            half += G[i] * (v[i] - dt / 2 * a[i])
        constraints.wanted[row] = -(2 * om * half + om * om * x) / (1 + om * dt)


@njit(cache=True, nogil=True)
def _approach(constraints, dt, z):
    """Statics have no inertia: the distance to the target shrinks by exp(-om dt) a step."""
    for row in range(len(constraints.G)):
        G, x = constraints.G[row], constraints.rest[row] - constraints.targets[row]
        here = x - x
        for i in range(len(z)):
            here += G[i] * z[i]
        constraints.wanted[row] = here - (1 - np.exp(-constraints.rates[row] * dt)) * (x + here)


@njit(cache=True, nogil=True)
def _multiply(inverse_mass, constraints):
    """Y = G M^-1."""
    G, Y = constraints.G, constraints.Y
    for row in range(len(G)):
        for i in range(len(inverse_mass)):
            total = G[row, 0] - G[row, 0]
            for j in range(len(inverse_mass)):
                total += inverse_mass[i, j] * G[row, j + 1]
            Y[row, i + 1] = total
