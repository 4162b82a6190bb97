"""Joints of trees, seams and clamped parts with bodies, with each other and with the world."""

import numpy as np
import pytest
from kinds import bar, system, tip
from shapes import block, turn

import pliant as pl
from pliant.errors import ArgumentError

KEPT = 1e-11  # of momentum
G = (0.0, -9.81, 0.0)
FLYING = ("tree", "seams", "seams-nonlinear")
HOLDING = ("tree", "seams", "seams-nonlinear", "clamped")


def hung(kind, joint="point", dt=2e-3):
    """A held bar that is a system, and a soft box that hangs on its free end."""
    world = pl.World(dt, gravity=G, substeps=2)
    held = world.add(system(kind, False, gravity=G), name="bar")
    end = bar().mesh.vertices[tip(bar())]
    box = block((0.1, 0.1, 0.1), (2, 2, 2), 6)
    load = world.add(box, end - (0.0, 0.05, 0.0), name="box", damping=(0.0, 1e-3))
    return world, held, load, world.join(load, (0.0, 0.05, 0.0), held, tip(bar()), kind=joint)


@pytest.mark.parametrize("joint", ["point", "rigid"])
@pytest.mark.parametrize("kind", FLYING)
def test_momentum_is_kept_where_a_flying_system_is_joined_to_a_body(kind, joint):
    R, place = turn((1, 2, 3), 0.7), np.array([0.2, 0.1, -0.3])
    world = pl.World(2e-3, gravity=None, substeps=2)
    flying = world.add(system(kind, True), place, R, name="bar")
    at = flying.vertices()[tip(bar())]
    box = block((0.1, 0.1, 0.1), (2, 2, 2), 6)
    world.add(box, at, R, velocity=(0.3, -1.0, 0.2), spin=(0.5, 1.0, -2.0), name="box", damping=(0.0, 1e-3))
    made = world.join(world.bodies[1], (0.0, 0.0, 0.0), flying, tip(bar()), kind=joint)
    P, L = world.momentum()
    energy, gaps = world.energy(), []
    for _ in range(60):
        world.step()
        gaps.append(made.gap)
    after = world.momentum()
    np.testing.assert_allclose(after[0], P, atol=KEPT * np.linalg.norm(P))
    np.testing.assert_allclose(after[1], L, atol=KEPT * np.linalg.norm(L))
    assert np.linalg.norm(flying.momentum()[0]) > 0.1 * np.linalg.norm(P)
    assert max(gaps) < 1e-4
    assert world.energy() < energy * (1 + 1e-6)


@pytest.mark.parametrize("kind", HOLDING)
def test_what_hangs_on_a_system_is_borne_by_its_joint(kind):
    """The momentum of the load changes by what the joint and its weight give."""
    world, held, load, made = hung(kind)
    world.substeps, before, given, gaps = 1, load.momentum()[0], np.zeros(3), []
    for _ in range(150):
        world.step()
        given += (made.force + load.mass * np.array(G)) * world.dt
        gaps.append(made.gap)
    np.testing.assert_allclose(load.momentum()[0] - before, given, atol=1e-9 * load.mass)
    assert max(gaps) < 1e-4
    assert held.vertices()[tip(bar()), 1] < bar().mesh.vertices[tip(bar()), 1] - 0.01  # it bends


def test_a_joint_of_a_system_with_the_world_holds_its_point_and_tells_the_reaction():
    world = pl.World(2e-3, gravity=G, substeps=2)
    held = world.add(system("tree", False, gravity=G), name="bar")
    made = world.join(held, tip(bar()))
    place = held.vertices()[tip(bar())]
    free = pl.World(2e-3, gravity=G, substeps=2)
    sagging = free.add(system("tree", False, gravity=G))
    world.step(300)
    free.step(300)
    assert np.linalg.norm(held.vertices()[tip(bar())] - place) == pytest.approx(made.gap, abs=1e-15)
    assert made.gap < 1e-6
    assert place[1] - sagging.vertices()[tip(bar()), 1] > 0.01
    assert 0.1 < made.force[1] / (held.mass * 9.81) < 0.9


def test_two_systems_are_joined_and_momentum_is_kept():
    world = pl.World(2e-3, gravity=None, substeps=2)
    first = world.add(system("tree", True), name="first")
    second = world.add(system("seams-nonlinear", True), (1.02, 0.0, 0.0), name="second")
    first.system.launch((0.0, 0.5, 0.0), (0.0, 0.0, 0.4))
    made = world.join(first, tip(bar()), second)
    P, L = world.momentum()
    world.step(60)
    np.testing.assert_allclose(world.momentum()[0], P, atol=KEPT * np.linalg.norm(P))
    np.testing.assert_allclose(world.momentum()[1], L, atol=KEPT * np.linalg.norm(L))
    assert made.gap < 1e-4


def test_a_saved_world_goes_on_with_its_joints(tmp_path):
    world, *_ = hung("tree", "rigid")
    world.step(20)
    world.save(tmp_path / "hung.pliant")
    again = pl.resume(tmp_path / "hung.pliant")
    for each in (world, again):
        each.step(20)
    np.testing.assert_array_equal(again.vertices(), world.vertices())


def test_a_hinge_on_a_system_turns_about_its_axis_and_has_no_angle():
    world, held, load, _ = hung("clamped")
    world.joints[0].remove()
    made = world.join(load, (0.0, 0.05, 0.0), held, tip(bar()), kind="hinge", axis=(0, 0, 1))
    load.velocity = (0.5, 0.0, 0.5)
    world.step(100)
    assert made.gap < 1e-4
    axis = np.diff(made.places(), axis=0)[0]
    assert abs(axis[2]) / np.linalg.norm(axis) > 0.99
    with pytest.raises(ArgumentError, match="its hinge has no angle"):
        _ = made.angle
