"""What goes astray goes back to a calm state and plays on; what goes astray again and again is held."""

import time

import numpy as np
import pytest
from live_standins import SCENES, bar_solid, clamped_bar
from live_viewing import SMALL_WINDOW, Viewer, served
from test_live_session import make_session, sentences, tip_of

import pliant as pl
from pliant.app import messages
from pliant.app.holding import can_move
from pliant.app.recovery import IN_A_ROW, Recovery
from pliant.app.sources import SceneSource
from pliant.systems.playing import EachStep

TOO_MUCH = 1e7  # [N] on a bar that weighs 14 kg
HIT = 1.0  # [s] after which a bar is hit

pytestmark = [pytest.mark.filterwarnings("ignore:some cells"), pytest.mark.filterwarnings("ignore:dt =")]


class TooHard(EachStep):
    """Pushes the bar from some time on, where no hand holds it; no more, if once, after time went back."""

    def __init__(self, since=0.3, once=False):
        super().__init__(self.push)
        self.since, self.once, self.last = since, once, 0.0
        self.where = int(np.linalg.norm(bar_solid().mesh.vertices - [0.7, 0, 0], axis=1).argmin())

    def push(self, system):
        system.release()
        if self.once and self.last > max(self.since, system.time):
            self.since = np.inf
        self.last = system.time
        if system.time >= self.since:
            system.push([self.where], [[0.0, TOO_MUCH, 0.0]])


def once_astray():
    return SceneSource(clamped_bar, "A bar that is hit once", forces=lambda: TooHard(HIT, once=True))


def test_body_that_went_astray_is_let_go_calmed_and_plays_on():
    session = make_session(source=once_astray())
    system, energies = session.stage.system, []
    session.playing = True
    session.apply(messages.Grab(vertex=tip_of(session), target=(1.0, 0.3, 0.0)), 1)
    session.apply(messages.Keep(), 1)
    session.apply(messages.Grab(vertex=tip_of(session) - 20, target=(0.9, 0.3, 0.0)), 1)
    while session.grips:
        energies.append(system.energy())
        session.advance(20)
        assert system.time < 2 * HIT
    assert 0 < system.time < HIT, "a state from before the push"
    assert system.energy() <= max(energies)
    assert (session.playing, session.diverged, session.pins, system.holds) == (True, None, [], ())
    assert "astray" in sentences(session)[-1]
    hands = [report for report, client in session.said if report.kind == "hand" and client == 1]
    assert (hands[0].held, hands[-1].held) == (True, False)
    since, at = len(sentences(session)), system.time
    session.advance(1000)
    assert system.time == pytest.approx(at + 1.0)
    assert len(sentences(session)) == since, "nothing else is to be said"


def test_first_state_to_go_back_to_is_the_newest_of_the_calmer_half_then_the_calmest():
    system, recovery = clamped_bar(), Recovery()
    energies = [3.0, 1.0, 2.0, 5.0, 4.0, 9.0]
    for k, energy in enumerate(energies):
        system.time = float(k)
        system.energy = lambda energy=energy: energy
        recovery.note(system)
    assert recovery.put_back(system, 0.0)
    assert system.time == 2.0
    assert recovery.put_back(system, 1.0)
    assert system.time == 1.0


def test_push_that_is_always_too_large_is_stopped_after_three_times_and_reset_is_offered():
    source = SceneSource(clamped_bar, forces=TooHard)
    session = make_session(source=source)
    session.playing, now = True, time.monotonic()
    while session.playing:
        session.tick(now)
        now += 0.02
        assert now < time.monotonic() + 60
    assert len(sentences(session)) == 2, "twice it was put back and played on"
    assert "again and again" in session.status.diverged
    assert session.stage.system.time < 0.3, "what is seen is a state from before the push"
    session.apply(messages.Play(), 1)
    assert "reset" in sentences(session)[-1]
    session.apply(messages.Reset(), 1)
    session.apply(messages.Play(), 1)
    assert (session.playing, session.status.diverged, session.stage.system.time) == (True, None, 0)


def test_events_that_lie_far_apart_are_each_forgiven():
    system, recovery = clamped_bar(), Recovery()
    recovery.note(system)
    assert all(recovery.put_back(system, 2 * IN_A_ROW * k) for k in range(10))
    assert [recovery.put_back(system, 1000 + 0.1 * k) for k in range(3)] == [True, True, False]


@pytest.mark.parametrize("unit", [1.0, 1e-3, 1e3])
def test_points_are_fixed_where_the_scene_fixes_them_whatever_the_unit_and_the_stiffness(unit):
    for young in (1e2, 2e11):
        mesh = pl.shapes.bar((1.0 * unit, 0.12 * unit, 0.12 * unit), (12, 2, 2))
        solid = pl.Solid(mesh, pl.StVK(young, 0.3, 1000), fixed=mesh.select(f"x < {1e-9 * unit}"))
        model = pl.reduce(solid, pl.modal_basis(solid, modes=4, size=6))
        system = pl.Clamped(model, 1e-3, newton=1)
        movable = [v for v in np.unique(system.triangles) if can_move(system, int(v))]
        np.testing.assert_array_equal(movable, np.setdiff1d(np.unique(system.triangles), solid.fixed))


def test_page_says_that_it_is_back_lets_go_and_plays_on_until_it_is_too_often(browser):
    scenes = {"bar": SCENES["bar"], "hit": once_astray()}
    scenes["pushed"] = SceneSource(clamped_bar, "A bar that is pushed", forces=TooHard)
    with served(scenes) as (live, address):
        context = browser.new_context(viewport=SMALL_WINDOW)
        viewer = Viewer(context.new_page(), live, address).open()
        live.submit(messages.SwitchScene(name="hit"))
        viewer.until(lambda: viewer.session.stage.name == "hit")
        live.submit(messages.Reset())
        live.submit(messages.Pause())
        viewer.catch_up()
        viewer.settle()
        tip = viewer.page.evaluate(f"pliant.ids().indexOf({tip_of(viewer.session)})")
        x, y = viewer.page.evaluate(f"pliant.screenOf({tip})")
        viewer.page.mouse.move(x - 4, y + 4)
        viewer.page.mouse.down()
        viewer.until(lambda: viewer.page.evaluate("pliant.hand().spring"))
        live.submit(messages.Play())
        viewer.until(lambda: "astray" in viewer.page.locator("#notices").inner_text())
        viewer.until(lambda: not viewer.state["pulling"])
        assert not viewer.page.evaluate("pliant.hand().spring")
        assert not viewer.page.locator("#alert").is_visible()
        assert viewer.session.playing
        viewer.page.mouse.up()
        live.submit(messages.SwitchScene(name="pushed"))
        viewer.until(lambda: viewer.page.locator("#alert").is_visible())
        assert "again and again" in viewer.page.locator("#alert p").inner_text()
        assert viewer.page.locator("#alert").get_by_role("button", name="Reset").is_visible()
        context.close()
        assert not viewer.errors
