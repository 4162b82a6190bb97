"""Characters: bones from weights, joints in their overlaps, the skin they move (maths sheet momentum 7, 9 d)."""

import threading

import numpy as np
import pytest
import scipy.linalg
from hypothesis import given, settings
from hypothesis import strategies as st

import pliant as pl
from pliant.errors import ArgumentError
from pliant.mesh.bones.armature import hanging_on
from pliant.mesh.bones.clip import Clip, Nodes, Track
from pliant.numerics import rotation_exponential, rotation_logarithm
from pliant.systems.world.bones import bones
from pliant.systems.world.bones.congruence import congruence_of, congruent_model
from pliant.systems.world.bones.cutting import cut, share_of

MESH = pl.shapes.bar((4, 0.3, 0.3), (16, 2, 2))
SOLID = pl.Solid(MESH, pl.Linear(5e6, 0.3, 1000))
KEPT, CLOSED, ROUNDING = 1e-11, 1e-8, 1e-12  # the first two are those of sheet 9


def hats(x, count):
    """Weights of bones in a row: each one in the middle of its stretch, going over to the next within half of one."""
    place = x / x.max() * count - 0.5
    rows = np.clip(1.5 - 2 * np.abs(place[:, None] - np.arange(count)), 0, 1)
    rows[:, 0] = np.where(place < 0, 1, rows[:, 0])
    rows[:, -1] = np.where(place > count - 1, 1, rows[:, -1])
    return rows / rows.sum(axis=1, keepdims=True)


NOWHERE = np.zeros((4, 3)), np.ones(4), ()
WEIGHTS = hats(MESH.vertices[:, 0], 4)


@pytest.fixture(scope="module")
def eel():
    return bones(SOLID, WEIGHTS, modes=6)


@settings(max_examples=20)
@given(st.integers(0, 10_000), st.floats(0.0, 0.3))
def test_bones_share_mass_and_stiffness_of_the_whole(seed, threshold):
    """Erratum E8: sums over bones are those of the solid, for any weights and any displacement."""
    random = np.random.default_rng(seed)
    count = int(random.integers(2, 6))
    cuts = cut(MESH, hats(MESH.vertices[:, 0], count), threshold, [f"bone {k}" for k in range(count)])
    u = 0.01 * random.normal(size=(MESH.vertex_count, 3))
    mass, energy = 0.0, 0.0
    for k in range(cuts.weights.shape[1]):
        own, vertices = share_of(SOLID, cuts, k)
        mass += own.lumped_mass[::3].sum()
        energy += own.energy(u[vertices].ravel())
    assert mass == pytest.approx(SOLID.lumped_mass[::3].sum(), rel=ROUNDING)
    assert energy == pytest.approx(SOLID.energy(u.ravel()), rel=1e-10)
    np.testing.assert_allclose(cuts.weights.sum(axis=1), 1, atol=ROUNDING)


def test_skin_at_rest_is_the_mesh_and_follows_any_rigid_motion(eel):
    rest = eel.skin.rest
    np.testing.assert_allclose(eel.skin.vertices(rest), MESH.vertices, atol=ROUNDING)
    R, t = rotation_exponential(np.array([1.0, -0.4, 2.0])), np.array([3.0, 1.0, -2.0])
    pose = type(rest).stacked(np.tile(R, (4, 1, 1)), np.tile(t, (4, 1)), rest.flat, rest.offsets)
    np.testing.assert_allclose(eel.skin.vertices(pose), MESH.vertices @ R.T + t, atol=1e-11)


def test_joints_lie_between_neighbours_and_inside_both(eel):
    assert [(a, b) for a, b, _ in eel.joints] == [(0, 1), (1, 2), (2, 3)]
    for k, (a, b, places) in enumerate(eel.joints):
        np.testing.assert_allclose(places[:, 0], k + 1, atol=0.26)  # within a cell of where weights are equal
        for bone in (a, b):
            assert not pl.embed(eel.bones[bone].model.mesh, places).outside.any()
        across = places[:, 1:] - places[:, 1:].mean(axis=0)
        assert np.linalg.matrix_rank(across) == 2  # on no line: they hold a turn as well


