"""Eigenpairs against dense eigh and against the formula of a chain of springs."""

import numpy as np
import pytest
import scipy.linalg as la
import scipy.sparse as sp

import pliant as pl
from pliant.errors import ArgumentError
from pliant.numerics import lowest_eigenpairs, told_apart

ORTHONORMAL = 1e-12
EIGENVALUE = 1e-10  # relative


def chain(n, fixed=True):
    K = sp.diags_array([-np.ones(n - 1), np.full(n, 2.0), -np.ones(n - 1)], offsets=[-1, 0, 1]).tolil()
    if not fixed:
        K[0, 0] = K[-1, -1] = 1.0
    return sp.csr_matrix(K)


def mass(n):
    return sp.csr_matrix(sp.diags([np.full(n - 1, 0.2), np.linspace(1, 2, n), np.full(n - 1, 0.2)], [-1, 0, 1]))


@pytest.mark.parametrize(("n", "count"), [(3, 3), (50, 10), (300, 1), (300, 12)])
def test_pairs_equal_dense_ones(n, count):
    K, M = chain(n), mass(n)
    values, X = lowest_eigenpairs(K, M, count)
    assert np.allclose(values, la.eigh(K.toarray(), M.toarray(), eigvals_only=True)[:count], rtol=EIGENVALUE)
    assert np.abs(X.T @ (M @ X) - np.eye(count)).max() < ORTHONORMAL
    assert np.abs(K @ X - M @ X * values).max() < 1e-10
    assert (X[np.abs(X).argmax(axis=0), np.arange(count)] > 0).all()


def test_chain_has_its_textbook_frequencies():
    values, _ = lowest_eigenpairs(chain(400), sp.eye(400, format="csr"), 6)
    assert np.allclose(values, 4 * np.sin(np.arange(1, 7) * np.pi / 802) ** 2, rtol=1e-9)


def test_singular_stiffness_needs_a_negative_shift_and_gets_its_zero():
    values, X = lowest_eigenpairs(chain(200, fixed=False), sp.eye(200, format="csr"), 3, shift=-1e-3)
    assert abs(values[0]) < 1e-12
    assert np.ptp(X[:, 0]) < 1e-9
    assert np.allclose(values[1:], 4 * np.sin(np.arange(1, 3) * np.pi / 400) ** 2, rtol=1e-8)


def test_repeated_eigenvalues_are_all_found():
    K = sp.csr_matrix(sp.kron(chain(100), sp.eye(3)))
    values, X = lowest_eigenpairs(K, sp.eye(300, format="csr"), 9)
    assert np.allclose(values, np.repeat(4 * np.sin(np.arange(1, 4) * np.pi / 202) ** 2, 3), rtol=1e-9)
    assert np.abs(X.T @ X - np.eye(9)).max() < ORTHONORMAL


def test_result_is_reproducible_bit_for_bit():
    first, second = (lowest_eigenpairs(chain(200), mass(200), 5, backend="superlu") for _ in range(2))
    assert np.array_equal(first[1], second[1])


def test_too_many_pairs_are_refused():
    with pytest.raises(ArgumentError, match="count"):
        lowest_eigenpairs(chain(5), mass(5), 6)


def test_vectors_of_equal_eigenvalues_do_not_depend_on_chance():
    """Of a cube in which three are the same by symmetry; the last wanted one has an equal behind it."""
    solid = pl.Solid(pl.shapes.box((1, 1, 1), (2, 2, 2), kind="hex"), pl.Linear(1e6, 0.3, 1000))
    K, M = solid.stiffness(), solid.mass
    shift = -1e-6 * K.diagonal().max() / M.diagonal().max()
    every, X = lowest_eigenpairs(K, M, 30, shift)
    pairs = np.flatnonzero(np.diff(every[6:]) < 1e-9 * every[6:-1]) + 6
    assert len(pairs) > 3
    for count in pairs + 1:
        own = lowest_eigenpairs(K, M, int(count), shift)[1]
        np.testing.assert_allclose(np.abs(own[:, 6:].T @ (M @ X[:, 6:count])), np.eye(count - 6), atol=1e-6)
    random, mixed = np.random.default_rng(0), X[:, 6:].copy()
    for first in pairs - 6:
        angle = random.uniform(0, np.pi)
        c, s = np.cos(angle), np.sin(angle)
        mixed[:, first : first + 2] = mixed[:, first : first + 2] @ [[c, -s], [s, c]]
    again = told_apart(every[6:], mixed, M)
    np.testing.assert_allclose(np.abs(again.T @ (M @ X[:, 6:])), np.eye(24), atol=1e-6)


def test_a_square_bar_bends_along_its_axes():
    solid = pl.Solid(pl.shapes.bar((1, 0.1, 0.1), (10, 2, 2), kind="hex"), pl.Linear(1e6, 0.3, 1000), fixed="x < 1e-9")
    modes = pl.vibration_modes(solid, 2)
    assert modes.eigenvalues[0] == pytest.approx(modes.eigenvalues[1], rel=1e-10)
    for k, axis in enumerate((1, 2)):
        along = np.abs(modes.vectors[:, k].reshape(-1, 3)).max(axis=0)
        assert along[3 - axis] < 1e-2 * along[axis]  # bent, it widens by Poisson's ratio
