"""Bones placed on the page: two clicks each, named, painted, built beside what is played, held and saved."""

import tomllib

import numpy as np
import pytest
from bare_sessions import staged_mesh
from live_viewing import SMALL_WINDOW, Viewer, served

import pliant as pl
from pliant.app import messages
from pliant.app.bare import BareMesh
from pliant.app.downloads import scene_text
from pliant.app.holding import Grip
from pliant.app.rigging import Draft, bone_facts, in_file
from pliant.app.session import Session
from pliant.app.stage import Stage
from pliant.errors import ArgumentError
from pliant.scenes import load_scene

pytestmark = pytest.mark.filterwarnings("ignore::pliant.errors.PliantWarning")  # what a chosen basis says of itself
LENGTH, WIDTH = 900.0, 150.0  # units of the file: read as millimetres
BUILT = 300.0  # [s] in which a system is surely there, also where all is compiled for the first time


@pytest.fixture(scope="module")
def rod(tmp_path_factory):
    path = tmp_path_factory.mktemp("rigging") / "rod.vtu"
    pl.shapes.bar((LENGTH, WIDTH, WIDTH), (12, 2, 2)).write(path)
    return path


@pytest.fixture
def staged(rod):
    """A session that shows the rod, without threads."""
    return staged_mesh(rod)


def draft_of(session):
    return session.stage.source.mesh.draft


def test_places_on_a_shape_that_sags_are_places_in_its_file(staged):
    """What is clicked in the middle of a section of the shape as it stands is the middle of that section at rest."""
    stage, mesh = staged.stage, staged.stage.source.mesh
    X = mesh.drawn
    assert np.abs(stage.rest - 1e-3 * X).max() > 1e-3, "it sags"
    for x in np.unique(X[:, 0])[[2, 6, 10]]:
        section = np.abs(X[:, 0] - x) < 1e-6
        [place] = in_file(stage, mesh, [stage.rest[section].mean(axis=0)])
        np.testing.assert_allclose(place, X[section].mean(axis=0), atol=0.02 * LENGTH)
    clicked = [stage.rest[np.abs(X[:, 0] - x) < 1e-6].mean(axis=0) for x in (0.0, LENGTH)]
    staged.apply(messages.PlaceBone(ends=[tuple(place) for place in clicked]), 1)
    [fact] = bone_facts(stage, stage.source.mesh)
    np.testing.assert_allclose(fact.ends, clicked, atol=1e-3 * 0.02 * LENGTH)  # and are drawn where they were clicked


def test_a_draft_grows_is_changed_and_taken_back(staged):
    for a, b in ((0.05, 0.4), (0.5, 0.85)):
        staged.apply(messages.PlaceBone(ends=[(a, 0, 0), (b, 0, 0)]), 1)
    staged.apply(messages.ChangeBone(bone=1, name="tail", form="rigid", reach=2.0), 1)
    staged.apply(messages.PaintBone(bone=1, at=[(0.45, 0.075, 0)], share=1.0), 1)
    draft = draft_of(staged)
    assert [bone.name for bone in draft.bones] == ["bone 0", "tail"]
    table = draft.table(1e-3, 10, "heat")
    assert table["kinds"] == {"tail": "rigid"}
    assert table["reach"] == {"tail": 2.0}
    assert table["paint"][0]["bone"] == "tail"
    assert table["paint"][0]["radius"] == pytest.approx(0.08 * 0.9)
    staged.apply(messages.ChangeBone(bone=0, name="tail"), 1)
    assert "two bones cannot both be 'tail'" in staged.told[-2].sentence
    for _ in range(4):
        staged.apply(messages.UndoBone(), 1)
    assert draft_of(staged) == Draft()
    staged.apply(messages.UndoBone(), 1)
    assert "no bone is placed that could be taken back" in staged.told[-2].sentence
    with pytest.raises(ArgumentError, match="no bone is placed; click two places"):
        draft_of(staged).table(1e-3, 10, "heat")


def test_bones_are_for_bare_meshes():
    scene = load_scene("stack")
    from pliant.app.showing import source_of

    source, told = source_of(scene), []
    session = Session({"stack": source}, lambda report, _: told.append(report), lambda work: work())
    session.stage = Stage("stack", source, source.build(lambda *_: None), session.new_number())
    session.apply(messages.PlaceBone(ends=[(0, 0, 0)]), 1)
    assert any("not made from a bare mesh" in getattr(report, "sentence", "") for report in told)


