"""Scenes of several bodies: kinds, skins, colours, pushes, probes and hands of their own."""

import numpy as np
import pytest

import pliant as pl
from pliant.app.holding import Grip
from pliant.app.running import record_scene
from pliant.app.sources import SceneSource
from pliant.app.stage import Stage
from pliant.errors import ArgumentError, PliantError, SceneError, SelectionError
from pliant.scenes import load_scene
from pliant.scenes.reading import parse_scene

SUMS = 1e-12
G = 9.81

BAR = """
[[part]]
name = "bar"
shape = { name = "bar", size = [1, 0.1, 0.1], cells = [8, 2, 2] }
material = { young = 2e6, density = 500 }
fixed = "x < 0.01"
basis = { modes = 4, size = 8 }
cut = 2
"""
STICK = """
[[part]]
name = "stick"
shape = { name = "bar", size = [0.6, 0.06, 0.06], cells = [6, 1, 1] }
material = { young = 2e6 }
cut = 2
"""
THREE = (
    'dt = 0.005\nduration = 0.4\ndamping = [0, 0.001]\n'
    'seams = { force = "linear", soft = 0, order = 1 }\ntree = { size = 12 }\n'
    + BAR
    + STICK
    + """
[[body]]
part = "bar"
name = "spoon"
[[body]]
part = "stick"
system = "seams"
at = [0, 1, 0.5]
turn = [0, 90, 0]
velocity = [1, 3, 0]
spin = [0, 0, 2]
[[body]]
part = "bar"
name = "reed"
system = "tree"
at = [2, 0, 0]
turn = [0, 0, 90]
[[push]]
where = "spoon: x > 0.99"
force = [0, -5, 0]
[[push]]
where = "reed: x > 0.99"
force = [0, 0, 3]
[[probe]]
name = "spoon tip"
where = "spoon: x > 0.99"
[[probe]]
name = "stick"
where = "stick: x < 9"
[[probe]]
name = "reed tip"
where = "reed: x > 0.99"
axis = "z"
"""
)  # fmt: skip


def written(folder, text):
    path = folder / "test.toml"
    path.write_text(text)
    return load_scene(path)


@pytest.fixture(scope="module")
def three(tmp_path_factory):
    folder = tmp_path_factory.mktemp("bodies")
    ball = pl.sdf.sphere(0.03).surface(0.02)
    for name, x in (("bar", 0.5), ("stick", 0.3)):
        pl.Surface(ball.vertices + np.array([x, 0, 0]), ball.triangles).write(folder / f"{name}.obj")
    return written(folder, THREE)


def test_bodies_stand_where_the_scene_puts_them(three):
    spoon, stick, reed = three.bodies
    assert [body.name for body in three.bodies] == ["spoon", "stick", "reed"]
    np.testing.assert_allclose(spoon.mesh.bounds, [[0, -0.05, -0.05], [1, 0.05, 0.05]], atol=SUMS)
    np.testing.assert_allclose(stick.mesh.bounds, [[-0.03, 0.97, -0.1], [0.03, 1.03, 0.5]], atol=SUMS)
    np.testing.assert_allclose(reed.mesh.bounds, [[1.95, 0, -0.05], [2.05, 1, 0.05]], atol=SUMS)
    # Held where its part says, in the coordinates of the part: the foot of the reed, not its left side.
    np.testing.assert_allclose(reed.solid.mesh.vertices[reed.solid.fixed, 1], 0, atol=SUMS)
    assert three.mesh.vertex_count == sum(body.mesh.vertex_count for body in three.bodies)
    with pytest.raises(SceneError, match="several bodies, spoon, stick, reed; ask one of scene.bodies"):
        _ = three.solid


