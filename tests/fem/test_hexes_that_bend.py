"""Hex11: eight corners and three inner vertices, by which a brick bends as a beam does."""

import numpy as np
import pytest
from scipy.sparse.linalg import spsolve

import pliant as pl
from pliant.errors import ArgumentError
from pliant.fem import MATERIALS
from pliant.numerics import lowest_eigenpairs, rotation_exponential

IDENTITY = 1e-12  # relative, for identities
GRADIENT = np.array([[0.1, -0.2, 0.05], [0.3, -0.1, 0.2], [-0.15, 0.1, 0.2]])
BEAM = 0.02  # of beam theory, which leaves out what a clamped end holds back
YOUNG, HEIGHT = 2e6, 0.1


def distorted(amount=0.08):
    """A box of 2 x 2 x 2 hexes whose corners are moved at random."""
    mesh = pl.shapes.box((1, 1, 1), (2, 2, 2), "hex")
    moved = mesh.vertices + amount * np.random.default_rng(3).uniform(-1, 1, mesh.vertices.shape)
    return pl.Mesh(moved, mesh.cells).bendable()


def shaken(mesh, size):
    return mesh.vertices + size * np.random.default_rng(4).standard_normal(mesh.vertices.shape)


@pytest.mark.parametrize("name", MATERIALS)
def test_patch_of_affine_displacement_has_constant_stress(name):
    """Vertices inside feel no force, and the energy is psi(F) times the volume, also in distorted cells."""
    mesh, cube = distorted(), pl.shapes.box((1, 1, 1), (1, 1, 1))
    s, brick = (pl.Solid(m, MATERIALS[name](5.0, 0.3, 1.0)) for m in (mesh, cube))
    u = (mesh.vertices @ GRADIENT.T).ravel()
    inner = np.setdiff1d(np.arange(mesh.vertex_count), mesh.surface_vertices)
    assert len(inner) == 3 * mesh.cell_count + 1
    assert np.abs(s.force(u).reshape(-1, 3)[inner]).max() < 1e-13 * 5.0
    density = brick.energy((cube.vertices @ GRADIENT.T).ravel())
    assert s.energy(u) == pytest.approx(density * mesh.volumes.sum(), rel=IDENTITY)


@pytest.mark.parametrize("name", [name for name in MATERIALS if name.lower() != "linear"])
def test_energy_does_not_feel_rotations(name):
    mesh = distorted()
    s, R, y = (
        pl.Solid(mesh, MATERIALS[name](5.0, 0.3, 1.0)),
        rotation_exponential(np.array([1.0, 2.0, 0.5])),
        shaken(mesh, 0.02),
    )
    turned = s.energy((y @ R.T - mesh.vertices).ravel())
    assert turned == pytest.approx(s.energy((y - mesh.vertices).ravel()), rel=1e-10)


@pytest.mark.parametrize("n", [1, 2, 4])
def test_cantilever_of_any_fineness_is_a_beam(n):
    """Tip of Timoshenko's beam, f1 of Euler's: 10 x 1 x 1 to 40 x 4 x 4 bricks."""
    mesh = pl.shapes.bar((1, HEIGHT, HEIGHT), (10 * n, n, n), "hex11")
    s = pl.Solid(mesh, pl.StVK(YOUNG, 0.3, 1000), fixed="x < 1e-9")
    K, M, free = s.free_matrix(s.stiffness()), s.free_matrix(s.mass), s.free
    f1 = np.sqrt(lowest_eigenpairs(K, M, 1)[0][0])
    assert f1 == pytest.approx(1.87510407**2 * np.sqrt(YOUNG * HEIGHT**2 / 12 / 1000), rel=BEAM)
    tip = mesh.select("x > 1 - 1e-9")
    corners = (np.abs(np.abs(mesh.vertices[tip, 1:]) - HEIGHT / 2) < 1e-9).sum(axis=1)
    shares = 0.5**corners / (0.5**corners).sum()  # an even pressure on a grid of squares
    load = np.zeros(s.dof_count)
    load[3 * tip + 1] = shares
    u = np.zeros(s.dof_count)
    u[free] = spsolve(K.tocsc(), load[free])
    inertia, shear = HEIGHT**4 / 12, YOUNG / 2.6
    assert load @ u == pytest.approx(1 / (3 * YOUNG * inertia) + 1.2 / (shear * HEIGHT**2), rel=BEAM)


