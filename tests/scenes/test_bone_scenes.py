"""Characters in scene files: bones of parts, their skins among other bodies, and bones that are led."""

import re
from pathlib import Path

import numpy as np
import pytest
from rig_writing import write_rig

import pliant as pl
from pliant.app.comparison_methods import methods
from pliant.errors import PliantError
from pliant.scenes import Scene, load_scene
from pliant.scenes.world_measures import deepest_fold, edge_angles

GALLERY = Path(pl.__file__).parent / "scenes" / "gallery"

SCENE = """
system = "world"
dt = 0.01
duration = 0.3
gravity = [0, 0, 0]
damping = [0, 0.005]

[[part]]
name = "box"
shape = { name = "box", size = [0.2, 0.2, 0.2], cells = [1, 1, 1] }
rigid = true

[[part]]
name = "eel"
shape = { name = "bar", size = [2, 0.3, 0.3], cells = [8, 2, 2] }
material = { model = "linear", young = 1e6, poisson = 0.3, density = 1000 }
bones = { ends = [[[0.1, 0, 0], [0.9, 0, 0]], [[1.1, 0, 0], [1.9, 0, 0]]], names = ["head", "tail"], modes = 9%s }

[[body]]
part = "box"
at = [0, 3, 0]

[[body]]
part = "eel"
at = [0, 1, 0]
turn = [0, 30, 0]

[[body]]
part = "eel"
name = "other"
at = [0, -1, 0]
velocity = [0, 0, 1]

[[probe]]
name = "tip"
where = "other: x > 1.99"
axis = "z"

[[check]]
measure = "joint gap"
within = 1e-8
"""
PUSH = """
[[push]]
where = "eel: x > 1.99"
force = [0, 2, 0]
"""
HEAD = ', kinds = { head = "kinematic" }'
DRIVE = """
[[drive]]
body = "eel"
bone = "head"
path = [{ time = 0, at = [0, 1, 0], turn = [0, 30, 0] }, { time = 0.3, at = [0, 1.6, 0], turn = [0, 90, 0] }]
"""
ROUNDING = 1e-9


@pytest.fixture
def scene(tmp_path):
    def made(bones="", more=""):
        path = tmp_path / "eels.toml"
        path.write_text(SCENE % bones + more)
        return load_scene(path)

    return made


def test_vertices_of_skins_are_found_among_those_of_bones(scene):
    made = scene()
    world = made.build()
    assert np.allclose(made.rest, world.vertices(), atol=ROUNDING)
    box, eel, other = made.bodies
    first, second = world.characters
    assert (first.skin.name, second.skin.name) == (eel.name, other.name)
    assert np.allclose(first.vertices(), eel.mesh.vertices, atol=ROUNDING)
    assert world.bodies[0].name == box.name
    track = made.watch(world)
    assert track.values["tip"][-1] == pytest.approx(0.3, rel=1e-9)  # it flies 1 m/s
    assert all(verdict.holds for verdict in made.verify(track))


def test_pushes_on_a_skin_go_to_its_bones_in_full(scene):
    made = scene(more=PUSH)
    world = made.build()
    still = world.characters[1].momentum()[0]
    made.watch(world)
    pushed, other = world.characters
    assert np.allclose(pushed.momentum()[0], (0, 2 * 0.3, 0), atol=ROUNDING)
    assert np.allclose(other.momentum()[0], still, atol=1e-9 * np.linalg.norm(still))


def test_a_driven_bone_goes_its_way_and_takes_the_others_along(scene):
    made = scene(HEAD, DRIVE)
    world = made.build()
    made.watch(world)
    placed = world.characters[0]
    head = placed.character.bones[0]
    own = head.vertices[head.weights > 0.999]
    X = made.bodies[1].shape.vertices[own]
    turned = np.array([[0, 0, 1], [0, 1, 0], [-1, 0, 0]])  # by 90 degrees about y
    assert np.allclose(placed.vertices()[own], X @ turned.T + (0, 1.6, 0), atol=1e-6)
    assert placed.gap() < 1e-6
    assert placed.vertices()[:, 1].mean() > 1.1


