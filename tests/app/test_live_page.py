"""The page in a browser: it loads quietly, shows what the server has, can be pulled, and says when it is alone."""

import io
import threading
from urllib.parse import urlsplit

import numpy as np
import pytest
from live_standins import SCENES
from live_viewing import SMALL_WINDOW, Viewer, running
from PIL import Image

from pliant.app import messages
from pliant.app.live import Live
from pliant.app.server import Server
from pliant.app.sources import SceneSource

FLOAT32 = 2e-6  # positions of about a metre, sums of a dozen float32 products
COMPILING = 180.0  # [s] that the first build of a kind of system may take
SAME_PICTURE = 0.002  # share of pixels that may differ: edges of triangles, rounded differently


def positions(viewer):
    return np.array(viewer.page.evaluate("pliant.positions()")).reshape(-1, 3)


def picture(viewer):
    """The picture without panel and notices."""
    clip = {"x": 0, "y": 0, "width": 560, "height": 560}
    return np.asarray(Image.open(io.BytesIO(viewer.page.screenshot(clip=clip))).convert("RGB"), dtype=int)


def differs(a, b, by=12):
    """Share of pixels that differ visibly."""
    return float((np.abs(a - b).max(axis=2) > by).mean())


def switch(viewer, scene):
    before = viewer.session.stage
    viewer.live.submit(messages.SwitchScene(name=scene))
    viewer.live.wait(lambda s: s.stage is not before, timeout=COMPILING)


def hold(viewer, scene, time):
    """Switch to a scene, let it run for a while, hold it, and wait for the page."""
    switch(viewer, scene)
    viewer.live.wait(lambda s: s.stage.system.time > time)
    viewer.live.submit(messages.Pause())
    viewer.settle()
    viewer.catch_up()
    viewer.settle()


def still(viewer, scene):
    """Switch to a scene and let it rest, weightless."""
    switch(viewer, scene)
    viewer.live.submit(messages.Set(gravity=(0, 0, 0)))
    viewer.live.submit(messages.Reset())
    viewer.catch_up()
    viewer.page.wait_for_timeout(300)


def test_page_loads_and_moves_without_errors(viewer):
    viewer.open()
    assert viewer.page.title() == "pliant"
    before = viewer.state["frame"]
    viewer.until(lambda: viewer.state["frame"] > before)
    assert viewer.state["draw"] == "cpu", "a software driver should be drawn for by JavaScript"


@pytest.mark.parametrize("draw", ["cpu", "gpu"])
def test_page_positions_equal_the_system(viewer, draw):
    viewer.open(f"?draw={draw}")
    for scene in SCENES:
        hold(viewer, scene, 0.3)
        system = viewer.session.stage.system
        assert viewer.state["draw"] == ("cpu" if scene == "full" else draw)
        ids = np.array(viewer.page.evaluate("pliant.ids()"))
        np.testing.assert_allclose(positions(viewer), system.vertices()[ids], atol=FLOAT32)
        np.testing.assert_array_equal(ids, np.unique(system.triangles))


@pytest.mark.parametrize("scene", ["wobble", "crowd"])
def test_gpu_and_javascript_draw_the_same_picture(viewer, scene):
    """Shapes, normals and, of the crowd, colours."""
    viewer.open("?draw=gpu")
    hold(viewer, scene, 0.5)
    first = picture(viewer)
    viewer.open("?draw=cpu")
    viewer.settle()
    second = picture(viewer)
    assert differs(first, np.full_like(first, first[0, 0])) > 0.02, "nothing was drawn"
    assert differs(first, second) < SAME_PICTURE


def test_dragging_bends_the_solid_and_letting_go_returns_it(viewer):
    viewer.open()
    switch(viewer, "bar")
    stiffer = 25.0
    critical = 4 * np.pi * np.sqrt(stiffer) * viewer.session.stage.vibrations.frequencies[0]
    viewer.live.submit(messages.Set(stiffness=stiffer, alpha=critical, gravity=(0, 0, 0)))
    viewer.live.submit(messages.Reset())
    viewer.catch_up()
    viewer.page.wait_for_timeout(500)
    still = picture(viewer)
    rest = positions(viewer)
    tip = int(np.argmax(rest @ [1, 0.1, 0.1]))
    x, y = viewer.page.evaluate(f"pliant.screenOf({tip})")
    viewer.page.mouse.move(x - 4, y + 4)
    viewer.page.mouse.down()
    viewer.page.mouse.move(x - 30, y - 120, steps=4)
    viewer.until(lambda: viewer.session.grips and positions(viewer)[tip, 1] > rest[tip, 1] + 0.1)
    assert viewer.state["pulling"]
    assert differs(still, picture(viewer)) > 0.01
    viewer.page.mouse.up()
    viewer.until(lambda: not viewer.session.grips)
    viewer.until(lambda: np.abs(positions(viewer) - rest).max() < 2e-3)
    viewer.page.wait_for_timeout(300)
    assert differs(still, picture(viewer)) < 0.01


def test_a_press_beside_a_vertex_holds_it_where_it_is(viewer):
    """The hand keeps its distance from the vertex that it took, so that taking it moves nothing."""
    viewer.open()
    still(viewer, "bar")
    rest = positions(viewer)
    tip = int(np.argmax(rest @ [1, 0.1, 0.1]))
    x, y = viewer.page.evaluate(f"pliant.screenOf({tip})")
    viewer.page.mouse.move(x - 6, y + 6)
    viewer.page.mouse.down()
    viewer.until(lambda: viewer.session.grips)
    grip = next(iter(viewer.session.grips.values()))
    viewer.page.wait_for_timeout(400)
    np.testing.assert_allclose(grip.target, rest[tip], atol=FLOAT32)
    np.testing.assert_allclose(positions(viewer), rest, atol=1e-4)
    viewer.page.mouse.move(x - 6, y - 24, steps=3)
    moved = [x, y - 30]
    viewer.until(lambda: np.allclose(viewer.page.evaluate(f"pliant.screenOf({tip})"), moved, atol=1))
    viewer.page.mouse.up()


