"""Quadratic cells above the full model: reduced forces, inertia, all systems, worn surfaces, wind, files, frames."""

from functools import cache

import numpy as np
import pytest

import pliant as pl
from pliant.export import Recording
from pliant.systems.full import stable_step

KINDS = ["tet10", "hex20"]
IDENTITY = 1e-12
each_kind = pytest.mark.parametrize("kind", KINDS)
WEIGHT = {"dt": 0.01, "damping": (0.1, 0.01), "gravity": (0, -9.81, 0)}
CALM = {"dt": 0.01, "gravity": (0, 0, 0)}
# 12 vectors, and seams of a few columns, follow the full model this far; interfaces of trees are stiff (13 % of Tet4).
CLOSE = {"clamped": 0.01, "tree": 0.13, "seams": 0.03, "nonlinear seams": 0.001}


@cache
def bar(kind, free=False):
    mesh = pl.shapes.bar((1.0, 0.12, 0.12), (6, 1, 1), kind)
    return pl.Solid(mesh, pl.StVK(1e7, 0.3, 1000), fixed=None if free else "x < 1e-9")


@cache
def model(kind):
    return pl.reduce(bar(kind), pl.modal_basis(bar(kind), 5, 12))


def thirds(solid):
    return np.minimum((3 * solid.mesh.centroids[:, 0]).astype(int), 2)


@pytest.mark.parametrize("curved", [False, True])
@each_kind
def test_reduced_cubic_force_is_the_projected_full_force(kind, curved):
    mesh = bar(kind).mesh
    bent = pl.Mesh(mesh.vertices + curved * 0.01 * np.sin(20 * mesh.vertices[:, ::-1]), mesh.cells)
    young = np.random.default_rng(1).uniform(1e5, 3e5, mesh.cell_count)
    solid = pl.Solid(bent, pl.StVK(young, 0.3, 1000), fixed="x < 0.02")
    U = np.zeros((solid.dof_count, 5))
    U[solid.free] = np.random.default_rng(0).standard_normal((len(solid.free), 5))
    reduced = pl.reduce(solid, pl.Basis(U))
    assert reduced.force_law.kind == "cubic"
    q = 0.05 * np.random.default_rng(2).standard_normal(5)
    expected = reduced.U.T @ solid.force(reduced.U @ q)
    np.testing.assert_allclose(reduced.force(q), expected, atol=IDENTITY * np.abs(expected).max())
    np.testing.assert_allclose(reduced.mass, U.T @ (solid.mass @ U), atol=IDENTITY * np.abs(reduced.mass).max())
    inertia = reduced.inertia
    X = bent.vertices
    m = solid.gravity_load((1, 0, 0))[::3]
    assert inertia.mass == pytest.approx(m.sum(), rel=IDENTITY)
    np.testing.assert_allclose(inertia.first_moment, m @ X, atol=1e-12 * inertia.mass)


def test_cubature_is_trained_at_the_points_of_quadratic_cells():
    mesh = pl.shapes.bar((1.0, 0.12, 0.12), (4, 1, 1), "tet10")
    solid = pl.Solid(mesh, pl.NeoHookean(1e5, 0.3, 1000), fixed="x < 1e-9")
    reduced = pl.reduce(solid, pl.modal_basis(solid, 3, 5))
    assert reduced.force_law.kind == "cubature"
    assert reduced.force_law.errors[0] < 0.05


@each_kind
def test_every_system_carries_its_weight_like_the_full_model(kind):
    solid = bar(kind)
    full = pl.Full(solid, newton=20, **WEIGHT)
    systems = {
        "clamped": pl.Clamped(model(kind), newton=20, **WEIGHT),
        "tree": pl.substructure(solid, thirds(solid), size=30, **WEIGHT),
        "seams": pl.couple(solid, thirds(solid), 6, **WEIGHT, nonlinear=False),
        "nonlinear seams": pl.couple_nonlinear(solid, thirds(solid), 4, 10, **WEIGHT),
    }
    full.step(20)
    sag = np.abs(full.vertices() - solid.mesh.vertices).max()
    assert sag > 0.1
    for name, system in systems.items():
        system.step(20)
        assert np.abs(system.vertices() - full.vertices()).max() < CLOSE[name] * sag


@each_kind
def test_free_bodies_fly_on(kind):
    solid, calm = bar(kind, free=True), CALM | {"dt": 0.005}
    for system in (
        pl.couple(solid, thirds(solid), 6, damping=(0, 0.01), **calm, nonlinear=False),
        pl.Full(solid, **calm),
    ):
        system.launch((0.3, 0.2, -0.1), (0.4, -0.3, 0.5))
        before = system.momentum()[0]
        system.step(10)
        np.testing.assert_allclose(system.momentum()[0], before, atol=1e-9 * np.abs(before).max())


@each_kind
def test_explicit_steps_are_stable_up_to_their_bound(kind):
    solid = bar(kind)
    full = pl.Full(solid, dt=0.9 * stable_step(solid), damping=(0, 0), integrator="explicit", gravity=(0, -9.81, 0))
    full.step(1100)  # beyond half a period, 0.26 s
    # An undamped beam swings to twice its static deflection rho g A L^4 / (8 E I) = 0.102 m.
    assert 0.102 < np.abs(full.vertices() - solid.mesh.vertices).max() < 2.2 * 0.102


@each_kind
def test_a_surface_is_worn_blown_and_held(kind):
    system = pl.Clamped(model(kind), dt=0.01, damping=(0, 0.02))
    shell = pl.shapes.bar((1.01, 0.13, 0.13), (5, 2, 2))
    system.wear(pl.Surface(shell.vertices, shell.surface))
    np.testing.assert_allclose(system.vertices(), shell.vertices, atol=1e-12)
    system.wind = pl.Wind((0, 0, 5))
    system.step(20)
    assert (system.vertices() - shell.vertices)[-1, 2] > 1e-6
    target = system.vertices()[-1] + [0, 0.01, 0]
    system.hold(len(shell.vertices) - 1, target)
    system.step(200)
    np.testing.assert_allclose(system.vertices()[-1], target, atol=1e-3)


@each_kind
def test_models_and_frames_go_to_files_and_back(kind, tmp_path):
    import meshio

    from pliant.export import read_recording, write

    model(kind).save(tmp_path / "model.pliant")
    again = pl.load(tmp_path / "model.pliant")
    np.testing.assert_array_equal(again.cells, bar(kind).mesh.cells)
    mesh, H = bar(kind).mesh, np.diag([0.1, 0.0, 0.0])
    positions = mesh.vertices + np.stack([np.zeros_like(mesh.vertices), mesh.vertices @ H])
    recording = Recording(
        mesh.surface, np.array([0.0, 1.0]), positions=positions, mesh=mesh, material=pl.Linear(1e5, 0.3)
    )
    write(recording, tmp_path / "frame.vtu")
    content = meshio.read(tmp_path / "frame.vtu")
    np.testing.assert_array_equal(content.cells_dict[{"tet10": "tetra10", "hex20": "hexahedron20"}[kind]], mesh.cells)
    # Uniaxial strain: von Mises stress 2 mu e.
    np.testing.assert_allclose(content.cell_data["von_mises_stress"][0], 0.1 * 1e5 / 1.3, rtol=1e-9)
    write(recording, tmp_path / "frames.npz")
    assert read_recording(tmp_path / "frames.npz").mesh.kind == kind
