"""The session without browsers: time, hands, settings, recordings, sketches, background work."""

import threading
import time

import numpy as np
import pytest
from live_standins import SCENES, bar_solid, clamped_bar

import pliant as pl
from pliant.app import messages
from pliant.app.builder import Builder
from pliant.app.clock import LONGEST_DEBT, RealTime
from pliant.app.live import Live
from pliant.app.packing import HEADER, frame_number, pack_geometry, pack_pose
from pliant.app.session import Session
from pliant.app.sources import SceneSource
from pliant.app.stage import Stage
from pliant.app.vibrations import vibrations_of
from pliant.errors import ArgumentError

ON_TIME = 0.05  # of a second, on a busy machine
HAND_RATE = 20.0  # [1/s] how fast held things go to their targets


def make_session(system=None, source=SCENES["bar"]):
    said = []
    session = Session({"bar": source}, lambda report, client: said.append((report, client)), lambda work: work())
    session.stage = Stage("bar", source, system or source.build(None), 1)
    session.playing, session.said = False, said
    return session


def tip_of(session):
    return int(np.argmax(session.stage.rest @ [1, 0.01, 0.01]))


def sentences(session):
    return [report.sentence for report, _ in session.said if report.kind == "notice"]


# Time


def test_clock_counts_what_is_due_and_drops_what_a_stall_leaves():
    clock = RealTime()
    assert clock.due(10.0, 0.01) == 0
    assert clock.due(10.0401, 0.01) == 4
    clock.paid(4, 0.01)
    assert clock.due(10.0451, 0.01) == 0
    assert clock.due(99.0, 0.01) == round(LONGEST_DEBT / 0.01)
    clock.hold()
    assert clock.due(200.0, 0.01) == 0


def test_live_session_keeps_real_time_and_starts_at_once():
    with Live(SCENES) as live:
        live.wait(lambda s: s.stage is not None and s.stage.system.time > 0.1, timeout=60)
        begun, simulated = time.monotonic(), live.session.stage.system.time
        time.sleep(1.0)
        assert live.session.stage.system.time - simulated == pytest.approx(time.monotonic() - begun, abs=ON_TIME)


def test_slow_system_runs_slow_but_listens():
    def slow(progress):
        system = clamped_bar(progress)
        whole = system.step
        system.step = lambda count=1: (time.sleep(0.02 * count), whole(count))
        return system

    with Live({"slow": SceneSource(slow)}) as live:
        live.wait(lambda s: s.stage is not None and s.stage.system.time > 0, timeout=60)
        begun = time.monotonic()
        live.submit(messages.Pause())
        live.wait(lambda s: not s.playing)
        assert time.monotonic() - begun < 2.0


# Hands


@pytest.mark.filterwarnings("ignore:dt =")
@pytest.mark.parametrize("newton", [1, 10])
@pytest.mark.parametrize("dt", [1e-3, 1e-2])
@pytest.mark.parametrize("young", [1e3, 1e6, 2e11])
def test_hand_brings_the_vertex_along_the_curve_of_critical_damping_however_stiff_the_solid(young, dt, newton):
    """gap(t) = (1 + w t) e^(-w t) of where it began, and no jump on the way.

    Half a step late, since a step takes the mean of the accelerations at its ends and the first one is zero.
    """
    solid = bar_solid()
    model = pl.reduce(solid, pl.modal_basis(solid, modes=6, size=12)).with_material(young=young)
    system = pl.Clamped(model, dt, damping=(2.0, 1e-4), gravity=(0, 0, 0), newton=newton)
    vertex, w = int(np.argmax(solid.mesh.vertices[:, 0])), HAND_RATE
    hold = system.hold(vertex, solid.mesh.vertices[vertex] + [0, 0.1, 0])
    gaps = [0.1]
    for _ in range(round(0.6 / dt)):
        system.step()
        gaps.append(float(hold.target[1] - system.vertices()[vertex, 1]))
    late = np.maximum(dt * np.arange(len(gaps)) - dt / 2, 0)
    assert np.abs(gaps - 0.1 * (1 + w * late) * np.exp(-w * late)).max() < 0.1 * (w * dt) ** 2 / 8
    accelerations = np.diff(gaps, 2) / dt**2
    assert np.abs(accelerations).max() <= 0.1 * w**2, "no more than what the hand does at its first instant"
    system.step(round(2.4 / dt))
    assert np.linalg.norm(hold.target - system.vertices()[vertex]) < 1e-10


