"""Keyframes on the page: poses are kept during pulls, given times, passed by a motion that is found, and saved."""

import tomllib

import numpy as np
import pytest
from live_standins import clamped_bar, full_bar
from live_viewing import SMALL_WINDOW, Viewer, served

from pliant.app import messages
from pliant.app.keyframing import finder, with_keyframes
from pliant.app.session import Session
from pliant.app.showing import source_of
from pliant.app.sources import SceneSource
from pliant.app.stage import Stage
from pliant.scenes import load_scene
from pliant.systems import Clamped

SCENE = """
dt = 0.01
damping = [0.5, 0.005]
gravity = [0, -2, 0]

[[part]]
shape = { name = "bar", size = [1, 0.12, 0.12], cells = [10, 2, 2] }
fixed = "x < 0.001"
material = { model = "stvk", young = 2e5, poisson = 0.3, density = 1000 }
basis = { kind = "modal", modes = 4, size = 8 }
"""


@pytest.fixture(scope="module")
def source(tmp_path_factory):
    path = tmp_path_factory.mktemp("keyframing") / "bar.toml"
    path.write_text(SCENE)
    return source_of(load_scene(path))


@pytest.fixture
def staged(source):
    """A session that shows the bar, without threads."""
    told = []
    session = Session({"bar": source}, lambda report, _: told.append(report), lambda work: work())
    session.stage = Stage("bar", source, source.build(lambda *_: None), session.new_number())
    session.told = told
    return session


def bend(session, *forces):
    """Keep a pose for each, as a hand holds it that pulls the tip up with so much [N]."""
    model = session.stage.system.model
    held = Clamped(model, 0.01, gravity=None, integrator="static")
    for force in forces:
        held.release()
        held.push(model.mesh.select("x > 0.999"), (0, force / 9, 0))
        held.step()
        session.stage.system.q[:] = held.q
        session.apply(messages.KeepPose(), 1)


def test_poses_are_kept_timed_and_removed(staged):
    bend(staged, 2.0, -2.0, 1.0)
    assert staged.status.can_keyframe
    assert staged.status.keyframes == (1.0, 2.0, 3.0)
    staged.apply(messages.TimeKeyframe(number=2, time=0.5), 1)
    assert staged.status.keyframes == (0.5, 1.0, 2.0)
    up = [float(frame.q[0]) for frame in staged.keyframing.frames]
    assert abs(up[0]) < abs(up[1])
    assert up[0] * up[1] > 0 > up[1] * up[2]
    staged.apply(messages.TimeKeyframe(number=0, time=1.0), 1)
    assert "another keyframe is at 1 s already" in staged.told[-2].sentence
    staged.apply(messages.DropKeyframe(number=0), 1)
    assert staged.status.keyframes == (1.0, 2.0)


def test_what_has_no_keyframes_says_so(staged):
    staged.apply(messages.FindMotion(), 1)
    assert "no keyframe is kept; pull the solid into a pose" in staged.told[-2].sentence
    source = SceneSource(full_bar)
    staged.stage = Stage("full", source, full_bar(), staged.new_number())
    staged.apply(messages.KeepPose(), 1)
    assert "keyframes are for one clamped part, or a soft body of a world" in staged.told[-2].sentence
    assert not staged.status.can_keyframe


def test_another_scene_begins_without_keyframes(staged):
    bend(staged, 2.0)
    staged._open(Stage("bar", SceneSource(clamped_bar), clamped_bar(), staged.new_number()))
    assert staged.keyframing.frames == ()


def test_the_motion_that_was_found_is_the_one_that_plays(staged):
    bend(staged, 2.0, -2.0)
    told, stage = [], staged.stage
    before = stage.system.state()
    found = finder(stage, staged.keyframing.frames)(lambda *news: told.append(news))
    assert all(np.array_equal(stage.system.state()[name], value) for name, value in before.items())  # it was a copy
    assert told[0][0] == "finding the motion"
    assert found.missed < 0.01
    staged.start_over()
    stage.lead(found)
    mass, missed = stage.system.model.mass, []
    for frame in found.frames:
        staged.advance(round((frame.time - stage.system.time) / stage.system.dt))
        off = stage.system.q - frame.q
        missed.append(np.sqrt(off @ mass @ off / stage.system.model.inertia.mass))
    np.testing.assert_allclose(max(missed), found.missed, rtol=1e-6)


