"""Contacts, proxies, joints and momentum of worlds on the page: told as they are, in bounds, and to those who ask."""

import base64

import numpy as np
import pytest
from live_viewing import SMALL_WINDOW, Viewer, served

import pliant as pl
from pliant.app import messages
from pliant.app.inspecting import MOST_ARROWS, MOST_PROXIES, inspected
from pliant.app.messages import decode
from pliant.app.session import Session
from pliant.app.showing import source_of
from pliant.app.stage import Stage
from pliant.errors import ArgumentError
from pliant.scenes import load_scene

ALL = frozenset({"contacts", "proxies", "joints", "islands", "charts"})
WEIGHT = 4 * 64 * 9.81  # of four boxes of 0.4 m and 1000 kg/m^3 [N]
FIVE_DIGITS = 1e-4
LARGEST = 100_000  # bytes of a report


@pytest.fixture(scope="module")
def stack():
    """Four boxes that came to rest on each other."""
    mesh = pl.shapes.bar((0.4, 0.4, 0.4), (2, 2, 2))
    world = pl.World(0.005)
    world.ground(friction=0.6)
    for k in range(4):
        world.add(pl.Rigid(mesh, 1000.0), (0, 0.2 + 0.4 * k, 0), friction=0.6)
    world.step(100)
    return world


def test_arrows_of_the_ground_bear_the_weight(stack):
    report = inspected(stack, ALL)
    rows = np.array(report.arrows)
    assert report.contacts == len(rows) == len(stack.contacts().depths)
    on_ground = rows[:, 1] < 0.1
    assert rows[on_ground, 4].sum() == pytest.approx(WEIGHT, rel=0.01)
    assert report.strongest == pytest.approx(np.linalg.norm(rows[:, 3:], axis=1).max(), rel=FIVE_DIGITS)
    assert (np.diff(np.linalg.norm(rows[:, 3:], axis=1)) <= FIVE_DIGITS * report.strongest).all()


def test_islands_tell_who_touches_and_who_sleeps():
    world = pl.World(0.01, sleeping=True)
    world.ground()
    box = pl.Rigid(pl.shapes.bar((0.4, 0.4, 0.4), (2, 2, 2)), 1000.0)
    for x, y in ((0.0, 0.2), (0.0, 0.6), (3.0, 0.2), (6.0, 9.0)):
        world.add(box, (x, y, 0.0))
    world.step(120)
    rows = np.array(inspected(world, frozenset({"islands"})).islands)
    np.testing.assert_allclose(rows[:, :3], [body.centre for body in world.bodies], rtol=FIVE_DIGITS, atol=FIVE_DIGITS)
    assert list(rows[:, 3]) == [0, 0, 2, 3]
    assert list(rows[:, 4]) == [1, 1, 1, 0]


def test_proxies_lie_on_the_bodies(stack):
    report = inspected(stack, frozenset({"proxies"}))
    points = np.frombuffer(base64.b64decode(report.proxies), "<f4").reshape(-1, 3)
    assert len(points) == report.proxy_count
    low, high = stack.vertices().min(axis=0), stack.vertices().max(axis=0)
    assert (points >= low - 1e-6).all()
    assert (points <= high + 1e-6).all()
    assert report.arrows == report.joints == ()
    assert report.contacts == 0


