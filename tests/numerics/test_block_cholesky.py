"""Block-sparse elimination against dense solves."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pliant.numerics.block_cholesky import elimination, factor_blocks, solve_blocks

ROUNDING = 1e-12  # of the solution, for matrices with condition numbers below a thousand


def system_of(count, pairs, rng):
    """A random T (3n, 3n), positive definite, with blocks at these pairs alone, and its `Elimination`."""
    T = np.zeros((count, 3, count, 3))
    for i, k in pairs:
        T[i, :, k] = rng.uniform(-1, 1, (3, 3))
        T[k, :, i] = T[i, :, k].T
    T = T.reshape(3 * count, 3 * count)
    T += (np.abs(T).sum(axis=1).max() + 1) * np.eye(3 * count)
    blocks = elimination(count, pairs)
    full = T.reshape(count, 3, count, 3)
    for j in range(count):
        for k in range(blocks.first[j], blocks.first[j + 1]):
            blocks.T[k] = full[blocks.order[blocks.row[k]], :, blocks.order[j]]
    return T, blocks


@settings(max_examples=60, deadline=None)
@given(st.integers(1, 12), st.integers(0, 10**6), st.floats(0, 1))
def test_block_elimination_solves_as_dense_solves_do(count, seed, share):
    rng = np.random.default_rng(seed)
    pairs = [(i, k) for i in range(count) for k in range(i) if rng.uniform() < share]
    T, blocks = system_of(count, pairs, rng)
    f = rng.standard_normal(3 * count)
    expected = np.linalg.solve(T, f)
    factor_blocks(blocks)
    solve_blocks(blocks, f)
    np.testing.assert_allclose(f, expected, atol=ROUNDING * np.abs(expected).max())


@pytest.mark.parametrize("count", [10, 100, 1000])
def test_chains_fill_in_nothing(count):
    blocks = elimination(count, [(k, k + 1) for k in range(count - 1)])
    assert len(blocks.T) == 2 * count - 1
    assert blocks.coupled.all()
    assert len(blocks.target) == count - 1


def test_stars_fill_in_nothing_either():
    blocks = elimination(50, [(17, k) for k in range(50) if k != 17])
    assert len(blocks.T) == 99
    assert blocks.coupled.all()


def test_a_direction_without_stiffness_gets_nothing():
    blocks = elimination(2, [(0, 1)])
    blocks.T[:] = 0.0
    blocks.T[0] = np.diag([2.0, 0.0, 4.0])
    f = np.ones(6)
    factor_blocks(blocks)
    solve_blocks(blocks, f)
    first = blocks.order[0]
    np.testing.assert_allclose(f[3 * first : 3 * first + 3], [0.5, 0.0, 0.25])
    np.testing.assert_allclose(f[3 * (1 - first) : 3 * (1 - first) + 3], 0.0)
