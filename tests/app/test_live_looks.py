"""Looking closer: slow motion, colours with a legend, views, probes, states to go back to, words one can read."""

import re
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from live_standins import SCENES
from live_viewing import SMALL_WINDOW, Viewer, served
from PIL import Image
from test_live_session import make_session, sentences, tip_of

import pliant as pl
from pliant.app import messages
from pliant.app.network import network_address
from pliant.app.server import WEB
from pliant.export.stress import von_mises_stress

READABLE = 4.5  # WCAG 2.2, 1.4.3
THUMBNAIL = (320, 228)  # pixels
PAGE = Path(__file__).parents[2] / "docs" / "gallery.md"
LANDSCAPE, PORTRAIT = {"width": 844, "height": 390}, {"width": 390, "height": 844}


@pytest.fixture(scope="module")
def page(browser):
    pictured = replace(SCENES["bar"], thumbnail=pl.load_scene("bar").thumbnail)
    with served({"bar": pictured, "wobble": SCENES["wobble"]}) as (live, address):
        context = browser.new_context(viewport=SMALL_WINDOW, accept_downloads=True)
        context.add_init_script("localStorage.setItem('pliant-dragged', 'yes')")
        viewer = Viewer(context.new_page(), live, address).open()
        yield viewer
        context.close()
        assert not viewer.errors, f"the console says {viewer.errors}"


@pytest.fixture(autouse=True)
def fresh(page):
    for command in (messages.Pause(), messages.Defaults(), messages.Reset()):
        page.live.submit(command)
    page.live.wait(lambda s: not s.playing and s.stage.system.time == 0 and s.speed == 1)
    page.live.submit(messages.Play())
    page.live.wait(lambda s: s.playing)


def tip_on(page):
    rest = np.array(page.page.evaluate("pliant.positions()")).reshape(-1, 3)
    vertex = int(np.argmax(rest @ [1, 0.1, 0.1]))
    return vertex, page.page.evaluate(f"pliant.screenOf({vertex})")


def hold_still(page):
    page.live.submit(messages.Reset())
    page.live.submit(messages.Pause())
    page.settle()


def picture(page):
    """Without the panel, whose buttons light up."""
    return page.page.screenshot(clip={"x": 0, "y": 0, "width": 560, "height": 560})


# Time and states


@pytest.mark.parametrize(("said", "speed"), [("1/4", 0.25), ("1/2", 0.5), ("2", 2.0)])
def test_time_runs_as_fast_as_it_is_asked_for(page, said, speed):
    page.page.get_by_label("Speed", exact=True).select_option(said)
    page.live.wait(lambda s: s.speed == speed)
    before, begun = page.session.stage.system.time, time.monotonic()
    page.page.wait_for_timeout(600)
    ran, taken = page.session.stage.system.time - before, time.monotonic() - begun
    assert ran == pytest.approx(speed * taken, abs=0.1 * speed)


def test_slow_motion_slows_time(page):
    page.page.get_by_label("Speed", exact=True).select_option("1/8")
    page.live.wait(lambda s: s.speed == 0.125)
    before = page.session.stage.system.time
    page.page.wait_for_timeout(1000)
    assert page.session.stage.system.time - before == pytest.approx(0.125, abs=0.03)


def test_defaults_bring_all_settings_back(page):
    before = page.session.stage.settings
    assert not page.page.get_by_role("button", name="Defaults").is_visible()
    page.live.submit(messages.Set(stiffness=3.0, vectors=5, dt=2e-3, alpha=1.0, gravity=(0, 0, 0)))
    page.page.get_by_role("button", name="Defaults").click()
    page.until(lambda: page.session.stage.settings == before)
    page.until(lambda: not page.page.get_by_role("button", name="Defaults").is_visible())


def test_undo_goes_back_to_before_the_pull():
    session = make_session()
    session.advance(100)
    before = session.stage.system.state()
    session.apply(messages.Grab(vertex=tip_of(session), target=(1.0, 0.4, 0.0)), 1)
    session.advance(300)
    session.apply(messages.Release(), 1)
    session.apply(messages.Undo(), 1)
    after = session.stage.system.state()
    assert all(np.array_equal(after[name], before[name]) for name in before)
    session.apply(messages.Undo(), 1)
    assert "nothing to undo" in sentences(session)[-1]


