"""Colours of what is seen, from the formulas: perspective, gloss and rim, light that is shared, ground, layers."""

import numpy as np
import pytest
from scipy.interpolate import interpn

from pliant.export.shading import ALIKE, NEAR, blended, light_givers, lit_ground, seen_points, shaded

COLOURS = np.array([[1.0, 0.9, 0.8], [0.3, 0.4, 0.5], [0.2, 0.1, 0.05]])  # of the key light, the sky and the ground
SUN = np.array([0.6, 0.8, 0.0])
PAINT = np.array([[0.7, 0.5, 0.3]])


def unit(v):
    return v / np.linalg.norm(v, axis=-1, keepdims=True)


@pytest.mark.parametrize("seed", range(20))
def test_seen_points_are_where_perspective_has_them(seed):
    """The point sum b_i x_i has, on the screen, the shares b_i z_i / sum b_j z_j of its corners at depths z."""
    random = np.random.default_rng(seed)
    x, N, depth = random.standard_normal((4, 3)), random.standard_normal((4, 3)), random.uniform(1, 9, 4)
    triangles, owner = np.array([[0, 1, 2], [3, 2, 1]]), np.array([[0, -1], [1, 0]])
    b, eye = random.dirichlet(np.ones(3), (2, 2)), 5 * random.standard_normal(3)
    shares = b * depth[triangles[owner]]
    shares /= shares.sum(axis=2, keepdims=True)
    row_of, points, normals, whose = seen_points(owner, shares, triangles, depth, x, N, eye)
    assert row_of.tolist() == [[0, -1], [1, 2]]
    assert whose.tolist() == [0, 1, 0]
    for k, (i, j) in enumerate([(0, 0), (1, 0), (1, 1)]):
        corners = triangles[owner[i, j]]
        place, (p, q, r) = b[i, j] @ x[corners], x[corners]
        side = np.sign(np.cross(q - p, r - p) @ (eye - place))
        np.testing.assert_allclose(points[k], place, atol=1e-12)
        np.testing.assert_allclose(normals[k], side * unit(b[i, j] @ N[corners]), atol=1e-12)


@pytest.mark.parametrize("height", [2.0, -2.0])
def test_points_without_a_normal_face_up_or_down(height):
    x = np.array([[0.0, 0.0, 0.0], [0.0, 0.0, 1.0], [1.0, 0.0, 0.0]])  # counted so that it faces up
    shares, eye = np.full((1, 1, 3), 1 / 3), np.array([0.3, height, 0.2])
    found = seen_points(np.zeros((1, 1), np.int64), shares, np.array([[0, 1, 2]]), np.ones(3), x, np.zeros((3, 3)), eye)
    assert found[2].tolist() == [[0.0, np.sign(height), 0.0]]


def test_shade_is_paint_times_light_and_gloss_and_rim():
    """own (key + sky + bounce) 1.2 + 0.16 (n.h)^40 key + 0.22 (1 - n.t)^4 sky, h between the eye and the sun."""
    random = np.random.default_rng(1)
    points, normals, eye = random.standard_normal((40, 3)), unit(random.standard_normal((40, 3))), np.array([1.0, 2, 3])
    normals[:20] = unit(unit(eye - points[:20]) + SUN + 0.1 * normals[:20])  # near the gloss
    by_key, by_sky = random.uniform(0, 1, 40), random.uniform(0, 1.5, 40)
    by_key[::3] = 0.0
    paint, whose = random.uniform(size=(2, 3)), random.integers(0, 2, 40)
    towards = unit(eye - points)
    facing = np.clip((normals * towards).sum(axis=1), 0, 1)
    shine = np.clip((normals * unit(towards + SUN)).sum(axis=1), 0, 1)
    light = np.outer(by_key, COLOURS[0]) + np.outer(by_sky, COLOURS[1])
    light += np.outer((1 - normals[:, 1]) / 2, COLOURS[2])
    expected = 1.2 * paint[whose] * light + np.outer(0.16 * shine**40 * (by_key > 0), COLOURS[0])
    expected += np.outer(0.22 * (1 - facing) ** 4 * np.minimum(by_sky, 1), COLOURS[1])
    found = shaded(paint, whose, points, normals, by_key, by_sky, eye, SUN, COLOURS)
    np.testing.assert_allclose(found, expected, rtol=1e-12)