@pytest.mark.parametrize("rule", ["midpoint", "euler"])
def test_a_chain_of_bones_keeps_momentum_and_its_joints(eel, rule):
    """Sheet 9 (d): v (2, 5, 0), spin (0.4, 1.5, 2.5), gravity, dt 5 ms, 300 steps; P and L about the falling centre."""
    world = pl.World(5e-3, substeps=1, rule=rule)
    placed = world.add(eel, velocity=(2, 5, 0), spin=(0.4, 1.5, 2.5), damping=(0, 1e-3))
    P, L = placed.momentum()
    mass, steps, gap = sum(body.mass for body in placed.bones), 300, 0.0
    start, x0 = world.time, sum(body.mass * body.centre for body in placed.bones) / mass
    for _ in range(steps):
        world.step()
        gap = max(gap, placed.gap())
    fallen = mass * (world.time - start) * np.array([0, -9.81, 0])
    now, turned = placed.momentum()
    np.testing.assert_allclose(now, P + fallen, atol=KEPT * np.linalg.norm(P + fallen))
    # About where the centre of mass is: weight has no torque there.
    x = sum(body.mass * body.centre for body in placed.bones) / mass
    about = turned - np.cross(x, now)
    np.testing.assert_allclose(about, L - np.cross(x0, P), atol=KEPT * np.linalg.norm(about))
    assert gap < CLOSED


def test_mixed_bones_move_together():
    """A static end, a kinematic one, a rigid and a soft bone between them."""
    kinds = {"bone 0": "static", "bone 2": "rigid", "bone 3": "kinematic"}
    mixed = bones(SOLID, WEIGHTS, modes=16, kinds=kinds)  # 22 motions for 18 places
    world = pl.World(5e-3, substeps=2)
    placed = world.add(mixed, damping=(1.0, 1e-3), name="eel")
    placed.drive("bone 3", lambda time: ((0, 0.02 * np.sin(time), 0), np.eye(3)))
    world.step(100)
    x = placed.vertices()
    still = MESH.vertices[:, 0] < 0.4
    np.testing.assert_allclose(x[still], MESH.vertices[still], atol=1e-9)
    led = MESH.vertices[:, 0] > 3.6
    np.testing.assert_allclose(
        x[led] - MESH.vertices[led], np.tile([0, 0.02 * np.sin(0.5), 0], (led.sum(), 1)), atol=1e-9
    )
    assert placed.gap() < 1e-6
    with pytest.raises(ArgumentError, match="eel bone 1 is free; only kinematic bones are driven"):
        placed.drive("bone 1", lambda time: (np.zeros(3), np.eye(3)))


def test_one_call_makes_one_four_or_ten_bones():
    for count in (1, 4, 10):
        character = bones(SOLID, hats(MESH.vertices[:, 0], count), modes=4)
        assert (len(character.bones), len(character.joints)) == (count, count - 1)


