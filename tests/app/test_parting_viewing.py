"""Parts made on the page: painted, cut, proposed, named, built beside what is played, pulled and saved."""

import tomllib

import numpy as np
import pytest
from bare_sessions import staged_mesh
from live_viewing import SMALL_WINDOW, Viewer, served

import pliant as pl
from pliant.app import messages
from pliant.app.bare import BareMesh
from pliant.app.downloads import scene_text
from pliant.app.parting import decided
from pliant.app.resketching import in_place_of
from pliant.app.stage import Stage
from pliant.errors import ArgumentError
from pliant.scenes import load_scene
from pliant.systems import Tree

pytestmark = pytest.mark.filterwarnings("ignore::pliant.errors.PliantWarning")  # what a chosen basis says of itself
LENGTH, WIDTH = 900.0, 150.0  # units of the file: read as millimetres
BUILT = 300.0  # [s] in which a system is surely there, also where all is compiled for the first time


@pytest.fixture(scope="module")
def rod(tmp_path_factory):
    path = tmp_path_factory.mktemp("parting") / "rod.vtu"
    pl.shapes.bar((LENGTH, WIDTH, WIDTH), (18, 3, 3)).write(path)
    return path


@pytest.fixture
def staged(rod):
    """A session that shows the rod, without threads but for what is found."""
    session = staged_mesh(rod)
    session._work = lambda job, install: session._finished(lambda: install(job(lambda *_: None)))
    return session


def parts_of(session):
    return session.stage.source.mesh.parts


def refused(session):
    return [report.sentence for report in session.told if report.kind == "notice"][-1]


def test_a_plane_in_the_picture_is_a_plane_in_the_file_though_the_shape_sags(staged):
    x = staged.stage.rest
    middle = x[np.abs(staged.stage.source.mesh.drawn[:, 0] - LENGTH / 2) < 1].mean(axis=0)
    staged.apply(messages.CutPart(at=tuple(middle), normal=(1.0, 0.0, 0.0)), 1)
    parting = parts_of(staged).parting
    assert parting.count == 2
    assert parting.mesh.centroids[parting.labels == 1, 0].min() == pytest.approx(0.45, abs=0.03)
    assert staged.status.mesh.parts_said == ("2 parts make a tree",)
    assert len(np.unique(staged.stage.system.colours, axis=0)) == 2


def test_parts_are_found_changed_and_taken_back(staged):
    staged.apply(messages.ProposeParts(method="vibration", count=3), 1)
    assert len(staged.status.mesh.parts) == 3
    staged.apply(messages.ChangePart(part=1, name="tail", rigid=True), 1)
    staged.apply(messages.ChangePart(part=0, modes=9, root=True), 1)
    assert [(part.name, part.rigid, part.modes, part.root) for part in staged.status.mesh.parts][:2] == [
        ("part 0", False, 9, True),
        ("tail", True, 12, False),
    ]
    staged.apply(messages.ChangePart(part=0, name="tail"), 1)
    assert "two parts cannot both be 'tail'" in refused(staged)
    staged.apply(messages.SplitPart(part=2), 1)
    assert len(staged.status.mesh.parts) == 4
    staged.apply(messages.JoinParts(part=0, other=3), 1)
    for _ in range(5):
        staged.apply(messages.UndoPart(), 1)
    assert parts_of(staged).parting is None
    assert staged.stage.system.colours is None, "as it was built"
    staged.apply(messages.UndoPart(), 1)
    assert "no part is made that could be taken back" in refused(staged)
    staged.apply(messages.BuildParts(), 1)
    assert "there is one part alone; paint another" in refused(staged)


def test_parts_stay_in_colours_when_a_better_basis_comes(staged):
    staged.apply(messages.ProposeParts(method="narrow", count=3), 1)
    stage, source = staged.stage, staged.stage.source
    wanted = stage.base.colours
    better = source.first(lambda *_: None)
    stage.install(in_place_of(stage.base, better), staged.new_number())
    np.testing.assert_array_equal(stage.system.colours, wanted)
    staged.apply(messages.ShowParts(on=False), 1)
    assert stage.system.colours is None
    staged.apply(messages.ShowParts(on=True), 1)
    np.testing.assert_array_equal(stage.system.colours, wanted)


def test_what_cannot_be_built_is_refused_in_a_sentence(staged):
    x = staged.stage.rest
    ends = [tuple(x[index]) for index in (x[:, 0].argmin(), x[:, 0].argmax())]
    staged.apply(messages.PaintPart(part=None, at=ends, radius=0.12), 1)
    staged.apply(messages.BuildParts(), 1)
    assert "part 1 is in 2 pieces" in refused(staged)
    staged.apply(messages.UndoPart(), 1)
    staged.apply(messages.ProposeParts(method="narrow", count=2), 1)
    staged.apply(messages.ChangePart(part=0, rigid=True), 1)
    mesh = staged.stage.source.mesh
    with pytest.raises(ArgumentError, match="are for trees"):
        decided(mesh, messages.BuildParts(system="seams"))
    assert decided(mesh, messages.BuildParts()).system == "tree"


