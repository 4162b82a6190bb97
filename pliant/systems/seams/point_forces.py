"""Forces of parts from points with positive weights: firm StVK in octets of points, elastic and viscous in one pass.

    F = I + G z,  F' = G v,  E = (F^T F - I) / 2,  E' = sym(F^T F'),  C E = lam tr(E) I + 2 mu E
    f = sum w G^T P,    P = F C (E + beta E') + geometric beta F' C E

Points remember F, F' and w P, so that iterations of a step, which go from q to q + d and from v to v + a d, need one
product in single precision each way, of what is new (the rounding is of d, not of q):

    F+ = F + G d,    F'+ = F' + a G d,    f+ = f + sum G^T (w P+ - w P)

Without the geometric share, beta E' is a rate of strain: no rigid motion is damped, whatever the stress, and nothing is
ever gained. With it f' is beta K(q) v, Rayleigh's damping of a solid that is held. Crushed points add the terms of
`crushing`, whose share of the damping counts as geometric.
"""

from typing import NamedTuple, cast

import numpy as np

from pliant.errors import Array, Ids
from pliant.numerics.counting import borrowing
from pliant.numerics.simd8 import WIDTH, load8, spread8, store8, total8
from pliant.reduced.cubature import CubatureForce
from pliant.reduced.force import lower_rows, pitch_of, slab
from pliant.reduced.point_octets import add_columns, moved8
from pliant.systems.octets import CHUNK, add_back, moved, moved_both
from pliant.systems.seams.nonlinear_parts import NonlinearParts
from pliant.systems.seams.part_forces import starts_of, stretch
from pliant.systems.seams.point_answers import RATES, SEEN, STRESS, answer8, store9
from pliant.systems.seams.tall_points import TallPoints, row_length, tall_points
from pliant.systems.seams.turned_factor import TurnedFactor, turned_factor


