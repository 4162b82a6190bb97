"""Inverses of small matrices in whole lanes, against numpy, for sizes around the lanes."""

import numpy as np
import pytest
from numba import njit

from pliant.numerics.spd_inverse import invert_spd, rows_times_inverse, times_inverse

SIZES = [1, 2, 3, 7, 10, 15, 16, 17, 18, 31, 32, 40]
ROUNDING = 1e-13
AT = 5  # where the inverse begins
invert = njit(lambda A, n, inverse: invert_spd(A, n, AT, inverse))
times = njit(lambda inverse, n, b, out: times_inverse(inverse, AT, n, b, out))
rows_times = njit(lambda inverse, n, W, V, place, wide: rows_times_inverse(inverse, AT, n, W, V, place, wide))


def well_conditioned(n):
    B = np.random.default_rng(n).standard_normal((n, n))
    return B @ B.T + n * np.eye(n)


@pytest.mark.parametrize("n", SIZES)
def test_inverse_is_that_of_numpy_with_zeros_behind(n):
    A, pitch = well_conditioned(n), -(-n // 16) * 16
    inverse = np.full(AT + n * pitch + 1, 7.0)
    assert invert(A.copy(), n, inverse)
    rows = inverse[AT:-1].reshape(n, pitch)
    np.testing.assert_allclose(rows[:, :n], np.linalg.inv(A), atol=ROUNDING)
    assert not rows[:, n:].any()
    assert (inverse[[0, AT - 1, -1]] == 7.0).all()
    b, out = np.random.default_rng(0).standard_normal(n), np.zeros(pitch)
    times(inverse, n, b, out)
    np.testing.assert_allclose(out[:n], np.linalg.solve(A, b), atol=ROUNDING)


@pytest.mark.parametrize("n", SIZES)
def test_rows_that_lie_close_together_do_not_disturb_each_other(n):
    A, wide, place = well_conditioned(n), n + 6, 9
    inverse = np.zeros(AT + n * (-(-n // 16) * 16))
    invert(A.copy(), n, inverse)
    W = np.random.default_rng(0).standard_normal(place + 3 * wide)
    V = np.zeros(len(W) + 16)
    rows_times(inverse, n, W, V, place, wide)
    for i in range(3):
        own = slice(place + i * wide, place + i * wide + n)
        np.testing.assert_allclose(V[own], np.linalg.solve(A, W[own]), atol=ROUNDING)
    assert not V[:place].any()


@pytest.mark.parametrize("n", SIZES)
def test_what_is_not_positive_definite_is_told(n):
    A, inverse = well_conditioned(n), np.zeros(AT + n * (-(-n // 16) * 16))
    A[-1, -1] = -1.0
    assert not invert(A, n, inverse)
    assert not inverse.any()
