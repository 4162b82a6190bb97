"""Joints: gaps to rounding, momentum kept, hinges that turn about their axis alone, motors and stops (sheet 6, 9 d)."""

from itertools import pairwise

import numpy as np
import pytest
from shapes import block

import pliant as pl
from pliant.errors import ArgumentError
from pliant.numerics import rotation_exponential
from pliant.systems.world import World

KEPT = 1e-11
SWEPT = 2e-5  # of the speed of a motor, beside the joint: what six sweeps leave


def chain(model, kind, dt=5e-3, gravity=None, damping=(0.0, 0.0), group=0, **settings):
    """Four bars in a row that fly and spin as one."""
    world = World(dt, gravity=gravity, substeps=1, **settings)
    bodies = [world.add(model, (float(k), 0.0, 0.0), damping=damping, group=group) for k in range(4)]
    for a, b in pairwise(bodies):
        world.join(a, (1.0, 0.0, 0.0), b, (0.0, 0.0, 0.0), kind=kind)
    spin = np.array([0.4, 1.5, 2.5])
    for body in bodies:
        body.velocity = np.cross(spin, body.centre - np.array([2.0, 0.0, 0.0])) + np.array([2.0, 5.0, 0.0])
        body.spin = spin
    return world


@pytest.mark.parametrize("rule", ["midpoint", "euler"])
@pytest.mark.parametrize("kind", ["point", "rigid"])
@pytest.mark.parametrize("soft", [False, True])
def test_a_chain_keeps_momentum_and_closes_its_gaps(soft, kind, rule):
    model = block((1.0, 0.3, 0.3), (4, 2, 2), 6, 5e6) if soft else pl.Rigid(block().mesh, 1000.0)
    world = chain(model, kind, damping=(0.0, 1e-3), rule=rule)
    (P, L), energy = world.momentum(), world.energy()
    for _ in range(300):
        world.step()
        assert max(joint.gap for joint in world.joints) < 1e-8
    after = world.momentum()
    np.testing.assert_allclose(after[0], P, atol=KEPT * np.linalg.norm(P))
    np.testing.assert_allclose(after[1], L, atol=KEPT * np.linalg.norm(L))
    assert 0.5 < world.energy() / energy < 1.01


def test_points_of_a_joint_have_one_velocity_after_every_step():
    world = chain(block((1.0, 0.3, 0.3), (4, 2, 2), 6, 5e6), "point")
    x = world.bodies[0].model.X
    world.step(7)
    v = world.velocities()
    end = np.flatnonzero((np.abs(x[:, 0] - 1) < 1e-9) & (np.abs(x[:, 1:]).max(axis=1) < 1e-9))
    start = np.flatnonzero((np.abs(x[:, 0]) < 1e-9) & (np.abs(x[:, 1:]).max(axis=1) < 1e-9))
    np.testing.assert_allclose(v[end[0]], v[len(x) + start[0]], atol=1e-5)


def test_a_rigid_pendulum_swings_without_drift():
    """Energy of a joined body swings within a step's error and does not drift: half of it at half the step."""

    def swing(dt):
        world = World(dt, substeps=1)
        body = world.add(pl.Rigid(block().mesh, 1000.0))
        world.join(body, (0.0, 0.0, 0.0))
        start, energies = world.energy(), []
        for _ in range(round(5 / dt)):
            world.step()
            energies.append(world.energy() - start)
        return np.abs(energies).max() / (body.mass * 9.81 * 0.5)

    coarse, fine = swing(5e-3), swing(2.5e-3)
    assert coarse < 0.01
    assert 1.7 < coarse / fine < 2.3


def test_a_joint_to_the_world_bears_the_weight():
    world = World(5e-3)
    body = world.add(block((0.4, 0.4, 0.4), (2, 2, 2), 6, 1e7), damping=(0.0, 1e-2))
    joint = world.join(body, (0.2, 0.2, 0.0))  # above its centre
    world.step(400)
    np.testing.assert_allclose(joint.force, [0.0, body.mass * 9.81, 0.0], rtol=0.02, atol=2.0)


def hinged(**settings):
    """A rigid bar on a hinge about z through one end."""
    world = World(2e-3, gravity=settings.pop("gravity", None))
    body = world.add(pl.Rigid(block().mesh, 1000.0))
    return world, body, world.join(body, (0.0, 0.0, 0.0), kind="hinge", axis=(0.0, 0.0, 1.0), **settings)


def test_a_hinge_turns_about_its_axis_alone():
    world, body, joint = hinged(gravity=(3.0, -9.81, 2.0))
    world.step(300)
    assert abs(body.rotation[2, 2] - 1) < 1e-9
    assert joint.gap < 1e-9


