"""Inertia, masses and fictitious forces of a deformed body against sums over its particles (sheet 1 to 3)."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from shapes import block, turn

from pliant.numerics import cholesky
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
    W, V = ties.W.reshape(3, width), ties.V.reshape(3, width)
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