@pytest.mark.parametrize("draw", ["cpu", "gpu"])
def test_a_held_vertex_stays_in_the_hand_while_its_part_gets_new_columns(viewer, draw):
    viewer.open(f"?draw={draw}")
    still(viewer, "seams")
    first = viewer.session.stage.geometry.number
    rest = positions(viewer)
    tip = int(np.argmax(rest @ [1, 0.1, 0.1]))
    x, y = viewer.page.evaluate(f"pliant.screenOf({tip})")
    viewer.page.mouse.move(x - 4, y + 4)
    viewer.page.mouse.down()
    viewer.page.mouse.move(x - 30, y - 100, steps=4)
    viewer.until(lambda: positions(viewer)[tip, 1] > rest[tip, 1] + 0.1)
    assert viewer.session.stage.geometry.number > first
    assert viewer.state["pulling"]
    viewer.page.keyboard.down("Shift")
    viewer.page.mouse.up()
    viewer.page.keyboard.up("Shift")
    viewer.until(lambda: viewer.session.pins and not viewer.session.grips)
    viewer.live.submit(messages.Pause())
    viewer.settle()
    viewer.catch_up()
    ids = np.array(viewer.page.evaluate("pliant.ids()"))
    np.testing.assert_allclose(positions(viewer), viewer.session.stage.system.vertices()[ids], atol=FLOAT32)
    viewer.press("Let go of it")
    viewer.until(lambda: not viewer.session.pins)


def test_right_button_turns_the_interface_next_to_the_pointer(viewer):
    viewer.open()
    still(viewer, "seams")
    tip = int(np.argmax(positions(viewer) @ [1, 0.1, 0.1]))
    x, y = viewer.page.evaluate(f"pliant.screenOf({tip})")
    viewer.page.mouse.move(x - 40, y + 10)
    viewer.page.mouse.down(button="right")
    viewer.page.mouse.move(x + 10, y + 40, steps=3)
    viewer.until(lambda: any(np.linalg.norm(h.rotation) > 0.4 for h in viewer.session.grips.values()))
    viewer.page.mouse.up(button="right")
    viewer.until(lambda: not viewer.session.grips)


def test_finger_pulls_too(browser, session_server):
    live, address = session_server
    context = browser.new_context(viewport={"width": 390, "height": 700}, has_touch=True)
    viewer = Viewer(context.new_page(), live, address).open()
    hold(viewer, "bar", 0.1)  # a slow page would else show it where it is no more
    x, y = viewer.page.evaluate("pliant.screenOf(pliant.ids().length >> 1)")
    touch = context.new_cdp_session(viewer.page)
    touch.send("Input.dispatchTouchEvent", {"type": "touchStart", "touchPoints": [{"x": x, "y": y}]})
    viewer.until(lambda: viewer.session.grips)
    viewer.live.submit(messages.Play())
    touch.send("Input.dispatchTouchEvent", {"type": "touchMove", "touchPoints": [{"x": x, "y": y - 50}]})
    grip = next(iter(viewer.session.grips.values()))
    viewer.until(lambda: grip.target[1] > 0.05)
    touch.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    viewer.until(lambda: not viewer.session.grips)
    context.close()
    assert not viewer.errors


def test_dragging_beside_the_solid_turns_the_view(viewer):
    viewer.open()
    viewer.live.submit(messages.Pause())
    viewer.settle()
    before = picture(viewer)
    viewer.page.mouse.move(60, 60)
    viewer.page.mouse.down()
    viewer.page.mouse.move(200, 120, steps=3)
    viewer.page.mouse.up()
    viewer.page.wait_for_timeout(400)
    assert not viewer.session.grips
    assert differs(before, picture(viewer)) > 0.01


def test_page_opens_at_once_and_shows_the_steps_of_the_first_build(browser):
    ready = threading.Event()

    def waiting(progress):
        progress("kneading", 0.5)
        ready.wait(COMPILING)
        return SCENES["bar"].build(progress)

    with Live({"bar": SceneSource(waiting)}) as live, running(Server(live)) as server:
        page = browser.new_context(viewport=SMALL_WINDOW).new_page()
        viewer = Viewer(page, live, server.address)
        page.goto(server.address)
        viewer.until(lambda: "kneading" in page.locator("#progress").inner_text())
        assert live.session.stage is None
        ready.set()
        viewer.until(lambda: viewer.state["ready"] and viewer.state["drawn"] > 1)
        assert not page.locator("#progress").is_visible()
        page.context.close()
        assert not viewer.errors


def test_lost_connection_is_said_and_mended(browser):
    with Live({"bar": SCENES["bar"]}) as live:
        live.wait(lambda session: session.stage is not None, timeout=60)
        with running(Server(live)) as first:
            page = browser.new_context(viewport=SMALL_WINDOW).new_page()
            viewer = Viewer(page, live, first.address).open()
        viewer.until(lambda: "connection to pliant is lost" in page.locator("#alert").inner_text())
        port, token = urlsplit(first.address).port, urlsplit(first.address).path.strip("/")
        with running(Server(live, port=port, token=token)):
            viewer.until(lambda: viewer.state["connected"])
            assert not page.locator("#alert").is_visible()
        viewer.until(lambda: "pliant has ended" in page.locator("#alert").inner_text())
        assert "pliant demo" in page.locator("#alert").inner_text(), "how to open it again"
        page.context.close()
