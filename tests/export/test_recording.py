"""Recordings: when frames are taken, what they keep, and what is refused."""

import dataclasses

import numpy as np
import pytest
from recordings import made_up

import pliant as pl
from pliant.errors import ArgumentError
from pliant.export import Recording, record, von_mises_stress


@pytest.fixture
def system():
    mesh = pl.shapes.bar((1, 0.2, 0.2), (3, 1, 1))
    solid = pl.Solid(mesh, pl.StVK(1e6, 0.3), fixed="x < 0.01")
    return pl.Full(solid, dt=0.007, gravity=(0, -9.81, 0))


def test_frames_are_taken_at_the_nearest_steps(system):
    recording = record(system, 0.1, rate=60)
    due = np.arange(7) / 60
    assert np.abs(recording.times - due).max() <= system.dt / 2 + 1e-12
    np.testing.assert_allclose(recording.times / system.dt, np.round(recording.times / system.dt), atol=1e-9)


def test_more_frames_than_steps_are_one_a_step(system):
    recording = record(system, 0.035, rate=1000)
    np.testing.assert_allclose(recording.times, np.arange(6) * system.dt, atol=1e-12)


def test_recorded_vertices_are_those_of_the_system(system):
    recording = record(system, 0.05)
    np.testing.assert_array_equal(recording.vertices(-1), system.vertices())
    np.testing.assert_array_equal(recording.full_vertices[-1], system.vertices())
    assert recording.mesh is system.solid.mesh


def test_clamped_records_poses_and_brings_its_mesh():
    mesh = pl.shapes.bar((1, 0.2, 0.2), (4, 1, 1))
    solid = pl.Solid(mesh, pl.StVK(1e6, 0.3), fixed="x < 0.01")
    system = pl.Clamped(pl.reduce(solid, pl.modal_basis(solid, modes=3, size=6)), dt=0.005)
    recording = record(system, 0.1)
    np.testing.assert_allclose(recording.vertices(-1), system.vertices(), atol=1e-14)
    np.testing.assert_array_equal(recording.mesh.cells, mesh.cells)
    assert np.abs(recording.full_vertices - mesh.vertices).max() > 1e-3
    assert isinstance(recording.material, pl.StVK)


def test_before_step_is_called_before_every_step(system):
    calls = []
    record(system, 0.05, before_step=lambda s: calls.append(s.time))
    np.testing.assert_allclose(calls, np.arange(len(calls)) * system.dt, atol=1e-12)
    assert len(calls) == round(system.time / system.dt)


def test_progress_ends_at_one(system):
    seen = []
    record(system, 0.05, progress=lambda stage, fraction: seen.append(fraction))
    assert seen == sorted(seen)
    assert seen[-1] == 1.0


@pytest.mark.parametrize(("seconds", "rate"), [(-1, 60), (1, 0), (float("nan"), 60), ("x", 60)])
def test_bad_durations_are_refused(system, seconds, rate):
    with pytest.raises(ArgumentError, match=r"seconds|rate"):
        record(system, seconds, rate)


def test_frame_at_is_the_nearest():
    recording = made_up("full", frames=4)
    assert recording.frame_at(recording.times[2] + 1e-6) == 2
    assert recording.frame_at(1e9) == 3


def test_inconsistent_recordings_are_refused():
    recording = made_up("one part")
    with pytest.raises(ArgumentError, match="grow"):
        dataclasses.replace(recording, times=recording.times[::-1])
    with pytest.raises(ArgumentError, match="one pose a time"):
        dataclasses.replace(recording, poses=recording.poses[1:])
    with pytest.raises(ArgumentError, match="either a skin"):
        Recording(recording.triangles, recording.times)
    with pytest.raises(ArgumentError, match="leave the mesh out"):
        dataclasses.replace(recording, mesh=pl.shapes.box(cells=(1, 1, 1)))


def test_nonlinear_seams_bring_their_volume_and_stress():
    """Stretched by s along x: von Mises = |s S_xx - S_yy / s| with S = lam tr(E) + 2 mu E, E_xx = (s^2 - 1) / 2."""
    mesh = pl.shapes.bar((1, 0.2, 0.2), (4, 1, 1))
    solid = pl.Solid(mesh, pl.StVK(1e6, 0.3))
    labels = (mesh.centroids[:, 0] > 0.5).astype(int)
    system = pl.couple_nonlinear(solid, labels, 0, 1, dt=0.005, modes=2, gravity=None)
    s, lam, mu = 1.1, 0.3e6 / (1.3 * 0.4), 1e6 / 2.6
    system.q = system.coordinates_of((s - 1) * mesh.vertices * [1, 0, 0])
    recording = record(system, 0.0)
    assert recording.mesh is mesh
    E = (s**2 - 1) / 2
    found = von_mises_stress(mesh, recording.material, recording.vertices(0) - mesh.vertices)
    np.testing.assert_allclose(found, abs(s * (lam + 2 * mu) * E - lam * E / s), rtol=1e-9)


def test_trees_have_no_one_solid_and_are_recorded_without_a_volume():
    mesh = pl.shapes.bar((1, 0.2, 0.2), (4, 1, 1))
    solid = pl.Solid(mesh, pl.StVK(1e6, 0.3), fixed="x < 0.01")
    tree = pl.substructure(solid, (mesh.centroids[:, 0] > 0.5).astype(int), size=8, dt=0.01)
    recording = record(tree, 0.02)
    assert (recording.mesh, recording.material) == (None, None)