def test_reports_are_bounded_however_much_there_is():
    ball = pl.Rigid(pl.shapes.bar((0.4, 0.1, 0.4), (12, 1, 12)), 1000.0)
    world = pl.World(0.01)
    world.ground()
    for k in range(30):
        world.add(ball, (0.5 * (k % 6), 0.05, 0.5 * (k // 6)))
    world.step(3)
    report = inspected(world, ALL)
    assert report.contacts > MOST_ARROWS == len(report.arrows)
    assert report.proxy_count > MOST_PROXIES
    assert len(base64.b64decode(report.proxies)) <= 12 * MOST_PROXIES
    assert len(report.text()) < LARGEST


def test_joints_are_where_they_are_and_tell_motor_and_limits():
    world = pl.World(0.005)
    bar = pl.shapes.bar((1, 0.1, 0.1), (4, 1, 1))
    solid = pl.Solid(bar, pl.Linear(young=1e7, poisson=0.3, density=1000))
    arm = world.add(pl.reduce(solid, pl.Basis(pl.vibration_modes(solid, 4).vectors), force="linear"))
    ball = world.add(pl.Rigid(pl.shapes.bar((0.2, 0.2, 0.2), (1, 1, 1)), 1000.0), (0.9, -0.25, -0.05))
    world.join(arm, (0, 0, 0), kind="hinge", axis=(0, 0, 1), speed=2.0, torque=900.0, limits=(-0.5, 0.5))
    tip = world.join(arm, (1, 0, 0), ball, (0.1, 0.25, 0.05))
    world.step(30)
    hinge, point = inspected(world, ALL).joints
    assert (hinge.speed, hinge.torque, hinge.limits) == (2.0, 900.0, (-0.5, 0.5))
    np.testing.assert_allclose(hinge.place, 0, atol=1e-9)  # held there by the world
    np.testing.assert_allclose(np.abs(hinge.axis), (0, 0, 1), atol=1e-3)
    assert hinge.angle == world.joints[0].angle
    assert (point.axis, point.angle, point.torque) == (None, None, None)
    there = ball.position + ball.rotation @ (0.1, 0.25, 0.05)
    np.testing.assert_allclose(point.place, there, atol=1e-4)  # of the arm, bent as it is
    assert point.force == pytest.approx(np.linalg.norm(tip.force))


def test_systems_among_bodies_are_told_of_like_others():
    mesh = pl.shapes.bar((1, 0.1, 0.1), (8, 1, 1))
    solid = pl.Solid(mesh, pl.StVK(young=1e7, poisson=0.3, density=1000), fixed=mesh.select("x < 0.01"))
    down = (0, -9.81, 0)
    held = pl.Clamped(pl.reduce(solid, pl.modal_basis(solid, 4, 8)), 0.002, damping=(0, 2e-3), gravity=down)
    world = pl.World(0.004, gravity=down, substeps=2)
    world.add(held, name="bar")
    world.add(pl.Rigid(pl.shapes.bar((0.1, 0.1, 0.1), (1, 1, 1)), 500.0), (0.7, 0.1, 0))
    world.step(50)
    report = inspected(world, ALL)
    np.testing.assert_array_equal(report.momentum, world.momentum()[0])
    assert report.contacts == len(report.arrows) == len(world.contacts().depths) > 0
    points = np.frombuffer(base64.b64decode(report.proxies), "<f4").reshape(-1, 3)
    assert points[:, 1].min() == pytest.approx(world.vertices()[:, 1].min(), abs=1e-6)


def test_momentum_is_that_of_the_world(stack):
    report = inspected(stack, frozenset({"charts"}))
    np.testing.assert_array_equal(report.momentum, stack.momentum()[0])
    np.testing.assert_array_equal(report.angular, stack.momentum()[1])


def test_steps_are_timed_for_those_who_look_at_charts():
    source = source_of(load_scene("stack"))
    stage = Stage("stack", source, source.build(None), 1)
    session = Session({"stack": source}, lambda *_: None, lambda work: work())
    inspecting, world = session.inspecting, stage.system
    inspecting.want(1, ["contacts"], stage)
    assert not world.timed
    inspecting.want(2, ["charts"], stage)
    world.step(3)
    stages = inspecting.report(stage, 1e6).stages
    assert stages["search"] > 0
    assert 0 < sum(stages.values()) < 1
    inspecting.want(2, [], stage)
    assert not world.timed


def test_reports_go_to_those_who_ask_as_long_as_they_do():
    source, said = source_of(load_scene("stack")), []
    session = Session({"stack": source}, lambda report, client: said.append((report.kind, client)), lambda work: work())
    session.stage = Stage("stack", source, source.build(None), session.new_number())
    session.playing = False

    def told(now):
        said.clear()
        session.tick(now)
        return [client for kind, client in said if kind == "inspect"]

    assert session.status.can_inspect is False  # until it is told anew
    assert told(1e6) == []
    session.apply(messages.Inspect(what=("contacts",)), 1)
    session.apply(messages.Inspect(what=("charts", "joints")), 2)
    assert told(1e6 + 1) == [1, 2]
    session.apply(messages.Inspect(what=()), 1)
    assert told(1e6 + 2) == [2]
    session.depart(2)
    assert told(1e6 + 3) == []


def test_nothing_is_told_where_nothing_touches():
    source = source_of(load_scene("spoon"))
    stage = Stage("spoon", source, source.build(None), 1)
    session = Session({"spoon": source}, lambda *_: None, lambda work: work())
    with pytest.raises(ArgumentError, match="nothing touches in this scene"):
        session.inspecting.want(1, ["contacts"], stage)


def test_pages_may_ask_for_what_there_is_alone():
    assert decode('{"kind": "inspect", "what": ["contacts", "joints"]}').what == ("contacts", "joints")
    with pytest.raises(ArgumentError, match="inspect"):
        decode('{"kind": "inspect", "what": ["shadows"]}')


def test_a_person_sees_arrows_joints_and_charts(browser):
    scenes = {"machine": source_of(load_scene("machine")), "dominoes": source_of(load_scene("dominoes"))}
    with served(scenes) as (live, address):
        context = browser.new_context(viewport=SMALL_WINDOW)
        viewer = Viewer(context.new_page(), live, address).open()
        viewer.catch_up()
        shown = lambda: viewer.page.evaluate("pliant.inspection()")  # noqa: E731
        assert shown()["report"] is None
        viewer.press("Islands")
        viewer.press("Joints")
        viewer.press("Charts")
        viewer.until(lambda: shown()["joints"] == 4)
        assert shown()["marks"] == len(shown()["report"]["islands"]) > 0
        assert "motor 6.28 1/s with at most 2 kN m" in viewer.page.inner_text("#inspect-joints-list")
        viewer.until(lambda: viewer.page.inner_text("#inspect-momentum-value").endswith("N s"))
        viewer.until(lambda: viewer.page.inner_text("#inspect-stages-value").endswith("s"))
        stages = viewer.page.inner_text("#inspect-stages-list")
        assert all(name in stages for name in ("search", "rows", "sweeps", "flight", "drawing"))
        live.submit(messages.SwitchScene(name="dominoes"))
        viewer.until(lambda: viewer.state["status"]["scene"] == "dominoes")
        viewer.catch_up()
        viewer.press("Arrows")
        viewer.press("Proxies")
        viewer.until(lambda: shown()["arrows"] > 10)
        assert "contacts press" in viewer.page.inner_text("#inspect-note")
        assert "; none asleep." in viewer.page.inner_text("#inspect-note")
        for name in ("Arrows", "Proxies", "Joints", "Islands", "Charts"):
            viewer.press(name)
        viewer.until(lambda: shown()["report"] is None and not live.session.inspecting.clients)
        assert not live.session.stage.system.timed
        assert shown()["arrows"] == 0
        context.close()
        assert not viewer.errors
