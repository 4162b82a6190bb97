"""Systems of several parts in the viewer: tuned, pulled, held and turned, with the geometry following new columns."""

import json

import numpy as np
import pytest
from live_standins import Crowd, coupled_bar, tree_bar

from pliant.app import messages
from pliant.app.holding import hand_on, twist_on
from pliant.app.packing import HEADER, pack_geometry, pack_pose, same_basis
from pliant.app.session import Session
from pliant.app.sources import SceneSource
from pliant.app.stage import Stage
from pliant.app.tuners import tuner_of
from pliant.errors import ArgumentError, Diverged
from pliant.mesh import Surface
from pliant.systems import Wind

FLOAT32 = 2e-6
MAKERS = {"seams": coupled_bar, "tree": tree_bar}


def stage_of(kind):
    system = MAKERS[kind]()
    return Stage(kind, SceneSource(MAKERS[kind]), system, 1)


def session_of(system):
    heard = []
    session = Session({"it": SceneSource(lambda _: system)}, lambda report, client: heard.append(report), lambda f: f())
    session._open(Stage("it", session.scenes["it"], system, session.new_number()))
    return session, heard


def tip_of(system):
    return int(np.argmax(system.vertices() @ [1, 0.1, 0.1]))


@pytest.mark.parametrize("kind", MAKERS)
def test_every_setting_changes_and_the_motion_goes_on(kind):
    stage = stage_of(kind)
    stage.advance(20, [])
    before = stage.system.vertices()
    changes = {"stiffness": 4.0, "alpha": 2.0, "beta": 0.01, "gravity": (0.0, -5.0, 0.0), "dt": 0.002, "wind": 3.0}
    for name in stage.tuner.tunable:
        stage.tune(9, {name: changes[name]})
        np.testing.assert_allclose(stage.system.vertices(), before, atol=1e-9)
        again = stage.tuner.settings(stage.system)
        if name != "stiffness":  # which is a factor on what the system has
            assert getattr(again, name) == pytest.approx(changes[name])
    assert stage.geometry.number == 1
    stage.advance(5, [])
    assert stage.is_sound()


def test_stiffness_of_a_tree_counts_as_frequencies():
    stage = stage_of("tree")
    stage.tune(2, {"stiffness": 4.0})
    assert [limb.stiffening for limb in stage.system.limbs] == pytest.approx([2.0] * len(stage.system.limbs))


def test_wind_keeps_its_direction_when_it_is_switched_off():
    stage = stage_of("tree")
    stage.system.wind = Wind(np.array([0, 0, 2.0]))
    stage.tune(2, {"wind": 0.0})
    assert stage.system.wind.pressure(np.zeros((1, 3)), 0.0) == pytest.approx(0.0, abs=1e-12)
    stage.tune(2, {"wind": 4.0})
    np.testing.assert_allclose(stage.system.wind.velocity, [0, 0, 4.0])


@pytest.mark.parametrize("kind", MAKERS)
def test_a_hand_brings_the_tip_where_it_is(kind):
    """Held vertices arrive; springs go most of the way against the stiffness and the weight."""
    stage = stage_of(kind)
    tip = tip_of(stage.system)
    start = stage.system.vertices()[tip]
    hand = hand_on(stage.system, tip, start)
    hand.target += [-0.05, 0.25, 0]
    for _ in range(60):
        stage.advance(10, [hand])
    gone = stage.system.vertices()[tip] - start
    assert gone[1] > (0.24 if kind == "seams" else 0.12)
    hand.target[1] += 1e6
    stage.advance(50, [hand])
    assert np.abs(stage.system.vertices()).max() < 3, "a hand reaches no farther than one and a half sizes"


def test_a_hand_on_a_worn_surface_holds_the_cell_behind_it():
    system = coupled_bar()
    X, triangles = system.mesh.vertices, system.mesh.surface
    system.wear(Surface(X * [1.02, 1.1, 1.1], triangles))
    tip = tip_of(system)
    start = system.vertices()[tip]
    hand = hand_on(system, tip, start)
    hand.target += [0, 0.2, 0]
    stage = Stage("worn", SceneSource(coupled_bar), system, 1)
    stage.advance(400, [hand])
    assert system.vertices()[tip, 1] - start[1] == pytest.approx(0.2, rel=0.15)
    with pytest.raises(ArgumentError, match="fixed"):
        hand_on(system, int(np.argmin(X[:, 0])), X[0])


def test_turning_an_interface_turns_it_from_where_it_is():
    stage = stage_of("seams")
    stage.advance(50, [])
    tip = tip_of(stage.system)
    twist = twist_on(stage.system, tip, np.zeros(3))
    before = stage.system.vertices()
    stage.advance(1, [twist])
    assert np.abs(stage.system.vertices() - before).max() < 0.02, "taking hold of it moves nothing"
    twist.rotation[:] = [0.5, 0, 0]
    stage.advance(400, [twist])
    x = stage.system.vertices()
    lower, upper = (
        np.flatnonzero(np.isclose(stage.system.mesh.vertices, (1.0, y, 0.06)).all(axis=1)) for y in (-0.06, 0.06)
    )
    tilt = (x[upper] - x[lower])[0]
    assert tilt[2] / tilt[1] == pytest.approx(np.tan(0.5), rel=0.2)
    twist.release()
    with pytest.raises(ArgumentError, match="no interfaces"):
        twist_on(tree_bar(), 0, np.zeros(3))


