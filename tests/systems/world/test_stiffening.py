"""Bodies that become softer or stiffer while they move: what they weigh, bear and keep, and what is refused."""

import numpy as np
import pytest
from kinds import system
from shapes import block

import pliant as pl
from pliant.errors import ArgumentError

KEPT = 1e-11  # of momentum
SAME = 1e-9  # two worlds whose models were made in two ways


def pressed(stiffness):
    """A box that lies on the ground under a rigid one, sunk by how soft it is."""
    world = pl.World(5e-3)
    world.ground(friction=0.6)
    world.add(block((0.4, 0.4, 0.4), (2, 2, 2), 6, 1e6), (0.0, 0.2, 0.0), damping=(0.0, 5e-3))
    world.add(pl.Rigid(pl.shapes.box((0.4, 0.2, 0.4), (1, 1, 1)), 5000.0), (0.2, 0.5, 0.0))
    world.step(100)
    if stiffness is not None:
        world.stiffness = stiffness
    world.step(300)
    return world


def test_a_bar_sags_by_how_soft_it_is():
    """q = K^-1 f at rest: with 1 / factor."""
    solid = pl.Solid(pl.shapes.bar((1.0, 0.1, 0.1), (8, 1, 1)), pl.Linear(1e7, 0.3, 1000.0), fixed="x < 1e-9")
    world = pl.World(5e-3, substeps=1)
    bar = world.add(pl.reduce(solid, pl.modal_basis(solid, 4, 4), force="linear"), damping=(20.0, 1e-2))
    world.step(600)
    usual = bar.q.copy()
    world.stiffness = 0.25
    world.step(1200)
    np.testing.assert_allclose(bar.q, 4 * usual, atol=1e-6 * np.abs(usual).max())


def test_what_a_box_bears_stays_where_it_becomes_softer():
    usual, soft = pressed(None), pressed(0.25)
    weight = soft.bodies[1].mass * 9.81
    assert soft.bodies[1].centre[1] < usual.bodies[1].centre[1] - 1e-3
    for world in (usual, soft):
        assert world.force_between(*world.bodies[::-1])[1] == pytest.approx(weight, rel=1e-3)


@pytest.mark.parametrize(("force", "law"), [("linear", pl.Linear), ("cubic", pl.StVK)])
def test_bodies_move_as_those_that_were_made_so_stiff(force, law):
    vectors = pl.Basis(block((1.0, 0.2, 0.2), (6, 2, 2), 6).U)

    def tumbling(young, factor):
        solid = pl.Solid(pl.shapes.bar((1.0, 0.2, 0.2), (6, 2, 2)), law(young, 0.3, 1000.0))
        world = pl.World(5e-3, gravity=None)
        body = world.add(pl.reduce(solid, vectors, force=force), spin=(1.0, 2.0, 3.0))
        world.stiffness = factor
        body.q = np.linspace(-0.1, 0.1, 6)
        world.step(60)
        return world

    one, other = tumbling(1e6, 3.0), tumbling(3e6, 1.0)
    np.testing.assert_allclose(one.vertices(), other.vertices(), atol=SAME)


def test_momentum_and_contacts_go_on_where_stiffness_changes():
    world = pl.World(5e-3, gravity=None)
    model = block((0.4, 0.4, 0.4), (2, 2, 2), 6, 1e6)
    for side in (-1, 1):
        world.add(model, (0.25 * side, 0.02 * side, 0.0), velocity=(-1.0 * side, 0.0, 0.3), damping=(0.0, 1e-3))
    P, L = world.momentum()
    for factor in (1.0, 0.1, 20.0, 1.0):
        world.stiffness = factor
        world.step(12)
    np.testing.assert_allclose(world.momentum()[0], P, atol=KEPT * 100)
    np.testing.assert_allclose(world.momentum()[1], L, atol=KEPT * 100)
    assert world.bodies[0].model is world.bodies[1].model is model  # it is what it was, and shared
    assert abs(world.bodies[0].velocity[0]) < 0.9  # they did meet


def test_what_comes_later_is_as_stiff_and_joints_hands_and_sleepers_stay():
    world = pl.World(5e-3, sleeping=True)
    world.ground()
    model = block((0.4, 0.4, 0.4), (2, 2, 2), 6, 1e7)
    low = world.add(model, (0.0, 0.2, 0.0), damping=(0.0, 1e-2))
    side = world.add(model, (0.4, 0.2, 0.0), damping=(0.0, 1e-2))
    joint = world.join(low, (0.2, 0.0, 0.0), side, kind="rigid")
    world.step(300)
    assert low.asleep
    world.stiffness = 2.0
    assert not low.asleep
    late = world.add(model, (0.0, 2.0, 0.0))
    assert late.model is low.model is not model
    np.testing.assert_allclose(late.model.stiffness(), 2 * model.stiffness())
    hand = late.hold(0, late.vertices()[0])
    world.stiffness = 3.0
    world.step(50)
    assert joint.gap < 1e-9
    assert np.linalg.norm(hand.force) > 0.5 * late.mass * 9.81


def test_states_and_files_keep_what_bodies_came_to(tmp_path):
    world = pressed(0.5)
    world.save(tmp_path / "soft.state")
    again = pl.resume(tmp_path / "soft.state")
    for each in (world, again):
        each.step(5)
    np.testing.assert_array_equal(again.vertices(), world.vertices())


def test_what_cannot_be_stiffened_is_said_in_a_sentence():
    world = pl.World(5e-3)
    world.add(pl.Rigid(block().mesh, 1000.0))
    assert set(world.settings) == {"dt", "gravity"}
    with pytest.raises(ArgumentError, match="add a soft body first"):
        world.stiffness = 2.0
    world.add(block(), (5.0, 0.0, 0.0))
    for bad in (0.0, -1.0, np.nan, "soft"):
        with pytest.raises(ArgumentError, match="stiffness must be"):
            world.stiffness = bad
    assert world.settings["stiffness"] == 1.0
    world.add(system("clamped", gravity=(0.0, -9.81, 0.0)), (0.0, 9.0, 0.0))
    assert set(world.settings) == {"dt", "stiffness"}  # systems have a gravity of their own
    with pytest.raises(ArgumentError, match="made again"):
        world.retuned(stiffness=2.0)
