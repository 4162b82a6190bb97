"""A hand has a largest force: beyond it, it pulls with that and no more, whatever the kind of system."""

import numpy as np
import pytest
import scipy.linalg
from kinds import FREE, HELD, LENGTH, bar, system, tip
from scipy.sparse import triu

import pliant as pl
from pliant.errors import ArgumentError
from pliant.systems.constraints import DEPENDENT, meet
from pliant.systems.spinning import spin_of_speed
from pliant.systems.swinging import Swung

SLENDER = 0.05  # of the length
SAMPLED = 0.03  # of the energy of motion: it is taken at 64 vertices
SWIFT = 0.1  # of it, where more than the first vibration moves
FOUND = 2e-3  # of the period: the first vibration is looked for among the answers to impulses on sixteen vertices
PRESSED, ABOUT = 0.5, 0.1  # m/s^2; of om^2: a column sways nearly as it gives way
FLOWING = 0.2  # of the period, of a tree: its frames follow its interfaces


@pytest.mark.parametrize("kind", HELD)
def test_hand_that_cannot_reach_pulls_with_its_limit(kind):
    """It is then a push like any other: the body rests where that push puts it."""
    made, vertex = system(kind, dt=5e-3, damping=(1.0, 2e-2)), tip(bar())
    count = 1500 if kind == "full" else 4000  # the unreduced bar is slow, and rests soon
    limit = 0.05 * made.gentle_force(vertex)
    hold = made.hold(vertex, made.vertices()[vertex] + [0, 3 * LENGTH, 0], limit=limit)
    made.step(count)
    here, force = made.vertices()[vertex], hold.force
    assert np.linalg.norm(force) == pytest.approx(limit, rel=1e-9)
    assert force[1] > 0.5 * limit, "it pulls towards its target"
    made.hold(vertex, None)
    made.push([vertex], force)
    made.step(count)
    np.testing.assert_allclose(
        made.vertices()[vertex], here, atol=2e-3 * np.linalg.norm(here - bar().mesh.vertices[vertex])
    )


@pytest.mark.parametrize("kind", HELD)
def test_limit_that_is_not_met_changes_nothing(kind):
    paths = []
    for limit in (None, 1e6):
        made, vertex = system(kind), tip(bar())
        made.hold(vertex, made.vertices()[vertex] + [0, 0.05, 0.02], limit=limit)
        made.step(60)
        paths.append(made.vertices())
    np.testing.assert_array_equal(*paths)


@pytest.mark.parametrize("kind", FREE)
def test_free_body_is_accelerated_by_no_more_than_the_limit(kind):
    """P' = F: whatever else it does, its momentum after a second is the impulse of the hand."""
    made, vertex = system(kind, free=True), tip(bar(True))
    limit, dt = 0.02 * made.gentle_force(vertex), made.dt
    hold = made.hold(vertex, made.vertices()[vertex] + [0, 50 * LENGTH, 0], limit=limit)
    impulse = np.zeros(3)
    for _ in range(200):
        before = hold.force
        made.step()
        assert np.linalg.norm(hold.force) <= limit * (1 + 1e-9)
        impulse += 0.5 * dt * (before + hold.force)
    assert np.linalg.norm(made.momentum()[0]) <= limit * 200 * dt * (1 + 1e-9)
    np.testing.assert_allclose(made.momentum()[0], impulse, atol=0.02 * np.linalg.norm(impulse))


def test_gentle_force_bends_a_slender_bar_far():
    """om^2 = 12.362 E I / (m L^3), so 3.09 E I / L^2; to bend the linear bar by L takes 3 (Euler-Bernoulli)."""
    side, E = SLENDER * LENGTH, 1e6
    mesh = pl.shapes.bar((LENGTH, side, side), (12, 1, 1), kind="hex20")
    solid = pl.Solid(mesh, pl.StVK(E, 0.0, 1000.0), fixed="x < 1e-9")
    made = pl.Clamped(pl.reduce(solid, pl.modal_basis(solid, 3, 5)), 1e-3, gravity=None)
    bending = E * side**4 / 12
    assert made.gentle_force(0) == pytest.approx(12.362 / 4 * bending / LENGTH**2, rel=0.02)
    heavy = made.retuned(gravity=(0.0, 0.0, -9.81))
    assert heavy.gentle_force(0) == pytest.approx(2 * 9.81 * 1000.0 * LENGTH * side**2), (
        "it bends under its weight alone"
    )


