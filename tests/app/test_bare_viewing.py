"""Bare meshes in the viewer: soon there, better by themselves, changed, painted, dropped and saved from the page."""

import http.client
import io
import json
import time
import tomllib
from pathlib import Path
from urllib.parse import urlsplit

import numpy as np
import pytest
from live_standins import clamped_bar
from live_viewing import SMALL_WINDOW, Viewer, running, served
from PIL import Image

import pliant as pl
from pliant.app import messages
from pliant.app.bare import BRUSH, MOST_DABS, BareMesh
from pliant.app.live import Live
from pliant.app.reports import Notice
from pliant.app.resketching import in_place_of
from pliant.app.server import THREE, Server
from pliant.app.session import Session
from pliant.app.sources import SceneSource, opened_later
from pliant.app.stage import Stage
from pliant.app.uploads import MOST_BYTES, safe_name
from pliant.app.watching import Watched
from pliant.errors import FileError
from pliant.mesh.files.surface_texture import Texture
from pliant.scenes import load_scene

pytestmark = pytest.mark.filterwarnings("ignore::pliant.errors.PliantWarning")  # what a chosen basis says of itself
LENGTH = 400.0  # units of the file: read as millimetres
BUILT = 300.0  # [s] in which a system is surely there, also where all is compiled for the first time


@pytest.fixture(scope="module")
def post(tmp_path_factory):
    path = tmp_path_factory.mktemp("bare") / "post.vtu"
    pl.shapes.bar((100, LENGTH, 100), (1, 5, 1)).write(path)
    return path


class Heard:
    """What a session tells."""

    def __init__(self):
        self.sentences = []

    def on_frame(self, frame):
        pass

    def on_report(self, report, _client):
        if isinstance(report, Notice):
            self.sentences.append(report.sentence)


@pytest.fixture(scope="module")
def opened(post):
    """A session that shows the post, what it said, and its tip, which a hand holds since before the better basis."""
    live, heard = Live({"post.vtu": BareMesh.read(post).source()}), Heard()
    live.listen(heard)
    with live:
        live.wait(lambda session: session.stage is not None, BUILT)
        quick = live.session.stage.base
        X = quick.vertices()
        tip = int(np.argmax(X[:, 1]))
        live.submit(messages.Grab(vertex=tip, target=tuple(X[tip] + [0.1, 0, 0])), 1)
        live.wait(lambda session: session.stage.base is not quick, BUILT)
        heard.tip, heard.start, heard.quick = tip, X, quick
        yield live, heard


@pytest.fixture(scope="module")
def address(opened):
    if not THREE.is_file():
        pytest.skip("the page lacks three.js; run: npm ci && python -m pliant.app.vendor")
    with running(Server(opened[0])) as server:
        yield server.address


def remake(live, **said):
    """Say more of the mesh, and wait until it is there."""
    count = live.session.opened
    live.submit(messages.Remake(**said))
    live.wait(lambda session: session.opened > count, BUILT)
    return live.session.stage


def send(address, path, body=b"", method="POST", **headers):
    parts = urlsplit(address)
    connection = http.client.HTTPConnection(parts.hostname, parts.port, timeout=10)
    own = {"Origin": f"http://{parts.netloc}", "Host": parts.netloc}
    connection.request(method, f"{parts.path}{path}", body, {**own, **headers})
    response = connection.getresponse()
    return response.status, response.read().decode()


def test_a_quick_system_comes_first_and_the_chosen_one_goes_on_from_its_shape(opened):
    live, heard = opened
    assert heard.quick.report is None
    assert live.session.stage.base.report is not None
    assert live.session.grips[1].vertex == heard.tip, "the hand holds on"
    live.wait(lambda session: session.stage.system.vertices()[heard.tip, 0] - heard.start[heard.tip, 0] > 0.02)
    live.wait(lambda _: any("It moves better now" in said and "estimated" in said for said in heard.sentences))


