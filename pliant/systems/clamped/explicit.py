"""Explicit central differences of one reduced part (maths sheet section 6). Stable for dt omega_max < 2.

v_half = v + dt/2 a,   q+ = q + dt v_half,   a+ = M^-1 (f_ext - f(q+) - C v_half),   v+ = v_half + dt/2 a+
"""

from numba import njit

from pliant.numerics.specialisation import specialised
from pliant.reduced.force import jet_at


@specialised
def explicit_steps(force, inverse_mass, load, settings, z, v, a, work, count):
    """`count` steps in place; returns how many were taken before |q| passed the limit.

    Args:
        inverse_mass: M^-1 (r, r).
        settings: dt, alpha, beta, tolerance, limit.
    """
    dt, n = settings[0], len(inverse_mass) + 1
    half, new = work.viscous, work.inertial
    jet_at(force, z, work.jet)
    # Whatever was pushed, or written into q and v, since the last step is felt at once.
    _accelerate(work.jet, inverse_mass, load, settings, v, a, work.gathered)
    for step in range(count):
        size = dt - dt
        new[0] = 1
        for i in range(1, n):
            half[i] = v[i] + dt / 2 * a[i]
            new[i] = z[i] + dt * half[i]
            size += new[i] * new[i]
        if not size < settings[4] * settings[4]:
            return step
        jet_at(force, new, work.jet)
        _accelerate(work.jet, inverse_mass, load, settings, half, a, work.gathered)
        for i in range(1, n):
            z[i] = new[i]
            v[i] = half[i] + dt / 2 * a[i]
    return count


@njit(cache=True, nogil=True)
def _accelerate(jet, inverse_mass, load, settings, v, a, f):
    """a = M^-1 (load - f - beta K v) - alpha v."""
    pitch, n = len(load), len(inverse_mass) + 1
    for j in range(1, n):
        f[j] = load[j] - jet[j * pitch]
        for i in range(1, n):
            at = j * pitch + i if i <= j else i * pitch + j
            f[j] -= settings[2] * jet[at] * v[i] * (2 if i == j else 1)
    for j in range(1, n):
        total = -settings[1] * v[j]
        for i in range(1, n):
            total += inverse_mass[j - 1, i - 1] * f[i]
        a[j] = total