def test_bodies_of_three_kinds_move_as_each_does_alone(three):
    system = three.build()
    track = three.watch(system)
    assert [type(each).__name__ for each in system.systems] == ["Clamped", "Seams", "Tree"]
    alone = []
    for body in three.bodies:
        table = body.table.model_dump(exclude_unset=True)
        own = [
            p.model_dump(by_alias=True, exclude_unset=True) for p in three.file.push if p.where.startswith(body.name)
        ]
        probes = [p.model_dump(exclude_unset=True) for p in three.file.probe if p.where.startswith(body.name)]
        single = three.changed(body=[table], push=own, probe=probes, check=[])
        each = single.build()
        for name, values in single.watch(each).values.items():
            assert values == track.values[name]
        alone.append(each)
    np.testing.assert_array_equal(system.vertices(), np.concatenate([each.vertices() for each in alone]))
    P, L = system.momentum()
    expected = sum(np.concatenate([*each.momentum(), [each.energy()]]) for each in alone)
    np.testing.assert_allclose(np.concatenate([P, L, [system.energy()]]), expected, rtol=SUMS, atol=SUMS)


def test_thrown_body_flies_a_parabola(three):
    """Its centre: v t - g t^2 / 2, and its momentum m (v - g t), whatever the others do."""
    system = three.build()
    times, heights = (lambda track: (np.array(track.times), np.array(track.values["stick"])))(three.watch(system))
    mass = three.bodies[1].solid.lumped_mass[::3].sum()
    np.testing.assert_allclose(system.systems[1].momentum()[0], mass * np.array([1, 3 - G * times[-1], 0]), atol=1e-9)
    # The mean of the vertices of a stick that bends a little is not quite its centre of mass.
    np.testing.assert_allclose(heights, 3 * times - G * times**2 / 2, atol=2e-3)


def test_every_body_wears_its_own_skin_and_colours(three):
    dressed = three.changed(
        part=[{"skin": "bar.obj"}, {"skin": "stick.obj"}], paint={"stick": "#ff0000", "reed: x > 0.5": "#00ff00"}
    )
    half = three.changed(part=[{"skin": "bar.obj"}])
    ball = pl.read_surface(three.folder / "bar.obj")
    system = dressed.build()
    assert len(system.vertices()) == 3 * len(ball.vertices)
    assert len(half.build().triangles) == 2 * len(ball.triangles) + len(three.bodies[1].mesh.surface)
    stick = len(ball.triangles) + np.arange(len(ball.triangles))
    np.testing.assert_array_equal(np.unique(system.colours[stick], axis=0), [[1, 0, 0]])
    assert (system.colours[stick[-1] + 1 :] == [0, 1, 0]).all(axis=1).any()
    tracks = [scene.watch(each, 0.1).values for scene, each in ((three, three.build()), (dressed, system))]
    assert tracks[0] == tracks[1]
    middles = system.vertices().reshape(3, -1, 3).mean(axis=1)
    np.testing.assert_allclose(middles[1], system.systems[1].vertices("mesh").mean(axis=0), atol=2e-3)


def test_one_body_with_and_without_a_table_moves_the_same(tmp_path):
    text = "dt = 0.005\nduration = 0.3\n" + BAR + '[[push]]\nwhere = "x > 0.99"\nforce = [0, 3, 1]\n'
    plain = written(tmp_path, text)
    for table in ('[[body]]\npart = "bar"\n', '[[body]]\npart = "bar"\nname = "rod"\nat = [0, 0, 0]\n'):
        tabled = written(tmp_path, text + table)
        systems = [scene.build() for scene in (plain, tabled)]
        for scene, system in zip((plain, tabled), systems):
            scene.watch(system)
        assert type(systems[1]) is pl.Clamped
        np.testing.assert_array_equal(systems[0].vertices(), systems[1].vertices())
    named = text.replace('"x > 0.99"', '"rod: x > 0.99"') + '[[body]]\npart = "bar"\nname = "rod"\n'
    np.testing.assert_array_equal(written(tmp_path, named).schedule.vertices, plain.schedule.vertices)


