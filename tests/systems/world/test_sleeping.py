"""Islands that fall asleep, and what wakes them."""

import numpy as np
import pytest

import pliant as pl
from tests.systems.world.shapes import block

CALM = 3.0  # [s] in which a short stack comes to rest and falls asleep
FALL = 0.2  # [s]


def stack(count=3, sleeping=True, **keys):
    world = pl.World(0.01, sleeping=sleeping, **keys)
    world.ground(friction=0.6)
    box = pl.Rigid(pl.shapes.bar((0.4, 0.4, 0.4), (2, 2, 2)), 1000.0)
    for k in range(count):
        world.add(box, (0.01 * (k % 2), 0.2 + 0.4 * k, 0.0), friction=0.6)
    return world


@pytest.fixture
def slept():
    world = stack()
    world.step(round(CALM / world.dt))
    assert all(body.asleep for body in world.bodies)
    return world


def awake(world):
    return not any(body.asleep for body in world.bodies)


def test_bodies_sleep_only_where_somebody_asks_for_it():
    world = stack(sleeping=False)
    world.step(round(CALM / world.dt))
    assert awake(world)
    assert "asleep" not in world.state()


def test_soft_bodies_fall_asleep_where_they_lie_and_keep_their_energy():
    world = pl.World(0.01, sleeping=True)
    world.ground()
    body = world.add(block((0.4, 0.4, 0.4), (2, 2, 2), 6, 1e6), (0.0, 0.2, 0.0), damping=(0.0, 2e-3))
    world.step(round(CALM / world.dt))
    assert body.asleep
    place, energy = world.state()["t"].copy(), world.energy()
    assert energy > 0.9 * body.mass * 9.81 * 0.19
    world.step(500)
    np.testing.assert_array_equal(world.state()["t"], place)
    assert world.energy() == energy
    assert np.abs(world.momentum()[0]).max() == 0.0


def test_contacts_of_sleepers_still_bear_the_weight(slept):
    ground = slept.force_between(slept.bodies[0])
    weight = sum(body.mass for body in slept.bodies) * 9.81
    assert ground[1] == pytest.approx(weight, rel=0.02)
    slept.step(100)
    np.testing.assert_array_equal(slept.force_between(slept.bodies[0]), ground)


def test_islands_are_bodies_that_touch_or_are_joined():
    world = stack()
    box = world.bodies[0].model
    far = world.add(box, (5.0, 0.2, 0.0))
    hung = world.add(box, (5.0, 3.0, 0.0))
    hanging = world.add(box, (5.41, 3.0, 0.0))
    world.join(hung, (0.0, 0.0, 0.0))
    world.join(hung, (0.205, 0.0, 0.0), hanging)
    world.step(100)
    expected = [0, 0, 0, far.number, hung.number, hung.number]
    assert list(world.islands()) == expected
    assert list(world.state()["island"]) == expected  # as compiled steps see it


def test_a_body_that_loses_its_support_wakes_and_falls(slept):
    bottom, top = slept.bodies[0], slept.bodies[-1]
    height = top.centre[1]
    slept.remove(bottom)
    slept.step(round(FALL / slept.dt))
    assert height - top.centre[1] == pytest.approx(0.5 * 9.81 * FALL**2, rel=0.1)


def test_what_comes_wakes_all_of_the_island_when_it_touches():
    world = stack()
    box = world.bodies[0].model
    path = lambda time: (np.array([0.0, 1.9 - 0.2 * max(0.0, time - CALM), 0.0]), np.eye(3))  # noqa: E731
    world.add(box, path=path)
    world.step(round(CALM / world.dt))
    stacked = world.bodies[:3]
    assert all(body.asleep for body in stacked)
    world.step(100)  # the lowest point of the path's box is 1.5 m high by now, the stack is 1.2 m
    assert all(body.asleep for body in stacked)
    world.step(200)
    assert not any(body.asleep for body in stacked)


@pytest.mark.parametrize(
    "disturb",
    [
        lambda world: world.bodies[-1].push([0], [0.0, 1e5, 0.0]),
        lambda world: world.bodies[-1].hold(0, (0.0, 2.0, 0.0)),
        lambda world: setattr(world, "gravity", (3.0, -9.0, 0.0)),
        lambda world: setattr(world.bodies[0], "friction", 0.0),
        lambda world: setattr(world, "sweeps", 12),
        lambda world: setattr(world, "substeps", 2),
        lambda world: setattr(world, "sleeping", False),
        lambda world: world.join(world.bodies[1], (0.0, 0.0, 0.0)),
        lambda world: setattr(world.bodies[1], "velocity", (0.0, 0.0, 0.1)),
        lambda world: setattr(world, "wind", pl.Wind((30.0, 0.0, 0.0))),
        lambda world: world.wake(),
    ],
)
def test_whatever_changes_wakes(slept, disturb):
    disturb(slept)
    slept.step()
    assert awake(slept)


def test_velocities_written_in_place_wake():
    world = pl.World(0.01, sleeping=True)
    world.ground()
    body = world.add(block((0.4, 0.4, 0.4), (2, 2, 2), 6, 1e6), (0.0, 0.2, 0.0), damping=(0.0, 2e-3))
    world.step(round(CALM / world.dt))
    assert body.asleep
    body.v[:] = 0.1
    world.step()
    assert not body.asleep


def test_sleepers_that_are_restored_go_on_to_the_last_bit(slept, tmp_path):
    slept.save(tmp_path / "slept.npz")
    again = pl.resume(tmp_path / "slept.npz")
    assert all(body.asleep for body in again.bodies)
    for world in (slept, again):
        world.step(20)
        world.gravity = (1.0, -9.0, 0.0)
        world.step(20)
    assert slept.state() == again.state()


def test_falling_asleep_is_repeated_to_the_last_bit():
    world = stack()
    world.step(30)
    before = world.state()
    world.step(round(CALM / world.dt))
    after = world.state()
    world.restore(before)
    assert awake(world)
    world.step(round(CALM / world.dt))
    assert world.state() == after
    assert all(body.asleep for body in world.bodies)


def test_joined_islands_sleep_and_wake():
    world = pl.World(0.01, sleeping=True)
    world.ground(friction=0.8)
    box = pl.Rigid(pl.shapes.bar((0.4, 0.4, 0.4), (2, 2, 2)), 1000.0)
    a, b = world.add(box, (0.0, 0.2, 0.0)), world.add(box, (0.41, 0.2, 0.0))
    joint = world.join(a, (0.205, 0.0, 0.0), b, kind="hinge", axis=(0, 0, 1))
    world.step(round(CALM / world.dt))
    assert a.asleep
    assert b.asleep
    assert joint.gap < 1e-9
    joint.remove()
    world.step()
    assert awake(world)
