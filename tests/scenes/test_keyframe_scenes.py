"""Scenes with keyframes: the toy dinosaur's five steps, a clamped bar, and what is refused."""

import time

import numpy as np
import pytest

from pliant.errors import ArgumentError, SceneError, SelectionError
from pliant.scenes import load_scene

PAPER = 180.0  # [s] that [MR12] Fig. 8 took
OURS = 20.0  # [s] that five steps may take, of one core
BAR = """
dt = 0.02
duration = 1.0
gravity = [0, 0, 0]
damping = [0.3, 0.01]

[[part]]
shape = { name = "bar", size = [2, 0.2, 0.1], cells = [8, 2, 1] }
fixed = "x < 0.001"
material = { model = "stvk", young = 1.4e6, poisson = 0.3, density = 1000 }
basis = { kind = "modal", modes = 3, size = 6 }

[[keyframe]]
time = 0.5
targets = [{ where = "x > 1.999", move = [-0.02, 0.25, 0.1] }]

[[keyframe]]
time = 1.0
targets = [{ where = "x > 1.999" }]

[control]
kind = "keyframes"

[[check]]
measure = "keyframe distance"
within = 0.02
"""


@pytest.fixture
def scene(tmp_path):
    """Makes a scene of the text of the bar, changed."""

    def make(*changes):
        text = BAR
        for old, new in changes:
            assert old in text
            text = text.replace(old, new)
        (tmp_path / "bar.toml").write_text(text)
        return load_scene(tmp_path / "bar.toml")

    return make


def test_a_dinosaur_takes_five_steps_of_three_keyframes_each_in_a_ninth_of_the_time_of_the_paper(monkeypatch, tmp_path):
    monkeypatch.setenv("PLIANT_CACHE", str(tmp_path))  # nothing is known of it
    scene, told, begun = load_scene("dinosaur"), [], time.process_time()
    steering, world = scene.schedule.steering, scene.build(lambda *news: told.append(news))
    assert time.process_time() - begun < OURS == PAPER / 9  # with its mesh, basis and forces
    assert len(steering.tables) == 15
    assert len(steering.stretches) == 5
    assert world.time == 0
    shares = [share for stage, share in told if stage == "finding the motion"]
    assert shares == sorted(shares)
    assert shares[-1] == 1.0
    track = scene.watch(world)
    assert len(track.missed) == 15
    assert np.allclose(track.missed, steering.missed)
    [verdict] = scene.verify(track)
    assert verdict.holds
    feet = [np.unique(scene.mesh.cells[scene.mesh.cell_groups[f"{side} foot"]]) for side in ("left", "right")]
    gone = [(world.vertices()[ids] - scene.rest[ids]).mean(axis=0) for ids in feet]
    # Steps of 5, 10, 10, 10 and 5 cm of either foot in turn end with both 20 cm ahead, side by side, on the floor.
    assert np.allclose(gone, [[0.2, 0, 0]] * 2, atol=0.03)


def test_a_clamped_bar_passes_the_places_of_its_tip(scene):
    bar = scene()
    track = bar.watch(bar.build())
    assert len(track.missed) == 2
    assert bar.verify(track)[0].holds


def test_a_bar_is_led_by_the_patches_that_its_scene_names(scene):
    patches = (
        '[control]\nactuators = [{ where = "x > 1.9", force = [0, 1, 0] }, { where = "x > 1.9", force = [0, 0, 1] }]'
    )
    bar = scene(("[control]", patches), ("[-0.02, 0.25, 0.1]", "[-0.01, 0.15, 0.1]"))
    track = bar.watch(bar.build())
    assert bar.verify(track)[0].holds
    assert bar.schedule.steering.stretches[0].reached.controls.shape == (50, 2)


def test_what_is_compared_with_another_system_leaves_its_keyframes_out(scene):
    full = scene().with_system("full").file
    assert full.control is None
    assert not full.keyframe
    assert not full.check


def test_kept_poses_are_keyframes_too(scene):
    pose = "q = [0.3, 0, 0, 0, 0, 0]"
    bar = scene(('targets = [{ where = "x > 1.999", move = [-0.02, 0.25, 0.1] }]', pose))
    track = bar.watch(bar.build())
    assert max(track.missed) < 0.01


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("time = 0.5", "time = 1.0", "not later than that before it"),
        ("duration = 1.0", "duration = 0.9", "lies beyond the end, duration = 0.9 s"),
        ('[control]\nkind = "keyframes"\n', "", r"\[\[keyframe\]\] needs a table \[control\]"),
        ("dt = 0.02", 'dt = 0.02\nsystem = "full"', 'keyframes are for system = "clamped" or "world"'),
        ('targets = [{ where = "x > 1.999" }]', "", "a keyframe has targets or q"),
    ],
)
def test_mistakes_in_a_file_are_said_with_their_place(scene, old, new, said):
    with pytest.raises(SceneError, match=said):
        scene((old, new))


@pytest.mark.parametrize(
    ("old", "new", "kind", "said"),
    [
        (
            '{ where = "x > 1.999" }',
            '{ where = "x > 9" }',
            SelectionError,
            "keyframe 1 where = 'x > 9' selects no vertex",
        ),
        ("[control]", '[control]\nbody = "ball"', SceneError, "the body 'ball', which is not among"),
        (
            "[control]",
            '[control]\nactuators = [{ where = "x < 0.001", force = [0, 1, 0] }]',
            ArgumentError,
            "actuator 0 can move nothing",
        ),
        (
            'targets = [{ where = "x > 1.999" }]',
            "q = [0.1, 0.2]",
            ArgumentError,
            "keyframe 1 has 2 coordinates and the body 6: it is of another mesh",
        ),
    ],
)
def test_what_does_not_fit_the_mesh_is_said_in_a_sentence(scene, old, new, kind, said):
    with pytest.raises(kind, match=said):
        scene((old, new)).build()
