"""Rotation-strain warping: exact on rotations and on strains, second order elsewhere, a bent beam keeps its volume."""

import numpy as np
import pytest
import scipy.sparse.linalg as spla

from pliant.basis import vibration_modes
from pliant.errors import ArgumentError
from pliant.fem import Linear, Shell, Solid
from pliant.fem.elements import elements
from pliant.mesh import Mesh, Sheet, shapes
from pliant.numerics import rotation_exponential
from pliant.skin.rotation_strain import RotationStrainWarp
from tests.sheets import arch

ROTATION = 1e-11  # maths sheet section 12
EXACT = 1e-12  # a sparse solve of well-conditioned right-hand sides; the maths sheet obtained 3e-14


@pytest.fixture(scope="module")
def mesh():
    return shapes.bar((1.0, 0.4, 0.3), (6, 3, 2))


@pytest.fixture(scope="module")
def wall(mesh):
    return mesh.select("x < 0.001")


def volume(X, cells):
    return np.linalg.det(X[cells[:, 1:]] - X[cells[:, :1]]).sum() / 6


def volume_centre(mesh):
    return mesh.volumes @ mesh.centroids / mesh.volumes.sum()


def smooth(X):
    """A displacement field without symmetry, zero at x = 0."""
    x, y, z = X.T
    return np.stack([0.3 * x * y, x * x + 0.2 * x * z, 0.5 * x * y - 0.7 * x**2], axis=1)


@pytest.mark.parametrize("angle", [0.0, 1e-5, 0.7, 3.2])
def test_infinitesimal_rotations_become_finite_ones(mesh, angle):
    w = angle * np.array([2.0, -1.0, 2.0]) / 3
    u, c = np.cross(w, mesh.vertices), volume_centre(mesh)
    expected = (mesh.vertices - c) @ (rotation_exponential(w) - np.eye(3)).T + np.cross(w, c)
    assert np.abs(RotationStrainWarp(mesh).warp(u.ravel()) - expected).max() < ROTATION


def test_symmetric_strain_is_left_alone(mesh):
    strain = np.array([[0.5, 0.2, -0.1], [0.2, -0.3, 0.4], [-0.1, 0.4, 0.2]])
    u = mesh.vertices @ strain
    assert np.abs(RotationStrainWarp(mesh).warp(u.ravel()) - u).max() < EXACT


@pytest.mark.parametrize("held", [True, False])
def test_warp_differs_from_the_linear_displacement_in_second_order(mesh, wall, held):
    warper, u = RotationStrainWarp(mesh, wall if held else None), smooth(mesh.vertices)
    errors = [np.linalg.norm(warper.warp(size * u.ravel()) - size * u) for size in (1e-3, 5e-4)]
    assert np.log2(errors[0] / errors[1]) == pytest.approx(2, abs=0.01)


@pytest.mark.parametrize("held", [True, False])
def test_warp_equals_dense_least_squares(mesh, wall, held):
    u, tets = smooth(mesh.vertices), elements(mesh)
    g, V = tets.gradients[:, 0], tets.weights[:, 0]
    n, m = mesh.vertex_count, mesh.cell_count
    H = np.einsum("eai,eaj->eij", u[mesh.cells], g)
    skew = 0.5 * (H - H.transpose(0, 2, 1))
    turns = [rotation_exponential(np.array([A[2, 1], A[0, 2], A[1, 0]])) for A in skew]
    targets = np.array(turns) @ (np.eye(3) + H - skew) - np.eye(3)
    slopes = np.zeros((m, 3, n))
    for e, cell in enumerate(mesh.cells):
        slopes[e][:, cell] = np.sqrt(V[e]) * g[e].T
    right = (np.sqrt(V)[:, None, None] * targets).transpose(0, 2, 1).reshape(3 * m, 3)
    free = np.setdiff1d(np.arange(n), wall if held else [])
    expected = np.zeros((n, 3))
    expected[free] = np.linalg.lstsq(slopes.reshape(3 * m, n)[:, free], right, rcond=None)[0]
    if not held:
        masses = np.bincount(mesh.cells.ravel(), np.repeat(V / 4, 4))
        expected += masses @ (u - expected) / masses.sum()
    warped = RotationStrainWarp(mesh, wall if held else None).warp(u.ravel())
    assert np.abs(warped - expected).max() < EXACT * np.abs(expected).max()


def test_a_bent_beam_keeps_its_volume():
    # Maths sheet section 11: 1.42 linear, 0.998 warped, for a tip deflection of 1.2 at a length of 2.
    beam = shapes.bar((2, 0.2, 0.2), (20, 2, 2))
    solid = Solid(beam, Linear(young=1e6, poisson=0.3), fixed="x < 0.001")
    tip, load = beam.select("x > 1.999"), np.zeros((beam.vertex_count, 3))
    load[tip, 1] = 1.0
    u = np.zeros(solid.dof_count)
    u[solid.free] = spla.spsolve(solid.free_matrix(solid.stiffness()).tocsc(), load.ravel()[solid.free])
    u *= 1.2 / u.reshape(-1, 3)[tip, 1].mean()
    warped = RotationStrainWarp(beam, solid.fixed).warp(u)
    rest = volume(beam.vertices, beam.cells)
    assert volume(beam.vertices + u.reshape(-1, 3), beam.cells) / rest > 1.3
    assert volume(beam.vertices + warped, beam.cells) / rest == pytest.approx(1, abs=0.01)
    assert not warped[solid.fixed].any()


