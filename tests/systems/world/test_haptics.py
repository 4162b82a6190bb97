"""A device that feels a world: action is reaction, periods are counted."""

import numpy as np
import pytest

import pliant as pl
from pliant.errors import ArgumentError


def bridge_and_ball():
    """A ball over the middle of a bar that is held at both ends."""
    solid = pl.Solid(
        pl.shapes.bar((1.0, 0.05, 0.2), (12, 1, 2)), pl.Linear(1e7, 0.3, 1000.0), fixed="x < 1e-9 or x > 0.9999"
    )
    world = pl.World(1e-3, gravity=None, substeps=1)
    bridge = world.add(
        pl.reduce(solid, pl.modal_basis(solid, 8, 8), force="linear"), damping=(2.0, 1e-3), name="bridge"
    )
    ball = world.add(pl.Rigid(pl.shapes.sphere(0.05, 4), 500.0), (0.5, 0.08, 0.0), name="ball", friction=0.0)
    return world, bridge, ball


def test_the_hand_feels_what_the_bridge_does_to_the_ball():
    world, bridge, ball = bridge_and_ball()
    touch = pl.Haptics(world, ball)
    for height in np.linspace(0.08, 0.05, 300):
        touch((0.5, height, 0.0))
    for _ in range(1500):
        force = touch((0.5, 0.05, 0.0))
    pressed = world.force_between(ball, bridge)
    assert pressed[1] > 1.0
    np.testing.assert_allclose(force, pressed, atol=0.02 * pressed[1])
    # The bridge bends as its reduced stiffness says.
    where = bridge.model.X - [0.5, 0.025, 0.0]
    below = int(np.linalg.norm(where, axis=1).argmin())
    sag = bridge.model.U.reshape(-1, 3, 8)[below, 1] @ bridge.q
    assert sag < -1e-3


def test_a_device_is_served_in_time_and_late_periods_are_counted():
    world, _, ball = bridge_and_ball()
    touch = pl.Haptics(world, ball, rate=200.0, limit=5.0)
    forces = []

    def device(force):
        forces.append(np.linalg.norm(force))
        return (0.5, 0.06, 0.0)

    timing = touch.run(device, 0.5)
    assert len(timing.seconds) == 100
    assert max(forces) <= 5.0 * (1 + 1e-9)
    assert timing.missed == round((1 - timing.share) * 100)
    assert timing.histogram()[0].sum() == 100
    touch.release()
    touch.release()
    assert world.holds == ()
    with pytest.raises(ArgumentError, match="ball was let go; make another"):
        touch((0.5, 0.06, 0.0))
    with pytest.raises(ArgumentError, match="device must be a function"):
        touch.run((0.5, 0.06, 0.0), 0.1)


def test_tools_must_be_free_bodies_of_the_world():
    world, bridge, _ = bridge_and_ball()
    with pytest.raises(ArgumentError, match="must be free"):
        pl.Haptics(world, bridge)
    with pytest.raises(ArgumentError, match="body of this world"):
        pl.Haptics(pl.World(1e-3), bridge)
