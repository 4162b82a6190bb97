"""Newton corrections of parts with cubic forces that share boundary coordinates.

    r = f_ext - f - M (a + alpha v) - beta K v,    A = stiffness_factor K + mass_factor M

K has the rate of damping where steps converge.

A is a block arrow: each part condenses its internal coordinates on its own, the boundary solves S = sum_i S_i once.
"""

import math
from typing import NamedTuple

import numpy as np
from numba import njit

from pliant.errors import Array
from pliant.numerics import cholesky, cholesky_solve
from pliant.systems.arrival import over_allowed, worst_rounding
from pliant.systems.seams.condensation import condense, condense_again, expand
from pliant.systems.seams.part_forces import stretch

SHIFTS = 24
WHOLE = -1  # the culprit where no single part is one


class Correction(NamedTuple):
    """Sums over the parts (size,), the boundary matrix (b, b), the correction (size,), and who failed (1,)."""

    force: Array
    inertia: Array
    viscous: Array
    diagonal: Array
    stiffness: Array
    residual: Array
    S: Array
    change: Array
    culprit: Array


def correction_workspace(size: int, boundary: int) -> Correction:
    """Work space for q (size,)."""
    force, inertia, viscous, diagonal, stiffness, residual, change = np.zeros((7, size))
    S = np.zeros((boundary, boundary))
    return Correction(force, inertia, viscous, diagonal, stiffness, residual, S, change, np.full(1, WHOLE))


@njit(cache=True, nogil=True)
def sum_forces(jets, v, a, alpha, beta, mass_factor, stiffness_factor, workspace):
    """f, M (a + alpha v), beta K v and the diagonals of A and K, of the jets last evaluated."""
    for j in range(len(v)):
        workspace.force[j] = workspace.inertia[j] = workspace.viscous[j] = 0.0
        workspace.diagonal[j] = workspace.stiffness[j] = 0.0
    for i in range(len(jets.n)):
        n, start, first = jets.n[i], jets.reads_at[i], jets.rows_at[i]
        pitch = jets.vectors_at[i + 1] - jets.vectors_at[i]
        for j in range(1, n):
            at, own = first + j * pitch, jets.reads[start + j - 1]
            workspace.force[own] += jets.jet[at]
            workspace.diagonal[own] += 2 * (stiffness_factor * jets.jet[at + j] + mass_factor * jets.mass[at + j])
            workspace.stiffness[own] += 2 * jets.jet[at + j]
            inertia, viscous = 0.0, 0.0
            v_j, y_j = beta * v[own], a[own] + alpha * v[own]
            for k in range(1, j + 1):
                other = jets.reads[start + k - 1]
                K, M = jets.jet[at + k], jets.mass[at + k]
                viscous += K * v[other]
                inertia += M * (a[other] + alpha * v[other])
                workspace.viscous[other] += K * v_j
                workspace.inertia[other] += M * y_j
            workspace.viscous[own] += beta * viscous
            workspace.inertia[own] += inertia


@njit(cache=True, nogil=True)
def subtract_forces(load, workspace):
    """residual = f_ext - f - M (a + alpha v) - beta K v."""
    for j in range(len(load)):
        workspace.residual[j] = load[j] - workspace.force[j] - workspace.inertia[j] - workspace.viscous[j]


@njit(cache=True, nogil=True)
def relative_residual(load, q, tolerance, limit, previous, last, workspace):
    """The norm of the residual over the allowed one; what rounding of q alone leaves cannot be improved on.

    Args:
        limit: |q| that moves the body `FAR` times its size.
        previous: norm of the residual of the iteration before.
        last: whether there will be no other iteration.
    """
    rounding = 0.0
    for j in range(len(q)):
        rounding += (workspace.diagonal[j] * q[j]) ** 2
    largest = max(norm(load), norm(workspace.force), norm(workspace.inertia), norm(workspace.viscous))
    allowed = max(tolerance * largest, 8 * np.finfo(np.float64).eps * math.sqrt(rounding))
    worst = worst_rounding(norm(workspace.stiffness), limit)
    return over_allowed(norm(workspace.residual), previous, last, allowed, worst)


