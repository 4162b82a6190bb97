"""The .glb, read by pygltflib and evaluated here from the glTF 2.0 specification, shows what was recorded."""

import dataclasses
import json
import struct

import numpy as np
import pygltflib
import pytest
import trimesh
from hypothesis import given, settings
from hypothesis import strategies as st
from recordings import KINDS, assert_same_triangles, made_up
from scipy.spatial.transform import Rotation

from pliant.export import write

DTYPES = {5126: np.float32, 5125: np.uint32, 5123: np.uint16, 5121: np.uint8}
LANES = {"SCALAR": 1, "VEC3": 3, "VEC4": 4}


class Reader:
    """A glTF file at its keyframes."""

    def __init__(self, path):
        self.gltf = pygltflib.GLTF2().load(str(path))
        self.binary = self.gltf.binary_blob()

    def array(self, number):
        accessor = self.gltf.accessors[number]
        view = self.gltf.bufferViews[accessor.bufferView]
        start, lanes = view.byteOffset + (accessor.byteOffset or 0), LANES[accessor.type]
        values = np.frombuffer(self.binary, DTYPES[accessor.componentType], accessor.count * lanes, start)
        return values.reshape(-1, lanes).astype(float if accessor.componentType == 5126 else int)

    def animated(self, node, path):
        """Keyframes (f, ...) of a property of a node, or None."""
        for animation in self.gltf.animations:
            for channel in animation.channels:
                if channel.target.node == node and channel.target.path == path:
                    sampler = animation.samplers[channel.sampler]
                    return self.array(sampler.output).reshape(len(self.array(sampler.input)), -1)
        return None

    def placed(self, node, k, x):
        turns, shifts = self.animated(node, "rotation"), self.animated(node, "translation")
        if turns is None:
            return x
        return Rotation.from_quat(turns[k]).apply(x) + shifts[k]

    def corners(self, k):
        """Corners (t, 3, 3) of all triangles at keyframe k."""
        found = []
        for number, node in enumerate(self.gltf.nodes):
            if node.mesh is not None:
                primitive = self.gltf.meshes[node.mesh].primitives[0]
                x = self._morphed(number, primitive, k)
                x = self.placed(number, k, x) if node.skin is None else self._skinned(node, primitive, k, x)
                found.append(x[self.array(primitive.indices).reshape(-1, 3)])
        return np.concatenate(found)

    def _morphed(self, number, primitive, k):
        x = self.array(primitive.attributes.POSITION)
        weights = self.animated(number, "weights")
        for i, target in enumerate(primitive.targets or []):
            x = x + weights[k, i] * self.array(target["POSITION"])
        return x

    def _skinned(self, node, primitive, k, x):
        joints, shares = (self.array(getattr(primitive.attributes, name)) for name in ("JOINTS_0", "WEIGHTS_0"))
        skin = self.gltf.skins[node.skin]
        assert skin.inverseBindMatrices is None
        placed = np.stack([self.placed(joint, k, x) for joint in skin.joints])
        return sum(shares[:, [i]] * placed[joints[:, i], np.arange(len(x))] for i in range(4))


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
    found = np.stack([reader.corners(k) for k in range(frames)])
    assert_same_triangles(found, recording)


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
    for view in document["bufferViews"]:
        assert view["byteOffset"] % 4 == 0
        assert view["byteOffset"] >= end
        end = view["byteOffset"] + view["byteLength"]
    assert end <= document["buffers"][0]["byteLength"]
    for number, accessor in enumerate(document["accessors"]):
        view, values = document["bufferViews"][accessor["bufferView"]], reader.array(number)
        size = np.dtype(DTYPES[accessor["componentType"]]).itemsize * LANES[accessor["type"]]
        assert accessor["count"] >= 1
        assert view["byteLength"] == accessor["count"] * size
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
    np.testing.assert_allclose(weights, q / np.abs(q).max(axis=0), rtol=1e-6)
    assert len(reader.gltf.meshes[0].primitives[0].targets) == recording.skin.parts[0].U.shape[1]


def test_rigid_bones_become_joints_without_targets(folder):
    gltf = Reader(written(made_up("rigid bones"), folder)).gltf
    assert len(gltf.skins[0].joints) == 2
    assert not gltf.meshes[0].primitives[0].targets


def test_bodies_become_a_moving_node_each(folder):
    reader = Reader(written(made_up("bodies"), folder))
    assert len(reader.gltf.meshes) == 2
    assert reader.animated(1, "rotation") is not None


def test_trimesh_sees_the_base_shape(folder):
    recording = made_up("one part")
    loaded = trimesh.load(written(recording, folder), force="mesh", process=False)
    rest = recording.skin.parts[0].X
    np.testing.assert_allclose(loaded.vertices[loaded.faces], rest[recording.triangles], atol=1e-6)


def test_normals_follow_a_turning_body_exactly(folder):
    """A rigid motion turns the node, so the stored normals are those of the body at rest: axes of a bar."""
    recording = made_up("bodies")
    still = tuple(dataclasses.replace(p, coordinates=tuple(0 * q for q in p.coordinates)) for p in recording.poses)
    reader = Reader(written(dataclasses.replace(recording, poses=still), folder))
    normals = reader.array(reader.gltf.meshes[0].primitives[0].attributes.NORMAL)
    np.testing.assert_allclose(np.sort(np.abs(normals), axis=1), np.tile([0, 0, 1], (len(normals), 1)), atol=1e-6)


def test_name_and_claim_travel_along(folder):
    gltf = Reader(written(made_up("one part"), folder)).gltf
    assert gltf.scenes[0].extras == {"name": "one part", "claim": "made up"}
