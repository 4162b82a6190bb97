"""Rigged characters in .glb files, written by another library: surface, joints, weights and clips."""

import json
import struct

import numpy as np
import pytest
from rig_writing import BAR, IDS, SHARE, TRIANGLES, X, write_rig

import pliant as pl
from pliant.errors import ArgumentError, FileError
from pliant.mesh import Surface
from pliant.numerics import rotation_exponential

FLOAT32 = 2e-7
STANDS = rotation_exponential(np.array([np.pi / 2, 0, 0]))


def test_a_rig_stands_as_in_its_file_with_weights_and_joints(tmp_path):
    rig = pl.read_rig(write_rig(tmp_path / "arm.glb"))
    assert rig.names == ("upper", "lower")
    np.testing.assert_allclose(rig.places, [[0, 1, 0], [1, 1, 0]], atol=FLOAT32)
    standing = X @ STANDS.T + [0, 1, 0]
    assert len(rig.surface.vertices) == len(X)
    d = np.linalg.norm(rig.surface.vertices[:, None] - standing[None], axis=2)
    np.testing.assert_allclose(d.min(axis=1), 0, atol=4 * FLOAT32)
    np.testing.assert_allclose(rig.weights[:, 1], SHARE[d.argmin(axis=1)], atol=1e-5)
    np.testing.assert_allclose(rig.weights.sum(axis=1), 1, atol=1e-12)
    mesh = pl.Mesh(BAR.vertices @ STANDS.T + [0, 1, 0], BAR.cells)
    w = rig.weights_on(mesh)
    np.testing.assert_allclose(w[IDS, 1], SHARE, atol=1e-5)
    with pytest.raises(ArgumentError, match="does not fit the rig: their ends are"):
        rig.weights_on(BAR)


@pytest.mark.parametrize(("way", "half"), [("LINEAR", 0.5), ("STEP", 0.0), ("CUBICSPLINE", 0.5)])
def test_clips_lead_the_whole_as_their_joints_move(tmp_path, way, half):
    """x = J(t) J(0)^-1 X: a turn about the joint's place and its own z, which the armature has turned to -y."""
    clip = pl.read_rig(write_rig(tmp_path / "arm.glb", way=way)).clips["wave"]
    assert (clip.duration, clip.joints) == (1.0, ("upper", "lower"))
    path, joint = clip.path("lower"), np.array([1.0, 1.0, 0])
    for time, angle in ((-1.0, 0.0), (0.0, 0.0), (0.5, half), (1.0, 1.0), (7.0, 1.0)):
        x, R = path(time)
        turn = STANDS @ rotation_exponential(np.array([0, 0, angle])) @ STANDS.T
        np.testing.assert_allclose(R, turn, atol=3e-2 if (way, time) == ("CUBICSPLINE", 0.5) else 1e-6)
        np.testing.assert_allclose(R @ joint + x, joint, atol=1e-6)
    np.testing.assert_allclose(clip.path("lower", repeats=True)(1.5)[1], path(0.5)[1], atol=1e-12)
    np.testing.assert_allclose(clip.path("upper")(0.7)[1], np.eye(3), atol=1e-6)


