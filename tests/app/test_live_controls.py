"""Every control of the page does what it says: used as a person would, verified at the simulation or on the page."""

import time

import numpy as np
import pytest
from live_standins import SCENES
from live_viewing import SMALL_WINDOW, Viewer, served

from pliant.app import messages
from pliant.app.sources import SceneSource
from pliant.errors import Diverged


def breaking_bar(progress):
    """A bar that diverges when it is told to."""
    system = SCENES["bar"].build(progress)
    whole = system.step

    def step(count=1):
        if system.torn:
            raise Diverged("the step found no solution; use a smaller dt", system.time)
        whole(count)

    system.step, system.torn = step, False
    return system


def slow_bar(progress):
    """A bar that takes a while, and says so."""
    for k in range(20):
        progress("kneading", k / 20)
        time.sleep(0.08)
    return SCENES["bar"].build(progress)


@pytest.fixture(scope="module")
def panel(browser):
    scenes = {**SCENES, "broken": SceneSource(breaking_bar, "A bar that breaks"), "slow": SceneSource(slow_bar)}
    with served(scenes) as (live, address):
        context = browser.new_context(viewport=SMALL_WINDOW, accept_downloads=True)
        viewer = Viewer(context.new_page(), live, address).open()
        yield viewer
        context.close()
        assert not viewer.errors, f"the console says {viewer.errors}"


@pytest.fixture(autouse=True)
def running_bar(panel):
    before = panel.session.stage
    panel.live.submit(messages.SwitchScene(name="bar"))
    panel.live.wait(lambda session: session.stage is not before)
    panel.catch_up()
    panel.until(lambda: panel.state["status"]["playing"])


def slide(viewer, name, share):
    """Put a slider to a share of its range, as the mouse would."""
    viewer.page.get_by_label(name, exact=True).evaluate(
        "(input, share) => { input.value = +input.min + share * (input.max - input.min);"
        "input.dispatchEvent(new Event('input')); }",
        share,
    )


def settings(viewer):
    return viewer.session.stage.settings


def test_play_pause_step_and_reset(panel):
    panel.press("Pause")
    panel.until(lambda: not panel.session.playing)
    time = panel.session.stage.system.time
    panel.press("Step")
    panel.until(lambda: np.isclose(panel.session.stage.system.time, time + 1e-3))
    panel.press("Reset")
    panel.until(lambda: panel.session.stage.system.time == 0)
    panel.press("Play")
    panel.until(lambda: panel.session.stage.system.time > 0.05)


def test_keys_do_what_the_buttons_do(panel):
    panel.page.locator("#view").focus()
    panel.page.keyboard.press("Space")
    panel.until(lambda: not panel.session.playing)
    time = panel.session.stage.system.time
    panel.page.keyboard.press("s")
    panel.until(lambda: np.isclose(panel.session.stage.system.time, time + 1e-3))
    panel.page.keyboard.press("r")
    panel.until(lambda: panel.session.stage.system.time == 0)
    panel.page.keyboard.press("?")
    assert panel.page.locator("#shortcuts").is_visible()
    panel.page.keyboard.press("Escape")
    assert not panel.page.locator("#shortcuts").is_visible()


def test_solid_is_pulled_by_keyboard_alone(panel):
    panel.page.locator("#view").focus()
    panel.page.keyboard.press("f")
    panel.page.keyboard.press("g")
    panel.until(lambda: len(panel.session.grips) == 1)
    grip = next(iter(panel.session.grips.values()))
    before = grip.target.copy()
    for _ in range(3):
        panel.page.keyboard.press("ArrowUp")
    panel.until(lambda: grip.target[1] > before[1] + 0.05)
    panel.page.keyboard.press("Escape")
    panel.until(lambda: not panel.session.grips)


