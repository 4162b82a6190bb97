"""A free body: its frame carries the momentum, its coordinates only deform it."""

import copy

import numpy as np
import pytest
import scipy.linalg as la

import pliant as pl
from pliant.errors import ArgumentError, SingularMatrix
from pliant.systems.seams import seams

KEPT = 1e-10  # maths sheet boundary-aware 9: momentum
SEEN = 1e-9  # of rows: rounding
DT = 0.005


def ring(dt=DT, gravity=None, amplitude=0.0, young=2e4, **options):
    """Six parts in a loop, vibrating in its two lowest shapes with an amplitude [m]."""
    mesh = pl.shapes.torus(0.5, 0.12, (4, 24))
    angle = np.arctan2(mesh.centroids[:, 2], mesh.centroids[:, 0])
    labels = np.minimum((3 * (angle / np.pi + 1)).astype(int), 5)
    system = pl.couple(
        pl.Solid(mesh, pl.StVK(young, 0.3)), labels, 3, dt=dt, gravity=gravity, **options, nonlinear=False
    )
    M, K = system.coupled.assembled()
    values, shapes = la.eigh(K, M)
    v = shapes[:, 6] + 0.5 * shapes[:, 8]
    system.v = v * amplitude * np.sqrt(values[6]) / np.abs(system.coupled.displacement(v)).max()
    return system


def masses(system):
    return system.coupled.masses[:, None]


def measured(system):
    """Momentum and energy of motion of the drawn vertices, by central differences of a tiny step to both sides."""
    m, dt, h, start = masses(system), system.dt, 1e-5, system.state()
    here = system.vertices()
    system.dt = h
    system.step()
    ahead = system.vertices()
    system.restore(start)
    system.dt = dt
    velocity = (ahead - here) / h
    middle = 0.5 * (ahead + here)
    return (m * velocity).sum(axis=0), np.cross(middle, m * velocity).sum(axis=0)


def test_momentum_is_that_of_the_drawn_vertices():
    system = ring(amplitude=0.05)
    system.launch((0.3, -0.2, 0.1), (0.5, 2.0, -0.4))
    system.step(37)
    P, L = system.momentum()
    p, l = measured(system)
    np.testing.assert_allclose(p, P, atol=1e-6 * np.linalg.norm(P))
    # The shape and the frame move on by half a tiny step in between.
    np.testing.assert_allclose(l, L, atol=1e-3 * np.linalg.norm(L))


@pytest.mark.parametrize("amplitude", [0.0, 0.05])
def test_free_flight_keeps_momentum(amplitude):
    system = ring(amplitude=amplitude)
    system.launch((0.3, -0.2, 0.1), (0.5, 2.0, -0.4))
    P, L = system.momentum()
    system.step(500)
    after = system.momentum()
    np.testing.assert_allclose(after[0], P, atol=KEPT * np.linalg.norm(P))
    np.testing.assert_allclose(after[1], L, atol=KEPT * np.linalg.norm(L))


def test_centre_of_mass_falls_like_a_stone():
    g, velocity = np.array([0.0, -9.81, 0.0]), np.array([1.0, 2.0, 0.5])
    system = ring(gravity=g, amplitude=0.05)
    m = masses(system)
    start = (m * system.vertices()).sum(axis=0) / m.sum()
    system.launch(velocity, (1.0, 0.5, 2.0))
    system.step(200)
    t = system.time
    centre = (m * system.vertices()).sum(axis=0) / m.sum()
    np.testing.assert_allclose(centre, start + velocity * t + 0.5 * g * t * t, atol=1e-9)


def test_gravity_does_not_strain_a_falling_body():
    system = ring(gravity=(0, -9.81, 0))
    system.step(50)
    assert np.abs(system.q).max() < 1e-12


def test_vibration_without_spin_keeps_its_energy():
    system = ring(amplitude=0.01, damping=(0.0, 0.0))
    start = system.energy()
    system.step(500)
    # Linear but for the slight turn of the frame that averages out: third order in the amplitude.
    assert system.energy() == pytest.approx(start, rel=1e-6)


def test_spin_keeps_its_energy_nearly():
    system = ring(amplitude=0.02, damping=(0.0, 0.0))
    system.launch((0, 0, 0), (0.3, 2.0, 0.5))
    start, energies = system.energy(), []
    for _ in range(40):
        system.step(25)
        energies.append(system.energy())
    # The kinetic energy is that of the linear deformation, not of the warped one: second order in the amplitude.
    assert np.abs(np.array(energies) / start - 1).max() < 2e-3


