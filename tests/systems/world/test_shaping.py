"""Inertia, masses and fictitious forces of a deformed body against sums over its particles (sheet 1 to 3)."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from shapes import block, turn

from pliant.numerics import cholesky, rotation_logarithm
from pliant.systems.world import World
from pliant.systems.world.rows import POINT, add_entry, begin_tie, end_tie, ties_of
from pliant.systems.world.shaping import fictitious, shape_at, spin_in_axes
from pliant.systems.world.tables import models_of, shape_space

EXACT = 1e-12
seeds = st.integers(0, 2**32 - 1)


def particles(model):
    """Consistent mass (n, n), X (n, 3) and S (n, 3, r) about the centre of mass: the same integrals as O(n^2) sums."""
    mass = model.solid.mass.toarray()[::3, ::3]
    inertia = model.inertia
    S = model.U.reshape(-1, 3, model.size) - inertia.N / inertia.mass
    return mass, model.X - inertia.centre, S


def shaped(model, q):
    tables, laws = models_of([model])
    shape = shape_space(model.size)
    shape_at(tables, 0, q, shape, True)
    return tables, laws, shape


@settings(max_examples=10, deadline=None)
@given(seeds)
def test_inertia_and_moving_mass_are_sums_over_particles(seed):
    model = block(way=0.05)
    r, q = model.size, np.random.default_rng(seed).normal(size=model.size)
    mass, X, S = particles(model)
    p = X + S @ q
    _, _, shape = shaped(model, q)
    second = np.einsum("ij,ia,jb->ab", mass, p, p)
    I = np.trace(second) * np.eye(3) - second
    np.testing.assert_allclose(shape.I, I, atol=EXACT * np.abs(I).max())
    cross = np.cross(p[:, :, None], np.eye(3)[None], axis=1)  # p x e_b
    G = np.einsum("ij,iab,jbl->al", mass, cross, S)
    np.testing.assert_allclose(shape.G.reshape(r, 3).T, G, atol=EXACT * np.abs(G).max())
    M = np.einsum("ij,iak,jal->kl", mass, S, S)
    Mt = M - G.T @ np.linalg.solve(I, G)
    np.testing.assert_allclose(shape.Mt.reshape(r, r), Mt, atol=EXACT * np.abs(Mt).max())


@settings(max_examples=10, deadline=None)
@given(seeds)
def test_accelerations_obey_gauss_principle(seed):
    """M_full a = f over all particles, projected on all motions of frame and shape, without any of the tensors."""
    random = np.random.default_rng(seed)
    model = block(way=0.05)
    r = model.size
    q, qd, o = 0.5 * random.normal(size=r), random.normal(size=r), random.normal(size=3)
    mass, X, S = particles(model)
    p, u = X + S @ q, S @ qd
    # In the axes of the body: x'' = a x p + o x (o x p) + 2 o x u + S q'', tested with e x p and S.
    turns = np.cross(np.eye(3)[None], p[:, None], axis=2).transpose(0, 2, 1)
    J = np.concatenate([turns, S], axis=2).reshape(len(p), 3, -1)
    known = np.cross(o, np.cross(o, p)) + 2 * np.cross(o, u)
    full = np.einsum("ij,iak,jal->kl", mass, J, J)
    load = -np.einsum("ij,iak,ja->k", mass, J, known)
    expected = np.linalg.solve(full, load)[3:]
    tables, _, shape = shaped(model, q)
    G = shape.G.reshape(r, 3).T
    Lo, out = shape.I @ o + G @ qd, np.zeros(r)
    found_o = np.zeros(3)
    spin_in_axes(shape, r, Lo, qd, found_o)
    np.testing.assert_allclose(found_o, o, atol=1e-11)
    fictitious(tables, 0, shape, o, Lo, np.zeros(3), qd, out)
    found = np.linalg.solve(shape.Mt.reshape(r, r), out)
    np.testing.assert_allclose(found, expected, atol=1e-10 * np.abs(expected).max())


@settings(max_examples=10, deadline=None)
@given(seeds)
def test_rows_give_velocities_and_responses_keep_momentum_and_energy(seed):
    """u = W y, K is symmetric positive definite, and an impulse gives j, x x j and the work j (u + u+)/2 (sheet 4)."""
    random = np.random.default_rng(seed)
    model = block(way=0.05)
    world = World(0.01, gravity=None)
    body = world.add(model, random.normal(size=3), turn(random.normal(size=3), 1.0), random.normal(size=3))
    body.q, body.v = 0.5 * random.normal(size=model.size), random.normal(size=model.size)
    body.spin = random.normal(size=3)
    vertex = int(random.integers(len(model.X)))
    made = world._record
    from pliant.systems.world.flight import arrange

    assert arrange(made.models, made.table, made.state, made.geometry, np.zeros(1), 0.01, made.space) == -1
    ties, x = ties_of(1, 1, 6 + model.size), body.vertices()[vertex]
    k = begin_tie(ties, POINT, x, np.eye(3))
    S = model.U.reshape(-1, 3, model.size)[vertex] - model.inertia.N / model.inertia.mass
    add_entry(made.table, made.geometry, made.state.t, ties, k, 0, S.ravel(), 1.0)
    assert end_tie(ties, k)
    width = 6 + model.size
    W, V = (rows[: 3 * width].reshape(3, width) for rows in (ties.W, ties.V))
    y = np.concatenate([body.velocity, body.spin, body.v])
    np.testing.assert_allclose(W @ y, world.velocities()[vertex], atol=1e-12)
    K = W @ V.T
    np.testing.assert_allclose(ties.K[0], K, atol=1e-14 * np.abs(K).max())
    np.testing.assert_allclose(K, K.T, atol=1e-14 * np.abs(K).max())
    assert cholesky(K.copy())
    j = random.normal(size=3)
    before, energy, momentum = W @ y, world.energy(), np.concatenate(world.momentum())
    after = y + V.T @ j
    body.velocity, body.spin, body.v = after[:3], after[3:6], after[6:]
    np.testing.assert_allclose(np.concatenate(world.momentum()) - momentum, np.r_[j, np.cross(x, j)], atol=1e-11)
    np.testing.assert_allclose(world.energy() - energy, j @ (before + W @ after) / 2, atol=1e-11 * abs(energy))


@settings(max_examples=5, deadline=None)
@given(seeds)
def test_all_modes_and_the_frame_answer_as_the_full_mass_does(seed):
    """Sheet 4, the decisive one: frame and 18 modes of 8 vertices are all motions, so K_cd over all is M^-1."""
    random = np.random.default_rng(seed)
    model = block((1.0, 1.0, 1.0), (1, 1, 1), 18, way=0.1)
    world = World(1e-9, gravity=None, substeps=1)
    body = world.add(model, random.normal(size=3), turn(random.normal(size=3), 1.0))
    body.q = 0.5 * random.normal(size=model.size)
    points = world.points(np.arange(8))
    K = world.rows(points) @ world.response(points)
    np.testing.assert_allclose(K @ model.solid.mass.toarray(), np.eye(24), atol=1e-9)
    np.testing.assert_allclose(K, K.T, atol=1e-12 * np.abs(K).max())


@settings(max_examples=5, deadline=None)
@given(seeds)
def test_impulses_move_points_by_the_jacobian_of_the_sheet(seed):
    """dx+/dj of sheet 6 (Eq. 41 as derived there) against central differences of real steps by Eq. 35, from rest."""
    random, dt, h = np.random.default_rng(seed), 0.01, 1e-3
    model = block(way=0.05)
    r, R, t = model.size, turn(random.normal(size=3), 1.0), random.normal(size=3)
    q, vertex = 0.3 * random.normal(size=r), int(random.integers(len(model.X)))
    _, X, S = particles(model)
    x0, Sc, M = X[vertex], S[vertex], model.inertia.mass
    _, _, shape = shaped(model, q)
    I, G, Mt = shape.I, shape.G.reshape(r, 3).T, shape.Mt.reshape(r, r)
    p = x0 + Sc @ q
    B = Sc.T - G.T @ np.linalg.solve(I, cross_matrix(p))

    def after(j):
        """Where the point is after a step that begins with an impulse, and the body."""
        world = World(dt, gravity=None, substeps=1, rule="euler")
        body = world.add(model, t, R)
        body.q = q
        own = R.T @ j
        body.velocity, body.v = j / M, np.linalg.solve(Mt, B @ own)
        body.spin = R @ np.linalg.solve(I, np.cross(p, own))
        world.step()
        return body.vertices()[vertex], body

    _, rest = after(np.zeros(3))
    A = np.linalg.solve(Mt + dt * dt * model.stiffness(), B)
    turning = R @ np.linalg.solve(I, cross_matrix(p) - G @ A) @ R.T
    turned, p_end = rest.rotation, x0 + Sc @ rest.q
    phi = rotation_logarithm(turned @ R.T)
    slope = dt / M * np.eye(3) + dt * turned @ Sc @ A @ R.T
    slope -= dt * cross_matrix(turned @ p_end) @ left_jacobian(phi) @ turning
    found = np.stack([(after(h * e)[0] - after(-h * e)[0]) / (2 * h) for e in np.eye(3)], axis=1)
    np.testing.assert_allclose(found, slope, atol=1e-7 * np.abs(slope).max())


def cross_matrix(a):
    """[a] with [a] b = a x b."""
    return np.cross(a, np.eye(3)).T


def left_jacobian(phi):
    f = max(np.linalg.norm(phi), 1e-9)
    P = cross_matrix(phi)
    return np.eye(3) + (1 - np.cos(f)) / f**2 * P + (f - np.sin(f)) / f**3 * P @ P