def test_a_held_vertex_brings_new_columns_and_pages_get_only_these():
    stage = stage_of("seams")
    numbers = iter(range(2, 99))
    assert not stage.refit(lambda: next(numbers))
    whole = len(stage.geometry.payload)
    held = hand_on(stage.system, tip_of(stage.system), stage.system.vertices()[tip_of(stage.system)])
    assert stage.refit(lambda: next(numbers))
    assert (stage.geometry.number, stage.geometry.since) == (2, 1)
    assert len(stage.geometry.update) < 0.6 * whole
    assert len(stage.frame(1)) == HEADER.size + 4 * (12 * 3 + len(stage.system.pose().flat))
    held.release()
    stage.reset()
    assert stage.refit(lambda: next(numbers)), "the start had other columns"


def test_commands_grab_turn_keep_and_free():
    session, _ = session_of(coupled_bar())
    system = session.on_stage.system
    tip = tip_of(system)
    target = tuple(map(float, system.vertices()[tip] + [0, 0.1, 0]))
    session.apply(messages.Grab(vertex=tip, target=target), 1)
    session.apply(messages.Keep(), 1)
    assert (len(session.pins), session.status.pins, session.grips) == (1, 1, {})
    session.apply(messages.Turn(vertex=tip, rotation=(0.0, 0.0, 0.0)), 1)
    session.apply(messages.Turn(vertex=tip, rotation=(0.2, 0.0, 0.0)), 1)
    assert session.grips[1].rotation[0] == 0.2
    session.apply(messages.Move(target=target), 1)
    session.apply(messages.Set(gravity=(0.0, 0.0, 0.0)), 1)
    assert session.on_stage.system is not system
    session.advance(300)
    assert session.on_stage.system.vertices()[tip, 1] == pytest.approx(target[1], abs=0.05)
    session.apply(messages.Free(), 1)
    session.leave(1)
    assert not session.pins
    assert not session.grips
    session.apply(messages.Reset(), 1)
    np.testing.assert_allclose(session.on_stage.system.vertices(), session.on_stage.rest, atol=1e-9)


def test_the_part_that_diverged_is_named():
    session, _ = session_of(tree_bar())
    session._stop(Diverged("no solution", part="left arm"))
    assert session.status.diverged == "left arm: no solution"
    session._stop(Diverged("no solution for left arm", part="left arm"))
    assert session.status.diverged == "no solution for left arm"


def test_tree_gone_wild_holds_and_reset_mends_it():
    session, _ = session_of(tree_bar())
    tree, rest = session.on_stage.system, session.on_stage.rest
    tree.v = np.full(len(tree.v), 1e9)
    session.advance(50)
    assert "found no solution for" in session.status.diverged
    assert not session.playing
    assert np.isfinite(tree.vertices()).all()
    session.apply(messages.Reset(), 1)
    assert session.status.diverged is None
    np.testing.assert_allclose(tree.vertices(), rest, atol=1e-9)
    session.advance(20)
    assert session.status.diverged is None
    assert tree.time == pytest.approx(20 * tree.dt)


def test_pages_get_the_colour_of_every_triangle():
    system = Crowd(count=6, links=1)
    geometry = pack_geometry(1, system)
    length = int.from_bytes(geometry.payload[:4], "little")
    palette = np.array(json.loads(geometry.payload[4 : 4 + length])["palette"])
    np.testing.assert_allclose(palette[geometry.arrays["paint"]], system.colours)
    stage = stage_of("tree")
    stage.base.paint(np.tile([0.1, 0.5, 0.2], (len(stage.base.triangles), 1)))
    stage.tune(2, {"alpha": 3.0})
    assert stage.system.colours is stage.base.colours


def test_crowds_share_their_basis_and_send_poses_once():
    system = Crowd(count=60, links=4)
    geometry = pack_geometry(1, system)
    blocks = [name for name in geometry.arrays if name.startswith("U")]
    assert len(blocks) == 3 + 4, "three kinds of instances, and a block of its own for each link"
    system.step(100)
    frame = pack_pose(geometry, 5, 0.1, system.pose())
    numbers = np.frombuffer(frame, dtype="<f4", offset=HEADER.size)
    pose = system.pose()
    assert len(numbers) == 12 * 60 + len(pose.flat)
    np.testing.assert_allclose(numbers[12 * 60 :], pose.flat, atol=FLOAT32)
    np.testing.assert_allclose(
        numbers[: 12 * 60].reshape(60, 12)[:, :9].reshape(-1, 3, 3), pose.rotations, atol=FLOAT32
    )
    assert same_basis(geometry, system)
    assert not same_basis(geometry, Crowd(count=63, links=4))


@pytest.mark.parametrize("kind", MAKERS)
def test_tuners_know_these_systems(kind):
    system = MAKERS[kind]()
    tuner = tuner_of(system)
    assert {"alpha", "beta", "gravity", "dt", "wind"} <= set(tuner.tunable)
    assert tuner.settings(system).gravity == (0, -2.0, 0)
