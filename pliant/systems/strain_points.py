"""Damping that brakes rates of strain and nothing else, of reduced parts: at points with positive weights.

    F = I + G q,  F' = G v,  E' = sym(F^T F'),  C E = lam tr(E) I + 2 mu E
    f = beta sum w G^T F C E' = beta D(q) v,    D = sum w B^T C B,  B = sym(F^T G)

The law of `fem.viscosity`. Whatever the points are, D is never negative, and a velocity that strains none of them is
not braked; at rest D is K.

C has a root of its own kind, so that D is one product of a matrix with itself:

    E : C E = |S|^2,    S = sqrt(2 mu) (E + t tr(E) I),    3 t^2 + 2 t = lam / (2 mu)
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from pliant.errors import Array, Ids
from pliant.numerics.counting import borrowing
from pliant.numerics.inner import inner
from pliant.numerics.simd8 import WIDTH, load8, spread8, store8, total8
from pliant.reduced.force import slab
from pliant.systems.octets import CHUNK, add_back, moved, moved_both, rate_of

LAWS = ("strain", "stiffness")  # what beta damps: rates of strain, or K(q) v
COMPONENTS, BLOCK = 6, 4  # of a strain; rows and columns of D that are summed together
ROOT2 = 2**0.5


class StrainRule(NamedTuple):
    """Points of one part: gradients G (p, 9, r) [1/m], and lam, mu (p,) times their volumes [J]."""

    gradients: Array
    lam: Array
    mu: Array


class StrainPoints(NamedTuple):
    """Points of all parts, one part after the other; of none where there is nothing to damp.

    Attributes:
        octets_at: (d + 1,) where the octets of the parts begin. first_at: (d + 1,) where their gradients begin.
        gradients: by octet, coordinate, component, point. shear, bulk: (8 octets,) sqrt(2 mu) and t.
        roots: S of the largest, by coordinate, octet, component, point, in whole BLOCKs.
    """

    octets_at: Ids
    first_at: Ids
    gradients: Array
    shear: Array
    bulk: Array
    roots: Array


def strain_points(rules: Sequence[StrainRule]) -> StrainPoints:
    """Lay out the points of parts; without rules, of none."""
    sizes = [rule.gradients.shape[2] for rule in rules]
    octets = [-(-len(rule.lam) // WIDTH) for rule in rules]
    octets_at = np.cumsum([0, *octets]).astype(np.int64)
    first_at = np.cumsum([0, *(CHUNK * count * r for count, r in zip(octets, sizes))]).astype(np.int64)
    lengths = [int(first_at[-1]), *[WIDTH * int(octets_at[-1])] * 2]
    largest = max((COMPONENTS * WIDTH * count * (r + BLOCK) for count, r in zip(octets, sizes)), default=0)
    gradients, shear, bulk, roots = slab([*lengths, largest], np.float64)
    for i, rule in enumerate(rules):
        count, own = len(rule.lam), slice(WIDTH * octets_at[i], WIDTH * octets_at[i] + len(rule.lam))
        ratio = np.divide(rule.lam, rule.mu, out=np.zeros(count), where=rule.mu > 0)
        shear[own], bulk[own] = np.sqrt(2 * rule.mu), (np.sqrt(1 + 1.5 * ratio) - 1) / 3
        G = np.zeros((WIDTH * octets[i], 9, sizes[i]))
        G[:count] = rule.gradients
        blocks = G.reshape(octets[i], WIDTH, 9, sizes[i]).transpose(0, 3, 2, 1)
        gradients[first_at[i] : first_at[i + 1]] = blocks.ravel()
    return StrainPoints(octets_at, first_at, gradients, shear, bulk, roots)


def rate_damping(rule: StrainRule, q: Array) -> Array:
    """D (r, r) at q (r,): symmetric, semidefinite, and zero for every rigid velocity."""
    G, count = rule.gradients, len(rule.lam)
    F = np.eye(3) + (G @ q).reshape(-1, 3, 3)
    moved = np.einsum("pki,pkjr->pijr", F, G.reshape(count, 3, 3, -1))
    B = 0.5 * (moved + moved.swapaxes(1, 2)).reshape(count, 9, -1)
    traces = B[:, [0, 4, 8]].sum(axis=1)
    weighted = (2 * rule.mu[:, None, None] * B).reshape(-1, len(q))
    return B.reshape(-1, len(q)).T @ weighted + traces.T @ (rule.lam[:, None] * traces)


def rate_slope(rule: StrainRule, q: Array, v: Array) -> Array:
    """d(D(q) v) / dq (r, r) = sum w G^T (dF C E' + F C sym(dF^T F')); not symmetric."""
    G, r = rule.gradients.reshape(-1, 3, 3, len(q)), len(q)
    lam, mu = rule.lam[:, None], rule.mu[:, None, None]
    F, rate = np.eye(3) + G @ q, G @ v
    strain = np.einsum("pki,pkj->pij", F, rate)
    stress = mu * (strain + strain.swapaxes(1, 2)) + (lam * np.trace(strain, axis1=1, axis2=2)[:, None])[
        ..., None
    ] * np.eye(3)
    change = np.einsum("pkir,pkj->pijr", G, rate)
    trace = np.einsum("piir->pr", change)
    bulk = np.einsum("pij,pr->pijr", np.broadcast_to(np.eye(3), F.shape), lam * trace)
    second = mu[..., None] * (change + change.swapaxes(1, 2)) + bulk
    P = np.einsum("pikr,pkj->pijr", G, stress) + np.einsum("pik,pkjr->pijr", F, second)
    return G.reshape(-1, r).T @ P.reshape(-1, r)


@borrowing
def fill_damping(points, i, r, z, rows):
    """Rows (n * pitch,) of L, D = L + L^T, of part i with r coordinates at z = (1, q); column 0 is left as it is."""
    octets, pitch = points.octets_at[i + 1] - points.octets_at[i], len(z)
    _fill_roots(points, i, r, octets, z)
    S, width = points.roots, COMPONENTS * WIDTH * octets
    for left in range(0, r, BLOCK):
        for top in range(left, r, BLOCK):
            a, b, c, d = _tile(S, width, top * width, left * width)
            row = (top + 1) * pitch + left + 1
            _put_row(rows, row, 0, r - top, top - left, a)
            _put_row(rows, row + pitch, 1, r - top, top - left, b)
            _put_row(rows, row + 2 * pitch, 2, r - top, top - left, c)
            _put_row(rows, row + 3 * pitch, 3, r - top, top - left, d)
    for j in range(1, r + 1):
        rows[j * pitch + j] *= 0.5


@borrowing
def find_damping_force(points, i, r, z, v, out):
    """D v of part i with r coordinates at z = (1, q), v = (0, q'), into `out`, whose lane 0 is left as it is."""
    G, lanes = points.gradients, points.roots
    for k in range(r):
        store8(lanes, WIDTH * k, spread8(0.0))
    for octet in range(points.octets_at[i + 1] - points.octets_at[i]):
        at, own = points.first_at[i] + octet * CHUNK * r, WIDTH * (points.octets_at[i] + octet)
        (a, b, c, d, e, f, g, h, l), rate = moved_both(G, at, r, z[1 : r + 1], v[1 : r + 1])
        a, e, l = a + 1.0, e + 1.0, l + 1.0
        xx, yy, zz, yz, xz, xy = rate_of(a, b, c, d, e, f, g, h, l, *rate)
        s, t = load8(points.shear, own), load8(points.bulk, own)
        trace, s = s * s * t * (3.0 * t + 2.0) * (xx + yy + zz), s * s
        xx, yy, zz = trace + s * xx, trace + s * yy, trace + s * zz
        yz, xz, xy = s * yz, s * xz, s * xy
        p1, p2, p3 = a * xx + b * xy + c * xz, a * xy + b * yy + c * yz, a * xz + b * yz + c * zz
        p4, p5, p6 = d * xx + e * xy + f * xz, d * xy + e * yy + f * yz, d * xz + e * yz + f * zz
        p7, p8, p9 = g * xx + h * xy + l * xz, g * xy + h * yy + l * yz, g * xz + h * yz + l * zz
        add_back(G, at, r, lanes, p1, p2, p3, p4, p5, p6, p7, p8, p9)
    for k in range(r):
        out[k + 1] = total8(load8(lanes, WIDTH * k))


@inner(forceinline=True)
def _tile(S, width, top, left):
    """Products of four columns of S with four others: sixteen sums at once, so that none waits for the one before."""
    a1 = a2 = a3 = a4 = b1 = b2 = b3 = b4 = c1 = c2 = c3 = c4 = d1 = d2 = d3 = d4 = spread8(0.0)
    for x in range(0, width, WIDTH):
        s1, s2 = load8(S, left + x), load8(S, left + width + x)
        s3, s4 = load8(S, left + 2 * width + x), load8(S, left + 3 * width + x)
        t1, t2 = load8(S, top + x), load8(S, top + width + x)
        t3, t4 = load8(S, top + 2 * width + x), load8(S, top + 3 * width + x)
        a1, a2, a3, a4 = a1 + t1 * s1, a2 + t1 * s2, a3 + t1 * s3, a4 + t1 * s4
        b1, b2, b3, b4 = b1 + t2 * s1, b2 + t2 * s2, b3 + t2 * s3, b4 + t2 * s4
        c1, c2, c3, c4 = c1 + t3 * s1, c2 + t3 * s2, c3 + t3 * s3, c4 + t3 * s4
        d1, d2, d3, d4 = d1 + t4 * s1, d2 + t4 * s2, d3 + t4 * s3, d4 + t4 * s4
    return (a1, a2, a3, a4), (b1, b2, b3, b4), (c1, c2, c3, c4), (d1, d2, d3, d4)


@inner(forceinline=True)
def _put_row(rows, at, own, count, below, sums):
    """Row `own` of a tile that lies `below` the diagonal, where D has it: the lower triangle of `count` rows."""
    if own >= count:
        return
    rows[at] = total8(sums[0])
    if below + own > 0:
        rows[at + 1] = total8(sums[1])
    if below + own > 1:
        rows[at + 2] = total8(sums[2])
    if below + own > 2:
        rows[at + 3] = total8(sums[3])


@borrowing
def _fill_roots(points, i, r, octets, z):
    """points.roots of a part; shear counts twice in |S|^2."""
    G, q, width = points.gradients, z[1 : r + 1], COMPONENTS * WIDTH * octets
    for octet in range(octets):
        at, own = points.first_at[i] + octet * CHUNK * r, WIDTH * (points.octets_at[i] + octet)
        a, b, c, d, e, f, g, h, l = moved(G, at, r, q)
        s, t = load8(points.shear, own), load8(points.bulk, own)
        a, b, c = s * (a + 1.0), s * b, s * c
        d, e, f = s * d, s * (e + 1.0), s * f
        g, h, l = s * g, s * h, s * (l + 1.0)
        for k in range(r):
            x, y = at + k * CHUNK, k * width + octet * COMPONENTS * WIDTH
            A, B, C = load8(G, x), load8(G, x + 8), load8(G, x + 16)
            D, E, F = load8(G, x + 24), load8(G, x + 32), load8(G, x + 40)
            H, I, J = load8(G, x + 48), load8(G, x + 56), load8(G, x + 64)
            xx, yy, zz, yz, xz, xy = rate_of(a, b, c, d, e, f, g, h, l, A, B, C, D, E, F, H, I, J)
            trace = t * (xx + yy + zz)
            store8(points.roots, y, xx + trace)
            store8(points.roots, y + 8, yy + trace)
            store8(points.roots, y + 16, zz + trace)
            store8(points.roots, y + 24, ROOT2 * yz)
            store8(points.roots, y + 32, ROOT2 * xz)
            store8(points.roots, y + 40, ROOT2 * xy)
