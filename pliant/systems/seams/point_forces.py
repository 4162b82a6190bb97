"""Forces of parts from points with positive weights: firm StVK in octets of points, elastic and viscous in one pass.

    F = I + G z,  F' = G v,  E = (F^T F - I) / 2,  E' = sym(F^T F'),  C E = lam tr(E) I + 2 mu E
    f = sum w G^T (F C (E + beta E') + geometric beta F' C E)
    K = sum w G^T dP G,   dP = F ((1 + a4 beta) C sym(F^T dF)) + dF C (E + beta E')

Without the geometric share, beta E' is a rate of strain: no rigid motion is damped, whatever the stress, and nothing is
ever gained. With it f' is beta K(q) v, Rayleigh's damping of a solid that is held. Crushed points add the terms of
`crushing`, whose share of the damping counts as geometric.
"""

from collections.abc import Sequence
from typing import NamedTuple, cast

import numpy as np
from numba import njit

from pliant.errors import Array, Ids
from pliant.numerics.counting import counting
from pliant.numerics.simd8 import WIDTH, load8, spread8, store8, total8
from pliant.reduced import ReducedModel
from pliant.reduced.cubature import CubatureForce
from pliant.reduced.force import lower_rows, pitch_of, slab
from pliant.systems.octets import CHUNK, add_back, moved, moved_both, rate_of, strain_of
from pliant.systems.seams.crushing import along8, cofactor_changes8, cofactors8, lack8
from pliant.systems.seams.part_forces import starts_of, stretch

FAIR = 0.04  # of the largest square of a residual: parts with less keep their stiffness
BAND = 24  # rows of K at a time: only what lies below the diagonal is wanted


class PointForces(NamedTuple):
    """All parts, one after the other; the first fields as of `Jets`.

    Attributes:
        jet: rows of K, of the state that the factor is for; K of the damping is in it, and `damping` is the same.
        octets_at: (d + 1,) where the octets of points of the parts begin; lam, mu, k: (8 octets,) weighted.
        J0: (8 octets,) of `crushing`.
        first_at: (d + 1,) where gradients begin: by octet, coordinate, component, point in `gradients`, by coordinate,
            octet, component, point in `wide`, which is single.
        slopes: (72 r,) dP of an octet. wide_slopes: as `wide`, of the largest part. square: (r r,), rows of K.
        lanes: (8 r,) of the largest.
        speeds: vectors, as z. energy: (d,) W [J]. shares: (d,) of the residual.
        geometric: 1 with the geometric share of damping, 0 without.
        kept_for: (9,) whether a factor is kept, the mass factor, a4 and beta it was made for; the residual where this
            step began to use it, whether it was made in this step, and in which iteration; how many that step took with
            it, and how many more later ones did.
    """

    n: Ids
    reads: Ids
    reads_at: Ids
    vectors_at: Ids
    rows_at: Ids
    mass: Array
    z: Array
    speeds: Array
    jet: Array
    damping: Array
    octets_at: Ids
    first_at: Ids
    lam: Array
    mu: Array
    k: Array
    J0: Array
    gradients: Array
    wide: Array
    slopes: Array
    wide_slopes: Array
    square: Array
    lanes: Array
    energy: Array
    shares: Array
    geometric: float
    kept_for: Array


