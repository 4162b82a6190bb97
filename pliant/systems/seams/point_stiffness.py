"""The stiffness of parts from points: nine answers of every point, and what they make of all coordinates.

    K = sum w G^T dP G,   dP = F ((1 + a4 beta) C sym(F^T dF)) + dF C (E + beta E')

with the letters of `point_forces`. In single precision: steps measure their residual in double, and only their path
depends on K.
"""

from numba import njit

from pliant.numerics.counting import counting
from pliant.numerics.gram import add_lower_product
from pliant.numerics.simd8 import WIDTH, load8, store8, total8
from pliant.numerics.simd8_matrices import MATRICES
from pliant.reduced.point_octets import DERIVATIVE, multiply_columns
from pliant.systems.octets import CHUNK, rate_of, strain_of
from pliant.systems.seams.crushing import along8, cofactor_changes8, cofactors8, lack8
from pliant.systems.seams.point_answers import RATES, SEEN, load9
from pliant.systems.seams.tall_points import row_length


@njit(cache=True, nogil=True)
def fill_stiffness(points, beta, a4):
    """Rows of K into points.jet, where the points were last summed: what d f / d q is but for its unsymmetric part, v
    moving along by a4.
    """
    for i in range(len(points.n)):
        _fill_part(points, i, beta, a4)


@counting
def _fill_part(points, i, beta, a4):
    r, tall, pitch = points.n[i] - 1, points.tall, row_length(points, i)
    for k in range(pitch * pitch):
        tall.square[k] = 0.0
    for octet in range(points.octets_at[i + 1] - points.octets_at[i]):
        _find_answers(points, points.octets_at[i] + octet, beta, a4)
        at = tall.first_at[i] + octet * CHUNK * pitch
        multiply_columns(tall.gradients, at, pitch, r, tall.answers, tall.slopes, tall.sums)
        add_lower_product(tall.gradients, at, tall.slopes, 0, CHUNK, pitch, r, tall.square)
    first, length = points.rows_at[i], points.vectors_at[i + 1] - points.vectors_at[i]
    for j in range(r):
        row = first + (j + 1) * length + 1
        for k in range(j):
            points.jet[row + k] = tall.square[j * pitch + k]
        points.jet[row + j] = 0.5 * tall.square[j * pitch + j]


@njit(cache=True, nogil=True)
def _find_answers(points, octet, beta, a4):
    """w dP/dF of an octet of points into points.tall.answers."""
    units, out = points.tall.units, points.tall.answers
    viscous = 1 + a4 * beta
    turning = 1 + a4 * beta * points.geometric
    a, b, c, d, e, f, g, h, l = load9(points.seen, SEEN * octet)
    lam, mu = load8(points.lam, WIDTH * octet), load8(points.mu, WIDTH * octet)
    xx, yy, zz, yz, xz, xy = strain_of(a, b, c, d, e, f, g, h, l)
    trace = lam * (xx + yy + zz)
    xx, yy, zz = turning * (trace + 2 * mu * xx), turning * (trace + 2 * mu * yy), turning * (trace + 2 * mu * zz)
    yz, xz, xy = turning * 2 * mu * yz, turning * 2 * mu * xz, turning * 2 * mu * xy
    if beta > 0:
        A, B, C, D, E, F, H, I, J = load9(points.seen, SEEN * octet + RATES)
        rx, ry, rz, ryz, rxz, rxy = rate_of(a, b, c, d, e, f, g, h, l, A, B, C, D, E, F, H, I, J)
        bulk = beta * lam * (rx + ry + rz)
        shear = 2 * beta * mu
        xx, yy, zz = xx + bulk + shear * rx, yy + bulk + shear * ry, zz + bulk + shear * rz
        yz, xz, xy = yz + shear * ryz, xz + shear * rxz, xy + shear * rxy
    lam, mu = viscous * lam, viscous * 2 * mu
    for k in range(9):
        x, y = k * CHUNK, DERIVATIVE + WIDTH * k
        A, B, C = load8(units, x), load8(units, x + 8), load8(units, x + 16)
        D, E, F = load8(units, x + 24), load8(units, x + 32), load8(units, x + 40)
        H, I, J = load8(units, x + 48), load8(units, x + 56), load8(units, x + 64)
        rx, ry, rz, ryz, rxz, rxy = rate_of(a, b, c, d, e, f, g, h, l, A, B, C, D, E, F, H, I, J)
        bulk = lam * (rx + ry + rz)
        rx, ry, rz = bulk + mu * rx, bulk + mu * ry, bulk + mu * rz
        ryz, rxz, rxy = mu * ryz, mu * rxz, mu * rxy
        store8(out, y, a * rx + b * rxy + c * rxz + A * xx + B * xy + C * xz)
        store8(out, y + MATRICES, a * rxy + b * ry + c * ryz + A * xy + B * yy + C * yz)
        store8(out, y + 2 * MATRICES, a * rxz + b * ryz + c * rz + A * xz + B * yz + C * zz)
        store8(out, y + 3 * MATRICES, d * rx + e * rxy + f * rxz + D * xx + E * xy + F * xz)
        store8(out, y + 4 * MATRICES, d * rxy + e * ry + f * ryz + D * xy + E * yy + F * yz)
        store8(out, y + 5 * MATRICES, d * rxz + e * ryz + f * rz + D * xz + E * yz + F * zz)
        store8(out, y + 6 * MATRICES, g * rx + h * rxy + l * rxz + H * xx + I * xy + J * xz)
        store8(out, y + 7 * MATRICES, g * rxy + h * ry + l * ryz + H * xy + I * yy + J * yz)
        store8(out, y + 8 * MATRICES, g * rxz + h * ryz + l * rz + H * xz + I * yz + J * zz)
    _add_crushing_answers(points, octet, turning, a, b, c, d, e, f, g, h, l)


@njit(cache=True, nogil=True)
def _add_crushing_answers(points, octet, turning, a, b, c, d, e, f, g, h, l):
    """What the points of an octet that are crushed add to points.tall.answers."""
    J0 = load8(points.J0, WIDTH * octet)
    lack = lack8(a, b, c, d, e, f, g, h, l, J0)
    if not total8(lack) > 0:
        return
    units, out, bulk = points.tall.units, points.tall.answers, turning * lack * load8(points.k, WIDTH * octet)
    pressure, bulk = -lack * bulk, 2.0 * bulk / J0
    cofactors = cofactors8(a, b, c, d, e, f, g, h, l)
    for k in range(9):
        x, y = k * CHUNK, DERIVATIVE + WIDTH * k
        A, B, C = load8(units, x), load8(units, x + 8), load8(units, x + 16)
        D, E, F = load8(units, x + 24), load8(units, x + 32), load8(units, x + 40)
        H, I, J = load8(units, x + 48), load8(units, x + 56), load8(units, x + 64)
        c1, c2, c3, c4, c5, c6, c7, c8, c9 = cofactors
        along = bulk * along8(c1, c2, c3, c4, c5, c6, c7, c8, c9, A, B, C, D, E, F, H, I, J)
        changes = cofactor_changes8(a, b, c, d, e, f, g, h, l, A, B, C, D, E, F, H, I, J)
        for m in range(9):
            to = y + MATRICES * m
            store8(out, to, load8(out, to) + along * cofactors[m] + pressure * changes[m])
