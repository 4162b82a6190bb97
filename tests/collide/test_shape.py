"""Constants of a surface: neighbours, fans, samples, reach; open surfaces; what is refused."""

import numpy as np
import pytest
from placed_surfaces import SURFACES, contacts_between, moved, shape_named

import pliant as pl
from pliant.collide import collision_shape, surfaces_of
from pliant.errors import ArgumentError, MeshError


def sheet(cells=8, edge=2.0):
    """An open square at y = 0 that looks up."""
    grid = np.linspace(-edge / 2, edge / 2, cells + 1)
    x, z = np.meshgrid(grid, grid, indexing="ij")
    first = np.add.outer(np.arange(cells) * (cells + 1), np.arange(cells)).ravel()
    lower = np.stack([first, first + 1, first + cells + 2], axis=1)
    upper = np.stack([first, first + cells + 2, first + cells + 1], axis=1)
    return np.stack([x.ravel(), np.zeros(x.size), z.ravel()], axis=1), np.concatenate([lower, upper])


@pytest.mark.parametrize("name", list(SURFACES))
def test_shape_is_the_surface_in_another_order(name):
    X, triangles = SURFACES[name]
    shape = shape_named(name)
    assert shape.closed
    assert np.array_equal(np.sort(shape.triangle_ids), np.arange(len(triangles)))
    assert np.array_equal(shape.ids[shape.triangles], triangles[shape.triangle_ids])
    assert np.array_equal(np.sort(shape.ids), np.unique(triangles))
    assert shape.reach == pytest.approx(np.ptp(X[np.unique(triangles)], axis=0).min() / 4)


@pytest.mark.parametrize("name", list(SURFACES))
def test_neighbours_share_an_edge_and_fans_a_vertex(name):
    shape = shape_named(name)
    halves, others = np.arange(shape.across.size), shape.across.ravel()
    corner, following = shape.triangles.ravel(), np.roll(shape.triangles, -1, axis=1).ravel()
    assert np.array_equal(shape.across.ravel()[others], halves)
    assert np.array_equal(corner[others], following)
    assert np.array_equal(np.repeat(np.arange(len(shape.ids)), np.diff(shape.fan_starts)), corner[shape.fans])


@pytest.mark.parametrize("spacing", [0.05, 0.2, 10.0, None])
def test_samples_stand_no_farther_apart_than_the_spacing(spacing):
    X, _ = SURFACES["brick"]
    shape = shape_named("brick", spacing=spacing)
    own, vertices = X[shape.ids], len(shape.ids)
    assert np.array_equal(shape.sample_ends[:vertices], np.repeat(np.arange(vertices)[:, None], 2, axis=1))
    edges = np.unique(np.sort(shape.triangles[:, [[0, 1], [1, 2], [2, 0]]].reshape(-1, 2), axis=1), axis=0)
    lengths = np.linalg.norm(own[edges[:, 0]] - own[edges[:, 1]], axis=1)
    inner = 0 if spacing is None else (np.ceil(lengths / spacing - 1e-9) - 1).sum()
    assert len(shape.sample_weights) == vertices + inner
    for edge, length in zip(edges, lengths):
        mine = (np.sort(shape.sample_ends[vertices:], axis=1) == edge).all(axis=1)
        places = np.concatenate([[0], np.sort(shape.sample_weights[vertices:][mine]), [1]])
        if spacing is not None:
            assert np.diff(places).max() * length <= spacing * (1 + 1e-9)
        assert np.diff(places) == pytest.approx(np.full(len(places) - 1, 1 / (len(places) - 1)))