@pytest.mark.parametrize("kind", HELD)
def test_asking_what_is_gentle_changes_nothing(kind):
    made, vertex = system(kind), tip(bar())
    made.step(7)
    before = bytes(made.state())
    assert 0 < made.gentle_force(vertex) < np.inf
    assert bytes(made.state()) == before
    assert made.gentle_force(vertex) == made.gentle_force(vertex)


def test_gentle_force_strains_no_cell_by_more_than_a_sixth_and_speed_is_that_of_its_swing():
    """The response to a force that grows within a period is (K + om^2 M)^-1 U^T f; om is the first frequency."""
    mesh = pl.shapes.bar((LENGTH, 0.3, 0.3), (6, 2, 2))
    solid = pl.Solid(mesh, pl.StVK(1e5, 0.3, 1000.0), fixed="x < 1e-9")
    model = pl.reduce(solid, pl.modal_basis(solid, 4, 9))
    made = pl.Clamped(model, 1e-3, gravity=None)
    om = pl.vibration_modes(solid, 1).frequencies[0]
    bounds = []
    for vertex in mesh.select(f"x > {LENGTH / 12}")[::7]:
        U = model.U[3 * vertex : 3 * vertex + 3]
        u = (model.U @ np.linalg.solve(model.stiffness() + om**2 * model.mass, U.T)).reshape(-1, 3, 3)
        i, j = (mesh.cells[:, ends] for ends in np.triu_indices(4, 1))
        way = mesh.vertices[j] - mesh.vertices[i]
        strains = np.einsum("cpik,cpi->cpk", u[j] - u[i], way) / np.sum(way**2, axis=2)[..., None]
        bounds.append(1 / 6 / np.linalg.norm(strains, axis=2).max())
        force, speed, spin, work, *_ = made.gentleness(vertex)
        assert spin == np.inf, "what is held does not spin"
        assert force == made.gentle_force(vertex) == pytest.approx(min(bounds[-1], made._bearing.force), rel=1e-6)
        bent = 2 * force * np.linalg.norm(u[vertex], 2)
        assert speed == pytest.approx(om * bent, rel=1e-6)
        assert work == pytest.approx(force * bent, rel=1e-6)
    assert min(bounds) < made._bearing.force < max(bounds), "some cells bear less than the whole, some more"


def first_vibration(model):
    """om^2 and the displacement (n, 3) with phi^T M phi = 1."""
    om2, modes = scipy.linalg.eigh(model.stiffness(), model.mass, subset_by_index=(0, 0))
    return float(om2[0]), (model.U @ modes[:, 0]).reshape(-1, 3)


@pytest.mark.parametrize("kind", HELD)
def test_largest_swing_has_half_the_energy_of_the_first_vibration_that_strains_a_pair_by_a_sixth(kind):
    """E <= om^2 a^2 phi^T M phi / 4, of linear seams a quarter as far; half its period is pi / om."""
    made, solid = system(kind), bar()
    om2, u = first_vibration(pl.reduce(solid, pl.modal_basis(solid, 6, 12)))
    i, j = triu(solid.mesh.vertex_adjacency).nonzero()
    way = solid.mesh.vertices[j] - solid.mesh.vertices[i]
    strain = np.abs(np.sum((u[j] - u[i]) * way, axis=1) / np.sum(way**2, axis=1)).max()
    energy = made._bears**2 * om2 * (1 / 6 / strain) ** 2 / 4
    swing, half = made.gentleness(tip(solid))[-2:]
    if kind == "tree":  # it yields at its interfaces alone, and its cells there are strained more
        assert 0.3 * energy < swing < energy
        assert half == pytest.approx(np.pi / np.sqrt(om2), rel=FLOWING)
    else:
        assert swing == pytest.approx(energy, rel=SAMPLED)
        assert half == pytest.approx(np.pi / np.sqrt(om2), rel=FOUND)


