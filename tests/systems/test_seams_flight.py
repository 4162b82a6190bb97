"""Free seams fly for long: the spin's acceleration is solved for, so that nothing feeds a vibration."""

import numpy as np
import pytest

import pliant as pl
from pliant.errors import Diverged
from pliant.systems.seams.rigid_motion import remove_rigid
from pliant.systems.seams.rigid_rows import find_rigid_rows
from pliant.systems.system_points import act_as_warped

ROUNDED = 1e-12  # P and L are state, and nothing acts


def bar(young=1e6, dt=0.01, **options):
    """Three parts of a free bar."""
    mesh = pl.shapes.bar((1, 0.1, 0.1), (6, 1, 1))
    labels = np.minimum((3 * mesh.centroids[:, 0]).astype(int), 2)
    return pl.couple(
        pl.Solid(mesh, pl.StVK(young, 0.3)),
        labels,
        dt=dt,
        **{"gravity": None, "damping": (0.0, 0.0), **options},
        nonlinear=False,
    )


@pytest.mark.parametrize("projection", ["R", "J"])
def test_a_tiny_push_rings_for_a_hundred_seconds(projection):
    """A vibration without damping keeps its energy: the midpoint rule is exact for what is linear."""
    system = bar(projection=projection)
    system.push([5], (0, 1e-6, 0))
    system.step()
    system.release()
    start = system.energy()
    for _ in range(10):
        system.step(1000)
        assert system.energy() == pytest.approx(start, rel=1e-8)


@pytest.mark.filterwarnings("ignore:dt =")  # a fourth of the first period of so stiff a bar
def test_a_spinning_bar_keeps_energy_and_momentum_for_a_hundred_seconds():
    system = bar(young=1e7)
    system.push([5], (0, 20.0, 30.0))
    system.step(3)
    system.release()
    system.launch((0.1, 0.2, 0.3), (1.0, 2.0, 3.0))
    start, (P, L) = system.energy(), system.momentum()
    energies = []
    for _ in range(20):
        system.step(500)
        energies.append(system.energy())
    # The swing of a symmetric rule of second order, (spin dt)^2 of the energy, without a drift.
    assert np.abs(np.array(energies) / start - 1).max() < (np.linalg.norm([1, 2, 3]) * system.dt) ** 2
    after = system.momentum()
    np.testing.assert_allclose(after[0], P, rtol=ROUNDED)
    # About the origin, which the centre of mass moves away from: t x P is kept to the rounding of its terms.
    np.testing.assert_allclose(after[1], L, atol=ROUNDED * (np.linalg.norm(L) + system.time * P @ P))


def test_energy_swings_with_the_square_of_the_step():
    swings = []
    for dt in (0.01, 0.005):
        system = bar(young=1e6, dt=dt)
        system.launch((0, 0, 0), (4.0, 3.0, 8.0))
        start, energies = system.energy(), []
        for _ in range(round(1.0 / dt)):
            system.step()
            energies.append(system.energy() / start - 1)
        swings.append(np.abs(energies).max())
    assert 3.4 < swings[0] / swings[1] < 4.6


def test_the_acceleration_is_that_of_the_next_small_step():
    system = bar(young=1e5)
    system.push([5, 20], [(0, 2.0, 1.0), (1.0, 0, 0)])
    system.launch((0, 0, 0), (1.0, 2.0, 3.0))
    system.step(20)
    expected = system.acceleration()
    v, system.dt = system.v.copy(), 1e-6
    system.step()
    np.testing.assert_allclose((system.v - v) / system.dt, expected, atol=1e-3 * np.abs(expected).max())


def test_a_body_too_soft_for_its_spin_is_refused_in_time():
    system = bar(young=1e3, dt=0.005)
    system.launch((0, 0, 0), (3.0, 10.0, 2.0))
    start = system.energy()
    with pytest.raises(Diverged):
        system.step(4000)
    assert system.energy() < 1.5 * start


@pytest.mark.filterwarnings("ignore:dt =")  # a ninth of the first period of so stiff a bar
@pytest.mark.parametrize("rate", [None, 100.0])
def test_a_swinging_hand_is_all_that_gives_energy(rate):
    """Energy grows by the work of the hand: the sum of its force times the way of the vertex."""
    system = bar(young=1e7, dt=0.005)
    start = system.mesh.vertices[3]
    grip = system.hold(3, start, rate)
    before, work, exchanged = system.energy(), 0.0, 0.0
    x = system.vertices()[3]
    for k in range(1000):
        angle = 4.0 * k * system.dt
        grip.target = start + 0.2 * np.array([np.sin(angle), 0, 1 - np.cos(angle)])
        system.step()
        after = system.vertices()[3]
        step = system.hold_forces[0] @ (after - x)
        work, exchanged, x = work + step, exchanged + abs(step), after
    assert exchanged > 1.0
    # Force and way of a step are those of its middle but for second order in the step.
    assert system.energy() - before == pytest.approx(work, abs=0.02 * exchanged)


def test_damping_does_not_brake_a_spin():
    system = bar(young=1e6, damping=(0.5, 1e-2))
    system.push([5], (0, 5.0, 8.0))
    system.step(3)
    system.release()
    system.launch((0, 0, 0), (1.0, 2.0, 3.0))
    L = system.momentum()[1]
    system.step(2000)
    np.testing.assert_allclose(system.momentum()[1], L, atol=ROUNDED * np.linalg.norm(L))


def test_rows_of_the_momentum_are_those_of_six_forces_on_every_point():
    system = bar()
    system.push([5], (0, 20.0, 30.0))
    system.launch((0, 0, 0), (1.0, 2.0, 3.0))
    system.step(5)
    masses, middle, rigid, flight = system._masses, system._flight.middle, system._rigid, system._flight
    find_rigid_rows(masses, middle, rigid, flight.lanes, flight.G, flight.centre)
    m, s = masses.measure[:, None], middle.y - middle.centre[0]
    for k, axis in enumerate(np.eye(3)):
        for rows, forces in ((flight.G, m * np.cross(axis, s)), (flight.centre, m * axis / rigid.mass)):
            expected = np.zeros(system.size)
            act_as_warped(masses, middle.Rt, middle.D, forces, expected)
            remove_rigid(rigid.B, rigid.Q, expected)
            np.testing.assert_allclose(rows[k], expected, atol=ROUNDED * np.abs(expected).max())
