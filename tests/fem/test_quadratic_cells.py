"""Tet10 and Hex20: patch tests, exact quadratic fields, masses, and how fast they find the frequencies of a beam."""

import numpy as np
import pytest

import pliant as pl
from pliant.fem import MATERIALS
from pliant.fem.elements import elements
from pliant.mesh.integration import energy_rule, gauss_cube, mass_rule
from pliant.mesh.shape_functions import tabulated
from pliant.numerics import lowest_eigenpairs

IDENTITY = 1e-12  # relative, for identities
QUADRATIC = ["tet10", "hex20"]
KINDS = ["tet", "hex", *QUADRATIC]
GRADIENT = np.array([[0.1, -0.2, 0.05], [0.3, -0.1, 0.2], [-0.15, 0.1, 0.2]])
# An Euler-Bernoulli cantilever of height 1/10 of its length lies this far above the solid; shear takes 0.6 % of f1.
TEN_CELLS = 0.012


def distorted(kind, amount=0.05, curved=False):
    """A box of 2 x 2 x 2 bricks with all corners moved; edges straight, or each with its middle moved as well."""
    mesh = pl.shapes.box((1, 1, 1), (2, 2, 2), "hex" if kind.startswith("hex") else "tet")
    draw = np.random.default_rng(3)
    mesh = pl.Mesh(mesh.vertices + amount * draw.uniform(-1, 1, mesh.vertices.shape), mesh.cells)
    if kind in QUADRATIC:
        mesh = mesh.refine_order()
    if curved:
        mesh = pl.Mesh(mesh.vertices + 0.01 * draw.uniform(-1, 1, mesh.vertices.shape), mesh.cells)
    return mesh


@pytest.mark.parametrize("curved", [False, True])
@pytest.mark.parametrize("kind", QUADRATIC)
@pytest.mark.parametrize("name", MATERIALS)
def test_patch_of_affine_displacement_has_constant_stress(name, kind, curved):
    """Inner vertices feel no force, and the energy is psi(F) times the volume: also in distorted and curved cells."""
    mesh = distorted(kind, curved=curved)
    s = pl.Solid(mesh, MATERIALS[name](5.0, 0.3, 1.0))
    u = (mesh.vertices @ GRADIENT.T).ravel()
    inner = np.setdiff1d(np.arange(mesh.vertex_count), mesh.surface_vertices)
    assert len(inner) > 0
    f = s.force(u).reshape(-1, 3)
    assert np.abs(f[inner]).max() < 1e-13 * 5.0
    cube = pl.shapes.box((1, 1, 1), (1, 1, 1))
    brick = pl.Solid(cube, MATERIALS[name](5.0, 0.3, 1.0))
    density = brick.energy((cube.vertices @ GRADIENT.T).ravel())
    assert s.energy(u) == pytest.approx(density * s.elements.weights[s.elements.blocks].sum(), rel=IDENTITY)


@pytest.mark.parametrize("kind", KINDS)
def test_patch_stress_is_exact_where_it_is_exported(kind):
    from pliant.export.stress import von_mises_stress

    mesh, material = distorted(kind), pl.Linear(5.0, 0.3, 1.0)
    e = 0.5 * (GRADIENT + GRADIENT.T)
    lam, mu = (float(c[0]) for c in material.lame(1))
    s = lam * np.trace(e) * np.eye(3) + 2 * mu * e
    deviator = s - np.trace(s) / 3 * np.eye(3)
    expected = np.sqrt(1.5 * (deviator**2).sum())
    np.testing.assert_allclose(von_mises_stress(mesh, material, mesh.vertices @ GRADIENT.T), expected, rtol=IDENTITY)


def quadratic_field(X, seed=5):
    """u_i = x . A_i x + B_i . x + c_i, and its gradient (n, 3, 3)."""
    draw = np.random.default_rng(seed)
    A, B, c = draw.standard_normal((3, 3, 3)), draw.standard_normal((3, 3)), draw.standard_normal(3)
    A = A + A.swapaxes(1, 2)
    return np.einsum("na,iab,nb->ni", X, A, X) + X @ B.T + c, 2 * np.einsum("iab,nb->nia", A, X) + B