def test_bad_rigs_and_clips_are_refused_in_a_sentence(tmp_path):
    clip = pl.read_rig(write_rig(tmp_path / "arm.glb", scaled=2.0)).clips["wave"]
    with pytest.raises(ArgumentError, match="clip 'wave' scales lower, by 2"):
        clip.path("lower")(1.0)
    with pytest.raises(ArgumentError, match="clip 'wave' has no joint 'hand'; it has upper, lower"):
        clip.path("hand")
    (tmp_path / "text.glb").write_text("no")
    with pytest.raises(FileError, match=r"text.glb is no binary glTF 2.0 file"):
        pl.read_rig(tmp_path / "text.glb")
    whole = (tmp_path / "arm.glb").read_bytes()
    (tmp_path / "cut.glb").write_bytes(whole[: len(whole) // 2])
    with pytest.raises(FileError, match="cut off"):
        pl.read_rig(tmp_path / "cut.glb")
    Surface(X, TRIANGLES).write(tmp_path / "plain.obj")
    with pytest.raises(FileError, match=r"plain.obj is no binary glTF"):
        pl.read_rig(tmp_path / "plain.obj")


HEAD = 20  # bytes before the document: three words of the file, two of its first chunk
LIES = [
    (("nodes",), 7, "its nodes are no list of objects"),
    (("nodes", 0), "x", "its nodes are no list of objects"),
    (("nodes", 0, "children"), [-1], "has 4 nodes, and names -1"),
    (("nodes", 0, "children"), [2**62], "has 4 nodes, and names"),
    (("nodes", 1, "children"), [0], "hang below themselves"),
    (("nodes", 0, "translation"), [1, 2], "translation of nodes"),
    (("nodes", 0, "rotation"), [float("nan"), 0, 0, 1], "rotation of nodes must be finite"),
    (("nodes", 0, "matrix"), [1, 2], "matrix of a node must have shape"),
    (("nodes", 3, "skin"), -1, "has 1 skins, and names -1"),
    (("nodes", 3, "mesh"), True, "has 1 meshes, and names True"),
    (("skins", 0, "joints"), [1, 2] * 501, "has 1002 joints; at most 1000 are read"),
    (("skins", 0, "joints"), [1, -2], "has 4 nodes, and names -2"),
    (("meshes", 0, "primitives"), 3, "no whole glTF file"),
    (("accessors", 0, "count"), 4, r"names vertex \d+ of 4"),
    (("accessors", 0, "count"), 10**12, "outside the file"),
    (("accessors", 0, "count"), -1, "no whole glTF file"),
    (("accessors", 0, "type"), [], "no whole glTF file"),
    (("bufferViews", 0, "byteStride"), 0, "outside the file"),
    (("animations", 0, "channels", 0), {}, "'target'"),
    (("animations", 0, "channels", 0, "target", "node"), -1, "has 4 nodes, and names -1"),
    (("animations", 0, "samplers", 0, "output"), 0, "keyframes that are none"),
    (("animations", 0, "samplers", 0, "interpolation"), "CUBICSPLINE", "keyframes that are none"),
]


def lying(source, target, place, value):
    """A whole .glb file in whose document one value is another."""
    whole = source.read_bytes()
    length = struct.unpack_from("<I", whole, 12)[0]
    document = json.loads(whole[HEAD : HEAD + length])
    inner = document
    for key in place[:-1]:
        inner = inner[key]
    inner[place[-1]] = value
    text = json.dumps(document).encode()
    target.write_bytes(whole[:12] + struct.pack("<I", len(text)) + whole[16:HEAD] + text + whole[HEAD + length :])
    return target


@pytest.mark.parametrize(("place", "value", "said"), LIES)
def test_documents_that_lie_are_refused_in_a_sentence(tmp_path, place, value, said):
    with pytest.raises(FileError, match=said):
        pl.read_rig(lying(write_rig(tmp_path / "arm.glb"), tmp_path / "lie.glb", place, value))


def test_documents_nested_too_deeply_are_refused(tmp_path):
    text = b"[" * 100_000
    (tmp_path / "deep.glb").write_bytes(struct.pack("<4sIIII", b"glTF", 2, 0, len(text), 0x4E4F534A) + text)
    with pytest.raises(FileError, match="no document that can be read"):
        pl.read_rig(tmp_path / "deep.glb")


def test_clips_of_joints_without_size_are_refused(tmp_path):
    flat = lying(write_rig(tmp_path / "arm.glb"), tmp_path / "flat.glb", ("nodes", 2, "scale"), [0, 0, 0])
    with pytest.raises(ArgumentError, match="joint 'lower' of clip 'wave' has a scale of zero at rest"):
        pl.read_rig(flat).clips["wave"].path("lower")
