"""Whatever a hand does in a gallery scene, nothing breaks: energy, cells and edges stay sound, and it comes back."""

from itertools import islice

import numpy as np
import pytest
from pulling import MANNERS, SECONDS, movable_vertices, pulled, slowest_of, untouched

import pliant as pl
from bench.holding import scenes_apart

WAITED = 8.0  # [s] in which a scene comes to rest
QUICK = {"spoon": "shaken", "bar": "jerked", "tower": "slow", "flower": "shaken"}
VERTICES = 40  # of each scene, in the slow part
BACK = 0.02  # of the size of the body


def check(name, manner, count):
    system = pl.load_scene(name).build()
    system.step(round(WAITED / system.dt))
    start, calm = system.state(), untouched(system)
    for seed, vertex in enumerate(islice(movable_vertices(system), count)):
        system.restore(start)
        happened = pulled(system, manner, vertex, seed, calm)
        where = f"{name}, {manner} at vertex {vertex}: {happened}"
        assert not happened.diverged, where
        assert happened.gain < 20, where
        assert 0.1 < happened.volumes[0] <= happened.volumes[1] < 5, where
        assert happened.edges < 4, where
        assert happened.left < BACK + calm.left + happened.moved * still_swinging(system), where


def still_swinging(system):
    """What Rayleigh damping leaves of the first vibration after the time of rest: exp(-(alpha + beta om^2) t / 2)."""
    slowest = slowest_of(system)
    om, (alpha, beta) = slowest._bearing.omega, slowest.damping
    return np.exp(-0.5 * (alpha + beta * om**2) * SECONDS)


@pytest.mark.parametrize("name", QUICK)
def test_a_hand_breaks_nothing(name):
    check(name, QUICK[name], 1)


@pytest.mark.slow
@pytest.mark.parametrize("manner", MANNERS)
@pytest.mark.parametrize("name", scenes_apart())
def test_no_hand_breaks_anything(name, manner):
    check(name, manner, VERTICES)
