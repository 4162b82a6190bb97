"""The .glb of every gallery scene, read by an independent loader, shows what was simulated."""

import numpy as np
import pytest
import trimesh
from glb_reader import Reader
from recordings import FLOAT32, assert_same_triangles

import pliant as pl
from pliant.app.running import record_scene
from pliant.export import write


@pytest.mark.parametrize("name", pl.gallery())
def test_glb_of_the_scene_reproduces_its_vertices(name, tmp_path):
    recording = record_scene(pl.load_scene(name), seconds=0.1, fps=20)
    path = tmp_path / f"{name}.glb"
    write(recording, path, normals=False)
    reader = Reader(path)
    found = np.stack([reader.corners(time) for time in recording.times - recording.times[0]])
    # FLOAT32 is for coordinates of about 2 m.
    assert_same_triangles(found, recording, FLOAT32 * max(1.0, np.abs(recording.full_vertices).max() / 2))
    assert len(trimesh.load(path, force="mesh").faces) == len(recording.triangles)
