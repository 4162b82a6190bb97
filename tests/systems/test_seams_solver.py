"""The condensed solver against the assembled matrix and the multipliers of [BA13] Eq. 16, and what a ring keeps."""

from itertools import pairwise

import numpy as np
import pytest
import scipy.linalg as la

import pliant as pl
from pliant.mesh.domains import domains_of
from pliant.systems.seams.parts import coupled_parts
from pliant.systems.seams.solver import add_forces, arrow, condensed, correct, predict, solve_arrow

SAME = 1e-8  # maths sheet boundary-aware 9; the sheet itself found 2.5e-13 and 1.1e-14
ENERGY, MOMENTUM = 1e-9, 1e-10


@pytest.fixture(scope="module")
def bar():
    """Three domains of a bar, and two that share a cross edge with them: five parts, one vertex set of four."""
    mesh = pl.shapes.bar((1, 0.2, 0.2), (9, 2, 2))
    solid = pl.Solid(mesh, pl.StVK(1e5, 0.3), fixed="x < 1e-9")
    x, y, _ = mesh.centroids.T
    labels = np.minimum((3 * x).astype(int), 2) + np.where(x > 1 / 3, 2 * (y > 0), 0)
    return coupled_parts(solid, domains_of(mesh, labels), 3, 2, "inertia", None, "entity")


@pytest.fixture(scope="module")
def ring():
    mesh = pl.shapes.torus(0.5, 0.12, (4, 24))
    angle = np.arctan2(mesh.centroids[:, 2], mesh.centroids[:, 0])
    labels = np.minimum((3 * (angle / np.pi + 1)).astype(int), 5)
    return coupled_parts(pl.Solid(mesh, pl.StVK(2e4, 0.3)), domains_of(mesh, labels), 3, 2, "inertia", None, "entity")


def newmark(accelerate, K, C, dt, q, v, f, steps, a=0.0):
    """Average acceleration; `accelerate(r)` solves A a = r. All states (steps + 1, size)."""
    states = [q]
    for _ in range(steps):
        q, v = q + dt * v + dt * dt / 4 * a, v + dt / 2 * a
        a = accelerate(f - C @ v - K @ q)
        q, v = q + dt * dt / 4 * a, v + dt / 2 * a
        states.append(q)
    return np.array(states)


def condensed_run(coupled, dt, alpha, beta, q, v, f, steps):
    packed, factors = arrow(coupled), condensed(coupled, dt, alpha, beta)
    q, v, a, states = q.copy(), v.copy(), np.zeros_like(q), [q.copy()]
    for _ in range(steps):
        predict(dt, q, v, a)
        r = f.copy()
        add_forces(packed, alpha, beta, q, v, -1.0, r)
        solve_arrow(packed, factors, r)
        a = r
        correct(dt, q, v, a)
        states.append(q.copy())
    return np.array(states), q, v


def multiplier_form(coupled):
    """Duplicated M and K, rows G of (+1, -1) in chains, and the map P from q to the duplicated coordinates."""
    sizes = [c.size for c in coupled.columns]
    starts = np.concatenate([[0], np.cumsum(sizes)])
    M, K, P = np.zeros((starts[-1],) * 2), np.zeros((starts[-1],) * 2), np.zeros((starts[-1], coupled.size))
    copies: dict[int, list[int]] = {}
    for c, places, start in zip(coupled.columns, coupled.places, starts):
        end = start + c.size
        M[start:end, start:end] = np.block([[c.M_bb, c.M_bi], [c.M_bi.T, np.eye(len(c.values))]])
        K[start:end, start:end] = la.block_diag(c.K_bb, np.diag(c.values))
        P[np.arange(start, end), places] = 1
        for k, place in enumerate(c.boundary):
            copies.setdefault(int(place), []).append(start + k)
    pairs = [pair for chain in copies.values() for pair in pairwise(chain)]
    G = np.zeros((len(pairs), len(M)))
    for row, (first, second) in enumerate(pairs):
        G[row, first], G[row, second] = 1, -1
    return M, K, G, P


