"""Example poses beside vibration modes, each with a stiffness of its own."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import pliant as pl
from pliant.basis import pose_basis, rigid_modes, vibration_modes
from pliant.errors import BasisError
from pliant.fem import Linear, Solid, StVK
from pliant.mesh import shapes
from pliant.numerics import rotation_exponential

MESH = shapes.bar((1, 0.3, 0.3), (6, 2, 2))
X = MESH.vertices
FREE = Solid(MESH, Linear(1e5, 0.3, 1000))
CLAMPED = Solid(MESH, StVK(1e5, 0.3, 1000), fixed="x < 1e-9")
DENT = X - 0.05 * np.exp(-20 * ((X - [0.5, 0.15, 0]) ** 2).sum(axis=1))[:, None] * [0, 1, 0]
ROUNDING = 1e-9


def test_pose_is_reached_where_its_coordinate_is_one():
    dent = X + (DENT - X) * (X[:, :1] > 0)  # the clamped face stays
    basis = pose_basis(CLAMPED, dent, modes=4)
    assert basis.size == 5
    np.testing.assert_allclose(basis.vectors[:, :4], vibration_modes(CLAMPED, 4).vectors)
    np.testing.assert_allclose(basis.vectors[:, 4], (dent - X).ravel(), atol=1e-15)


def test_poses_of_a_free_solid_are_centred_and_freed_of_rotation():
    """Maths sheet momentum 1.2: no linear momentum, and G(0) = 0."""
    R = rotation_exponential(np.array([0.3, -1.0, 0.7]))
    here, there = (pose_basis(FREE, pose, modes=3).vectors[:, 3] for pose in (DENT, DENT @ R.T + [1, 2, 3]))
    np.testing.assert_allclose(here, there, atol=1e-9 * np.abs(here).max())
    assert np.abs(rigid_modes(FREE).T @ (FREE.mass @ here)).max() < ROUNDING * np.abs(here).max()


@settings(max_examples=15)
@given(st.floats(0.01, 100), st.floats(-1, 1))
def test_energy_along_a_pose_is_the_factor_times_that_of_the_solid(factor, q):
    basis = pose_basis(FREE, DENT, modes=3, stiffness=factor)
    energy = pl.reduce(FREE, basis, force="linear").energy([0, 0, 0, q])
    assert energy == pytest.approx(factor * FREE.energy(q * basis.vectors[:, 3]), rel=ROUNDING, abs=1e-12)


@pytest.mark.parametrize("force", ["linear", "cubic", "cells"])
def test_reduced_forces_are_derivatives_of_an_energy_with_factors(force):
    """W(q) = V(U sqrt(s) q)."""
    pose = X + 0.05 * (X[:, :1] ** 2) * [0, 1, 0]
    basis = pose_basis(CLAMPED, pose, modes=2, stiffness=0.2)
    model, q = pl.reduce(CLAMPED, basis, force=force), np.array([1e-3, -2e-3, 0.4])
    if force != "linear":
        scaled = basis.vectors @ (np.sqrt([1, 1, 0.2]) * q)
        assert model.energy(q) == pytest.approx(CLAMPED.energy(scaled), rel=ROUNDING)
    h = 1e-6
    slope = [(model.energy(q + h * e) - model.energy(q - h * e)) / (2 * h) for e in np.eye(3)]
    np.testing.assert_allclose(model.force(q), slope, rtol=1e-6, atol=1e-6 * np.abs(slope).max())


def test_soft_pose_dents_where_it_is_hit_and_keeps_momentum():
    """The punch of [MC15] section 9: a ball hits a block; with a soft example pose it dents the more, P and L stay."""
    depths = []
    for factor in (1.0, 0.05):
        model = pl.reduce(FREE, pose_basis(FREE, DENT, modes=6, stiffness=factor), force="linear")
        world = pl.World(dt=0.002, gravity=None)
        block = world.add(model, damping=(0, 1e-3))
        ball = pl.Rigid(pl.shapes.sphere(0.1, 4), density=4000)
        world.add(ball, position=(0.5, 0.27, 0), velocity=(0, -2, 0))
        before, deepest = world.momentum(), 0.0
        for _ in range(40):
            world.step()
            deepest = max(deepest, float(block.q[-1]))
        for was, now in zip(before, world.momentum()):
            np.testing.assert_allclose(now, was, atol=1e-11 * np.abs(before[0]).max())
        depths.append(deepest)
    assert depths[1] > 2 * depths[0] > 0


def test_bases_with_poses_keep_their_factors_when_cut_and_refuse_what_makes_no_sense():
    basis = pose_basis(CLAMPED, X + 0.05 * (X[:, :1] ** 2) * [0, 1, 0], modes=2, stiffness=[0.2])
    np.testing.assert_array_equal(basis.stiffness, [1, 1, 0.2])
    np.testing.assert_array_equal(basis.truncate(2).stiffness, [1, 1])
    with pytest.raises(BasisError, match="one a pose"):
        pose_basis(FREE, DENT, stiffness=[1, 2])
    with pytest.raises(BasisError, match="positive"):
        pose_basis(FREE, DENT, stiffness=0)
    with pytest.raises(BasisError, match="size is that of poses alone"):
        pose_basis(FREE, DENT, size=1, modes=2)
