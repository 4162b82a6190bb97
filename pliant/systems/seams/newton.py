"""Newton corrections of parts with cubic forces that share boundary coordinates.

    r = f_ext - f - M (a + alpha v) - beta D v,    A = K + damping_factor D + mass_factor M

D brakes rates of strain, or is K, which then has the rate of damping where steps converge.

A is eliminated by `fronts`: each part its internal coordinates, then the entities that parts share, one after another.
"""

import math
from typing import NamedTuple

import numpy as np
from numba import njit

from pliant.errors import Array, Ids
from pliant.fem.material import implements
from pliant.numerics.counting import borrowing
from pliant.systems.arrival import over_allowed, worst_rounding
from pliant.systems.newmark import BETA, GAMMA
from pliant.systems.seams.fronts import Fronts, double_diagonal, eliminate_again, factorise
from pliant.systems.seams.part_forces import Jets, add_rate, damps_by_stiffness, evaluate_damping, evaluate_jets
from pliant.systems.seams.point_forces import PointForces, follow_point_forces, sum_point_forces
from pliant.systems.seams.point_stiffness import fill_stiffness
from pliant.systems.seams.turned_factor import begin_turning, solve_turned, turn_along

SHIFTS = 24
WORTH = 8  # iterations cost as much as a new stiffness and its factor
TRIED = 3  # iterations after which the pace of a factor tells
WHOLE = -1  # the culprit where no single part is one


class Correction(NamedTuple):
    """Sums over the parts (size,), the correction (size,), and who failed (1,).

    Attributes:
        local: (4, pitch) vectors of one part.
        factors: (2,) how many factors were made, and for which one Y of the constraints is.
        fronts: A and its factor.
    """

    force: Array
    inertia: Array
    viscous: Array
    diagonal: Array
    stiffness: Array
    residual: Array
    change: Array
    culprit: Ids
    local: Array
    factors: Ids
    fronts: Fronts


def correction_workspace(size: int, pitch: int, fronts: Fronts) -> Correction:
    """Work space for q (size,) and parts with vectors (pitch,) at most."""
    force, inertia, viscous, diagonal, stiffness, residual, change = np.zeros((7, size))
    local, factors = np.zeros((4, pitch)), np.zeros(2, dtype=np.int64)
    sums = (force, inertia, viscous, diagonal, stiffness, residual, change)
    return Correction(*sums, np.full(1, WHOLE), local, factors, fronts)


def measure(forces, q, v, a, alpha, beta, mass_factor, damping_factor, near, workspace):
    """f, M (a + alpha v), the viscous force, and the diagonals of A and K; each kind of forces has its own.

    Args:
        near: whether q and v are an iteration of this step away from those measured last.
    """
    raise NotImplementedError


def find_correction(forces, q, v, h, alpha, beta, many, iteration, over, workspace):
    """A change = residual; False if no shift makes A positive definite. Each kind of forces has its own.

    Args:
        over: the residual over the allowed one.
    """
    raise NotImplementedError


def substitute(forces, workspace, x):
    """Overwrite x (size,) by A^-1 x with the factor of the last correction; each kind of forces has its own."""
    raise NotImplementedError


@implements(substitute, Jets)
def _substitute_jets(forces, workspace, x):
    eliminate_again(workspace.fronts, x)


@implements(substitute, PointForces)
def _substitute_points(forces, workspace, x):
    solve_turned(forces.turned, workspace.fronts, forces.kept_for[1], x)


@implements(measure, Jets)
def _measure_jets(forces, q, v, a, alpha, beta, mass_factor, damping_factor, near, workspace):
    evaluate_jets(forces, q, forces.jet)
    if beta > 0:
        evaluate_damping(forces)
    sum_forces(forces, v, a, alpha, beta, mass_factor, damping_factor, workspace)


@implements(find_correction, Jets)
def _correct_jets(forces, q, v, h, alpha, beta, many, iteration, over, workspace):
    mass_factor, damping_factor = factors_of(h, alpha, beta)
    if many and damps_by_stiffness(forces, beta):
        add_rate(forces, h, beta / (1 + damping_factor), iteration)
    return solve_correction(forces, damping_factor, mass_factor, workspace)


