"""What scene files say of worlds: parts by number, exact obstacles, the force that bears a body, moving obstacles."""

import meshio
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import pliant as pl
from pliant.collide import box, capsule, sphere
from pliant.errors import PliantError
from pliant.export import write
from pliant.mesh.winding import signed_distances
from pliant.numerics import rotation_exponential
from pliant.scenes import load_scene
from pliant.scenes.field_building import depths_in, fields_of_scene
from pliant.scenes.obstacle_building import build_obstacle, within
from pliant.scenes.reading import parse_scene
from pliant.scenes.world_measures import Depths, contact_forces
from pliant.scenes.world_tables import ObstacleTable

G, DENSITY = 9.81, 1000.0
HEAD = """
system = "world"
dt = 0.005
duration = 0.6
damping = [0, 0.002]
"""
BOX = """
[[part]]
shape = { name = "box", size = [0.4, 0.2, 0.4], cells = [2, 1, 2] }
material = { model = "linear", young = 1e6, density = 1000 }
basis = { kind = "modes", size = 4 }
"""
BALL = """
[[part]]
shape = { name = "sphere", radius = 0.1, cells = 6 }
material = { density = 1000 }
rigid = true
"""
WEIGHT = 0.4 * 0.2 * 0.4 * DENSITY * G


def written(folder, text):
    (folder / "scene.toml").write_text(HEAD + text)
    return load_scene(folder / "scene.toml")


def test_parts_are_named_by_their_numbers(tmp_path):
    scene = written(tmp_path, BOX + BALL + "[[body]]\npart = 1\nat = [0, 1, 0]\n[[body]]\npart = 0\nname = 'lower'\n")
    assert [part.name for part in scene.file.part] == ["part 0", "part 1"]
    assert [body.name for body in scene.build().bodies] == ["part 1", "lower"]
    again = scene.changed(duration=1.0)
    assert [body.part for body in again.file.body] == ["part 1", "part 0"]


def test_a_lone_part_keeps_its_name():
    text = 'system = "world"\n[[part]]\nshape = "spoon"\n[[body]]\npart = 0\n'
    assert parse_scene(text.encode()).body[0].part == "part"


STACK = """
[[body]]
part = 0
name = "low"
at = [0, 0.1, 0]
[[body]]
part = 0
name = "top"
at = [0, 0.3, 0]
[[ground]]
[[check]]
measure = "contact force"
body = "*"
value = {value}
within = 0.01
"""


def test_contact_force_is_the_weight_of_what_rests(tmp_path):
    scene = written(tmp_path, BOX + STACK.format(value=WEIGHT))
    world = scene.build()
    [verdict] = scene.verify(scene.watch(world))
    assert verdict.holds, str(verdict)
    # Of each: what is below bears both, and what is above presses it by one weight.
    np.testing.assert_allclose(contact_forces(world)["low"], (0, WEIGHT, 0), atol=0.02 * WEIGHT)
    wrong = written(tmp_path, BOX + STACK.format(value=1.05 * WEIGHT))
    assert not wrong.verify(wrong.watch(wrong.build()))[0].holds


EXACT = """
[[body]]
part = 0
name = "ball"
at = [{x}, {y}, 0]
friction = 0.8
[[obstacle]]
name = "stone"
shape = {shape}
exact = true
friction = 0.8
[[check]]
measure = "penetration"
within = 0.001
"""


@pytest.mark.parametrize(
    ("shape", "top"),
    [
        ('{ name = "box", size = [2, 0.4, 2] }', 0.2),
        ('{ name = "sphere", radius = 3 }', 3.0),
        ('{ name = "capsule", radius = 0.5, length = 2 }', 1.5),
        ('{ name = "plane" }', 0.0),
    ],
)
def test_exact_obstacles_bear_what_lies_on_them(tmp_path, shape, top):
    scene = written(tmp_path, BALL + EXACT.format(shape=shape, x=0, y=top + 0.1))
    world = scene.build()
    track = scene.watch(world, 0.2)
    assert scene.verify(track)[0].holds
    lowest = world.bodies[0].vertices()[:, 1].min()
    assert lowest == pytest.approx(top, abs=1e-3)
    assert world.force_between(world.bodies[0])[1] == pytest.approx(world.bodies[0].mass * G, rel=0.05)
    for stone in world.bodies[1:]:  # the drawing is not touched, and close
        assert not world.force_between(world.bodies[0], stone).any()
        assert stone.vertices()[:, 1].max() == pytest.approx(top, rel=0.03)
    assert len(world.bodies) == (1 if "plane" in shape else 2)