def points_of(models: Sequence[ReducedModel], reads: Sequence[Ids], geometric: bool) -> PointForces:
    """Lay out models with cubature whose coordinates are q[reads]."""
    n = np.array([model.size + 1 for model in models])
    pitch = np.array([pitch_of(int(k)) for k in n])
    laws = [cast(CubatureForce, model.force_law) for model in models]
    octets = np.array([-(-len(law.weights) // WIDTH) for law in laws])
    vectors, rows = starts_of(pitch), starts_of(n * pitch)
    firsts = np.concatenate([[0], np.cumsum(octets * CHUNK * (n - 1))])
    octets_at = np.concatenate([[0], np.cumsum(octets)])
    most, largest = int(n.max()) - 1, int((octets * CHUNK * (n - 1)).max())
    sizes = [rows[-1], *[vectors[-1]] * 2, rows[-1]]
    mass, z, speeds, jet = slab([int(size) for size in sizes], np.float64)
    lengths = [*[WIDTH * octets_at[-1]] * 4, firsts[-1], CHUNK * most, WIDTH * most]
    lam, mu, k, J0, gradients, slopes, lanes = slab([int(size) for size in lengths], np.float64)
    wide, wide_slopes, square = slab([int(size) for size in (firsts[-1], largest, most * most)], np.float32)
    J0[:] = 1.0
    for i, (model, law) in enumerate(zip(models, laws)):
        r = model.size
        count, own = len(law.weights), slice(WIDTH * octets_at[i], WIDTH * octets_at[i] + len(law.weights))
        constants = law.compiled().parameters
        lam[own], mu[own] = law.weights * constants.lam[:count], law.weights * constants.mu[:count]
        k[own], J0[own] = law.weights * constants.k[:count], constants.J0[:count]
        G = np.zeros((WIDTH * octets[i], 9, r))
        G[:count] = law.gradients
        blocks = G.reshape(octets[i], WIDTH, 9, r)
        gradients[firsts[i] : firsts[i + 1]] = blocks.transpose(0, 3, 2, 1).ravel()
        wide[firsts[i] : firsts[i + 1]] = blocks.transpose(3, 0, 2, 1).ravel()
        mass[rows[i] : rows[i] + n[i] * pitch[i]] = lower_rows(model.mass, np.float64)
    return PointForces(
        n.astype(np.int64),
        np.concatenate(reads).astype(np.int64),
        np.concatenate([[0], np.cumsum([len(r) for r in reads])]).astype(np.int64),
        vectors,
        rows,
        mass,
        z,
        speeds,
        jet,
        jet,
        octets_at.astype(np.int64),
        firsts.astype(np.int64),
        lam,
        mu,
        k,
        J0,
        gradients,
        wide,
        slopes,
        wide_slopes,
        square,
        lanes,
        np.zeros(len(models)),
        np.zeros(len(models)),
        float(geometric),
        np.zeros(9),
    )


@njit(cache=True, nogil=True)
def sum_point_forces(points, q, v, beta, force):
    """Elastic and viscous force into `force` (size,), and the energies of the parts."""
    for j in range(len(force)):
        force[j] = 0.0
    for i in range(len(points.n)):
        start, r = points.reads_at[i], points.n[i] - 1
        z, speeds = stretch(points.z, points.vectors_at, i), stretch(points.speeds, points.vectors_at, i)
        for k in range(r):
            z[k], speeds[k] = q[points.reads[start + k]], v[points.reads[start + k]]
        for k in range(WIDTH * r):
            points.lanes[k] = 0.0
        points.energy[i] = _add_octets(points, i, r, z, speeds, beta)
        for k in range(r):
            force[points.reads[start + k]] += total8(load8(points.lanes, WIDTH * k))


@njit(cache=True, nogil=True)
def _add_octets(points, i, r, z, speeds, beta):
    """Forces of one part into points.lanes, a sum of eight each; returns its energy."""
    G, energy = points.gradients, spread8(0.0)
    share = beta * points.geometric
    for octet in range(points.octets_at[i], points.octets_at[i + 1]):
        at = points.first_at[i] + (octet - points.octets_at[i]) * CHUNK * r
        if beta > 0:
            (a, b, c, d, e, f, g, h, l), (A, B, C, D, E, F, H, I, J) = moved_both(G, at, r, z, speeds)
        else:
            a, b, c, d, e, f, g, h, l = moved(G, at, r, z)
            A = B = C = D = E = F = H = I = J = spread8(0.0)
        a, e, l = a + 1.0, e + 1.0, l + 1.0
        lam, mu = load8(points.lam, WIDTH * octet), load8(points.mu, WIDTH * octet)
        xx, yy, zz, yz, xz, xy = strain_of(a, b, c, d, e, f, g, h, l)
        trace = lam * (xx + yy + zz)
        energy += 0.5 * trace * (xx + yy + zz) + mu * (xx * xx + yy * yy + zz * zz + 2 * (yz * yz + xz * xz + xy * xy))
        xx, yy, zz = trace + 2 * mu * xx, trace + 2 * mu * yy, trace + 2 * mu * zz
        yz, xz, xy = 2 * mu * yz, 2 * mu * xz, 2 * mu * xy
        if beta > 0:
            p1, p2, p3 = A * xx + B * xy + C * xz, A * xy + B * yy + C * yz, A * xz + B * yz + C * zz
            p4, p5, p6 = D * xx + E * xy + F * xz, D * xy + E * yy + F * yz, D * xz + E * yz + F * zz
            p7, p8, p9 = H * xx + I * xy + J * xz, H * xy + I * yy + J * yz, H * xz + I * yz + J * zz
            rx, ry, rz, ryz, rxz, rxy = rate_of(a, b, c, d, e, f, g, h, l, A, B, C, D, E, F, H, I, J)
            bulk = beta * lam * (rx + ry + rz)
            shear = 2 * beta * mu
            xx, yy, zz = xx + bulk + shear * rx, yy + bulk + shear * ry, zz + bulk + shear * rz
            yz, xz, xy = yz + shear * ryz, xz + shear * rxz, xy + shear * rxy
        else:
            p1 = p2 = p3 = p4 = p5 = p6 = p7 = p8 = p9 = spread8(0.0)
        p1, p2, p3 = (
            share * p1 + a * xx + b * xy + c * xz,
            share * p2 + a * xy + b * yy + c * yz,
            share * p3 + a * xz + b * yz + c * zz,
        )
        p4, p5, p6 = (
            share * p4 + d * xx + e * xy + f * xz,
            share * p5 + d * xy + e * yy + f * yz,
            share * p6 + d * xz + e * yz + f * zz,
        )
        p7, p8, p9 = (
            share * p7 + g * xx + h * xy + l * xz,
            share * p8 + g * xy + h * yy + l * yz,
            share * p9 + g * xz + h * yz + l * zz,
        )
        J0 = load8(points.J0, WIDTH * octet)
        lack = lack8(a, b, c, d, e, f, g, h, l, J0)
        if total8(lack) > 0:
            pressure = -lack * lack * load8(points.k, WIDTH * octet)
            energy += -pressure * lack * J0 / 3.0
            c1, c2, c3, c4, c5, c6, c7, c8, c9 = cofactors8(a, b, c, d, e, f, g, h, l)
            along = along8(c1, c2, c3, c4, c5, c6, c7, c8, c9, A, B, C, D, E, F, H, I, J)
            bulk = pressure + share * 2.0 * lack * load8(points.k, WIDTH * octet) / J0 * along
            A, B, C, D, E, F, H, I, J = cofactor_changes8(a, b, c, d, e, f, g, h, l, A, B, C, D, E, F, H, I, J)
            pressure = share * pressure
            p1, p2, p3 = p1 + bulk * c1 + pressure * A, p2 + bulk * c2 + pressure * B, p3 + bulk * c3 + pressure * C
            p4, p5, p6 = p4 + bulk * c4 + pressure * D, p5 + bulk * c5 + pressure * E, p6 + bulk * c6 + pressure * F
            p7, p8, p9 = p7 + bulk * c7 + pressure * H, p8 + bulk * c8 + pressure * I, p9 + bulk * c9 + pressure * J
        add_back(G, at, r, points.lanes, p1, p2, p3, p4, p5, p6, p7, p8, p9)
    return total8(energy)


@njit(cache=True, nogil=True)
def fill_stiffness(points, q, v, beta, a4, residual, whole):
    """Rows of K at q and v into points.jet: what d f / d q is, v moving along by a4, but for its unsymmetric part.

    In single precision: steps measure their residual in double, and only their path depends on K.

    Args:
        whole: of all parts; else of those that have a fair share of the residual (size,).
    """
    largest = 0.0
    for i in range(len(points.n)):
        points.shares[i] = _share(points, i, residual)
        largest = max(largest, points.shares[i])
    for i in range(len(points.n)):
        if whole or points.shares[i] > FAIR * largest:
            _fill_part(points, i, q, v, beta, a4)


@njit(cache=True, nogil=True)
def _share(points, i, residual):
    """Square of the residual of a part's coordinates."""
    square = 0.0
    for k in range(points.reads_at[i], points.reads_at[i + 1]):
        square += residual[points.reads[k]] ** 2
    return square


@counting
def _fill_part(points, i, q, v, beta, a4):
    start, r = points.reads_at[i], points.n[i] - 1
    z, speeds = stretch(points.z, points.vectors_at, i), stretch(points.speeds, points.vectors_at, i)
    for k in range(r):
        z[k], speeds[k] = q[points.reads[start + k]], v[points.reads[start + k]]
    width = (points.octets_at[i + 1] - points.octets_at[i]) * CHUNK
    _slopes(points, i, r, width, z, speeds, beta, a4)
    wide = points.wide[points.first_at[i] : points.first_at[i + 1]].reshape((r, width))
    slopes = points.wide_slopes[: r * width].reshape((r, width))
    first, pitch = points.rows_at[i], points.vectors_at[i + 1] - points.vectors_at[i]
    for top in range(0, r, BAND):
        end = min(top + BAND, r)
        square = points.square[: (end - top) * end].reshape((end - top, end))
        np.dot(wide[top:end], slopes[:end].T, square)
        for j in range(top, end):
            row = first + (j + 1) * pitch + 1
            for k in range(j):
                points.jet[row + k] = square[j - top, k]
            points.jet[row + j] = 0.5 * square[j - top, j]


@njit(cache=True, nogil=True)
def _slopes(points, i, r, width, z, speeds, beta, a4):
    """dP of every coordinate of one part into points.wide_slopes."""
    G, out = points.gradients, points.slopes
    viscous = 1 + a4 * beta
    turning = 1 + a4 * beta * points.geometric
    for octet in range(points.octets_at[i], points.octets_at[i + 1]):
        block = (octet - points.octets_at[i]) * CHUNK
        at = points.first_at[i] + block * r
        a, b, c, d, e, f, g, h, l = moved(G, at, r, z)
        a, e, l = a + 1.0, e + 1.0, l + 1.0
        lam, mu = load8(points.lam, WIDTH * octet), load8(points.mu, WIDTH * octet)
        xx, yy, zz, yz, xz, xy = strain_of(a, b, c, d, e, f, g, h, l)
        trace = lam * (xx + yy + zz)
        xx, yy, zz = turning * (trace + 2 * mu * xx), turning * (trace + 2 * mu * yy), turning * (trace + 2 * mu * zz)
        yz, xz, xy = turning * 2 * mu * yz, turning * 2 * mu * xz, turning * 2 * mu * xy
        if beta > 0:
            A, B, C, D, E, F, H, I, J = moved(G, at, r, speeds)
            rx, ry, rz, ryz, rxz, rxy = rate_of(a, b, c, d, e, f, g, h, l, A, B, C, D, E, F, H, I, J)
            bulk = beta * lam * (rx + ry + rz)
            shear = 2 * beta * mu
            xx, yy, zz = xx + bulk + shear * rx, yy + bulk + shear * ry, zz + bulk + shear * rz
            yz, xz, xy = yz + shear * ryz, xz + shear * rxz, xy + shear * rxy
        lam, mu = viscous * lam, viscous * 2 * mu
        for k in range(r):
            x = at + k * CHUNK
            A, B, C = load8(G, x), load8(G, x + 8), load8(G, x + 16)
            D, E, F = load8(G, x + 24), load8(G, x + 32), load8(G, x + 40)
            H, I, J = load8(G, x + 48), load8(G, x + 56), load8(G, x + 64)
            rx, ry, rz, ryz, rxz, rxy = rate_of(a, b, c, d, e, f, g, h, l, A, B, C, D, E, F, H, I, J)
            bulk = lam * (rx + ry + rz)
            rx, ry, rz = bulk + mu * rx, bulk + mu * ry, bulk + mu * rz
            ryz, rxz, rxy = mu * ryz, mu * rxz, mu * rxy
            y = k * CHUNK
            store8(out, y, a * rx + b * rxy + c * rxz + A * xx + B * xy + C * xz)
            store8(out, y + 8, a * rxy + b * ry + c * ryz + A * xy + B * yy + C * yz)
            store8(out, y + 16, a * rxz + b * ryz + c * rz + A * xz + B * yz + C * zz)
            store8(out, y + 24, d * rx + e * rxy + f * rxz + D * xx + E * xy + F * xz)
            store8(out, y + 32, d * rxy + e * ry + f * ryz + D * xy + E * yy + F * yz)
            store8(out, y + 40, d * rxz + e * ryz + f * rz + D * xz + E * yz + F * zz)
            store8(out, y + 48, g * rx + h * rxy + l * rxz + H * xx + I * xy + J * xz)
            store8(out, y + 56, g * rxy + h * ry + l * ryz + H * xy + I * yy + J * yz)
            store8(out, y + 64, g * rxz + h * ryz + l * rz + H * xz + I * yz + J * zz)
        _add_crushing_slopes(points, octet, at, r, turning, a, b, c, d, e, f, g, h, l)
        for k in range(r):
            for m in range(CHUNK):
                points.wide_slopes[k * width + block + m] = out[k * CHUNK + m]


@njit(cache=True, nogil=True)
def _add_crushing_slopes(points, octet, at, r, turning, a, b, c, d, e, f, g, h, l):
    """What the points of an octet that are crushed add to points.slopes."""
    J0 = load8(points.J0, WIDTH * octet)
    lack = lack8(a, b, c, d, e, f, g, h, l, J0)
    if not total8(lack) > 0:
        return
    G, out, bulk = points.gradients, points.slopes, turning * lack * load8(points.k, WIDTH * octet)
    pressure, bulk = -lack * bulk, 2.0 * bulk / J0
    cofactors = cofactors8(a, b, c, d, e, f, g, h, l)
    for k in range(r):
        x, y = at + k * CHUNK, k * CHUNK
        A, B, C = load8(G, x), load8(G, x + 8), load8(G, x + 16)
        D, E, F = load8(G, x + 24), load8(G, x + 32), load8(G, x + 40)
        H, I, J = load8(G, x + 48), load8(G, x + 56), load8(G, x + 64)
        c1, c2, c3, c4, c5, c6, c7, c8, c9 = cofactors
        along = bulk * along8(c1, c2, c3, c4, c5, c6, c7, c8, c9, A, B, C, D, E, F, H, I, J)
        changes = cofactor_changes8(a, b, c, d, e, f, g, h, l, A, B, C, D, E, F, H, I, J)
        for m in range(9):
            store8(out, y + 8 * m, load8(out, y + 8 * m) + along * cofactors[m] + pressure * changes[m])
