"""Compiled implicit Newmark steps of one reduced part ([SI05] App. C; maths sheet section 6).

residual = M a+ + C v+ + f(q+) - f_ext,   C = alpha M + beta D(q+),   A = a1 M + a4 C + K(q+)

D brakes rates of strain (`systems.strain_points`), or is K.

One iteration starts at p = q + dt v, where v+ = v and a+ = -a; p is off by dt^2, so the step stays of second order:

    A(p) d = f_ext - f(p) - C(p) v + M a,    q+ = p + d,   v+ = v + a4 d,   a+ = -a + a1 d
"""

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import DTypeLike

from pliant.errors import Array
from pliant.numerics.inner import inner
from pliant.numerics.opaque import call
from pliant.numerics.simd16 import WIDTH, fma, load, place, spread, store, total
from pliant.numerics.small_spd import eliminate, substitute
from pliant.reduced.force import lower_rows, pitch_of, slab
from pliant.systems.clamped.guard import CHECKED, FELT, SINCE, kinetic, passes, stray
from pliant.systems.energy_watch import add_supply
from pliant.systems.newmark import newmark
from pliant.systems.strain_points import StrainPoints, fill_damping

SHIFTS = 24


class Workspace(NamedTuple):
    """Rows of M, and work space of a step: rows (n * pitch,) and vectors (pitch,).

    Attributes:
        damping: rows of D; the jet itself where K damps.
        points: of D, none where K damps.
    """

    mass: Array
    jet: Array
    matrix: Array
    inverse: Array
    change: Array
    viscous: Array
    inertial: Array
    gathered: Array
    predicted: Array
    damping: Array
    points: StrainPoints


def step_workspace(M: Array, dtype: DTypeLike, points: StrainPoints) -> Workspace:
    """Work space for a reduced mass M (r, r)."""
    n = len(M) + 1
    pitch = pitch_of(n)
    mass, jet, matrix, damping, *vectors = slab([n * pitch] * 4 + [pitch] * 6, dtype)
    rows = damping if len(points.shear) else jet
    work = Workspace(mass, jet, matrix, *vectors, rows, points)  # type: ignore[call-arg, arg-type]
    work.mass[:] = lower_rows(M, dtype)
    return work


def step_constants(dt: float, alpha: float, beta: float, dtype: DTypeLike) -> Array:
    """What `single_iterations` takes as c."""
    c = newmark(dt)
    return np.array([c.a1, c.a4, alpha, beta, dt], dtype)


@njit(cache=True, nogil=True)
def single_iterations(law, load_, c, limit, z, v, a, work, guard, count):
    """`count` steps of one Newton iteration each, K and C at q + dt v. Returns how many were taken; fewer than none
    where a check went back to an earlier call.

    Args:
        load_: external force (pitch,), lane 0 unused.
        c: a1, a4, alpha, beta, dt.
        limit: largest |q_i| that counts as a solution.
        z, v, a: (1, q), (0, v), (0, a), each (pitch,); advanced in place.
        guard: `Guard`.
    """
    n, ledger, counts, reach = len(work.mass) // len(z), guard.ledger, guard.counts, guard.reach
    for step in range(count):
        _predict(c, z, v, a, work)
        call(law, work.predicted, work.jet)
        if len(work.points.shear):
            fill_damping(work.points, 0, n - 1, work.predicted, work.damping)
        if not _solve(n, work, load_, c):
            return step
        if not _within(limit, work.predicted, work.change):
            return step
        if step == 0:
            add_supply(ledger, _varied_work(guard.now[FELT], load_, z, work))
        add_supply(ledger, _advance(c, z, v, a, load_, work))
        stray(reach, z, counts)
        counts[SINCE] += 1
        if counts[SINCE] >= CHECKED:
            call(law, z, work.jet)
            if not passes(guard, work.jet[0] + kinetic(work.mass, v), z, v, a):
                return step + 1 - counts[SINCE]
    return count


@inner
def _varied_work(felt, load_, z, work):
    """What a load that only now becomes `load_` does less than if it had acted for the whole step; then it is felt."""
    less = 0.0
    for i in range(1, len(z)):
        less += 0.5 * (felt[i] - load_[i]) * (work.predicted[i] + work.change[i] - z[i])
        felt[i] = load_[i]
    return less