def test_bad_bones_are_refused_with_their_names():
    torn = np.column_stack([WEIGHTS[:, 0] + WEIGHTS[:, 3], WEIGHTS[:, 1:3]])
    with pytest.raises(ArgumentError, match="arm is in 2 pieces"):
        bones(SOLID, torn, names=["arm", "b", "c"])
    idle = np.column_stack([WEIGHTS, np.zeros(len(WEIGHTS))])
    with pytest.raises(ArgumentError, match="hand keeps no cell"):
        bones(SOLID, idle, names=["a", "b", "c", "d", "hand"])
    with pytest.raises(ArgumentError, match="kinds names the bone 'leg'"):
        bones(SOLID, WEIGHTS, kinds={"leg": "static"})
    with pytest.raises(ArgumentError, match="must be one of soft, rigid"):
        bones(SOLID, WEIGHTS, kinds={"bone 0": "hard"})
    with pytest.raises(ArgumentError, match="sum to one"):
        bones(SOLID, 2 * WEIGHTS)
    small = pl.Solid(pl.shapes.bar((2, 1, 1), (2, 1, 1), "hex"), pl.Linear(1e6, 0.3))
    halves = np.clip(small.mesh.vertices[:, :1] - 0.5, 0, 1)
    with pytest.raises(ArgumentError, match="hand and arm overlap in 2 cells, and a joint needs three"):
        bones(small, np.hstack([1 - halves, halves]), names=["hand", "arm"])
    with pytest.raises(ArgumentError, match="rig must come from pl.read_rig; list was given"):
        bones(SOLID, WEIGHTS, rig=["a"])
    rig = pl.Rig(pl.Surface(MESH.vertices, MESH.surface), hanging_on(list("abcd"), *NOWHERE), WEIGHTS, {})
    with pytest.raises(ArgumentError, match="names and rig= were given, and are not alike"):
        bones(SOLID, WEIGHTS, rig=rig, names=["a", "b", "c", "e"])
    with pytest.raises(ArgumentError, match="the mesh does not fit the rig: their ends are 4 m apart"):
        rig.weights_on(pl.shapes.bar((8, 0.3, 0.3), (16, 2, 2)))
    with pytest.raises(ArgumentError, match="finer than the surface"):
        pl.World(0.01).add(bones(SOLID, WEIGHTS, modes=4), proxy=10**4)


def test_skin_contacts_push_bones_by_their_shares_at_one_point():
    """Sheet 7: u_s = sum w_k W_k y_k, K_s = sum w_k^2 K_k; P and L of all are kept where two characters meet."""
    world = pl.World(2e-3, gravity=None)
    character = bones(SOLID, WEIGHTS, modes=4)
    first = world.add(character, velocity=(0, -1, 0), spin=(0, 0, 0.5), damping=(0, 1e-3))
    R = rotation_exponential(np.array([0, 1.2, 0]))
    world.add(character, (-0.4, -0.45, 1.3), R, velocity=(0, 1, 0), damping=(0, 1e-3))
    before, energy, touched = world.momentum(), world.energy(), 0
    for _ in range(150):
        world.step()
        touched += len(world.contacts().bodies)
        assert world.energy() <= energy * (1 + 1e-6)
        energy = world.energy()
    assert touched > 20
    size = first.character.bones[0].model.inertia.mass * 4  # momentum that each brings [kg m/s]
    for was, now in zip(before, world.momentum()):
        np.testing.assert_allclose(now, was, atol=1e-10 * size)
    assert max(placed.gap() for placed in world.characters) < CLOSED


def test_a_character_lies_on_the_ground_by_its_skin(tmp_path):
    """Its weight is borne, it stays above the ground, its bones touch nothing; files bring it back to the last bit."""
    world = pl.World(5e-3)
    world.ground(friction=0.6)
    placed = world.add(bones(SOLID, WEIGHTS, modes=4), (0, 0.2, 0), damping=(2.0, 5e-3), name="eel")
    world.step(300)
    assert placed.vertices()[:, 1].min() > -2e-3
    np.testing.assert_allclose(world.vertices()[-MESH.vertex_count :], placed.vertices(), atol=1e-12)
    mass = sum(body.mass for body in placed.bones)
    assert world.force_between(placed.skin)[1] == pytest.approx(mass * 9.81, rel=0.02)
    assert set(world.contacts().bodies[:, 0]) == {placed.skin.number}
    world.save(tmp_path / "eel.state")
    again = pl.resume(tmp_path / "eel.state")
    again.step(3)
    world.step(3)
    assert again.state() == world.state()
    np.testing.assert_array_equal(again.characters[0].vertices(), placed.vertices())
    with pytest.raises(ArgumentError, match="part of a character"):
        world.remove(placed.bones[0])
    placed.remove()
    assert not world.bodies


def test_a_character_falls_asleep_as_one_and_wakes_when_its_skin_is_hit():
    world = pl.World(5e-3, sleeping=True)
    world.ground(friction=0.6)
    placed = world.add(bones(SOLID, WEIGHTS, modes=4), (0, 0.16, 0), damping=(8.0, 1e-2))
    world.step(500)
    assert all(bone.asleep for bone in placed.bones)
    box = world.add(pl.Rigid(pl.shapes.bar((0.2, 0.2, 0.2), (1, 1, 1)), 3000.0), (3.0, 0.6, 0))
    world.step(100)
    assert not any(bone.asleep for bone in placed.bones)
    assert box.centre[1] == pytest.approx(0.4, abs=5e-3)  # on its back
    assert len({world.islands()[body.number] for body in (box, *placed.bones)}) == 1


