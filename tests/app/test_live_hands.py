"""Hands on the page: fingers are forgiven, fixed points have no spring, kept points are marked, forces are said."""

import re

import numpy as np
import pytest
from live_standins import SCENES, coupled_bar, tree_bar
from live_viewing import SMALL_WINDOW, Viewer, served

from pliant.app import messages
from pliant.app.packing import frame_number
from pliant.app.sources import SceneSource

BESIDE = np.array([6.0, -6.0])  # pixels from the pointer to the vertex it takes
STANDS = 0.2  # pixels
UNDER = 6.0  # pixels: as far as the vertex that was taken lies beside the pointer


def flying_bar(progress):
    return tree_bar(progress, fixed=False, gravity=(0, 0, 0))


@pytest.fixture(scope="module")
def shown():
    scenes = {"bar": SCENES["bar"], "flying": SceneSource(flying_bar), "seams": SceneSource(coupled_bar)}
    with served(scenes) as pair:
        yield pair


@pytest.fixture(scope="module")
def viewer(browser, shown):
    context = browser.new_context(viewport=SMALL_WINDOW, has_touch=True)
    made = Viewer(context.new_page(), *shown).open()
    made.touch = context.new_cdp_session(made.page)
    yield made
    context.close()
    assert not made.errors


def still(viewer, scene="bar"):
    before = viewer.session.stage
    viewer.live.submit(messages.SwitchScene(name=scene))
    viewer.live.wait(lambda s: s.stage is not before, timeout=120)
    viewer.live.submit(messages.Set(gravity=(0, 0, 0), alpha=10.0))
    viewer.live.submit(messages.Reset())
    viewer.catch_up()
    at_rest = frame_number(viewer.live.frame)
    viewer.until(lambda: viewer.state["frame"] > at_rest)
    viewer.page.wait_for_timeout(200)


def finger(viewer, kind, *places):
    points = [{"x": x, "y": y, "id": k} for k, (x, y) in enumerate(places)]
    viewer.touch.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})


def along(viewer, direction):
    """The vertex on the page that lies farthest in a direction, and where on the screen."""
    rest = np.array(viewer.page.evaluate("pliant.positions()")).reshape(-1, 3)
    vertex, seen = int(np.argmax(rest @ direction)), [np.full(2, np.inf)]

    def stands():
        """Whether it was there at the last look: a page that is slow may still move."""
        seen.append(np.array(viewer.page.evaluate(f"pliant.screenOf({vertex})")))
        viewer.page.wait_for_timeout(100)
        return np.abs(seen[-1] - seen[-2]).max() < STANDS

    viewer.until(stands)
    return vertex, seen[-1]


def hand(viewer):
    return viewer.page.evaluate("pliant.hand()")


def test_fixed_point_is_said_and_has_no_spring(viewer):
    still(viewer)
    _, (x, y) = along(viewer, [-1, -0.1, 0.1])
    viewer.page.mouse.move(x + 4, y - 4)
    viewer.page.mouse.down()
    viewer.page.mouse.move(x + 90, y - 90, steps=4)
    viewer.until(lambda: "fixed" in viewer.page.locator("#notices").inner_text())
    assert not hand(viewer)["spring"]
    assert not viewer.state["pulling"]
    viewer.page.mouse.up()


def test_force_is_said_in_newtons_while_pulling(viewer):
    still(viewer)
    _, (x, y) = along(viewer, [1, 0.1, 0.1])
    viewer.page.mouse.move(x - 5, y + 5)
    viewer.page.mouse.down()
    viewer.page.mouse.move(x - 20, y - 90, steps=4)
    grip = viewer.until(lambda: viewer.session.grips) or next(iter(viewer.session.grips.values()))
    viewer.until(lambda: np.linalg.norm(grip.steady_force) > 0)
    viewer.page.wait_for_timeout(600)
    said = viewer.page.locator("#force").inner_text()
    number, prefix = re.fullmatch(r"([\d.]+) (m?)N", said).groups()
    force = float(np.linalg.norm(grip.force))
    assert float(number) * (1e-3 if prefix else 1) == pytest.approx(force, rel=0.05)
    viewer.page.mouse.up()
    viewer.until(lambda: not viewer.page.locator("#force").is_visible())