def test_sliders_change_the_simulation(panel):
    slide(panel, "Stiffness", 0.75)
    slide(panel, "Slow damping", 0.5)
    slide(panel, "Fast damping", 0.5)
    slide(panel, "Gravity", 0.25)
    slide(panel, "Vectors", 0.5)
    slide(panel, "Time step", 0.5)
    slide(panel, "Newton iterations", 1.0)
    panel.until(lambda: settings(panel).newton == 30)
    panel.until(lambda: settings(panel).dt == pytest.approx(np.sqrt(1e-4 * 0.02)))
    now, system = settings(panel), panel.session.stage.system
    assert now.stiffness == pytest.approx(10.0)
    assert (now.alpha, now.beta) == (pytest.approx(5.0), pytest.approx(0.025))
    assert system.gravity == pytest.approx([0, -10, 0])
    assert len(system.q) == now.vectors in (6, 7)
    assert (system.alpha, system.beta, system.dt, system.newton) == (now.alpha, now.beta, now.dt, 30)
    assert system.model.groups.young == pytest.approx([2e6])
    assert "of 12" in panel.page.locator(".slider[data-setting=vectors] output").inner_text()


def test_gravity_can_pull_elsewhere(panel):
    panel.page.get_by_label("Gravity pulls").select_option("right")
    panel.until(lambda: panel.session.stage.system.gravity[0] == pytest.approx(2.0))


def test_modes_swing_with_their_frequency_shown(panel):
    panel.press("Next mode")
    panel.until(lambda: panel.session.show is not None and panel.session.show[0] == 0)
    frequency = panel.session.stage.vibrations.frequencies[0]
    panel.until(lambda: f"{frequency:.3g} Hz" in panel.page.locator("#mode-note").inner_text())
    first, tip = panel.session.frame, np.array(panel.page.evaluate("pliant.positions()"))
    panel.until(lambda: panel.session.frame != first)
    panel.until(lambda: np.abs(np.array(panel.page.evaluate("pliant.positions()")) - tip).max() > 0.02)
    panel.page.get_by_label("Mode to show").select_option("2")
    panel.until(lambda: panel.session.show[0] == 2)
    panel.page.get_by_label("Mode to show").select_option("")
    panel.until(lambda: panel.session.show is None)


def test_scenes_are_switched(panel):
    panel.page.get_by_label("Scene", exact=True).select_option("wobble")
    panel.until(lambda: panel.session.stage.name == "wobble")
    panel.until(lambda: "warping" in panel.page.locator("#claim").inner_text())
    assert not panel.page.get_by_label("Stiffness").is_visible(), "a wobble has no stiffness to change"


def test_build_shows_how_far_it_is(panel):
    panel.page.get_by_label("Scene", exact=True).select_option("slow")
    panel.until(lambda: "kneading" in panel.page.locator("#progress").inner_text())
    panel.until(lambda: "kneading, 1 s" in panel.page.locator("#progress").inner_text())
    panel.until(lambda: panel.session.stage.name == "slow")
    panel.until(lambda: not panel.page.locator("#progress").is_visible())


def test_charts_show_what_is_measured(panel):
    panel.until(lambda: "real time" in panel.page.locator("#speed-value").inner_text())
    panel.until(lambda: " J" in panel.page.locator("#energy-value").inner_text())
    for name in ("speed", "energy", "coordinates"):
        drawn = (
            "canvas => new Uint32Array(canvas.getContext('2d')"
            ".getImageData(0, 0, canvas.width, canvas.height).data.buffer).some((pixel) => pixel !== 0)"
        )
        panel.until(lambda: panel.page.locator(f"#{name}-chart").evaluate(drawn))  # noqa: B023


def test_recording_is_downloaded_as_glb(panel):
    assert panel.page.get_by_role("button", name="Download .glb").is_disabled()
    panel.press("Record")
    panel.until(lambda: panel.session.recorder and panel.session.recorder.seconds > 0.2)
    panel.page.locator("#record").click()
    panel.until(lambda: panel.session.recording is not None)
    with panel.page.expect_download() as download:
        panel.press("Download .glb")
    assert download.value.path().read_bytes()[:4] == b"glTF"
    assert download.value.suggested_filename.endswith(".glb")


