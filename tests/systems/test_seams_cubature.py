"""Nonlinear seams with cubature: forces, damping of strain rates alone, momentum, energy, hands."""

import numpy as np
import pytest

import pliant as pl
from pliant.errors import ArgumentError, Diverged
from pliant.systems.seams.nonlinear import couple_nonlinear
from pliant.systems.seams.point_forces import follow_point_forces, sum_point_forces
from pliant.systems.seams.point_stiffness import fill_stiffness

AGREE = 1e-9  # relative: two ways to the same sum
FORCE = 0.03  # relative: what training leaves on motions that it has not seen
ROUNDING = 1e-10


def ring(damping=(0.0, 0.0), dt=0.002, young=2e4, **options):
    """Six free parts in a loop."""
    mesh = pl.shapes.torus(0.5, 0.12, (4, 24))
    angle = np.arctan2(mesh.centroids[:, 2], mesh.centroids[:, 0])
    labels = np.minimum((3 * (angle / np.pi + 1)).astype(int), 5)
    settings = {"gravity": None, "derivatives": 12, "soft": 2, **options}
    return couple_nonlinear(pl.Solid(mesh, pl.StVK(young, 0.3)), labels, dt=dt, damping=damping, **settings)


def bar(force, soft=4, derivatives=10, **options):
    solid = pl.Solid(pl.shapes.bar((1, 0.1, 0.1), (12, 2, 2)), pl.StVK(1.2e6, 0.4, 1000), fixed="x < 1e-9")
    labels = np.minimum((3 * solid.mesh.centroids[:, 0]).astype(int), 2)
    return couple_nonlinear(solid, labels, soft, derivatives, dt=0.01, gravity=(0, 0, -9.8), force=force, **options)


@pytest.fixture(scope="module")
def spinning():
    """A damped ring after some spinning, and its momentum at the start."""
    system = ring(damping=(0.0, 0.01))
    system.launch((0.3, -0.2, 0.1), (0.5, 4.0, -0.4))
    start = system.momentum()
    system.step(500)
    return system, start


def test_free_solids_have_cubature_and_small_held_ones_cubic_forces():
    assert not ring().parts.exact
    assert bar("auto").parts.exact


def test_weights_are_positive_and_rigid_turns_forceless():
    system = ring()
    X = system.mesh.vertices
    angle = 1.9
    R = np.array([[np.cos(angle), -np.sin(angle), 0], [np.sin(angle), np.cos(angle), 0], [0, 0, 1]])
    q, force = system.coordinates_of(X @ R.T - X), np.zeros(system.size)
    sum_point_forces(system._forces, q, np.zeros(system.size), 0.0, force)
    for model in system.parts.models:
        assert model.force_law.weights.min() > 0
    assert np.abs(force).max() < 1e-12 * max(np.abs(K).max() for K in system._matrices()[0]) * np.abs(q).max()


def test_parts_with_few_cells_take_all_and_have_the_forces_of_the_full_model():
    system = bar("cubature", soft=8, derivatives=24)
    for model in system.parts.models:
        assert len(model.force_law.cells) == len(model.cells)
    U, force = system.parts.columns(), np.zeros(system.size)
    q = 0.02 * np.random.default_rng(3).standard_normal(system.size)
    sum_point_forces(system._forces, q, np.zeros(system.size), 0.0, force)
    full = U.T @ system.solid.force(U @ q)
    assert np.abs(force - full).max() <= AGREE * np.abs(full).max()


