"""Equilibrium f(q) = load of one reduced part, by Newton with backtracking on the potential W - load . q."""

import numpy as np
from numba import njit

from pliant.numerics.inner import inner
from pliant.numerics.opaque import call
from pliant.systems.arrival import over_allowed, worst_rounding
from pliant.systems.clamped.converged import solve_shifted

ITERATIONS = 200
SHORTEST = 2.0**-20
DECREASE = 1e-4


@inner
def equilibrium(law, load, settings, z, work, trial):
    """Move z to an equilibrium; returns the residual over what is allowed: at most 1 is a solution.

    Each step goes downhill: where K is not positive definite it is shifted by the mass.
    """
    pitch = len(z)
    n = len(work.mass) // pitch
    trial.renew[0] = 1
    call(law, z, work.jet)
    ratio, size = np.inf, np.inf
    for iteration in range(ITERATIONS):
        potential, square, scale, rounding, stiffness = work.jet[0], 0.0, 0.0, 0.0, 0.0
        for j in range(1, n):
            trial.residual[j] = load[j] - work.jet[j * pitch]
            potential -= load[j] * z[j]
            square += trial.residual[j] ** 2
            scale += max(load[j] ** 2, work.jet[j * pitch] ** 2)
            rounding += (2 * work.jet[j * pitch + j] * z[j]) ** 2
            stiffness += (2 * work.jet[j * pitch + j]) ** 2
        allowed = max(settings[3] * np.sqrt(scale), 8 * np.finfo(z.dtype).eps * np.sqrt(rounding))
        previous, size = size, np.sqrt(square)
        last, worst = iteration == ITERATIONS - 1, worst_rounding(np.sqrt(stiffness), settings[4])
        ratio = over_allowed(size, previous, last, allowed, worst)
        if ratio <= 1 or not np.isfinite(ratio):
            return ratio
        if not solve_shifted(work, trial.residual, z.dtype.type(0), z.dtype.type(0)):
            return ratio
        _search(law, load, potential, square, z, work, trial, n)
    return ratio


@njit(cache=True, nogil=True)
def balance(law, load, settings, z, v, a, work, trial):
    """Go to an equilibrium, and rest there; 0 and everything as before where there is none. Also the residual."""
    for i in range(len(z)):
        trial.start[0, i] = z[i]
    residual = equilibrium(law, load, settings, z, work, trial)
    if not residual <= 1:
        for i in range(len(z)):
            z[i] = trial.start[0, i]
        return 0, residual
    for i in range(len(z)):
        v[i] = a[i] = 0
    return 1, residual


@njit(cache=True, nogil=True)
def _search(law, load, potential, square, z, work, trial, n):
    """z += scale change with a lower potential, or a smaller residual once the potential is all rounding."""
    pitch, scale, slope = len(z), 1.0, 0.0
    for j in range(1, n):
        slope += work.change[j] * trial.residual[j]
    while True:
        trial.z[0] = 1
        for j in range(1, n):
            trial.z[j] = z[j] + scale * work.change[j]
        trial.renew[0] = 1
        call(law, trial.z, work.jet)
        value, left = work.jet[0], 0.0
        for j in range(1, n):
            value -= load[j] * trial.z[j]
            left += (load[j] - work.jet[j * pitch]) ** 2
        if value <= potential - DECREASE * scale * slope or left < 0.8 * square or scale < SHORTEST:
            break
        scale /= 2
    for j in range(1, n):
        z[j] = trial.z[j]
