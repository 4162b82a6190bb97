"""Worlds in scene files: they step and keep their claims, name bodies, and say no in one sentence."""

import numpy as np
import pytest

import pliant as pl
from pliant.errors import PliantError
from pliant.scenes import load_scene
from pliant.scenes.copies import copies_of
from pliant.scenes.field_building import fields_of_scene
from pliant.scenes.obstacle_building import build_obstacle
from pliant.scenes.paths import path_of
from pliant.scenes.place_tables import BodyTable
from pliant.scenes.reading import parse_scene
from pliant.scenes.world_measures import Depths
from pliant.scenes.world_tables import ObstacleTable, PathTable

ROUNDING = 1e-12
G = 9.81
BOX = """
system = "world"
dt = 0.005
duration = 0.5
damping = [0, 0.001]
[[part]]
name = "box"
shape = { name = "box", size = [0.4, 0.4, 0.4], cells = [1, 1, 1] }
material = { model = "linear", young = 1e6 }
basis = { kind = "modes", size = 5 }  # no fewer: two pairs are equal, and half a pair warps a cube
"""
PARTS = (
    BOX
    + """
[[part]]
name = "ball"
shape = { name = "sphere", radius = 0.1, cells = 2 }
rigid = true
"""
)
TOWER = (
    PARTS
    + """
[world]
spacing = 0.2
friction = 0.6
restitution = 0.1
[[body]]
part = "box"
at = [0, 0.2, 0]
grid = [1, 2, 1]
spacing = 0.4
[[body]]
part = "ball"
at = [1, 2, 0]
friction = 0.1
[[body]]
part = "ball"
name = "lift"
path = [{ time = 0, at = [2, 1, 0] }, { time = 0.5, at = [2, 2, 0], turn = [0, 90, 0] }]
[[ground]]
friction = 0.7
[[obstacle]]
name = "wall"
shape = { name = "box", size = [0.1, 1, 1] }
at = [-1, 0.5, 0]
[[push]]
where = "box 1: x > 0"
force = [5, 0, 0]
until = 0.1
[[hold]]
where = "ball: x > -9"
to = [0, 0.2, 0]
from = 0.3
[[probe]]
name = "ball"
where = "ball: x > -9"
[[probe]]
name = "lift"
where = "lift: x > -9"
[[check]]
measure = "tilt"
body = "box *"
within = 1
[[check]]
measure = "penetration"
within = 0.005
[[check]]
probe = "lift"
measure = "final"
value = 1
within = 1e-6
[paint]
"box *" = "#336699"
"wall" = "#ffffff"
"""
)


def written(folder, text):
    path = folder / "test.toml"
    path.write_text(text)
    return load_scene(path)


@pytest.fixture(scope="module")
def tower(tmp_path_factory):
    return written(tmp_path_factory.mktemp("world"), TOWER)


def test_a_world_has_the_bodies_of_its_file_in_a_row(tower):
    world = tower.build()
    assert isinstance(world, pl.World)
    assert [body.name for body in world.bodies] == ["box 0", "box 1", "ball", "lift", "wall"]
    assert [body.kind for body in world.bodies] == ["free", "free", "free", "kinematic", "static"]
    assert world.bodies[0].model is world.bodies[1].model
    assert world.bodies[2].model.size == 0
    assert [body.friction for body in world.bodies] == [0.6, 0.6, 0.1, 0.6, 0.6]
    np.testing.assert_allclose(world.bodies[1].position, [0, 0.6, 0], atol=ROUNDING)
    n = len(tower.rest)
    np.testing.assert_allclose(world.vertices("mesh")[:n], tower.rest, atol=ROUNDING)
    assert tower.floor == 0.0


def test_a_world_keeps_its_claims_and_its_hands_take_the_body_they_name(tower):
    world = tower.build()
    track = tower.watch(world)
    verdicts = tower.verify(track)
    assert all(verdict.holds for verdict in verdicts), "; ".join(map(str, verdicts))
    last = int(np.searchsorted(track.times, 0.3)) - 1
    fallen = track.values["ball"][last]
    assert fallen == pytest.approx(-0.5 * G * track.times[last] ** 2, rel=1e-9)
    assert track.values["ball"][-1] > fallen  # the hand has it; else it would be at -1.2 m
    moved = next(body for body in world.bodies if body.name == "box 1")
    assert moved.centre[0] >= 0


def test_a_world_is_painted_body_by_body(tower):
    world = tower.build()
    colours = np.round(255 * world.colours).astype(int)
    assert colours[0].tolist() == [0x33, 0x66, 0x99]
    assert colours[-1].tolist() == [255, 255, 255]
    assert len(np.unique(colours, axis=0)) == 4  # boxes, ball, lift, wall


def test_a_world_survives_being_saved_as_a_file(tower, tmp_path):
    tower.save(tmp_path / "again.toml")
    assert load_scene(tmp_path / "again.toml").file == tower.file


