"""The .glb of a character: a mesh on the artist's joints, which an independent reader puts where its skin was."""

import dataclasses

import numpy as np
import pytest
from glb_reader import Reader
from recordings import FLOAT32, assert_same_triangles
from rig_writing import BAR, X, write_rig

import pliant as pl
from pliant.errors import ArgumentError
from pliant.export import Recording, read_recording, record, write
from pliant.export.bones import FLATTEST, _flattest
from pliant.export.pieces import part_frames, shares
from pliant.mesh.bones.armature import hanging_on
from pliant.numerics import rotation_exponential
from pliant.skin import Pose

MESH = pl.shapes.bar((2, 0.3, 0.3), (12, 2, 2))
SOLID = pl.Solid(MESH, pl.Linear(2e5, 0.3, 1000))
Z = np.array([0.0, 0.0, 1.0])


@pytest.fixture(scope="module")
def recording():
    """A box and two characters of four bones, one of them rigid, whose tails turn until their blend flattens."""
    world, draw = pl.World(0.01, gravity=None), np.random.default_rng(4)
    world.add(pl.Rigid(pl.shapes.box((0.2, 0.2, 0.2), (1, 1, 1))), (0, 3, 0))
    weights = pl.bone_weights(MESH, [[(k / 2 + 0.1, 0, 0), (k / 2 + 0.4, 0, 0)] for k in range(4)])
    eel = pl.bones(SOLID, weights, modes=9, names=["head", "neck", "trunk", "tail"], kinds={"head": "rigid"})
    for number, name in enumerate(("eel", "other")):
        world.add(eel, (0, number, 0), name=name)
    return Recording(
        world.triangles,
        np.arange(8) / 50,
        world.skin,
        tuple(moved(world.pose(), draw, k) for k in range(8)),
        rigs=world.rigs,
    )


def moved(pose, draw, k):
    turns = [rotation_exponential(0.3 * k * (part % 4) * Z) for part in range(len(pose.rotations))]
    shifts = pose.translations + 0.1 * draw.standard_normal(pose.translations.shape)
    q = 0.05 * draw.standard_normal(len(pose.flat))
    return Pose.stacked(np.array(turns) @ pose.rotations, shifts, q, pose.offsets)


def test_the_tail_turns_so_far_that_some_blend_flattens(recording):
    rigged = recording.rigs[0]
    weights = shares(recording.skin)[recording.drawn][:, rigged.first : rigged.first + 4]
    flattest = _flattest(weights, [part_frames(recording, rigged.first + k) for k in range(4)])
    assert flattest.min() < FLATTEST


@pytest.mark.parametrize("influences", [4, 8, 1])
def test_characters_are_reproduced_to_float32_on_their_joints(recording, tmp_path, influences):
    """Whatever a viewer may know of weights: shapes make good for what joints leave out."""
    write(recording, tmp_path / "eel.glb", influences=influences)
    reader = Reader(tmp_path / "eel.glb")
    found = np.stack([reader.corners(time) for time in recording.times - recording.times[0]])
    assert_same_triangles(found, recording, 2 * FLOAT32)  # four joints hang on each other, and each rounds
    assert [len(skin.joints) for skin in reader.gltf.skins] == [4, 4]
    attributes = reader.gltf.meshes[0].primitives[0].attributes
    assert (getattr(attributes, "JOINTS_1", None) is not None) == (influences == 8)


def test_joints_hang_on_each_other_where_bones_are_joined(recording, tmp_path):
    write(recording, tmp_path / "eel.glb")
    gltf = Reader(tmp_path / "eel.glb").gltf
    joints = gltf.skins[0].joints
    names = [gltf.nodes[joint].name for joint in joints]
    assert names == ["head", "neck", "trunk", "tail"]
    links = {
        frozenset((names[joints.index(k)], names[joints.index(child)]))
        for k in joints
        for child in gltf.nodes[k].children or []
    }
    assert links == {frozenset(pair) for pair in (("head", "neck"), ("neck", "trunk"), ("trunk", "tail"))}
    [armature, _] = [rigged.armature for rigged in recording.rigs]
    at = armature.places[names.index("head" if armature.parents[0] >= 0 else "neck")]
    assert at[0] == pytest.approx(0.5, abs=0.1)  # between both