def test_basis_map_warps_as_the_displacement_does(mesh, wall):
    U, q = np.random.default_rng(0).standard_normal((3 * mesh.vertex_count, 4)), 0.1 * np.arange(1, 5)
    for fixed in (wall, None):
        warper = RotationStrainWarp(mesh, fixed)
        S = warper.coordinates(U)
        assert S.shape == (9 * mesh.cell_count + (0 if fixed is not None else 3), 4)
        assert np.abs(warper.displacements(S @ q) - warper.warp(U @ q)).max() < EXACT


def test_every_loose_piece_keeps_its_own_centre_of_mass(mesh, wall):
    # A held bar and two loose copies of it, the last of uneven density.
    n, m = mesh.vertex_count, mesh.cell_count
    X = np.concatenate([mesh.vertices + np.array([0, 0, 2.0 * k]) for k in range(3)])
    bars = Mesh(X, np.concatenate([mesh.cells + k * n for k in range(3)]))
    density = np.concatenate([np.ones(2 * m), np.linspace(1, 5, m)])
    u = np.concatenate([smooth(mesh.vertices) + k for k in range(3)])
    warped = RotationStrainWarp(bars, wall, density).warp(u.ravel())
    cell_masses = density * bars.volumes
    for k in range(3):
        alone = RotationStrainWarp(mesh, wall if k == 0 else None, density[k * m : (k + 1) * m])
        assert np.abs(warped[k * n : (k + 1) * n] - alone.warp(u[k * n : (k + 1) * n].ravel())).max() < EXACT
    last = slice(2 * m, 3 * m)
    moved = (warped - u)[bars.cells[last]].mean(axis=1)
    assert np.abs(cell_masses[last] @ moved).max() < EXACT


def test_bad_arguments_are_refused(mesh):
    with pytest.raises(ArgumentError, match="tets"):
        RotationStrainWarp(shapes.bar((1, 1, 1), (2, 2, 2), kind="hex"))
    with pytest.raises(ArgumentError, match="every vertex"):
        RotationStrainWarp(mesh, np.arange(mesh.vertex_count))
    with pytest.raises(ArgumentError, match="fixed"):
        RotationStrainWarp(mesh, [10**6])
    with pytest.raises(ArgumentError, match="density"):
        RotationStrainWarp(mesh, density=[1.0, 2.0])
    with pytest.raises(ArgumentError, match="positive"):
        RotationStrainWarp(mesh, density=0.0)
    with pytest.raises(ArgumentError, match="u must have shape"):
        RotationStrainWarp(mesh).warp(np.zeros(5))
    with pytest.raises(ArgumentError, match="coordinates must have shape"):
        RotationStrainWarp(mesh).displacements(np.zeros(7))


def sheet():
    """A quarter of a tube of irregular triangles."""
    vertices, triangles = arch(6)
    return Sheet(vertices, triangles)


@pytest.mark.parametrize("angle", [0.0, 1e-5, 0.7, 3.2])
def test_infinitesimal_rotations_of_a_sheet_become_finite_ones(angle):
    mesh, w = sheet(), angle * np.array([2.0, -1.0, 2.0]) / 3
    u, c = np.cross(w, mesh.vertices), volume_centre(mesh)
    expected = (mesh.vertices - c) @ (rotation_exponential(w) - np.eye(3)).T + np.cross(w, c)
    assert np.abs(RotationStrainWarp(mesh).warp(u.ravel()) - expected).max() < ROTATION


def test_a_sheet_that_grows_is_left_alone():
    """F = s R of uniform scaling: the fourth vertex grows as the others do."""
    mesh = sheet()
    u = 0.3 * mesh.vertices
    assert np.abs(RotationStrainWarp(mesh).warp(u.ravel()) - u).max() < EXACT


def test_warp_of_a_sheet_differs_in_second_order():
    mesh = sheet()
    warper, u = RotationStrainWarp(mesh), smooth(mesh.vertices)
    errors = [np.linalg.norm(warper.warp(size * u.ravel()) - size * u) for size in (1e-3, 5e-4)]
    assert np.log2(errors[0] / errors[1]) == pytest.approx(2, abs=0.01)


def test_a_bent_strip_keeps_its_length_and_area():
    """Its first mode, with the tip gone by more than half of its length: straight lines make it longer by a fifth."""
    mesh = shapes.sheet((2.0, 0.2), (40, 4))
    shell = Shell(mesh, Linear(1e6, 0.3, 1000), 0.01, fixed="x < 1e-9")
    u = vibration_modes(shell, 1).vectors[:, 0].reshape(-1, 3)
    u = u * 1.2 / np.abs(u).max()
    warped = RotationStrainWarp(mesh, shell.fixed).warp(u.ravel())
    area = [Sheet(mesh.vertices + each, mesh.cells).volumes.sum() / mesh.volumes.sum() for each in (u, warped)]
    assert area[0] > 1.15
    assert area[1] == pytest.approx(1, abs=0.005)
