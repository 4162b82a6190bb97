"""Newton corrections of parts with cubic forces that share boundary coordinates.

    r = f_ext - f - M (a + alpha v) - beta K v,    A = stiffness_factor K + mass_factor M

K has the rate of damping where steps converge.

A is a block arrow: each part condenses its internal coordinates on its own, the boundary solves S = sum_i S_i once.
"""

import math
from typing import NamedTuple

import numpy as np
from numba import njit

from pliant.errors import Array, Ids
from pliant.fem.material import implements
from pliant.numerics import cholesky, cholesky_solve
from pliant.numerics.counting import borrowing
from pliant.systems.arrival import over_allowed, worst_rounding
from pliant.systems.newmark import BETA, GAMMA
from pliant.systems.seams.condensation import condense, condense_again, expand
from pliant.systems.seams.part_forces import Jets, add_rate, evaluate_jets, stretch
from pliant.systems.seams.point_forces import PointForces, fill_stiffness, sum_point_forces

SHIFTS = 24
WORTH = 8  # iterations cost as much as a new stiffness and its factor
TRIED = 3  # iterations after which the pace of a factor tells
WHOLE = -1  # the culprit where no single part is one


class Correction(NamedTuple):
    """Sums over the parts (size,), the boundary matrix (b, b), the correction (size,), and who failed (1,).

    Attributes:
        local: (4, pitch) vectors of one part.
        factors: (2,) how many factors were made, and for which one Y of the constraints is.
    """

    force: Array
    inertia: Array
    viscous: Array
    diagonal: Array
    stiffness: Array
    residual: Array
    S: Array
    change: Array
    culprit: Ids
    local: Array
    factors: Ids


def correction_workspace(size: int, boundary: int, pitch: int) -> Correction:
    """Work space for q (size,) and parts with vectors (pitch,) at most."""
    force, inertia, viscous, diagonal, stiffness, residual, change = np.zeros((7, size))
    S, local, factors = np.zeros((boundary, boundary)), np.zeros((4, pitch)), np.zeros(2, dtype=np.int64)
    return Correction(
        force, inertia, viscous, diagonal, stiffness, residual, S, change, np.full(1, WHOLE), local, factors
    )


def measure(forces, q, v, a, alpha, beta, mass_factor, stiffness_factor, workspace):
    """f, M (a + alpha v), the viscous force, and the diagonals of A and K; each kind of forces has its own."""
    raise NotImplementedError


def find_correction(forces, q, v, h, alpha, beta, many, iteration, over, workspace):
    """A change = residual; False if no shift makes A positive definite. Each kind of forces has its own.

    Args:
        over: the residual over the allowed one.
    """
    raise NotImplementedError


@implements(measure, Jets)
def _measure_jets(forces, q, v, a, alpha, beta, mass_factor, stiffness_factor, workspace):
    evaluate_jets(forces, q, forces.jet)
    sum_forces(forces, v, a, alpha, beta, mass_factor, stiffness_factor, workspace)


@implements(find_correction, Jets)
def _correct_jets(forces, q, v, h, alpha, beta, many, iteration, over, workspace):
    mass_factor, stiffness_factor = factors_of(h, alpha, beta)
    if many and beta > 0:
        add_rate(forces, h, beta / stiffness_factor, iteration)
    return solve_correction(forces, stiffness_factor, mass_factor, workspace)


@implements(measure, PointForces)
def _measure_points(forces, q, v, a, alpha, beta, mass_factor, stiffness_factor, workspace):
    sum_point_forces(forces, q, v, beta, workspace.force)
    sum_inertia(forces, v, a, alpha, workspace)


@implements(find_correction, PointForces)
def _correct_points(forces, q, v, h, alpha, beta, many, iteration, over, workspace):
    mass_factor, a4 = factors_of(h, alpha, 0.0)[0], GAMMA / (BETA * h)
    same, slow = judge_factor(forces, mass_factor, a4, beta, iteration, over)
    if many and same and not slow:
        for j in range(len(q)):
            workspace.change[j] = workspace.residual[j]
        solve_again(forces, workspace, workspace.change)
        return True
    forces.kept_for[0] = 0.0
    whole = not (many and same) or iteration == 0
    fill_stiffness(forces, q, v, beta, a4, workspace.residual, whole)
    found = solve_correction(forces, 1.0, mass_factor, workspace)
    if found:
        forces.kept_for[0] = forces.kept_for[5] = 1.0
        note_diagonals(forces, mass_factor, workspace)
    return found


@borrowing
def factors_of(h, alpha, beta):
    """Of M and of K in A."""
    a1, a4 = 1 / (BETA * h * h), GAMMA / (BETA * h)
    return a1 + a4 * alpha, 1 + a4 * beta


