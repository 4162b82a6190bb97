"""The one constraint solver: rows of a system's unknowns that follow targets, implicit in its own Newmark step.

x = G q + rest - target goes to zero at the rate om, critically damped (maths sheet boundary-aware 6):

    G a+ = -(2 om (x' + dt/2 x'') + om^2 (x + dt x' + dt^2/4 x'')) / (1 + om dt + om^2 dt^2/4)
    f += T^-1 (G a+ - G a0),  T = G Y,  a+ = a0 + Y (change of f),  Y = A^-1 G^T

a0 is where the step leads under the forces f of the step before, so that steps to convergence start near the solution.
A hand has a largest force. Where f would exceed it, it pulls with that, f', so that the least is missing:

    (B + lambda I) f' = B f,  |f'| = limit,   B the block of T of this hand

At rest f' then points straight to the target, also where the point moves lightly in some directions alone: f itself
would be spent on those in which it cannot go.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numba import njit
from numpy.typing import DTypeLike

from pliant.errors import ArgumentError, Array
from pliant.numerics import cholesky, cholesky_solve
from pliant.numerics.inner import inner
from pliant.skin import Pose

if TYPE_CHECKING:
    from pliant.systems.system import System

MET = 1e-12  # of the terms of a row: a gap that is rounding
LIMIT_PASSES, LIMIT_MET = 30, 1e-6  # Newton's method; what is left of it is cut
DEPENDENT = 1e-9  # added to the diagonal of T, relative to it, so that constraints that others imply do no harm


class ConstraintWorkspace(NamedTuple):
    """wanted: (c,) G a+. change: (c,) of the forces. Y: (c, s) rows A^-1 G_c. T: (c, c)."""

    wanted: Array
    change: Array
    Y: Array
    T: Array


class Constraints(NamedTuple):
    """What compiled steps read of c constraints on s coordinates.

    Steps take the arrays out of it once: each look into a tuple counts a reference, which small systems would feel.

    Attributes:
        G: (c, s). rest, targets: (c,). rates: (c,) om [1/s].
        limits: (k,) the largest force [N] of each of the first k rows of three.
        forces: (c,) what keeps them [N]; state.
    """

    G: Array
    rest: Array
    targets: Array
    rates: Array
    limits: Array
    forces: Array
    work: ConstraintWorkspace


def constraints_of(
    G: Array, rest: Array, targets: Array, rates: Array, forces: Array, limits: Sequence[float]
) -> Constraints:
    """Constraints with their work space; all in the precision of G."""
    c, dtype = len(G), G.dtype
    given = [np.array(array, dtype=dtype) for array in (rest, targets, rates, limits, forces)]
    work = ConstraintWorkspace(np.zeros(c, dtype), np.zeros(c, dtype), np.zeros_like(G), np.zeros((c, c), dtype))
    return Constraints._make((G, *given, work))


def held_constraints(
    system: "System", forces: Array, pad: tuple[int, int] = (0, 0), dtype: DTypeLike = np.float64
) -> Constraints:
    """The holds (k,) of a system whose points move linearly with q, as constraints on (.., q, ..) padded by zeros."""
    c, pose = 3 * len(system.holds), system.pose()
    undeformed = Pose.stacked(pose.rotations, pose.translations, 0 * pose.flat, pose.offsets)
    G, rest = np.zeros((c, system.size)), np.zeros(c)
    for k, hold in enumerate(system.holds):
        points = system.points([hold.vertex], hold.on)
        W = system.rows(points)
        if not W.any():
            raise ArgumentError(f"vertex {hold.vertex} is fixed; hold another one")
        G[3 * k : 3 * k + 3], rest[3 * k : 3 * k + 3] = W, points.place(undeformed).ravel()
    targets = np.array([hold.target for hold in system.holds]).ravel()
    rates = np.repeat([hold.rate for hold in system.holds], 3)
    wide = np.ascontiguousarray(np.pad(G, ((0, 0), pad)).astype(dtype))
    return constraints_of(wide, rest, targets, rates, forces.ravel(), [hold.limit for hold in system.holds])


@njit(cache=True, nogil=True)
def feedback(x, xd, xa, om, dt):
    """x'' at the end of a step that begins at x, x', x''."""
    pull = 2 * om * (xd + 0.5 * dt * xa) + om * om * (x + dt * xd + 0.25 * dt * dt * xa)
    return -pull / (1 + om * dt + 0.25 * om * om * dt * dt)


@njit(cache=True, nogil=True, fastmath={"contract", "reassoc"})
def want(G, rest, targets, rates, wanted, dt, q, v, a):
    """What G a+ shall be, from the state at the start of the step."""
    for row in range(len(G)):
        x, xd, xa = rest[row] - targets[row], dt - dt, dt - dt
        for j in range(G.shape[1]):
            x += G[row, j] * q[j]
            xd += G[row, j] * v[j]
            xa += G[row, j] * a[j]
        wanted[row] = feedback(x, xd, xa, rates[row], dt)


