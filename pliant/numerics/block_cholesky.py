"""T = L L^T of symmetric matrices of few 3 x 3 blocks: eliminated along the graph of what is coupled.

Who is eliminated next has the fewest neighbours left, so that chains and trees fill in nothing, and cost what they have
links. A direction without stiffness, whose pivot is not positive, is left out: its unknown is zero.
"""

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from pliant.errors import Array, Ids
from pliant.numerics.counting import quick_borrowing


class Elimination(NamedTuple):
    """Which blocks there are, column by column in the order of elimination, and room for them.

    Attributes:
        order: (n,) who is eliminated when.
        first: (n + 1,) where the blocks of each column begin, the one on the diagonal first.
        row: (m,) of every block, in the order of elimination.
        coupled: (m,) is it one of T, or does elimination alone fill it?
        target: for each column, and each pair of blocks p >= q below its diagonal, the block L_p L_q^T is taken off.
        T: (m, 3, 3) the lower blocks, then those of L.
        x: (n, 3) work space.
    """

    order: Ids
    first: Ids
    row: Ids
    coupled: Array
    target: Ids
    T: Array
    x: Array


def elimination(count: int, pairs: Iterable[tuple[int, int]]) -> Elimination:
    """Of so many unknowns (3,), coupled in pairs."""
    given = [{k} for k in range(count)]
    for i, k in pairs:
        given[i].add(k)
        given[k].add(i)
    order, below = _columns([set(each) for each in given])
    place = {k: at for at, k in enumerate(order)}
    columns = [[at, *sorted(place[k] for k in below[at])] for at in range(count)]
    first = np.cumsum([0, *(len(column) for column in columns)]).astype(np.int64)
    where = [{row: int(first[at]) + k for k, row in enumerate(column)} for at, column in enumerate(columns)]
    target = [where[c[q]][c[p]] for c in columns for q in range(1, len(c)) for p in range(q, len(c))]
    coupled = [order[row] in given[order[at]] for at, column in enumerate(columns) for row in column]
    return Elimination(
        np.array(order, dtype=np.int64),
        first,
        np.array([row for column in columns for row in column], dtype=np.int64),
        np.array(coupled, dtype=np.uint8),
        np.array(target, dtype=np.int64),
        np.zeros((int(first[-1]), 3, 3)),
        np.zeros((count, 3)),
    )


def _columns(near: list[set[int]]) -> tuple[list[int], list[set[int]]]:
    """Who is eliminated when, and who of the rest is coupled to it by then."""
    left, order, below = set(range(len(near))), [], []
    while left:
        k = min(left, key=lambda each: (len(near[each]), each))
        left.remove(k)
        others = near[k] - {k}
        for each in others:
            near[each] |= others
            near[each].discard(k)
        order.append(k)
        below.append(others)
    return order, below


@quick_borrowing
def factor_blocks(blocks):
    """Overwrite the blocks of T by those of L; diagonals by what they divide by."""
    first, T, at = blocks.first, blocks.T, 0
    for j in range(len(first) - 1):
        begin, end = first[j], first[j + 1]
        _factor_three(T[begin])
        for k in range(begin + 1, end):
            _divide(T[begin], T[k])
        for q in range(begin + 1, end):
            for p in range(q, end):
                _take_off(T[p], T[q], T[blocks.target[at]])
                at += 1


@quick_borrowing
def _factor_three(A):
    """L of a block; a direction without stiffness is left out."""
    for i in range(3):
        for j in range(i + 1):
            total = A[i, j]
            for k in range(j):
                total -= A[i, k] * A[j, k]
            if j < i:
                A[i, j] = total * A[j, j]
            else:
                A[i, i] = 1 / np.sqrt(total) if total > 0.0 else 0.0


@quick_borrowing
def _divide(L, B):
    """B <- B L^-T."""
    for i in range(3):
        for j in range(3):
            total = B[i, j]
            for k in range(j):
                total -= B[i, k] * L[j, k]
            B[i, j] = total * L[j, j]


@quick_borrowing
def _take_off(P, Q, C):
    """C -= P Q^T."""
    for i in range(3):
        for j in range(3):
            C[i, j] -= P[i, 0] * Q[j, 0] + P[i, 1] * Q[j, 1] + P[i, 2] * Q[j, 2]


@quick_borrowing
def solve_blocks(blocks, f):
    """Overwrite f (3n,) by T^-1 f, after `factor_blocks`."""
    order, first, row, T, x = blocks.order, blocks.first, blocks.row, blocks.T, blocks.x
    n = len(order)
    for j in range(n):
        for i in range(3):
            x[j, i] = f[3 * order[j] + i]
    for j in range(n):
        L, b = T[first[j]], x[j]
        b[0] = b[0] * L[0, 0]
        b[1] = (b[1] - L[1, 0] * b[0]) * L[1, 1]
        b[2] = (b[2] - L[2, 0] * b[0] - L[2, 1] * b[1]) * L[2, 2]
        for k in range(first[j] + 1, first[j + 1]):
            for i in range(3):
                x[row[k], i] -= T[k, i, 0] * b[0] + T[k, i, 1] * b[1] + T[k, i, 2] * b[2]
    for j in range(n - 1, -1, -1):
        L, b = T[first[j]], x[j]
        for k in range(first[j] + 1, first[j + 1]):
            o = x[row[k]]
            for i in range(3):
                b[i] -= T[k, 0, i] * o[0] + T[k, 1, i] * o[1] + T[k, 2, i] * o[2]
        b[2] = b[2] * L[2, 2]
        b[1] = (b[1] - L[2, 1] * b[2]) * L[1, 1]
        b[0] = (b[0] - L[1, 0] * b[1] - L[2, 0] * b[2]) * L[0, 0]
    for j in range(n):
        for i in range(3):
            f[3 * order[j] + i] = x[j, i]
