"""Shells against differences, rigid motion, uniform strain, beam theory, rings, and the tables of plates."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import pliant as pl
from pliant.errors import ArgumentError, MaterialError, MeshError
from tests.sheets import arch, plate, rim, ring

EXACT = 1e-10
DIFFERENCES = 1e-6  # rounding over a step of 1e-5
TABLES = 0.02  # what the plates are asked for under refinement
STEEL = pl.StVK(2e9, 0.3, 1000)
THIN = 0.01


def bent(irregular=True):
    return pl.Shell(arch(5, irregular), STEEL, 0.02)


@pytest.fixture(params=["flat", "curved", "clamped", "linear"])
def shell(request):
    vertices, triangles = plate(5, irregular=True) if request.param == "flat" else arch(5)
    material = pl.Linear(2e9, 0.3, 1000) if request.param == "linear" else STEEL
    fixed = "x < 0.25" if request.param == "clamped" else None
    return pl.Shell((vertices, triangles), material, 0.02, fixed=fixed)


def directions(shell, count):
    return np.random.default_rng(2).standard_normal((count, shell.dof_count))


def test_force_is_the_derivative_of_the_energy(shell):
    u, d = 0.03 * directions(shell, 2)
    slope = (shell.energy(u + 1e-4 * d) - shell.energy(u - 1e-4 * d)) / 2e-4
    assert shell.force(u) @ d == pytest.approx(slope, rel=DIFFERENCES)


def test_stiffness_is_the_derivative_of_the_force(shell):
    u, d = 0.03 * directions(shell, 2)
    slope = (shell.force(u + 1e-4 * d) - shell.force(u - 1e-4 * d)) / 2e-4
    K = shell.stiffness(u)
    assert np.abs(K @ d - slope).max() < DIFFERENCES * np.abs(slope).max()
    assert np.abs((K - K.T).data).max() < EXACT * np.abs(K.data).max()


def test_curvature_is_the_second_derivative_of_the_force(shell):
    a, b = directions(shell, 2)
    # K is quadratic in u, so a central difference of any width is exact
    wanted = (shell.stiffness(a) - shell.stiffness(-a)) @ b / 2
    pairs = shell.curvatures(np.stack([a, b], axis=1))
    assert np.abs(shell.curvature(a, b) - wanted).max() <= EXACT * np.abs(shell.stiffness(a) @ b).max()
    assert np.allclose(pairs[:, 1], wanted, atol=EXACT * np.abs(shell.stiffness(a) @ b).max())


def test_clamped_stiffness_is_semidefinite(shell):
    values = np.linalg.eigvalsh(shell.stiffness(0.05 * directions(shell, 1)[0], clamp=True).toarray())
    assert values[0] > -EXACT * values[-1]


@pytest.mark.parametrize(("vertices", "triangles"), [plate(5, irregular=True), arch(5)], ids=["flat", "curved"])
def test_rotations_change_no_energy(vertices, triangles):
    shell = pl.Shell((vertices, triangles), STEEL, 0.02)
    R, t = Rotation.from_rotvec([1.0, 2.0, -0.5]).as_matrix(), [1.0, -2.0, 3.0]
    u = 0.05 * directions(shell, 1)[0]
    turned = (vertices + u.reshape(-1, 3)) @ R.T + t - vertices
    energy = shell.energy(u)
    assert shell.energy(turned) == pytest.approx(energy, rel=EXACT)
    assert shell.energy(vertices @ R.T + t - vertices) < EXACT * energy
    assert np.allclose(shell.force(turned).reshape(-1, 3), shell.force(u).reshape(-1, 3) @ R.T, atol=EXACT * 1e9)


def test_rest_is_without_force(shell):
    assert np.abs(shell.force(np.zeros(shell.dof_count))).max() == 0.0


def test_uniform_stretch_is_exact_on_any_mesh():
    vertices, triangles = plate(6, irregular=True)
    shell = pl.Shell((vertices, triangles), STEEL, THIN)
    H = np.array([[0.02, 0.01], [-0.03, 0.05]])
    u = np.zeros_like(vertices)
    u[:, :2] = vertices[:, :2] @ H.T
    F = np.eye(2) + H
    E = (F.T @ F - np.eye(2)) / 2
    young, nu = STEEL.young, STEEL.poisson
    density = young / (1 - nu**2) / 2 * (nu * np.trace(E) ** 2 + (1 - nu) * np.sum(E * E))
    assert shell.energy(u) == pytest.approx(THIN * density, rel=EXACT)
    inside = np.setdiff1d(np.arange(len(vertices)), rim(vertices))
    forces = shell.force(u).reshape(-1, 3)
    assert np.abs(forces[inside]).max() < EXACT * np.abs(forces).max()


@pytest.mark.parametrize("irregular", [False, True])
def test_uniform_curvature_leaves_no_force_inside(irregular):
    """w quadratic: the moments are constant, so that vertices away from the rim are in balance."""
    vertices, triangles = plate(10, irregular)
    shell = pl.Shell((vertices, triangles), STEEL, THIN)
    x, y, _ = vertices.T
    u = np.zeros_like(vertices)
    u[:, 2] = 0.3 * x * x - 0.2 * x * y + 0.1 * y * y
    forces = (shell.stiffness() @ u.ravel()).reshape(-1, 3)
    deep = (np.abs(vertices[:, :2] - 0.5) < 0.25).all(axis=1)
    assert np.abs(forces[deep]).max() < EXACT * np.abs(forces).max()


def test_mass_and_weight():
    shell = pl.Shell(plate(4), STEEL, THIN)
    assert shell.lumped_mass[::3].sum() == pytest.approx(STEEL.density * THIN)
    assert shell.gravity_load((0, -10, 0)).reshape(-1, 3).sum(axis=0) == pytest.approx(
        [0, -10 * STEEL.density * THIN, 0]
    )


def test_strip_bends_as_a_beam():
    """P L^3 / (3 E I) and omega = 3.516 sqrt(E I / m L^4); Poisson's ratio zero makes the plate a beam."""
    length, width = 1.0, 0.1
    sheet = pl.shapes.sheet((length, width), (40, 4))
    shell = pl.Shell(sheet, pl.StVK(2e9, 0.0, 1000), THIN, fixed="x < 1e-9")
    tip = sheet.select("x > 0.999999")
    load = np.zeros((sheet.vertex_count, 3))
    load[tip, 2] = 1e-4 * np.array([1, 2, 2, 2, 1]) / 8
    u = pl.solve_static(shell, load).reshape(-1, 3)
    EI = 2e9 * width * THIN**3 / 12
    assert u[tip, 2].mean() == pytest.approx(1e-4 * length**3 / (3 * EI), rel=0.005)
    omega = pl.vibration_modes(shell, 1).frequencies[0]
    assert omega == pytest.approx(3.5160 * np.sqrt(EI / (1000 * width * THIN)), rel=0.005)