@pytest.mark.parametrize("share", [0.1, 0.5])
def test_another_basis_goes_on_from_the_same_shape_as_far_as_both_hold_it(share):
    """Modes are held by the smaller and the larger basis: nothing moves when one takes the place of the other."""
    mesh = pl.shapes.bar((1, 0.2, 0.2), (6, 1, 1))
    solid = pl.Solid(mesh, pl.StVK(1e6, 0.3, 1000), fixed="x < 1e-9")
    modes = pl.vibration_modes(solid, 12)
    small, large = (pl.Clamped(pl.reduce(solid, pl.Basis(modes.vectors[:, :r])), 1e-3) for r in (6, 12))
    stage = Stage("bar", SceneSource(lambda _: small), small, 1)
    stage.system.q = share * np.arange(1, 7) / 10
    before = stage.system.vertices()
    stage.install(in_place_of(small, large), 2)
    assert stage.system.size == 12
    np.testing.assert_allclose(stage.system.vertices(), before, atol=1e-9)


def test_a_better_basis_waits_for_the_end_of_a_recording_and_saved_states_go_along(post):
    heard = []
    later = []
    session = Session({"post": BareMesh.read(post).source()}, lambda report, _: heard.append(report), later.append)

    def until(true, timeout=60.0):
        end = time.monotonic() + timeout
        while not true():
            assert time.monotonic() < end
            while later:
                later.pop(0)()
            time.sleep(0.01)

    session.begin()
    until(lambda: session.stage is not None)
    session.apply(messages.Record(on=True), 1)
    session.advance(5)
    session.tick(time.monotonic())
    session.apply(messages.Save(), 1)
    quick, saved = session.stage.base, session.stage.system.vertices()
    until(lambda: session._waiting is not None)
    assert session.stage.base is quick
    session.tick(time.monotonic())
    session.apply(messages.Record(on=False), 1)
    until(lambda: session.stage.base is not quick)
    session.advance(20)
    session.apply(messages.Load(state=0), 1)
    size = np.ptp(saved, axis=0).max()
    np.testing.assert_allclose(session.stage.system.vertices(), saved, atol=1e-3 * size)  # two bases of one shape


def test_status_says_what_was_assumed_and_how_exact_it_is(opened):
    facts = json.loads(opened[0].status.text())
    assert facts["mesh"]["size"] == pytest.approx(0.4)
    assert (facts["mesh"]["up"], facts["mesh"]["held"], facts["mesh"]["material"]) == ("y", "feet", "")
    assert facts["mesh"]["presets"]["steel"] == [2.1e11, 0.29, 7850]
    assert "estimated error" in facts["exactness"]
    assert facts["ground"] == pytest.approx(-0.2)  # its lowest side


def test_what_a_page_says_is_merged_and_kept(opened):
    live, _ = opened
    stage = remake(live, size=2.0, held="top")
    assert np.ptp(stage.source.mesh.scene.rest[:, 1]) == pytest.approx(2.0)
    stage = remake(live, material="rubber")
    facts = stage.source.mesh.facts()
    assert (facts.size, facts.held, facts.young) == (pytest.approx(2.0), "top", 2e6)
    stage = remake(live, young=3e5)
    assert stage.source.mesh.facts().young == 3e5
    assert stage.source.mesh.facts().density == 925
    stage = remake(live, material="", up="x")
    assert stage.source.mesh.facts().material == ""
    held = stage.source.mesh.scene.rest[stage.source.mesh.scene.solid.fixed, 1]
    assert held.min() > 0.8 * stage.source.mesh.scene.rest[:, 1].max()


def test_what_cannot_be_is_said_and_the_old_one_plays_on(opened):
    live, heard = opened
    stage = live.session.stage
    live.submit(messages.Remake(material="ruber"))
    live.wait(lambda _: any("did you mean rubber" in said for said in heard.sentences))
    assert live.session.stage is stage
    live.submit(messages.Remake(dabs=list(range(MOST_DABS + 1))))
    live.submit(messages.Remake(dabs=[10**6]))
    live.wait(lambda session: session.playing)
    remake(live, held="feet")


def test_painted_points_are_held_within_the_brush_whatever_the_size(opened):
    live, _ = opened
    mesh = live.session.stage.source.mesh
    X = mesh.scene.rest
    corner = int(np.argmax(X @ [1, 1, 1]))
    for size in (0.5, 4.0):
        remake(live, size=size)
        stage = remake(live, dabs=[corner])
        scene = stage.source.mesh.scene
        X = scene.rest
        far = np.linalg.norm(X - X[corner], axis=1)
        held = far <= max(BRUSH * size, np.sort(far)[3] * 1.001)  # of coarse cells, the four nearest vertices
        np.testing.assert_array_equal(np.sort(scene.solid.fixed), np.flatnonzero(held))
        assert stage.source.mesh.facts().held == "painted"
    remake(live, held="feet")


