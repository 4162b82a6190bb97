"""The error indicator against the true error: it must see what a basis cannot do, locking above all."""

import numpy as np
import pytest

from pliant.basis import Basis, modal_basis, residual, rigid_modes, vibration_modes
from pliant.basis.galerkin import galerkin_static
from pliant.basis.indicator import mass_norm
from pliant.errors import ArgumentError, BasisError
from pliant.fem import solve_static

FAITHFUL = 0.15  # relative difference between indicator and true error, where that is below 5 %


@pytest.fixture(scope="module")
def pushed(spoon):
    """A push on the tip of the spoon that bends it by 0.46 m of its 2.5 m, and the full solution."""
    tip = spoon.mesh.vertices[:, 0] > 2.49
    load = np.zeros((spoon.mesh.vertex_count, 3))
    load[tip, 2] = 100 / tip.sum()
    return load.ravel(), solve_static(spoon, load)


def indicated_and_true(solid, basis, load, u):
    q = galerkin_static(solid, basis.vectors, load)
    return residual(solid, basis, q, load), mass_norm(solid, u - basis.vectors @ q) / mass_norm(solid, u)


def test_indicator_follows_the_true_error_down(spoon, spoon_modes, pushed):
    whole = modal_basis(spoon, spoon_modes, None)
    pairs = np.array([indicated_and_true(spoon, whole.truncate(r), *pushed) for r in (8, 12, 20, 27)])
    indicated, true = pairs.T
    assert np.all(np.diff(indicated) < 0)
    assert np.abs(indicated / true - 1).max() < FAITHFUL
    assert true[-1] < 1e-3


def test_indicator_sees_locking(spoon, spoon_modes, pushed):
    indicated, true = indicated_and_true(spoon, Basis(spoon_modes.vectors), *pushed)
    assert true > 0.8
    assert indicated > 0.5


def test_small_linear_vibration_leaves_no_residual(either):
    modes = vibration_modes(either, 4)
    q = 1e-9 * np.array([1, -2, 0.5, 1])
    assert residual(either, Basis(modes.vectors), q) < 1e-6
    assert residual(either, Basis(modes.vectors), 0 * q) == 0.0


def test_any_choice_of_columns_for_a_space_gives_the_same_residual(either):
    basis = Basis(vibration_modes(either, 3).vectors)
    q = [0.05, 0.02, -0.03]
    T = np.random.default_rng(0).standard_normal((3, 3)) + 3 * np.eye(3)
    expected = residual(either, basis, q)
    assert 1e-3 < expected < 1
    assert residual(either, Basis(basis.vectors @ T), np.linalg.solve(T, q)) == pytest.approx(expected, rel=1e-8)


def test_rigid_load_on_a_free_solid_costs_nothing(free):
    basis, R = modal_basis(free, 3, 6), rigid_modes(free)
    q = 0.01 * np.arange(1, 7)
    load = 5 * (free.mass @ R[:, :3]).sum(axis=1)
    assert residual(free, basis, q, load) == pytest.approx(residual(free, basis, q), rel=1e-8)


def test_bad_states_are_refused(clamped):
    basis = modal_basis(clamped, 2, 4)
    with pytest.raises(ArgumentError, match="q must have shape"):
        residual(clamped, basis, np.ones(3))
    with pytest.raises(ArgumentError, match="load"):
        residual(clamped, basis, np.ones(4), load=np.ones(3))
    with pytest.raises(BasisError):
        residual(clamped, Basis(np.eye(6)), np.ones(6))
