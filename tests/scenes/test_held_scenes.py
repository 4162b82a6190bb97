"""Hands and wind in scenes of every kind."""

import numpy as np
import pytest

from pliant.scenes import Scene
from pliant.scenes.reading import check_scene

SIZE = 1.0
KINDS = {
    "clamped": {"system": "clamped", "newton": 5},
    "full": {"system": "full"},
    "tree": {"system": "tree", "tree": {"size": 24}},
    "seams": {"system": "seams", "seams": {"force": "linear", "soft": 6}},
    "cubic seams": {"system": "seams", "seams": {"force": "cubic", "derivatives": 6}},
}


def bar(tmp_path, kind, **keys):
    part = {
        "shape": {"name": "bar", "size": [SIZE, 0.1, 0.1], "cells": [10, 1, 1]},
        "material": {"young": 2e6, "poisson": 0.3, "density": 500},
        "fixed": "x < 0.01",
        "basis": {"modes": 5, "size": 12},
        "cut": 2,
    }
    file = {"dt": 0.01, "gravity": [0, 0, 0], "damping": [0, 0.01], "part": [part], **KINDS[kind], **keys}
    return Scene("bar", check_scene(file), tmp_path)


@pytest.mark.parametrize("kind", KINDS)
def test_held_vertex_is_dragged_in_every_kind(tmp_path, kind):
    """By 5 % of the size, to within 2 % of the way."""
    scene = bar(tmp_path, kind, hold=[{"where": "x > 0.99", "to": [0, 0.05 * SIZE, 0], "over": 0.5}])
    system = scene.build()
    scene.watch(system, 1.5)
    [hand] = scene.schedule.hands
    moved = system.vertices("mesh")[hand.vertex] - scene.rest[hand.vertex]
    np.testing.assert_allclose(moved, [0, 0.05 * SIZE, 0], atol=0.02 * 0.05 * SIZE)


@pytest.mark.parametrize("kind", KINDS)
def test_wind_bends_every_kind_alike(tmp_path, kind):
    """A steady wind on a cantilever: the tip goes with it, as far as the unreduced one within a quarter."""
    wind = {"velocity": [0, 0, 6], "gust": 0}
    tips = []
    for each in (kind, "full"):
        scene = bar(tmp_path, each, wind=wind, probe=[{"name": "tip", "where": "x > 0.99", "axis": "z"}])
        tips.append(np.mean(scene.watch(scene.build(), 2.0).values["tip"]))
    assert tips[1] > 0.002
    assert tips[0] == pytest.approx(tips[1], rel=0.25)