@implements(measure, PointForces)
def _measure_points(forces, q, v, a, alpha, beta, mass_factor, damping_factor, near, workspace):
    if near:
        follow_point_forces(forces, q, damping_factor / beta if beta > 0 else 0.0, beta, workspace.force)
    else:
        sum_point_forces(forces, q, v, beta, workspace.force)
    sum_inertia(forces, v, a, alpha, workspace)


@implements(find_correction, PointForces)
def _correct_points(forces, q, v, h, alpha, beta, many, iteration, over, workspace):
    mass_factor, a4 = factors_of(h, alpha, 0.0)[0], GAMMA / (BETA * h)
    same, slow = judge_factor(forces, mass_factor, a4, beta, iteration, over)
    if many and same and not slow:
        if iteration == 0 and turn_along(forces.turned, q):
            workspace.factors[1] = -1
        for j in range(len(q)):
            workspace.change[j] = workspace.residual[j]
        solve_turned(forces.turned, workspace.fronts, mass_factor, workspace.change)
        return True
    forces.kept_for[0] = 0.0
    fill_stiffness(forces, beta, a4)
    begin_turning(forces.turned, q)
    found = solve_correction(forces, 0.0, mass_factor, workspace)
    if found:
        forces.kept_for[0] = forces.kept_for[5] = 1.0
        note_diagonals(forces, mass_factor, workspace)
    return found


@borrowing
def factors_of(h, alpha, beta):
    """Of M and of D in A."""
    a1, a4 = 1 / (BETA * h * h), GAMMA / (BETA * h)
    return a1 + a4 * alpha, a4 * beta


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
def sum_forces(jets, v, a, alpha, beta, mass_factor, damping_factor, workspace):
    """f, M (a + alpha v), the viscous force and the diagonals of A and K, of the jets last evaluated."""
    for j in range(len(v)):
        workspace.force[j] = workspace.inertia[j] = workspace.viscous[j] = 0.0
        workspace.diagonal[j] = workspace.stiffness[j] = 0.0
    x, y, Dx, My = workspace.local
    for i in range(len(jets.n)):
        n, start, first = jets.n[i], jets.reads_at[i], jets.rows_at[i]
        pitch = jets.vectors_at[i + 1] - jets.vectors_at[i]
        for j in range(1, n):
            own = jets.reads[start + j - 1]
            x[j], y[j] = v[own], a[own] + alpha * v[own]
        multiply_rows(jets.mass, first, pitch, n, y, My)
        if beta > 0:
            multiply_rows(jets.damping, first, pitch, n, x, Dx)
        for j in range(1, n):
            at, own = first + j * pitch, jets.reads[start + j - 1]
            workspace.force[own] += jets.jet[at]
            workspace.diagonal[own] += 2 * (jets.jet[at + j] + damping_factor * jets.damping[at + j])
            workspace.diagonal[own] += 2 * mass_factor * jets.mass[at + j]
            workspace.stiffness[own] += 2 * jets.jet[at + j]
            workspace.inertia[own] += My[j]
            if beta > 0:
                workspace.viscous[own] += beta * Dx[j]


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
    """residual = f_ext - f - M (a + alpha v) - beta D v."""
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
def solve_correction(jets, damping_factor, mass_factor, workspace):
    """A change = residual; False if no shift makes A positive definite."""
    workspace.factors[0] += 1
    for _ in range(SHIFTS):
        if _solved(jets, damping_factor, mass_factor, workspace):
            return True
        # Compression can make K indefinite; more inertia is a shorter, safer correction.
        mass_factor *= 4
    return False


@borrowing
def _solved(forces, damping_factor, mass_factor, workspace):
    fronts, right = workspace.fronts, workspace.change
    for j in range(len(right)):
        right[j] = workspace.residual[j]
    for i in range(len(forces.n)):
        first, pitch = forces.rows_at[i], forces.vectors_at[i + 1] - forces.vectors_at[i]
        for k in range(first, first + forces.n[i] * pitch):
            fronts.matrix[k] = forces.jet[k] + damping_factor * forces.damping[k] + mass_factor * forces.mass[k]
        double_diagonal(fronts, i)
    stopped = factorise(fronts, right)
    workspace.culprit[0] = stopped if stopped < len(forces.n) else WHOLE
    return stopped == len(fronts.n)
