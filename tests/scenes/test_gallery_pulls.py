"""Whatever a hand does in a gallery scene, nothing breaks: energy, cells and edges stay sound, and it comes back."""

from itertools import islice

import pytest
from pulling import MANNERS, broken, movable_vertices, pulled, untouched

import pliant as pl

WAITED = 8.0  # [s] in which a scene comes to rest
QUICK = {"spoon": "shaken", "bar": "jerked", "tower": "slow", "flower": "shaken", "two-bars": "jerked"}
VERTICES = 40  # of each scene, in the slow part


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
