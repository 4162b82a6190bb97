"""A sum of part matrices, eliminated front by front: every part, then every stage of the entities that parts share.

    A = sum_i P_i^T A_i P_i,    A x = b

A front is a dense matrix over a few coordinates, those that it leaves first. It eliminates the others (`condensation`)
and adds what is left to the front that takes it (multifrontal Cholesky). Parts in a tree cost as much as their number;
loops cost what fills in where they close.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from pliant.errors import Array, Ids
from pliant.numerics.counting import borrowing
from pliant.reduced.force import lower_rows, pitch_of, slab
from pliant.systems.seams.condensation import condense, condense_again, expand
from pliant.systems.seams.elimination_order import elimination_order
from pliant.systems.seams.part_forces import starts_of, stretch

NOBODY = -1


class Fronts(NamedTuple):
    """Fronts of all parts, then of all stages, each after those that add to it.

    Attributes:
        n, kept: (f,) 1 + the coordinates of a front, and how many of them it leaves.
        parent: (f,) the front that takes what is left, or NOBODY.
        reads: which coordinates the fronts have. up: which row of the parent each kept one is. reads_at: (f + 1,).
        vectors_at, rows_at: (f + 1,) where vectors (pitch,) and rows (n * pitch,) begin; of parts as in `Jets`.
        parts: (1,) how many of the fronts are parts.
        matrix: rows. inverse, change: vectors.
    """

    n: Ids
    kept: Ids
    parent: Ids
    reads: Ids
    up: Ids
    reads_at: Ids
    vectors_at: Ids
    rows_at: Ids
    parts: Ids
    matrix: Array
    inverse: Array
    change: Array


def fronts_of(places: Sequence[Ids], kept: Sequence[int], entity: Ids) -> Fronts:
    """Plan the elimination of parts whose coordinates are `places`, the first `kept` of each shared with others.

    Args:
        entity: (b,) of every shared coordinate.
    """
    sizes = np.bincount(entity)
    columns = np.split(np.argsort(entity, kind="stable"), np.cumsum(sizes)[:-1])
    stages = elimination_order([np.unique(entity[own[:k]]).tolist() for own, k in zip(places, kept)], sizes.tolist())
    reads = [*places, *(np.concatenate([columns[e] for e in (*s.left, *s.gone)]) for s in stages)]
    left = [*kept, *(int(sum(sizes[e] for e in s.left)) for s in stages)]
    parent = np.full(len(reads), NOBODY)
    for number, stage in enumerate(stages):
        parent[list(stage.takes)] = len(places) + number
    up = [np.zeros(len(own), np.int64) for own in reads]
    row_of = np.zeros(max(int(own.max(initial=0)) for own in reads) + 1, np.int64)
    for own, rows, k, taker in zip(reads, up, left, parent):
        if k:
            row_of[reads[taker]] = 1 + np.arange(len(reads[taker]))
            rows[:k] = row_of[own[:k]]
    n = np.array([len(own) + 1 for own in reads], np.int64)
    pitch = np.array([pitch_of(int(k)) for k in n])
    vectors, rows_at = starts_of(pitch), starts_of(n * pitch)
    flat_reads, flat_up = (np.concatenate(given).astype(np.int64) for given in (reads, up))
    reads_at = np.concatenate([[0], np.cumsum(n - 1)]).astype(np.int64)
    matrix, inverse, change = slab([int(rows_at[-1]), int(vectors[-1]), int(vectors[-1])], np.float64)
    return Fronts(
        n,
        np.array(left, np.int64),
        parent,
        flat_reads,
        flat_up,
        reads_at,
        vectors,
        rows_at,
        np.array([len(places)]),
        matrix,
        inverse,
        change,
    )


def factorised(plan: Fronts, matrices: Sequence[Array]) -> Fronts | None:
    """A factor of sum_i P_i^T A_i P_i, for matrices A_i (r_i, r_i); None: it is not positive definite."""
    matrix, inverse, change = slab([len(work) for work in (plan.matrix, plan.inverse, plan.change)], np.float64)
    made = plan._replace(matrix=matrix, inverse=inverse, change=change)
    for i, A in enumerate(matrices):
        rows, first = lower_rows(A, np.float64), made.rows_at[i]
        made.matrix[first : first + len(rows)] = rows
        double_diagonal(made, i)
    whole = factorise(made, np.zeros(int(made.reads.max()) + 1)) == len(made.n)
    return made if whole else None


def solve_again(fronts: Fronts, right: Array) -> Array:
    """x (size,) or (size, k) of a factor for right-hand sides of the same shape."""
    x = np.array(right.T, dtype=np.float64, order="C", ndmin=2)
    for column in x:
        eliminate_again(fronts, column)
    return x.T.reshape(right.shape)


@borrowing
def double_diagonal(fronts, i):
    """Rows of part i become those of L + L^T, with an empty right-hand side, where they were those of L."""
    first, pitch = fronts.rows_at[i], fronts.vectors_at[i + 1] - fronts.vectors_at[i]
    for j in range(1, fronts.n[i]):
        fronts.matrix[first + j * pitch + j] *= 2
        fronts.matrix[first + j * pitch] = 0.0


@borrowing
def factorise(fronts, right):
    """Overwrite right (size,) by A^-1 right, given the rows of the parts, and keep the factor.

    Returns:
        The front that is not positive definite, else the number of all.
    """
    for k in range(fronts.rows_at[fronts.parts[0]], len(fronts.matrix)):
        fronts.matrix[k] = 0.0
    for i in range(len(fronts.n)):
        n, kept, start, first = fronts.n[i], fronts.kept[i], fronts.reads_at[i], fronts.rows_at[i]
        pitch = fronts.vectors_at[i + 1] - fronts.vectors_at[i]
        for j in range(kept + 1, n):
            fronts.matrix[first + j * pitch] += right[fronts.reads[start + j - 1]]
        inverse = stretch(fronts.inverse, fronts.vectors_at, i)
        if not condense(fronts.matrix[first : first + n * pitch], n, kept, inverse):
            return i
        if kept:
            _add_up(fronts, i)
    for i in range(len(fronts.n) - 1, -1, -1):
        _expand(fronts, i, right)
    return len(fronts.n)


@borrowing
def _add_up(fronts, i):
    """What front i leaves, with its right-hand side, to its parent."""
    start, first, above = fronts.reads_at[i], fronts.rows_at[i], fronts.parent[i]
    pitch = fronts.vectors_at[i + 1] - fronts.vectors_at[i]
    wide, top = fronts.vectors_at[above + 1] - fronts.vectors_at[above], fronts.rows_at[above]
    for j in range(1, fronts.kept[i] + 1):
        row, own = fronts.up[start + j - 1], first + j * pitch
        fronts.matrix[top + row * wide] += fronts.matrix[own]
        for k in range(1, j + 1):
            column = fronts.up[start + k - 1]
            fronts.matrix[top + max(row, column) * wide + min(row, column)] += fronts.matrix[own + k]


@borrowing
def _expand(fronts, i, x):
    """The coordinates that front i eliminated, from those it left."""
    n, kept, start, first = fronts.n[i], fronts.kept[i], fronts.reads_at[i], fronts.rows_at[i]
    pitch = fronts.vectors_at[i + 1] - fronts.vectors_at[i]
    change = stretch(fronts.change, fronts.vectors_at, i)
    for j in range(1, kept + 1):
        change[j] = x[fronts.reads[start + j - 1]]
    inverse = stretch(fronts.inverse, fronts.vectors_at, i)
    expand(fronts.matrix[first : first + n * pitch], n, kept, inverse, change)
    for j in range(kept + 1, n):
        x[fronts.reads[start + j - 1]] = change[j]


@borrowing
def eliminate_again(fronts, right):
    """Overwrite right (size,) by A^-1 right, with the factor that `factorise` left."""
    for i in range(len(fronts.n)):
        n, kept, start, first = fronts.n[i], fronts.kept[i], fronts.reads_at[i], fronts.rows_at[i]
        pitch = fronts.vectors_at[i + 1] - fronts.vectors_at[i]
        x, matrix = stretch(fronts.change, fronts.vectors_at, i), fronts.matrix[first : first + n * pitch]
        for j in range(1, n):
            x[j] = right[fronts.reads[start + j - 1]] if j > kept else 0.0
        condense_again(matrix, n, kept, stretch(fronts.inverse, fronts.vectors_at, i), x)
        for j in range(1, kept + 1):
            right[fronts.reads[start + j - 1]] += x[j]
        for j in range(kept + 1, n):
            matrix[j * pitch] = x[j]
    for i in range(len(fronts.n) - 1, -1, -1):
        _expand(fronts, i, right)