def test_a_fast_spin_with_little_damping_stays():
    """20 rad/s at a lowest frequency of 34 and steps of 5 ms: the forces of the spin are implicit."""
    system = ring(young=2e6, amplitude=0.02, damping=(0.0, 1e-3))
    system.launch((0, 0, 0), (3, 20, 10))
    start = system.energy()
    L = system.momentum()[1]
    system.step(2000)
    assert 0.85 * start < system.energy() < start
    np.testing.assert_allclose(system.momentum()[1], L, atol=KEPT * np.linalg.norm(L))


def test_spin_stretches_the_ring():
    """Hoop: the radius grows by rho w^2 R^3 / E."""
    system = ring(dt=0.02, damping=(2.0, 0.1))
    w = 1.0
    system.launch(spin=(0, w, 0))
    # L is kept, so the spin slows a little as the ring grows.
    system.step(1500)
    X, x = system.mesh.vertices, system.vertices()
    growth = (np.linalg.norm(x[:, [0, 2]], axis=1) - np.linalg.norm(X[:, [0, 2]], axis=1)).mean()
    assert growth == pytest.approx(1000 * w**2 * 0.5**3 / 2e4, rel=0.15)


def test_a_rigid_spin_about_an_axis_of_symmetry_is_uniform():
    system = ring()
    system.launch(spin=(0, 2.0, 0))
    x0 = system.vertices()
    system.step(100)
    angle = 2.0 * system.time
    R = np.array([[np.cos(angle), 0, np.sin(angle)], [0, 1, 0], [-np.sin(angle), 0, np.cos(angle)]])
    centre = (masses(system) * x0).sum(axis=0) / masses(system).sum()
    # Stretched by 2% and slowed by the same: phase counts, so the tolerance is wide.
    np.testing.assert_allclose(system.vertices(), centre + (x0 - centre) @ R.T, atol=0.08)


def test_pushes_change_momentum_by_their_impulse():
    system = ring(amplitude=0.02)
    vertex, force = 17, np.array([3.0, -1.0, 2.0])
    L = system.momentum()[1]
    system.push([vertex], force)
    arm = system.vertices()[vertex]
    system.step()
    P, after = system.momentum()
    np.testing.assert_allclose(P, DT * force, atol=1e-12)
    # P is nought before; L about the origin gains arm x force and the half step that the centre moved.
    np.testing.assert_allclose(after - L, DT * np.cross(arm, force), atol=1e-4)
    system.release()
    before = system.momentum()
    system.step(50)
    np.testing.assert_allclose(system.momentum(), before, atol=1e-12)


def test_a_hanging_ring_swings_about_the_hand():
    """Held at one vertex under gravity, it falls like a pendulum, and its centre keeps its distance from the hand."""
    system = ring(gravity=(0, -9.81, 0), young=2e6, damping=(1.0, 0.02))
    vertex, m = int(np.argmax(system.mesh.vertices[:, 0])), masses(system)
    goal = system.mesh.vertices[vertex]
    system.hold(vertex, goal)
    lowest = 0.0
    for _ in range(40):
        system.step(10)
        arm = (m * system.vertices()).sum(axis=0) / m.sum() - goal
        assert np.linalg.norm(system.vertices()[vertex] - goal) < 0.05
        assert 0.6 < np.linalg.norm(arm) < 0.75
        lowest = min(lowest, arm[1])
    assert lowest < -0.6


def test_a_hand_that_stands_still_gives_a_swinging_body_no_energy():
    """A force taken at the old end of each step alone would add spin^2 dt of the energy a second."""
    system = ring(dt=0.01, gravity=(0, -9.81, 0), young=2e6, damping=(0.0, 2e-3))
    start = system.energy()
    system.hold(3, system.mesh.vertices[3])
    for _ in range(16):
        system.step(50)
        assert system.energy() < start


def test_a_stiff_body_swung_in_circles_follows_the_hand():
    """A hand at the speed s leaves 2 s / rate behind a critically damped follower, also while the body spins."""
    system = ring(dt=0.01, young=2e6, damping=(0.2, 2e-3))
    start, radius, turns = system.mesh.vertices[3], 0.5, 100 / 30
    grip, gaps = system.hold(3, start), []
    for k in range(500):
        angle = turns * k * system.dt
        grip.target = start + radius * np.array([np.sin(angle), 0, 1 - np.cos(angle)])
        system.step()
        gaps.append(np.linalg.norm(system.vertices()[3] - grip.target))
    assert max(gaps) < 1.25 * 2 * radius * turns / grip.rate