@pytest.mark.parametrize("kind", HELD)
def test_swing_is_the_energy_of_motion(kind):
    """phi^T M phi / 2 of the first vibration, with M of the solid."""
    made, solid = system(kind), bar()
    vertex = tip(solid)
    hold = made.hold(vertex, made.vertices()[vertex] + [0, 0.05, 0.02])
    made.step(40)
    v = made.velocities("mesh").ravel()
    assert hold.swing == pytest.approx(0.5 * v @ (solid.mass @ v), rel=SWIFT)


def test_swing_is_looked_at_without_joining_meshes(monkeypatch):
    """A hand looks sixty times a second, also at an oak."""
    made, vertex = system("tree"), tip(bar())
    hold = made.hold(vertex, made.vertices()[vertex] + [0, 0.05, 0.02])
    made.gentleness(vertex)
    made.step(10)
    monkeypatch.setattr(type(made), "mesh", property(lambda _: pytest.fail("the whole mesh was asked for")))
    assert hold.swing > 0


def test_what_a_squeezed_foot_bears_of_a_swing_is_less():
    """On a column near Euler's load, om^2 = om_0^2 (1 - P / P_cr): it bears less by as much."""
    side = 0.1 * LENGTH
    mesh = pl.shapes.bar((side, LENGTH, side), (1, 12, 1), kind="hex20")
    solid = pl.Solid(mesh, pl.StVK(2e5, 0.0, 1000.0), fixed="y < -0.499")
    top = int(mesh.vertices[:, 1].argmax())
    swings = {}
    for gravity in (0.0, PRESSED):
        made = pl.Full(solid, 1e-3, damping=(20.0, 0.0), gravity=(0, -gravity, 0))
        made.settle()
        swings[gravity] = made.gentleness(top)[-2:]
    # A column under its own weight gives way at q L^3 = 7.837 E I (Greenhill), and om^2 falls about linearly with q.
    load = 1000 * side**2 * PRESSED * LENGTH**3 / (7.837 * 2e5 * side**4 / 12)
    softer = (swings[0.0][1] / swings[PRESSED][1]) ** 2
    assert softer == pytest.approx(1 - load, rel=ABOUT)
    assert swings[PRESSED][0] < swings[0.0][0]


def test_swings_are_remembered_for_half_a_period():
    swung = Swung(1.0)
    seen = [swung.see(0.25 * k, energy) for k, energy in enumerate([1, 5, 2, 3, 1, 1, 1, 1, 0, 0])]
    assert seen == [1, 5, 5, 5, 5, 5, 3, 3, 1, 1]
    assert swung.see(0.1, 0.5) == 0.5, "time was turned back"


def test_slender_limb_of_a_heavy_body_is_not_folded():
    """F <= |x - x_pair| / |u - u_pair|, u = (K + om^2 M)^-1 U^T f, at the pair of vertices that is strained most."""
    side = 0.02 * LENGTH
    mesh = pl.shapes.bar((LENGTH, side, side), (16, 1, 1), kind="hex20")
    heavy = np.where(mesh.centroids[:, 0] < 0.6 * LENGTH, 1e5, 10.0)
    solid = pl.Solid(mesh, pl.StVK(1e8, 0.0, heavy), fixed="x < 1e-9")
    model = pl.reduce(solid, pl.modal_basis(solid, 6, 12))
    made, X = pl.Clamped(model, 1e-3, gravity=None), mesh.vertices
    vertex, om = int(X[:, 0].argmax()), pl.vibration_modes(solid, 1).frequencies[0]
    U = model.U[3 * vertex : 3 * vertex + 3]
    u = (model.U @ np.linalg.solve(model.stiffness() + om**2 * model.mass, U.T)).reshape(-1, 3, 3)
    i, j = triu(mesh.vertex_adjacency).nonzero()
    way = X[j] - X[i]
    strains = np.linalg.norm(np.einsum("pik,pi->pk", u[j] - u[i], way), axis=1) / np.sum(way**2, axis=1)
    worst = strains.argmax()
    away = X[vertex] - X[[i[worst], j[worst]]].mean(axis=0)
    bent = u[vertex] - u[[i[worst], j[worst]]].mean(axis=0)
    bound = np.linalg.norm(away) / np.linalg.norm(bent, 2)
    assert made.gentle_force(vertex) == pytest.approx(bound, rel=1e-4)
    assert bound < 0.9 * min(made._bearing.force, 1 / 6 / strains[worst]), "neither the whole nor its cells say it"


