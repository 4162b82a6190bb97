"""Forces of parts from points with positive weights: firm StVK in octets of points, elastic and viscous in one pass.

    F = I + G z,  F' = G v,  E = (F^T F - I) / 2,  E' = sym(F^T F'),  C E = lam tr(E) I + 2 mu E
    f = sum w G^T (F C (E + beta E') + geometric beta F' C E)

Without the geometric share, beta E' is a rate of strain: no rigid motion is damped, whatever the stress, and nothing is
ever gained. With it f' is beta K(q) v, Rayleigh's damping of a solid that is held. Crushed points add the terms of
`crushing`, whose share of the damping counts as geometric.
"""

from collections.abc import Sequence
from typing import NamedTuple, cast

import numpy as np
from numba import njit

from pliant.errors import Array, Ids
from pliant.numerics.simd8 import WIDTH, load8, spread8, total8
from pliant.reduced import ReducedModel
from pliant.reduced.cubature import CubatureForce
from pliant.reduced.force import lower_rows, pitch_of, slab
from pliant.systems.octets import CHUNK, add_back, moved, moved_both, rate_of, strain_of
from pliant.systems.seams.crushing import along8, cofactor_changes8, cofactors8, lack8
from pliant.systems.seams.part_forces import starts_of, stretch
from pliant.systems.seams.tall_points import TallPoints, tall_points


class PointForces(NamedTuple):
    """All parts, one after the other; the first fields as of `Jets`.

    Attributes:
        jet: rows of K, of the state that the factor is for; K of the damping is in it, and `damping` is the same.
        octets_at: (d + 1,) where the octets of points of the parts begin; lam, mu, k: (8 octets,) weighted.
        J0: (8 octets,) of `crushing`.
        first_at: (d + 1,) where gradients begin: by octet, coordinate, component, point.
        lanes: (8 r,) of the largest.
        tall: room to make a stiffness.
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
    lanes: Array
    tall: TallPoints
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
    sizes = [rows[-1], *[vectors[-1]] * 2, rows[-1]]
    mass, z, speeds, jet = slab([int(size) for size in sizes], np.float64)
    lengths = [*[WIDTH * octets_at[-1]] * 4, firsts[-1], WIDTH * (n.max() - 1)]
    lam, mu, k, J0, gradients, lanes = slab([int(size) for size in lengths], np.float64)
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
        lanes,
        tall_points([law.gradients for law in laws]),
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