@pytest.mark.parametrize("held", [(3,), (3, 200)])
def test_hands_feed_no_vibration_of_a_free_body(held):
    """Kicked between hands that stand still, it rings down, however weakly it is damped."""
    system = ring(dt=0.01, young=2e5, damping=(0.2, 2e-3))
    for vertex in held:
        system.hold(vertex, system.mesh.vertices[vertex])
    system.push([100], (5.0, 5.0, 0.0))
    system.step(5)
    system.release()
    energies = []
    for _ in range(4):
        system.step(150)
        energies.append(system.energy())
    assert (np.diff(energies) < 0).all()


def test_two_hands_pull_a_free_body_apart_and_it_settles():
    system = ring(dt=0.01, young=2e5, damping=(0.2, 0.01))
    still, moved = (system.hold(vertex, system.mesh.vertices[vertex]) for vertex in (3, 200))
    moved.target = system.mesh.vertices[200] + [0, 0.4, 0]
    system.step(1500)
    # A steady pull is off by what the arms of the hands have changed by: second order in the deformation.
    for grip in (still, moved):
        assert np.linalg.norm(system.vertices()[grip.vertex] - grip.target) < 0.01 * 0.4


def test_turning_an_interface_is_an_inner_motion():
    system = ring()
    system.launch((0.1, 0, 0), (0, 1.0, 0))
    before = system.momentum()
    turn = system.turn(0, (0.3, 0, 0))
    system.step(300)
    np.testing.assert_allclose(system.momentum(), before, atol=KEPT)
    assert np.linalg.norm(system.coupled.trace.turns[0][1] @ [0.3, 0, 0] - system.q[turn.places]) < 0.05


def test_states_hold_the_frame():
    system = ring(amplitude=0.02)
    system.launch((0.3, 0, 0), (0, 1, 0))
    system.step(10)
    state, shape = system.state(), system.vertices()
    system.step(50)
    later = system.vertices()
    system.restore(state)
    np.testing.assert_allclose(system.vertices(), shape, atol=1e-13)
    system.step(50)
    np.testing.assert_allclose(system.vertices(), later, atol=1e-12)


def test_written_coordinates_lose_their_rigid_motion():
    system = ring()
    system.q = system.coupled.rigid_motions() @ np.arange(6.0)
    assert np.abs(system.q).max() < 1e-9


def test_free_solids_in_pieces_are_refused():
    bar = pl.shapes.bar((1, 0.2, 0.2), (4, 1, 1))
    both = pl.Mesh(np.vstack([bar.vertices, bar.vertices + 5]), np.vstack([bar.cells, bar.cells + bar.vertex_count]))
    labels = np.repeat([0, 1], bar.cell_count)
    with pytest.raises(ArgumentError, match="one piece"):
        pl.couple(pl.Solid(both, pl.StVK(1e5, 0.3)), labels, dt=0.01, nonlinear=False)


def test_one_free_part_alone_is_refused():
    bar = pl.shapes.bar((1, 0.2, 0.2), (4, 1, 1))
    with pytest.raises(SingularMatrix, match="move rigidly"):
        pl.couple(pl.Solid(bar, pl.StVK(1e5, 0.3)), np.zeros(bar.cell_count, int), dt=0.01, nonlinear=False)


def test_shape_is_measured_once_for_a_state(monkeypatch):
    """However often it is asked for what follows from it; anew once anything of the state has moved."""
    body, count = ring(amplitude=0.01), []
    measured = seams.measure_shape
    monkeypatch.setattr(seams, "measure_shape", lambda *given: (count.append(1), measured(*given))[1])
    body.launch((0.3, 0.2, -0.1), (0.4, -0.3, 0.5))
    points = body.points([0, 5])
    body.step(3)
    count.clear()
    for _ in range(3):
        body.pose(), body.rates(), body.energy(), body.momentum(), body.rows(points), body.response(points)
    assert len(count) == 1
    before = body.rows(points).copy()
    body.correct(points, np.ones((2, 3)))
    twin = copy.copy(body)
    np.testing.assert_allclose(body.rows(points), twin.rows(twin.points([0, 5])), atol=KEPT)
    assert np.abs(body.rows(points) - before).max() > SEEN
