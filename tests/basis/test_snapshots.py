"""Snapshots and poses: the basis reproduces what it was made from, wherever a free solid stands."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from pliant.basis import modal_basis, pose_basis, rigid_modes, snapshot_basis
from pliant.errors import ArgumentError, BasisError
from pliant.fem import Solid, StVK
from pliant.mesh import shapes
from pliant.numerics import rotation_exponential

ORTHONORMAL = 1e-12
MESH = shapes.bar((1, 0.3, 0.2), (3, 2, 1))
FREE = Solid(MESH, StVK(1e6, 0.3, 1000))


def motion(solid, count=6, seed=0):
    u = np.random.default_rng(seed).standard_normal((solid.dof_count, count)) * 0.01
    u.reshape(-1, 3, count)[solid.fixed] = 0
    return u


def left(solid, basis, u):
    """Relative mass-norm error of the best approximation of u."""
    U, M = basis.vectors, solid.mass
    e = u - U @ (U.T @ (M @ u))
    return np.sqrt(np.einsum("ij,ij->", e, M @ e) / np.einsum("ij,ij->", u, M @ u))


def test_snapshots_are_reproduced(clamped):
    u = motion(clamped)
    basis = snapshot_basis(clamped, u)
    assert basis.size == 6
    assert left(clamped, basis, u) < 1e-12
    assert np.abs(basis.vectors.T @ (clamped.mass @ basis.vectors) - np.eye(6)).max() < ORTHONORMAL


def test_all_ways_to_store_snapshots_give_the_same_basis(clamped):
    u = motion(clamped)
    expected = snapshot_basis(clamped, u, 4).vectors
    for stored in (u.T, u.T.reshape(6, -1, 3), list(u.T), [c.reshape(-1, 3) for c in u.T]):
        assert np.array_equal(snapshot_basis(clamped, stored, 4).vectors, expected)
    assert snapshot_basis(clamped, u[:, 0]).size == snapshot_basis(clamped, u[:, 0].reshape(-1, 3)).size == 1


def test_tolerance_bounds_what_is_left(clamped):
    u = (
        modal_basis(clamped, 4, None).vectors
        @ np.diag(0.5 ** np.arange(14))
        @ np.random.default_rng(0).normal(size=(14, 9))
    )
    for tolerance in (0.3, 0.03, 0.003):
        basis = snapshot_basis(clamped, u, tolerance=tolerance)
        assert left(clamped, basis, u) <= tolerance < left(clamped, basis.truncate(basis.size - 1), u)


@settings(max_examples=20)
@given(arrays(float, 3, elements=st.floats(-1.8, 1.8)), arrays(float, 3, elements=st.floats(-5, 5)))
def test_poses_of_a_free_solid_may_stand_anywhere(w, t):
    poses = MESH.vertices + motion(FREE, 3).T.reshape(3, -1, 3)
    U = pose_basis(FREE, poses).vectors
    V = pose_basis(FREE, poses @ rotation_exponential(w).T + t).vectors
    assert np.abs(U - V).max() < 1e-9 * np.abs(U).max()
    assert np.abs(rigid_modes(FREE).T @ (FREE.mass @ U)).max() < 1e-11


def test_poses_of_a_clamped_solid_are_reproduced(clamped):
    u = motion(clamped, 2)
    basis = pose_basis(clamped, clamped.mesh.vertices + u.T.reshape(2, -1, 3))
    assert left(clamped, basis, u) < 1e-12
    assert pose_basis(clamped, clamped.mesh.vertices + u[:, 0].reshape(-1, 3)).size == 1


def test_snapshots_that_move_fixed_vertices_are_refused(clamped):
    with pytest.raises(BasisError, match="fixed vertices"):
        snapshot_basis(clamped, np.ones(clamped.dof_count))


def test_too_few_snapshots_and_bad_shapes_are_refused(clamped):
    with pytest.raises(BasisError, match="span 6"):
        snapshot_basis(clamped, motion(clamped), 30)
    for bad in (np.ones(5), np.ones((5, 4)), np.ones((0, clamped.dof_count)), np.full((clamped.dof_count, 2), np.nan)):
        with pytest.raises(ArgumentError):
            snapshot_basis(clamped, bad)
    with pytest.raises(ArgumentError, match="poses"):
        pose_basis(clamped, np.ones((4, 3)))