def test_sculpted_poses_become_vectors_of_the_bones_that_they_deform():
    """A dented belly: its bone reaches the pose with one coordinate, and gives way to it as softly as asked."""
    x = MESH.vertices
    dent = np.exp(-(((x[:, 0] - 2.5) / 0.1) ** 2)) * (x[:, 1] > 0.149)
    pose = x - 0.1 * dent[:, None] * [0, 1, 0]
    plain, soft = (bones(SOLID, WEIGHTS, modes=6, poses=pose, pose_stiffness=factor) for factor in (1.0, 0.1))
    assert [bone.model.size for bone in plain.bones] == [6, 6, 7, 6]
    model, rest = plain.bones[2].model, plain.bones[2].vertices
    u = pose[rest] - x[rest]
    found = model.U[:, 6].reshape(-1, 3)
    # But for a motion of the whole, which the frame takes.
    ones = np.tile(np.eye(3), (len(rest), 1))
    turns = np.vstack([np.cross(np.eye(3), p).T for p in x[rest]])
    left = (u - found).ravel()
    rigid = np.hstack([ones, turns])
    assert np.linalg.norm(left - rigid @ np.linalg.lstsq(rigid, left, rcond=None)[0]) < 0.1 * np.linalg.norm(u)
    ratio = soft.bones[2].model.stiffness()[6, 6] / model.stiffness()[6, 6]
    assert ratio == pytest.approx(0.1, rel=1e-9)
    by_name = bones(SOLID, WEIGHTS, modes=6, poses={"bone 2": [pose]})
    assert [bone.model.size for bone in by_name.bones] == [6, 6, 7, 6]
    with pytest.raises(ArgumentError, match=r"poses of bone 0 must be places of the 153 vertices of its mesh"):
        bones(SOLID, WEIGHTS, modes=6, poses=pose[:10])
    with pytest.raises(ArgumentError, match="poses names the bone 'belly'"):
        bones(SOLID, WEIGHTS, modes=6, poses={"belly": pose})


def test_a_clip_leads_kinematic_bones_from_where_the_character_was_placed():
    """The other bones follow; a clip without the joint of a bone is refused by its name."""
    nodes = Nodes(np.array([-1, 0]), np.zeros((2, 3)), np.tile([0.0, 0, 0, 1], (2, 1)), np.ones((2, 3)), {})
    turn = np.array([[0, 0, 0, 1], [0, np.sin(0.1), 0, np.cos(0.1)]])
    tracks = (Track(1, "rotation", np.array([0.0, 0.4]), turn),)
    clip = Clip("nod", 0.4, ("root", "bone 3"), (0, 1), nodes, tracks)
    character = bones(SOLID, WEIGHTS, modes=6, kinds={"bone 3": "kinematic"})
    world = pl.World(5e-3, gravity=None)
    start, R = np.array([0.0, 2.0, 1.0]), rotation_exponential(np.array([0.3, 0.0, 0.2]))
    placed = world.add(character, start, R, damping=(1.0, 1e-3), name="hero")
    placed.play(clip)
    world.step(80)
    led = MESH.vertices[:, 0] > 3.6
    expected = start + MESH.vertices[led] @ (R @ rotation_exponential(np.array([0, 0.2, 0]))).T
    np.testing.assert_allclose(placed.vertices()[led], expected, atol=1e-9)
    assert placed.gap() < 1e-6
    other = Clip("wave", 0.4, ("hand",), (1,), nodes, tracks)
    with pytest.raises(ArgumentError, match="clip 'wave' has no joint 'bone 3'; it has hand"):
        placed.play(other)
    with pytest.raises(ArgumentError, match="has no kinematic bone for a clip"):
        world.add(bones(SOLID, WEIGHTS, modes=6), (0, 9, 0)).play(clip)