@inner(forceinline=True)
def _predict(c, z, v, a, work):
    """p = q + dt v, beta v and alpha v - a."""
    minus, dt, alpha, beta = spread(v.dtype.type(-1)), spread(c[4]), spread(c[2]), spread(c[3])
    zero = spread(v.dtype.type(0))
    for i in range(0, len(v), WIDTH):
        v_i, a_i = load(v, i), load(a, i)
        store(work.predicted, i, fma(dt, v_i, load(z, i)))
        store(work.inertial, i, fma(alpha, v_i, fma(minus, a_i, zero)))
        store(work.viscous, i, fma(beta, v_i, zero))


@njit(cache=True, nogil=True)
def _solve(n, work, load_, c):
    """Newton correction into work.change[1:]; False if no shift makes the matrix positive definite."""
    damping_factor, mass_factor, four = c[1] * c[3], c[0] + c[1] * c[2], c.dtype.type(4)
    for _ in range(SHIFTS):
        _assemble(
            n,
            work.jet,
            work.damping,
            work.mass,
            load_,
            work.viscous,
            work.inertial,
            damping_factor,
            mass_factor,
            work.matrix,
            work.gathered,
        )
        if eliminate(work.matrix, n, work.inverse):
            substitute(work.matrix, n, work.inverse, work.change)
            return True
        # Compression can make K indefinite; more inertia is a shorter, safer correction.
        mass_factor = mass_factor * four
    return False


@inner(forceinline=True)
def _assemble(n, jet, damping, mass, load_, viscous, inertial, damping_factor, mass_factor, matrix, gathered):
    """Rows of A = K + damping_factor D + mass_factor M, in column 0 load - f - D viscous - M inertial."""
    pitch = len(load_)
    for i in range(0, pitch, WIDTH):
        store(gathered, i, spread(load_.dtype.type(0)))
    by_D, by_M = spread(damping_factor), spread(mass_factor)
    for j in range(1, n):
        D_j, M_j, dot = spread(viscous[j]), spread(inertial[j]), spread(load_.dtype.type(0))
        for i in range(0, j + 1, WIDTH):
            D, M = load(damping, j * pitch + i), load(mass, j * pitch + i)
            dot = fma(D, load(viscous, i), fma(M, load(inertial, i), dot))
            store(gathered, i, fma(D, D_j, fma(M, M_j, load(gathered, i))))
            store(matrix, j * pitch + i, fma(D, by_D, fma(M, by_M, load(jet, j * pitch + i))))
        matrix[j * pitch + j] *= 2
        matrix[j * pitch] = load_[j] - jet[j * pitch] - total(dot)
    for j in range(1, n):
        matrix[j * pitch] -= gathered[j]


@inner(forceinline=True)
def _within(limit, z, change):
    """Whether q + change is finite and its norm below the limit."""
    square = spread(z.dtype.type(0))
    for i in range(0, len(z), WIDTH):
        size = fma(load(change, i), spread(z.dtype.type(1)), load(z, i))
        square = fma(size, size, square)
    return total(square) < limit * limit


@njit(cache=True, nogil=True, forceinline=True)
def _advance(c, z, v, a, load_, work):
    """q+ = p + d, v+ = v + a4 d, a+ = -a + a1 d; returns the work load . (q+ - q)."""
    done = spread(z.dtype.type(0))
    zero, one, minus = spread(z.dtype.type(0)), spread(z.dtype.type(1)), spread(z.dtype.type(-1))
    a1, a4 = spread(c[0]), spread(c[1])
    for i in range(0, len(z), WIDTH):
        d = load(work.change, i)
        if i == 0:
            d = place(d, 0, z.dtype.type(0))
        store(v, i, fma(a4, d, load(v, i)))
        store(a, i, fma(a1, d, fma(minus, load(a, i), zero)))
        new = fma(d, one, load(work.predicted, i))
        done = fma(load(load_, i), fma(minus, load(z, i), new), done)
        store(z, i, new)
    return total(done)