@njit(cache=True, nogil=True)
def norm(x):
    """Euclidean."""
    square = 0.0
    for j in range(len(x)):
        square += x[j] * x[j]
    return math.sqrt(square)


@njit(cache=True, nogil=True)
def solve_correction(jets, stiffness_factor, mass_factor, workspace):
    """A change = residual; False if no shift makes A positive definite."""
    for _ in range(SHIFTS):
        if _solved(jets, stiffness_factor, mass_factor, workspace):
            return True
        # Compression can make K indefinite; more inertia is a shorter, safer correction.
        mass_factor *= 4
    return False


@njit(cache=True, nogil=True)
def _solved(jets, stiffness_factor, mass_factor, workspace):
    S, right = workspace.S, workspace.change
    for j in range(len(S)):
        for k in range(j, len(S)):
            S[j, k] = 0.0
    for j in range(len(right)):
        right[j] = workspace.residual[j]
    for i in range(len(jets.n)):
        workspace.culprit[0] = i
        if not _condense_part(jets, i, stiffness_factor, mass_factor, S, right):
            return False
    workspace.culprit[0] = WHOLE
    if not cholesky(S):
        return False
    cholesky_solve(S, right[: len(S)])
    for i in range(len(jets.n)):
        _expand_part(jets, i, right)
    return True


@njit(cache=True, nogil=True)
def _condense_part(jets, i, stiffness_factor, mass_factor, S, right):
    """Add the boundary matrix and right-hand side of one part."""
    n, kept, start, first = jets.n[i], jets.kept[i], jets.reads_at[i], jets.rows_at[i]
    pitch = jets.vectors_at[i + 1] - jets.vectors_at[i]
    for k in range(first, first + n * pitch):
        jets.matrix[k] = stiffness_factor * jets.jet[k] + mass_factor * jets.mass[k]
    for j in range(1, n):
        jets.matrix[first + j * pitch + j] *= 2
        jets.matrix[first + j * pitch] = right[jets.reads[start + j - 1]] if j > kept else 0.0
    matrix, inverse = jets.matrix[first : first + n * pitch], stretch(jets.inverse, jets.vectors_at, i)
    if not condense(matrix, n, kept, inverse):
        return False
    for j in range(1, kept + 1):
        row = jets.reads[start + j - 1]
        right[row] += matrix[j * pitch]
        for k in range(1, j + 1):
            column = jets.reads[start + k - 1]
            S[min(row, column), max(row, column)] += matrix[j * pitch + k]
    return True


@njit(cache=True, nogil=True)
def _expand_part(jets, i, x):
    """The internal corrections of one part from those of the boundary."""
    n, kept, start, first = jets.n[i], jets.kept[i], jets.reads_at[i], jets.rows_at[i]
    pitch = jets.vectors_at[i + 1] - jets.vectors_at[i]
    change = stretch(jets.change, jets.vectors_at, i)
    for j in range(1, kept + 1):
        change[j] = x[jets.reads[start + j - 1]]
    expand(jets.matrix[first : first + n * pitch], n, kept, stretch(jets.inverse, jets.vectors_at, i), change)
    for j in range(kept + 1, n):
        x[jets.reads[start + j - 1]] = change[j]


@njit(cache=True, nogil=True)
def solve_again(jets, workspace, right):
    """Overwrite right (size,) by A^-1 right, with the factors that `solve_correction` left."""
    S = workspace.S
    for i in range(len(jets.n)):
        n, kept, start, first = jets.n[i], jets.kept[i], jets.reads_at[i], jets.rows_at[i]
        pitch = jets.vectors_at[i + 1] - jets.vectors_at[i]
        x = stretch(jets.change, jets.vectors_at, i)
        for j in range(1, n):
            x[j] = right[jets.reads[start + j - 1]] if j > kept else 0.0
        matrix = jets.matrix[first : first + n * pitch]
        condense_again(matrix, n, kept, stretch(jets.inverse, jets.vectors_at, i), x)
        for j in range(1, n):
            if j <= kept:
                right[jets.reads[start + j - 1]] += x[j]
            else:
                matrix[j * pitch] = x[j]
    cholesky_solve(S, right[: len(S)])
    for i in range(len(jets.n)):
        _expand_part(jets, i, right)
