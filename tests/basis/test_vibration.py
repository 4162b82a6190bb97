"""Vibration modes: the frequencies of the maths sheet, the eigenproblem itself, and no rigid motion."""

import numpy as np
import pytest
import scipy.linalg as la

from pliant.basis import rigid_modes, vibration_modes
from pliant.basis.mode_basis import mode_basis
from pliant.errors import ArgumentError, BasisError, SingularMatrix
from pliant.fem import Solid, StVK
from pliant.mesh import Mesh, shapes

SPOON = [0.7855, 1.1763, 6.5725, 9.8019, 11.3732, 19.4767]  # [Hz], single-body section 7
PRINTED = 5.1e-5  # half of the last digit printed there
ORTHONORMAL = 1e-12
EIGENVALUE = 1e-9  # relative, against dense eigh


def test_spoon_has_the_frequencies_of_the_maths_sheet(spoon_modes):
    assert np.abs(spoon_modes.frequencies / (2 * np.pi) - SPOON).max() < PRINTED


def test_modes_solve_the_dense_eigenproblem(either):
    modes = vibration_modes(either, 8)
    K, M = (either.free_matrix(A).toarray() for A in (either.stiffness(), either.mass))
    rigid = 0 if len(either.fixed) else 6
    assert np.allclose(modes.eigenvalues, la.eigh(K, M, eigvals_only=True)[rigid : rigid + 8], rtol=EIGENVALUE)
    assert np.abs(modes.vectors.T @ (either.mass @ modes.vectors) - np.eye(8)).max() < ORTHONORMAL
    assert not modes.vectors.reshape(-1, 3, 8)[either.fixed].any()


def test_free_modes_are_orthogonal_to_rigid_motion(free):
    R, modes = rigid_modes(free), vibration_modes(free, 8)
    assert np.abs(R.T @ (free.mass @ modes.vectors)).max() < ORTHONORMAL


def test_rigid_modes_are_orthonormal_and_strain_nothing(free):
    R = rigid_modes(free)
    assert np.abs(R.T @ (free.mass @ R) - np.eye(6)).max() < ORTHONORMAL
    assert np.abs(free.stiffness() @ R).max() < 1e-11 * free.stiffness().diagonal().max()


def test_repeated_frequencies_of_a_square_bar_come_in_pairs():
    mesh = shapes.bar((1, 0.2, 0.2), (6, 2, 2), kind="hex")
    modes = vibration_modes(Solid(mesh, StVK(1e6, 0.3, 1000), np.flatnonzero(mesh.vertices[:, 0] < 1e-9)), 2)
    assert modes.eigenvalues[0] == pytest.approx(modes.eigenvalues[1], rel=1e-9)


def test_modes_are_read_only(spoon_modes):
    with pytest.raises(ValueError, match="read-only"):
        spoon_modes.vectors[0, 0] = 1


def test_progress_starts_and_ends(clamped):
    calls = []
    vibration_modes(clamped, 2, progress=lambda stage, fraction: calls.append((stage, fraction)))
    assert calls[0] == ("vibration modes", 0.0)
    assert calls[-1] == ("vibration modes", 1.0)


def test_solid_in_pieces_is_refused():
    one = shapes.bar((1, 0.2, 0.2), (3, 1, 1))
    two = Mesh(np.vstack([one.vertices, one.vertices + 5]), np.vstack([one.cells, one.cells + len(one.vertices)]))
    with pytest.raises(BasisError, match="pieces"):
        vibration_modes(Solid(two, StVK(1e6, 0.3, 1000)), 8)
    with pytest.raises(SingularMatrix):
        vibration_modes(Solid(two, StVK(1e6, 0.3, 1000), fixed=[0, 1, 2, 3, 4]), 4)


@pytest.mark.parametrize("count", [0, -1, 2.5, True, 10**6])
def test_bad_counts_are_refused(clamped, count):
    with pytest.raises(ArgumentError, match="count"):
        vibration_modes(clamped, count)


def test_every_body_that_touches_no_other_has_its_own_modes():
    """A long post and a short one: the four lowest of both are all of the long one, sqrt K / M of each beside them."""
    long, short = shapes.bar((1.0, 0.1, 0.1), (8, 1, 1)), shapes.bar((0.3, 0.1, 0.1), (3, 1, 1))
    X = np.concatenate([long.vertices, short.vertices + np.array([0, 1.0, 0])])
    both = Mesh(X, np.concatenate([long.cells, short.cells + len(long.vertices)]))
    solids = [Solid(mesh, StVK(1e6, 0.3, 1000), fixed="x < 1e-9") for mesh in (long, short, both)]
    alone = [vibration_modes(solid, 2).frequencies for solid in solids[:2]]
    basis, lowest = mode_basis(solids[2], 2, each=True), mode_basis(solids[2], 4)
    np.testing.assert_allclose(basis.frequencies, np.sort(np.concatenate(alone)), rtol=1e-9)
    np.testing.assert_allclose(basis.vectors.T @ (solids[2].mass @ basis.vectors), np.eye(4), atol=1e-9)
    of_short = slice(3 * len(long.vertices), None)
    assert np.abs(lowest.vectors[of_short]).max() < 1e-9 < np.abs(basis.vectors[of_short]).max()
