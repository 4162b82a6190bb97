"""A kept factor that turns with its parts, so that it serves on while a body turns and bends.

    A^-1 ~ T A_0^-1 T^T,    T = totalab R_ab T_ab

Elastic forces turn with their solid: where it has turned by R since A_0 was made, and columns hold R U z = U T z, A is
T^-T A_0 T^-1. Affine columns do, and the copies turned in all directions that free solids get; others nearly. Here
every part has an R of its own, which turns the coordinates inside it, and an interface the mean of those that meet:

    interface:        Psi T_ab = e_a e_b^T Psi, least squares on its vertices
    inside a part:    M_II T_ab = (U^T M e_a e_b^T U)_I - M_IB (T_ab)_B, least squares in the mass, given its interfaces

R is the polar rotation of int rho x (X - c)^T. What flies is shifted by A^-1 itself, so that iterations leave the
momentum of q to rounding alone: A e_k = f M e_k for shifts e_k, and with S = sum e_k e_k^T M / m

    A^-1 ~ (1 - S) T A_0^-1 T^T (1 - S)^T + S M^-1 / f

Steps measure their residual with the forces of now, so only their path depends on T. Where a hand shakes the fish of
the gallery, the extreme eigenvalues of A_0^-1 A are 200 apart after a turn by 11 degrees, and 3 to 6 with T.
"""

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from pliant.basis.boundary import dofs_of
from pliant.errors import Array, Ids
from pliant.numerics.counting import borrowing, counting, quick_borrowing
from pliant.numerics.dot import dot
from pliant.numerics.polar import polar_with
from pliant.reduced import ReducedModel
from pliant.reduced.force import slab
from pliant.systems.seams.fronts import eliminate_again
from pliant.systems.seams.nonlinear_parts import NonlinearParts

STILL = 0.01  # [rad]: a factor is as good where all parts have turned by less


class TurnedFactor(NamedTuple):
    """Blocks of coordinates: the insides of d parts, then e interfaces.

    Attributes:
        own, own_at: coordinates of each block; own_at (d + e + 1,).
        reads, reads_at: coordinates that its rows of T read, of a part first all of its own z.
        rows_at: (d + e + 1,) where its rows of T begin, one for each own coordinate.
        tables: (9, t) T_ab. T: (t,).
        fits, upright: (9, reads) and (d, 9): upright + fits z is int rho x (X - c)^T of a part.
        meets, meets_at: parts of each interface; meets_at (e + 1,).
        R, R_0: (d + e, 3, 3) now and where the factor was made.
        shifts, N: (3, size) e_k and M e_k of what flies, else (0, size); mass: m [kg].
        same: (1,) 1 where T is 1. x: (size,), z: of a block. pulls: (3,). B, U, V: (3, 3), stretches: (3,), work space.
    """

    own: Ids
    own_at: Ids
    reads: Ids
    reads_at: Ids
    rows_at: Ids
    tables: Array
    T: Array
    fits: Array
    upright: Array
    meets: Ids
    meets_at: Ids
    R: Array
    R_0: Array
    shifts: Array
    N: Array
    mass: float
    same: Array
    x: Array
    z: Array
    pulls: Array
    B: Array
    U: Array
    V: Array
    stretches: Array


def turned_factor(parts: NonlinearParts, shifts: Array, N: Array) -> TurnedFactor:
    """Of parts at rest; shifts and N as of `TurnedFactor`."""
    interfaces = [np.flatnonzero(parts.trace.entity == number) for number in range(len(parts.entities))]
    turned = [_turned_interface(parts, number, own) for number, own in enumerate(interfaces)]
    own, tables, fits, upright = [], list[Array](), list[Array](), list[Array]()
    for model, places, boundary in zip(parts.models, parts.places, parts.boundary):
        own.append(places[len(boundary) :])
        tables.append(_turned_inside(model, boundary, interfaces, turned))
        fit, start = _fit(model)
        fits.append(fit)
        upright.append(start)
    reads, meets = [*parts.places, *interfaces], [np.array(entity.parts, np.int64) for entity in parts.entities]
    tables += turned
    count = len(reads)
    (T,) = slab([sum(table.shape[1] * table.shape[2] for table in tables)], np.float32)
    R, R_0 = np.tile(np.eye(3), (2, count, 1, 1))
    B, U, V = np.zeros((3, 3, 3))
    return TurnedFactor(
        *_joined([*own, *interfaces]),
        *_joined(reads),
        np.cumsum([0, *(table.shape[1] * table.shape[2] for table in tables)]).astype(np.int64),
        np.hstack([table.reshape(9, -1) for table in tables]).astype(np.float32),
        T,
        np.ascontiguousarray(np.hstack(fits)),
        np.array(upright),
        *_joined(meets),
        R,
        R_0,
        shifts,
        N,
        float(sum(model.inertia.mass for model in parts.models)),
        np.ones(1),
        np.zeros(parts.size),
        np.zeros(max(map(len, reads))),
        np.zeros(3),
        B,
        U,
        V,
        np.zeros(3),
    )