def test_joints_of_a_file_hold(tmp_path):
    text = BOX + (
        '[[body]]\npart = "box"\nat = [0, 1, 0]\n'
        '[[body]]\npart = "box"\nname = "other"\nat = [0.5, 1, 0]\ngroup = 1\n'
        '[[joint]]\nbodies = ["box"]\nat = [-0.2, 1, 0]\nkind = "hinge"\naxis = [0, 0, 1]\nlimits = [-20, 20]\n'
        '[[joint]]\nbodies = ["box", "other"]\nat = [0.25, 1, 0]\n'
        '[[check]]\nmeasure = "joint gap"\nwithin = 1e-6\n'
    )
    scene = written(tmp_path, text)
    world = scene.build()
    verdicts = scene.verify(scene.watch(world))
    assert all(verdict.holds for verdict in verdicts), "; ".join(map(str, verdicts))
    assert world.joints[0].angle < np.radians(20.5)
    assert world.bodies[0].centre[1] < 1  # it hangs down


def test_bodies_wear_the_skins_of_their_parts(tmp_path):
    ball = pl.sdf.sphere(0.15).surface(0.05)
    pl.Surface(ball.vertices, ball.triangles).write(tmp_path / "ball.obj")
    text = PARTS.replace('name = "box"\nshape', 'name = "box"\nskin = "ball.obj"\nshape') + (
        '[[body]]\npart = "box"\nat = [0, 1, 0]\n[[body]]\npart = "ball"\nat = [1, 1, 0]\n'
        '[[obstacle]]\nshape = { name = "sphere", radius = 0.2 }\nat = [0, 0, 0]\n'
    )
    world = written(tmp_path, text).build()
    world.step(4)
    drawn = world.vertices()[: len(ball.vertices)]
    assert np.linalg.norm(drawn - [0, world.bodies[0].centre[1], 0], axis=1).max() < 0.16
    assert len(world.colours) == len(world.triangles) > len(ball.triangles)


def test_a_grid_makes_copies_layer_by_layer():
    table = BodyTable(part="a", at=(1, 0, 0), grid=(2, 2, 1), spacing=0.5, count=3, turn=(0, 90, 0))
    copies = copies_of(table)
    assert [copy.label for copy in copies] == ["a 0", "a 1", "a 2"]
    assert [copy.at for copy in copies] == [(1, 0, 0), (1.5, 0, 0), (1, 0.5, 0)]
    assert {copy.turn for copy in copies} == {(0, 90, 0)}
    assert BodyTable(part="a", count=512, spacing=1).places == (8, 8, 8)
    assert BodyTable(part="a", count=30, spacing=1).places == (4, 2, 4)
    assert len(copies_of(BodyTable(part="a", count=30, spacing=1))) == 30
    shaken = BodyTable(part="a", grid=(4, 4, 4), spacing=1, jitter=0.1, jitter_turn=30, seed=2)
    assert copies_of(shaken) == copies_of(shaken)
    off = np.array([copy.at for copy in copies_of(shaken)]) % 1
    assert 0.05 < np.minimum(off, 1 - off).max() <= 0.1
    assert 5 < max(np.linalg.norm(copy.turn) for copy in copies_of(shaken)) <= 30


def test_a_path_goes_evenly_between_its_keys():
    path = path_of([PathTable(time=1, at=(0, 0, 0)), PathTable(time=3, at=(2, 0, 0), turn=(0, 0, 90))])
    for time, x, angle in [(0, 0, 0), (1, 0, 0), (2, 1, 45), (3, 2, 90), (9, 2, 90)]:
        place, R = path(time)
        np.testing.assert_allclose(place, [x, 0, 0], atol=ROUNDING)
        assert np.degrees(np.arctan2(R[1, 0], R[0, 0])) == pytest.approx(angle)


@pytest.mark.parametrize(
    ("shape", "volume", "within"),
    [
        ({"name": "box", "size": [1, 2, 3]}, 6, 1e-12),
        ({"name": "sphere", "radius": 0.5}, np.pi / 6, 0.03),
        ({"name": "capsule", "radius": 0.5, "length": 2}, np.pi / 6 + np.pi / 2, 0.03),
    ],
)
def test_obstacles_have_the_volume_of_their_shape_outside_out(shape, volume, within):
    surface = build_obstacle(ObstacleTable(shape=shape), None)
    assert surface.volume == pytest.approx(volume, rel=within)
    edges = np.concatenate([surface.triangles[:, [0, 1]], surface.triangles[:, [1, 2]], surface.triangles[:, [2, 0]]])
    assert {tuple(edge) for edge in edges} == {tuple(edge[::-1]) for edge in edges}  # closed


def test_depth_is_that_of_the_deepest_corner(tmp_path):
    scene = written(tmp_path, BOX + '[[body]]\npart = "box"\nat = [0, 0.19, 0]\n'
                    '[[body]]\npart = "box"\nname = "top"\nat = [0.1, 0.57, 0.1]\n[[ground]]\n')  # fmt: skip
    world = scene.build()
    assert Depths(world, fields_of_scene(scene.file)).deepest() == pytest.approx(0.02)
    assert Depths(world, ()).deepest() == pytest.approx(0.02)
    world.bodies[1].position = (0.1, 0.6, 0.1)
    assert Depths(world, fields_of_scene(scene.file)).deepest() == pytest.approx(0.01)


