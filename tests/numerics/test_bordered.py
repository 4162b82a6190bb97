"""Bordered systems against the dense bordered matrix, for singular, nearly singular and indefinite blocks."""

import numpy as np
import pytest
import scipy.sparse as sp

from pliant.numerics import BorderedFactor

ACCURACY = 1e-10


def chain(n):
    """A free chain of springs in three directions: singular, with three null vectors."""
    K = sp.diags_array([-np.ones(n - 1), np.r_[1, np.full(n - 2, 2.0), 1], -np.ones(n - 1)], offsets=[-1, 0, 1])
    return sp.csr_matrix(sp.kron(K, np.diag([1.0, 2, 3]) + 0.1))


@pytest.mark.parametrize("shift", [0.0, 1e-12, 1e-6, -1e-6, -0.3])
def test_solution_equals_that_of_the_dense_matrix(shift):
    n, rng = 60, np.random.default_rng(0)
    A = sp.csr_matrix(chain(n // 3) + shift * sp.eye(n))
    B = np.tile(np.eye(3), (n // 3, 1)) * rng.uniform(1, 2, (n, 1))
    b = rng.standard_normal((n, 4))
    dense = np.block([[A.toarray(), B], [B.T, np.zeros((3, 3))]])
    expected = np.linalg.solve(dense, np.vstack([b, np.zeros((3, 4))]))[:n]
    bordered = BorderedFactor(A, B, definite=shift >= 0)
    assert np.abs(bordered.solve(b) - expected).max() < ACCURACY * np.abs(expected).max()
    assert np.abs(bordered.solve(b[:, 0]) - expected[:, 0]).max() < ACCURACY * np.abs(expected).max()
    assert np.abs(B.T @ bordered.solve(b)).max() < ACCURACY
