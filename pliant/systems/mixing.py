"""Anderson's mixing of iterations with a kept factor: what earlier ones of the step did tells how to go on.

    theta = argmin |d - dD theta|_A,    q+ = q + d - (dQ + dD) theta

d = A^-1 r is the correction, dQ, dD and dR are the differences of q, d and r from one iteration to the next. While A is
the same, |d|_A^2 = d . r, so that the small system (dD . dR) theta = dD . r needs no product with A; on a linear
problem this is as good as conjugate gradients with A as preconditioner. Corrections that constraints have a share in
obey the same, since all but the first of a step leave the held points where they are.
"""

import math
from typing import NamedTuple

import numpy as np
from numba import njit

from pliant.errors import Array, Ids
from pliant.numerics import cholesky, cholesky_solve
from pliant.numerics.dot import dot

DEPTH = 5  # differences that are remembered
DEPENDENT = 1e-10  # added to the diagonal of the small matrix, relative to it


class Mixing(NamedTuple):
    """Attributes:
    dQ, dD, dR: (DEPTH, size) differences. q, d, r: (size,) of the iteration before.
    counts: (2,) how many iterations were seen, and with which factor.
    square, theta: the small system.
    """

    dQ: Array
    dD: Array
    dR: Array
    q: Array
    d: Array
    r: Array
    counts: Ids
    square: Array
    theta: Array


def mixing_workspace(size: int) -> Mixing:
    """For q (size,)."""
    dQ, dD, dR = np.zeros((3, DEPTH, size))
    q, d, r = np.zeros((3, size))
    return Mixing(dQ, dD, dR, q, d, r, np.zeros(2, np.int64), np.zeros((DEPTH, DEPTH)), np.zeros(DEPTH))


@njit(cache=True, nogil=True)
def mix_corrections(mixing, factor, begins, q, residual, change):
    """Improve the correction `change` (size,) from q.

    Args:
        factor: the number of the factor that made it.
        begins: whether this is the first correction that may be compared with the next.
    """
    dQ, dD, dR, q_before, d_before, r_before, counts, square, theta = mixing
    if begins or counts[1] != factor:
        counts[0], counts[1] = 0, factor
    if counts[0] > 0:
        row = (counts[0] - 1) % DEPTH
        for j in range(len(q)):
            dQ[row, j], dD[row, j] = q[j] - q_before[j], change[j] - d_before[j]
            dR[row, j] = residual[j] - r_before[j]
    for j in range(len(q)):
        q_before[j], d_before[j], r_before[j] = q[j], change[j], residual[j]
    known = min(counts[0], DEPTH)
    counts[0] += 1
    for row in range(known):
        theta[row] = dot(dD[row], residual)
        for column in range(row, known):
            square[row, column] = 0.5 * (dot(dD[row], dR[column]) + dot(dD[column], dR[row]))
        square[row, row] *= 1 + DEPENDENT
    if known == 0 or not _solved(square[:known, :known], theta[:known]):
        return
    for row in range(known):
        for j in range(len(q)):
            change[j] -= theta[row] * (dQ[row, j] + dD[row, j])


@njit(cache=True, nogil=True)
def _solved(square, theta):
    """Whether the small system had a solution, which is then in theta."""
    if not cholesky(square):
        return False
    cholesky_solve(square, theta)
    return math.isfinite(dot(theta, theta))