@inner(fastmath={"contract", "reassoc"})
def add_constraint_forces(G, forces, load):
    """load += G^T f."""
    for row in range(len(G)):
        for j in range(G.shape[1]):
            load[j] += G[row, j] * forces[row]


@njit(cache=True, nogil=True)
def meets(G, wanted, a):
    """Is G a what is wanted, but for rounding?"""
    for row in range(len(G)):
        total, size = wanted[row], abs(wanted[row])
        for j in range(G.shape[1]):
            total -= G[row, j] * a[j]
            size += abs(G[row, j] * a[j])
        if abs(total) > MET * size:
            return False
    return True


@njit(cache=True, nogil=True, fastmath={"contract", "reassoc"})
def find_change(G, wanted, forces, change, Y, T, limits, scale, a):
    """The change of the forces that makes G a+ what is wanted, as far as they may go; a+ = a + scale Y^T change."""
    c = len(G)
    for row in range(c):
        total = wanted[row]
        for j in range(G.shape[1]):
            total -= G[row, j] * a[j]
        change[row] = total
        for column in range(row, c):
            entry = scale - scale
            for j in range(G.shape[1]):
                entry += G[row, j] * Y[column, j]
            T[row, column] = scale * entry
    meet(T, change, forces, limits)


@njit(cache=True, nogil=True)
def meet(T, change, forces, limits):
    """forces += T^-1 gap, none of them beyond its limit; `change` holds the gap and then what was added.

    T is overwritten, of which the upper triangle is read. Where it has no inverse nothing is added.
    """
    for row in range(len(T)):
        T[row, row] *= 1 + DEPENDENT
    if not cholesky(T):
        for row in range(len(T)):
            change[row] = 0
        return
    cholesky_solve(T, change)
    for k in range(len(limits)):
        square = 0.0
        for row in range(3 * k, 3 * k + 3):
            square += (forces[row] + change[row]) ** 2
        if square > limits[k] * limits[k]:
            _limit_force(T, 3 * k, change, forces, limits[k])
    for row in range(len(forces)):
        forces[row] += change[row]


@inner(_nrt=True)  # it allocates, and `borrowing` steps call it
def _limit_force(L, first, change, forces, limit):
    """Change three forces to f', no larger than the limit; L^T is the upper triangle of `L`, its diagonal inverse.

    1 / |f'| grows with lambda along a concave curve, on which Newton's method comes from lambda = 0 without a step
    too far.
    """
    B, b, f, w = np.zeros((3, 3)), np.zeros(3), np.zeros(3), np.zeros(3)
    for i in range(3):
        for j in range(i + 1):
            for m in range(first + j + 1):
                own = 1 / L[m, m] if m == first + j else L[m, first + j]
                other = 1 / L[m, m] if m == first + i else L[m, first + i]
                B[i, j] += own * other
            B[j, i] = B[i, j]
    for i in range(3):
        for j in range(3):
            b[i] += B[i, j] * (forces[first + j] + change[first + j])
    shift, size = 0.0, 0.0
    for _ in range(LIMIT_PASSES):
        solve_shifted(B, shift, b, f)
        solve_shifted(B, shift, f, w)
        size = np.sqrt(f[0] * f[0] + f[1] * f[1] + f[2] * f[2])
        if size <= (1 + LIMIT_MET) * limit:
            break
        shift += size * size * (size / limit - 1) / (f[0] * w[0] + f[1] * w[1] + f[2] * w[2])
    for i in range(3):
        change[first + i] = limit / size * f[i] - forces[first + i]


@inner
def solve_shifted(B, shift, b, x):
    """(B + shift I) x = b, of a symmetric B (3, 3), by Gauss elimination."""
    d0 = B[0, 0] + shift
    l1, l2 = B[1, 0] / d0, B[2, 0] / d0
    d1, e = B[1, 1] + shift - l1 * B[1, 0], B[2, 1] - l2 * B[1, 0]
    l3 = e / d1
    d2 = B[2, 2] + shift - l2 * B[2, 0] - l3 * e
    y1 = b[1] - l1 * b[0]
    x[2] = (b[2] - l2 * b[0] - l3 * y1) / d2
    x[1] = y1 / d1 - l3 * x[2]
    x[0] = b[0] / d0 - l1 * x[1] - l2 * x[2]


@njit(cache=True, nogil=True, fastmath={"contract", "reassoc"})
def apply_change(Y, change, factor, x):
    """x += factor Y^T change."""
    for row in range(len(Y)):
        scale = factor * change[row]
        for j in range(Y.shape[1]):
            x[j] += scale * Y[row, j]


@inner(fastmath={"contract", "reassoc"})
def apply_changes(Y, change, a4, a1, q, v, a):
    """q, v and a at the end of a Newmark step += 1, a4, a1 times Y^T change."""
    for row in range(len(Y)):
        for j in range(Y.shape[1]):
            d = Y[row, j] * change[row]
            q[j] += d
            v[j] += a4 * d
            a[j] += a1 * d