def test_bones_may_touch_by_themselves_instead_of_their_skin():
    """The naive way of [MC15] Fig. 7, kept to show why skins are better."""
    found = {}
    for contact in ("skin", "bones"):
        world = pl.World(5e-3)
        world.ground(friction=0.6)
        placed = world.add(bones(SOLID, WEIGHTS, modes=4), (0, 0.2, 0), damping=(2.0, 5e-3), contact=contact)
        world.step(200)
        touched = set(world.contacts().bodies[:, 0].tolist())
        found[contact] = touched, {body.number for body in placed.bones}
        assert placed.vertices()[:, 1].min() > -0.02
        placed.remove()
        assert not world.bodies
    assert not found["skin"][0] & found["skin"][1]
    assert found["bones"][0] <= found["bones"][1]
    loose = world.add(bones(SOLID, WEIGHTS, modes=4), contact="bones")
    with pytest.raises(ArgumentError, match="it has no skin"):
        loose.skin  # noqa: B018
    with pytest.raises(ArgumentError, match="leave contact='bones' out"):
        world.add(bones(SOLID, WEIGHTS, modes=4), contact="bones", proxy=50)


@pytest.mark.parametrize("mirror", [False, True])
def test_congruent_bones_are_laid_on_each_other(mirror):
    """Any rotation or mirror, translation and order of vertices and cells is found, and nothing that is none."""
    random = np.random.default_rng(5)
    mesh = pl.shapes.bar((1, 0.4, 0.3), (4, 2, 2))
    x = mesh.vertices + 0.03 * random.standard_normal(mesh.vertices.shape)
    G, c = rotation_exponential(random.standard_normal(3)) * (-1 if mirror else 1), random.standard_normal(3)
    order, cells = random.permutation(len(x)), random.permutation(mesh.cell_count)
    young = random.uniform(1e5, 2e5, mesh.cell_count)
    there = np.empty_like(x)
    there[order] = x @ G.T + c
    moved = order[mesh.cells[cells]]
    own = pl.Solid(pl.Mesh(x, mesh.cells), pl.Linear(young, 0.3, 1000))
    other = pl.Solid(pl.Mesh(there, moved[:, [1, 0, 2, 3]] if mirror else moved), pl.Linear(young[cells], 0.3, 1000))
    found = congruence_of(own, other)
    np.testing.assert_allclose(found.G, G, atol=1e-9)
    np.testing.assert_allclose(found.c, c, atol=1e-9)
    np.testing.assert_array_equal(found.order, order)
    model = pl.reduce(own, pl.Basis(pl.vibration_modes(own, 6).vectors), force="linear")
    derived = congruent_model(model, other, found)
    direct = pl.reduce(other, pl.Basis(derived.U), force="linear")
    np.testing.assert_allclose(derived.inertia.gram, direct.inertia.gram, atol=1e-10 * direct.inertia.mass)
    stiffest = np.abs(direct.stiffness()).max()
    np.testing.assert_allclose(derived.stiffness(), direct.stiffness(), rtol=0, atol=1e-10 * stiffest)
    assert congruence_of(own, pl.Solid(other.mesh, pl.Linear(young, 0.3, 1000))) is None
    bent = there + 1e-3 * random.standard_normal(x.shape)
    assert congruence_of(own, pl.Solid(pl.Mesh(bent, other.mesh.cells), other.material)) is None