def test_finger_beside_the_solid_takes_it_and_nothing_jumps(viewer):
    still(viewer)
    _, place = along(viewer, [1, 0.1, 0.1])
    rest = np.array(viewer.page.evaluate("pliant.positions()")).reshape(-1, 3)
    draw, taken = np.random.default_rng(3), 0
    for angle in draw.uniform(0, 2 * np.pi, 5):
        finger(viewer, "touchStart", place + 10 * np.array([np.cos(angle), np.sin(angle)]))
        viewer.until(lambda: viewer.session.grips or not viewer.state["pulling"])
        taken += bool(viewer.session.grips)
        if viewer.session.grips:
            grip = next(iter(viewer.session.grips.values()))
            assert (
                np.linalg.norm(grip.target - rest[viewer.page.evaluate(f"pliant.ids().indexOf({grip.vertex})")]) < 1e-3
            )
        finger(viewer, "touchEnd")
        viewer.until(lambda: not viewer.session.grips)
    assert taken == 5
    finger(viewer, "touchStart", place + np.array([40, -40]))
    viewer.page.wait_for_timeout(150)
    assert not viewer.session.grips, "this is beside it"
    finger(viewer, "touchEnd")


def test_long_press_keeps_the_point_which_is_marked_until_it_is_taken_again(viewer):
    still(viewer)
    vertex, (x, y) = along(viewer, [1, 0.1, 0.1])
    finger(viewer, "touchStart", (x - 5, y + 5))
    viewer.until(lambda: hand(viewer)["keeps"])
    finger(viewer, "touchMove", (x - 10, y - 40))
    viewer.page.wait_for_timeout(400)
    finger(viewer, "touchEnd")
    viewer.until(lambda: viewer.session.pins and not viewer.session.grips)
    viewer.until(lambda: len(viewer.page.evaluate("pliant.kept()")) == 1)
    mark = np.array(viewer.page.evaluate("pliant.kept()")[0])
    place = viewer.session.stage.system.vertices()[viewer.session.pins[0].vertex]
    assert np.linalg.norm(mark - place) < 0.02
    assert place[1] > 0.1
    finger(viewer, "touchStart", viewer.page.evaluate(f"pliant.screenOf({vertex})"))
    viewer.until(lambda: viewer.session.grips)
    finger(viewer, "touchEnd")
    viewer.until(lambda: not viewer.session.pins and not viewer.page.evaluate("pliant.kept()"))


def test_two_fingers_turn_an_interface(viewer):
    still(viewer, "seams")
    _, (x, y) = along(viewer, [1, 0.1, 0.1])
    first = (x - 20, y + 5)
    finger(viewer, "touchStart", first)
    viewer.until(lambda: viewer.session.grips)
    finger(viewer, "touchStart", first, (x - 20, y + 105))
    finger(viewer, "touchMove", first, (x + 51, y + 76))
    viewer.until(lambda: any(getattr(h, "rotation", None) is not None for h in viewer.session.grips.values()))
    (twist,) = viewer.session.grips.values()
    viewer.until(lambda: np.linalg.norm(twist.rotation) == pytest.approx(np.pi / 4, abs=0.05))
    finger(viewer, "touchEnd")
    viewer.until(lambda: not viewer.session.grips)


def test_hand_stays_under_the_pointer_while_the_camera_follows_what_flies(viewer):
    still(viewer, "flying")
    _, start = along(viewer, [1, 0.1, 0.1])
    viewer.page.mouse.move(*(start - BESIDE))
    viewer.page.mouse.down()
    pointer = np.array([70.0, 70.0])
    viewer.page.mouse.move(*pointer, steps=6)
    middle = viewer.session.stage.system.vertices().mean(axis=0)
    viewer.until(lambda: np.linalg.norm(viewer.session.stage.system.vertices().mean(axis=0) - middle) > 0.3)
    aside = hand(viewer)["screen"] - pointer
    np.testing.assert_allclose(aside, BESIDE, atol=UNDER)
    viewer.page.mouse.up()
    viewer.until(lambda: not viewer.session.grips)