def test_a_person_places_bones_builds_the_character_and_takes_hold_of_it(rod, browser):
    with served({"rod.vtu": BareMesh.read(rod, up="y", fixed="left").source()}) as (live, address):
        context = browser.new_context(viewport=SMALL_WINDOW, accept_downloads=True)
        context.add_init_script("localStorage.setItem('pliant-dragged', 'yes')")
        viewer = Viewer(context.new_page(), live, address).open()
        viewer.catch_up()
        page, shown = viewer.page, lambda: viewer.page.evaluate("pliant.rigging()")
        page.get_by_role("button", name="Place bones", exact=True).click()
        viewer.until(lambda: not live.session.playing)
        viewer.settle()
        page.get_by_role("button", name="Front", exact=True).click()
        page.wait_for_timeout(200)

        def pixel(share):
            """On the screen, on the axis of the rod at a share of its length."""
            x = np.array(page.evaluate("pliant.positions()")).reshape(-1, 3)
            front = np.flatnonzero(x[:, 2] > x[:, 2].max() - 1e-3 * WIDTH / 4)
            along = np.linspace(x[:, 0].min(), x[:, 0].max(), 13)
            section = front[np.abs(x[front, 0] - along[round(12 * share)]) < 0.4 * (along[1] - along[0])]
            places = np.array([page.evaluate(f"pliant.screenOf({int(v)})") for v in section])
            return places.mean(axis=0)

        for k, ends in enumerate([(0.1, 0.4), (0.5, 0.8)]):
            for share in ends:
                page.mouse.click(*pixel(share))
            viewer.until(lambda k=k: len(draft_of(live.session).bones) == k + 1)
        viewer.until(lambda: shown()["bones"] == 2)
        middle = np.array([bone.ends for bone in draft_of(live.session).bones])
        assert np.abs(middle[..., 2]).max() < 0.15 * WIDTH, "through the middle, though only the front is seen"
        assert np.ptp(middle[0, :, 0]) > 0.2 * LENGTH

        page.fill("#rig-name", "tail")
        page.keyboard.press("Tab")
        viewer.until(lambda: draft_of(live.session).bones[1].name == "tail")
        page.select_option("#rig-bone", label="bone 0")
        page.select_option("#rig-form", "static")
        viewer.until(lambda: draft_of(live.session).bones[0].form == "static")
        page.get_by_role("button", name="Paint", exact=True).click()
        x, y = pixel(0.1)
        page.mouse.move(x, y)
        page.mouse.down()
        page.mouse.move(x + 20, y, steps=4)
        page.mouse.up()
        viewer.until(lambda: len(draft_of(live.session).strokes) == 1)
        page.get_by_role("button", name="Take back", exact=True).click()
        viewer.until(lambda: not draft_of(live.session).strokes)

        opened = live.session.opened
        page.fill("#rig-modes", "6")
        page.get_by_role("button", name="Build the character", exact=True).click()
        viewer.until(lambda: live.session.opened > opened, BUILT)
        viewer.catch_up()
        [placed] = live.session.stage.system.characters
        assert [(bone.name, bone.kind) for bone in placed.character.bones] == [("bone 0", "static"), ("tail", "soft")]
        viewer.until(lambda: live.session.stage.system.time > 0.1, BUILT)

        x, y = pixel(1.0)
        page.mouse.move(x - 3, y)
        page.mouse.down()
        viewer.until(lambda: page.evaluate("pliant.hand()")["held"])
        page.mouse.up()
        assert placed.gap() < 1e-4

        page.get_by_role("button", name="Back to the solid", exact=True).click()
        viewer.until(lambda: not live.session.status.mesh.character, BUILT)
        assert len(live.session.status.mesh.bones) == 2, "bones stay placed"
        context.close()
        assert not viewer.errors


def test_a_built_character_that_lies_is_lifted_by_a_hand(staged):
    """It hardly moves at first, and energies of contacts at rest are no gain."""
    for ends in (((0.09, 0, 0), (0.36, 0, 0)), ((0.45, 0, 0), (0.72, 0, 0))):
        staged.apply(messages.PlaceBone(ends=list(ends)), 1)
    staged.apply(messages.ChangeBone(bone=0, form="static"), 1)
    mesh = staged.stage.source.mesh.built(messages.BuildBones(modes=6, weights="biharmonic"))
    world = mesh.source().open(lambda *_: None).build(lambda *_: None)
    vertex = int(np.argmax(world.vertices().sum(axis=1)))
    world.step(20)
    start = world.vertices()[vertex].copy()
    hand, rose = Grip(world, vertex, start), 0.0
    for step in range(400):
        hand.target = start + np.array([0, 0.05 * np.sin(np.pi * step * world.dt) ** 2, 0])
        hand.aim()
        world.step()
        rose = max(rose, world.vertices()[vertex, 1] - start[1])
    assert rose > 1e-3
    assert world.characters[0].gap() < 1e-9


def test_a_built_character_is_saved_as_a_scene(staged, rod):
    for a, b in ((0.05, 0.4), (0.5, 0.85)):
        staged.apply(messages.PlaceBone(ends=[(a, 0, 0), (b, 0, 0)]), 1)
    staged.apply(messages.ChangeBone(bone=0, form="kinematic"), 1)
    mesh = staged.stage.source.mesh.built(messages.BuildBones(modes=12, weights="heat"))
    source = mesh.source().open(lambda *_: None)
    staged.stage = Stage("rod", source, source.build(lambda *_: None), staged.new_number())

    class Shown:
        session = staged

    text = scene_text(Shown)
    (rod.parent / "rod.toml").write_text(text)
    saved = load_scene(rod.parent / "rod.toml")
    assert tomllib.loads(text)["drive"][0]["bone"] == "bone 0"
    world = saved.build()
    world.step(20)
    assert world.characters[0].gap() < 1e-5
    staged.stage.advance(20)
    np.testing.assert_allclose(world.vertices(), staged.stage.system.vertices(), atol=1e-9)
