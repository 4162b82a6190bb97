"""Signed singular values: the factors are rotations and multiply to F, whatever F is."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

import pliant.numerics as nm

ROUNDING = 1e-14  # relative to the largest entry

matrices = arrays(np.float64, (3, 3), elements=st.floats(-10, 10, allow_subnormal=False))


def decompose(F):
    U, x, V = np.full((3, 3), np.nan), np.full(3, np.nan), np.full((3, 3), np.nan)
    nm.signed_svd(np.asarray(F, dtype=float), U, x, V)
    return U, x, V


def check(F):
    U, x, V = decompose(F)
    scale = np.abs(F).max() or 1.0
    assert np.abs((U * (x / scale)) @ V.T - F / scale).max() < ROUNDING
    for W in (U, V):
        assert np.abs(W.T @ W - np.eye(3)).max() < ROUNDING
        assert abs(np.linalg.det(W) - 1) < ROUNDING
    assert np.abs(np.abs(x / scale) - np.linalg.svd(F / scale)[1]).max() < ROUNDING
    assert x[0] >= 0
    assert x[1] >= 0
    assert np.all(np.diff(np.abs(x)) <= ROUNDING * scale)


@given(matrices)
def test_svd_reproduces_any_matrix(F):
    check(F)


@given(matrices, st.integers(0, 2))
def test_svd_of_a_mirror_image_has_the_sign_on_the_last_value(F, axis):
    mirrored = F.copy()
    mirrored[:, axis] *= -1
    x, y = decompose(F)[1], decompose(mirrored)[1]
    assert np.abs(x * [1, 1, -1] - y).max() <= ROUNDING * max(1, np.abs(F).max()) or abs(x[2]) < ROUNDING


@pytest.mark.parametrize(
    "F",
    [
        np.zeros((3, 3)),
        np.eye(3),
        -np.eye(3),
        np.diag([1.0, 1, 0]),
        np.diag([0.0, 0, 1e-300]),
        np.ones((3, 3)),
        1e200 * np.arange(9.0).reshape(3, 3),
        1e-200 * np.arange(9.0).reshape(3, 3) ** 2,
        np.diag([1, 1e-9, 1e-15]),
        np.outer([1.0, 2, 3], [3.0, -1, 1e-8]),
        np.eye(3) + 1e-12 * np.arange(9).reshape(3, 3),
    ],
)
def test_svd_survives_degenerate_matrices(F):
    check(np.asarray(F, dtype=float))


@given(arrays(np.float64, 3, elements=st.floats(-1.7, 1.7)), matrices)
def test_polar_follows_a_rotation_of_the_matrix(w, A):
    F = np.eye(3) + 0.02 * A
    Q, R, QR = nm.rotation_exponential(w), np.empty((3, 3)), np.empty((3, 3))
    nm.polar(F, R)
    nm.polar(Q @ F, QR)
    assert np.abs(Q @ R - QR).max() < 10 * ROUNDING
    stretch = R.T @ F
    assert np.abs(stretch - stretch.T).max() < 10 * ROUNDING
    assert np.linalg.eigvalsh(stretch).min() > 0