def test_bones_that_are_alike_share_a_model():
    """Of a row of bones those in the middle are one shifted, and the last is the first mirrored or turned."""
    count = 6
    mesh = pl.shapes.bar((6, 0.4, 0.3), (24, 2, 2), "hex")
    solid = pl.Solid(mesh, pl.Linear(5e6, 0.3, 1000))
    character = bones(solid, hats(mesh.vertices[:, 0], count), modes=8)
    models = [bone.model for bone in character.bones]
    assert len({id(model.U) for model in models[1:5]}) == 1
    assert sum({id(model.U): model.U.nbytes for model in models}.values()) < 0.6 * sum(m.U.nbytes for m in models)
    for model in models:
        direct = pl.vibration_modes(model.solid, 8).frequencies
        found = np.sqrt(scipy.linalg.eigh(model.stiffness(), model.mass, eigvals_only=True))  # [1/s]
        np.testing.assert_allclose(np.sort(found), np.sort(direct), rtol=1e-6)
    assert models[5].force_law is models[0].force_law
    world = pl.World(5e-3, gravity=None)
    placed = world.add(character, spin=(0.1, 0.3, 0.2), velocity=(1, 0, 0))
    before = np.concatenate(placed.momentum())
    world.step(100)
    np.testing.assert_allclose(np.concatenate(placed.momentum()), before, rtol=0, atol=1e-9 * np.abs(before).max())
    assert placed.gap() < CLOSED


def test_bones_that_are_made_side_by_side_are_those_made_one_by_one(monkeypatch):
    """To the last bit, in order, with their progress; a basis of the caller's is made in the caller's thread."""
    made, told = [], []
    for cores in (1, 4):
        monkeypatch.setattr("os.cpu_count", lambda cores=cores: cores)
        made.append(bones(SOLID, WEIGHTS, modes=6, progress=lambda stage, share: told.append((stage, share))))
    for one, other in zip(*(character.bones for character in made)):
        assert one.name == other.name
        np.testing.assert_array_equal(one.model.U, other.model.U)
        np.testing.assert_array_equal(one.model.stiffness(), other.model.stiffness())
    assert told[len(told) // 2 :] == told[: len(told) // 2]
    assert told[-1] == ("bones", 1.0)
    seen = set()

    def basis(own):
        seen.add(threading.current_thread())
        return pl.Basis(pl.vibration_modes(own, 6).vectors)

    bones(SOLID, WEIGHTS, basis=basis)
    assert seen == {threading.current_thread()}


def test_bones_turn_about_hinges_alone_and_motors_turn_them(tmp_path):
    """A motor turns a rigid tail against the trunk about z: the axis stays, and so does momentum."""
    kinds = {"bone 2": "rigid", "bone 3": "rigid"}
    character = bones(SOLID, WEIGHTS, modes=8, kinds=kinds, hinges={("bone 2", "bone 3"): (0, 0, 2)})
    world = pl.World(5e-3, gravity=None)
    placed = world.add(character, (0, 1, 0))
    hinge = placed.joint("bone 3", "bone 2")
    assert hinge.kind == "hinge"
    assert placed.joint(0, 1).kind == "rigid"
    hinge.torque, hinge.speed = 50.0, 1.0
    world.step(100)
    turned = [body.rotation for body in hinge.bodies]
    between = rotation_logarithm(turned[0].T @ turned[1])
    one_step = 1.01 * world.small_step * hinge.speed  # the angle is of the beginning of the last small step
    assert abs(hinge.angle) == pytest.approx(np.linalg.norm(between), abs=one_step)
    assert abs(hinge.angle) > 0.1
    np.testing.assert_allclose(np.abs(between / np.linalg.norm(between)), [0, 0, 1], atol=1e-6)
    assert placed.gap() < CLOSED
    assert np.abs(np.concatenate(placed.momentum())).max() < 1e-9
    world.save(tmp_path / "hinged.pliant")
    other = pl.resume(tmp_path / "hinged.pliant")
    [again] = other.characters
    for each in (world, other):
        each.step()
    assert again.joint("bone 3", "bone 2").angle == hinge.angle
    assert [number for number, _ in again.character.axes] == [number for number, _ in character.axes]
    with pytest.raises(ArgumentError, match="hinges names bone 0 and bone 3, which no joint holds together"):
        bones(SOLID, WEIGHTS, modes=8, hinges={("bone 0", "bone 3"): (0, 0, 1)})
    with pytest.raises(ArgumentError, match="the axis of bone 0 and bone 1 must have a direction"):
        bones(SOLID, WEIGHTS, modes=8, hinges={("bone 0", "bone 1"): (0, 0, 0)})
    with pytest.raises(ArgumentError, match="no joint holds"):
        placed.joint(0, 3)
