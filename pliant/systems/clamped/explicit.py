"""Explicit central differences of one reduced part (maths sheet section 6). Stable for dt omega_max < 2.

v_half = v + dt/2 a,   q+ = q + dt v_half,   a+ = M^-1 (f_ext - f(q+) - C v_half),   v+ = v_half + dt/2 a+

The steps keep T + V - dt^2/8 a M a, exactly where forces are linear; T + V itself swings widely near the limit. What is
kept is positive below the limit, and may have any sign above it.
"""

import math

from numba import njit

from pliant.numerics.inner import inner
from pliant.numerics.opaque import call
from pliant.systems.clamped.guard import CHECKED, SINCE, accelerate, kinetic, passes, work_of
from pliant.systems.energy_watch import BOUND, FLOOR, add_supply, allowance


@njit(cache=True, nogil=True)
def explicit_steps(law, load, settings, z, v, a, work, guard, count, fresh):
    """`count` steps in place; returns how many were taken before |q| passed the limit.

    Args:
        settings: dt, alpha, beta, tolerance, limit, and dt^2 / 4, what they take off their energy.
        fresh: whatever was pushed, or written into q and v, since the last step is felt at once.
    """
    dt, inverse_mass, counts = settings[0], guard.inverse_mass, guard.counts
    n = len(inverse_mass) + 1
    half, new = work.viscous, work.inertial
    if fresh:
        call(law, z, work.jet)
        accelerate(work, inverse_mass, load, settings, z, v, a)
        # A load that jumps changes what the steps keep, by as much as this.
        guard.ledger[FLOOR] = max(guard.ledger[FLOOR], 4 * settings[5] * kinetic(work.mass, a))
    for step in range(count):
        size = dt - dt
        new[0] = 1
        for i in range(1, n):
            half[i] = v[i] + dt / 2 * a[i]
            new[i] = z[i] + dt * half[i]
            size += new[i] * new[i]
        if not size < settings[4] * settings[4]:
            return step
        call(law, new, work.jet)
        accelerate(work, inverse_mass, load, settings, new, half, a)
        add_supply(guard.ledger, work_of(load, z, new))
        for i in range(1, n):
            z[i] = new[i]
            v[i] = half[i] + dt / 2 * a[i]
        counts[SINCE] += 1
        if counts[SINCE] >= CHECKED and not passes(guard, kept_energy(guard.ledger, settings, work, v, a), z, v, a):
            return step + 1 - counts[SINCE]
    return count


@inner
def kept_energy(ledger, settings, work, v, a):
    """T + V - dt^2/8 a M a [J], for the jet at hand; infinite where it is as negative as no stable step makes it."""
    energy = work.jet[0] + kinetic(work.mass, v) - settings[5] * kinetic(work.mass, a)
    return energy if energy >= -allowance(ledger, BOUND) else math.inf