def test_a_hand_takes_a_skin(scene):
    made = scene(more='[[hold]]\nwhere = "eel: x > 1.99"\nto = [0, 0.2, 0]\nuntil = 0.2\n')
    world = made.build()
    before = world.characters[0].vertices()
    made.watch(world)
    assert np.abs(world.characters[0].vertices() - before)[:, 1].max() > 0.1


def test_characters_wear_surfaces_and_have_their_paint(scene, tmp_path):
    made = scene()
    surface = made.bodies[1].shape
    lines = [f"v {x} {y} {z}" for x, y, z in surface.vertices] + [
        f"f {a + 1} {b + 1} {c + 1}" for a, b, c in surface.surface
    ]
    (tmp_path / "skin.obj").write_text("\n".join(lines))
    text = (tmp_path / "eels.toml").read_text().replace('name = "eel"\n', 'name = "eel"\nskin = "skin.obj"\n')
    (tmp_path / "worn.toml").write_text(text + '[paint]\n"eel" = "#ff0000"\n')
    dressed = load_scene(tmp_path / "worn.toml")
    world = dressed.build()
    eel = dressed.bodies[1].stand.points(surface.vertices)
    drawn = world.vertices()
    assert all(np.linalg.norm(drawn - x, axis=1).min() < 1e-6 for x in eel)
    assert len(world.triangles) == len(made.bodies[0].shape.surface) + 2 * len(surface.surface)


def test_bones_are_for_worlds(tmp_path):
    path = tmp_path / "wrong.toml"
    path.write_text((SCENE % "").replace('"world"', '"clamped"').partition("[[check]]")[0])
    with pytest.raises(PliantError, match='bones is for system = "world"'):
        load_scene(path)


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("modes = 9", 'skeleton = "x.tgf"', "give one of ends, skeleton and count"),
        ('"tail"]', '"tail", "fin"]', "names must be one a bone"),
        ("modes = 9", 'kinds = { fin = "rigid" }', "names the bone 'fin'"),
        ('part = "eel"\nat', 'part = "eel"\nkind = "static"\nat', "has bones, so it has no kind"),
        ("bones =", "rigid = true\nbones =", "does not go with bones"),
        ("[[probe]]", DRIVE.replace('"eel"', '"box"') + "[[probe]]", "bodies with bones are eel, other"),
        ("[[probe]]", DRIVE + "[[probe]]", "only kinematic bones are driven"),
        ("[[probe]]", DRIVE.replace('"head"', '"fin"') + "[[probe]]", "there is no bone 'fin'"),
    ],
)
def test_what_bones_cannot_be_is_said(tmp_path, old, new, words):
    path = tmp_path / "wrong.toml"
    path.write_text((SCENE % "").replace(old, new, 1))
    with pytest.raises(PliantError, match=words):
        load_scene(path).build()


def test_a_character_is_compared_with_one_body_and_with_parts():
    scene = load_scene("bones-fish")
    known = methods()
    for name in ("full", "tree", "seams"):
        other = known[name](scene)
        assert other.file.part[0].bones is None
        assert not [check for check in other.file.check if check.measure == "joint gap"]
    one = known["one-body"](scene)
    assert one.file.part[0].basis.size == 40  # four bones of ten modes
    assert known["bones"](scene).file.part[0].bones == scene.file.part[0].bones
    with pytest.raises(PliantError, match="has no bones"):
        known["one-body"](load_scene("cube"))


def test_one_body_swells_where_bones_do_not():
    """[MC15] Fig. 6: linear modes of one body cannot turn far; those of bones turn with their frames."""
    scene = load_scene("noodle")
    one = methods()["one-body"](scene)
    bound = next(check.within for check in scene.file.check if check.measure == "volume")
    swellings = one.watch(one.build(), 0.9, every=10).swellings
    assert max(swellings) > 40 * bound