def test_saved_states_are_gone_back_to_with_other_settings_too(page):
    page.live.wait(lambda s: s.stage.system.time > 0.3)
    page.live.submit(messages.Pause())
    page.settle()
    page.page.locator("#view").focus()
    page.press("Save state")
    page.until(lambda: page.page.locator("#saved button").count() == 1)
    shape, at = page.session.stage.system.vertices(), page.session.stage.system.time
    page.press("Reset")
    page.until(lambda: page.session.stage.system.time == 0)
    page.live.submit(messages.Set(stiffness=2.0))
    page.page.locator("#saved button").click()
    page.until(lambda: page.session.stage.system.time == at)
    np.testing.assert_allclose(page.session.stage.system.vertices(), shape, atol=1e-12)
    page.press("Undo")
    page.until(lambda: page.session.stage.system.time == 0)


# Looking


def test_colours_by_displacement_have_a_legend_that_holds_the_largest(page):
    page.live.wait(lambda s: s.stage.system.time > 0.2)
    page.live.submit(messages.Pause())
    page.settle()
    plain = picture(page)
    page.page.get_by_label("Colours").select_option("by displacement")
    page.until(lambda: page.page.evaluate("pliant.legend().top") > 0)
    system = page.session.stage.system
    most = np.linalg.norm(system.vertices() - page.session.stage.rest, axis=1).max()
    top = page.page.evaluate("pliant.legend().top")
    assert most <= top <= 2.5 * most
    assert re.fullmatch(r"[125]0{0,2} m?m", page.page.locator("#legend output").last.inner_text())
    page.page.wait_for_timeout(100)
    assert picture(page) != plain
    page.page.get_by_label("Colours").select_option("of the scene")
    page.page.wait_for_timeout(100)
    assert not page.page.locator("#legend").is_visible()
    assert picture(page) == plain


def test_colours_by_part_need_no_legend_and_are_laid_on_once(page):
    page.live.submit(messages.Pause())
    page.settle()
    plain = picture(page)
    page.page.get_by_label("Colours").select_option("by part or bone")
    page.page.wait_for_timeout(200)
    assert picture(page) != plain
    assert not page.page.locator("#legend").is_visible()
    page.page.get_by_label("Colours").select_option("of the scene")
    page.page.wait_for_timeout(200)
    assert picture(page) == plain


def test_stress_is_told_by_the_server_and_is_that_of_the_cells(page):
    page.page.get_by_label("Colours").select_option("by stress")
    page.live.wait(lambda s: s.stage.system.time > 0.3)
    page.live.submit(messages.Pause())
    page.settle()
    system = page.session.stage.system
    in_cells = von_mises_stress(system.mesh, system.solid.material, system.vertices() - system.mesh.vertices)
    around = [in_cells[(system.mesh.cells == v).any(axis=1)].mean() for v in np.unique(system.triangles)]
    page.until(lambda: page.page.evaluate("pliant.legend().values") is not None)
    page.page.wait_for_timeout(300)
    told = np.array(page.page.evaluate("pliant.legend().values"))
    np.testing.assert_allclose(told, np.minimum(around, np.quantile(around, 0.995)), atol=max(around) / 255)
    assert "Pa" in page.page.locator("#legend").inner_text()
    page.page.get_by_label("Colours").select_option("of the scene")
    page.live.wait(lambda s: not s.stresses.clients)


def test_strain_of_a_stretched_triangle_is_its_stretch(page):
    """A triangle that is 1.3 times as long in one direction, 0.9 times in the other, and turned."""
    X = np.array([[0.0, 0, 0], [1, 0, 0], [0.3, 1, 0]])
    turn = np.linalg.qr(np.random.default_rng(1).standard_normal((3, 3)))[0]
    for stretch, wanted in (((1.3, 0.9), 0.3), ((1.0, 0.6), 0.4), ((1.0, 1.0), 0.0)):
        x = X * [*stretch, 1] @ turn.T
        metrics = [
            [float(e @ f) for e, f in ((u, u), (u, v), (v, v))] for u, v in ((y[1] - y[0], y[2] - y[0]) for y in (X, x))
        ]
        got = page.page.evaluate("async ([A, a]) => (await import('./field.js')).triangleStrain(A, a)", metrics)
        assert got == pytest.approx(wanted, abs=1e-7)


def test_wires_and_views_change_the_picture_and_the_scene_comes_back(page):
    hold_still(page)
    page.press("Scene")
    page.page.wait_for_timeout(150)
    first = picture(page)
    seen = {first}
    for name in ("Front", "Side", "Top", "Wires"):
        page.press(name)
        page.page.wait_for_timeout(150)
        seen.add(picture(page))
    assert len(seen) == 5
    page.press("Wires")
    page.press("Scene")
    page.page.wait_for_timeout(150)
    assert picture(page) == first


# Probes


