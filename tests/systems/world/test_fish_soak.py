"""Fish of bones that flop in a glass box, for an hour of their time."""

import numpy as np
import pytest

from bench.world_bones import FRAME, aquarium, fish

HOUR, FEW = 3600, 4  # [s], fish
CLOSED = 1e-5  # gaps of joints [m]
SHALLOW = 3e-3  # of 99 in 100 contacts: how deep [m]
BOX = 0.7  # from the middle to beyond the panes [m]
LIVELY = 10.0  # [m/s]: faster than anything in the box falls or beats


def flop(seconds):
    """What is seen in every frame: the largest gap, depths of all contacts."""
    world = aquarium(fish(), FEW)
    gaps, depths = [], []
    for _ in range(round(seconds / FRAME)):
        world.step(2)
        gaps.append(max(placed.gap() for placed in world.characters))
        depths.append(world.contacts().depths.copy())
        for placed in world.characters:
            for bone in placed.bones:
                assert np.abs(bone.centre).max() < BOX
                assert np.linalg.norm(bone.velocity) < LIVELY
    return world, np.array(gaps), np.concatenate(depths)


@pytest.mark.parametrize("seconds", [4, pytest.param(HOUR, marks=pytest.mark.slow)])
def test_fish_in_a_box_stay_finite_whole_and_out_of_each_other(seconds):
    world, gaps, depths = flop(seconds)
    assert world.time == pytest.approx(seconds)
    assert all(np.isfinite(placed.vertices()).all() for placed in world.characters)
    assert gaps.max() < CLOSED
    assert len(depths) > 10 * seconds
    assert np.percentile(depths, 99) < SHALLOW