def test_skins_touch_by_a_proxy_and_themselves_as_the_file_says(tmp_path):
    path = tmp_path / "folded.toml"
    text = (SCENE % "").replace("bones =", "proxy = 20\nbones =")
    path.write_text(text.replace('name = "other"\n', 'name = "other"\nself_collision = true\n'))
    first, second = load_scene(path).build().characters
    assert len(first.proxy.vertices) < 40 < len(first.character.solid.mesh.surface_vertices)
    assert [placed.skin.model.touching for placed in (first, second)] == [None, 0.0]


def test_patches_of_a_skin_pull_at_each_other_and_move_nothing_as_a_whole(scene):
    patches = '{ where = "x > 1.99", pull = 40 }, { where = "x < 0.01" }'
    made = scene(more=f'[[actuate]]\nbody = "eel"\npatches = [{patches}]\n')
    world = made.build()
    made.watch(world)
    moved = world.characters[0]
    ends = [placed.vertices()[:, 0].max() - placed.vertices()[:, 0].min() for placed in world.characters]
    assert np.abs(np.concatenate(moved.momentum())).max() < ROUNDING
    assert ends[1] == pytest.approx(2, abs=1e-9)
    assert ends[0] != pytest.approx(2, abs=1e-6)
    assert moved.energy() > 1e-6


def test_a_rig_gives_bones_and_its_clip_leads_them(tmp_path):
    rig = pl.read_rig(write_rig(tmp_path / "arm.glb"))
    lines = [f"v {x} {y} {z}" for x, y, z in rig.surface.vertices]
    lines += [f"f {a + 1} {b + 1} {c + 1}" for a, b, c in rig.surface.triangles]
    (tmp_path / "arm.obj").write_text("\n".join(lines))
    text = """
system = "world"
dt = 0.01
duration = 0.5
gravity = [0, 0, 0]
[[part]]
name = "arm"
surface = "arm.obj"
voxels = 16
material = { model = "linear", young = 1e6 }
bones = { weights = "arm.glb", modes = 12, kinds = { upper = "static", lower = "kinematic" } }
[[body]]
part = "arm"
[[drive]]
body = "arm"
clip = "wave"
"""
    (tmp_path / "arm.toml").write_text(text)
    made = load_scene(tmp_path / "arm.toml")
    world = made.build()
    [placed] = world.characters
    assert [bone.name for bone in placed.character.bones] == list(rig.names)
    world.step(50)
    _, turned = rig.clips["wave"].path("lower")(world.time)
    np.testing.assert_allclose(placed.bone("lower").rotation, turned, atol=1e-9)
    for old, new, words in (
        ('"wave"', '"run"', "has no clip 'run'; it has wave"),
        ('"arm.glb"', '"heat", ends = [[0.5, 1, 0], [1.5, 1, 0]], names = ["upper", "lower"]', "needs bones of a rig"),
        ("voxels", "scale = 2\nvoxels", "leave out scale"),
        ('"arm.glb"', '"arm.obj"', "or a .glb file"),
    ):
        (tmp_path / "wrong.toml").write_text(text.replace(old, new, 1))
        with pytest.raises(PliantError, match=words):
            load_scene(tmp_path / "wrong.toml").build()


def test_rods_that_are_joined_gape_where_bones_of_one_skin_do_not():
    """[MC15] Fig. 7: faces of two rods that lay on each other, against edges of the skin."""
    world = load_scene("rods").build()
    first, second = world.bodies[:2]
    end, begin = np.flatnonzero(first.model.X[:, 0] > 0.8 - 1e-9), np.flatnonzero(second.model.X[:, 0] < 1e-9)
    partner = [begin[np.argmin(np.abs(second.model.X[begin, 1:] - y).sum(axis=1))] for y in first.model.X[end, 1:]]
    [rod] = world.characters
    surface, X = rod.character.solid.mesh.surface, rod.character.solid.mesh.vertices
    lengths = lambda x: np.linalg.norm(x[surface] - x[np.roll(surface, 1, axis=1)], axis=2)  # noqa: E731
    gape, stretch = 0.0, 0.0
    for _ in range(16):
        world.step(10)
        gape = max(gape, np.linalg.norm(first.vertices()[end] - second.vertices()[partner], axis=1).max())
        stretch = max(stretch, (lengths(rod.vertices()) / lengths(X)).max())
    assert gape > 0.1
    assert stretch < 1.5