def test_mass_is_that_of_the_cells():
    """Total, centre of gravity's load, and lumps that are positive."""
    mesh = distorted()
    s = pl.Solid(mesh, pl.StVK(5.0, 0.3, 7.0))
    assert s.mass.sum() / 3 == pytest.approx(7.0 * mesh.volumes.sum(), rel=IDENTITY)
    assert s.lumped_mass.min() > 0
    assert s.lumped_mass.sum() / 3 == pytest.approx(7.0 * mesh.volumes.sum(), rel=IDENTITY)
    plain = pl.Solid(mesh.linear(), pl.StVK(5.0, 0.3, 7.0))
    x, X = mesh.vertices @ GRADIENT.T, plain.mesh.vertices @ GRADIENT.T
    assert x.ravel() @ s.mass @ x.ravel() == pytest.approx(X.ravel() @ plain.mass @ X.ravel(), rel=1e-10)


@pytest.fixture(scope="module")
def beam():
    return pl.Solid(pl.shapes.bar((1, 0.1, 0.1), (8, 1, 1), "hex11"), pl.StVK(1e6, 0.3, 1000), fixed="x < 1e-9")


def test_cubic_forces_are_the_projected_ones(beam):
    model = pl.reduce(beam, pl.modal_basis(beam, 4, 8))
    q = 0.02 * np.random.default_rng(0).standard_normal(8) / np.abs(model.U).max()
    f = model.U.T @ beam.force(model.U @ q)
    np.testing.assert_allclose(model.force(q), f, rtol=0, atol=1e-9 * np.abs(f).max())


def test_systems_of_bending_hexes_agree_with_the_full_model(beam):
    """Swung by its weight: one part, and two with seams, whose cut goes between cells."""
    given = {"dt": 0.01, "damping": (0.0, 0.01), "gravity": (0, -2.0, 0)}
    full = pl.Full(beam, **given)
    one = pl.Clamped(pl.reduce(beam, pl.modal_basis(beam, 6, 16)), **given)
    halves = (beam.mesh.centroids[:, 0] > 0.5).astype(int)
    two = pl.couple(beam, halves, 4, 10, **given)
    tip = beam.mesh.select("x > 1 - 1e-9")
    for system in (full, one, two):
        system.step(40)
    reach = np.abs(full.vertices()[tip] - beam.mesh.vertices[tip]).max()
    assert reach > 0.05
    for system in (one, two):
        assert np.abs(system.vertices("mesh")[tip] - full.vertices("mesh")[tip]).max() < 0.02 * reach


def test_cubature_of_bending_hexes(beam):
    solid = pl.Solid(beam.mesh, pl.NeoHookean(1e6, 0.3, 1000), fixed="x < 1e-9")
    model = pl.reduce(solid, pl.modal_basis(solid, 3, 6), force="cubature", samples=40, points=40)
    q = 0.01 * np.random.default_rng(1).standard_normal(6) / np.abs(model.U).max()
    f = model.U.T @ solid.force(model.U @ q)
    assert np.linalg.norm(model.force(q) - f) < 0.03 * np.linalg.norm(f)


def test_inner_vertices_follow_their_corners_and_can_be_taken_away(tmp_path):
    mesh = pl.shapes.bar((1, 1, 1), (2, 1, 1), "hex11")
    assert mesh.kind == "hex11"
    assert mesh.order == 1
    bent = mesh.vertices.copy()
    bent[:, 1] += bent[:, 0] ** 2
    moved = pl.Mesh(bent, mesh.cells)
    np.testing.assert_allclose(moved.linear().bendable().vertices, moved.vertices, rtol=0, atol=1e-15)
    assert moved.linear().kind == "hex"
    assert moved.refine_order().kind == "hex20"
    np.testing.assert_array_equal(moved.surface, moved.linear().surface)
    moved.write(tmp_path / "bar.vtu")
    assert pl.read_mesh(tmp_path / "bar.vtu").kind == "hex"
    with pytest.raises(ArgumentError, match="bendable is for linear hexes; these cells are tet"):
        pl.shapes.bar((1, 1, 1), (1, 1, 1)).bendable()


def test_points_inside_are_embedded_where_they_are():
    mesh = distorted()
    points = np.random.default_rng(5).uniform(-0.3, 0.3, (50, 3)) + mesh.vertices.mean(axis=0)
    held = pl.embed(mesh, points)
    np.testing.assert_allclose(held.rows @ (mesh.vertices @ GRADIENT.T), points @ GRADIENT.T, rtol=0, atol=1e-12)
