"""Steps of one reduced part under loads that change within them: wind, and hands that hold vertices.

Each step is the plain one of its integrator, after which the hands' forces change by what their constraints ask for
(`systems.constraints`); implicit steps answer with their own matrix, explicit ones with M, statics with K.
"""

from typing import NamedTuple

import numpy as np
from numba import njit

from pliant.errors import Array
from pliant.numerics.inner import inner
from pliant.numerics.merging import merged
from pliant.numerics.opaque import Opaque, call, read
from pliant.numerics.simd8 import load8, spread8, store8
from pliant.numerics.small_spd import solve_eight
from pliant.numerics.specialisation import specialised
from pliant.systems.clamped.converged import converged_steps, solve_shifted
from pliant.systems.clamped.explicit import explicit_steps, kept_energy
from pliant.systems.clamped.guard import CHECKED, FELT, SINCE, copy_row, kinetic, mean_work, passes, stray
from pliant.systems.clamped.held import answer, held_step
from pliant.systems.clamped.newmark import single_iterations
from pliant.systems.clamped.static import balance
from pliant.systems.constraints import (
    Constraints,
    add_constraint_forces,
    apply_change,
    apply_changes,
    find_change,
    meet,
    want,
)
from pliant.systems.energy_watch import add_supply
from pliant.systems.wind_points import Sail, blow


class Drive(NamedTuple):
    """What drives a part besides constant loads.

    Attributes:
        constraints: of held vertices, on lanes as z has them.
        wind: adds its load, as `blown_on`; compiled with the first wind. windy: whether there is one. clock: (1,) [s].
        load: (pitch,) of the present step.
        columns: (8 pitch,) the first eight rows of G, side by side.
        block: (8 pitch,) of right-hand sides. before: (pitch,) z at the start of the step.
        kept: (c,) the hands' forces at the last check.
    """

    constraints: Constraints
    wind: Opaque
    windy: bool
    clock: Array
    load: Array
    columns: Array
    block: Array
    before: Array
    kept: Array


class Windage(NamedTuple):
    """What the wind reads: the surface of a part, the time (1,), (r,) coordinates and load, and the ground's frame
    (1, 3, 3) and (1, 3)."""

    sail: Sail
    clock: Array
    q: Array
    load: Array
    R: Array
    t: Array


@specialised
def blown_on(place, z, load):
    """load (pitch,) += what the wind does to a part at z."""
    sail, clock, q, blown, R, t = read(place)
    for i in range(len(q)):
        q[i], blown[i] = z[i + 1], 0.0
    blow(sail, R, t, clock[0], 0, q, blown)
    for i in range(len(q)):
        load[i + 1] += blown[i]


CALM = Opaque(0, np.zeros(1, np.uint8))  # a wind that nobody calls


def hands_load(constraints: Constraints) -> Array:
    """G^T f (pitch,): what the hands do to the coordinates."""
    return constraints.forces @ constraints.G


@merged
def driven_converged(law, load, settings, newton, z, v, a, work, trial, drive, guard, spare, time, count):
    """`count` steps to convergence; returns how many were taken, and the last residual."""
    # Taken out of the tuple once: each look into it, and each call with it, would count references.
    constraints, windy, total, before, block = drive.constraints, drive.windy, drive.load, drive.before, drive.block
    residual, G, forces = settings[3] - settings[3], constraints.G, constraints.forces
    held, single, taken = len(G) > 0, min(count, 1), 0  # a literal would be a type of its own, and compiled again
    for step in range(count):
        copy_row(load, total)
        copy_row(z, before)
        if windy:
            add_wind(drive, z, time + (step + 1) * settings[0])
        spare.counts[SINCE] = 0
        if held:
            taken, residual = held_step(law, total, settings, newton, z, v, a, work, trial, constraints, block, guard)
        else:
            copy_row(guard.ledger, spare.ledger)
            taken, residual = converged_steps(law, total, settings, newton, z, v, a, work, trial, spare, single)
        if taken == 0:
            return step, residual
        add_constraint_forces(G, forces, total)
        _count(guard, before, total, z)
        if guard.counts[SINCE] >= CHECKED and not _keeps(guard, drive, z, v, a):
            return step + 1 - guard.counts[SINCE], residual
    return count, residual


@merged
def driven_single(law, load, constants, limit, z, v, a, work, drive, guard, spare, time, count):
    """`count` steps of one iteration each; returns how many were taken. Arguments as of `single_iterations`."""
    constraints, windy, total, before, block = drive.constraints, drive.windy, drive.load, drive.before, drive.block
    G, rest, targets, rates, limits, forces, (wanted, change, Y, T) = constraints
    matrix, inverse, n, columns = work.matrix, work.inverse, len(work.mass) // len(z), drive.columns
    dt, held = constants[4], len(G) > 0
    single = min(count, 1)  # a literal would be a type of its own, for which the steps would be compiled again
    for step in range(count):
        copy_row(load, total)
        copy_row(z, before)
        if windy:
            add_wind(drive, z, time + (step + 1) * dt)
        spare.counts[SINCE] = 0
        if held:
            add_constraint_forces(G, forces, total)
            want(G, rest, targets, rates, wanted, dt, z, v, a)
        if single_iterations(law, total, constants, limit, z, v, a, work, spare, single) == 0:
            return step
        if 0 < len(G) <= 8:
            _hold_few(G, wanted, forces, change, T, limits, matrix, n, inverse, columns, block, constants, z, v, a)
        elif held:
            answer(G, Y, matrix, n, inverse, block)
            find_change(G, wanted, forces, change, Y, T, limits, constants[0], a)
            apply_changes(Y, change, constants[1], constants[0], z, v, a)
        if held:
            add_constraint_forces(G, change, total)
        _count(guard, before, total, z)
        if guard.counts[SINCE] >= CHECKED:
            call(law, z, work.jet)
            guard.energy[0] = work.jet[0] + kinetic(work.mass, v)
            if not _keeps(guard, drive, z, v, a):
                return step + 1 - guard.counts[SINCE]
    return count