def test_a_turned_plane_is_a_slope(tmp_path):
    """Without friction, a = g sin cos along x."""
    text = BALL + "[[body]]\npart = 0\nat = [0, 0.116, 0]\nfriction = 0\n"
    text += "[[obstacle]]\nshape = { name = 'plane' }\nturn = [0, 0, -30]\nfriction = 0\n"
    scene = written(tmp_path, text)
    world = scene.build()
    world.step(20)
    x, v = world.bodies[0].centre[0], world.bodies[0].velocity[0]
    world.step(100)
    t = 100 * world.dt
    wanted = x + v * t + 0.5 * G * np.sin(np.pi / 6) * np.cos(np.pi / 6) * t**2
    assert world.bodies[0].centre[0] == pytest.approx(wanted, rel=0.02)


numbers = st.floats(-2, 2)


@given(point=st.tuples(numbers, numbers, numbers), turn=st.tuples(numbers, numbers, numbers))
def test_depths_are_distances_to_the_surface(point, turn):
    """Against a formula for the ball, and against points of fine surfaces for the others: within their coarseness."""
    x, R = np.array([point]), rotation_exponential(np.array(turn))
    assert depths_in(sphere(0.7, (0.1, 0, 0)), x)[0] == pytest.approx(0.7 - np.linalg.norm(x[0] - (0.1, 0, 0)))
    for made, shape in (
        (box((1, 2, 3), (0.2, 0, 0), R), {"name": "box", "size": [1, 2, 3]}),
        (capsule(0.5, 2, (0.2, 0, 0), R), {"name": "capsule", "radius": 0.5, "length": 2}),
    ):
        surface = build_obstacle(ObstacleTable(shape=shape), None)
        local = (x - np.array((0.2, 0, 0))) @ R
        assert depths_in(made, x)[0] == pytest.approx(-signed_distances(surface, local)[0], abs=0.02)


def test_the_drawing_of_a_field_lies_inside_it():
    surface = build_obstacle(ObstacleTable(shape={"name": "box", "size": [1, 2, 4]}), None)
    np.testing.assert_allclose(np.abs(within(surface).vertices).max(axis=0), (0.49, 0.99, 1.99))


def test_bodies_that_a_joint_holds_together_are_not_in_each_other(tmp_path):
    text = BOX + "[[body]]\npart = 0\nname = 'a'\n[[body]]\npart = 0\nname = 'b'\nat = [0.38, 0.06, 0.05]\n"
    apart, joined = text, text + "[[joint]]\nbodies = ['a', 'b']\nat = [0.175, 0, 0]\n"
    depths = []
    for each in (apart, joined):
        scene = written(tmp_path, each)
        depths.append(Depths(scene.build(), fields_of_scene(scene.file)).deepest())
    assert depths[0] == pytest.approx(0.02)
    assert depths[1] == 0


def test_depths_are_found_however_deep(tmp_path):
    """A corner at -0.01, between faces at -0.1 and 0.1."""
    text = "[[body]]\npart = 0\nname = 'a'\n[[body]]\npart = 0\nname = 'b'\nat = [0.12, 0.09, 0.12]\n"
    assert Depths(written(tmp_path, BOX + text).build(), ()).deepest() == pytest.approx(0.09)


def test_bodies_of_one_group_pass_through_each_other(tmp_path):
    text = "[[body]]\npart = 0\nname = 'a'\ngroup = {}\nvelocity = [2, 0, 0]\n[[body]]\npart = 0\nname = 'b'\n"
    text += "at = [0.5, 0, 0]\ngroup = 3\n[[check]]\nmeasure = 'penetration'\nwithin = 0.001\n"
    for group, passes in ((3, True), (4, False)):
        scene = written(tmp_path, "gravity = [0, 0, 0]\n" + BALL + text.format(group))
        world = scene.build()
        track = scene.watch(world)
        assert (world.bodies[0].centre[0] > world.bodies[1].centre[0]) == passes
        assert scene.verify(track)[0].holds


