"""Rigged characters in .glb files, written by another library: surface, joints, weights and clips."""

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
