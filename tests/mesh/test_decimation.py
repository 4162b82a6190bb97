"""Proxies: coarser surfaces on some of the same vertices."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import pliant as pl
from pliant.collide import collision_shape
from pliant.errors import ArgumentError
from pliant.mesh.decimation import decimate

BAR = pl.shapes.bar((4, 0.4, 0.4), (32, 4, 4))
BALL = pl.shapes.sphere(0.5, 12)


def volume(x, triangles):
    return np.einsum("ti,ti->", x[triangles[:, 0]], np.cross(x[triangles[:, 1]], x[triangles[:, 2]])) / 6


@settings(max_examples=8, deadline=None)
@given(st.integers(20, 160))
def test_proxies_are_closed_surfaces_on_original_vertices(count):
    proxy = decimate(BALL.vertices, BALL.surface, count)
    assert abs(len(proxy.vertices) - count) <= 2
    assert np.isin(proxy.vertices, BALL.surface_vertices).all()
    assert len(proxy.triangles) == 2 * (len(proxy.vertices) - 2)  # Euler, of a ball
    assert collision_shape(BALL.vertices, proxy.triangles).closed
    sagitta = 0.5 - np.linalg.norm(BALL.vertices[proxy.triangles].mean(axis=1), axis=1).min()
    assert 0 < proxy.mean_error <= proxy.error < 1.5 * sagitta + 0.02


def test_flat_faces_lose_nothing_and_finer_is_nearer():
    """A box needs no more than its corners; a ball is nearer the more vertices there are, as the square of an edge."""
    assert decimate(BAR.vertices, BAR.surface, 60).error < 0.02
    coarse, fine = (decimate(BALL.vertices, BALL.surface, count) for count in (40, 160))
    assert fine.error < 0.5 * coarse.error
    assert volume(BALL.vertices, fine.triangles) > volume(BALL.vertices, coarse.triangles)
    whole = decimate(BAR.vertices, BAR.surface, len(BAR.surface_vertices), spacing=0.1)
    assert (whole.error, whole.mean_error, whole.spacing) == (0, 0, 0.1)
    np.testing.assert_array_equal(whole.triangles, BAR.surface)


def test_real_surfaces_keep_their_pieces_and_holes(real_mesh):
    surface = pl.read_surface(real_mesh("fertility.off"))  # four holes
    proxy = decimate(surface.vertices, surface.triangles, 600)
    assert abs(len(proxy.vertices) - 600) <= 6
    size = np.ptp(surface.vertices, axis=0).max()
    assert proxy.error < 0.05 * size
    assert len(proxy.triangles) == 2 * (len(proxy.vertices) + 6)  # Euler: 2 - 2 * 4


def test_bad_counts_are_refused():
    with pytest.raises(ArgumentError, match="finer than the surface, which has"):
        decimate(BAR.vertices, BAR.surface, 5000)
    with pytest.raises(ArgumentError, match="at least 4"):
        decimate(BAR.vertices, BAR.surface, 2)
    with pytest.raises(ArgumentError, match="spacing"):
        decimate(BAR.vertices, BAR.surface, 50, spacing=-1)
