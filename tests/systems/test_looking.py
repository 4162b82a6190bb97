"""What is read of a system every frame: vertices into an array of one's own, and normals."""

import numpy as np
import pytest
from kinds import ALL, bar, stirred

import pliant as pl
from pliant.errors import ArgumentError

EACH = pytest.mark.parametrize(("kind", "free"), ALL, ids=[f"{kind}{'-free' * free}" for kind, free in ALL])
ROUNDING = 1e-12


@EACH
def test_vertices_go_into_an_array_of_the_caller(kind, free):
    system = stirred(kind, free)
    room = np.full((bar(free).mesh.vertex_count, 3), np.nan)
    assert system.vertices(out=room) is room
    np.testing.assert_array_equal(room, system.vertices())


def test_bodies_fill_an_array_one_after_the_other():
    pair = pl.Bodies([stirred("clamped"), stirred("full")])
    room = np.empty((2 * bar().mesh.vertex_count, 3))
    np.testing.assert_array_equal(pair.vertices(out=room), pair.vertices())


@pytest.mark.parametrize("kind", ["clamped", "full", "tree"])
@pytest.mark.parametrize(
    "out", [np.empty((3, 3)), np.empty((99, 3), np.float32), np.empty((99, 3), order="F"), [[0.0, 0.0, 0.0]]]
)
def test_an_array_that_does_not_fit_is_refused(kind, out):
    with pytest.raises(ArgumentError, match=r"out must be .* float64 \(99, 3\)"):
        stirred(kind).vertices(out=out)


@EACH
def test_normals_are_those_of_the_surface(kind, free):
    """Of length one, and away from the middle of a bar that is bent a little."""
    system = stirred(kind, free)
    normals, triangles, x = system.normals(), system.triangles, system.vertices()
    used = np.unique(triangles)
    np.testing.assert_allclose(np.linalg.norm(normals, axis=1), 1, atol=ROUNDING)
    assert ((normals * (x - x.mean(axis=0)))[used].sum(axis=1) > 0).all()
    np.testing.assert_allclose(system.normals("mesh"), normals, atol=ROUNDING)


def test_normals_of_a_ball_point_from_its_centre():
    ball = pl.shapes.sphere(0.5, 16)
    full = pl.Full(pl.Solid(ball, pl.StVK(1e6, 0.3)), 0.01, gravity=None)
    skin = ball.surface_vertices
    rays = ball.vertices[skin] / np.linalg.norm(ball.vertices[skin], axis=1, keepdims=True)
    # Triangles of 16 to the diameter lean by up to an eighth of a radian.
    np.testing.assert_allclose(full.normals()[skin], rays, atol=0.125)
