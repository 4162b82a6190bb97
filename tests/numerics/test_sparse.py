"""Sparse factors against dense solves: both backends, definite or not, with and without 3x3 blocks."""

import gc
import sys
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp

from pliant.errors import ArgumentError, MissingPackage, SingularMatrix
from pliant.numerics import factor
from pliant.numerics.pardiso import _installed_library, mkl_library

ACCURACY = 1e-10  # relative; the matrices below have condition numbers under 1e5
needs_pardiso = pytest.mark.skipif(mkl_library() is None, reason="the extra `fast` (pypardiso) is not installed")
BACKENDS = [pytest.param("pardiso", marks=needs_pardiso), "superlu"]


def grid_matrix(shape=(5, 4, 3), block=True, seed=0):
    """A stiffness-like matrix on a grid: symmetric positive definite, 3x3 blocks if asked for."""
    rng = np.random.default_rng(seed)
    ids = np.arange(np.prod(shape)).reshape(shape)
    pairs = [(np.take(ids, range(n - 1), a).ravel(), np.take(ids, range(1, n), a).ravel()) for a, n in enumerate(shape)]
    i, j = np.concatenate([p[0] for p in pairs]), np.concatenate([p[1] for p in pairs])
    edges = sp.csr_matrix((np.ones(len(i)), (np.arange(len(i)), i)), (len(i), ids.size))
    edges -= sp.csr_matrix((np.ones(len(i)), (np.arange(len(i)), j)), (len(i), ids.size))
    A = edges.T @ sp.diags(rng.uniform(1, 3, len(i))) @ edges + 0.1 * sp.eye(ids.size)
    return sp.csr_matrix(sp.kron(A, [[2, 0.5, 0.1], [0.5, 3, 0.2], [0.1, 0.2, 1]]) if block else A)


def relative(x, y):
    return np.abs(x - y).max() / np.abs(y).max()


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("block", [True, False])
@pytest.mark.parametrize("definite", [True, False])
def test_solve_equals_dense(backend, block, definite):
    A = grid_matrix(block=block)
    if not definite:
        A = sp.csr_matrix(A - 2.345 * sp.eye(A.shape[0]))
    b = np.random.default_rng(1).standard_normal((A.shape[0], 4))
    inverse, expected = factor(A, definite, backend), np.linalg.solve(A.toarray(), b)
    assert relative(inverse.solve(b), expected) < ACCURACY
    assert relative(inverse.solve(b[:, 1]), expected[:, 1]) < ACCURACY
    assert inverse.solve(b[:, :0]).shape == (A.shape[0], 0)


@pytest.mark.parametrize("backend", BACKENDS)
def test_update_equals_a_fresh_factor(backend):
    A, B = grid_matrix(seed=0), grid_matrix(seed=1)
    b = np.ones(A.shape[0])
    inverse = factor(A, backend=backend)
    first = inverse.solve(b)
    inverse.update(B)
    assert relative(inverse.solve(b), factor(B, backend=backend).solve(b)) < ACCURACY
    inverse.update(A)
    assert relative(inverse.solve(b), first) < ACCURACY


@pytest.mark.parametrize("backend", BACKENDS)
def test_update_refuses_another_pattern(backend):
    inverse = factor(grid_matrix(), backend=backend)
    with pytest.raises(ArgumentError, match="pattern"):
        inverse.update(grid_matrix((4, 5, 3)))


@pytest.mark.parametrize("backend", BACKENDS)
def test_saddle_point_with_an_empty_diagonal_is_solved(backend):
    A = grid_matrix()
    border = np.random.default_rng(0).standard_normal((A.shape[0], 2))
    saddle = sp.csr_matrix(sp.bmat([[A, border], [border.T, None]]))
    b = np.arange(saddle.shape[0], dtype=float)
    assert relative(factor(saddle, False, backend).solve(b), np.linalg.solve(saddle.toarray(), b)) < ACCURACY


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("definite", [True, False])
def test_singular_matrix_is_refused_in_one_sentence(backend, definite):
    unsupported = sp.csr_matrix(grid_matrix(block=False) - 0.1 * sp.eye(60))
    with pytest.raises(SingularMatrix) as caught:
        factor(unsupported, definite, backend)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("backend", BACKENDS)
def test_promise_of_definiteness_is_checked(backend):
    with pytest.raises(SingularMatrix, match="not positive definite"):
        factor(sp.csr_matrix(grid_matrix() - 2 * sp.eye(180)), backend=backend)


@pytest.mark.parametrize("backend", BACKENDS)
def test_refused_update_leaves_a_usable_factor(backend):
    A = grid_matrix()
    inverse = factor(A, backend=backend)
    with pytest.raises(SingularMatrix):
        inverse.update(-A)
    inverse.update(A)
    assert relative(A @ inverse.solve(np.ones(180)), np.ones(180)) < ACCURACY


def test_order_without_metis_gives_the_same_solution(monkeypatch):
    monkeypatch.setitem(sys.modules, "pymetis", None)
    A = grid_matrix()
    assert relative(A @ factor(A, backend="superlu").solve(np.ones(180)), np.ones(180)) < ACCURACY


def test_nested_dissection_is_a_permutation_that_keeps_blocks_together():
    from pliant.numerics.superlu import nested_dissection

    order = nested_dissection(grid_matrix((6, 6, 6)))
    assert np.array_equal(np.sort(order), np.arange(648))
    assert np.array_equal(order[0::3] // 3, order[2::3] // 3)


def test_missing_pardiso_falls_back_or_says_so(monkeypatch):
    from pliant.numerics import pardiso

    monkeypatch.setattr(pardiso, "_load_library", lambda: None)
    assert type(factor(grid_matrix())).__name__ == "SuperFactor"
    with pytest.raises(MissingPackage, match="fast"):
        factor(grid_matrix(), backend="pardiso")


def test_library_is_found_where_its_package_put_it():
    try:
        distribution("mkl")
    except PackageNotFoundError:
        pytest.skip("the package mkl is not installed")
    assert Path(_installed_library()).is_file()


@needs_pardiso
def test_pardiso_gives_its_memory_back():
    inverse = factor(grid_matrix(), backend="pardiso")
    release = inverse._release
    del inverse
    gc.collect()
    assert not release.alive


@pytest.mark.parametrize(
    "A",
    [np.eye(3), sp.csr_matrix((2, 3)), sp.csr_matrix((0, 0)), sp.csr_matrix([[np.nan, 0], [0, 1.0]])],
)
def test_bad_matrices_are_refused(A):
    with pytest.raises(ArgumentError):
        factor(A)


def test_bad_right_hand_side_and_empty_row_are_refused():
    with pytest.raises(ArgumentError, match="180 rows"):
        factor(grid_matrix()).solve(np.ones(3))
    with pytest.raises(SingularMatrix, match="row is empty"):
        factor(sp.csr_matrix([[1.0, 0], [0, 0]]))