@borrowing
def judge_factor(points, mass_factor, a4, beta, iteration, over):
    """Whether the kept factor is for this step, and whether a new one would cost less than going on with it.

    It would where the pace of this step asks for more than WORTH iterations, and where those of earlier steps beyond
    what the factor took when it was new come to as many.
    """
    kept = points.kept_for
    same = kept[0] > 0 and kept[1] == mass_factor and kept[2] == a4 and kept[3] == beta
    if iteration == 0:
        kept[5], slow = 0.0, kept[8] > WORTH
    else:
        done = iteration - kept[6]
        slow = done >= TRIED and not done * math.log(over) < WORTH * math.log(kept[4] / over)
    if iteration == 0 or slow:
        kept[4], kept[6] = over, iteration
    kept[1], kept[2], kept[3] = mass_factor, a4, beta
    return same, slow


@borrowing
def note_iterations(points, iterations):
    """A step has ended after so many."""
    kept = points.kept_for
    if kept[5] > 0:
        kept[7], kept[8] = iterations - kept[6], 0.0
    else:
        kept[8] += max(0.0, iterations - kept[7])


@borrowing
def note_diagonals(forces, mass_factor, workspace):
    """The diagonals of A and K from the rows last filled."""
    for j in range(len(workspace.diagonal)):
        workspace.diagonal[j] = workspace.stiffness[j] = 0.0
    for i in range(len(forces.n)):
        start, first = forces.reads_at[i], forces.rows_at[i]
        pitch = forces.vectors_at[i + 1] - forces.vectors_at[i]
        for j in range(1, forces.n[i]):
            at, own = first + j * pitch + j, forces.reads[start + j - 1]
            workspace.diagonal[own] += 2 * (forces.jet[at] + mass_factor * forces.mass[at])
            workspace.stiffness[own] += 2 * forces.jet[at]


@borrowing
def sum_forces(jets, v, a, alpha, beta, mass_factor, stiffness_factor, workspace):
    """f, M (a + alpha v), beta K v and the diagonals of A and K, of the jets last evaluated."""
    for j in range(len(v)):
        workspace.force[j] = workspace.inertia[j] = workspace.viscous[j] = 0.0
        workspace.diagonal[j] = workspace.stiffness[j] = 0.0
    x, y, Kx, My = workspace.local
    for i in range(len(jets.n)):
        n, start, first = jets.n[i], jets.reads_at[i], jets.rows_at[i]
        pitch = jets.vectors_at[i + 1] - jets.vectors_at[i]
        for j in range(1, n):
            own = jets.reads[start + j - 1]
            x[j], y[j] = beta * v[own], a[own] + alpha * v[own]
        multiply_rows(jets.mass, first, pitch, n, y, My)
        if beta > 0:
            multiply_rows(jets.jet, first, pitch, n, x, Kx)
        for j in range(1, n):
            at, own = first + j * pitch, jets.reads[start + j - 1]
            workspace.force[own] += jets.jet[at]
            workspace.diagonal[own] += 2 * (stiffness_factor * jets.jet[at + j] + mass_factor * jets.mass[at + j])
            workspace.stiffness[own] += 2 * jets.jet[at + j]
            workspace.inertia[own] += My[j]
            if beta > 0:
                workspace.viscous[own] += Kx[j]


@borrowing
def sum_inertia(forces, v, a, alpha, workspace):
    """M (a + alpha v)."""
    for j in range(len(v)):
        workspace.inertia[j] = 0.0
    _, y, _, My = workspace.local
    for i in range(len(forces.n)):
        n, start = forces.n[i], forces.reads_at[i]
        for j in range(1, n):
            own = forces.reads[start + j - 1]
            y[j] = a[own] + alpha * v[own]
        multiply_rows(forces.mass, forces.rows_at[i], forces.vectors_at[i + 1] - forces.vectors_at[i], n, y, My)
        for j in range(1, n):
            workspace.inertia[forces.reads[start + j - 1]] += My[j]


@njit(cache=True, nogil=True, fastmath={"contract", "reassoc"})
def multiply_rows(rows, first, pitch, n, x, out):
    """out[1:n] = (L + L^T) x, L in rows (n, pitch) from `first` on."""
    for j in range(1, n):
        out[j] = 0.0
    for j in range(1, n):
        row, x_j, dot = rows[first + j * pitch : first + j * pitch + j + 1], x[j], 0.0
        for k in range(1, j + 1):
            dot += row[k] * x[k]
            out[k] += row[k] * x_j
        out[j] += dot


@borrowing
def subtract_forces(load, workspace):
    """residual = f_ext - f - M (a + alpha v) - beta K v."""
    for j in range(len(load)):
        workspace.residual[j] = load[j] - workspace.force[j] - workspace.inertia[j] - workspace.viscous[j]


@borrowing
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


@borrowing
def norm(x):
    """Euclidean."""
    square = 0.0
    for j in range(len(x)):
        square += x[j] * x[j]
    return math.sqrt(square)


@borrowing
def solve_correction(jets, stiffness_factor, mass_factor, workspace):
    """A change = residual; False if no shift makes A positive definite."""
    workspace.factors[0] += 1
    for _ in range(SHIFTS):
        if _solved(jets, stiffness_factor, mass_factor, workspace):
            return True
        # Compression can make K indefinite; more inertia is a shorter, safer correction.
        mass_factor *= 4
    return False


@borrowing
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


@borrowing
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


@borrowing
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


@borrowing
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