def test_saved_scene_has_what_was_tuned(opened, address, tmp_path, post):
    live, _ = opened
    remake(live, material="rubber")
    live.submit(messages.Set(stiffness=2.0, gravity=(0, -1.0, 0)))
    live.wait(lambda session: session.stage.settings.stiffness == 2.0)
    status, text = send(address, "scene.toml", method="GET")
    assert status == 200
    said = tomllib.loads(text)
    assert said["part"][0]["material"]["young"] == 4e6
    assert said["gravity"] == [0, -1, 0]
    (tmp_path / "post.vtu").write_bytes(post.read_bytes())
    (tmp_path / "scene.toml").write_text(text)
    np.testing.assert_allclose(load_scene(tmp_path / "scene.toml").rest, live.session.stage.source.mesh.scene.rest)


def test_a_mesh_that_is_sent_is_opened_and_forgotten(opened, address, post):
    live, heard = opened
    count = live.session.opened
    status, _ = send(address, "meshes/..%5Cmy%20post.vtu", post.read_bytes())
    assert status == 202
    live.wait(lambda session: session.opened > count, BUILT)
    dropped = live.session.stage.source.mesh.path
    assert live.session.stage.name == "my-post.vtu"
    assert "pliant-dropped-" in str(dropped.parent.parent)
    assert send(address, "meshes/bad.vtu", b"nothing of a mesh")[0] == 202
    live.wait(lambda _: any("bad.vtu" in said for said in heard.sentences), 20)
    for number in range(6):
        send(address, f"meshes/bad{number}.vtu", b"-")
    assert len(list(dropped.parent.parent.iterdir())) <= 4


def test_what_may_not_be_sent_is_refused(address):
    assert send(address, "meshes/x.vtu", b"-", Origin="http://evil.example")[0] == 403
    assert send(address, "meshes/x.vtu", b"-", Origin="")[0] == 403
    status, said = send(address, "meshes/x.exe", b"-")
    assert status == 409
    assert "drop one that ends in .obj" in said
    parts = urlsplit(address)
    connection = http.client.HTTPConnection(parts.hostname, parts.port, timeout=20)
    connection.putrequest("POST", f"{parts.path}meshes/x.obj")
    connection.putheader("Origin", f"http://{parts.netloc}")
    connection.putheader("Content-Length", str(MOST_BYTES + 2**20))
    connection.endheaders()
    for _ in range(65):
        connection.send(bytes(2**20))
    response = connection.getresponse()
    assert (response.status, b"64 MB" in response.read()) == (409, True)


@pytest.mark.parametrize(
    ("name", "safe"),
    [("a.obj", "a.obj"), ("../../a b$.OBJ", "a-b.obj"), ("é.stl", "mesh.stl"), ("x" * 300 + ".ply", "x" * 60 + ".ply")],
)
def test_names_of_files_are_made_harmless(name, safe):
    assert safe_name(name) == safe


def test_names_without_an_ending_are_refused():
    with pytest.raises(FileError, match="is no mesh file"):
        safe_name("passwd")


def test_what_cannot_be_opened_at_all_stays_said_until_something_else_is(post):
    def refuse(_progress):
        raise FileError("there is nothing in it; get another file")

    with Live({"bad": opened_later("bad", refuse)}) as live:
        live.wait(lambda session: session.failed is not None)
        assert json.loads(live.status.text())["failed"] == "there is nothing in it; get another file"
        live.admit("post", BareMesh.read(post).source())
        live.wait(lambda session: session.stage is not None, BUILT)
        live.wait(lambda _: live.status.failed is None)


def test_a_program_keeps_its_own_system():
    watched = Watched(clamped_bar(), "mine").start()
    shown, heard = watched.session.stage, Heard()
    watched.listen(heard)
    watched.session.admit("other", SceneSource(clamped_bar))
    assert watched.session.stage is shown
    assert "a program runs this simulation" in heard.sentences[0]


@pytest.fixture
def page(browser, opened, address):
    context = browser.new_context(viewport=SMALL_WINDOW, accept_downloads=True)
    context.add_init_script("localStorage.setItem('pliant-dragged', 'yes')")
    made = Viewer(context.new_page(), opened[0], address).open()
    yield made
    context.close()
    assert not made.errors, f"the console says {made.errors}"