def test_octets_are_the_forces_and_stiffness_of_the_rule():
    """Against the jets of `CubatureForce`, and the damping against differences of the force along v."""
    system = bar("cubature", derivatives=4, soft=1, damping_law="stiffness")
    random = np.random.default_rng(0)
    forces, size, beta = system._forces, system.size, 0.03
    q, v = 0.05 * random.standard_normal(size), random.standard_normal(size)
    found, elastic = np.zeros(size), np.zeros(size)
    sum_point_forces(forces, q, v, 0.0, elastic)
    wanted = np.zeros(size)
    for model, places, energy in zip(system.parts.models, system.parts.places, forces.energy):
        wanted[places] += model.force(q[places])
        assert energy == pytest.approx(model.energy(q[places]), rel=1e-12)
    np.testing.assert_allclose(elastic, wanted, atol=1e-12 * np.abs(wanted).max())
    ahead, behind, step = np.zeros(size), np.zeros(size), 1e-6
    sum_point_forces(forces, q + step * v, v, 0.0, ahead)
    sum_point_forces(forces, q - step * v, v, 0.0, behind)
    along = (ahead - behind) / (2 * step)
    sum_point_forces(forces, q, v, beta, found)
    np.testing.assert_allclose(found - elastic, beta * along, atol=1e-7 * np.abs(beta * along).max())
    fill_stiffness(forces, 0.0, 0.0)
    product = np.zeros(size)
    for i, places in enumerate(system.parts.places):
        n, first = forces.n[i], forces.rows_at[i]
        pitch = forces.vectors_at[i + 1] - forces.vectors_at[i]
        rows = forces.jet[first : first + n * pitch].reshape(n, pitch)[1:, 1:n]
        product[places] += (rows + rows.T) @ v[places]
    np.testing.assert_allclose(product, along, atol=1e-5 * np.abs(along).max())


def test_forces_that_follow_an_iteration_are_those_summed_anew():
    """But for single precision, whose rounding is of what is new alone; also where points are crushed."""
    system = bar("cubature", derivatives=4, soft=1, damping_law="stiffness")
    random = np.random.default_rng(1)
    forces, size, beta, rate = system._forces, system.size, 0.03, 400.0
    q, v = 0.2 * random.standard_normal(size), random.standard_normal(size)
    before, followed, anew = np.zeros((3, size))
    sum_point_forces(forces, q, v, beta, before)
    for way in (1e-2, 1e-4):
        way = way * random.standard_normal(size)
        q, v = q + way, v + rate * way
        follow_point_forces(forces, q, rate, beta, followed)
        energies = forces.energy.copy()
    seen = forces.seen.copy()
    sum_point_forces(forces, q, v, beta, anew)
    F = forces.seen.reshape(-1, 3, 3, 3, 8)[:, 0].transpose(0, 3, 1, 2)
    assert (np.linalg.det(F) < forces.J0.reshape(-1, 8)).any()
    rounding = 10 * np.finfo(np.float32).eps
    np.testing.assert_allclose(followed, anew, atol=rounding * np.abs(anew - before).max())
    np.testing.assert_allclose(seen, forces.seen, atol=rounding * np.abs(forces.seen).max())
    np.testing.assert_allclose(energies, forces.energy, rtol=rounding)


def test_rule_is_within_percents_of_all_cells():
    exact, rule = bar("cubic"), bar("cubature")
    for system in (exact, rule):
        system.step(40)
    assert np.abs(exact.vertices() - exact.mesh.vertices).max() > 0.3
    error = np.abs(rule.vertices() - exact.vertices()).max() / np.abs(exact.vertices() - exact.mesh.vertices).max()
    assert error < FORCE


def test_momentum_is_kept_to_rounding_with_damping(spinning):
    system, (P, L) = spinning
    p, l = system.momentum()
    np.testing.assert_allclose(p, P, atol=ROUNDING * np.linalg.norm(P))
    np.testing.assert_allclose(l, L, atol=ROUNDING * np.linalg.norm(L))


def test_damping_does_not_brake_the_spin():
    """Centrifugal stress is the same however stiff the ring is; beta K(q) v would take 2 beta w^2 = 8 % a second."""
    system = ring(damping=(0.0, 0.01), young=2e6)
    system.launch((0, 0, 0), (0, 2.0, 0))
    before = system.energy()
    system.step(500)
    assert system.energy() == pytest.approx(before, rel=1e-3)


def test_energy_gained_without_load_is_reported_with_part_and_time():
    system = ring()
    system.launch((0, 0, 0), (0, 2.0, 0))
    system.step(32)
    kept = system.time, system.q.copy()
    # Somebody's mistake: a stiffness that pushes outwards, behind the back of the state.
    system._forces.lam[:] *= -3.0
    system._forces.mu[:] *= -3.0
    with pytest.raises(Diverged, match="part [0-5]") as caught:
        system.step(400)
    assert np.isfinite(system.q).all()
    assert caught.value.time >= kept[0]