def test_condensed_assembled_and_multiplier_forms_take_the_same_path(bar):
    dt, alpha, beta, steps = 0.01, 0.3, 0.01, 300
    random = np.random.default_rng(0)
    q, v, f = 0.01 * random.standard_normal(bar.size), np.zeros(bar.size), random.standard_normal(bar.size)
    M, K = bar.assembled()
    C = alpha * M + beta * K
    factor = la.cho_factor(M + dt / 2 * C + dt * dt / 4 * K)
    assembled = newmark(lambda r: la.cho_solve(factor, r), K, C, dt, q, v, f, steps)
    quick, _, _ = condensed_run(bar, dt, alpha, beta, q, v, f, steps)
    assert np.abs(quick - assembled).max() < SAME * np.abs(assembled).max()

    M, K, G, P = multiplier_form(bar)
    assert np.linalg.matrix_rank(G) == len(G)
    C = alpha * M + beta * K
    A = np.block([[M + dt / 2 * C + dt * dt / 4 * K, G.T], [G, np.zeros((len(G), len(G)))]])
    lu = la.lu_factor(A)
    # The load goes to one copy of each coordinate, whichever.
    once = P * (np.cumsum(P, axis=0) == 1)
    double = newmark(
        lambda r: la.lu_solve(lu, np.concatenate([r, np.zeros(len(G))]))[: len(r)],
        K,
        C,
        dt,
        P @ q,
        P @ v,
        once @ f,
        steps,
    )
    assert np.abs(double - assembled @ P.T).max() < SAME * np.abs(assembled).max()


def test_step_of_the_system_is_that_of_the_formula(bar):
    """All of `Seams.step`, with a constant load, against the assembled matrix."""
    system = pl.Seams(bar, 0.01, (0.3, 0.01), gravity=(0, -3, 1), projection="none")
    M, K = bar.assembled()
    C = 0.3 * M + 0.01 * K
    A = M + 0.005 * C + 0.000025 * K
    f = np.zeros(bar.size)
    for part, c, places in zip(bar.parts, bar.columns, bar.places):
        np.add.at(f, places, c.U.T @ part.solid.gravity_load((0, -3, 1)))
    start = np.linalg.solve(M, f)
    expected = newmark(lambda r: np.linalg.solve(A, r), K, C, 0.01, 0 * f, 0 * f, f, 40, start)
    system.step(40)
    np.testing.assert_allclose(system.q, expected[-1], atol=SAME * np.abs(expected).max())


def test_undamped_ring_keeps_energy_and_momentum(ring):
    """Linear, without a frame: the rigid motions are among the coordinates."""
    M, K = ring.assembled()
    Q = ring.rigid_motions()
    random = np.random.default_rng(0)
    # At rest in shape: the first acceleration is then zero, as the run assumes.
    q, v = np.zeros(ring.size), random.standard_normal(ring.size)
    _, q1, v1 = condensed_run(ring, 0.005, 0.0, 0.0, q, v, np.zeros(ring.size), 500)
    before, after = (v @ M @ v + q @ K @ q, v1 @ M @ v1 + q1 @ K @ q1)
    assert abs(after - before) < ENERGY * before
    scale = np.linalg.norm(Q.T @ M @ v)
    assert np.abs(Q.T @ M @ (v1 - v)).max() < MOMENTUM * scale


def test_rigid_motions_are_exact(ring):
    Q, X = ring.rigid_motions(), ring.solid.mesh.vertices
    c = ring.masses @ X / ring.masses.sum()
    np.testing.assert_allclose(ring.displacement(Q[:, 1]), np.tile([0, 1, 0], (len(X), 1)), atol=1e-10)
    np.testing.assert_allclose(ring.displacement(Q[:, 5]), np.cross([0, 0, 1], X - c), atol=1e-10)


@pytest.mark.filterwarnings("ignore:dt =")  # on purpose
def test_stiff_steps_are_stable(bar):
    """Maths sheet 9: stable at dt = 0.3, where penalty springs with lagged neighbours need 1e-3 and less."""
    system = pl.Seams(bar, 0.3, gravity=(0, -9.8, 0), projection="none")
    system.step(1000)
    assert np.abs(system.vertices()).max() < 10
