"""Where arrays happen to lie in memory decides nothing, not even the last bit: else some resumed runs would differ."""

from itertools import permutations

import numpy as np
import pytest
from numba import njit

from pliant.numerics.spd_inverse import invert_spd, rows_times_inverse
from pliant.skin.rows import add_rows
from pliant.systems.seams.newton import multiply_rows
from pliant.systems.world import sweeps
from pliant.systems.world.rows import ties_of
from pliant.systems.world.shaping import spin_in_axes
from pliant.systems.world.tables import body_table, shape_space

R, WIDE = 30, 36  # coordinates of a body, and all of its unknowns
RANDOM = np.random.default_rng(0)
GAPS = (0, 1, 2, 3, 5)  # numbers between two arrays


def laid_out(arrays, order, gap):
    """Copies of flat arrays in one piece of memory, in this order."""
    room, copies, at = np.zeros(sum(map(len, arrays)) + len(arrays) * gap), [None] * len(arrays), 0
    for k in order:
        copies[k] = room[at : at + len(arrays[k])]
        copies[k][:] = arrays[k]
        at += len(arrays[k]) + gap
    return copies


def two_ties():
    """Between the same two bodies, with random rows."""
    table = body_table(np.zeros(2, np.int64), np.zeros(2, np.int64), np.full(2, R), np.zeros((2, 2)))
    ties = ties_of(2, 4, WIDE)
    ties.start[:], ties.body[:], ties.at[:] = (0, 2, 4), (0, 1, 0, 1), 3 * WIDE * np.arange(4)
    return table, ties


@njit
def _speeds(table, ties, y, tie, out):
    sweeps.speeds(table, ties, y, tie, out)


@njit
def _push(table, ties, y, tie):
    sweeps.push(table, ties, y, tie, 0.3, -0.7, 1.1)


@njit
def _spin(shape, r, Lo, qd, out):
    spin_in_axes(shape, r, Lo, qd, out)


@njit
def _answers(A, W, V, inverse):
    invert_spd(A, R, 0, inverse)
    rows_times_inverse(inverse, 0, R, W, V, 6, WIDE)


@njit
def _transposed(matrix, r, out):
    add_rows(matrix, 0, r, 0.3, -0.7, 1.1, out, 0)


def speeds(W, y, out):
    table, ties = two_ties()
    _speeds(table, ties._replace(W=W), y, 1, out)


def push(V, y):
    table, ties = two_ties()
    _push(table, ties._replace(V=V), y, 0)


def spin(IG, qd, Lo, out):
    _spin(shape_space(R)._replace(IG=IG, inverse=np.diag([1.0, 2.0, 3.0])), R, Lo, qd, out)


def product(rows, x, out):
    multiply_rows(rows, 0, 24, 20, x, out)


def answers(A, W, V, inverse):
    _answers(A.reshape(R, R), W, V, inverse)


def transposed(matrix, out):
    _transposed(matrix, R, out)


def random(*lengths):
    return [RANDOM.normal(size=length) for length in lengths]


FACTOR = RANDOM.normal(size=(R, R))
CASES = {
    speeds: random(12 * WIDE, 2 * WIDE, 3),
    push: random(12 * WIDE, 2 * WIDE),
    spin: random(3 * R, R, 3, 3),
    product: random(20 * 24, 24, 24),
    answers: [(FACTOR @ FACTOR.T + np.eye(R)).ravel(), *random(3 * WIDE, 3 * WIDE + 16, R * (-(-R // 16) * 16))],
    transposed: random(3 * R, R),
}


@pytest.mark.parametrize("function", CASES, ids=lambda function: function.__name__)
def test_results_do_not_depend_on_the_layout_of_memory(function):
    arrays, found = CASES[function], set()
    for order in permutations(range(len(arrays))):
        for gap in GAPS:
            copies = laid_out(arrays, order, gap)
            function(*copies)
            found.add(b"".join(copy.tobytes() for copy in copies))
    assert len(found) == 1
