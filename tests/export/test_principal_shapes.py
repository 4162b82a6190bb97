"""Fewer shapes for the same motion: no vertex is farther from its place than is said, and no shape is spare."""

import numpy as np
import pytest

from pliant.export.principal_shapes import fewer_shapes, from_zero_to_one

FRAMES, SHAPES, VERTICES = 9, 7, 5


def motion(seed):
    random = np.random.default_rng(seed)
    base, shapes = random.standard_normal((VERTICES, 3)), random.standard_normal((SHAPES, VERTICES, 3))
    return base, shapes, random.standard_normal((FRAMES, SHAPES)) * 10.0 ** -np.arange(SHAPES)


def places(base, shapes, weights):
    """base + sum_i w_i s_i (f, k, 3)."""
    return base + np.tensordot(weights, shapes, axes=1)


@pytest.mark.parametrize("error", [0.0, 1e-5, 1e-3, 0.1, 10.0, 1e3])
@pytest.mark.parametrize("seed", range(4))
def test_fewer_shapes_keep_all_vertices_within_the_error(seed, error):
    given = motion(seed)
    *found, bound = fewer_shapes(*given, error)
    off = np.linalg.norm(places(*found) - places(*given), axis=2).max()
    assert off <= bound + 1e-12
    assert bound <= error


@pytest.mark.parametrize("seed", range(4))
def test_fewer_shapes_are_no_more_than_the_bound_asks_for(seed):
    """What shapes i, i + 1, .. do at most is the largest sum of |factor| times reach: one shape less is beyond it."""
    given = motion(seed)
    _, shapes, factors, _ = fewer_shapes(*given, 0.0)
    reach = np.abs(factors) * np.linalg.norm(shapes, axis=2).max(axis=1)
    for error in (1e-5, 1e-3, 0.1):
        kept = len(fewer_shapes(*given, error)[1])
        assert reach[:, kept:].sum(axis=1).max(initial=0.0) <= error
        assert kept == 0 or reach[:, kept - 1 :].sum(axis=1).max() > error


def test_weights_from_zero_to_one_move_all_vertices_alike():
    given = motion(1)
    found = from_zero_to_one(*given)
    np.testing.assert_allclose(places(*found), places(*given), atol=1e-12)
    np.testing.assert_allclose([found[2].min(axis=0), found[2].max(axis=0)], [np.zeros(SHAPES), np.ones(SHAPES)])