def test_screenshot_is_a_picture(panel):
    with panel.page.expect_download() as download:
        panel.press("Screenshot")
    assert download.value.path().read_bytes()[1:4] == b"PNG"


def test_sketch_becomes_a_basis_and_the_shape_stays(panel):
    """Damped, so that the shape at the end is one that the last pull holds and not one that it swings through."""
    panel.live.submit(messages.Set(alpha=20.0))
    panel.press("Start a sketch")
    panel.until(lambda: panel.session.sketchpad is not None)
    tip = int(np.argmax(panel.session.stage.rest[:, 0]))
    for target in ([1, 0.3, 0], [1, -0.3, 0.1], [0.9, 0, 0.3]):
        panel.live.submit(messages.Grab(vertex=tip, target=tuple(target)))
        count = len(panel.session.sketchpad.pulls) + 2
        panel.until(lambda: len(panel.session.sketchpad.pulls) >= count)  # noqa: B023
    panel.page.wait_for_timeout(1000)
    panel.live.submit(messages.Pause())
    panel.until(lambda: not panel.session.playing)
    shape, geometry = panel.session.stage.system.vertices(), panel.session.stage.geometry.number
    panel.page.locator("#sketch").click()
    panel.until(lambda: panel.session.stage.geometry.number != geometry)
    panel.catch_up()
    moved = np.linalg.norm(panel.session.stage.system.vertices() - shape) / np.linalg.norm(
        shape - panel.session.stage.rest
    )
    assert moved < 0.3, "the new basis holds the shape but for its weight, which nobody pulled"
    panel.until(lambda: "became a basis" in panel.page.locator("#notices").inner_text())


def test_divergence_is_said_and_reset_mends_it(panel):
    panel.page.get_by_label("Scene", exact=True).select_option("broken")
    panel.until(lambda: panel.session.stage.name == "broken")
    panel.session.stage.system.torn = True
    panel.until(lambda: panel.page.locator("#alert").is_visible())
    assert "found no solution" in panel.page.locator("#alert p").inner_text()
    assert not panel.session.playing
    panel.session.stage.system.torn = False
    panel.page.locator("#alert").get_by_role("button", name="Reset").click()
    panel.until(lambda: panel.session.diverged is None)
    panel.until(lambda: not panel.page.locator("#alert").is_visible())
    panel.press("Play")
    panel.until(lambda: panel.session.playing and panel.session.stage.system.time > 0)


def test_phone_shows_what_is_said_below_how_far_a_build_is(panel):
    panel.page.set_viewport_size({"width": 390, "height": 844})
    say = "progress({ stage: 'a better basis, static states, 17 s', fraction: 0.3 }); notice('The point stays.')"
    panel.page.evaluate(f"import('./notices.js').then(({{ progress, notice }}) => {{ {say} }})")
    said = panel.page.get_by_text("The point stays.")
    said.wait_for()
    above, below = panel.page.locator("#progress").bounding_box(), said.bounding_box()
    panel.page.evaluate("import('./notices.js').then(({ progress }) => progress({ stage: '', fraction: 1 }))")
    panel.page.set_viewport_size(SMALL_WINDOW)
    assert above["y"] + above["height"] < below["y"]


def test_phone_has_a_sheet_that_opens(panel):
    panel.page.set_viewport_size({"width": 390, "height": 844})
    assert not panel.page.get_by_label("Stiffness").is_visible()
    assert panel.page.get_by_role("button", name="Pause").is_visible()
    panel.page.get_by_role("button", name="Show all controls").click()
    assert panel.page.get_by_label("Stiffness").is_visible()
    panel.page.get_by_role("button", name="Show all controls").click()
    panel.page.set_viewport_size(SMALL_WINDOW)
