"""The momentum of free nonlinear seams, kept to rounding: P and L are state, and velocities follow them.

    P = J_P v,  L = J_L(q) v = int rho x x x',   h += dt/2 (outside wrench at both ends of the step)
    v += Z (J Z)^-1 (h - J v),  Z = M^-1 J^T: the smallest change in kinetic energy that carries h

Newmark's mean acceleration keeps P alone; what L would drift by is of second order in the step.
"""

from typing import NamedTuple

import numpy as np
from numba import njit

from pliant.errors import Array, Ids
from pliant.numerics import cholesky, cholesky_solve
from pliant.systems.seams.nonlinear_parts import NonlinearParts


class KeptMomentum(NamedTuple):
    """Attributes:
    h, wrench: P, L (6,) of the body and the outside force and torque on it at the end of the last step; state.
    free: whether it flies.
    N: (3, size) of P. H: the tensors (1 + r, r, 3) of L of the parts, flat, from H_at on; reads, reads_at: theirs.
    M: (size, size) factor of the mass. J, Z: (6, size). square: (6, 6).
    """

    h: Array
    wrench: Array
    free: bool
    N: Array
    H: Array
    H_at: Ids
    reads: Ids
    reads_at: Ids
    M: Array
    J: Array
    Z: Array
    square: Array


def kept_momentum(parts: NonlinearParts) -> KeptMomentum:
    """At rest."""
    free, size = not len(parts.solid.fixed), parts.size
    N = np.zeros((3, size))
    tensors = []
    for model, places in zip(parts.models, parts.places):
        N[:, places] += model.inertia.N
        tensors.append(model.inertia.H[:, 1:].ravel() if free else np.empty(0))
    lengths = np.cumsum([0, *(len(tensor) for tensor in tensors)])
    M = parts.mass() if free else np.zeros((0, 0))
    cholesky(M)
    reads_at = np.cumsum([0, *(len(places) for places in parts.places)])
    work = np.zeros((6, size)), np.zeros((6, size)), np.zeros((6, 6))
    reads = np.concatenate(parts.places).astype(np.int64)
    return KeptMomentum(
        np.zeros(6), np.zeros(6), free, N, np.concatenate(tensors), lengths, reads, reads_at.astype(np.int64), M, *work
    )


@njit(cache=True, nogil=True)
def momentum_rows(kept, q):
    """J at q into kept.J."""
    J = kept.J
    J[3:] = 0.0
    for k in range(3):
        for j in range(J.shape[1]):
            J[k, j] = kept.N[k, j]
    for i in range(len(kept.reads_at) - 1):
        start, r = kept.reads_at[i], kept.reads_at[i + 1] - kept.reads_at[i]
        for l in range(r):
            column = kept.reads[start + l]
            for k in range(r + 1):
                z = 1.0 if k == 0 else q[kept.reads[start + k - 1]]
                at = kept.H_at[i] + 3 * (k * r + l)
                for axis in range(3):
                    J[3 + axis, column] += z * kept.H[at + axis]


@njit(cache=True, nogil=True)
def keep_momentum(kept, load, dt, q, v):
    """h after a step that ends at q under `load` (size,), and v that carries it."""
    _measure(kept, q)
    for k in range(6):
        pull = 0.0
        for j in range(len(v)):
            pull += kept.Z[k, j] * load[j]
        kept.h[k] += 0.5 * dt * (kept.wrench[k] + pull)
        kept.wrench[k] = pull
    _adjust(kept, v)


@njit(cache=True, nogil=True)
def carry_momentum(kept, q, v):
    """Change v so that it carries h at q."""
    _measure(kept, q)
    _adjust(kept, v)


@njit(cache=True, nogil=True)
def _measure(kept, q):
    """J and Z at q."""
    momentum_rows(kept, q)
    for k in range(6):
        for j in range(kept.J.shape[1]):
            kept.Z[k, j] = kept.J[k, j]
        cholesky_solve(kept.M, kept.Z[k])


@njit(cache=True, nogil=True)
def _adjust(kept, v):
    """v += Z (J Z)^-1 (h - J v)."""
    gap = np.empty(6)
    for k in range(6):
        have = 0.0
        for j in range(len(v)):
            have += kept.J[k, j] * v[j]
        gap[k] = kept.h[k] - have
        for m in range(k + 1):
            total = 0.0
            for j in range(len(v)):
                total += kept.J[k, j] * kept.Z[m, j]
            kept.square[m, k] = total
    if not cholesky(kept.square):
        return
    cholesky_solve(kept.square, gap)
    for k in range(6):
        for j in range(len(v)):
            v[j] += kept.Z[k, j] * gap[k]
