"""One bar and its modes for all tests of sound."""

import numpy as np
import pytest
from struck_bar import DAMPING, DEPTH, LENGTH, RATE, WIDTH

import pliant as pl
from pliant.sound import Sound


@pytest.fixture(scope="session")
def bar_solid():
    """A free bar of steel, of quadratic bricks."""
    mesh = pl.shapes.bar((LENGTH, DEPTH, WIDTH), (24, 1, 2), kind="hex20")
    return pl.Solid(mesh, pl.sounding_material("steel"))


@pytest.fixture(scope="session")
def bar_modes(bar_solid):
    return Sound(bar_solid, modes=12, rate=RATE, damping=DAMPING)


@pytest.fixture
def bar(bar_modes):
    """Nothing has happened to it yet."""
    return bar_modes.copy()


@pytest.fixture(scope="session")
def end(bar_solid):
    """A corner, which no mode leaves at rest."""
    x = bar_solid.mesh.vertices
    return int(np.argmax(x @ (1.0, 0.1, 0.01)))