def test_steps_under_a_hand_are_taken_once_and_together():
    session, taken = make_session(), []
    whole = session.stage.system.step
    session.stage.system.step = lambda count=1: (taken.append(count), whole(count))
    session.apply(messages.Grab(vertex=tip_of(session), target=(1, 0.2, 0)), 1)
    session.advance(40)
    session.apply(messages.Move(target=(1, 0.1, 0)), 1)
    session.advance(25)
    assert taken == [40, 25]
    assert session.stage.system.time == pytest.approx(0.065)


def test_force_of_a_hand_balances_the_solid():
    """At rest under gravity: f(q) = U^T (weight) + U_v^T f_hand, [MR12]."""
    session = make_session()
    session.apply(messages.Set(alpha=20.0, newton=10), 1)
    vertex = tip_of(session)
    session.apply(messages.Grab(vertex=vertex, target=(1.0, 0.1, 0.05)), 1)
    session.advance(8000)
    system, force = session.stage.system, session.grips[1].force
    U = system.model.U.reshape(-1, 3, system.size)[vertex]
    weight = system.model.inertia.N.T @ system.gravity
    missing = system.model.force(system.q) - weight - U.T @ force
    assert np.linalg.norm(missing) < 1e-6 * np.linalg.norm(U.T @ force)


def test_hand_pulls_no_harder_than_the_body_bears():
    session = make_session()
    vertex, system = tip_of(session), session.stage.system
    limit = system.gentle_force(vertex)
    session.apply(messages.Grab(vertex=vertex, target=(4.0, 2.0, 0.0)), 1)
    for _ in range(100):
        session.advance(20)
        assert np.linalg.norm(session.grips[1].force) <= (1 + 1e-9) * limit
    assert np.linalg.norm(session.grips[1].force) == pytest.approx(limit)
    assert not session.diverged


def test_sketch_notes_what_holds_the_solid_and_not_what_sets_it_in_motion():
    """A vertex is on its way for the time that (1 + w t) e^(-w t) needs to fall to 0.05 of 0.1: 0.084 s."""
    session = make_session()
    session.apply(messages.Set(stiffness=100.0), 1)  # so that it bears what sets it in motion as fast as that
    session.apply(messages.Sketch(on=True), 1)
    session.apply(messages.Grab(vertex=tip_of(session), target=(0.994, 0.16, 0.06)), 1)
    noted = []
    for _ in range(60):
        session.advance(5)
        session.sketchpad._next = 0.0  # people take longer than this test
        noted.append(len(session.sketchpad.pulls))
    arrival = next(k for k, count in enumerate(noted) if count)
    assert 5e-3 * (arrival + 1) == pytest.approx(0.084, abs=0.01)
    (vertex, force), last = session.sketchpad.pulls[-1][0], session.grips[1].force
    assert vertex == tip_of(session)
    np.testing.assert_array_equal(force, last)


def test_hand_goes_on_holding_the_system_that_takes_the_place_of_another():
    session = make_session()
    vertex, target = tip_of(session), np.array([1.0, 0.06, 0.05])
    session.apply(messages.Grab(vertex=vertex, target=tuple(target)), 1)
    session.apply(messages.Keep(), 1)
    session.advance(600)
    before = session.stage.system
    session.apply(messages.Set(stiffness=3.0, vectors=9, gravity=(0.0, -4.0, 0.0)), 1)
    after = session.stage.system
    assert after is not before
    assert (len(before.holds), len(after.holds)) == (0, 1)
    session.advance(1)
    jump = np.linalg.norm(after.vertices()[vertex] - target)
    session.advance(1500)
    arrived = np.linalg.norm(after.vertices()[vertex] - target)
    assert arrived < 1e-4
    assert jump < 0.1, "what the shorter basis cannot show is all that moves"
    session.apply(messages.Set(dt=2e-3), 1)
    assert session.stage.system is after, "a step is changed in place"
    session.apply(messages.Free(), 1)
    assert (after.holds, session.pins) == ((), [])


def test_grabbing_what_is_kept_takes_it_over_and_others_hands_are_respected():
    session = make_session()
    tip, system = tip_of(session), session.stage.system
    session.apply(messages.Grab(vertex=tip, target=(1, 0.1, 0)), 1)
    session.apply(messages.Keep(), 1)
    session.apply(messages.Grab(vertex=tip, target=(1, 0.2, 0)), 1)
    assert (session.pins, list(session.grips), len(system.holds)) == ([], [1], 1)
    session.apply(messages.Grab(vertex=tip, target=(1, -0.2, 0)), 2)
    assert "somebody holds this point" in sentences(session)[-1]
    assert list(session.grips) == [1]
    np.testing.assert_array_equal(system.holds[0].target, [1, 0.2, 0])
    session.leave(1)
    assert system.holds == ()