@pytest.mark.parametrize("kind", QUADRATIC)
def test_quadratic_fields_have_exact_gradients_and_kinetic_energy(kind):
    """In straight tets of any shape, and in bricks."""
    mesh = distorted(kind) if kind == "tet10" else pl.shapes.box((1, 1, 1), (2, 2, 2), kind)
    u, _ = quadratic_field(mesh.vertices)
    e = elements(mesh)
    for rule, exact in ((energy_rule, True), (mass_rule, False)):
        points, weights = rule(mesh.cells.shape[1])
        values, slopes = tabulated(mesh.cells.shape[1], points)
        X = np.einsum("pa,mai->mpi", values, mesh.vertices[mesh.cells])
        field, gradient = (part.reshape(*X.shape[:2], *part.shape[1:]) for part in quadratic_field(X.reshape(-1, 3)))
        np.testing.assert_allclose(np.einsum("pa,mai->mpi", values, u[mesh.cells]), field, atol=1e-12)
        if exact:
            found = np.einsum("mai,mpaj->mpij", u[mesh.cells], e.gradients[e.blocks])
            np.testing.assert_allclose(found, gradient, atol=1e-11)
        else:
            J = np.linalg.det(np.einsum("mai,paj->mpij", mesh.vertices[mesh.cells], slopes))
            energy = np.einsum("mp,p,mpi,mpi->", J, weights, field, field)
    s = pl.Solid(mesh, pl.StVK(1.0, 0.3, 2.0))
    assert u.ravel() @ (s.mass @ u.ravel()) == pytest.approx(2.0 * energy, rel=IDENTITY)


@pytest.mark.parametrize("curved", [False, True])
@pytest.mark.parametrize("kind", QUADRATIC)
def test_masses_are_those_of_the_volume(kind, curved):
    mesh = distorted(kind, curved=curved)
    s = pl.Solid(mesh, pl.StVK(1.0, 0.3, 2.0))
    volume = mesh.volumes.sum()
    # The divergence theorem on a finely drawn surface is another way to a curved volume; straight ones need no finesse.
    if not curved:
        assert volume == pytest.approx(pl.Surface(mesh.vertices, mesh.surface).volume, rel=1e-2)
    assert s.mass.sum() == pytest.approx(3 * 2.0 * volume, rel=IDENTITY)
    assert s.lumped_mass.sum() == pytest.approx(3 * 2.0 * volume, rel=IDENTITY)
    assert s.lumped_mass.min() > 0
    np.testing.assert_allclose(s.gravity_load((0, 0, -9.81)).reshape(-1, 3).sum(axis=0), [0, 0, -9.81 * 2 * volume])
    np.testing.assert_allclose(s.gravity_load((1, 2, 3)), s.mass @ np.tile([1.0, 2, 3], mesh.vertex_count), atol=1e-14)


@pytest.mark.parametrize("kind", QUADRATIC)
def test_lumped_mass_keeps_the_centre_of_mass(kind):
    mesh = distorted("tet10") if kind == "tet10" else pl.shapes.bar((2, 1, 1), (3, 1, 1), kind)
    s = pl.Solid(mesh, pl.StVK(1.0, 0.3, np.random.default_rng(0).uniform(1, 2, mesh.cell_count)))
    m, exact = s.lumped_mass[::3], s.gravity_load((1, 0, 0))[::3]
    np.testing.assert_allclose(m @ mesh.vertices, exact @ mesh.vertices, atol=1e-14)


@pytest.mark.parametrize("kind", QUADRATIC)
def test_no_motion_but_rigid_ones_is_free(kind):
    """One cell has exactly six stiffnesses of zero: its integration points see every other motion."""
    mesh = pl.shapes.box((1, 1, 1), (1, 1, 1), kind).submesh([0])[0]
    K = pl.Solid(mesh, pl.StVK(1.0, 0.3)).stiffness().toarray()
    values = np.linalg.eigvalsh(K)
    assert np.abs(values[:6]).max() < 1e-12
    assert values[6] > 1e-3 * values[-1]


def beam(kind, counts, poisson=0.0, size=(1.0, 0.1, 0.1)):
    mesh = pl.shapes.bar(size, counts, kind)
    return pl.Solid(mesh, pl.StVK(2e6, poisson, 1000.0), fixed="x < 1e-9")


def first_frequency(s):
    return float(np.sqrt(lowest_eigenpairs(s.free_matrix(s.stiffness()), s.free_matrix(s.mass), 1)[0][0]))


@pytest.mark.parametrize("kind", QUADRATIC)
@pytest.mark.parametrize("poisson", [0.0, 0.3])
def test_ten_quadratic_cells_have_the_frequency_of_a_beam(kind, poisson):
    """Euler and Bernoulli: omega = 1.875^2 sqrt(E I / (rho A L^4))."""
    euler = 1.87510407**2 * np.sqrt(2e6 * 0.1**2 / 12 / 1000)
    assert first_frequency(beam(kind, (10, 1, 1), poisson)) == pytest.approx(euler, rel=TEN_CELLS)