def test_open_surface_bears_what_is_on_its_outer_side():
    """A box that has sunk into a sheet by less than its reach is pushed up; what is behind the sheet is not held."""
    X, triangles = sheet()
    ground, box = collision_shape(X, triangles), pl.shapes.box((0.5, 0.5, 0.5), (2, 2, 2))
    body = collision_shape(box.vertices, box.surface)
    assert not ground.closed
    assert 0.25 < ground.reach < 0.36
    for height in (0.2505, 0.2, 0.1):
        found = contacts_between([ground, body], [0, 1], [X, moved(box.vertices, 0, height, 0)], 1e-3)
        mine = found["body"][:, 0] == 1
        assert mine.sum() == 9
        assert found["normal"][mine] == pytest.approx(np.tile([0, 1, 0], (9, 1)), abs=1e-12)
        assert found["gap"][mine] == pytest.approx(np.full(9, height - 0.25), abs=1e-12)
    found = contacts_between([ground, body], [0, 1], [X, moved(box.vertices, 0, -0.2, 0)], 1e-3)
    assert not (found["body"][:, 0] == 1).any()


def test_nothing_is_behind_the_rim_of_an_open_surface():
    X, triangles = sheet()
    ground, box = collision_shape(X, triangles), pl.shapes.box((0.5, 0.5, 0.5), (2, 2, 2))
    body = collision_shape(box.vertices, box.surface)
    found = contacts_between([ground, body], [0, 1], [X, moved(box.vertices, 1.26, 0.1, 0)], 1e-3)
    assert len(found["gap"]) == 0


def test_degenerate_triangles_are_left_out():
    X, triangles = SURFACES["brick"]
    a, b = triangles[0, 0], triangles[0, 1]
    shape = collision_shape(X, np.concatenate([[[a, b, b]], triangles]))
    assert shape.closed
    assert len(shape.triangles) == len(triangles)
    assert shape.triangle_ids.min() == 1


def test_sharp_edges_alone_have_points_on_them():
    """The twelve edges of a box, not the diagonals of its faces; the ridge of a roof, not a valley; none of a ball."""
    box = pl.shapes.box((1.0, 1.0, 1.0), (1, 1, 1))
    shape = collision_shape(box.vertices, box.surface, 0.25, sharp=True)
    points = shape.sample_edges >= 0
    assert points.sum() == 12 * 3
    ends = box.vertices[shape.ids[shape.sample_ends[points]]]
    np.testing.assert_allclose(np.linalg.norm(ends[:, 1] - ends[:, 0], axis=1), 1.0)
    assert collision_shape(box.vertices, box.surface, 1e-3, sharp=True).samples.size == 8 + 12 * 31
    ball = pl.shapes.sphere(1.0, 8)
    assert len(collision_shape(ball.vertices, ball.surface, 0.01, sharp=True).samples) == len(np.unique(ball.surface))
    for height in (-1.0, 1.0):
        X, folded = np.array([[0.0, 0, 0], [0, 0, 1], [1, height, 0], [-1, height, 0]]), [[0, 1, 2], [1, 0, 3]]
        ends = collision_shape(X, folded, 0.6, sharp=True)
        on_fold = (np.sort(ends.ids[ends.sample_ends[ends.sample_edges >= 0]], axis=1) == [0, 1]).all(axis=1)
        assert on_fold.any() == (height < 0)


@pytest.mark.parametrize(
    ("vertices", "triangles", "options", "error", "words"),
    [
        (np.full((3, 3), np.nan), [[0, 1, 2]], {}, MeshError, "finite"),
        (np.eye(3), [[0, 1, 3]], {}, MeshError, "0 to 2"),
        (np.eye(3), [], {}, MeshError, "at least one"),
        (np.eye(3), [[0, 1, 1]], {}, MeshError, "different corners"),
        (np.eye(3), [[0.5, 1, 2]], {}, MeshError, "whole numbers"),
        (np.eye(3), [[0, 1, 2]], {"spacing": 0}, ArgumentError, "spacing"),
        (np.eye(3), [[0, 1, 2]], {"reach": -1}, ArgumentError, "reach"),
    ],
)
def test_bad_surfaces_are_refused(vertices, triangles, options, error, words):
    with pytest.raises(error, match=words):
        collision_shape(vertices, triangles, **options)


def test_bodies_without_a_shape_are_refused():
    shape = shape_named("brick")
    with pytest.raises(ArgumentError, match="which"):
        surfaces_of([shape], [0, 1])
    with pytest.raises(ArgumentError, match="at least one"):
        surfaces_of([], [])
