"""A hand on a soft body of a world pulls no harder than its cells bear."""

import numpy as np
import pytest

import pliant as pl
from pliant.app.holding import AHEAD, Grip
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
    """(K + om^2 M)^-1 U_v^T f, pair by pair; stout linear bodies bear as much."""
    pulled = {force: _pulled((0.4, 0.2, 0.2), (4, 2, 2), force) for force in ("cubic", "linear")}
    for found, whole, strain, turn in pulled.values():
        assert strain == pytest.approx(STRAIN)
        assert turn < (2 * STRAIN) ** 0.5
        assert found < whole, "the cells bear less than the whole"
    assert pulled["linear"][0] == pytest.approx(pulled["cubic"][0])


def test_linear_bodies_are_turned_no_farther_than_swells_them_by_a_sixth():
    """A pair whose ends move apart by d across it grows by about d^2 / 2 of its length."""
    _, _, strain, turn = _pulled((0.5, 0.1, 0.1), (5, 1, 1), "linear")
    assert turn == pytest.approx((2 * STRAIN) ** 0.5)
    assert strain < STRAIN, "it is slender, and turns before it is strained"


@pytest.mark.parametrize("force", ["linear", "cubic"])
def test_hands_are_told_how_far_linear_bodies_are_strained(force):
    """The largest of strain / STRAIN and of turn / (2 STRAIN)^(1/2); 0 of what stiffens by itself."""
    solid = pl.Solid(pl.shapes.bar((0.4, 0.2, 0.2), (4, 2, 2)), pl.StVK(1e5, 0.3, 1000.0), fixed="x < 0.01")
    world, model = pl.World(1e-3, gravity=(0, 0, 0)), pl.reduce(solid, pl.modal_basis(solid, 4, 8), force=force)
    body = world.add(model)
    for seed in range(4):
        body.q = 0.1 * np.random.default_rng(seed).standard_normal(model.size) / np.sqrt(np.diag(model.stiffness()))
        strain, turn = _strains_and_turns(model, body.q[:, None])
        expected = max(strain / STRAIN, turn / (2 * STRAIN) ** 0.5) if force == "linear" else 0.0
        assert world.strained(0) == pytest.approx(expected)


def test_hand_only_brakes_what_is_strained_twice_as_far_as_it_bears():
    solid = pl.Solid(pl.shapes.bar((0.4, 0.2, 0.2), (4, 2, 2)), pl.StVK(1e5, 0.3, 1000.0), fixed="x < 0.01")
    world, model = pl.World(1e-3, gravity=(0, 0, 0)), pl.reduce(solid, pl.modal_basis(solid, 4, 8), force="linear")
    body, tip = world.add(model), int(np.argmax(model.X[:, 0]))
    body.q = np.eye(model.size)[0]
    whole, ways = body.q / world.strained(tip), []
    for share in (0.9, 1.5, 2.0):
        body.q = share * whole
        grip = Grip(world, tip, world.vertices()[tip])
        grip.target = world.vertices()[tip] + 1.0
        grip.aim()
        way = np.linalg.norm(world.holds[0].target - world.vertices()[tip])
        ways.append(way / np.ptp(world.vertices(), axis=0).max())
        grip.release()
    assert ways == pytest.approx([AHEAD, 0.5 * AHEAD, 0.0])


def _pulled(size, cells, force):
    """The force at an end of a held bar, what all of it bears, and the largest strain and turn by that force."""
    solid = pl.Solid(pl.shapes.bar(size, cells), pl.StVK(1e5, 0.3, 1000.0), fixed="x < 0.01")
    world, model = pl.World(1e-3, gravity=(0, 0, 0)), pl.reduce(solid, pl.modal_basis(solid, 4, 8), force=force)
    world.add(model)
    vertex, om = int(np.argmax(solid.mesh.vertices[:, 0])), 2 * np.pi / world._first_period()
    found, forces = world.gentle_force(vertex), model.U[3 * vertex : 3 * vertex + 3].T
    q = np.linalg.solve(model.stiffness() + om**2 * model.mass, found * forces)
    return found, 0.25 * model.inertia.mass * om**2 * size[0], *_strains_and_turns(model, q)


def _strains_and_turns(model, q):
    """The largest of pairs, by coordinates q (r, k) together."""
    U, X = model.U.reshape(-1, 3, model.size), model.X
    i, j = np.array([(a, b) for cell in model.mesh.cells for a in cell for b in cell if a < b]).T
    way, apart = X[j] - X[i], (U[j] - U[i]) @ q
    strains = np.linalg.norm(np.einsum("pa,pab->pb", way, apart), axis=1) / np.sum(way**2, axis=1)
    return strains.max(), (np.linalg.norm(apart, axis=(1, 2)) / np.linalg.norm(way, axis=1)).max()


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