def test_turned_body_is_the_same_body_in_turned_gravity(tmp_path):
    """Turning the body by R is turning the world by R^T."""
    head = "dt = 0.005\nduration = 0.3\n"
    upright = written(tmp_path, head + BAR + '[[body]]\npart = "bar"\nturn = [0, 0, 30]\nat = [1, 2, 3]\n')
    c, s = np.cos(np.pi / 6), np.sin(np.pi / 6)
    R = np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]])
    tilted = written(tmp_path, head + f"gravity = {(R.T @ [0, -G, 0]).tolist()}\n" + BAR)
    x, y = (scene.build() for scene in (upright, tilted))
    for scene, system in ((upright, x), (tilted, y)):
        scene.watch(system)
    moved = np.abs(y.vertices() - tilted.mesh.vertices).max()
    assert moved > 0.01
    np.testing.assert_allclose(x.vertices(), y.vertices() @ R.T + [1, 2, 3], atol=1e-6 * moved)


def test_sketched_loads_turn_with_the_body(tmp_path):
    part = BAR.replace(
        "basis = { modes = 4, size = 8 }",
        'basis = { kind = "sketch", loads = [{ where = "x > 0.99", force = [0, 9, 0] }] }',
    )
    body = '[[body]]\npart = "bar"\nturn = [90, 0, 0]\n'
    shapes = [written(tmp_path, text).build().model.U.reshape(-1, 3) for text in (part, part + body)]
    turned = np.stack([shapes[0][:, 0], -shapes[0][:, 2], shapes[0][:, 1]], axis=1)
    turned *= np.sign((turned * shapes[1]).sum())
    np.testing.assert_allclose(shapes[1], turned, atol=1e-6 * np.abs(turned).max())


def test_patterns_mean_several_bodies(three):
    both = three.changed(push=[{"where": "*e*: x > 0.99", "force": [0, 1, 0]}], probe=[], check=[])
    [ids] = both.schedule.vertices
    firsts = np.cumsum([0] + [body.mesh.vertex_count for body in three.bodies])
    assert set(np.searchsorted(firsts, ids, side="right") - 1) == {2}
    everyone = three.changed(push=[{"where": "*: x > 0.55", "force": [0, 1, 0]}], probe=[], check=[])
    assert set(np.searchsorted(firsts, everyone.schedule.vertices[0], side="right") - 1) == {0, 1, 2}


def test_hands_hold_their_body(three):
    """The stick is held as it is alone, and the others do not feel it."""
    hold = {"where": "stick: x > 0.59", "to": [0, 0.1, 0], "over": 0.2, "until": 0.3}
    scene, [probe] = three.changed(hold=[hold]), [p for p in three.file.probe if p.name == "stick"]
    stick = three.bodies[1].table.model_dump(exclude_unset=True)
    alone = scene.changed(body=[stick], push=[], probe=[probe.model_dump(exclude_unset=True)])
    tracks = [each.watch(each.build()).values for each in (scene, alone, three)]
    assert tracks[0]["stick"] == tracks[1]["stick"] != tracks[2]["stick"]
    assert tracks[0]["reed tip"] == tracks[2]["reed tip"]
    turn = {"between": ["part 0", "part 1"], "to": [0, 0, 10], "body": "spoon"}
    with pytest.raises(PliantError, match=r"spoon is clamped, which knows no \[\[turn\]\]"):
        three.changed(turn=[turn]).build()


@pytest.mark.parametrize(
    ("old", "new", "error", "message"),
    [
        (
            '"spoon: x > 0.99"',
            '"x > 0.99"',
            SelectionError,
            "must name a body of spoon, stick, reed, as in .spoon: ...",
        ),
        ('"spoon: x > 0.99"', '"fork: x > 0.99"', SelectionError, "names 'fork', which is none of spoon, stick, reed"),
        ('"spoon: x > 0.99"', '"spoon: x > 9"', SelectionError, "selects no vertex"),
        ('name = "spoon"', 'name = "reed"', SceneError, "two bodies are called 'reed'"),
        ('name = "spoon"', 'name = "a: b"', SceneError, "leave out signs that selections use"),
        ('part = "stick"\nsystem', 'part = "twig"\nsystem', SceneError, "'twig' is none of the parts bar, stick"),
        ('system = "tree"', 'system = "bush"', SceneError, r"body\[2\].system should be 'clamped'"),
        (
            'name = "spoon"',
            'name = "spoon"\nvelocity = [1, 0, 0]',
            ArgumentError,
            "spoon: velocity and spin are for bodies that fly",
        ),
        ('system = "seams"\n', "", ArgumentError, r"part\[1\].fixed is missing"),
    ],
)
def test_bodies_that_cannot_be_say_why(tmp_path, old, new, error, message):
    with pytest.raises(error, match=message):
        scene = written(tmp_path, THREE.replace(old, new, 1))
        scene.watch(scene.build(), 0.01)


