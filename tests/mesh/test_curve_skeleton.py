"""Bones found in a shape: inside it, joined to each other, and one into every limb."""

import igl
import numpy as np
import pytest
from scipy.sparse.csgraph import connected_components
from scipy.spatial.distance import cdist

import pliant as pl
from pliant.errors import ArgumentError
from pliant.mesh.bones import Skeleton, curve_skeleton
from pliant.mesh.winding import is_inside

NEAR = 0.1  # of the size: how near to the tip of a limb a bone must end; limbs are longer, and feet as wide
HALF = 0.9  # edges of a cube from its middle to a corner, and a little: bones lie in cubes, whose middle is inside
FEET = [(1, -3, 1), (-1, -3, 1), (1, -3, -1), (-1, -3, -1)]
# Directions in which the tips of limbs are the farthest vertices of all.
TIPS = {
    "spot.obj": [*FEET, (0, 0, 1), (1, 1, 0), (-1, 1, 0)],  # tail and ears
    "armadillo.obj": [(1, -1, 0), (-1, -1, 0), (1, 0.5, 1), (-1, 0.5, 1), (0, -0.2, -1), (1, 3, 0), (-1, 3, 0)],
    "cheburashka.off": [(1, 1, 0), (-1, 1, 0), (1, -4, 0), (-1, -4, 0)],  # ears and feet
    "arm.obj": [(-1, -1, 0), (1, -1, 0)],
    "octopus-low.mesh": [],
}


def shape_of(path):
    return pl.read_mesh(path) if path.suffix == ".mesh" else pl.read_surface(path)


def surface_of(shape):
    return shape if isinstance(shape, pl.Surface) else pl.Surface(shape.vertices, shape.surface)


def pieces(skeleton, far):
    """How many the bones are, where ends so near [m] are joined."""
    x = skeleton.ends.reshape(-1, 3)
    joined = cdist(x, x) < far
    joined[np.arange(0, len(x), 2), np.arange(1, len(x), 2)] = True
    return connected_components(joined, directed=False)[0]


@pytest.mark.parametrize("name", TIPS)
def test_bones_of_strangers_lie_inside_are_joined_and_reach_every_limb(name, real_mesh):
    shape = shape_of(real_mesh(name))
    surface, skeleton = surface_of(shape), curve_skeleton(shape)
    size = float(np.ptp(surface.bounds, axis=0).max())
    samples = np.concatenate(skeleton.samples(size / 100))
    outside = samples[~is_inside(surface, samples)]
    away = np.sqrt(
        igl.point_mesh_squared_distance(np.vstack([outside, samples[:1]]), surface.vertices, surface.triangles)[0]
    )
    assert away[:-1].max(initial=0) < HALF * size / 64
    assert pieces(skeleton, 1e-9 * size) == 1
    for direction in TIPS[name]:
        tip = surface.vertices[np.argmax(surface.vertices @ direction)]
        assert np.linalg.norm(skeleton.ends.reshape(-1, 3) - tip, axis=1).min() < NEAR * size, direction


@pytest.mark.parametrize("arms", [2, 3, 5, 8])
def test_a_star_has_a_branch_for_every_arm_and_as_many_bones_as_asked_for(arms):
    """A ball with arms: all meet in the middle; each arm has its share of the bones."""
    turns = 2 * np.pi * np.arange(arms) / arms
    tips = np.stack([np.cos(turns), np.sin(turns), np.zeros(arms)], axis=1)
    body = pl.sdf.sphere(0.25)
    for tip in tips:
        body = body | pl.sdf.capsule((0, 0, 0), tip, 0.08)
    surface = body.surface(0.03)
    skeleton = curve_skeleton(surface, bones=2 * arms)
    assert len(skeleton.names) == 2 * arms
    ends = skeleton.ends
    away = np.linalg.norm(ends, axis=2)
    assert (away[:, 1] > away[:, 0]).all() or arms == 2
    along = np.argmax((ends.mean(axis=1)) @ tips.T, axis=1)
    assert np.bincount(along, minlength=arms).tolist() == [2] * arms
    assert np.abs(ends[..., 2]).max() < 2.2 / 64  # within a cube of their middle
    for tip in tips:
        assert np.linalg.norm(ends.reshape(-1, 3) - 1.08 * tip, axis=1).min() < 0.08
    fewer = curve_skeleton(surface, bones=arms)
    assert len(fewer.names) == arms
    assert pieces(fewer, 0.05) == 1


def test_a_rod_has_one_curve_and_its_bones_make_a_character():
    rod = pl.shapes.bar((4, 0.4, 0.4), (24, 3, 3))
    skeleton = curve_skeleton(rod, bones=4)
    ends = skeleton.ends[np.argsort(skeleton.ends[..., 0].min(axis=1))]
    np.testing.assert_allclose(ends[..., 0].min(axis=1), [0, 1, 2, 3], atol=0.15)
    np.testing.assert_allclose(ends[1:-1, :, 1:], 0, atol=0.07)  # the outer ones end in corners
    solid = pl.Solid(rod, pl.Linear(1e6, 0.3, 1000))
    character = pl.bones(solid, pl.bone_weights(rod, skeleton), modes=4)
    assert len(character.bones) == 4
    assert len(character.joints) == 3


def test_shapes_that_hold_nothing_are_refused():
    flat = pl.Surface(np.array([[0.0, 0, 0], [1, 0, 0], [0, 1, 0]]), np.array([[0, 1, 2]]))
    with pytest.raises(ArgumentError, match="holds no cube"):
        curve_skeleton(flat)
    with pytest.raises(ArgumentError, match="bones"):
        curve_skeleton(pl.shapes.bar((1, 0.2, 0.2), (5, 1, 1)), bones=0)
    assert isinstance(curve_skeleton(pl.shapes.bar((1, 0.2, 0.2), (5, 1, 1)), resolution=20), Skeleton)