@njit(cache=True, nogil=True)
def driven_explicit(law, load, settings, z, v, a, work, drive, guard, spare, time, count):
    """`count` explicit steps; returns how many were taken."""
    G, _, _, _, limits, forces, (wanted, change, Y, T) = drive.constraints
    dt, one, single = settings[0], settings.dtype.type(1), min(count, 1)
    for step in range(count):
        _gather(drive, load, z, time + (step + 1) * dt)
        for i in range(len(z)):
            drive.before[i] = z[i]
        spare.counts[SINCE] = 0
        if explicit_steps(law, drive.load, settings, z, v, a, work, spare, single, True) == 0:
            return step
        if len(G):
            _settle_explicit(drive.constraints, dt, z, v, a)
            _multiply(guard.inverse_mass, drive.constraints)
            find_change(G, wanted, forces, change, Y, T, limits, one, a)
            apply_change(Y, change, one, a)
            apply_change(Y, change, dt / 2, v)
            add_constraint_forces(G, change, drive.load)
        _count(guard, drive.before, drive.load, z)
        if guard.counts[SINCE] >= CHECKED:
            guard.energy[0] = kept_energy(guard.ledger, settings, work, v, a)
            if not _keeps(guard, drive, z, v, a):
                return step + 1 - guard.counts[SINCE]
    return count


@njit(cache=True, nogil=True)
def _count(guard, before, total, z):
    """A step is taken, from the load that was felt to this one, whose mean has worked."""
    felt = guard.now[FELT]
    add_supply(guard.ledger, mean_work(felt, total, before, z))
    copy_row(total, felt)
    guard.counts[SINCE] += 1
    stray(guard.reach, z, guard.counts)


@inner
def _keeps(guard, drive, z, v, a):
    """`passes`, with the hands' forces."""
    sound, forces = passes(guard, guard.energy[0], z, v, a), drive.constraints.forces
    for row in range(len(forces)):
        if sound:
            drive.kept[row] = forces[row]
        else:
            forces[row] = drive.kept[row]
    return sound


@njit(cache=True, nogil=True)
def driven_statics(law, load, settings, z, v, a, work, trial, drive, time, count):
    """`count` equilibria; returns how many were found, and the last residual."""
    G, _, _, _, limits, forces, (wanted, change, Y, T) = drive.constraints
    residual, one = settings[3] - settings[3], settings.dtype.type(1)
    for step in range(count):
        _gather(drive, load, z, time + (step + 1) * settings[0])
        taken, residual = balance(law, drive.load, settings, z, v, a, work, trial)
        if taken == 0:
            return step, residual
        if len(G):
            _approach(drive.constraints, settings[0], z)
            solve_shifted(work, trial.residual, one - one, one - one)
            answer(G, Y, work.matrix, len(work.mass) // len(z), work.inverse, drive.block)
            find_change(G, wanted, forces, change, Y, T, limits, one, z)
            apply_change(Y, change, one, z)
    return count, residual


@inner
def _gather(drive, load, z, time):
    """drive.load = load, wind and the forces of hands."""
    for i in range(len(load)):
        drive.load[i] = load[i]
    if drive.windy:
        add_wind(drive, z, time)
    add_constraint_forces(drive.constraints.G, drive.constraints.forces, drive.load)


@inner
def add_wind(drive, z, time):
    drive.clock[0] = time
    call(drive.wind, z, drive.load)


@inner(fastmath={"contract", "reassoc"})
def _hold_few(G, wanted, forces, change, T, limits, matrix, n, inverse, columns, block, constants, z, v, a):
    """As `answer`, `find_change` and `apply_changes`, for one or two hands, whose columns fill one block."""
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
    meet(T, change, forces, limits)
    for j in range(1, n):
        d = z[0] - z[0]
        for row in range(c):
            d += block[8 * j + row] * change[row]
        z[j] += d
        v[j] += a4 * d
        a[j] += a1 * d


@inner
def _settle_explicit(constraints, dt, z, v, a):
    """a+ = -2 om v+ - om^2 x+ where the step has found x+, and v+ but for dt/2 times the change of a+."""
    for row in range(len(constraints.G)):
        G, om = constraints.G[row], constraints.rates[row]
        x, half = constraints.rest[row] - constraints.targets[row], dt - dt
        for i in range(len(z)):
            x += G[i] * z[i]
            half += G[i] * (v[i] - dt / 2 * a[i])
        constraints.work.wanted[row] = -(2 * om * half + om * om * x) / (1 + om * dt)


@inner
def _approach(constraints, dt, z):
    """Statics have no inertia: the distance to the target shrinks by exp(-om dt) a step."""
    for row in range(len(constraints.G)):
        G, x = constraints.G[row], constraints.rest[row] - constraints.targets[row]
        here = x - x
        for i in range(len(z)):
            here += G[i] * z[i]
        constraints.work.wanted[row] = here - (1 - np.exp(-constraints.rates[row] * dt)) * (x + here)


@njit(cache=True, nogil=True)
def _multiply(inverse_mass, constraints):
    """Y = G M^-1."""
    G, Y = constraints.G, constraints.work.Y
    for row in range(len(G)):
        for i in range(len(inverse_mass)):
            total = G[row, 0] - G[row, 0]
            for j in range(len(inverse_mass)):
                total += inverse_mass[i, j] * G[row, j + 1]
            Y[row, i + 1] = total
