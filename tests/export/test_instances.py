"""Copies of a part share one mesh of a .glb, and what is left out where an error is allowed is no more than that."""

import json
import struct

import numpy as np
import pytest
from glb_reader import Reader
from recordings import FLOAT32, SCALES, assert_same_triangles, copies

import pliant as pl
from pliant.errors import ArgumentError
from pliant.export import write
from pliant.export.gltf import allowed_error


@pytest.fixture(scope="module")
def swaying():
    return copies()


def found_by_reader(path, recording):
    reader = Reader(path)
    return reader, np.stack([reader.corners(time) for time in recording.times - recording.times[0]])


def document(path):
    """The JSON of a file."""
    content = path.read_bytes()
    return json.loads(content[20 : 20 + struct.unpack_from("<I", content, 12)[0]])


def test_copies_of_any_size_share_a_mesh(swaying, tmp_path):
    write(swaying, tmp_path / "a.glb")
    reader, found = found_by_reader(tmp_path / "a.glb", swaying)
    assert len(reader.gltf.meshes) == 1
    assert len(reader.gltf.nodes) == len(SCALES)
    np.testing.assert_allclose([(node.scale or [1])[0] for node in reader.gltf.nodes], SCALES, rtol=1e-12)
    nodes, (mesh,) = (document(tmp_path / "a.glb")[name] for name in ("nodes", "meshes"))
    assert all(len(node["weights"]) == 5 for node in nodes), "each begins with weights of its own"
    assert "weights" not in mesh
    assert_same_triangles(found, swaying, 4 * FLOAT32)  # coordinates of up to 8 m


@pytest.mark.parametrize(("error", "share"), [(1e-3, 0.75), (1e-2, 0.5)])
def test_allowed_error_is_kept_at_every_frame(swaying, tmp_path, error, share):
    write(swaying, tmp_path / "exact.glb", normals=False)
    write(swaying, tmp_path / "a.glb", normals=False, error=error)
    reader, found = found_by_reader(tmp_path / "a.glb", swaying)
    farthest = np.linalg.norm(found - swaying.full_vertices[:, swaying.triangles], axis=-1).max()
    assert error / 10 < farthest <= error
    assert len(reader.gltf.meshes[0].primitives[0].targets) == 3
    assert (tmp_path / "a.glb").stat().st_size < share * (tmp_path / "exact.glb").stat().st_size


def test_file_tells_the_error_it_allows(swaying, tmp_path):
    for error in (0, 1e-3):
        write(swaying, tmp_path / "a.glb", error=error)
        assert document(tmp_path / "a.glb")["scenes"][0]["extras"].get("error", 0) == error


def test_small_recordings_are_exact_unless_told_otherwise(swaying, tmp_path):
    assert allowed_error(swaying) == 0
    with pytest.raises(ArgumentError, match="error must be finite and at least 0"):
        write(swaying, tmp_path / "a.glb", error=-1)


@pytest.mark.slow
def test_oak_takes_less_than_ten_megabytes(tmp_path):
    """Twelve seconds of 1,435 parts and 11,972 coordinates: 114 MB, were every frame of every part to be kept."""
    from pliant.app.running import record_scene

    oak = record_scene(pl.load_scene("oak"), seconds=None, fps=60)
    write(oak, tmp_path / "oak.glb")
    assert (tmp_path / "oak.glb").stat().st_size < 10e6
    reader = Reader(tmp_path / "oak.glb")
    assert len(reader.gltf.meshes) == 6
    for frame in (0, 100, 333, 501, 720):
        # Pieces come in the order of the parts, and so do the triangles of the oak.
        off = np.linalg.norm(reader.corners(oak.times[frame]) - oak.vertices(frame)[oak.triangles], axis=-1)
        assert off.max() <= allowed_error(oak) < 5e-3
