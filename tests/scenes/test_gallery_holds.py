"""A hand on a vertex of every gallery scene: it arrives, and nothing jumps."""

import numpy as np
import pytest

import pliant as pl
from bench.holding import hand_on, scenes_apart

ARRIVED = 0.02  # of the way, after three seconds
SECONDS = 3.0
GRAVITY = 9.81
STEEPER = 1.1  # than the spring explains: the step is implicit, and other parts move too


@pytest.mark.parametrize("name", scenes_apart())
def test_hold_moves_a_vertex_of_the_scene_to_its_target(name):
    system = pl.load_scene(name).build()
    vertex, target = hand_on(system)
    hold = system.hold(vertex, target)
    points = system.points([vertex])  # after the hold, which may give a part other columns
    reach = np.linalg.norm(target - points.place(system.pose())[0])
    last = points.velocity(system.pose(), system.rates())[0]
    fastest, jump, count = np.linalg.norm(last), 0.0, round(0.2 / system.dt)
    for _ in range(count):
        system.step()
        now = points.velocity(system.pose(), system.rates())[0]
        fastest, jump, last = max(fastest, np.linalg.norm(now)), max(jump, np.linalg.norm(now - last)), now
    # What a critically damped spring pulls with, and the weight that it takes over in its first step.
    assert jump < STEEPER * (hold.rate**2 * reach + 2 * hold.rate * fastest + 2 * GRAVITY) * system.dt
    system.step(round(SECONDS / system.dt) - count)
    assert np.linalg.norm(points.place(system.pose())[0] - target) < ARRIVED * reach