MOVING = """
[[body]]
part = 0
at = [0, 0.1, 0]
[[ground]]
[[obstacle]]
name = "still"
shape = { name = "box", size = [1, 0.2, 1] }
at = [2, 0.1, 0]
[[obstacle]]
name = "gate"
shape = { name = "box", size = [0.2, 0.2, 0.2] }
path = [{ time = 0, at = [-1, 0.3, 0] }, { time = 1, at = [-2, 0.3, 0], turn = [0, 90, 0] }]
"""


def test_recordings_have_obstacles_that_stand_and_that_move(tmp_path):
    scene = written(tmp_path, BALL + MOVING)
    world = scene.build()
    recording = pl.record(world, 0.5, rate=10)
    ball, still, gate = np.split(
        np.arange(len(world.vertices())), np.cumsum([len(b.model.X) for b in world.bodies])[:2]
    )
    first, last = recording.vertices(0), recording.vertices(recording.frame_count - 1)
    np.testing.assert_allclose(last[still], first[still], atol=1e-6)
    np.testing.assert_allclose(first[gate].mean(axis=0), (-1, 0.3, 0), atol=1e-6)
    np.testing.assert_allclose(last[gate].mean(axis=0), (-1.5, 0.3, 0), atol=1e-6)
    assert len(ball)
    for ending in ("glb", "vtu", "npz"):
        write(recording, tmp_path / f"gate.{ending}")
    moved = meshio.read(sorted(tmp_path.glob("gate*.vtu"))[-1]).points
    np.testing.assert_allclose(moved[gate].mean(axis=0), (-1.5, 0.3, 0), atol=1e-5)


def test_a_world_with_obstacles_has_a_mesh_and_wears_surfaces_beside_them(tmp_path):
    world = written(tmp_path, BALL + MOVING).build()
    world.wear(None)
    mesh, solid = world.mesh, world.bodies[0].model.mesh
    assert mesh.vertex_count == len(world.vertices())
    assert mesh.cell_count == solid.cell_count  # obstacles have none
    np.testing.assert_allclose(mesh.vertices[: solid.vertex_count], solid.vertices)
    world.wear(pl.Surface(solid.vertices, solid.surface))
    world.step(20)
    ball, *shells = world.bodies
    drawn = world.vertices()
    np.testing.assert_allclose(drawn, np.concatenate([body.vertices() for body in (ball, *shells)]), atol=1e-9)
    assert len(world.triangles) == len(solid.surface) + sum(len(shell.model.triangles) for shell in shells)


def test_refusals_of_worlds_name_what_they_are_about(tmp_path):
    with pytest.raises(PliantError, match="names 'wall', which is none of"):
        written(tmp_path, BOX + '[[body]]\npart = 0\n[paint]\n"wall" = "#ffffff"\n').build()


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        ("[[obstacle]]\nshape = { name = [] }\n", r"one of box, .*; \[\] was given"),
        ("[[obstacle]]\nshape = { name = { x = 1 } }\n", "was given"),
        (
            f"[[obstacle]]\nshape = {{ name = 'sphere', radius = 1{'0' * 400} }}\n",
            r"above zero, and at most 1e\+09 m; 1000.*\.\.\.0+ was given",
        ),
        (
            "[[body]]\npart = 0\npath = [{ time = 0, turned = [0, 0, 1] }]\n",
            r"body\[0\].path\[0\].turned: unknown key; did you mean turn\?",
        ),
        (
            "[part.bones]\nends = [[0, 0, 0]]\nposes = [{ at = [0, 0, 0], radius = 1, pushed = [0, 0, 0] }]\n",
            r"part\[0\].bones.poses\[0\].pushed: unknown key; did you mean push\?",
        ),
    ],
)
def test_wrong_keys_of_worlds_are_told_with_their_place(tmp_path, lines, said):
    with pytest.raises(PliantError, match=said):
        written(tmp_path, BALL + lines)


def test_joints_farther_away_than_numbers_reach_are_refused(tmp_path):
    text = BALL + '[[body]]\npart = 0\n[[joint]]\nbodies = ["part"]\nat = [0, 1e300, 0]\n'
    with pytest.raises(PliantError, match=r"within 1e\+50 m of the origin"):
        written(tmp_path, text).build().step()