def test_more_parts_need_bodies_or_places():
    with pytest.raises(SceneError, match=r"more than one part needs \[\[body\]\] or \[\[place\]\]"):
        parse_scene((BAR + STICK).encode())


def test_assembly_can_be_one_of_several_bodies(tmp_path):
    text = BAR + '[[part]]\nname = "oak"\nassembly = "oak"\n[[body]]\npart = "bar"\n'
    moved = written(tmp_path, text + '[[body]]\npart = "oak"\nsystem = "tree"\nat = [5, 0, 0]\nturn = [0, 90, 0]\n')
    oak = load_scene("oak").mesh.vertices
    np.testing.assert_allclose(
        moved.bodies[1].mesh.vertices, np.stack([oak[:, 2] + 5, oak[:, 1], -oak[:, 0]], axis=1), atol=1e-9
    )
    np.testing.assert_allclose(moved.bodies[1].assembly.mesh.vertices, moved.bodies[1].mesh.vertices, atol=1e-9)


MIXED = """
dt = 0.01
[[part]]
name = "hexes"
shape = { name = "bar", size = [1, 0.1, 0.1], cells = [8, 1, 1], kind = "hex" }
fixed = "x < 0.01"
basis = { modes = 3, size = 5 }
skin = "ball.obj"
[[part]]
name = "tets"
shape = { name = "bar", size = [1, 0.1, 0.1], cells = [8, 1, 1] }
fixed = "x < 0.01"
basis = { modes = 3, size = 5 }
[[body]]
part = "hexes"
[[body]]
part = "tets"
at = [0, 0.5, 0]
system = "clamped"
[[probe]]
name = "tip"
where = "tets: x > 0.99"
"""


@pytest.mark.parametrize("kind", ["clamped", "full"])
def test_tets_and_hexes_live_side_by_side_and_can_be_touched(tmp_path, kind):
    """What is drawn of both can be recorded, pulled and put back, though no one mesh holds both."""
    ball = pl.sdf.sphere(0.04).surface(0.02)
    pl.Surface(ball.vertices + np.array([0.9, 0, 0]), ball.triangles).write(tmp_path / "ball.obj")
    scene = written(tmp_path, MIXED.replace('system = "clamped"', f'system = "{kind}"'))
    base = scene.build()
    stage = Stage("two", SceneSource(lambda _: base, forces=lambda: scene.schedule), base, 1)
    tip = len(ball.vertices) + int(np.argmax(scene.bodies[1].mesh.vertices[:, 0]))
    start = base.vertices()
    stage.advance(20, [Grip(base, tip, start[tip] + [0, 0.3, 0])])
    untouched = scene.build()
    untouched.step(20)
    assert base.vertices()[tip, 1] > untouched.vertices()[tip, 1] + 0.01
    assert np.array_equal(base.systems[0].vertices(), untouched.systems[0].vertices())
    assert len(stage.frame(1)) > 100
    stage.reset()
    np.testing.assert_array_equal(base.vertices(), start)
    recording = record_scene(scene, 0.1, 20)
    assert recording.triangles.shape == (len(ball.triangles) + len(scene.bodies[1].mesh.surface), 3)
    with pytest.raises(SceneError, match="cells of different kinds cannot be joined"):
        _ = scene.mesh
