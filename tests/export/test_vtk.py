"""VTK files, read by meshio, and stresses against formulas."""

import dataclasses
from xml.etree import ElementTree as ET

import meshio
import numpy as np
import pytest
from recordings import made_up

import pliant as pl
from pliant.export import Recording, von_mises_stress, write

ROUNDING = 1e-12
E, NU = 2.0e6, 0.3


@pytest.mark.parametrize("kind", ["tet", "hex"])
@pytest.mark.parametrize("material", [pl.StVK, pl.NeoHookean, pl.Corotational, pl.Linear])
def test_small_uniaxial_tension_has_von_mises_stress_young_times_strain(material, kind):
    mesh, strain = pl.shapes.bar((1, 0.2, 0.2), (3, 1, 1), kind=kind), 1e-7
    u = mesh.vertices * [strain, -NU * strain, -NU * strain]
    np.testing.assert_allclose(von_mises_stress(mesh, material(E, NU), u), E * strain, rtol=1e-6)


def test_finite_uniaxial_stretch_of_stvk_follows_its_cauchy_stress():
    """F = diag(s, k, k) with k^2 = 1 - nu (s^2 - 1): S = E (s^2 - 1)/2 along x alone, sigma = s S / k^2."""
    mesh, s = pl.shapes.bar((1, 0.2, 0.2), (2, 1, 1)), 1.3
    k = np.sqrt(1 - NU * (s**2 - 1))
    turn = np.array([[0, -1, 0], [1, 0, 0], [0, 0, 1.0]])
    u = mesh.vertices * [s, k, k] @ turn.T - mesh.vertices
    expected = E * (s**2 - 1) / 2 * s / k**2
    np.testing.assert_allclose(von_mises_stress(mesh, pl.StVK(E, NU), u), expected, rtol=1e-9)


def test_rigid_motion_and_pressure_have_no_von_mises_stress():
    mesh = pl.shapes.bar((1, 0.2, 0.2), (2, 1, 1))
    assert von_mises_stress(mesh, pl.StVK(E, NU), -0.1 * mesh.vertices).max() < E * ROUNDING


def test_cells_turned_inside_out_have_no_number():
    mesh = pl.shapes.bar((1, 0.2, 0.2), (2, 1, 1))
    assert np.isnan(von_mises_stress(mesh, pl.StVK(E, NU), mesh.vertices * [-2, 0, 0])).all()


def test_vtu_has_volume_displacement_velocity_and_stress(tmp_path):
    recording = made_up("full", frames=3)
    write(recording, tmp_path / "a.vtu", time=recording.times[1])
    content, x = meshio.read(tmp_path / "a.vtu"), recording.full_vertices
    np.testing.assert_allclose(content.points, x[1], atol=ROUNDING)
    np.testing.assert_array_equal(content.cells_dict["tetra"], recording.mesh.cells)
    u = x[1] - recording.mesh.vertices
    np.testing.assert_allclose(content.point_data["displacement"], u, atol=ROUNDING)
    speed = (x[2] - x[0]) / (recording.times[2] - recording.times[0])
    np.testing.assert_allclose(content.point_data["velocity"], speed, rtol=1e-9)
    stress = von_mises_stress(recording.mesh, recording.material, u)
    np.testing.assert_allclose(content.cell_data["von_mises_stress"][0], stress)


def test_recording_without_mesh_becomes_a_surface(tmp_path):
    recording = made_up("tree")
    write(recording, tmp_path / "a.vtu")
    content = meshio.read(tmp_path / "a.vtu")
    np.testing.assert_array_equal(content.cells_dict["triangle"], recording.triangles)
    np.testing.assert_allclose(content.points, recording.vertices(-1), atol=ROUNDING)
    assert not content.cell_data


def test_pvd_lists_every_frame_with_its_time(tmp_path):
    recording = made_up("full", frames=3)
    for _ in range(2):
        write(recording, tmp_path / "a & b.pvd")
    rows = ET.parse(tmp_path / "a & b.pvd").findall("Collection/DataSet")
    times = [float(row.get("timestep")) for row in rows]
    np.testing.assert_allclose(times, recording.times, rtol=1e-8)
    for k, row in enumerate(rows):
        np.testing.assert_allclose(meshio.read(tmp_path / row.get("file")).points, recording.vertices(k))
    assert sorted(p.name for p in tmp_path.iterdir()) == ["a & b.pvd", "a & b_frames"]


def test_a_shorter_recording_leaves_no_frames_of_a_longer_one(tmp_path):
    recording = made_up("full", frames=4)
    write(recording, tmp_path / "a.pvd")
    short = dataclasses.replace(recording, times=recording.times[:2], positions=recording.positions[:2])
    write(short, tmp_path / "a.pvd")
    assert len(list((tmp_path / "a_frames").iterdir())) == 2


def test_a_single_frame_stands_still(tmp_path):
    mesh = pl.shapes.bar((1, 0.2, 0.2), (2, 1, 1))
    write(Recording(mesh.surface, np.zeros(1), positions=mesh.vertices[None]), tmp_path / "a.vtu")
    assert not meshio.read(tmp_path / "a.vtu").point_data["velocity"].any()
