"""Worlds in the viewer: bodies are dragged, thrown in and dropped, settings are changed, recordings are whole."""

import json

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from live_viewing import SMALL_WINDOW, Viewer, served

import pliant as pl
from pliant.app import messages
from pliant.app.session import Session
from pliant.app.showing import source_of
from pliant.app.stage import Stage
from pliant.errors import ArgumentError
from pliant.export import write
from pliant.scenes import load_scene

WEIGHT = 64 * 9.81  # of a box of the stack [N]
FLOAT32 = 1e-6


@pytest.fixture
def session():
    source, said = source_of(load_scene("stack")), []
    made = Session({"stack": source}, lambda report, client: said.append(report), lambda work: work())
    made.stage = Stage("stack", source, source.build(None), made.new_number())
    made.playing, made.said = False, said
    return made


def errors(session):
    return [report.sentence for report in session.said if report.kind == "notice" and report.level == "error"]


def top_of(world):
    """A vertex on top of the highest body."""
    return int(np.argmax(world.vertices()[:, 1]))


def test_a_hand_lifts_a_body_and_no_more_than_its_force_allows(session):
    world = session.stage.system
    vertex = top_of(world)
    goal = world.vertices()[vertex] + np.array([0.5, 0.6, 0])
    session.apply(messages.Grab(vertex=vertex, target=tuple(goal.tolist())), 1)
    for _ in range(100):
        session.advance(3)
        assert np.linalg.norm(session.grips[1].force) < 20.1 * WEIGHT
    assert not errors(session)
    assert np.linalg.norm(world.vertices()[vertex] - goal) < 0.02
    session.apply(messages.Release(), 1)
    session.advance(20)
    assert world.vertices()[vertex, 1] < goal[1] - 0.01


def test_static_bodies_are_not_pulled():
    source = source_of(load_scene("slope"))
    stage = Stage("slope", source, source.build(None), 1)
    last = len(stage.rest) - 1  # of the slope
    with pytest.raises(ArgumentError, match="slope is static"):
        stage.system.hold(last, (0, 0, 0))


def test_sliders_of_a_world_change_it_in_place(session):
    world = session.stage.system
    session.apply(messages.Set(friction=0.2, restitution=0.4, substeps=2, sweeps=9, dt=0.004), 1)
    assert not errors(session)
    assert session.stage.system is world
    assert {body.friction for body in world.bodies} == {0.2}
    assert {body.restitution for body in world.bodies} == {0.4}
    assert (world.substeps, world.sweeps, world.dt) == (2, 9, 0.004)
    contacts = {"friction", "restitution", "substeps", "sweeps"}
    assert contacts | {"dt", "gravity", "stiffness"} == set(session.status.tunable)
    session.apply(messages.Defaults(), 1)
    assert (world.substeps, world.sweeps, world.bodies[0].friction) == (4, 6, 0.6)
    session.advance(5)


def test_gravity_and_stiffness_of_a_world_have_sliders(session):
    world = session.stage.system
    models = [body.model for body in world.bodies]
    session.apply(messages.Set(gravity=(0, -1.5, 0), stiffness=4.0), 1)
    assert not errors(session)
    assert session.stage.system is world
    np.testing.assert_array_equal(world.gravity, (0, -1.5, 0))
    np.testing.assert_allclose(world.bodies[0].model.stiffness(), 4 * models[0].stiffness())
    session.apply(messages.DropAnother(), 1)
    assert world.bodies[-1].model is world.bodies[0].model
    session.advance(5)
    session.apply(messages.Defaults(), 1)
    assert not errors(session)
    np.testing.assert_array_equal(world.gravity, (0, -9.81, 0))
    assert [body.model for body in world.bodies[:10]] == models
    session.apply(messages.Reset(), 1)
    session.advance(5)


def test_guests_come_in_their_own_colours_and_leave_at_the_start(session):
    world = session.stage.system
    start, colours, geometry = world.state(), world.colours, session.stage.geometry.number
    session.apply(messages.Throw(eye=(0, 2, 8), target=(0, 3.6, 0)), 1)
    session.apply(messages.DropAnother(), 1)
    assert [body.name for body in world.bodies[10:]] == ["guest 0", "guest 1"]
    assert world.bodies[11].model is world.bodies[1].model
    assert len(world.colours) == len(world.triangles) > len(colours)
    session.advance(100)
    assert world.bodies[10].centre[2] < 4.5  # it started 5.6 m before the stack
    session.tick(1e9)
    assert session.stage.geometry.number > geometry
    assert not session.bookmarks.can_undo
    session.apply(messages.Reset(), 1)
    assert not errors(session)
    assert len(world.bodies) == 10
    np.testing.assert_array_equal(world.colours, colours)
    np.testing.assert_array_equal(world.state()["t"], start["t"])
    session.advance(5)


def test_nothing_is_thrown_into_what_is_no_world():
    source = source_of(load_scene("spoon"))
    stage = Stage("spoon", source, source.build(None), 1)
    with pytest.raises(ArgumentError, match="nothing can be thrown into this scene"):
        stage.guests.drop()


def test_camera_stays_at_a_ground_and_follows_what_flies():
    assert source_of(load_scene("stack")).grounded
    assert source_of(load_scene("stack")).ground == 0.0
    assert not source_of(load_scene("cube")).grounded


def test_recordings_of_a_world_show_it_whole(tmp_path):
    world = load_scene("slope").build()
    recording = pl.record(world, 0.1, rate=20)
    np.testing.assert_allclose(recording.vertices(2), world.vertices(), atol=FLOAT32)
    assert recording.vertex_count == len(world.vertices())  # with the slope, which is no body of a part
    for ending in ("glb", "html", "gif"):
        write(recording, tmp_path / f"slope.{ending}", **({"size": (64, 48)} if ending == "gif" else {}))
        assert (tmp_path / f"slope.{ending}").stat().st_size > 1000
    data = (tmp_path / "slope.glb").read_bytes()
    length = int.from_bytes(data[12:16], "little")
    assert len(json.loads(data[20 : 20 + length])["nodes"]) >= 4  # three boxes that share a mesh, and the slope