def test_probe_charts_a_vertex_and_its_table_is_true(page):
    """A falling tip: displacement from where the system has the vertex, speed from differences of it."""
    hold_still(page)
    page.press("Probe")
    _, (x, y) = tip_on(page)
    page.page.mouse.click(x - 4, y + 4)
    page.until(lambda: page.page.evaluate("pliant.probes().count") == 1)
    assert not page.session.grips, "a probe is put, nothing is pulled"
    page.live.submit(messages.Play())
    page.until(lambda: len(page.page.evaluate("pliant.probes().rows")) > 20)
    page.live.submit(messages.Pause())
    page.settle()
    with page.page.expect_download() as download:
        page.press("Save .csv")
    head, *lines = download.value.path().read_text().splitlines()
    number = int(re.search(r"vertex (\d+) x \[m\]", head).group(1))
    rows = np.array([[float(value) for value in line.split(",")] for line in lines])
    where, rest = page.session.stage.system.vertices()[number], page.session.stage.rest[number]
    np.testing.assert_allclose(rows[-1, 1:4], where, atol=1e-5)
    assert rows[-1, 4] == pytest.approx(np.linalg.norm(where - rest), abs=1e-5)
    steps = np.diff(rows[:, 0])
    assert (steps > 0).all()
    np.testing.assert_allclose(rows[1:, 5], np.linalg.norm(np.diff(rows[:, 1:4], axis=0), axis=1) / steps, atol=1e-6)
    assert (rows[:, 6] == 0).all(), "nothing pulls it yet"
    lifted = np.array([0, 0.05, 0])
    page.live.submit(messages.Grab(vertex=number, target=tuple(where + lifted)), client=9)
    page.live.submit(messages.Play())
    page.live.wait(lambda s: 9 in s.grips and s.stage.system.time > rows[-1, 0] + 0.3)
    page.live.submit(messages.Pause())
    page.settle()
    force = np.linalg.norm(page.session.grips[9].force)
    page.until(lambda: page.page.evaluate("pliant.probes().forces") == [pytest.approx(force)])
    assert max(row[6] for row in page.page.evaluate("pliant.probes().rows")) > 0.1 * force > 0
    page.live.leave(9)
    page.press("Remove probes")
    assert page.page.evaluate("pliant.probes().count") == 0


# Words


def test_hint_says_drag_me_until_the_first_drag(browser, page):
    context = browser.new_context(viewport=SMALL_WINDOW)
    viewer = Viewer(context.new_page(), page.live, page.address).open()
    viewer.until(lambda: viewer.page.locator("#hint").is_visible())
    hold_still(viewer)
    hint, panel = (viewer.page.locator(name).bounding_box() for name in ("#hint", "#panel"))
    assert hint["x"] + hint["width"] < panel["x"], "the panel does not cover it"
    _, (x, y) = tip_on(viewer)
    viewer.page.mouse.move(x - 6, y + 6)
    viewer.page.mouse.down()
    viewer.page.mouse.move(x - 30, y - 20, steps=3)
    viewer.until(lambda: not viewer.page.locator("#hint").is_visible())
    viewer.page.mouse.up()
    viewer.open("?gallery")
    assert viewer.page.locator("#gallery").is_visible(), "the address asks for it"
    viewer.page.keyboard.press("Escape")
    viewer.page.wait_for_timeout(200)
    assert not viewer.page.locator("#hint").is_visible()
    context.close()


def test_words_that_need_it_are_explained(page):
    for setting in ("stiffness", "alpha", "beta", "vectors", "dt", "newton"):
        assert len(page.page.locator(f".slider[data-setting={setting}]").get_attribute("title").split()) > 6


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (0, "0 N"),
        (1234.5, "1.23 kN"),
        (0.00071, "710 µN"),
        (-2e6, "-2 MN"),
        (999.9, "1 kN"),
        (1e-20, "0 N"),
        (3, "3 N"),
    ],
)
def test_numbers_have_si_prefixes(page, value, said):
    assert page.page.evaluate("async (value) => (await import('./units.js')).si(value, 'N')", value) == said


def test_gallery_shows_all_scenes_and_opens_the_chosen_one(page):
    page.press("All scenes")
    cards = page.page.locator("#gallery .cards button")
    assert cards.count() == 2
    page.until(lambda: cards.first.locator("img").evaluate("image => image.naturalWidth") == THUMBNAIL[0])
    assert not cards.last.locator("img").count(), "it has no picture"
    assert "warping" in cards.last.inner_text()
    cards.last.click()
    page.until(lambda: page.session.stage.name == "wobble")
    assert not page.page.locator("#gallery").is_visible()
    page.live.submit(messages.SwitchScene(name="bar"))
    page.until(lambda: page.session.stage.name == "bar")
    page.catch_up()


