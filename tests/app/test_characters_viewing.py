"""Characters on the page: bones, proxies, spheres and boxes over them, led bones that a hand takes along, clips."""

import base64

import numpy as np
import pytest
from live_viewing import SMALL_WINDOW, Viewer, served

from pliant.app import messages
from pliant.app.character_overlays import bones_of
from pliant.app.inspecting import inspected
from pliant.app.leading import QUICKEST, Clock, Lead, Leading, Led
from pliant.app.session import Session
from pliant.app.showing import source_of
from pliant.app.stage import Stage
from pliant.errors import ArgumentError
from pliant.scenes import load_scene

DIGITS = 1e-4
EEL = """
system = "world"
duration = 4
dt = 0.01
gravity = [0, 0, 0]
damping = [1, 0.005]
[[part]]
name = "eel"
shape = { name = "bar", size = [2, 0.3, 0.3], cells = [8, 2, 2] }
material = { model = "linear", young = 1e6, density = 1000 }
proxy = 30
[part.bones]
ends = [[[0.1, 0, 0], [0.9, 0, 0]], [[1.1, 0, 0], [1.9, 0, 0]]]
names = ["head", "tail"]
modes = 12
kinds = { head = "kinematic" }
[[body]]
part = "eel"
[[drive]]
body = "eel"
bone = "head"
path = [{ time = 0, at = [0, 0, 0] }, { time = 2, at = [0, 0.4, 0] }]
"""


@pytest.fixture
def source(tmp_path):
    (tmp_path / "eel.toml").write_text(EEL)
    return source_of(load_scene(tmp_path / "eel.toml"))


def test_overlays_hold_what_they_are_of(source):
    world = source.build(None)
    world.step(20)
    [placed] = world.characters
    x = placed.vertices()[np.unique(placed.proxy.triangles)]
    for level in (0, 2, 12):
        report = inspected(world, frozenset({"spheres", "boxes", "bones", "nets"}), level)
        spheres, boxes = np.array(report.spheres), np.array(report.boxes)
        assert len(spheres) == len(boxes) == len(placed.spheres(level))
        far = np.linalg.norm(x[:, None] - spheres[:, :3], axis=2) - spheres[:, 3]
        assert far.min(axis=1).max() < DIGITS
        inside = ((x[:, None] > boxes[:, :3] - DIGITS) & (x[:, None] < boxes[:, 3:] + DIGITS)).all(axis=2)
        assert inside.any(axis=1).all()
    np.testing.assert_allclose(boxes[:, :3].min(axis=0), x.min(axis=0), atol=DIGITS)
    rows = bones_of(placed)
    assert rows[:, 6].tolist() == [2, 0]  # kinematic and soft
    joint = rows[0, :3] if placed.character.armature.parents[0] >= 0 else rows[1, :3]
    assert abs(joint[0] - 1) < 0.2  # where both bones meet
    ends = np.frombuffer(base64.b64decode(report.nets), "<f4").reshape(-1, 2, 3)
    assert len(ends) == len(placed.proxy.triangles) * 3 / 2  # Euler: a closed surface has 3/2 edges a triangle


def test_clocks_and_bones_go_no_faster_than_they_may():
    clock = Clock()
    assert clock.at(0.7) == 0.7
    clock.turn(2.0, 0.5)
    assert clock.at(0.6) == pytest.approx(0.5 + 0.1 * QUICKEST)
    assert clock.at(9.0) == 2.0
    clock.turn(None, 9.0)
    assert clock.at(9.3) == pytest.approx(2.3)
    led = Led(lambda time: (np.array([time, 0, 0]), np.eye(3)), clock, 1.5)
    led.take(np.array([0, 3.0, 0]), 9.0)
    np.testing.assert_allclose(led(10.0)[0], [3.0, 1.5, 0], atol=1e-12)
    np.testing.assert_allclose(led(20.0)[0], [13.0, 3.0, 0], atol=1e-12)


