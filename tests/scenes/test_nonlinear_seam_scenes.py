"""Nonlinear seams from scene files, on the bar of [BA13] Fig. 7."""

import numpy as np
import pytest

import pliant as pl
from pliant.app.tuning import settings_of, tuned
from pliant.errors import ArgumentError
from pliant.systems.playing import play

TRUTH = {"min": -0.6854, "final": -0.5361}  # mean tip of the full model, maths sheet boundary-aware 9
SETTLED = 2e-3  # of the way: what a critically damped approach at 20/s leaves after half a second is 11 e^-10
ASKED = 0.03  # of the tip; linear seams are at 0.1


@pytest.fixture(scope="module")
def scene():
    return pl.load_scene("bar").changed(seams={"force": "cubic"})


@pytest.fixture(scope="module")
def track(scene):
    return scene.watch(scene.build())


def test_tip_of_the_bar_follows_the_full_model(scene, track):
    for verdict in scene.verify(track):
        assert verdict.found == pytest.approx(TRUTH[verdict.check.measure], rel=ASKED)


def test_interfaces_are_turned():
    turn = {"between": ["part 1", "part 2"], "to": [0, 0, 30], "from": 0.1, "until": 1.5, "over": 0.6}
    changes = {"seams": {"force": "cubic", "soft": 1, "derivatives": 4}, "turn": [turn], "gravity": (0, 0, 0)}
    scene = pl.load_scene("bar").changed(**changes)
    system = scene.build()
    entity, dt = system.interface("part 1", "part 2"), scene.file.dt
    play(system, scene.schedule, round(1.4 / dt))
    np.testing.assert_allclose(np.degrees(system.rotation_of(entity)), [0, 0, 30], atol=SETTLED * 30)
    play(system, scene.schedule, round(0.2 / dt))
    assert not system.turns
    assert np.degrees(system.rotation_of(entity))[2] < 29


def test_tuner_makes_the_same_parts_with_other_settings(scene):
    system = scene.build()
    settings = settings_of(system)
    made = tuned(system, settings)
    assert isinstance(made, pl.NonlinearSeams)
    assert made.parts is system.parts
    assert settings_of(made) == settings


def test_launch_gives_a_free_solid_its_velocity_and_spin():
    mesh = pl.shapes.torus(0.5, 0.12)
    labels = (np.arctan2(mesh.centroids[:, 2], mesh.centroids[:, 0]) // (np.pi / 2) + 2).astype(int)
    system = pl.couple_nonlinear(pl.Solid(mesh, pl.StVK(1e5, 0.3)), labels, 0, 2, dt=0.01, modes=2, gravity=None)
    velocity, spin = np.array([1.0, 2.0, -0.5]), np.array([0.3, -0.7, 0.4])
    system.launch(velocity, spin)
    mass = float(system.parts.solid.lumped_mass[::3].sum())
    assert system.momentum()[0] == pytest.approx(mass * velocity, rel=1e-9)
    before = system.vertices()
    system.dt = 1e-6
    system.step()
    moved = (system.vertices() - before) / 1e-6
    arms = before - system.parts.solid.lumped_mass[::3] @ before / mass
    assert np.abs(moved - velocity - np.cross(spin, arms)).max() < 1e-4


def test_launch_of_a_held_solid_is_refused(scene):
    with pytest.raises(ArgumentError, match="fixed vertices"):
        scene.build().launch((1, 0, 0))
