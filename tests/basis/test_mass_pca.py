"""Mass-PCA against a dense Cholesky factor of the mass, and what no rotation of the data may change."""

import numpy as np
import pytest
import scipy.linalg as la
from hypothesis import given, settings
from hypothesis import strategies as st

from pliant.basis import mass_pca
from pliant.errors import BasisError
from pliant.fem import Solid, StVK
from pliant.mesh import shapes

ORTHONORMAL = 1e-12
CHOLESKY = 1e-11  # single-body section 4 obtained 5e-13

MESH = shapes.bar((1, 0.3, 0.2), (3, 2, 1))
SOLID = Solid(MESH, StVK(1e6, 0.3, 1000), fixed=np.flatnonzero(MESH.vertices[:, 0] < 1e-9))


def random_data(seed, count=5, scales=1.0):
    data = np.random.default_rng(seed).standard_normal((SOLID.dof_count, count)) * scales
    data[: 3 * len(SOLID.fixed)] = 0  # the clamped end comes first
    return data


def residual(U, data):
    return data - U @ (U.T @ (SOLID.mass @ data))


def test_components_equal_those_of_the_cholesky_factor():
    data = random_data(0)
    L = la.cholesky(SOLID.free_matrix(SOLID.mass).toarray(), lower=True)
    W, s, _ = la.svd(L.T @ data[SOLID.free], full_matrices=False)
    U, values = mass_pca(SOLID, data)
    assert np.abs(values - s).max() < CHOLESKY * s[0]
    overlap = np.abs((la.solve_triangular(L.T, W)).T @ (SOLID.mass @ U)[SOLID.free])
    assert np.abs(overlap - np.eye(5)).max() < CHOLESKY


def test_small_directions_are_kept():
    scales = np.array([1, 1e-3, 1e-6, 1e-9, 1e-12])
    U, s = mass_pca(SOLID, random_data(1, scales=scales))
    assert U.shape[1] == 5
    assert np.abs(U.T @ (SOLID.mass @ U) - np.eye(5)).max() < ORTHONORMAL
    assert np.all(np.abs(np.log10(s / s[0] / scales)) < 1)


@settings(max_examples=20)
@given(st.integers(0, 10**6), st.integers(1, 8))
def test_basis_is_orthonormal_and_spans_the_data(seed, count):
    data = random_data(seed, count)
    U, s = mass_pca(SOLID, data)
    assert np.abs(U.T @ (SOLID.mass @ U) - np.eye(U.shape[1])).max() < ORTHONORMAL
    assert np.abs(residual(U, data)).max() < 1e-12 * np.abs(data).max()
    assert np.all(np.diff(s) <= 0)
    assert (U[np.abs(U).argmax(axis=0), np.arange(U.shape[1])] > 0).all()


@settings(max_examples=20)
@given(st.integers(0, 10**6))
def test_mixing_the_data_by_a_rotation_changes_nothing(seed):
    data, Q = random_data(seed), la.qr(np.random.default_rng(seed).standard_normal((5, 5)))[0]
    (U, s), (V, z) = mass_pca(SOLID, data, 3), mass_pca(SOLID, data @ Q, 3)
    assert np.abs(s - z).max() < 1e-12 * s[0]
    assert np.abs(residual(U, V)).max() < 1e-6 * np.abs(V).max()


def test_truncation_is_the_best_approximation():
    data = random_data(2)
    U, s = mass_pca(SOLID, data)
    left = residual(U[:, :2], data)
    assert np.einsum("ij,ij->", left, SOLID.mass @ left) == pytest.approx((s[2:] ** 2).sum(), rel=1e-12)


def test_dependent_columns_are_dropped_and_too_large_sizes_refused():
    data = np.hstack([random_data(3), random_data(3) @ np.ones((5, 2))])
    assert mass_pca(SOLID, data)[0].shape[1] == 5
    with pytest.raises(BasisError, match="span 5"):
        mass_pca(SOLID, data, 6)
    with pytest.raises(BasisError):
        mass_pca(SOLID, 0 * data)
