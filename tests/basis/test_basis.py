"""The Basis class: what it accepts, what it refuses, and that it cannot be changed."""

import numpy as np
import pytest

from pliant.basis import (
    Basis,
    check_fits,
    modal_basis,
    pose_basis,
    residual,
    sketch_basis,
    snapshot_basis,
    vibration_modes,
)
from pliant.errors import ArgumentError, BasisError, PliantError


def test_any_independent_columns_make_a_basis():
    vectors = np.random.default_rng(0).standard_normal((12, 5)) * [1, 1e-9, 1e9, 1, 1]
    basis = Basis(vectors)
    assert np.array_equal(basis.vectors, vectors)
    assert basis.size == 5
    assert repr(basis) == "Basis(4 vertices, 5 vectors)"


def test_basis_is_a_read_only_copy():
    vectors = np.eye(6)
    basis = Basis(vectors, singular_values=np.arange(6)[::-1])
    vectors[0, 0] = 7
    assert basis.vectors[0, 0] == 1
    with pytest.raises(ValueError, match="read-only"):
        basis.vectors[0, 0] = 2
    with pytest.raises(AttributeError):
        basis.vectors = vectors


def test_truncation_keeps_the_first_columns():
    basis = Basis(np.eye(6), singular_values=np.arange(6)[::-1], frequencies=[1.0, 2.0])
    part = basis.truncate(2)
    assert np.array_equal(part.vectors, np.eye(6)[:, :2])
    assert np.array_equal(part.singular_values, [5, 4])
    assert np.array_equal(part.frequencies, [1, 2])


@pytest.mark.parametrize(
    ("vectors", "reason"),
    [
        (np.ones(6), "shape"),
        (np.ones((6, 0)), "column"),
        (np.eye(4), "3 rows a vertex"),
        (np.ones((3, 4)), "columns"),
        (np.full((6, 1), np.nan), "finite"),
        (np.zeros((6, 1)), "column 0"),
        (np.ones((6, 2)), "dependent"),
        (np.eye(6)[:, [0, 1, 0]], "dependent"),
        ("modes", "array of numbers"),
    ],
)
def test_bad_columns_are_refused(vectors, reason):
    with pytest.raises(BasisError, match=reason):
        Basis(vectors)


def test_basis_must_fit_its_solid(clamped):
    with pytest.raises(BasisError, match="rows"):
        check_fits(clamped, Basis(np.eye(6)))
    with pytest.raises(BasisError, match="fixed vertices"):
        check_fits(clamped, Basis(np.ones((clamped.dof_count, 1))))
    with pytest.raises(PliantError, match="Basis"):
        check_fits(clamped, np.eye(6))


@pytest.mark.parametrize("call", [vibration_modes, modal_basis, snapshot_basis, sketch_basis, pose_basis])
def test_only_solids_have_bases(clamped, call):
    with pytest.raises(ArgumentError, match="Solid"):
        call(clamped.mesh, 3)
    with pytest.raises(ArgumentError, match="Solid"):
        residual(clamped.mesh, Basis(np.eye(6)), np.ones(6))