PAIR = """
system = "world"
dt = 0.005
[[part]]
name = "box"
shape = { name = "box", size = [0.4, 0.4, 0.4], cells = [1, 1, 1] }
material = { model = "linear", young = 1e6 }
basis = { kind = "modes", size = 4 }
[[body]]
part = "box"
at = [0, 0.2, 0]
grid = [1, 2, 1]
spacing = 0.41
[[ground]]
[[obstacle]]
shape = { name = "box", size = [1, 0.2, 1] }
at = [1, 0.1, 0]
"""
places = st.tuples(*[st.floats(-100, 100)] * 3)
numbers = st.integers(0, 40)
orders = st.one_of(
    st.builds(messages.Throw, eye=places, target=places),
    st.sampled_from([messages.DropAnother, messages.Reset, messages.Undo, messages.Save, messages.Release]).map(
        lambda kind: kind()
    ),
    st.sampled_from([messages.Keep, messages.Free, messages.Defaults]).map(lambda kind: kind()),
    st.builds(messages.Load, state=st.integers(0, 2)),
    st.builds(messages.Grab, vertex=numbers, target=places),
    st.builds(messages.Move, target=places),
    st.builds(messages.Record, on=st.booleans()),
    st.builds(messages.Probe, vertices=st.tuples(numbers)),
    st.builds(
        messages.Set,
        friction=st.none() | st.floats(0, 10),
        restitution=st.none() | st.floats(0, 1),
        substeps=st.none() | st.integers(1, 8),
        sweeps=st.none() | st.integers(1, 20),
        dt=st.none() | st.floats(1e-4, 0.02),
    ),
)


@pytest.fixture(scope="module")
def pair(tmp_path_factory):
    path = tmp_path_factory.mktemp("pair") / "pair.toml"
    path.write_text(PAIR)
    return source_of(load_scene(path))


@settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
@given(given_orders=st.lists(orders, min_size=1, max_size=8))
def test_a_session_of_a_world_survives_any_commands(pair, given_orders):
    said = []
    session = Session({"pair": pair}, lambda report, client: said.append(report.text()), lambda work: None)
    session.stage = Stage("pair", pair, pair.build(None), session.new_number())
    for order in given_orders:
        session.apply(order, client=1)
        session.tick(1e9 + 0.001 * len(said))
        session.advance(3) if not session.diverged else None
    for text in said:
        assert "went wrong" not in json.loads(text).get("sentence", "")
    assert not session.stage.fault()
    world = session.stage.system
    assert len(world.colours) == len(world.triangles)


def test_a_person_drags_a_body_of_the_stack_on_the_page(browser):
    scenes = {"stack": source_of(load_scene("stack"))}
    with served(scenes) as (live, address):
        context = browser.new_context(viewport=SMALL_WINDOW)
        viewer = Viewer(context.new_page(), live, address).open()
        viewer.catch_up()
        world = live.session.stage.system
        vertex = top_of(world)
        on_page = viewer.page.evaluate("pliant.ids()").index(vertex)
        before = world.vertices()[vertex]
        x, y = viewer.page.evaluate(f"pliant.screenOf({on_page})")
        viewer.page.mouse.move(x, y + 4)
        viewer.page.mouse.down()
        viewer.page.mouse.move(x + 40, y - 10, steps=2)
        viewer.page.mouse.move(x + 80, y - 20, steps=2)
        viewer.until(lambda: viewer.state["pulling"] and world.vertices()[vertex, 0] > before[0] + 0.2)
        viewer.page.mouse.up()
        viewer.press("Throw a ball")
        viewer.until(lambda: len(world.bodies) == 11)
        viewer.catch_up()
        viewer.press("Reset")
        viewer.until(lambda: len(world.bodies) == 10)
        viewer.catch_up()
        context.close()
        assert not viewer.errors


EELS = """
system = "world"
dt = 0.01
damping = [0, 0.005]
[[part]]
name = "eel"
shape = { name = "bar", size = [2, 0.3, 0.3], cells = [8, 2, 2] }
material = { model = "linear", young = 1e6, poisson = 0.3, density = 1000 }
bones = { ends = [[[0.1, 0, 0], [0.9, 0, 0]], [[1.1, 0, 0], [1.9, 0, 0]]], modes = 9 }
[[body]]
part = "eel"
at = [0, 0.2, 0]
[[ground]]
"""


def test_characters_are_pulled_by_their_skin_and_dropped_whole(tmp_path):
    (tmp_path / "eels.toml").write_text(EELS)
    source = source_of(load_scene(tmp_path / "eels.toml"))
    stage = Stage("eels", source, source.build(None), 1)
    world = stage.system
    colours = world.colours
    stage.guests.drop()
    first, second = world.characters
    assert second.character is first.character
    assert second.bones[0].damping == first.bones[0].damping
    assert len(world.colours) == len(world.triangles) == 2 * len(colours)
    vertex = top_of(world)
    assert world.vertices()[vertex, 1] > 2
    world.hold(vertex, world.vertices()[vertex] + (0, 0.5, 0), limit=2 * 180 * 9.81)
    world.step(50)
    assert world.vertices()[vertex, 1] > 2
    assert second.gap() < 1e-6
    stage.guests.leave()
    assert len(world.characters) == 1
    assert len(world.bodies) == 3
    np.testing.assert_array_equal(world.colours, colours)