ALONE = '[[body]]\npart = "box"\n'
BOTH = ALONE + '[[body]]\npart = "ball"\n'


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (ALONE + "friction = -1", r"body\[0\].friction: should be greater than or equal to 0"),
        (ALONE + "restitution = 1.5", r"body\[0\].restitution: should be less than or equal to 1"),
        (ALONE + 'kind = "flying"', r"body\[0\].kind: should be 'free', 'held', 'kinematic' or 'static'"),
        (ALONE + 'kind = "kinematic"', "a kinematic body needs a path"),
        (ALONE + "grid = [2, 2, 2]", "spacing goes with grid or count"),
        (ALONE + "grid = [2, 1, 1]\nspacing = 1\ncount = 3", "count is of the places of grid; 3 was given"),
        (ALONE + "path = [{ time = 1 }, { time = 1 }]", "times of a path must rise"),
        (ALONE + '[[joint]]\nbodies = ["box", "bax"]\nat = [0, 0, 0]', "names 'bax', which is none of the bodies box"),
        (ALONE + '[[joint]]\nbodies = ["box"]\nat = [0, 0, 0]\nkind = "hinge"', "a hinge needs an axis"),
        (ALONE + '[[joint]]\nbodies = ["box"]\nat = [0, 0, 0]\ntorque = 2', 'torque is for kind = "hinge"'),
        (
            ALONE + '[[joint]]\nbodies = ["box"]\nat = [0, 0, 0]\nkind = "hinge"\naxis = [0, 0, 1]\nlimits = [10, 20]',
            r"an angle of 0 between them; \[10.0, 20.0\] was given",
        ),
        (ALONE + "[[ground]]\nnormal = [0, 0, 0]", "normal must have a direction"),
        (ALONE + "[[ground]]\nfriction = -0.1", r"ground\[0\].friction: should be greater than or equal to 0"),
        (ALONE + "[[obstacle]]", "give shape or surface"),
        (ALONE + '[[obstacle]]\nshape = { name = "cone" }', "one of box, sphere, capsule, plane; 'cone' was given"),
        (
            ALONE + '[[obstacle]]\nshape = { name = "sphere", radius = -1 }',
            "sphere must be above zero, and at most .*; -1 was given",
        ),
        (ALONE + '[[obstacle]]\nsurface = "a.obj"\nexact = true', "exact is for a shape that stands still"),
        (ALONE + '[[obstacle]]\nshape = { name = "plane" }\npath = [{ time = 0 }]', "a plane stands still"),
        (ALONE + '[[obstacle]]\nshape = { name = "plane", size = 1 }', "a plane takes name"),
        (ALONE + '[[check]]\nmeasure = "contact force"\nbody = "box"\nwithin = 1', "needs a value"),
        (ALONE + '[[check]]\nmeasure = "contact force"\nvalue = 1\nwithin = 1', "needs a body"),
        ("[[body]]\npart = 2", r"body\[0\].part is 2; there are 2 parts, counted from 0"),
        ("[[body]]\npart = -1", r"body\[0\].part is -1"),
        (ALONE + "[world]\nsweeps = 0", "world.sweeps: should be greater than or equal to 1"),
        (ALONE + 'system = "full"', 'may be "clamped", "seams", "tree" there'),
        (ALONE + '[[check]]\nmeasure = "tilt"\nwithin = 1', "needs a body"),
        (ALONE + "[wind]\nvelocity = [1, 0, 0]", "wind is for"),
    ],
)
def test_mistakes_in_a_world_are_said_in_a_sentence(text, sentence):
    with pytest.raises(PliantError, match=sentence):
        parse_scene((PARTS + text).encode())


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("[[ground]]", r'\[\[ground\]\] tables are for system = "world"'),
        ('[[body]]\npart = "box"\nfriction = 0.2', r'body\[0\].friction is for system = "world"'),
        ('[[check]]\nmeasure = "penetration"\nwithin = 1', "is of bodies that share a space"),
    ],
)
def test_other_kinds_know_nothing_of_worlds(text, sentence):
    part = '[[part]]\nname = "box"\nshape = "spoon"\nfixed = "x < 0.01"\n'
    with pytest.raises(PliantError, match=sentence):
        parse_scene((part + text).encode())


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (BOTH + '[[push]]\nwhere = "bax: x > 0"\nforce = [1, 0, 0]', "names 'bax', which is none of"),
        (BOTH + '[paint]\n"bax" = "#ffffff"', "paint names 'bax', which is none of the bodies"),
        (ALONE + 'kind = "held"', "its model has no fixed vertices"),
        (ALONE + 'name = "a"\nat = [0, 1, 0]\n[[obstacle]]\nname = "a"\nshape = { name = "sphere", radius = 1 }',
         "a body is named 'a' already"),
    ],
)  # fmt: skip
def test_what_only_the_bodies_can_tell_is_said_when_it_is_built(text, sentence, tmp_path):
    with pytest.raises(PliantError, match=sentence):
        written(tmp_path, (PARTS if '"ball"' in text else BOX) + text).build()