def test_a_sculpted_pose_is_the_dent_of_a_punch(tmp_path):
    """The hit that leaves a dent of four centimetres makes one of millimetres where there are modes alone."""
    scene = load_scene("punch")
    text = (GALLERY / "punch.toml").read_text()
    (tmp_path / "modes.toml").write_text(re.sub("poses = .*", "", text))
    deepest = {}
    for name, each in (("pose", scene), ("modes", load_scene(tmp_path / "modes.toml"))):
        world = each.build()
        [placed] = world.characters
        X = placed.character.solid.mesh.vertices
        hit = np.flatnonzero(np.linalg.norm(X - [0, 0.47, 0.12], axis=1) < 0.06)
        behind = np.flatnonzero((np.abs(X[:, 1] - 0.47) < 0.06) & (X[:, 2] < -0.09))
        deepest[name] = 0.0
        for _ in range(30):
            world.step(4)
            u = (placed.vertices() - X)[:, 2]
            deepest[name] = max(deepest[name], u[behind].mean() - u[hit].mean())
    assert deepest["pose"] > 0.04
    assert deepest["modes"] < 0.01
    (tmp_path / "beside.toml").write_text(text.replace("at = [0, 0.47, 0.12]", "at = [0, 9, 0]"))
    with pytest.raises(PliantError, match="moves no vertex"):
        load_scene(tmp_path / "beside.toml").build()


def test_a_belly_jiggles_on_the_walk_of_an_artist():
    """Against the same doll whose belly is led as well."""
    scene = load_scene("walk")
    [part] = scene.file.part
    all_led = part.bones.model_copy(update={"kinds": part.bones.kinds | {"belly": "kinematic"}})
    file = scene.file.model_copy(update={"part": [part.model_copy(update={"bones": all_led})]})
    soft, hard = scene.build(), Scene("led", file, GALLERY).build()
    [placed], [other] = soft.characters, hard.characters
    X = placed.character.solid.mesh.vertices
    front = np.flatnonzero((X[:, 2] > 0.1) & (np.abs(X[:, 1] - 0.47) < 0.06))
    up = []
    for _ in range(40):
        soft.step(10)
        hard.step(10)
        up.append((placed.vertices() - other.vertices())[front, 1].mean())
    assert np.ptp(up[10:]) > 0.01
    legs = X[:, 1] < 0.1
    np.testing.assert_allclose(placed.vertices()[legs], other.vertices()[legs], atol=1e-3)


def test_roughness_is_how_far_edges_of_a_skin_are_bent(scene):
    """A skin at rest, or turned as a whole, is as smooth as it was made; one edge of a box is bent by 90 degrees."""
    world = scene().build()
    before = edge_angles(world)
    assert max(angles.max() for angles in before) == pytest.approx(90)
    world.step(1)
    for rest, now in zip(before, edge_angles(world), strict=True):
        assert np.abs(rest - now).max() < 1
    assert deepest_fold(world) == 0


def test_skins_that_fold_are_measured(tmp_path):
    """Of the octopus, which touches itself, both are told; what is deeper than it may be does not hold."""
    text = (GALLERY / "octopus.toml").read_text()
    checks = "".join(
        f'[[check]]\nmeasure = "{name}"\nwithin = {most}\n'
        for name, most in (("self penetration", 0.01), ("roughness", 30), ("roughness", 1e-3))
    )
    (tmp_path / "short.toml").write_text(text + checks)
    scene = load_scene(tmp_path / "short.toml")
    verdicts = {(each.check.measure, each.check.within): each for each in scene.verify(scene.watch(scene.build(), 0.3))}
    assert verdicts["self penetration", 0.01].holds
    assert verdicts["roughness", 30].holds
    assert not verdicts["roughness", 1e-3].holds