def test_held_vertex_goes_to_its_place_and_files_go_on(tmp_path):
    system = ring(damping=(1.0, 0.01), dt=0.005)
    vertex = int(np.argmax(system.mesh.vertices[:, 0]))
    target = system.mesh.vertices[vertex] + np.array([0.1, 0.2, 0.0])
    system.hold(vertex, target)
    system.step(120)
    np.testing.assert_allclose(system.vertices()[vertex], target, atol=5e-3)
    system.save(tmp_path / "ring.pliant")
    other = pl.resume(tmp_path / "ring.pliant")
    for s in (system, other):
        s.step(10)
    np.testing.assert_array_equal(other.q, system.q)


def test_accelerations_and_responses_damp_rates_of_strain_as_steps_do(spinning):
    system = spinning[0]
    K, D = (system.parts.sum_of(given).toarray() for given in system._matrices()[:2])
    M = system.parts.mass()
    elastic, both = np.zeros(system.size), np.zeros(system.size)
    sum_point_forces(system._forces, system.q, system.v, 0.0, elastic)
    sum_point_forces(system._forces, system.q, system.v, system.beta, both)
    viscous = system.beta * D @ system.v
    np.testing.assert_allclose(viscous, both - elastic, atol=AGREE * np.abs(both).max())
    np.testing.assert_allclose(M @ system.acceleration(), -both, atol=AGREE * np.abs(both).max())
    points, dt = system.points([7, 30]), system.dt
    A = M + 0.5 * dt * system.beta * D + 0.25 * dt**2 * K
    expected = np.linalg.solve(A, system.rows(points).T)
    np.testing.assert_allclose(system.response(points), expected, atol=AGREE * np.abs(expected).max())


def test_energy_rises_all_the_way_to_inside_out():
    """Squeezed along an axis to s: that of StVK is (s^2 - 1)^2 / 8 (lam + 2 mu), zero again at s = -1."""
    system = ring()
    flat = -system.mesh.vertices * np.array([0, 1.0, 0])
    lam, mu = system.solid.material.lame(1)
    volume = sum(model.inertia.mass for model in system.parts.models) / float(system.solid.density[0])
    energies = []
    for s in (0.8, 0.6, 0.4, 0.2, 0.0, -0.5, -1.0):
        q = system.coordinates_of((1 - s) * flat)
        energies.append(sum(m.energy(q[own]) for m, own in zip(system.parts.models, system.parts.places)))
    assert energies[0] == pytest.approx((0.8**2 - 1) ** 2 / 8 * float(lam[0] + 2 * mu[0]) * volume, rel=FORCE)
    assert (np.diff(energies) > 0).all()


def test_a_jerked_arch_finds_its_steps_and_its_shape():
    """The target jumps by the span; a step that failed must leave nothing behind for the shorter ones."""
    mesh = pl.shapes.bar((1.0, 0.1, 0.1), (24, 2, 2))
    x, y, z = mesh.vertices.T
    radius = 0.5 + y
    arch = pl.Mesh(np.stack([-radius * np.cos(np.pi * x), radius * np.sin(np.pi * x), z], axis=1), mesh.cells)
    solid = pl.Solid(arch, pl.StVK(1e6, 0.4, 1000), fixed="y < 1e-6")
    labels = np.minimum((8 * x[mesh.cells].mean(axis=1)).astype(int), 7)
    system = couple_nonlinear(solid, labels, 4, 10, dt=0.005, damping=(3.0, 0.01), gravity=None, force="cubature")
    vertex = int(np.argmax(arch.vertices[:, 1]))
    home = arch.vertices[vertex]
    for jump in ((0.3, 1.0, 0.2), (0, 0, 0), (-0.2, -0.6, -1.0)):
        system.hold(vertex, home + np.array(jump))
        system.step(60)
    system.hold(vertex, None)
    system.step(600)
    assert np.abs(system.vertices() - arch.vertices).max() < 0.02


def test_firm_solids_are_taken():
    solid = pl.Solid(pl.shapes.bar((1, 0.1, 0.1), (6, 1, 1)), pl.FirmStVK(1e6, 0.4, 1000), fixed="x < 1e-9")
    labels = (solid.mesh.centroids[:, 0] > 0.5).astype(int)
    system = couple_nonlinear(solid, labels, 0, 2, dt=0.01, modes=2)
    assert not system.parts.exact
    assert system.solid is solid
    with pytest.raises(ArgumentError, match="take pl.StVK"):
        couple_nonlinear(solid, labels, 0, 2, dt=0.01, modes=2, force="cubic")