def test_wild_hand_is_survived():
    session, draw = make_session(), np.random.default_rng(0)
    session.apply(messages.Grab(vertex=tip_of(session), target=(1, 0, 0)), 1)
    for _ in range(100):
        session.apply(messages.Move(target=tuple(draw.uniform(-1e6, 1e6, 3))), 1)
        session.advance(5)
    assert not session.stage.fault()
    assert np.abs(session.stage.system.vertices()).max() < 100


def test_fixed_point_cannot_be_pulled():
    session = make_session()
    session.apply(messages.Grab(vertex=int(np.argmin(session.stage.rest[:, 0])), target=(0, 1, 0)), 7)
    assert not session.grips
    assert session.said[-1][1] == 7
    assert "fixed" in sentences(session)[-1]


def test_hand_of_a_client_that_leaves_lets_go():
    session = make_session()
    session.apply(messages.Grab(vertex=tip_of(session), target=(1, 0, 0)), 3)
    session.apply(messages.Release(), 4)
    assert list(session.grips) == [3]
    session.leave(3)
    assert not session.grips


# Settings


def test_settings_change_and_the_shape_stays():
    session = make_session()
    session.advance(300)
    before = session.stage.system.vertices()
    session.apply(messages.Set(stiffness=4.0, alpha=1.0, dt=2e-3, gravity=(1.0, 0.0, 0.0)), 1)
    np.testing.assert_allclose(session.stage.system.vertices(), before, atol=1e-12)
    assert session.stage.system.time == pytest.approx(0.3)
    assert session.stage.geometry.number == 1, "the page keeps its basis"


def test_truncation_sends_zeros_for_what_is_left_out():
    session = make_session()
    session.advance(100)
    session.apply(messages.Set(vectors=5), 1)
    frame = np.frombuffer(session.stage.frame(1)[HEADER.size :], dtype="<f4")
    assert len(frame) == 12 + 12
    np.testing.assert_allclose(frame[12:17], session.stage.system.q, rtol=1e-6)
    assert not frame[17:].any()
    session.apply(messages.Set(vectors=12), 1)
    np.testing.assert_allclose(session.stage.system.q[:5], frame[12:17], rtol=1e-6)


def test_too_many_vectors_are_refused():
    session = make_session()
    session.apply(messages.Set(vectors=13), 2)
    assert "vectors" in sentences(session)[-1]
    assert session.stage.settings.vectors == 12


def test_frequencies_go_with_the_root_of_stiffness():
    session = make_session()
    before = session.stage.vibrations.frequencies.copy()
    session.apply(messages.Set(stiffness=9.0), 1)
    direct = vibrations_of(session.stage.system).frequencies
    np.testing.assert_allclose(session.stage.vibrations.frequencies, 3 * before)
    np.testing.assert_allclose(direct, 3 * before, rtol=1e-9)


# What goes wrong


def test_failed_build_is_said_and_the_old_scene_stays():
    def impossible(progress):
        raise ArgumentError("this scene has no mesh")

    session = make_session()
    session.scenes["bad"] = SceneSource(impossible)
    session.apply(messages.SwitchScene(name="bad"), 1)
    end = time.monotonic() + 5
    while not sentences(session) and time.monotonic() < end:
        time.sleep(0.01)
    assert sentences(session) == ["this scene has no mesh"]
    assert session.stage.name == "bar"


def test_newest_background_work_wins():
    builder, results, gate = Builder(), [], threading.Event()

    def slow(progress):
        gate.wait(5)
        progress("late", 0.5)
        return "first"

    def ignore(*_):
        pass

    builder.start(slow, ignore, results.append, results.append)
    builder.start(lambda progress: "second", ignore, results.append, results.append)
    gate.set()
    time.sleep(0.1)
    assert results == ["second"]


# What is kept


def test_recording_grows_through_a_reset():
    session = make_session()
    session.apply(messages.Record(on=True), 1)
    session.playing, now = True, time.monotonic()
    for k in range(30):
        if k == 15:
            session.apply(messages.Reset(), 1)
        session.tick(now + 0.02 * k)
    session.apply(messages.Set(vectors=6), 1)
    session.tick(now + 0.7)
    session.apply(messages.Record(on=False), 1)
    recording = session.recording
    assert len(recording.times) > 20
    assert (np.diff(recording.times) > 0).all()
    assert {len(pose.coordinates[0]) for pose in recording.poses} == {12}


def test_frame_is_a_few_hundred_bytes():
    system = clamped_bar()
    geometry = pack_geometry(3, system)
    frame = pack_pose(geometry, 77, 1.5, system.pose())
    assert len(frame) == 24 + 4 * (12 + 12)
    assert frame_number(frame) == 77
    assert HEADER.unpack_from(frame)[:3] == (3, 77, 1.5)
