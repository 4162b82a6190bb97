"""Nearest triangle and side of points, on deformed surfaces, against sums over all triangles."""

import numpy as np
import pytest
from brute import nearest_points, signed_distance
from hypothesis import given, settings
from hypothesis import strategies as st
from placed_surfaces import SURFACES, deformed, moved, placed, shape_named

import pliant as pl
from pliant.collide import collision_shape
from pliant.collide.distance import signed_distances

ROUNDING = 1e-12  # of the size of the scene, which is a few metres


def query(shape, places, points):
    S, x, _ = placed([shape], [0], [places], 0.0)
    triangle, distance = np.zeros(len(points), dtype=np.int64), np.zeros(len(points))
    signed_distances(S, x, 0, points, triangle, distance)
    return x[shape.triangles], triangle, distance


def points_near(x, rng, count):
    """Points all over the box of x, and points close to its vertices."""
    box = rng.uniform(x.min(axis=0) - 0.3, x.max(axis=0) + 0.3, (count, 3))
    return np.concatenate([box, x[rng.integers(len(x), size=count)] + 0.03 * rng.normal(size=(count, 3))])


@pytest.mark.parametrize("name", list(SURFACES))
@settings(max_examples=8)
@given(seed=st.integers(0, 2**32))
def test_signed_distance_is_that_of_all_triangles(name, seed):
    rng = np.random.default_rng(seed)
    shape, x = shape_named(name), deformed(SURFACES[name][0], rng)
    points = points_near(x[shape.ids], rng, 30)
    corners, triangle, distance = query(shape, x, points)
    for p, t, d in zip(points, triangle, distance):
        assert d == pytest.approx(signed_distance(p, corners), abs=ROUNDING)
        near = nearest_points(p, corners[t : t + 1])[0]
        assert np.linalg.norm(near - p) == pytest.approx(abs(d), abs=ROUNDING)


def test_signed_distance_is_that_of_libigl():
    igl = pytest.importorskip("igl", reason="the comparison with libigl needs the package libigl")
    rng = np.random.default_rng(5)
    shape, x = shape_named("animal"), deformed(SURFACES["animal"][0], rng)
    points = points_near(x[shape.ids], rng, 1000)
    _, _, distance = query(shape, x, points)
    truth = igl.signed_distance(points, x[shape.ids], shape.triangles)[0]
    assert np.abs(distance - truth).max() < ROUNDING


@pytest.mark.parametrize("file", ["bunny.mesh", "decimated-knight.off"])
def test_real_surfaces_agree_with_libigl(real_mesh, file):
    igl = pytest.importorskip("igl", reason="the comparison with libigl needs the package libigl")
    path = real_mesh(file)
    mesh = pl.read_mesh(path) if file.endswith(".mesh") else pl.read_surface(path)
    X, triangles = (mesh.vertices, mesh.surface) if isinstance(mesh, pl.Mesh) else (mesh.vertices, mesh.triangles)
    X = (X - X.mean(axis=0)) / np.ptp(X, axis=0).max()
    shape = collision_shape(X, triangles)
    rng = np.random.default_rng(5)
    x = deformed(X, rng)
    points = points_near(x[shape.ids], rng, 1000)
    _, _, distance = query(shape, x, points)
    truth = igl.signed_distance(points, x[shape.ids], shape.triangles)[0]
    assert shape.closed
    assert np.abs(distance - truth).max() < ROUNDING


def test_points_over_edges_and_corners_of_a_cube_are_outside():
    """Where the face that is found first would err: seen from beyond a corner, some of its faces look away."""
    X, shape = SURFACES["hexes"][0], shape_named("hexes")
    directions = np.array([[i, j, k] for i in (-1, 0, 1) for j in (-1, 0, 1) for k in (-1, 0, 1) if i or j or k], float)
    for beyond in (1e-9, 1e-3, 0.3):
        _, _, distance = query(shape, X, 0.4 * directions + beyond * directions)
        assert distance == pytest.approx(beyond * np.linalg.norm(directions, axis=1), rel=1e-6)
        _, _, distance = query(shape, X, 0.4 * directions - beyond * directions)
        assert distance == pytest.approx(np.full(len(directions), -beyond), rel=1e-6)


def test_bricks_that_touch_along_an_edge_keep_their_sides():
    """Four triangles meet in that edge; neighbours are those of one brick."""
    cube = np.array([[i, j, k] for i in (0, 1) for j in (0, 1) for k in (0, 1)], float)
    quads = np.array([[0, 1, 3, 2], [4, 6, 7, 5], [0, 4, 5, 1], [2, 3, 7, 6], [0, 2, 6, 4], [1, 5, 7, 3]])
    faces = np.concatenate([quads[:, [0, 1, 2]], quads[:, [0, 2, 3]]])
    both = np.concatenate([cube, moved(cube, 1, 1, 0)])
    welded, number = np.unique(both, axis=0, return_inverse=True)
    triangles = number.reshape(-1)[np.concatenate([faces, faces + 8])]
    shape = collision_shape(welded, triangles)
    assert shape.closed
    assert len(welded) == 14
    assert len(shape.ids) == 16
    rng = np.random.default_rng(1)
    points = rng.uniform((-0.5, -0.5, -0.5), (2.5, 2.5, 1.5), (300, 3))
    points[:100] = [1, 1, 0.5] + 0.05 * rng.normal(size=(100, 3))
    corners, _, distance = query(shape, welded, points)
    assert distance == pytest.approx([signed_distance(p, corners) for p in points], abs=ROUNDING)