def test_a_motor_reaches_its_speed_with_the_torque_it_has():
    """I w' = torque until the speed is reached; I of a slender bar about its end is m (l^2 / 3 + ...)."""
    world, body, joint = hinged(speed=2.0, torque=10.0)
    inertia = body.model.inertia
    I = inertia.second_moment[0, 0] + inertia.second_moment[1, 1]
    world.step(100)
    assert body.spin[2] == pytest.approx(10.0 * 0.2 / I, rel=1e-3)
    joint.torque = 1e4
    world.step(100)
    assert body.spin[2] == pytest.approx(2.0, rel=1e-6)
    assert joint.angle > 0


FREE_HINGES = {
    "free": {},
    "motor": {"speed": 3.0, "torque": 20.0},
    "stops": {"limits": (-0.3, 0.3)},
    "both": {"speed": 3.0, "torque": 20.0, "limits": (-0.3, 0.3)},
}


@pytest.mark.parametrize("rule", ["midpoint", "euler"])
@pytest.mark.parametrize("given", FREE_HINGES)
@pytest.mark.parametrize("soft", [False, True])
def test_hinges_between_free_bodies_keep_momentum(soft, given, rule):
    """What a motor or a stop gives one body it takes from the other."""
    model = block((1.0, 0.3, 0.3), (4, 2, 2), 6, 5e6)
    world = World(5e-3, gravity=None, rule=rule)
    a, b = (
        world.add(model if soft else pl.Rigid(model.mesh, 1000.0), (float(k), 0.0, 0.0), damping=(0.0, 1e-3))
        for k in range(2)
    )
    joint = world.join(a, (1.0, 0.0, 0.0), b, (0.0, 0.0, 0.0), kind="hinge", axis=(0, 0, 1), **FREE_HINGES[given])
    a.velocity, a.spin, b.spin = (0.5, 1.0, 0.2), (0.4, 1.0, 0.0), (0.4, 1.0, 2.5)
    P, L = world.momentum()
    for _ in range(150):
        world.step()
        assert joint.gap < 1e-8
        assert "limits" not in FREE_HINGES[given] or abs(joint.angle) < 0.31
    np.testing.assert_allclose(world.momentum()[0], P, atol=KEPT * np.linalg.norm(P))
    np.testing.assert_allclose(world.momentum()[1], L, atol=KEPT * np.linalg.norm(L))


@pytest.mark.parametrize("rule", ["midpoint", "euler"])
def test_momentum_is_kept_where_joined_bodies_are_hit(rule):
    world = World(5e-3, gravity=None, rule=rule)
    model = block((1.0, 0.2, 0.2), (6, 2, 2), 6, 5e6)
    row = [world.add(model, (float(k), 0.0, 0.0), damping=(0.0, 1e-3)) for k in range(3)]
    for (a, b), kind in zip(pairwise(row), ("rigid", "point")):
        world.join(a, (1.0, 0.0, 0.0), b, (0.0, 0.0, 0.0), kind=kind)
    world.add(model, (1.2, 0.3, 0.05), velocity=(0.0, -2.0, 0.0), spin=(0.0, 1.0, 0.5), damping=(0.0, 1e-3))
    world.add(pl.Rigid(pl.shapes.sphere(0.15, 4), 2000.0), (2.5, -0.4, 0.0), velocity=(0.0, 2.0, 0.0))
    (P, L), energy, touched = world.momentum(), world.energy(), 0
    scale = sum(body.mass * np.linalg.norm(body.velocity) for body in world.bodies)
    for _ in range(100):
        world.step()
        touched += len(world.contacts().depths) > 0
        assert max(joint.gap for joint in world.joints) < 1e-8
        assert world.energy() < energy * (1 + 1e-9)
    assert touched > 2
    np.testing.assert_allclose(world.momentum()[0], P, atol=KEPT * scale)
    np.testing.assert_allclose(world.momentum()[1], L, atol=KEPT * scale)


def test_a_body_is_welded_to_one_that_goes_its_way():
    world = World(5e-3)
    mesh, around = block().mesh, rotation_exponential
    lead = world.add(pl.Rigid(mesh), path=lambda t: ((0.3 * t, 0.0, 0.0), around(np.array([0.0, 0.0, 0.5 * t]))))
    body = world.add(pl.Rigid(mesh, 1000.0), (1.0, 0.0, 0.0))
    joint = world.join(body, (0.0, 0.0, 0.0), lead, (1.0, 0.0, 0.0), kind="rigid")
    for _ in range(100):
        world.step()
        assert joint.gap < 1e-8
    np.testing.assert_allclose(body.rotation, lead.rotation, atol=1e-6)
    np.testing.assert_allclose(body.spin, (0.0, 0.0, 0.5), atol=1e-3)
    # It bears the weight, and keeps the centre on its circle of 1.5 m about the start of the path.
    needed = body.mass * (np.array([0.0, 9.81, 0.0]) - 1.5 * 0.5**2 * lead.rotation[:, 0])
    np.testing.assert_allclose(joint.force, needed, atol=0.01 * body.mass * 9.81)


