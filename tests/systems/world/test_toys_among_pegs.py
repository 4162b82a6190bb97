"""Soft toys of 21 bones that fall on pegs and on each other, fast enough to fold up ([MC15] Fig. 2)."""

import numpy as np
import pytest

from bench.world_pachinko import FRAME, board, toy

SHALLOW = 0.01  # of 99 in 100 contacts [m]: a tenth of how thick a limb is
SMALL_STEPS = 8  # a frame of 1/60 s


@pytest.mark.slow
def test_toys_that_fold_up_stay_out_of_each_other_and_go_on_from_a_state():
    character = toy()
    world = board(character, 6)
    world.substeps, depths, state = SMALL_STEPS, [], None
    for frame in range(round(2.0 / FRAME)):
        world.step()
        depths.append(world.contacts().depths)
        if frame == round(1.0 / FRAME):
            state = world.state()
    assert len(np.concatenate(depths)) > 1000
    assert np.percentile(np.concatenate(depths), 99) < SHALLOW

    again = board(character, 6)
    again.substeps = SMALL_STEPS
    again.restore(state)
    again.step(round(2.0 / FRAME) - round(1.0 / FRAME) - 1)
    for name in ("t", "q", "L"):
        assert np.array_equal(again.state()[name], world.state()[name])


@pytest.mark.slow
def test_steps_do_not_depend_on_the_room_that_there_was_for_contacts():
    character, states = toy(), []
    for room in (4, 5000):
        world = board(character, 3)
        world._room = room
        world.step(75)
        states.append(world.state())
    for name in ("t", "q", "L", "kept", "kept_points"):
        assert np.array_equal(states[0][name], states[1][name])