def test_an_artists_joints_come_back_with_names_places_and_weights(tmp_path):
    """read_rig, bones, play the clip, write, and read again."""
    rig = pl.read_rig(write_rig(tmp_path / "hero.glb"))
    back = rotation_exponential(np.array([np.pi / 2, 0, 0]))
    mesh = pl.Mesh(BAR.vertices @ back.T + [0, 1, 0], BAR.cells)
    solid = pl.Solid(mesh, pl.Linear(1e6, 0.3, 1000))
    made = pl.bones(solid, rig.weights_on(mesh), modes=12, rig=rig, kinds={"lower": "kinematic"})
    world = pl.World(0.01, gravity=None)
    placed = world.add(made, (0.5, 0, 0), name="hero")
    placed.play(rig.clips["wave"])
    recording = record(world, 0.3, rate=50)
    write(recording, tmp_path / "out.glb", influences=8)
    reader = Reader(tmp_path / "out.glb")
    found = np.stack([reader.corners(time) for time in recording.times])
    assert_same_triangles(found, recording, 2 * FLOAT32)
    again = pl.read_rig(tmp_path / "out.glb")
    assert again.names == rig.names == ("upper", "lower")
    np.testing.assert_array_equal(again.armature.parents, [-1, 0])
    np.testing.assert_allclose(again.places, rig.places + np.array([0.5, 0, 0]), atol=1e-6)  # the first frame
    np.testing.assert_allclose(again.armature.turns, rig.armature.turns, atol=1e-6)
    binds = reader.array(reader.gltf.skins[0].inverseBindMatrices).reshape(-1, 4, 4).transpose(0, 2, 1)
    for bind, place, turn in zip(binds, rig.places, rig.armature.turns):
        np.testing.assert_allclose(bind[:3] @ [*place, 1], 0, atol=1e-6)
        np.testing.assert_allclose(bind[:3, :3] @ turn, np.eye(3), atol=1e-6)
    moved, turned = rig.clips["wave"].path("lower")(0.3)
    lower = reader.matrix(reader.gltf.skins[0].joints[1], 0.3)
    np.testing.assert_allclose(lower[:3, 3], moved + turned @ rig.places[1] + [0.5, 0, 0], atol=1e-5)
    nearest = [int(np.argmin(np.abs(again.surface.vertices - x).sum(axis=1))) for x in X @ back.T + [0.5, 1, 0]]
    np.testing.assert_allclose(again.weights[nearest], rig.weights[_nearest(rig, X @ back.T + [0, 1, 0])], atol=0.05)


def _nearest(rig, places):
    return [int(np.argmin(np.abs(rig.surface.vertices - x).sum(axis=1))) for x in places]


def test_archives_keep_joints(recording, tmp_path):
    write(recording, tmp_path / "eel.npz")
    again = read_recording(tmp_path / "eel.npz")
    for kept, rigged in zip(again.rigs, recording.rigs, strict=True):
        assert (kept.name, kept.first, kept.armature.names) == (rigged.name, rigged.first, rigged.armature.names)
        for name in ("parents", "places", "turns"):
            np.testing.assert_array_equal(getattr(kept.armature, name), getattr(rigged.armature, name))
    with pytest.raises(ArgumentError, match="eel has bones that are no parts of the skin"):
        dataclasses.replace(recording, rigs=(dataclasses.replace(recording.rigs[0], first=99),))


def test_bones_without_joints_are_roots_each():
    made = hanging_on(["a", "b"], np.eye(3)[:2], np.array([1.0, 2.0]), ())
    assert made.parents.tolist() == [-1, -1]
    np.testing.assert_array_equal(made.places, np.eye(3)[:2])