def test_a_stop_holds():
    world, _, joint = hinged(gravity=(0.0, -9.81, 0.0), limits=(-0.5, 0.3))
    world.step(1000)
    assert joint.angle == pytest.approx(-0.5, abs=5e-3)


@pytest.mark.parametrize("stop", [1.0, 3.0, 4.0, 10.0])
def test_stops_hold_also_beyond_a_turn(stop):
    world, body, joint = hinged(limits=(-stop, stop))
    body.spin = (0.0, 0.0, 6.0)
    body.velocity = np.cross(body.spin, body.centre)
    farthest = 0.0
    for _ in range(1200):
        world.step()
        farthest = max(farthest, joint.angle)
    assert farthest == pytest.approx(stop, abs=5e-3)
    assert body.spin[2] < 0.1  # it came off again, or lies at the stop


def test_angles_of_hinges_count_turns_and_files_keep_them(tmp_path):
    world, _, joint = hinged(speed=10.0, torque=1e5)
    world.step(50)
    for _ in range(20):
        before = joint.angle
        world.step(50)
        assert joint.angle - before == pytest.approx(1.0, abs=SWEPT)  # 10 /s for 0.1 s
    assert joint.angle > 20
    there, state = joint.angle, world.state()
    world.add(pl.Rigid(block().mesh, 1000.0), (0.0, 9.0, 0.0))
    assert joint.angle == there
    world.remove(world.bodies[1])
    world.save(tmp_path / "wound.state")
    again = pl.resume(tmp_path / "wound.state")
    assert again.joints[0].angle == there
    world.step(50)
    world.restore(state)
    assert joint.angle == there
    for each in (world, again):
        each.step(50)
    assert joint.angle == pytest.approx(there + 1.0, abs=SWEPT)
    assert again.joints[0].angle == pytest.approx(there + 1.0, abs=SWEPT)


def test_joints_are_refused_in_a_sentence():
    world = World(5e-3)
    a = world.add(block(), name="a")
    b = world.add(block(), (5.0, 0.0, 0.0), name="b")
    fixed = world.add(pl.Rigid(block().mesh), (0.0, 9.0, 0.0), kind="static")
    with pytest.raises(ArgumentError, match="4 m apart"):
        world.join(a, (1.0, 0.0, 0.0), b, (0.0, 0.0, 0.0))
    with pytest.raises(ArgumentError, match="do not move"):
        world.join(fixed, (0.0, 0.0, 0.0))
    other = world.add(pl.Rigid(block().mesh), (1.0, 9.0, 0.0), kind="static")
    with pytest.raises(ArgumentError, match="do not move"):
        world.join(fixed, (0.5, 0.0, 0.0), other)
    with pytest.raises(ArgumentError, match="point_a must be finite"):
        world.join(a, (np.nan, 0.0, 0.0))
    with pytest.raises(ArgumentError, match="needs an axis"):
        world.join(a, (0.0, 0.0, 0.0), kind="hinge")
    with pytest.raises(ArgumentError, match="to itself"):
        world.join(a, 0, a, 0)
    with pytest.raises(ArgumentError, match="those of a hinge"):
        world.join(a, 0, speed=1.0)
    assert world.joints == ()


def test_parted_bodies_fly_apart():
    world = chain(pl.Rigid(block().mesh, 1000.0), "point", group=1)
    world.step(10)
    for joint in world.joints:
        joint.remove()
    velocities = [body.velocity for body in world.bodies]
    world.step(10)
    for body, velocity in zip(world.bodies, velocities):
        np.testing.assert_allclose(body.velocity, velocity, atol=1e-12)


def test_a_hand_carries_a_body_and_lets_it_fall():
    world = World(5e-3)
    body = world.add(block((0.4, 0.4, 0.4), (2, 2, 2), 6, 1e7), damping=(0.0, 1e-3))
    vertex = 13
    hand = body.hold(vertex, body.vertices()[vertex] + [0.0, 1.0, 0.0])
    world.step(400)
    np.testing.assert_allclose(body.vertices()[vertex], hand.target, atol=1e-3)
    np.testing.assert_allclose(hand.force, [0.0, body.mass * 9.81, 0.0], atol=0.05 * body.mass * 9.81)
    weak = body.hold(vertex, hand.target, limit=0.5 * body.mass * 9.81)
    height = body.centre[1]
    world.step(100)
    assert np.linalg.norm(weak.force) <= 0.5 * body.mass * 9.81 * (1 + 1e-9)
    assert body.centre[1] == pytest.approx(height - 0.5 * 0.5 * 9.81 * 0.25, abs=0.05)