def _joined(each: Iterable[Ids]) -> tuple[Ids, Ids]:
    """One after the other, and where each begins."""
    listed = [np.empty(0, np.int64), *each]
    return np.concatenate(listed).astype(np.int64), np.cumsum([len(ids) for ids in listed]).astype(np.int64)


def _turned_interface(parts: NonlinearParts, number: int, own: Ids) -> Array:
    """T_ab (9, k, k) of an interface with coordinates `own` (k,)."""
    columns = parts.trace.columns.tocsr()[dofs_of(parts.entities[number].vertices)].toarray()[:, own]
    inverse = np.linalg.pinv(columns).reshape(len(own), -1, 3)
    return np.einsum("iva,vbj->abij", inverse, columns.reshape(-1, 3, len(own))).reshape(9, len(own), len(own))


def _turned_inside(model: ReducedModel, boundary: Ids, interfaces: list[Ids], turned: list[Array]) -> Array:
    """T_ab (9, inner, r) of a part whose first coordinates are those of interfaces."""
    k, r = len(boundary), model.size
    shared = np.zeros((9, k, r))
    for own, table in zip(interfaces, turned):
        here = np.flatnonzero(np.isin(boundary, own))
        there = np.searchsorted(own, boundary[here])
        shared[:, here[:, None], here] = table[:, there[:, None], there]
    M, products = model.mass, model.inertia.W7.transpose(2, 3, 0, 1).reshape(9, r, r)
    return np.asarray(np.linalg.solve(M[k:, k:], products[:, k:] - M[k:, :k] @ shared))


def _fit(model: ReducedModel) -> tuple[Array, Array]:
    """`fits` (9, r) and `upright` (9,) of a part, over its mass."""
    inertia = model.inertia
    centre = inertia.first_moment / inertia.mass
    start = inertia.second_moment - np.outer(inertia.first_moment, centre)
    fit = inertia.W5 - np.einsum("al,b->lab", inertia.N, centre)
    return fit.reshape(-1, 9).T / inertia.mass, start.ravel() / inertia.mass


@counting
def begin_turning(turned, q):
    """The factor is made at q."""
    _find_rotations(turned, q)
    turned.R_0[:] = turned.R
    turned.same[0] = 1.0


