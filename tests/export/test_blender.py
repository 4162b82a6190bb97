"""What Blender shows when it plays an exported file is what was recorded: shape keys, joints, instances and axes.

Blender is not among the packages of the suite: `PLIANT_BLENDER_PYTHON` names a Python that has it (`pip install bpy`).
"""

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from recordings import FLOAT32, KINDS, assert_same_triangles, copies, made_up

import pliant as pl
from pliant.app.running import record_scene
from pliant.export import allowed_error, write

PLAYER = Path(__file__).with_name("blender_playing.py")
SCENES = ("spoon", "flower", "sailboat", "fish", "bridge")
ENDINGS = (".glb", ".usdc")
# Blender evaluates in single precision what is stored in single precision.
TWICE_ROUNDED = 2 * FLOAT32

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def blender():
    """The Python that has Blender."""
    named = os.environ.get("PLIANT_BLENDER_PYTHON")
    if named is None and importlib.util.find_spec("bpy") is None:
        pytest.skip("Blender is missing; set PLIANT_BLENDER_PYTHON to a Python with the package bpy")
    return named or sys.executable


def played(blender, recording, path, frames=slice(None), **options):
    """Corners (f, t, 3, 3) that Blender shows at the times of some frames of the recording."""
    write(recording, path, **options)
    times, found = path.with_name("times.npy"), path.with_name("corners.npy")
    np.save(times, (recording.times - recording.times[0])[frames])
    without_pliant = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    subprocess.run([blender, PLAYER, path, times, found], check=True, capture_output=True, env=without_pliant)
    return np.load(found)


@pytest.mark.parametrize("ending", ENDINGS)
@pytest.mark.parametrize("kind", KINDS)
def test_blender_plays_every_kind_of_recording(kind, ending, blender, tmp_path):
    recording = made_up(kind)
    assert_same_triangles(played(blender, recording, tmp_path / f"made{ending}"), recording, TWICE_ROUNDED)


@pytest.mark.parametrize("ending", ENDINGS)
def test_blender_plays_copies_of_all_sizes(ending, blender, tmp_path):
    recording = copies()
    assert_same_triangles(played(blender, recording, tmp_path / f"made{ending}"), recording, 4 * TWICE_ROUNDED)


def test_blender_plays_thinned_keys_and_integers_within_the_error(blender, tmp_path):
    recording, error = copies(), 1e-3
    found = played(blender, recording, tmp_path / "made.glb", error=error)
    off = np.linalg.norm(found - recording.full_vertices[:, recording.triangles], axis=-1)
    assert off.max() <= error


@pytest.mark.parametrize("ending", ENDINGS)
@pytest.mark.parametrize("name", SCENES)
def test_blender_plays_the_scene(name, ending, blender, tmp_path):
    recording = record_scene(pl.load_scene(name), seconds=0.5, fps=20)
    size = max(1.0, np.abs(recording.full_vertices).max() / 2)
    found = played(blender, recording, tmp_path / f"{name}{ending}")
    assert_same_triangles(found, recording, TWICE_ROUNDED * size)


def test_blender_plays_the_oak_within_its_error(blender, tmp_path):
    recording, frames = record_scene(pl.load_scene("oak"), seconds=None, fps=60), [0, 77, 333, 719]
    found = played(blender, recording, tmp_path / "oak.glb", frames)
    expected = np.stack([recording.vertices(frame)[recording.triangles] for frame in frames])
    assert np.linalg.norm(found - expected, axis=-1).max() <= allowed_error(recording)