def test_a_hand_takes_a_led_bone_along_and_the_others_follow(source):
    stage = Stage("eel", source, source.build(None), 1)
    start = stage.system.vertices()
    vertex = int(np.unique(stage.system.triangles)[np.argmin(start[np.unique(stage.system.triangles), 0])])
    hand = stage.hand(vertex, start[vertex])
    assert isinstance(hand, Lead)
    hand.target[:] = start[vertex] + [0, 0, 0.5]
    stage.advance(100, [hand])
    hand.release()
    stage.advance(50)
    there = stage.system.vertices()[vertex]
    np.testing.assert_allclose(there - start[vertex], [0, 0.4 * 1.5 / 2, 0.5], atol=1e-9)  # its path goes on meanwhile
    assert stage.system.characters[0].gap() < 1e-6
    stage.reset()
    stage.advance(1)
    np.testing.assert_allclose(stage.system.vertices()[vertex], start[vertex] + [0, 0.002, 0], atol=1e-9)
    soft = int(np.argmax(start[:, 0]))
    assert not isinstance(stage.hand(soft, start[soft]), Lead)


def test_a_clip_turned_back_leads_bones_there_and_runs_on(source):
    session = Session({"eel": source}, lambda *_: None, lambda work: work())
    session.stage = stage = Stage("eel", source, source.build(None), session.new_number())
    session.playing = False
    session.apply(messages.Scrub(time=1.0), 1)
    stage.advance(100)
    head = stage.system.characters[0].bone("head")
    assert head.position[1] == pytest.approx(0.2)
    assert stage.leading.facts().held == 1.0
    session.apply(messages.Scrub(time=None), 1)
    stage.advance(50)
    assert head.position[1] == pytest.approx(0.3)
    state = stage.system.state()
    session.apply(messages.Scrub(time=0.0), 1)
    stage.advance(100)
    assert head.position[1] == pytest.approx(0.0)
    stage.system.restore(state)
    stage.leading.adopt()
    stage.advance(1)
    assert head.position[1] == pytest.approx(0.302)
    with pytest.raises(ArgumentError, match="no clip leads a bone"):
        Leading(source_of(load_scene("stack")).build(None)).scrub(1.0)


def test_a_person_sees_bones_drags_one_and_turns_the_clip(source, browser):
    with served({"eel": source}) as (live, address):
        context = browser.new_context(viewport=SMALL_WINDOW)
        viewer = Viewer(context.new_page(), live, address).open()
        viewer.catch_up()
        shown = lambda: viewer.page.evaluate("pliant.inspection()")  # noqa: E731
        for name in ("Bones", "Proxy", "Spheres", "Boxes"):
            viewer.press(name)
        # the last switch takes effect a message after the others: one look has to hold it all
        viewer.until(
            lambda: (seen := shown())["bones"] == 2 and seen["boxes"] == seen["spheres"] > 2 and seen["edges"] > 30
        )
        viewer.page.fill("#inspect-level", "0")
        viewer.until(lambda: shown()["spheres"] == 1)

        viewer.page.select_option("#colour", "weight")
        viewer.page.select_option("#bone", label="tail")
        viewer.until(lambda: viewer.page.evaluate("pliant.legend()")["field"] == "weight")
        viewer.until(lambda: viewer.page.evaluate("pliant.legend()")["top"] == 1)
        viewer.page.select_option("#colour", "")

        viewer.page.locator("#clip").evaluate(
            "(e) => { e.value = 1; e.dispatchEvent(new Event('input')); e.dispatchEvent(new Event('change')); }"
        )
        head = lambda: live.session.stage.system.characters[0].bone("head").position  # noqa: E731
        viewer.until(lambda: abs(head()[1] - 0.2) < 1e-6)
        assert viewer.page.inner_text("#clip-value") == "1 s"

        positions = np.array(viewer.page.evaluate("pliant.positions()")).reshape(-1, 3)
        x, y = viewer.page.evaluate(f"pliant.screenOf({int(np.argmin(positions @ [1, 0, -0.3]))})")
        viewer.page.mouse.move(x + 3, y)
        viewer.page.mouse.down()
        viewer.page.mouse.move(x + 3, y - 60, steps=6)
        viewer.until(lambda: head()[1] > 0.25)
        viewer.page.mouse.up()
        kept = head()[1]
        viewer.page.wait_for_timeout(200)
        assert head()[1] == pytest.approx(kept, abs=0.05)
        viewer.press("Let the clip run")
        viewer.until(lambda: head()[1] > kept + 0.1)
        context.close()
        assert not viewer.errors