class PointForces(NamedTuple):
    """All parts, one after the other; the first fields as of `Jets`.

    Attributes:
        jet: rows of K, of the state that the factor is for; K of the damping is in it, and `damping` is the same.
        octets_at: (d + 1,) where the octets of points of the parts begin; lam, mu, k: (8 octets,) weighted.
        J0: (8 octets,) of `crushing`.
        first_at: (d + 1,) where gradients begin: by octet, coordinate, component, point.
        lanes: (8 r,) of the largest.
        tall: gradients of another layout, and room to make a stiffness. turned: how a kept factor turns.
        seen: (SEEN octets,) F, F' and w P of the points where they were last summed; seen_q, seen_force: (size,) there.
        speeds: vectors, as z. energy: (d,) W [J].
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
    turned: TurnedFactor
    seen: Array
    seen_q: Array
    seen_force: Array
    energy: Array
    geometric: float
    kept_for: Array


def points_of(parts: NonlinearParts, geometric: bool, shifts: Array, N: Array) -> PointForces:
    """Lay out parts with cubature; shifts and N as of `TurnedFactor`."""
    models, reads = parts.models, parts.places
    n = np.array([model.size + 1 for model in models])
    pitch = np.array([pitch_of(int(k)) for k in n])
    laws = [cast(CubatureForce, model.force_law) for model in models]
    octets = np.array([-(-len(law.weights) // WIDTH) for law in laws])
    vectors, rows = starts_of(pitch), starts_of(n * pitch)
    firsts = np.concatenate([[0], np.cumsum(octets * CHUNK * (n - 1))])
    octets_at = np.concatenate([[0], np.cumsum(octets)])
    sizes = [rows[-1], *[vectors[-1]] * 2, rows[-1]]
    mass, z, speeds, jet = slab([int(size) for size in sizes], np.float64)
    size = 1 + max(int(own.max()) for own in reads)
    lengths = [*[WIDTH * octets_at[-1]] * 4, firsts[-1], WIDTH * (n.max() - 1), SEEN * octets_at[-1], size, size]
    made = slab([int(length) for length in lengths], np.float64)
    lam, mu, k, J0, gradients, lanes, seen, seen_q, seen_force = made
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
        turned_factor(parts, shifts, N),
        seen,
        seen_q,
        seen_force,
        np.zeros(len(models)),
        float(geometric),
        np.zeros(9),
    )


@borrowing
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
    for j in range(len(force)):
        points.seen_q[j], points.seen_force[j] = q[j], force[j]


@borrowing
def follow_point_forces(points, q, rate, beta, force):
    """The same near where the points were last summed with this beta: v has gone `rate` [1/s] times as far as q."""
    for j in range(len(force)):
        force[j] = points.seen_force[j]
    tall = points.tall
    for i in range(len(points.n)):
        start, r = points.reads_at[i], points.n[i] - 1
        pitch = row_length(points, i)
        for k in range(r):
            own = points.reads[start + k]
            tall.way[k], tall.force[k] = q[own] - points.seen_q[own], 0.0
        for k in range(r, pitch):
            tall.way[k] = 0.0
        points.energy[i] = _follow_octets(points, i, r, pitch, rate, beta)
        for k in range(r):
            force[points.reads[start + k]] += tall.force[k]
    for j in range(len(force)):
        points.seen_q[j], points.seen_force[j] = q[j], force[j]


@borrowing
def _add_octets(points, i, r, z, speeds, beta):
    """Forces of one part into points.lanes, a sum of eight each; returns its energy."""
    G, energy = points.gradients, spread8(0.0)
    for octet in range(points.octets_at[i], points.octets_at[i + 1]):
        at = points.first_at[i] + (octet - points.octets_at[i]) * CHUNK * r
        if beta > 0:
            (a, b, c, d, e, f, g, h, l), (A, B, C, D, E, F, H, I, J) = moved_both(G, at, r, z, speeds)
            store9(points.seen, SEEN * octet + RATES, A, B, C, D, E, F, H, I, J)
        else:
            a, b, c, d, e, f, g, h, l = moved(G, at, r, z)
        store9(points.seen, SEEN * octet, a + 1.0, b, c, d, e + 1.0, f, g, h, l + 1.0)
        own, (p1, p2, p3, p4, p5, p6, p7, p8, p9) = answer8(points, octet, beta)
        energy += own
        store9(points.seen, SEEN * octet + STRESS, p1, p2, p3, p4, p5, p6, p7, p8, p9)
        add_back(G, at, r, points.lanes, p1, p2, p3, p4, p5, p6, p7, p8, p9)
    return total8(energy)


@borrowing
def _follow_octets(points, i, r, pitch, rate, beta):
    """What is new in the forces of one part into points.tall.force; returns its energy."""
    tall, seen, energy = points.tall, points.seen, spread8(0.0)
    for octet in range(points.octets_at[i], points.octets_at[i + 1]):
        at, first = SEEN * octet, tall.first_at[i] + (octet - points.octets_at[i]) * CHUNK * pitch
        moved8(tall.gradients, first, pitch, tall.way, tall.turned, 0)
        for k in range(0, CHUNK, WIDTH):
            new = load8(tall.turned, k)
            store8(seen, at + k, load8(seen, at + k) + new)
            store8(seen, at + RATES + k, load8(seen, at + RATES + k) + rate * new)
        own, (p1, p2, p3, p4, p5, p6, p7, p8, p9) = answer8(points, octet, beta)
        energy += own
        store9(tall.turned, 0, p1, p2, p3, p4, p5, p6, p7, p8, p9)
        for k in range(0, CHUNK, WIDTH):
            new = load8(tall.turned, k)
            store8(tall.answers, k, new - load8(seen, at + STRESS + k))
            store8(seen, at + STRESS + k, new)
        add_columns(tall.gradients, first, pitch, r, tall.answers, tall.sums)
        for k in range(0, r, WIDTH):
            store8(tall.force, k, load8(tall.force, k) + load8(tall.sums, k))
    return total8(energy)
