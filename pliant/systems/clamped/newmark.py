"""Compiled implicit Newmark steps of one reduced part ([SI05] App. C; maths sheet section 6).

residual = M a+ + C v+ + f(q+) - f_ext,   C = alpha M + beta K(q+),   A = a1 M + a4 C + K(q+)

One iteration starts at p = q + dt v, where v+ = v and a+ = -a; p is off by dt^2, so the step stays of second order:

    A(p) d = f_ext - f(p) - C(p) v + M a,    q+ = p + d,   v+ = v + a4 d,   a+ = -a + a1 d
"""

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import DTypeLike

from pliant.errors import Array
from pliant.numerics.opaque import call
from pliant.numerics.simd16 import WIDTH, fma, load, place, spread, store, total
from pliant.numerics.small_spd import eliminate, substitute
from pliant.reduced.force import lower_rows, pitch_of, slab
from pliant.systems.clamped.guard import CHECKED, FELT, SINCE, kinetic, passes, stray
from pliant.systems.energy_watch import add_work
from pliant.systems.newmark import newmark

SHIFTS = 24


class Workspace(NamedTuple):
    """Rows of M, and work space of a step: rows (n * pitch,) and vectors (pitch,)."""

    mass: Array
    jet: Array
    matrix: Array
    inverse: Array
    change: Array
    viscous: Array
    inertial: Array
    gathered: Array
    predicted: Array


def step_workspace(M: Array, dtype: DTypeLike) -> Workspace:
    """Work space for a reduced mass M (r, r)."""
    n = len(M) + 1
    pitch = pitch_of(n)
    work = Workspace(*slab([n * pitch] * 3 + [pitch] * 6, dtype))
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
        if not _solve(n, work, load_, c):
            return step
        if not _within(limit, work.predicted, work.change):
            return step
        if step == 0:
            add_work(ledger, _varied_work(guard.now[FELT], load_, z, work))
        add_work(ledger, _advance(c, z, v, a, load_, work))
        stray(reach, z, counts)
        counts[SINCE] += 1
        if counts[SINCE] >= CHECKED:
            call(law, z, work.jet)
            if not passes(guard, work.jet[0] + kinetic(work.mass, v), z, v, a):
                return step + 1 - counts[SINCE]
    return count


@njit(cache=True, nogil=True)
def _varied_work(felt, load_, z, work):
    """What a load that only now becomes `load_` does less than if it had acted for the whole step; then it is felt."""
    less = 0.0
    for i in range(1, len(z)):
        less += 0.5 * (felt[i] - load_[i]) * (work.predicted[i] + work.change[i] - z[i])
        felt[i] = load_[i]
    return less


@njit(cache=True, nogil=True, forceinline=True)
def _predict(c, z, v, a, work):
    """p = q + dt v, beta v and alpha v - a; viscous[0] = 1 picks the force out of the jet."""
    minus, dt, alpha, beta = spread(v.dtype.type(-1)), spread(c[4]), spread(c[2]), spread(c[3])
    zero = spread(v.dtype.type(0))
    for i in range(0, len(v), WIDTH):
        v_i, a_i = load(v, i), load(a, i)
        store(work.predicted, i, fma(dt, v_i, load(z, i)))
        store(work.inertial, i, fma(alpha, v_i, fma(minus, a_i, zero)))
        viscous = fma(beta, v_i, zero)
        store(work.viscous, i, place(viscous, 0, v.dtype.type(1)) if i == 0 else viscous)


@njit(cache=True, nogil=True)
def _solve(n, work, load_, c):
    """Newton correction into work.change[1:]; False if no shift makes the matrix positive definite."""
    stiffness_factor, mass_factor, four = c.dtype.type(1) + c[1] * c[3], c[0] + c[1] * c[2], c.dtype.type(4)
    for _ in range(SHIFTS):
        _assemble(
            n,
            work.jet,
            work.mass,
            load_,
            work.viscous,
            work.inertial,
            stiffness_factor,
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


@njit(cache=True, nogil=True, forceinline=True)
def _assemble(n, jet, mass, load_, viscous, inertial, stiffness_factor, mass_factor, matrix, gathered):
    """Rows of A = stiffness_factor K + mass_factor M, in column 0 load - f - K viscous - M inertial."""
    pitch = len(load_)
    for i in range(0, pitch, WIDTH):
        store(gathered, i, spread(load_.dtype.type(0)))
    by_K, by_M = spread(stiffness_factor), spread(mass_factor)
    for j in range(1, n):
        K_j, M_j, dot = spread(viscous[j]), spread(inertial[j]), spread(load_.dtype.type(0))
        for i in range(0, j + 1, WIDTH):
            K, M = load(jet, j * pitch + i), load(mass, j * pitch + i)
            dot = fma(K, load(viscous, i), fma(M, load(inertial, i), dot))
            store(gathered, i, fma(K, K_j, fma(M, M_j, load(gathered, i))))
            store(matrix, j * pitch + i, fma(K, by_K, fma(M, by_M, spread(load_.dtype.type(0)))))
        matrix[j * pitch + j] *= 2
        matrix[j * pitch] = load_[j] - total(dot)
    for j in range(1, n):
        matrix[j * pitch] -= gathered[j]


@njit(cache=True, nogil=True, forceinline=True)
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