@pytest.mark.parametrize("name", pl.gallery())
def test_every_scene_of_the_gallery_has_its_pictures_and_its_claim_on_the_page(name):
    scene = pl.load_scene(name)
    assert Image.open(scene.thumbnail).size == THUMBNAIL
    row = f"| ![{name}](images/gallery/{name}.png) | {name} | {scene.file.claim} |"
    assert row in PAGE.read_text(encoding="utf-8")
    assert (PAGE.parent / "images" / "gallery" / f"{name}.png").is_file()


def test_recording_is_saved_as_a_page_that_plays_by_itself(page):
    page.press("Record")
    page.until(lambda: page.session.recorder and page.session.recorder.seconds > 0.2)
    page.page.locator("#record").click()
    page.until(lambda: page.session.recording is not None)
    with page.page.expect_download() as download:
        page.press("Save as HTML")
    assert "<canvas" in download.value.path().read_text()


@pytest.mark.parametrize("size", [LANDSCAPE, PORTRAIT], ids=["landscape", "portrait"])
def test_phone_leaves_the_solid_free_and_opens_all_controls(page, size):
    page.page.set_viewport_size(size)
    page.page.locator("#view").focus()
    page.page.keyboard.press("f")
    panel = page.page.locator("#panel").bounding_box()
    assert panel["width"] * panel["height"] < 0.25 * size["width"] * size["height"]
    assert not page.page.get_by_label("Stiffness").is_visible()
    assert page.page.get_by_role("button", name="Pause").is_visible()
    page.page.wait_for_timeout(200)
    spots = np.array(page.page.evaluate("pliant.ids().map((_, vertex) => pliant.screenOf(vertex))"))
    inside = (spots >= 0).all() and (spots <= [size["width"], size["height"]]).all()
    assert inside
    beside = (spots[:, 0] < panel["x"]) | (spots[:, 1] < panel["y"]) | (spots[:, 1] > panel["y"] + panel["height"])
    assert beside.all(), "the panel covers some of it"
    page.page.get_by_role("button", name="Show all controls").click()
    page.page.get_by_label("Stiffness").scroll_into_view_if_needed()
    assert page.page.get_by_label("Stiffness").is_visible()
    page.page.get_by_role("button", name="Show all controls").click()
    page.page.set_viewport_size(SMALL_WINDOW)


# Contrast


def colour(text):
    """Red, green, blue and opacity, from 0 to 1."""
    if text.startswith("#"):
        return np.array([*(int(text[i : i + 2], 16) / 255 for i in (1, 3, 5)), 1.0])
    *rgb, percent = (float(number) for number in re.findall(r"[\d.]+", text))
    return np.array([*(value / 255 for value in rgb), percent / 100])


def luminance(rgb):
    linear = np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)
    return float(linear @ [0.2126, 0.7152, 0.0722])


def over(top, below):
    return np.append(top[3] * top[:3] + (1 - top[3]) * below[:3], 1.0)


def contrast(a, b):
    light, dark = sorted((luminance(a[:3]), luminance(b[:3])), reverse=True)
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_all_words_can_be_read(scheme):
    light, dark = (WEB / "style.css").read_text().split("@media (prefers-color-scheme: dark)")
    found = dict(re.findall(r"(--\w[\w-]*): (#\w{6}|rgb\([^)]*\));", light))
    if scheme == "dark":
        found |= dict(re.findall(r"(--\w[\w-]*): (#\w{6}|rgb\([^)]*\));", dark.split("* {")[0]))
    c = {name[2:]: colour(text) for name, text in found.items()}
    for behind in (c["back"], c["floor"]):
        card = over(c["card"], behind)
        field = over(c["field"], card)
        pairs = {"ink on card": (c["ink"], card), "ink on field": (c["ink"], field), "soft on card": (c["soft"], card)}
        pairs |= {"soft on field": (c["soft"], field), "primary": (c["accent-ink"], c["accent"])}
        pairs |= {"hint": (c["accent-ink"], c["hand"]), "ink on back": (c["ink"], behind)}
        for name, (words, ground) in pairs.items():
            assert contrast(words, ground) >= READABLE, f"{name}, {scheme}: {contrast(words, ground):.2f}"


# The command line


def test_address_for_others_is_told_where_the_server_listens_everywhere():
    assert network_address("http://127.0.0.1:8000/token/", "127.0.0.1") is None
    others = network_address("http://127.0.0.1:8000/token/", "0.0.0.0")
    assert others is None or re.fullmatch(r"http://\d+\.\d+\.\d+\.\d+:8000/token/", others)
