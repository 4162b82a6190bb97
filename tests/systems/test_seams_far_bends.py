"""Free seams bent far: the mass of the shape stays positive, so that nothing grows of itself."""

import numpy as np
import pytest
import scipy.linalg as la

import pliant as pl
from pliant.systems.seams.answering import coupling

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


def ring(dt=0.01, young=1.2e5, **options):
    """Six parts in a loop, of the size of the ring in the gallery."""
    mesh = pl.shapes.torus(0.5, 0.12, (4, 24))
    angle = np.arctan2(mesh.centroids[:, 2], mesh.centroids[:, 0])
    labels = np.minimum((3 * (angle / np.pi + 1)).astype(int), 5)
    return pl.couple(
        pl.Solid(mesh, pl.StVK(young, 0.4)),
        labels,
        6,
        dt=dt,
        **{"gravity": None, "damping": (0.0, 0.0), **options},
        nonlinear=False,
    )


def squeezed(system, force):
    """Pressed together along x for a tenth of a second, and let go."""
    X = system.mesh.vertices
    for side in (-1, 1):
        ids = np.flatnonzero(side * X[:, 0] > 0.5)
        system.push(ids, np.tile([-side * force / len(ids), 0, 0], (len(ids), 1)))
    system.step(round(0.1 / system.dt))
    system.release()
    return system


def width(system):
    return np.ptp(system.vertices() @ system._frame.axes[:3], axis=0)[0]


@pytest.mark.parametrize("dt", [0.01, 0.005])
def test_a_ring_bent_far_flies_on(dt):
    """Squeezed by a third of its width and more: it swings for long, and no step of the watch is near its bound."""
    system = ring(dt)
    rest = width(system)
    system.launch((0.1, 0.05, 0), (0.5, 1.2, 0.3))
    squeezed(system, 1200.0)
    start, (P, L), energies, widths = system.energy(), system.momentum(), [], []
    centre = system._frame.free.L.copy()
    for _ in range(round(6 / dt / 2)):
        system.step(2)
        energies.append(system.energy())
        widths.append(width(system))
    assert min(widths) < 0.7 * rest
    # A swing of second order in the step.
    assert np.abs(np.array(energies) / start - 1).max() < 1e-4 * (dt / 0.01) ** 2
    np.testing.assert_array_equal(system._frame.free.L, centre)
    np.testing.assert_allclose(system.momentum()[0], P, rtol=ROUNDED)
    np.testing.assert_allclose(system.momentum()[1], L, atol=ROUNDED * (np.linalg.norm(L) + system.time * P @ P))


def test_a_soft_bar_that_its_spin_bends_by_its_length_keeps_its_energy():
    system = bar(young=3e3, dt=0.005)
    system.launch((0, 0, 0), (3.0, 10.0, 2.0))
    start, energies, bends = system.energy(), [], []
    for _ in range(200):
        system.step(20)
        energies.append(system.energy())
        bends.append(np.abs(system.coupled.displacement(system.q)).max())
    assert max(bends) > 0.5
    assert np.abs(np.array(energies) / start - 1).max() < (np.linalg.norm([3, 10, 2]) * system.dt) ** 2


def test_a_soft_ring_swung_by_a_vertex_gains_what_the_hand_gives():
    system = ring(young=5e4, damping=(0.0, 4e-3))
    start = system.mesh.vertices[3]
    grip, x, before, work, exchanged = system.hold(3, start), system.vertices()[3], system.energy(), 0.0, 0.0
    for k in range(400):
        angle = 4.0 * k * system.dt
        grip.target = start + 0.3 * np.array([np.sin(angle), 0, 1 - np.cos(angle)])
        system.step()
        after = system.vertices()[3]
        step = system.hold_forces[0] @ (after - x)
        work, exchanged, x = work + step, exchanged + abs(step), after
    assert exchanged > 1.0
    # Damping takes some of it; force and way of a step are those of its middle but for second order in the step.
    assert 0.0 < system.energy() - before < work + 0.02 * exchanged


def stirred():
    """A bar that is bent by a radian, vibrates and turns."""
    system = bar(young=2e4, dt=0.002, projection="J")
    system.push([5, 20], [(0, 20.0, 10.0), (5.0, 0, 0)])
    system.launch((0.1, 0, 0), (1.0, 2.0, 3.0))
    system.step(60)
    system.release()
    return system


def test_the_shape_moves_as_lagrange_says():
    """M a = -K q - d/dt (G^T h) + d/dq (h.G v - L_b.h/2), h = I^-1 L_b, L_b' = -o x L_b; by differences of I and G."""
    system = stirred()
    M, K = system.coupled.assembled()
    span, q, v, eps = la.null_space((M @ system.coupled.rigid_motions()).T), system.q.copy(), system.v.copy(), 1e-5
    expected = system.acceleration()
    system._measure()
    R, spin, L = system._frame.axes[:3].copy(), system._frame.drift[1].copy(), system._frame.free.L.copy()
    Lb = R.T @ L

    def momentum(at, L_b):
        """G^T h and h."""
        system._q[:] = at
        I, G = coupling(system)
        h = np.linalg.solve(R.T @ I @ R, L_b)
        return (R.T @ G).T @ h, h

    def lagrangian(at):
        p, h = momentum(at, Lb)
        return p @ v - 0.5 * Lb @ h

    turned = eps * np.cross(spin, Lb)
    rate = (momentum(q + eps * v, Lb - turned)[0] - momentum(q - eps * v, Lb + turned)[0]) / (2 * eps)
    slope = np.array([(lagrangian(q + eps * e) - lagrangian(q - eps * e)) / (2 * eps) for e in span.T])
    force = span.T @ (-K @ q - rate) + slope
    np.testing.assert_allclose(span.T @ M @ expected, force, atol=1e-6 * np.abs(force).max())
    spinning = span.T @ (M @ expected + K @ q)
    np.testing.assert_allclose(spinning, force + span.T @ K @ q, atol=1e-5 * np.abs(spinning).max())


def test_a_tiny_step_answers_a_push_as_the_response_says():
    system, ids, force = stirred(), [27], np.array([300.0, -200.0, 400.0])
    system.dt = 1e-7
    expected, state = system.dt * system.response(system.points(ids)) @ force, system.state()
    system.step()
    alone = system.unknowns
    system.restore(state)
    system.push(ids, force)
    system.step()
    np.testing.assert_allclose(system.unknowns - alone, expected, atol=1e-5 * np.abs(expected).max())