@counting
def turn_along(turned, q):
    """T from where the factor was made to q, which is 1 where nothing has turned far; has it changed?"""
    _find_rotations(turned, q)
    far = 0.0
    for block in range(len(turned.upright)):
        trace = 0.0
        for k in range(9):
            trace += turned.R[block, k // 3, k % 3] * turned.R_0[block, k // 3, k % 3]
        far = max(far, 3.0 - trace)  # 2 - 2 cos of the angle
    before, turned.same[0] = turned.same[0], 1.0 if far < STILL * STILL else 0.0
    if turned.same[0] > 0:
        return before == 0
    B = turned.B
    for block in range(len(turned.R)):
        R, R_0 = turned.R[block], turned.R_0[block]
        for a in range(3):
            for b in range(3):
                B[a, b] = R[a, 0] * R_0[b, 0] + R[a, 1] * R_0[b, 1] + R[a, 2] * R_0[b, 2]
        _combine(turned.tables, B, turned.rows_at[block], turned.rows_at[block + 1], turned.T)
    return True


@quick_borrowing
def _combine(tables, R, first, last, T):
    """T[first:last] = sum_ab R_ab tables_ab[first:last]."""
    a, b, c = np.float32(R[0, 0]), np.float32(R[0, 1]), np.float32(R[0, 2])
    d, e, f = np.float32(R[1, 0]), np.float32(R[1, 1]), np.float32(R[1, 2])
    g, h, l = np.float32(R[2, 0]), np.float32(R[2, 1]), np.float32(R[2, 2])
    for k in range(first, last):
        upper = a * tables[0, k] + b * tables[1, k] + c * tables[2, k]
        middle = d * tables[3, k] + e * tables[4, k] + f * tables[5, k]
        T[k] = upper + middle + g * tables[6, k] + h * tables[7, k] + l * tables[8, k]


@borrowing
def solve_turned(turned, fronts, mass_factor, x):
    """Overwrite x (size,) by what is taken for A^-1 x; A e_k = mass_factor M e_k."""
    if turned.same[0] > 0:
        eliminate_again(fronts, x)
        return
    shifts, N, pulls = turned.shifts, turned.N, turned.pulls
    for k in range(len(N)):
        pulls[k] = dot(shifts[k], x) / turned.mass
    for k in range(len(N)):
        _add(-pulls[k], N[k], x)
    _solve_by_turns(turned, fronts, x)
    for k in range(len(N)):
        pulls[k] = pulls[k] / mass_factor - dot(N[k], x) / turned.mass
    for k in range(len(N)):
        _add(pulls[k], shifts[k], x)


@borrowing
def _add(factor, direction, x):
    for j in range(len(x)):
        x[j] += factor * direction[j]


@borrowing
def _solve_by_turns(turned, fronts, x):
    """Overwrite x by T A_0^-1 T^T x."""
    y, z = turned.x, turned.z
    for j in range(len(x)):
        y[j] = 0.0
    for block in range(len(turned.R)):
        at, start, width = turned.rows_at[block], turned.reads_at[block], _width(turned, block)
        for k in range(width):
            z[k] = 0.0
        _add_rows(turned.T, at, width, turned.own, turned.own_at[block], turned.own_at[block + 1], x, z)
        for k in range(width):
            y[turned.reads[start + k]] += z[k]
    eliminate_again(fronts, y)
    for block in range(len(turned.R)):
        at, start, width = turned.rows_at[block], turned.reads_at[block], _width(turned, block)
        for k in range(width):
            z[k] = y[turned.reads[start + k]]
        for i in range(turned.own_at[block], turned.own_at[block + 1]):
            x[turned.own[i]] = _dot_row(turned.T, at, width, z)
            at += width


@quick_borrowing
def _add_rows(T, at, width, own, first, last, x, z):
    """z += sum_i x[own[i]] T[at + i width : at + (i + 1) width], four rows at once."""
    i = first
    while i + 4 <= last:
        a, b, c, d = x[own[i]], x[own[i + 1]], x[own[i + 2]], x[own[i + 3]]
        for k in range(at, at + width):
            z[k - at] += T[k] * a + T[k + width] * b + T[k + 2 * width] * c + T[k + 3 * width] * d
        i, at = i + 4, at + 4 * width
    while i < last:
        for k in range(at, at + width):
            z[k - at] += T[k] * x[own[i]]
        i, at = i + 1, at + width


@quick_borrowing
def _dot_row(T, at, width, z):
    total = 0.0
    for k in range(width):
        total += T[at + k] * z[k]
    return total


@borrowing
def _width(turned, block):
    return turned.reads_at[block + 1] - turned.reads_at[block]


@counting
def _find_rotations(turned, q):
    """R of parts, and of interfaces that of the sum of these."""
    d, B = len(turned.upright), turned.B
    for i in range(d):
        for m in range(9):
            total = turned.upright[i, m]
            for k in range(turned.reads_at[i], turned.reads_at[i + 1]):
                total += turned.fits[m, k] * q[turned.reads[k]]
            B[m // 3, m % 3] = total
        polar_with(B, turned.R[i], turned.U, turned.stretches, turned.V)
    for e in range(len(turned.R) - d):
        B[:] = 0.0
        for k in range(turned.meets_at[e], turned.meets_at[e + 1]):
            for a in range(3):
                for b in range(3):
                    B[a, b] += turned.R[turned.meets[k], a, b]
        polar_with(B, turned.R[d + e], turned.U, turned.stretches, turned.V)