def test_one_paint_is_that_of_all_triangles():
    up, at = np.array([[0.0, 1.0, 0.0]]), np.zeros((1, 3))
    found = shaded(PAINT, np.array([5]), at, up, np.zeros(1), np.ones(1), np.array([0.0, 9.0, 0.0]), SUN, COLOURS)
    np.testing.assert_allclose(found[0], 1.2 * PAINT[0] * COLOURS[1])


@pytest.mark.parametrize(
    ("gap", "cosine", "shares"),
    [(0.99 * NEAR, 1.0, True), (1.01 * NEAR, 1.0, False), (0.0, 1.01 * ALIKE, True), (0.0, 0.99 * ALIKE, False)],
)
def test_samples_of_a_pixel_share_light_where_they_are_near_and_alike(gap, cosine, shares):
    """gap: of the distance 2 from the eye. Another pixel has its own light, whatever it is like."""
    eye, at = np.array([1.0, 2.0, -1.0]), np.array([1.0, 0.0, -1.0])
    points = np.array([at - [2 * gap, 0, 0], at, at])
    normals = np.array([[cosine, np.sqrt(1 - min(cosine, 1.0) ** 2), 0], [1, 0, 0], [1, 0, 0]])[[1, 0, 2]]
    row_of = np.array([[-1, -1, -1, -1], [-1, -1, -1, -1], [-1, 0, -1, 2], [1, -1, -1, -1]])
    giver = light_givers(row_of, points, normals, eye, 2)
    assert giver.tolist() == [0, 0 if shares else 1, 2]


def test_light_of_the_ground_is_bilinear_in_its_cells_and_fades_into_the_haze():
    random, last, haze = np.random.default_rng(2), 4, np.array([0.1, 0.2, 0.3])
    lights, colours, axis = random.uniform(size=(2, last + 1, last + 1)), COLOURS[:2], np.arange(last + 1.0)
    places = np.concatenate(
        [random.uniform(0, last, (30, 2)), [[0, 0], [last, last], [-3.0, 1.5], [2.5, 99], [99, 2.5]]]
    )
    fade = random.uniform(0, 1, len(places))
    fade[3], fade[4] = 0.0, 1.0
    inside = np.clip(places, 0, last)
    expected = np.outer(1 - fade, haze)
    for light, colour in zip(lights, colours):
        expected += np.outer(fade * interpn((axis, axis), light, inside), colour)
    np.testing.assert_allclose(lit_ground(places, fade, lights, colours, haze), expected, rtol=1e-12)


def test_layers_lie_over_each_other_from_back_to_front():
    """Of one pixel: in a sample the second layer is in front, in another the first; one has one layer, one is bare."""
    background, alphas = np.full((2, 2, 3), 0.5), np.array([0.25, 1.0])
    near, rows = np.zeros((2, 4, 4)), np.full((2, 4, 4), -1)
    near[:, 2:, 2:] = [[[1.0, 3.0], [1.0, 0.0]], [[2.0, 2.0], [0.0, 0.0]]]
    rows[:, 2:, 2:] = [[[1, 1], [1, -1]], [[0, 0], [-1, -1]]]
    colours, first_rows = np.array([[9.0, 9.0, 9.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]), np.array([0, 2])
    ghost, solid, bare = colours[1], colours[2], background[0, 0]
    expected = background.copy()
    expected[1, 1] = (solid + (0.25 * ghost + 0.75 * solid) + (0.25 * ghost + 0.75 * bare) + bare) / 4
    found = blended(background, near, rows, colours, first_rows, alphas, 2)
    np.testing.assert_allclose(found, expected, rtol=1e-14)
