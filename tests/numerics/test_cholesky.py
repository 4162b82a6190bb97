"""Small dense Cholesky against numpy, for all sizes around the block of four, in both precisions."""

import numpy as np
import pytest

import pliant.numerics as nm

SIZES = [1, 2, 3, 4, 5, 7, 8, 9, 12, 30, 60]
PRECISIONS = [(np.float64, 1e-13), (np.float32, 1e-5)]  # relative errors of a well-conditioned solve


def well_conditioned(n, kind):
    B = np.random.default_rng(n).standard_normal((n, n))
    return (B @ B.T + n * np.eye(n)).astype(kind)


@pytest.mark.parametrize(("kind", "tolerance"), PRECISIONS)
@pytest.mark.parametrize("n", SIZES)
def test_cholesky_solves_as_numpy_does(n, kind, tolerance):
    A, B = well_conditioned(n, kind), np.random.default_rng(0).standard_normal((n, 5)).astype(kind)
    expected = np.linalg.solve(A.astype(float), B.astype(float))
    L, b, X = A.copy(), B[:, 0].copy(), B.copy()
    assert nm.cholesky(L)
    nm.cholesky_solve(L, b)
    nm.cholesky_solve_many(L, X)
    assert b.dtype == X.dtype == kind
    assert np.abs(b - expected[:, 0]).max() < tolerance
    assert np.abs(X - expected).max() < tolerance


@pytest.mark.parametrize("n", SIZES)
def test_cholesky_keeps_the_transposed_factor_above_and_leaves_the_rest(n):
    A = well_conditioned(n, np.float64)
    L = A.copy()
    nm.cholesky(L)
    expected = np.linalg.cholesky(A).T
    assert np.abs(np.triu(L, 1) - np.triu(expected, 1)).max() < 1e-13
    assert np.abs(1 / np.diag(L) - np.diag(expected)).max() < 1e-12
    assert np.array_equal(np.tril(L, -1), np.tril(A, -1))


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("place", [0, -1])
def test_cholesky_refuses_an_indefinite_matrix(n, place):
    A = well_conditioned(n, np.float64)
    A[place, place] = -1.0
    assert not nm.cholesky(A)
    assert not nm.cholesky(np.full((n, n), np.nan))
