"""The signed-distance kit: distances against formulas and geometry, operators against sets, meshes against volumes."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pliant.mesh import Surface, sdf

POINTS = np.random.default_rng(1).uniform(-1.5, 1.5, (400, 3))
STEP = 1e-5  # for differences of distances, which are linear but for curvature

EXACT = {
    "sphere": (sdf.sphere(0.6), 4 / 3 * np.pi * 0.6**3),
    "box": (sdf.box((1, 0.8, 0.6)), 0.48),
    "rounded box": (sdf.rounded_box((1, 0.8, 0.6), 0.3), None),
    "capsule": (sdf.capsule((-0.5, 0, 0), (0.5, 0, 0), 0.3), np.pi * 0.09 + 4 / 3 * np.pi * 0.027),
    "cylinder": (sdf.cylinder(0.4, 1.2), np.pi * 0.16 * 1.2),
    "torus": (sdf.torus(0.6, 0.25), 2 * np.pi**2 * 0.6 * 0.25**2),
    "sweep": (sdf.sweep([(-0.6, 0, 0), (0, 0.3, 0), (0.6, 0, 0.3)], [0.3, 0.15, 0.25]), None),
}
BOUNDED = {
    "cone": (sdf.cone(0.6, 0.1, 1.2), np.pi * 1.2 / 3 * (0.36 + 0.06 + 0.01)),
    "ellipsoid": (sdf.ellipsoid((0.8, 0.5, 0.6)), 4 / 3 * np.pi * 0.24),
}
ALL = {**EXACT, **BOUNDED}


def gradient_lengths(field):
    steps = STEP * np.eye(3)
    return np.linalg.norm(
        [(field.distance(POINTS + s) - field.distance(POINTS - s)) / (2 * STEP) for s in steps], axis=0
    )


@pytest.mark.parametrize("name", EXACT)
def test_exact_distances_change_by_one_per_metre(name):
    lengths = gradient_lengths(EXACT[name][0])
    # A few points lie within a step of a ridge, where the nearest surface point jumps.
    assert np.quantile(np.abs(lengths - 1), 0.97) < 1e-6
    assert lengths.max() < 1 + 1e-6


@pytest.mark.parametrize("name", ALL)
def test_surface_is_closed_outward_in_its_box_and_of_right_volume(name):
    field, volume = ALL[name]
    surface = field.surface(0.04)
    assert np.abs(field.distance(surface.vertices)).max() < 0.02
    assert (surface.bounds[0] >= field.bounds[0] - 1e-6).all()
    assert (surface.bounds[1] <= field.bounds[1] + 1e-6).all()
    expected = volume or field.voxels(0.02).volumes.sum()
    assert surface.volume == pytest.approx(expected, rel=0.03)


@pytest.mark.parametrize("name", ALL)
def test_tets_fill_the_solid_with_good_shapes(name):
    field, volume = ALL[name]
    mesh = field.tets(0.1)
    assert mesh.volumes.sum() == pytest.approx(volume or field.surface(0.03).volume, rel=0.06)
    assert Surface(mesh.vertices, mesh.surface).volume == pytest.approx(mesh.volumes.sum(), rel=1e-9)
    assert smallest_dihedral_angle(mesh) > 8  # degrees; the paper's bound for its own cuts is 10.7
    assert mesh.components[0] == 1


def smallest_dihedral_angle(mesh):
    angles = []
    corners = mesh.vertices[mesh.cells]
    for i, j, k, l in ((0, 1, 2, 3), (0, 2, 1, 3), (0, 3, 1, 2), (1, 2, 0, 3), (1, 3, 0, 2), (2, 3, 0, 1)):
        axis = corners[:, j] - corners[:, i]
        first, second = np.cross(axis, corners[:, k] - corners[:, i]), np.cross(axis, corners[:, l] - corners[:, i])
        cosine = (first * second).sum(1) / np.linalg.norm(first, axis=1) / np.linalg.norm(second, axis=1)
        angles.append(np.degrees(np.arccos(np.clip(cosine, -1, 1))))
    return np.min(angles)


def test_operators_are_those_of_sets():
    a, b = sdf.sphere(0.8), sdf.box((1, 1, 1)).translate((0.5, 0, 0))
    in_a, in_b = a.distance(POINTS) < 0, b.distance(POINTS) < 0
    assert np.array_equal((a | b).distance(POINTS) < 0, in_a | in_b)
    assert np.array_equal((a & b).distance(POINTS) < 0, in_a & in_b)
    assert np.array_equal((a - b).distance(POINTS) < 0, in_a & ~in_b)


@given(st.floats(0.05, 0.5))
def test_smooth_union_contains_the_union_and_adds_at_most_a_quarter_radius(radius):
    a, b = sdf.sphere(0.6), sdf.sphere(0.5).translate((0.7, 0, 0))
    plain, smooth = (a | b).distance(POINTS), sdf.smooth_union(a, b, radius=radius).distance(POINTS)
    assert (smooth <= plain + 1e-12).all()
    assert (smooth >= plain - radius / 4 - 1e-12).all()


@given(st.floats(-3, 3), st.tuples(*[st.floats(-1, 1)] * 3), st.floats(0.3, 3))
def test_moved_solids_have_moved_distances(angle, offset, factor):
    field = sdf.box((1, 0.5, 0.2))
    moved = field.rotate((1, 2, -1), angle).scale(factor).translate(offset)
    x = np.array([[0.3, 0.1, -0.2]])
    axis = np.array([1, 2, -1]) / np.sqrt(6)
    cross = np.array([[0, -axis[2], axis[1]], [axis[2], 0, -axis[0]], [-axis[1], axis[0], 0]])
    R = np.eye(3) + np.sin(angle) * cross + (1 - np.cos(angle)) * cross @ cross
    assert moved.distance(factor * x @ R.T + offset) == pytest.approx(factor * field.distance(x), abs=1e-12)


def test_mirror_is_symmetric_and_grow_moves_the_surface():
    field = sdf.capsule((0.2, 0, 0), (0.9, 0.4, 0.3), 0.1)
    both = field.mirror("x")
    assert np.allclose(both.distance(POINTS), both.distance(POINTS * [-1, 1, 1]))
    assert np.allclose(field.grow(0.05).distance(POINTS), field.distance(POINTS) - 0.05)
    assert np.allclose(both.bounds, [[-1, -0.1, -0.1], [1, 0.5, 0.4]])


def test_sweep_of_a_constant_radius_is_a_union_of_capsules():
    line = np.array([(-0.6, 0, 0), (0, 0.5, 0.1), (0.7, 0, -0.3)])
    capsules = sdf.union(*(sdf.capsule(a, b, 0.2) for a, b in pairwise(line)))
    assert np.allclose(sdf.sweep(line, 0.2).distance(POINTS), capsules.distance(POINTS))


def test_sweep_of_a_shrinking_radius_is_the_hull_of_balls():
    field = sdf.sweep([(0, 0, 0), (1, 0, 0)], [0.4, 0.1])
    t = np.linspace(0, 1, 2001)
    balls = np.linalg.norm(POINTS[:, None] - np.outer(t, [1, 0, 0]), axis=2) - (0.4 - 0.3 * t)
    assert np.allclose(field.distance(POINTS), balls.min(axis=1), atol=1e-6)


def test_spline_passes_through_its_points_and_carries_a_radius():
    knots = np.array([[0, 0, 0, 0.3], [1, 0, 0, 0.2], [1, 1, 0, 0.1]])
    curve = sdf.spline(knots, 201)
    distances = np.linalg.norm(curve[:, None, :] - knots, axis=2).min(axis=0)
    assert curve.shape == (201, 4)
    assert distances.max() < 0.01


def test_voxels_are_the_cubes_whose_centre_is_inside():
    mesh = sdf.box((1, 0.5, 0.3)).voxels(0.1)
    assert mesh.cell_count == 10 * 5 * 3
    assert mesh.volumes.sum() == pytest.approx(0.15)
