"""Damping that brakes rates of strain and nothing else, of reduced parts: at points with positive weights.

    F = I + G q,  F' = G v,  E' = sym(F^T F'),  C E = lam tr(E) I + 2 mu E
    f = beta sum w G^T F C E' = beta D(q) v,    D = sum w B^T C B,  B = sym(F^T G)

The law of `fem.viscosity`. Whatever the points are, D is never negative, and a velocity that strains none of them is
not braked; at rest D is K.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numba import njit

from pliant.errors import Array, Ids
from pliant.numerics.counting import borrowing
from pliant.numerics.simd8 import WIDTH, load8, spread8, store8, total8
from pliant.reduced.force import slab
from pliant.systems.octets import CHUNK, moved, rate_of

LAWS = ("strain", "stiffness")  # what beta damps: rates of strain, or K(q) v
COMPONENTS, BLOCK = 6, 4  # of a strain; columns of D that are summed together


class StrainRule(NamedTuple):
    """Points of one part: gradients G (p, 9, r) [1/m], and lam, mu (p,) times their volumes [J]."""

    gradients: Array
    lam: Array
    mu: Array


class StrainPoints(NamedTuple):
    """Points of all parts, one part after the other; of none where there is nothing to damp.

    Attributes:
        octets_at: (d + 1,) where the octets of the parts begin. first_at: (d + 1,) where their gradients begin.
        gradients: by octet, coordinate, component, point. lam, mu: (8 octets,).
        strains, stresses: B and C B of the largest, by coordinate, octet, component, point, in whole BLOCKs.
    """

    octets_at: Ids
    first_at: Ids
    gradients: Array
    lam: Array
    mu: Array
    strains: Array
    stresses: Array


def strain_points(rules: Sequence[StrainRule]) -> StrainPoints:
    """Lay out the points of parts; without rules, of none."""
    sizes = [rule.gradients.shape[2] for rule in rules]
    octets = [-(-len(rule.lam) // WIDTH) for rule in rules]
    octets_at = np.cumsum([0, *octets]).astype(np.int64)
    first_at = np.cumsum([0, *(CHUNK * count * r for count, r in zip(octets, sizes))]).astype(np.int64)
    lengths = [int(first_at[-1]), *[WIDTH * int(octets_at[-1])] * 2]
    largest = max((COMPONENTS * WIDTH * count * (r + BLOCK) for count, r in zip(octets, sizes)), default=0)
    gradients, lam, mu, strains, stresses = slab([*lengths, largest, largest], np.float64)
    for i, rule in enumerate(rules):
        count, own = len(rule.lam), slice(WIDTH * octets_at[i], WIDTH * octets_at[i] + len(rule.lam))
        lam[own], mu[own] = rule.lam, rule.mu
        G = np.zeros((WIDTH * octets[i], 9, sizes[i]))
        G[:count] = rule.gradients
        blocks = G.reshape(octets[i], WIDTH, 9, sizes[i]).transpose(0, 3, 2, 1)
        gradients[first_at[i] : first_at[i + 1]] = blocks.ravel()
    return StrainPoints(octets_at, first_at, gradients, lam, mu, strains, stresses)


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
    octets = points.octets_at[i + 1] - points.octets_at[i]
    _fill_strains(points, i, r, octets, z)
    B, S, width, pitch = points.strains, points.stresses, COMPONENTS * WIDTH * octets, len(z)
    for first in range(0, r, BLOCK):
        at = first * width
        for j in range(first, r):
            a = b = c = d = spread8(0.0)
            for x in range(0, width, WIDTH):
                stress = load8(S, j * width + x)
                a += stress * load8(B, at + x)
                b += stress * load8(B, at + width + x)
                c += stress * load8(B, at + 2 * width + x)
                d += stress * load8(B, at + 3 * width + x)
            row = (j + 1) * pitch + first + 1
            rows[row] = total8(a)
            if j > first:
                rows[row + 1] = total8(b)
            if j > first + 1:
                rows[row + 2] = total8(c)
            if j > first + 2:
                rows[row + 3] = total8(d)
    for j in range(1, r + 1):
        rows[j * pitch + j] *= 0.5


@borrowing
def _fill_strains(points, i, r, octets, z):
    """points.strains and .stresses of a part; shear counts twice in these."""
    G, q, width = points.gradients, z[1 : r + 1], COMPONENTS * WIDTH * octets
    for octet in range(octets):
        at, own = points.first_at[i] + octet * CHUNK * r, WIDTH * (points.octets_at[i] + octet)
        a, b, c, d, e, f, g, h, l = moved(G, at, r, q)
        a, e, l = a + 1.0, e + 1.0, l + 1.0
        lam, mu = load8(points.lam, own), 2.0 * load8(points.mu, own)
        for k in range(r):
            x, y = at + k * CHUNK, k * width + octet * COMPONENTS * WIDTH
            A, B, C = load8(G, x), load8(G, x + 8), load8(G, x + 16)
            D, E, F = load8(G, x + 24), load8(G, x + 32), load8(G, x + 40)
            H, I, J = load8(G, x + 48), load8(G, x + 56), load8(G, x + 64)
            xx, yy, zz, yz, xz, xy = rate_of(a, b, c, d, e, f, g, h, l, A, B, C, D, E, F, H, I, J)
            trace = lam * (xx + yy + zz)
            _store_six(points.strains, y, xx, yy, zz, yz, xz, xy)
            shear = 2.0 * mu
            _store_six(
                points.stresses,
                y,
                trace + mu * xx,
                trace + mu * yy,
                trace + mu * zz,
                shear * yz,
                shear * xz,
                shear * xy,
            )


@njit(cache=True, nogil=True, forceinline=True)
def _store_six(out, at, xx, yy, zz, yz, xz, xy):
    store8(out, at, xx)
    store8(out, at + 8, yy)
    store8(out, at + 16, zz)
    store8(out, at + 24, yz)
    store8(out, at + 32, xz)
    store8(out, at + 40, xy)
