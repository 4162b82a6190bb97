"""Shock propagation: few sweeps bear a heavy top, and momentum is not kept, which is said."""

import numpy as np
import pytest

import pliant as pl
from pliant.errors import Diverged, PliantWarning

BOX = pl.shapes.bar((0.4, 0.4, 0.4), (2, 2, 2))


def stack(shock, sweeps=2, boxes=5):
    """Rigid boxes, the top one thirty times heavier, with few sweeps."""
    if shock:
        with pytest.warns(PliantWarning, match="keeps no momentum"):
            world = pl.World(5e-3, substeps=1, sweeps=sweeps, shock=True)
    else:
        world = pl.World(5e-3, substeps=1, sweeps=sweeps)
    world.ground(friction=0.6)
    light, heavy = pl.Rigid(BOX, 1000.0), pl.Rigid(BOX, 30_000.0)
    for k in range(boxes):
        world.add(heavy if k == boxes - 1 else light, (0.0, 0.2 + 0.4 * k, 0.0), friction=0.6)
    return world


def strays(world):
    """How far the top gets from where it stands within half a second [m], or until the world gives up."""
    start, farthest = world.bodies[-1].centre[1], 0.0
    for _ in range(100):
        try:
            world.step()
        except Diverged:
            break
        farthest = max(farthest, abs(world.bodies[-1].centre[1] - start))
    return farthest


def test_a_heavy_top_neither_sinks_nor_jumps_where_shocks_are_propagated():
    without, with_shock = stack(False), stack(True)
    assert strays(without) > 5e-3
    assert strays(with_shock) < 1e-3
    assert with_shock.time == pytest.approx(0.5)


def test_without_the_ground_nothing_is_propagated():
    """Levels begin at what nothing moves: bodies that hit each other in the air keep their momentum."""
    worlds = []
    for shock in (False, True):
        world = stack(shock, sweeps=6, boxes=1)
        world.gravity = None
        world.add(pl.Rigid(BOX, 1000.0), (0.05, 3.0, 0.0), velocity=(0.0, 1.0, 0.0))
        world.add(pl.Rigid(BOX, 1000.0), (0.0, 3.5, 0.05), velocity=(0.0, -1.0, 0.0))
        world.step(60)
        worlds.append(world)
    assert np.abs(worlds[0].bodies[1].velocity - (0.0, 1.0, 0.0)).max() > 0.5
    np.testing.assert_array_equal(worlds[0].vertices(), worlds[1].vertices())


def test_scenes_and_files_know_of_it(tmp_path):
    world = stack(True)
    world.step(2)
    world.save(tmp_path / "x.state")
    with pytest.warns(PliantWarning, match="keeps no momentum"):
        again = pl.resume(tmp_path / "x.state")
    assert again.shock
    again.step(3)
    world.step(3)
    assert again.state() == world.state()
