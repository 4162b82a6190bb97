"""Whatever a hand does in a gallery scene, nothing breaks: energy, cells and edges stay sound, and it comes back."""

from itertools import islice

import numpy as np
import pytest
from pulled_shapes import Shape
from pulling import EDGES, MANNERS, broken, movable_vertices, pulled, untouched

import pliant as pl

WAITED = 8.0  # [s] in which a scene comes to rest
QUICK = {
    "spoon": "shaken",
    "bar": "jerked",
    "tower": "slow",
    "flower": "shaken",
    "two-bars": "jerked",
    "bones-fish": "shaken",
    "startled": "jerked",
}
VERTICES = 40  # of each scene, in the slow part
SEEN = 1e-6  # of a volume or of a length: rounding


def check(name, manner, count):
    system = pl.load_scene(name).build()
    system.step(round(WAITED / system.dt))
    start, calm = system.state(), untouched(system)
    for seed, vertex in enumerate(islice(movable_vertices(system), count)):
        system.restore(start)
        happened = pulled(system, manner, vertex, seed, calm)
        assert not broken(system, happened, calm), f"{name}, {manner} at vertex {vertex}: {happened}"


@pytest.mark.parametrize("name", QUICK)
def test_a_hand_breaks_nothing(name):
    check(name, QUICK[name], 1)


@pytest.mark.slow
@pytest.mark.parametrize("manner", MANNERS)
@pytest.mark.parametrize("name", pl.gallery())
def test_no_hand_breaks_anything(name, manner):
    check(name, manner, VERTICES)


def test_skins_of_characters_are_looked_at_as_well_as_bones():
    """A bone that leaves the others is sound by itself; what a person sees is torn."""
    world = pl.load_scene("bones-fish").build()
    shape, tail = Shape(world), world.characters[0].bone("tail")
    low, high, edges = shape.strained()
    assert (low, high, edges) == pytest.approx((1, 1, 1), abs=SEEN)
    tail.position = tail.position + np.array([1.0, 0.0, 0.0])
    low, high, edges = shape.strained()
    assert high > 1 + SEEN
    assert edges > EDGES