def test_page_changes_paints_saves_and_opens_meshes(page, post):
    """Time is held but for what opens, so that a page drawn in software answers at once."""
    live = page.live
    live.submit(messages.Pause())
    page.until(lambda: page.page.locator("#mesh-section").is_visible())

    def after(act):
        count = live.session.opened
        act()
        page.until(lambda: live.session.opened > count, BUILT)
        live.submit(messages.Pause())
        page.catch_up()
        return live.session.stage.source.mesh.facts()

    assert after(lambda: page.page.select_option("#mesh-material", "cork")).young == 3e7
    assert page.page.input_value("#mesh-young") == "30 MPa"

    def write(words):
        page.page.fill("#mesh-young", words)
        page.page.press("#mesh-young", "Enter")

    assert after(lambda: write("1.5 MPa")).young == 1.5e6
    facts = after(lambda: page.page.locator("#mesh-size").fill("0.8") or page.page.press("#mesh-size", "Enter"))
    assert facts.size == pytest.approx(0.8)
    assert after(lambda: page.page.select_option("#mesh-up", "x")).up == "x"
    # While the better basis comes, the page has no shape that could be painted, and the stroke would be lost.
    page.until(lambda: "estimated error" in page.page.inner_text("#mesh-exactness"), BUILT)
    page.catch_up()
    page.page.click("#mesh-brush")
    top = int(np.argmax(np.array(page.page.evaluate("pliant.positions()")).reshape(-1, 3)[:, 1]))
    x, y = page.page.evaluate(f"pliant.screenOf({top})")
    page.page.mouse.move(x, y + 2)

    def stroke():
        page.page.mouse.down()
        page.page.mouse.up()

    assert after(stroke).held == "painted"
    assert not live.session.grips
    page.page.click("#mesh-brush")
    assert after(lambda: page.page.select_option("#mesh-held", "left")).held == "left"
    with page.page.expect_download() as download:
        page.page.click("#mesh-save")
    assert tomllib.loads(Path(download.value.path()).read_text())["part"][0]["material"]["young"] == 1.5e6
    assert after(lambda: page.page.set_input_files("#file", post)).file == "post.vtu"
    dropped = page.page.evaluate_handle(
        "text => { const data = new DataTransfer(); data.items.add(new File([text], 'mine.vtu')); return data; }",
        post.read_text(),
    )

    def drop():
        page.page.dispatch_event("#view", "dragover", {"dataTransfer": dropped})
        assert page.page.locator("#drop").is_visible(), "the page says that it may be dropped"
        page.page.dispatch_event("#view", "drop", {"dataTransfer": dropped})

    assert after(drop).file == "mine.vtu"
    assert not page.page.locator("#drop").is_visible()


@pytest.mark.slow
def test_texture_is_drawn_the_right_way_up_by_both_ways_of_drawing(browser):
    """All corners lie in the upper left quarter of the image, which is red; the others are green, blue and white."""
    quarters = np.array([[[255, 0, 0], [0, 255, 0]], [[0, 0, 255], [255, 255, 255]]], dtype=np.uint8)
    stream = io.BytesIO()
    Image.fromarray(quarters.repeat(8, axis=0).repeat(8, axis=1)).save(stream, "PNG")
    uv = np.broadcast_to([0.25, 0.75], (len(clamped_bar().triangles), 3, 2))
    source = SceneSource(clamped_bar, texture=Texture(uv, stream.getvalue()))
    with served({"bar": source}) as (live, address):
        for draw in ("cpu", "gpu"):
            context = browser.new_context(viewport=SMALL_WINDOW)
            context.add_init_script("localStorage.setItem('pliant-dragged', 'yes')")
            page = Viewer(context.new_page(), live, address).open(f"?draw={draw}")
            assert page.state["draw"] == draw

            def is_red(page=page):
                clip = {"x": 0, "y": 0, "width": 560, "height": 560}
                shot = np.asarray(Image.open(io.BytesIO(page.page.screenshot(clip=clip))).convert("RGB"), dtype=int)
                painted = shot[(np.ptp(shot, axis=2) > 90)]
                return len(painted) > 500 and (painted[:, 0] > 2 * painted[:, 1:].max(axis=1)).mean() > 0.9

            page.until(is_red)
            context.close()
            assert not page.errors