def frequencies(count, irregular, support, modes):
    """omega a^2 sqrt(rho h / D)."""
    vertices, triangles = plate(count, irregular)
    held = {"clamped": {"fixed": rim(vertices)}, "hinged": {"hinged": rim(vertices)}, "edge": {"fixed": "x < 1e-9"}}
    shell = pl.Shell((vertices, triangles), STEEL, 0.001, **held[support])
    D = STEEL.young * 0.001**3 / 12 / (1 - STEEL.poisson**2)
    return pl.vibration_modes(shell, modes).frequencies * np.sqrt(STEEL.density * 0.001 / D)


# Leissa, Vibration of Plates (1969), Poisson's ratio 0.3. Those of the cantilever, by a Ritz method, are upper bounds.
LEISSA = {
    "hinged": np.pi**2 * np.array([2.0, 5.0, 5.0, 8.0]),
    "clamped": np.array([35.992, 73.413, 73.413, 108.27]),
    "edge": np.array([3.4917, 8.5246, 21.429]),
}


@pytest.mark.parametrize("irregular", [False, True], ids=["regular", "irregular"])
@pytest.mark.parametrize("support", LEISSA)
def test_plate_frequencies_tend_to_the_tables(support, irregular):
    table = LEISSA[support]
    coarse, fine = (np.abs(frequencies(n, irregular, support, len(table)) / table - 1).max() for n in (12, 24))
    assert fine < TABLES
    assert fine < coarse


def test_rings_ring_as_curved_beams():
    """Inextensional modes, omega^2 = E I / (m R^4) n^2 (n^2 - 1)^2 / (n^2 + 1): the rest shape is curved."""
    shell = pl.Shell(ring(48, 2, 0.1), pl.StVK(2e9, 0.0, 1000), THIN)
    found = pl.vibration_modes(shell, 4).frequencies[[0, 2]]
    n = np.array([2, 3])
    wanted = np.sqrt(2e9 * THIN**2 / 12 / 1000 * n**2 * (n**2 - 1) ** 2 / (n**2 + 1))
    assert found == pytest.approx(wanted, rel=0.005)


def test_triangles_may_wind_either_way():
    vertices, triangles = arch(4)
    mixed = triangles.copy()
    mixed[::2] = mixed[::2, ::-1]
    u = 0.03 * directions(pl.Shell((vertices, triangles), STEEL, 0.02), 1)[0]
    energies = [pl.Shell((vertices, rows), STEEL, 0.02).energy(u) for rows in (triangles, mixed)]
    assert energies[0] == pytest.approx(energies[1], rel=EXACT)


@pytest.mark.parametrize("thickness", [0, -0.1, np.nan, np.inf, "thin", [0.1, 0.2]])
def test_thickness_must_be_a_length(thickness):
    with pytest.raises(ArgumentError, match="thickness"):
        pl.Shell(plate(2), STEEL, thickness)


def test_edge_of_three_triangles_is_refused():
    vertices = np.array([[0.0, 0, 0], [1, 0, 0], [0, 1, 0], [0, -1, 0], [0, 0, 1]])
    with pytest.raises(MeshError, match="two triangles at most; 1 belong to more, the first from vertex 0 to 1"):
        pl.Shell((vertices, [[0, 1, 2], [0, 1, 3], [0, 1, 4]]), STEEL, THIN)


def test_other_bad_input_is_named():
    vertices, triangles = plate(2)
    with pytest.raises(MeshError, match="at least one row of 3"):
        pl.Shell((vertices, np.empty((0, 3), dtype=int)), STEEL, THIN)
    with pytest.raises(MaterialError, match="NeoHookean was given"):
        pl.Shell((vertices, triangles), pl.NeoHookean(1e6, 0.3), THIN)
    with pytest.raises(MeshError, match="have none"):
        pl.Shell((vertices * [1, 0, 0], triangles), STEEL, THIN)
    with pytest.raises(ArgumentError, match="tet cells"):
        pl.Shell(pl.shapes.box(cells=(1, 1, 1)), STEEL, THIN)
    with pytest.raises(ArgumentError, match="no inside"):
        pl.Solid(pl.shapes.sheet(), STEEL)
    with pytest.raises(ArgumentError, match="every vertex"):
        pl.Shell((vertices, triangles), STEEL, THIN, fixed="x < 2")
