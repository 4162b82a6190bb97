"""The lane-wise elimination against LAPACK."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pliant.numerics.small_spd import eliminate, substitute, substitute_again
from pliant.reduced.force import aligned, pitch_of

ROUNDING = {np.float64: 1e-11, np.float32: 2e-3}  # times a condition number of about 100


def rows_of(A, b, dtype):
    n = len(b) + 1
    rows = aligned(n * pitch_of(n), dtype)
    rows.reshape(n, -1)[1:, 1:n], rows.reshape(n, -1)[1:, 0] = np.tril(A), b
    return rows


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@given(r=st.integers(1, 50), seed=st.integers(0, 2**32 - 1))
def test_elimination_solves(dtype, r, seed):
    random = np.random.default_rng(seed)
    B, b = random.standard_normal((r, 3 * r)), random.standard_normal(r)
    A, n = B @ B.T, r + 1
    rows, inverse, x = rows_of(A, b, dtype), aligned(pitch_of(n), dtype), aligned(pitch_of(n), dtype)
    assert eliminate(rows, n, inverse)
    substitute(rows, n, inverse, x)
    expected = np.linalg.solve(A, b)
    assert np.abs(x[1:n] - expected).max() <= ROUNDING[dtype] * np.abs(expected).max()
    assert x[0] == -1
    assert not x[n:].any()
    other = random.standard_normal(r)
    again = aligned(pitch_of(n), dtype)
    again[1:n] = other
    substitute_again(rows, n, inverse, again, x)
    expected = np.linalg.solve(A, other)
    assert np.abs(x[1:n] - expected).max() <= ROUNDING[dtype] * np.abs(expected).max()
    assert np.array_equal(again[1:n], other.astype(dtype))


@pytest.mark.parametrize("bad", [-1.0, 0.0, np.nan])
def test_elimination_refuses_what_is_not_positive_definite(bad):
    A = np.diag([2.0, bad, 1.0])
    assert not eliminate(rows_of(A, np.ones(3), np.float64), 4, aligned(16, np.float64))
