"""What pages hear: hits of a world and presses of a pointer, and the tones that come out of the bank."""

import numpy as np
import pytest
from live_viewing import SMALL_WINDOW, Viewer, served

from pliant.app import messages
from pliant.app.session import Session
from pliant.app.showing import source_of
from pliant.app.stage import Stage
from pliant.scenes import load_scene

A5 = 880.0
# A bar of wood is silent after half a second, and a busy machine may look later than that.
KEEP_LOUDEST = """() => {
  [window.most, window.kept] = [0, []];
  setInterval(() => {
    const samples = pliant.heard();
    const most = samples.reduce((loudest, x) => Math.max(loudest, Math.abs(x)), 0);
    if (most >= window.most) [window.most, window.kept] = [most, samples];
  }, 30);
}"""


@pytest.fixture(scope="module")
def source():
    return source_of(load_scene("xylophone"))


@pytest.fixture
def session(source):
    said = []
    made = Session({"xylophone": source}, lambda report, client: said.append((report, client)), lambda work: work())
    made.stage = Stage("xylophone", source, source.build(None), made.new_number())
    made.playing, made.said = False, said
    return made


def heard(session, kind):
    return [report for report, _ in session.said if report.kind == kind]


def vertex_of(session, name):
    """A vertex in the middle of a bar, on top."""
    world = session.stage.system
    [bar] = [body for body in world.bodies if body.name == name]
    middle = bar.vertices().mean(axis=0) + np.array([0, 0.02, 0])
    return int(np.argmin(np.linalg.norm(world.vertices() - middle, axis=1)))


def test_pages_that_listen_are_told_modes_and_hits(session):
    session.apply(messages.Listen(on=True), 1)
    [report] = heard(session, "voices")
    names = [voice.name for voice in report.voices]
    assert names == ["c5", "d5", "e5", "f5", "g5", "a5", "b5", "c6"]
    assert report.voices[5].frequencies[0] == pytest.approx(A5, rel=0.01)
    dt, substeps = session.stage.system.dt, session.stage.system.substeps
    session.advance(round(0.55 / dt))  # the first ball has fallen
    session._sound(session.stage)
    assert (session.stage.system.dt, session.stage.system.substeps) == (dt, substeps)
    [hits] = heard(session, "hits")
    assert {int(hit[0]) for hit in hits.hits} == {0}
    assert len(hits.hits[0]) == 2 + len(report.voices[0].frequencies)
    session.apply(messages.Listen(on=False), 1)
    session.advance(round(0.2 / dt))
    session._sound(session.stage)
    assert len(heard(session, "hits")) == 1


def test_pressing_a_bar_strikes_it_and_says_nothing_else(session):
    session.apply(messages.Listen(on=True), 1)
    vertex = vertex_of(session, "a5")
    session.apply(messages.Strike(vertex=vertex), 1)
    session.apply(messages.Grab(vertex=vertex, target=(0, 0, 0)), 1)
    session._sound(session.stage)
    [hits] = heard(session, "hits")
    assert [hit[0] for hit in hits.hits] == [5]
    assert not heard(session, "notice")


def test_silent_scenes_say_so(session):
    silent = source_of(load_scene("spoon"))
    session.stage = Stage("spoon", silent, silent.build(None), 2)
    session.apply(messages.Listen(on=True), 1)
    [notice] = heard(session, "notice")
    assert notice.sentence.startswith("nothing sounds here")


def test_note_comes_out_of_the_bank(browser, source):
    """The page's own samples: a bar that is pressed sounds its note, in well under 50 ms of latency."""
    with served({"xylophone": source}) as (live, address):
        page = browser.new_page(viewport=SMALL_WINDOW)
        viewer = Viewer(page, live, address).open()
        page.click("#play")  # it is held, so that nothing else is heard
        page.click("#sound")
        viewer.until(lambda: page.evaluate("pliant.sound().voices.length === 8 && pliant.sound().state === 'running'"))
        page.evaluate(KEEP_LOUDEST)
        vertex = vertex_of(live.session, "a5")
        page.mouse.click(*page.evaluate(f"pliant.screenOf(pliant.ids().indexOf({vertex}))"))
        viewer.until(lambda: page.evaluate("pliant.sound().hits > 0"))
        viewer.until(lambda: page.evaluate("window.most > 0.01"))
        page.wait_for_timeout(300)
        samples, facts = np.array(page.evaluate("window.kept")), page.evaluate("pliant.sound()")
        page.close()
    assert not viewer.errors
    spectrum = np.abs(np.fft.rfft(samples * np.hanning(len(samples))))
    loudest = np.argmax(spectrum) * facts["rate"] / len(samples)
    assert loudest == pytest.approx(A5, rel=0.01)
    assert facts["latency"] < 0.05