def test_built_parts_are_saved_as_a_scene_that_makes_the_same_system(staged, rod):
    staged.apply(messages.ProposeParts(method="narrow", count=3), 1)
    staged.apply(messages.ChangePart(part=2, name="tip", modes=7), 1)
    mesh = staged.stage.source.mesh.in_parts(messages.BuildParts())
    source = mesh.source().open(lambda *_: None)
    staged.stage = Stage("rod", source, source.build(lambda *_: None), staged.new_number())

    class Shown:
        session = staged

    text = scene_text(Shown)
    (rod.parent / "rod.toml").write_text(text)
    table = tomllib.loads(text)
    assert table["part"][0]["label_names"] == list(parts_of(staged).parting.names)
    assert table["tree"]["sizes"]["tip"] == 7
    saved = load_scene(rod.parent / "rod.toml").build()
    assert isinstance(saved, Tree)
    saved.step(20)
    staged.stage.advance(20)
    np.testing.assert_allclose(saved.vertices(), staged.stage.system.vertices(), atol=1e-9)
    np.testing.assert_allclose(saved.colours, staged.stage.base.colours, atol=1 / 255)


def test_labels_of_another_mesh_are_refused(rod):
    scene = rod.parent / "wrong.toml"
    scene.write_text('system = "tree"\n[[part]]\nmesh = "rod.vtu"\nlabels = "0*3 1*4"\nfixed = "x < 1"\n')
    with pytest.raises(pl.PliantError, match="the labels are of 7 cells, and the mesh has"):
        load_scene(scene).build()


def test_a_person_paints_a_part_cuts_off_another_builds_and_pulls(rod, browser, tmp_path):
    with served({"rod.vtu": BareMesh.read(rod, up="y", fixed="left").source()}) as (live, address):
        context = browser.new_context(viewport=SMALL_WINDOW, accept_downloads=True)
        context.add_init_script("localStorage.setItem('pliant-dragged', 'yes')")
        viewer = Viewer(context.new_page(), live, address).open()
        viewer.catch_up()
        page, parting = viewer.page, lambda: parts_of(live.session).parting
        page.get_by_role("button", name="Brush", exact=True).click()
        viewer.until(lambda: not live.session.playing)
        viewer.settle()
        page.get_by_role("button", name="Front", exact=True).click()
        page.wait_for_timeout(200)

        def pixel(share):
            """On the screen, on the axis of the rod at a share of its length."""
            x = np.array(page.evaluate("pliant.positions()")).reshape(-1, 3)
            along = x[:, 0].min() + share * np.ptp(x[:, 0])
            near = np.argsort(np.abs(x[:, 0] - along))[:16]
            return np.mean([page.evaluate(f"pliant.screenOf({int(v)})") for v in near], axis=0)

        def drag(start, end):
            page.mouse.move(*start)
            page.mouse.down()
            page.mouse.move(*(np.add(start, end) / 2), steps=4)
            page.mouse.move(*end, steps=4)
            page.mouse.up()

        page.locator("#parts-radius").fill("0.14")
        drag(pixel(0.75), pixel(0.98))
        viewer.until(lambda: parting() is not None and parting().count == 2)
        assert parting().mesh.centroids[parting().labels == 1, 0].min() > 0.45

        page.get_by_role("button", name="Knife", exact=True).click()
        viewer.catch_up()
        x, y = pixel(0.35)
        drag((x, y - 90), (x, y + 90))
        viewer.until(lambda: parting().count == 3)
        assert (parting().is_whole, parting().domains.loops) == (True, 0)
        viewer.catch_up()
        colours = {part.colour for part in live.session.status.mesh.parts}
        assert len(colours) == 3
        page.locator("#parts-list button").nth(1).click()
        page.fill("#parts-name", "tip")
        page.keyboard.press("Tab")
        viewer.until(lambda: "tip" in parting().names)
        page.locator("#parts-rigid").check()
        viewer.until(lambda: live.session.status.mesh.parts[1].rigid)
        page.get_by_role("button", name="Take back the last change of parts", exact=True).click()
        viewer.until(lambda: not live.session.status.mesh.parts[1].rigid)

        opened = live.session.opened
        page.get_by_role("button", name="Build the parts", exact=True).click()
        viewer.until(lambda: live.session.opened > opened, BUILT)
        viewer.catch_up()
        assert isinstance(live.session.stage.system, Tree)
        viewer.until(lambda: live.session.stage.system.time > 0.05, BUILT)
        tip = pixel(1.0)
        before = live.session.stage.system.vertices()[:, 1].max()
        page.mouse.move(tip[0] - 4, tip[1])
        page.mouse.down()
        viewer.until(lambda: page.evaluate("pliant.hand()")["held"])
        page.mouse.move(tip[0] - 4, tip[1] - 120, steps=6)
        viewer.until(lambda: live.session.stage.system.vertices()[:, 1].max() > before + 0.02)
        page.mouse.up()

        page.get_by_role("button", name="Back to the solid", exact=True).last.click()
        viewer.until(lambda: not live.session.status.mesh.parted, BUILT)
        assert len(live.session.status.mesh.parts) == 3, "parts stay made"
        context.close()
        assert not viewer.errors
