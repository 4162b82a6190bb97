"""The push-button basis: orthonormal, independent of units, and of the size that was asked for."""

import numpy as np
import pytest
import scipy.linalg as la

from pliant.basis import Basis, modal_basis, modal_derivatives, residual, rigid_modes, vibration_modes
from pliant.basis.auto_size import trial_loads
from pliant.basis.galerkin import galerkin_static
from pliant.errors import ArgumentError, BasisError
from pliant.fem import Linear, Solid, StVK

ORTHONORMAL = 1e-12
INVARIANT = 1e-6  # sine of the largest principal angle; single-body section 4 obtained 3e-8


def angle(solid, U, V):
    """Sine of the largest principal angle between two M-orthonormal bases."""
    left = V - U @ (U.T @ (solid.mass @ V))
    return np.sqrt(la.eigvalsh(left.T @ (solid.mass @ left))[-1].clip(0))


def test_basis_is_orthonormal_and_zero_where_fixed(either):
    basis = modal_basis(either, 4, 12)
    U = basis.vectors
    assert U.shape == (either.dof_count, 12)
    assert np.abs(U.T @ (either.mass @ U) - np.eye(12)).max() < ORTHONORMAL
    assert not U.reshape(-1, 3, 12)[either.fixed].any()
    assert len(basis.frequencies) == 4
    assert np.all(np.diff(basis.singular_values) <= 0)


@pytest.mark.parametrize("form", ["static", "tangent"])
def test_free_basis_is_orthogonal_to_rigid_motion(free, form):
    U = modal_basis(free, 4, 12, form=form).vectors
    assert np.abs(rigid_modes(free).T @ (free.mass @ U)).max() < 1e-10


def test_whole_set_spans_modes_and_derivatives(clamped):
    modes = vibration_modes(clamped, 3)
    U, M = modal_basis(clamped, modes, None).vectors, clamped.mass
    for V in (modes.vectors, modal_derivatives(clamped, modes)):
        assert np.linalg.norm(V - U @ (U.T @ (M @ V))) < 1e-9 * np.linalg.norm(V)


@pytest.mark.parametrize(("young", "density"), [(100, 1), (1, 1e-4), (7, 3)])
def test_basis_does_not_depend_on_stiffness_or_density(clamped, young, density):
    other = Solid(clamped.mesh, StVK(1e6 * young, 0.3, 1000 * density), clamped.fixed)
    U, V = modal_basis(clamped, 4, 10).vectors, modal_basis(other, 4, 10).vectors
    assert angle(clamped, U, V * np.sqrt(density)) < INVARIANT


def test_basis_is_truncated_consistently(clamped):
    modes = vibration_modes(clamped, 4)
    whole, part = modal_basis(clamped, modes, None), modal_basis(clamped, modes, 6)
    assert np.abs(whole.truncate(6).vectors - part.vectors).max() < 1e-10 * np.abs(part.vectors).max()


def test_linear_material_gives_its_modes(clamped):
    solid = Solid(clamped.mesh, Linear(1e6, 0.3, 1000), clamped.fixed)
    modes = vibration_modes(solid, 3)
    assert angle(solid, modes.vectors, modal_basis(solid, modes, 3).vectors) < 1e-7
    with pytest.raises(BasisError, match="span 3"):
        modal_basis(solid, modes, 4)


def test_automatic_size_is_the_smallest_that_meets_the_tolerance(clamped):
    modes, tolerance = vibration_modes(clamped, 6), 0.02

    def worst(basis):
        loads = trial_loads(clamped, modes).T
        return max(residual(clamped, basis, galerkin_static(clamped, basis.vectors, p), p) for p in loads)

    whole, basis = modal_basis(clamped, modes, None), modal_basis(clamped, modes, "auto", tolerance=tolerance)
    assert isinstance(basis, Basis)
    assert basis.size < whole.size
    assert worst(basis) <= tolerance
    assert worst(whole.truncate(basis.size - 1)) > tolerance
    with pytest.raises(BasisError, match="more modes"):
        modal_basis(clamped, modes, "auto", tolerance=1e-9)


@pytest.mark.parametrize("arguments", [{"size": 0}, {"size": "big"}, {"modes": 0}, {"tolerance": -1}, {"form": "x"}])
def test_bad_arguments_are_refused(clamped, arguments):
    with pytest.raises(ArgumentError):
        modal_basis(clamped, **{"modes": 2, "size": 4, **arguments})