@pytest.mark.parametrize("kind", QUADRATIC)
def test_ten_quadratic_cells_sag_like_a_beam(kind):
    """Timoshenko: tip = F L^3 / (8 E I) + F L / (2 k G A) for a force that is spread evenly; Poisson's ratio 0."""
    s, force = beam(kind, (10, 1, 1)), 1e-4
    weight = s.gravity_load((0, 1, 0))
    u = pl.solve_static(s, force * weight / weight.sum()).reshape(-1, 3)
    expected = force / (8 * 2e6 * 0.1**4 / 12) + force / (2 * 5 / 6 * 1e6 * 0.01)
    assert u[s.mesh.select("x > 1 - 1e-9"), 1].mean() == pytest.approx(expected, rel=TEN_CELLS)


@pytest.mark.parametrize(("kind", "least"), [("tet10", 3.6), ("hex20", 3.95)])
def test_axial_frequency_converges_with_the_fourth_power_of_the_cells(kind, least):
    """omega^2 = (pi/2)^2 E / (rho L^2) at Poisson's ratio 0: a smooth motion, known exactly."""
    exact, errors = (np.pi / 2) ** 2 * 2e6 / 1000, []
    for n in (2, 4):
        s = beam(kind, (2 * n, n, n), size=(1.0, 0.5, 0.5))
        values = lowest_eigenpairs(s.free_matrix(s.stiffness()), s.free_matrix(s.mass), 8)[0]
        errors.append(min(abs(values - exact)))
    assert np.log2(errors[0] / errors[1]) > least


@pytest.mark.parametrize("kind", QUADRATIC)
def test_first_frequency_of_a_cantilever_converges_with_more_than_the_third_power(kind):
    """Not with the fourth: at the edges of the clamped face the stress has a singularity. Linear cells have two."""
    values = [first_frequency(beam(kind, (5 * n, n, n))) ** 2 for n in (1, 2, 4)]
    assert np.log2((values[0] - values[1]) / (values[1] - values[2])) > 3.0


def test_linear_tets_are_far_stiffer_than_quadratic_ones():
    """Twice as many bricks along each axis have as many vertices, and f1 is a sixth too high instead of 1 %."""
    euler = 1.87510407**2 * np.sqrt(2e6 * 0.1**2 / 12 / 1000)
    assert first_frequency(beam("tet", (20, 2, 2), 0.3)) > 1.15 * euler
    assert first_frequency(beam("tet10", (10, 1, 1), 0.3)) < 1.012 * euler


@pytest.mark.parametrize("kind", QUADRATIC)
def test_matrices_are_those_of_scikit_fem(kind, monkeypatch):
    """Eigenvalues of stiffness and mass of an independent program; Hex20 is integrated by 27 points in both."""
    skfem = pytest.importorskip("skfem", reason="the comparison needs the package scikit-fem")
    elasticity = pytest.importorskip("skfem.models.elasticity")
    linear = pl.shapes.box((1, 1, 1), (2, 2, 1), "tet" if kind == "tet10" else "hex")
    if kind == "tet10":
        grid, element = skfem.MeshTet(linear.vertices.T.copy(), linear.cells.T.copy()), skfem.ElementTetP2()
    else:
        monkeypatch.setattr("pliant.fem.elements.energy_rule", lambda *_: gauss_cube(3))
        corners = linear.cells[:, [0, 3, 4, 1, 7, 2, 5, 6]]
        grid, element = skfem.MeshHex(linear.vertices.T.copy(), corners.T.copy()), skfem.ElementHexS2()
    solid = pl.Solid(linear.refine_order(), pl.Linear(1.0, 0.3, 1.0))
    basis = skfem.Basis(grid, skfem.ElementVector(element), intorder=2 if kind == "tet10" else 6)
    K = elasticity.linear_elasticity(*elasticity.lame_parameters(1.0, 0.3)).assemble(basis)
    M = skfem.BilinearForm(lambda u, v, _: u[0] * v[0] + u[1] * v[1] + u[2] * v[2]).assemble(
        skfem.Basis(grid, skfem.ElementVector(element), intorder=4 if kind == "tet10" else 8)
    )
    for ours, theirs in ((solid.stiffness(), K), (solid.mass, M)):
        values = np.linalg.eigvalsh(theirs.toarray())
        np.testing.assert_allclose(np.linalg.eigvalsh(ours.toarray()), values, atol=IDENTITY * values[-1])