WORLD = """
system = "world"
dt = 0.01
damping = [1.0, 0.005]

[[part]]
shape = { name = "bar", size = [0.6, 0.3, 0.3], cells = [4, 2, 2] }
material = { model = "stvk", young = 3e5, poisson = 0.3, density = 1000 }
basis = { kind = "modes", size = 6 }

[[body]]
part = "part"
at = [0, 0.15, 0]

[[ground]]
"""


def test_a_soft_body_of_a_world_hops_through_kept_poses(tmp_path):
    (tmp_path / "block.toml").write_text(WORLD)
    source = source_of(load_scene(tmp_path / "block.toml"))
    session = Session({"block": source}, lambda *_: None, lambda work: work())
    stage = session.stage = Stage("block", source, source.build(lambda *_: None), session.new_number())
    body = stage.system.bodies[0]
    for place in ((0.2, 0.35, 0), (0.4, 0.15, 0)):
        body.position = np.array(place)
        session.apply(messages.KeepPose(), 1)
    found = finder(stage, session.keyframing.frames)(lambda *_: None)
    assert found.missed < 0.03
    session.start_over()
    stage.lead(found)
    session.advance(200)
    assert abs(body.position[0] - 0.4) < 0.05
    document = with_keyframes({"duration": 1.0}, found, stage.system)
    assert document["duration"] == 2.0
    assert document["control"]["body"] == body.name
    np.testing.assert_allclose(document["keyframe"][0]["at"], (0.2, 0.35, 0))


@pytest.fixture(scope="module")
def page(browser, source):
    with served({"bar": source}) as (live, address):
        context = browser.new_context(viewport={**SMALL_WINDOW, "height": 900}, accept_downloads=True)
        context.add_init_script("localStorage.setItem('pliant-dragged', 'yes')")
        viewer = Viewer(context.new_page(), live, address).open()
        yield viewer
        context.close()
        assert not viewer.errors, f"the console says {viewer.errors}"


def near_the_tip(page):
    """A pixel on the drawn bar, at 0.9 of its length."""
    positions = np.reshape(page.page.evaluate("pliant.positions()"), (-1, 3))
    rest = page.session.stage.rest
    chosen = np.flatnonzero((np.abs(rest[:, 0] - 0.9) < 0.01) & (rest[:, 2] > 0.05))
    ids = np.array(page.page.evaluate("pliant.ids()"))
    seen = [page.page.evaluate("(vertex) => pliant.screenOf(vertex)", int(np.flatnonzero(ids == v)[0])) for v in chosen]
    assert len(positions) == len(ids)
    return np.mean(seen, axis=0)


def test_a_person_keeps_poses_finds_the_motion_and_saves_it(page, tmp_path):
    session = page.session
    for number, up in enumerate((60, -60)):
        page.page.keyboard.press(" ")  # held, so that it stays under the pointer
        page.settle()
        x, y = near_the_tip(page)
        page.page.mouse.move(x, y)
        page.page.mouse.down()
        page.until(lambda: page.state["pulling"])
        page.page.keyboard.press(" ")
        page.until(lambda: session.playing)
        page.page.mouse.move(x, y - up, steps=8)
        page.page.wait_for_timeout(700)
        page.page.keyboard.press("k")  # while the hand holds it
        page.until(lambda wanted=number + 1: len(page.state["status"]["keyframes"]) == wanted)
        page.page.mouse.up()
    poses = [np.asarray(frame.q) for frame in session.keyframing.frames]
    assert np.abs(poses[0] - poses[1]).max() > 0.05, "they differ"
    time = page.page.get_by_label("Time of keyframe 2 in seconds")
    time.fill("1.6")
    time.press("Enter")
    page.until(lambda: page.state["status"]["keyframes"] == [1, 1.6])
    page.press("Find motion")
    page.until(lambda: page.state["status"]["missed"] is not None, timeout=120)
    page.until(lambda: page.state["time"] > 1.7, timeout=60)
    page.page.locator("#motion-find").scroll_into_view_if_needed()
    assert session.keyframing.missed < 0.01
    assert "within" in page.page.inner_text("#keyframes-note")
    with page.page.expect_download() as download:
        page.press("Save scene")
    path = tmp_path / "kept.toml"
    download.value.save_as(path)
    document = tomllib.loads(path.read_text())
    assert [table["time"] for table in document["keyframe"]] == [1, 1.6]
    np.testing.assert_allclose(document["keyframe"][1]["q"], poses[1])
    kept = load_scene(path)
    track = kept.watch(kept.build())
    assert len(track.missed) == 2
    assert max(track.missed) < 0.01
