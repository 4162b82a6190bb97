"""The .glb, read by pygltflib and evaluated here from the glTF 2.0 specification, shows what was recorded."""

import dataclasses
import json
import struct

import numpy as np
import pytest
import trimesh
from glb_reader import DTYPES, LANES, Reader
from hypothesis import given, settings
from hypothesis import strategies as st
from recordings import KINDS, assert_same_triangles, beside_obstacles, made_up

from pliant.export import write
from pliant.skin import Pose


def written(recording, folder, **options):
    path = folder / "recording.glb"
    write(recording, path, **options)
    return path


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("glb")


@settings(max_examples=25)
@given(kind=st.sampled_from(KINDS), seed=st.integers(0, 10**6), frames=st.integers(1, 7))
def test_glb_reproduces_every_frame_to_float32(folder, kind, seed, frames):
    recording = made_up(kind, seed, frames)
    reader = Reader(written(recording, folder, normals=False))
    found = np.stack([reader.corners(time) for time in recording.times - recording.times[0]])
    assert_same_triangles(found, recording)


def test_glb_has_obstacles_that_stand_and_that_move(folder):
    recording = beside_obstacles()
    reader = Reader(written(recording, folder, normals=False))
    found = np.stack([reader.corners(time) for time in recording.times - recording.times[0]])
    assert_same_triangles(found, recording)
    assert np.abs(found[-1] - found[0]).max() > 0.3


@pytest.mark.parametrize("kind", KINDS)
def test_glb_is_valid_by_the_specification(folder, kind):
    path = written(made_up(kind), folder)
    content = path.read_bytes()
    magic, version, length = struct.unpack_from("<4sII", content)
    assert (magic, version, length) == (b"glTF", 2, len(content))
    json_length, json_kind = struct.unpack_from("<I4s", content, 12)
    binary_length, binary_kind = struct.unpack_from("<I4s", content, 20 + json_length)
    assert (json_kind, binary_kind) == (b"JSON", b"BIN\0")
    assert json_length % 4 == binary_length % 4 == 0
    assert 28 + json_length + binary_length == length
    document = json.loads(content[20 : 20 + json_length])
    assert document["buffers"][0]["byteLength"] == binary_length
    check_views_and_accessors(document, Reader(path))
    check_meshes(document, Reader(path))


def check_views_and_accessors(document, reader):
    end = 0
    for view in sorted(document["bufferViews"], key=lambda view: view["byteOffset"]):
        assert view["byteOffset"] % 4 == 0
        assert view["byteOffset"] >= end
        end = view["byteOffset"] + view["byteLength"]
    assert end <= document["buffers"][0]["byteLength"]
    for number, accessor in enumerate(document["accessors"]):
        view, values = document["bufferViews"][accessor["bufferView"]], reader.array(number)
        size = np.dtype(DTYPES[accessor["componentType"]]).itemsize * LANES[accessor["type"]]
        assert accessor["count"] >= 1
        begin = accessor.get("byteOffset", 0)
        assert begin % 4 == 0
        assert begin + accessor["count"] * size <= view["byteLength"]
        assert np.isfinite(values).all()
        if "min" in accessor:
            assert values.min(axis=0).tolist() == accessor["min"]
            assert values.max(axis=0).tolist() == accessor["max"]


def check_meshes(document, reader):
    for mesh in document["meshes"]:
        primitive = mesh["primitives"][0]
        attributes, targets = primitive["attributes"], primitive.get("targets", [])
        count = document["accessors"][attributes["POSITION"]]["count"]
        for name, number in [*attributes.items(), *(pair for target in targets for pair in target.items())]:
            accessor = document["accessors"][number]
            assert accessor["count"] == count
            assert ("min" in accessor) == (name == "POSITION")
            assert document["bufferViews"][accessor["bufferView"]]["target"] == 34962
        assert document["bufferViews"][document["accessors"][primitive["indices"]]["bufferView"]]["target"] == 34963
        assert reader.array(primitive["indices"]).max() < count
        assert len(mesh.get("weights", [])) == len(targets)
        lengths = np.linalg.norm(reader.array(attributes["NORMAL"]), axis=1)
        np.testing.assert_allclose(lengths, 1, atol=1e-6)
    for animation in document["animations"]:
        for sampler in animation["samplers"]:
            times = document["accessors"][sampler["input"]]
            assert times["min"] == [0.0]
            assert (np.diff(reader.array(sampler["input"])[:, 0]) > 0).all()


def test_one_part_has_its_basis_as_targets_and_its_coordinates_as_weights(folder):
    recording = made_up("one part")
    reader = Reader(written(recording, folder))
    weights = reader.animated(0, "weights")
    q = np.stack([pose.coordinates[0] for pose in recording.poses])
    np.testing.assert_allclose(weights, (q - q.min(axis=0)) / np.ptp(q, axis=0), atol=1e-6)
    assert len(reader.gltf.meshes[0].primitives[0].targets) == recording.skin.parts[0].U.shape[1]


def test_rigid_bones_become_joints_without_targets(folder):
    gltf = Reader(written(made_up("rigid bones"), folder)).gltf
    assert len(gltf.skins[0].joints) == 2
    assert not gltf.meshes[0].primitives[0].targets


def test_bodies_become_a_moving_node_each(folder):
    reader = Reader(written(made_up("bodies"), folder))
    assert len(reader.gltf.meshes) == 2
    assert reader.animated(1, "rotation") is not None


@pytest.mark.parametrize("kind", KINDS)
def test_weights_lie_where_importers_clamp_them(kind, folder):
    """Blender's shape keys go from 0 to 1 and no further: what is outside would play as another motion."""
    reader = Reader(written(made_up(kind), folder))
    for number, node in enumerate(reader.gltf.nodes):
        if node.mesh is not None and reader.gltf.meshes[node.mesh].primitives[0].targets:
            weights = reader.animated(number, "weights")
            assert weights.min() >= 0
            assert weights.max() <= 1


def test_trimesh_sees_the_base_shape_with_the_least_of_every_weight(folder):
    recording = made_up("one part")
    loaded = trimesh.load(written(recording, folder), force="mesh", process=False)
    part, q = recording.skin.parts[0], np.stack([pose.coordinates[0] for pose in recording.poses])
    base = part.X + (part.U @ q.min(axis=0)).reshape(-1, 3)
    np.testing.assert_allclose(loaded.vertices[loaded.faces], base[recording.triangles], atol=1e-6)


def test_normals_follow_a_turning_body_exactly(folder):
    """A rigid motion turns the node, so the stored normals are those of the body at rest: axes of a bar."""
    recording = made_up("bodies")
    still = tuple(Pose(p.frames, [0 * q for q in p.coordinates]) for p in recording.poses)
    reader = Reader(written(dataclasses.replace(recording, poses=still), folder))
    normals = reader.array(reader.gltf.meshes[0].primitives[0].attributes.NORMAL)
    np.testing.assert_allclose(np.sort(np.abs(normals), axis=1), np.tile([0, 0, 1], (len(normals), 1)), atol=1e-6)


def test_name_and_claim_travel_along(folder):
    gltf = Reader(written(made_up("one part"), folder)).gltf
    assert gltf.scenes[0].extras == {"name": "one part", "claim": "made up"}
