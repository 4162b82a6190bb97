"""A hand on a soft body of a world pulls no harder than its cells bear."""

import numpy as np
import pytest

import pliant as pl
from pliant.systems.gentleness import STRAIN

ROUNDING = 1e-6  # of the force: a mesh with all its motions is the same solid as without a basis
ITERATED = 1e-3  # of the force: the first vibration of what is joined is found by a few turns of inverse iteration


@pytest.fixture(scope="module")
def stub():
    """A short free bar, hinged nowhere, as a solid."""
    return pl.Solid(pl.shapes.bar((0.4, 0.1, 0.1), (3, 1, 1)), pl.StVK(1e4, 0.3, 1000.0))


def test_force_is_that_of_the_solid_with_all_its_motions(stub):
    """Where every motion is in the basis, the response is that of `pl.Full`, which is asked through its own steps."""
    modes = pl.vibration_modes(stub, 3 * stub.mesh.vertex_count - 6)
    world = pl.World(1e-3, gravity=(0, 0, 0))
    world.add(pl.reduce(stub, pl.Basis(modes.vectors)))
    full = pl.Full(stub, 1e-3, gravity=None)
    for vertex in (0, 5, 15):
        whole = full._bearing.force
        expected = full.gentle_force(vertex)
        assert expected < whole, "the cells bear less than the whole"
        assert world.gentle_force(vertex) == pytest.approx(expected, rel=ROUNDING)


def test_force_at_a_held_body_strains_no_pair_by_more_than_a_sixth():
    """(K + om^2 M)^-1 U_v^T f, pair by pair; linear bodies bear a third of it."""
    solid = pl.Solid(pl.shapes.bar((0.4, 0.2, 0.2), (4, 2, 2)), pl.StVK(1e5, 0.3, 1000.0), fixed="x < 0.01")
    basis = pl.modal_basis(solid, 4, 8)
    vertex = int(np.argmax(solid.mesh.vertices[:, 0]))
    found = {}
    for force in ("cubic", "linear"):
        world, model = pl.World(1e-3, gravity=(0, 0, 0)), pl.reduce(solid, basis, force=force)
        world.add(model)
        found[force] = world.gentle_force(vertex)
    om = 2 * np.pi / world._first_period()
    U, X = model.U.reshape(-1, 3, model.size), model.X
    q = np.linalg.solve(model.stiffness() + om**2 * model.mass, found["cubic"] * U[vertex].T)
    i, j = np.array([(a, b) for cell in model.mesh.cells for a in cell for b in cell if a < b]).T
    way = X[j] - X[i]
    strain = np.einsum("pa,pab->pb", way, (U[j] - U[i]) @ q) / np.sum(way**2, axis=1)[:, None]
    assert np.linalg.norm(strain, axis=1).max() == pytest.approx(STRAIN)
    assert found["linear"] == pytest.approx(found["cubic"] / 3)
    assert found["cubic"] < 0.25 * model.inertia.mass * om**2 * 0.4, "the cells bear less than the whole"


def test_what_is_firm_is_pulled_with_four_times_its_weight(stub):
    model = pl.reduce(stub, pl.Basis(pl.vibration_modes(stub, 6).vectors)).with_material(young=1e9)
    world = pl.World(1e-4)
    world.add(model, position=(0, 1, 0))
    assert world.gentle_force(0) == pytest.approx(4 * 9.81 * model.inertia.mass)


def test_what_is_held_is_bent_by_about_its_size_and_no_more():
    """m om^2 L / 4, of a slender bar at its tip, where its cells bear more."""
    solid = pl.Solid(pl.shapes.bar((1.0, 0.1, 0.1), (8, 2, 2)), pl.StVK(1e5, 0.3, 1000.0), fixed="x < 0.01")
    world, model = pl.World(1e-3, gravity=(0, 0, 0)), pl.reduce(solid, pl.modal_basis(solid, 4, 8))
    world.add(model)
    om = 2 * np.pi / world._first_period()
    tip = int(np.argmax(solid.mesh.vertices[:, 0]))
    assert world.gentle_force(tip) == pytest.approx(0.25 * model.inertia.mass * om**2)


def test_force_at_joined_halves_is_that_of_the_whole():
    """Halves with all their motions, joined at every vertex that they share, are the solid that was cut."""
    material, mesh = pl.StVK(1e4, 0.3, 1000.0), pl.shapes.bar((0.4, 0.1, 0.1), (4, 1, 1))
    full = pl.Full(pl.Solid(mesh, material), 1e-3, gravity=None)
    world, halves = pl.World(1e-3, gravity=(0, 0, 0)), []
    for chosen in (mesh.centroids[:, 0] < 0.2, mesh.centroids[:, 0] > 0.2):
        ids, cells = np.unique(mesh.cells[chosen], return_inverse=True)
        part = pl.Solid(pl.Mesh(mesh.vertices[ids], cells.reshape(-1, 4)), material)
        modes = pl.vibration_modes(part, 3 * len(ids) - 6)
        model = pl.reduce(part, pl.Basis(modes.vectors))
        halves.append((ids, world.add(model)))
    (left, a), (right, b) = halves
    for vertex in np.intersect1d(left, right):
        world.join(a, mesh.vertices[vertex], b, kind="point")
    first, shares = 0, []
    for ids, body in halves:
        alone = pl.World(1e-3, gravity=(0, 0, 0))
        alone.add(body.model)
        for k in range(0, len(ids), 5):
            force = world.gentle_force(first + k)
            assert force == pytest.approx(full.gentle_force(int(ids[k])), rel=ITERATED)
            shares.append(force / alone.gentle_force(k))
        first += len(ids)
    assert min(shares) < 0.8, "the other half hangs on it"


def test_what_is_rigid_is_pulled_no_harder_than_the_soft_bear_that_it_is_joined_to():
    solid = pl.Solid(pl.shapes.bar((0.4, 0.02, 0.02), (8, 1, 1)), pl.StVK(1e4, 0.3, 1000.0))
    neck = pl.reduce(solid, pl.Basis(pl.vibration_modes(solid, 6).vectors))
    head = pl.Rigid(pl.shapes.bar((0.2, 0.2, 0.2), (1, 1, 1)), 1000.0)
    world = pl.World(1e-3, gravity=(0, 0, 0))
    ball = world.add(head, position=(-0.2, -0.09, -0.09))
    whole = world.gentle_force(0)
    assert whole == pytest.approx(4 * 9.81 * head.inertia.mass)
    world.join(ball, (0.2, 0.1, 0.1), world.add(neck), (0.0, 0.01, 0.01), kind="rigid")
    assert world.gentle_force(0) < 0.1 * whole