def test_limits_are_forces():
    made = system("clamped")
    with pytest.raises(ArgumentError, match="limit must be"):
        made.hold(tip(bar()), (0, 0, 0), limit=-1.0)
    assert made.holds == ()


def test_spin_of_a_point_that_is_moved_is_that_of_the_impulse_that_moves_it():
    """w = I^-1 (r x j) and v = j / m + w x r of point masses, for the worst of many impulses."""
    draw = np.random.default_rng(0)
    x, shares = draw.standard_normal((20, 3)), np.full(20, 1 / 20)
    arms, r = x - x.mean(axis=0), draw.standard_normal(3)
    inertia = sum((arm @ arm * np.eye(3) - np.outer(arm, arm)) / 20 for arm in arms)
    impulses = draw.standard_normal((20000, 3))
    spins = np.linalg.solve(inertia, np.cross(r, impulses).T).T
    speeds = np.linalg.norm(impulses + np.cross(spins, r), axis=1)
    worst = (np.linalg.norm(spins, axis=1) / speeds).max()
    assert spin_of_speed(shares, x, x.mean(axis=0) + r) == pytest.approx(worst, rel=1e-3)


@pytest.mark.parametrize("kind", FREE)
def test_what_flies_is_moved_no_faster_than_what_spins_it_by_half_its_first_frequency(kind):
    made, vertex = system(kind, free=True), tip(bar(True))
    _, speed, spin, *_ = made.gentleness(vertex)
    assert spin == pytest.approx(0.5 * 2 * np.pi / made._first_period())
    assert speed <= spin / spin_of_speed(made._bearing.shares, made.vertices("mesh"), made.vertices()[vertex]) * (
        1 + 1e-9
    )


@pytest.mark.parametrize("kind", FREE)
def test_what_spins_bears_what_it_bears_at_rest(kind):
    """What cells bear of a hand has nothing to do with how the whole moves."""
    made, vertex = system(kind, free=True), tip(bar(True))
    at_rest = made.gentleness(vertex)
    made.launch(velocity=(1.0, 2.0, 3.0), spin=(30.0, -50.0, 20.0))
    before = bytes(made.state())
    assert made.gentleness(vertex) == pytest.approx(at_rest, rel=1e-6)
    assert bytes(made.state()) == before


@pytest.mark.parametrize("hands", [1, 2])
def test_limited_force_is_the_one_that_misses_least(hands):
    """f' of |f'| = limit with the smallest f'^T B f' / 2 - f'^T B f has (B + lambda) f' = B f with lambda >= 0."""
    draw, c = np.random.default_rng(hands), 3 * hands
    for _ in range(50):
        Q, _ = np.linalg.qr(draw.standard_normal((c, c)))
        T = (Q * 10.0 ** draw.uniform(-6, 1, c)) @ Q.T
        before, gap = 0.1 * draw.standard_normal(c), draw.standard_normal(c)
        whole = before + np.linalg.solve(T * (1 + DEPENDENT * np.eye(c)), gap)
        sizes = np.linalg.norm(whole.reshape(-1, 3), axis=1)
        limits, forces, change = sizes * 10.0 ** draw.uniform(-4, -0.01, hands), before.copy(), gap.copy()
        meet(T.copy(), change, forces, limits)
        np.testing.assert_allclose(forces, before + change)
        np.testing.assert_allclose(np.linalg.norm(forces.reshape(-1, 3), axis=1), limits, rtol=1e-9)
        for k in range(hands):
            own = slice(3 * k, 3 * k + 3)
            wanted, found = T[own, own] @ whole[own], T[own, own] @ forces[own]
            rest, f = wanted - found, forces[own]
            assert rest @ f >= 0
            assert np.linalg.norm(np.cross(rest, f)) < 1e-3 * np.linalg.norm(wanted) * limits[k], "parallel"


def test_point_that_moves_along_a_line_alone_is_pulled_along_it():
    """Whatever the direction of the target: a force across that line would be spent on nothing."""
    along = np.array([1.0, 2.0, 2.0]) / 3
    T = np.outer(along, along) + 1e-6 * np.eye(3)
    forces, change = np.zeros(3), np.array([0.0, 1.0, 0.0])
    meet(T, change, forces, np.array([0.1]))
    assert forces @ along > 0.6 * 0.1, "cos = 2/3, of a force to the target"
