"""Shells in a basis: exactly the full one, in steps, files, exports; and what is refused."""

import numpy as np
import pytest

import pliant as pl
from pliant.errors import ArgumentError, MeshError
from tests.sheets import arch, plate

EXACT = 1e-10
CLOSE = 0.02  # of a basis of 15 vectors, with small deflections
DT, DAMPING = 1e-3, (0.5, 0.0)


@pytest.fixture(scope="module", params=["flat", "curved"])
def shell(request):
    vertices, triangles = plate(6, irregular=True) if request.param == "flat" else arch(6)
    turned = vertices[:, [0, 2, 1]]  # flat plates lie, so that weight bends them
    return pl.Shell((turned, triangles), pl.StVK(2e9, 0.3, 1000), 0.01, fixed="x < 0.2")


@pytest.fixture(scope="module")
def model(shell):
    return pl.reduce(shell, pl.modal_basis(shell, modes=5, size=15))


def bent(model):
    q = np.random.default_rng(1).standard_normal(model.size)
    return 0.1 * q / np.abs(model.U @ q).max()


def test_reduced_shell_is_the_projected_one(shell, model):
    q, U = bent(model), model.U
    u = U @ q
    assert model.force_law.kind == "cubic"
    assert model.energy(q) == pytest.approx(shell.energy(u), rel=EXACT)
    assert np.allclose(model.force(q), U.T @ shell.force(u), atol=EXACT * np.abs(model.force(q)).max())
    K = U.T @ (shell.stiffness(u) @ U)
    assert np.allclose(model.stiffness(q), K, atol=EXACT * np.abs(K).max())
    assert np.allclose(model.mass, U.T @ (shell.mass @ U), atol=EXACT)


def test_linear_shell_has_the_stiffness_of_rest(shell, model):
    linear = pl.reduce(shell, model.basis, force="linear")
    K = model.stiffness()
    assert np.allclose(linear.stiffness(bent(model)), K, atol=EXACT * np.abs(K).max())
    other = pl.Shell(shell.mesh, pl.Linear(2e9, 0.3, 1000), 0.01, fixed=shell.fixed)
    assert pl.reduce(other, model.basis).force_law.kind == "linear"


def test_modal_derivatives_solve_their_equation(shell):
    modes = pl.vibration_modes(shell, 2)
    Phi = pl.modal_derivatives(shell, modes)[:, 1]
    a, b = modes.vectors.T
    right = -(shell.stiffness(a) - shell.stiffness(-a)) @ b / 2
    left = shell.stiffness() @ Phi
    assert np.allclose(left[shell.free], right[shell.free], atol=1e-7 * np.abs(right).max())


def test_reduced_steps_follow_the_full_ones(shell, model):
    gravity = (0, -0.5, 0)
    systems = pl.Clamped(model, DT, DAMPING, gravity), pl.Full(shell, DT, DAMPING, gravity)
    for system in systems:
        system.step(150)
    reduced, full = (system.vertices() - shell.mesh.vertices for system in systems)
    assert np.abs(reduced - full).max() < CLOSE * np.abs(full).max()


def test_undamped_full_steps_keep_energy(shell):
    system = pl.Full(shell, DT, gravity=None)
    system.v = 0.1 * pl.vibration_modes(shell, 2).vectors.sum(axis=1)
    before = system.energy()
    system.step(100)
    assert system.energy() == pytest.approx(before, rel=0.01)


def test_damping_takes_energy(model):
    system = pl.Clamped(model, DT, (0.0, 1e-3), gravity=None)
    system.v = np.ones(model.size) * 0.01
    before = system.energy()
    system.step(200)
    assert system.energy() < before


def test_files_keep_a_shell(tmp_path, model):
    model.save(tmp_path / "sail.pliant")
    again, q = pl.load(tmp_path / "sail.pliant"), bent(model)
    assert again.energy(q) == model.energy(q)
    assert isinstance(again.solid, pl.Shell)
    assert again.solid.energy(model.U @ q) == model.solid.energy(model.U @ q)
    assert again.with_material(young=1e9).energy(q) == pytest.approx(model.energy(q) / 2)
    with pytest.raises(ArgumentError, match="Poisson"):
        again.with_material(poisson=0.2)


@pytest.mark.parametrize("kind", ["full", "clamped"])
def test_states_resume_to_the_last_bit(tmp_path, shell, model, kind):
    system = pl.Full(shell, DT) if kind == "full" else pl.Clamped(model, DT)
    system.step(3)
    system.save(tmp_path / "run.state")
    again = pl.resume(tmp_path / "run.state")
    for each in (system, again):
        each.step(3)
    assert np.array_equal(system.vertices(), again.vertices())


@pytest.mark.parametrize("ending", ["glb", "vtu", "html", "npz"])
def test_exports_take_shells(tmp_path, model, ending):
    recording = pl.record(pl.Clamped(model, DT), 0.05, rate=60)
    pl.write(recording, tmp_path / f"sail.{ending}")
    assert (tmp_path / f"sail.{ending}").stat().st_size > 1000


def test_stress_is_that_of_the_middle_surface():
    """A strip pulled along x: sigma_xx = force / (width thickness), and nothing else with Poisson's ratio 0."""
    sheet = pl.shapes.sheet((1.0, 0.5), (8, 4))
    shell = pl.Shell(sheet, pl.StVK(2e9, 0.0, 1000), 0.01, fixed="x < 1e-9")
    stretch = np.zeros((sheet.vertex_count, 3))
    stretch[:, 0] = 1e-6 * sheet.vertices[:, 0]
    model = pl.reduce(shell, pl.Basis(stretch.reshape(-1, 1)))
    sigma = model.stress([1.0])
    wanted = np.zeros((3, 3))
    wanted[0, 0] = 2e9 * 1e-6
    assert np.allclose(sigma, wanted, atol=1e-5 * 2e3)


def test_hinges_survive_a_file(tmp_path):
    vertices, triangles = plate(6)
    shell = pl.Shell((vertices, triangles), pl.StVK(2e9, 0.3, 1000), 0.01, hinged="x < 1e-9", fixed="x > 0.999")
    model = pl.reduce(shell, pl.modal_basis(shell, modes=3, size=3))
    model.save(tmp_path / "gate.pliant")
    again = pl.load(tmp_path / "gate.pliant").solid
    assert np.array_equal(again.hinged, shell.hinged)
    assert np.array_equal(again.clamped, shell.clamped)


def test_what_shells_cannot_do_is_said(shell, model):
    halves = (shell.mesh.centroids[:, 0] > 0.5).astype(int)
    for cut in (pl.substructure, pl.couple, pl.couple_nonlinear):
        with pytest.raises(MeshError, match="cannot be cut into parts"):
            cut(shell, halves, dt=DT)
    with pytest.raises(ArgumentError, match="say how thick it is"):
        pl.Rigid(shell.mesh, 1000)
    with pytest.raises(ArgumentError, match="'cubic' or 'linear'"):
        pl.reduce(shell, model.basis, force="cubature")
