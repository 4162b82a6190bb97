"""A tracked animal in the viewer: it learns beside the steps, comes back from a knock, and can be left alone."""

import threading

import numpy as np
import pytest
from live_viewing import SMALL_WINDOW, Viewer, served

from pliant.app import messages
from pliant.app.session import Session
from pliant.app.showing import source_of
from pliant.app.stage import Stage
from pliant.scenes import load_scene

CALM, KNOCKED = 1.4, 3.2  # [s]: when the knock of the scene is over, and two seconds later
USUAL = 0.1  # gentleness of the scene


@pytest.fixture(scope="module")
def source():
    return source_of(load_scene("startled"))


@pytest.fixture(scope="module")
def opened(source):
    said = []
    made = Session({"startled": source}, lambda report, client: said.append((report, client)), lambda work: work())
    made._open(Stage("startled", source, source.build(None), made.new_number()))
    made.playing, made.said = False, said
    return made


@pytest.fixture
def session(opened):
    """At the start, as the scene has it, and knowing how to follow."""
    opened.apply(messages.Steer(on=True, gentleness=USUAL), 1)
    opened.apply(messages.Reset(), 1)
    opened.stage.following.wait()
    return opened


def off_its_way(session):
    """[m] from where it should be now."""
    return session.stage.following.distance(session.stage.system)


def run(session, seconds):
    session.advance(round(seconds / session.stage.system.dt))


def test_knocked_hare_is_back_and_left_alone_it_is_not(session):
    assert session.status.following.ready
    run(session, KNOCKED)
    followed = off_its_way(session)
    session.apply(messages.Reset(), 1)
    session.apply(messages.Steer(on=False), 1)
    run(session, KNOCKED)
    assert followed < 0.1 * off_its_way(session)
    assert not session.status.following.on


def test_hand_knocks_it_and_it_comes_back(session):
    run(session, CALM + 1.0)
    stage = session.stage
    nose = int(np.argmax(stage.rest[:, 0]))
    place = stage.system.vertices()[nose]
    session.apply(messages.Grab(vertex=nose, target=tuple(place)), 1)
    session.apply(messages.Move(target=tuple(place + np.array([-0.05, 0, 0.1]))), 1)
    run(session, 0.5)
    pulled = off_its_way(session)
    session.apply(messages.Release(), 1)
    run(session, 1.5)
    assert off_its_way(session) < 0.1 * pulled
    assert pulled > 0.005


def test_gentleness_changes_beside_the_steps(session):
    following = session.stage.following
    before = following.forces(session.stage.system, None)
    session.apply(messages.Steer(gentleness=2.0), 1)
    run(session, 0.02)  # nothing waits
    following.wait()
    after = following.forces(session.stage.system, None)
    assert after is not before
    assert session.status.following.gentleness == 2.0
    run(session, KNOCKED)
    assert off_its_way(session) < 0.02


def test_scene_that_is_not_steered_says_so(session):
    plain = source_of(load_scene("spoon"))
    steered = session.stage
    session.stage = Stage("spoon", plain, plain.build(None), 2)
    session.apply(messages.Steer(on=True), 1)
    session.stage = steered
    [notice] = [report for report, _ in session.said if report.kind == "notice"]
    assert notice.sentence.startswith("nothing is steered here")


def test_changing_ones_mind_often_begins_one_lesson_at_a_time(session):
    following = session.stage.following
    for gentleness in np.linspace(0.2, 1.0, 30):
        session.apply(messages.Steer(gentleness=float(gentleness)), 1)
        assert sum(thread.name == "following" for thread in threading.enumerate()) <= 1
    following.wait()
    assert following._acting[0] == following.gentleness == 1.0


def test_other_settings_are_learnt_anew(session):
    session.apply(messages.Set(stiffness=1.5), 1)
    following = session.stage.following
    assert following.forces(session.stage.system, None) is None  # not before it knows how
    following.wait()
    run(session, 1.0)
    assert off_its_way(session) < 0.01
    session.apply(messages.Set(dt=0.005), 1)
    run(session, 0.1)
    following.wait()
    assert not following.failed
    assert following.forces(session.stage.system, None) is not None


def test_page_shows_it_and_a_person_changes_it(browser, source):
    """Frames go on while it learns; the button and the slider reach it."""
    with served({"startled": source}) as (live, address):
        page = browser.new_page(viewport=SMALL_WINDOW)
        viewer = Viewer(page, live, address).open()
        viewer.until(lambda: page.locator("#steer-section").is_visible())
        viewer.until(lambda: live.session.status.following.ready)
        live.submit(messages.Set(stiffness=1.2))
        viewer.until(lambda: not live.session.status.following.ready)
        began = live.session.stage.system.time
        viewer.until(lambda: live.session.status.following.ready)
        assert live.session.stage.system.time > began
        viewer.until(lambda: page.locator("#off-way").inner_text().endswith("mm off"))
        page.click("#steer")
        viewer.until(lambda: page.locator("#steer").inner_text() == "Left alone")
        assert not live.session.stage.following.on
        page.click("#steer")
        page.locator("#gentleness").fill("0.9")
        viewer.until(lambda: live.session.stage.following.gentleness > 5)
        viewer.until(lambda: live.session.status.following.gentleness > 5)
        page.close()
    assert not viewer.errors
