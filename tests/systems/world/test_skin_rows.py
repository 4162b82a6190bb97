"""Impulses on skins, against sums over bones: maths sheet momentum 7, K_s, P, L, energy, mixed bones, self-contact."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numba import njit

import pliant as pl
from pliant.numerics import cross_matrix, rotation_exponential
from pliant.systems.world.answers import enter_stage
from pliant.systems.world.bones import bones
from pliant.systems.world.bones.skinned import add_skin_point, let_yield, place_skins
from pliant.systems.world.building import shape_of
from pliant.systems.world.rows import CONTACT, begin_tie, clear, end_tie, ties_of
from pliant.systems.world.stepping import arrange_at, velocities_at

MESH = pl.shapes.bar((3, 0.4, 0.4), (9, 2, 2))
SOLID = pl.Solid(MESH, pl.Linear(5e6, 0.3, 1000))
ROUNDING = 1e-12
KINDS = ({}, {"bone 0": "rigid"}, {"bone 1": "static"}, {"bone 0": "static", "bone 2": "rigid"})


def random_weights(random):
    """Of three bones that hang together, each somewhere along the bar, with noise."""
    place = MESH.vertices[:, 0]
    rows = np.exp(-((place[:, None] - [0.3, 1.5, 2.7]) ** 2) / random.uniform(0.2, 0.6))
    return rows / rows.sum(axis=1, keepdims=True)


class Thrown:
    """A character in a random pose, moving at random, and ties on its skin."""

    def __init__(self, seed, kinds=None):
        self.random = np.random.default_rng(seed)
        chosen = KINDS[seed % len(KINDS)] if kinds is None else kinds
        character = bones(SOLID, random_weights(self.random), modes=20, kinds=chosen)
        self.world = pl.World(1e-3, gravity=None)
        self.placed = self.world.add(character, self_collision=True)
        for body in self.placed.bones:
            if body.kind == "free":
                body.rotation = rotation_exponential(0.3 * self.random.normal(size=3))
                body.position = 0.1 * self.random.normal(size=3)
                if body.model.size:
                    body.q = 0.02 * self.random.normal(size=body.model.size)
                    body.v = 0.1 * self.random.normal(size=body.model.size)
                body.velocity, body.spin = self.random.normal(size=3), self.random.normal(size=3)
        self.made = self.world._record
        self.made.settings.numbers[:] = 0, *self.world._depths(), 0  # dt = 0: the plain mass Mt answers
        self.made.motion.theta[:] = 0.0
        enter_stage(arrange_at, self.made)
        self.made.skins.R[:] = self.made.geometry.R  # as places have them, which no stage has made here
        self.shape = self.placed.skin.number

    def y(self):
        """Unknowns of all bodies in a row: v, w, q'."""
        enter_stage(velocities_at, self.made)
        return self.made.motion.y.copy()

    def tie(self, point, ids, weights, split):
        made = self.made
        clear(made.ties)
        k = begin_tie(made.ties, CONTACT, point, np.eye(3))
        room = made.touch
        add_skin_point(
            made.table, made.geometry, made.state, made.skins, made.ties, k, self.shape, ids, weights, len(ids), split,
            room.rows,
        )  # fmt: skip
        return k

    def rows(self, k, name):
        """W or V (3, all unknowns) of a tie."""
        made, out = self.made, np.zeros((3, len(self.made.motion.y)))
        for e in range(made.ties.start[k], made.ties.start[k + 1]):
            b, at = made.ties.body[e], made.ties.at[e]
            wide = made.table.wide[b]
            own = getattr(made.ties, name)[at : at + 3 * wide].reshape(3, wide)
            out[:, made.table.first_y[b] : made.table.first_y[b] + wide] += own
        return out

    def momenta(self, y):
        """P and L about the origin, and kinetic energy, by the tables alone."""
        P, L, T, table = np.zeros(3), np.zeros(3), 0.0, self.made.table
        for b, body in enumerate(self.world.bodies):
            if body.kind != "free":
                continue
            at, r = table.first_y[b], body.model.size
            v, w, qd = y[at : at + 3], y[at + 3 : at + 6], y[at + 6 : at + 6 + r]
            I = body._inertia()
            P += body.mass * v
            L += np.cross(body.centre, body.mass * v) + I @ w
            Mt = body.model.inertia.centred().moving_mass(body.q) if r else np.zeros((0, 0))
            T += 0.5 * body.mass * v @ v + 0.5 * w @ I @ w + 0.5 * qd @ Mt @ qd
        return P, L, T

    def surface(self):
        """Vertices of the skin that touch, where they are."""
        return self.placed.vertices()[shape_of(self.placed.skin.model).ids]


@settings(max_examples=12, deadline=None)
@given(st.integers(0, 10_000))
def test_an_impulse_on_a_skin_does_what_the_sheet_says(seed):
    """K_s j (sheet: 2e-16), P (7e-14), L (6e-14), energy (1.5e-12), of any weights, bones, places and impulses."""
    it = Thrown(seed)
    x = it.surface()
    ids, weights = it.random.integers(0, len(x), 3), it.random.dirichlet(np.ones(3))
    place = weights @ x[ids]
    point = place + 0.02 * it.random.normal(size=3)  # a common point beside it
    k = it.tie(point, ids, weights, 3)
    W, V, K = it.rows(k, "W"), it.rows(k, "V"), it.made.ties.K[k]
    np.testing.assert_allclose(K, W @ V.T, atol=ROUNDING * np.abs(K).max())
    np.testing.assert_allclose(K, K.T, atol=ROUNDING * np.abs(K).max())
    y, j = it.y(), it.random.normal(size=3) * 10
    after = y + V.T @ j
    np.testing.assert_allclose(W @ after, W @ y + K @ j, atol=ROUNDING * np.abs(K @ j).max() * 10)
    P0, L0, T0 = it.momenta(y)
    P1, L1, T1 = it.momenta(after)
    assert pytest.approx(j @ (W @ y + W @ after) / 2, rel=1e-9, abs=1e-9) == T1 - T0
    if all(body.kind == "free" for body in it.placed.bones):
        np.testing.assert_allclose(P1 - P0, j, atol=1e-11)
        np.testing.assert_allclose(L1 - L0, np.cross(point, j), atol=1e-11)


@settings(max_examples=8, deadline=None)
@given(st.integers(0, 10_000))
def test_the_velocity_of_a_skin_is_that_of_its_places(seed):
    """u_s = sum w W y against central differences of x_s (sheet: 6e-11)."""
    it = Thrown(seed)
    x = it.surface()
    v = int(it.random.integers(0, len(x)))
    k = it.tie(x[v], np.array([v]), np.ones(1), 1)
    u, h, found = it.rows(k, "W") @ it.y(), 1e-5, []
    state = it.world.state()
    for sign in (1, -1):
        it.world.restore(state)
        move(it.world, sign * h)
        found.append(it.surface()[v])
    np.testing.assert_allclose((found[0] - found[1]) / (2 * h), u, atol=1e-8 * max(1, np.abs(u).max()))


def move(world, h):
    """All bodies that fly, by their velocities as they are, for a very short time."""
    frames = world.rates().angular.copy()
    moved = []
    for b, body in enumerate(world.bodies):
        if body.kind == "free":
            moved.append((body, rotation_exponential(h * frames[b]) @ body.rotation, body.centre + h * body.velocity,
                          body.q + h * body.v))  # fmt: skip
    for body, R, centre, q in moved:
        if body.model.size:
            body.q = q
        body.rotation = R
        body.position = body.position + centre - body.centre


@settings(max_examples=12, deadline=None)
@given(st.integers(0, 10_000))
def test_two_points_of_one_skin_share_their_bones(seed):
    """Rows w_i W_i - w_l W_l: one entry a bone, K with its cross terms, no momentum to the whole."""
    it = Thrown(seed)
    x = it.surface()
    ids = it.random.integers(0, len(x), 5)
    ends, corners = it.random.dirichlet(np.ones(2)), it.random.dirichlet(np.ones(3))
    point = ends @ x[ids[:2]]
    alone = [
        (it.rows(k, "W"), it.made.ties.K[k].copy())
        for own, shares in ((ids[:2], ends), (ids[2:], corners))
        for k in [it.tie(point, own, shares, len(own))]
    ]
    k = it.tie(point, ids, np.concatenate([ends, -corners]), 2)
    W, V, K = it.rows(k, "W"), it.rows(k, "V"), it.made.ties.K[k]
    touched = it.made.ties.body[it.made.ties.start[k] : it.made.ties.start[k + 1]]
    assert len(set(touched)) == len(touched)
    np.testing.assert_allclose(W, alone[0][0] - alone[1][0], atol=ROUNDING * np.abs(W).max())
    np.testing.assert_allclose(K, W @ V.T, atol=ROUNDING * np.abs(alone[0][1]).max())
    y, j = it.y(), it.random.normal(size=3) * 10
    after = y + V.T @ j
    np.testing.assert_allclose(W @ after - W @ y, K @ j, atol=1e-10 * np.abs(j).max() * np.abs(alone[0][1]).max())
    (P0, L0, T0), (P1, L1, T1) = it.momenta(y), it.momenta(after)
    assert pytest.approx(j @ (W @ y + W @ after) / 2, rel=1e-9, abs=1e-9) == T1 - T0
    if all(body.kind == "free" for body in it.placed.bones):
        np.testing.assert_allclose(P1 - P0, 0, atol=1e-11)
        np.testing.assert_allclose(L1 - L0, 0, atol=1e-11)


def test_adding_two_compliances_is_wrong_where_bones_are_shared():
    it = Thrown(0, kinds={})
    x = it.surface()
    rest = MESH.vertices[shape_of(it.placed.skin.model).ids]
    a, b = (int(np.argmin(np.abs(rest - place).sum(axis=1))) for place in ((1.5, 0.2, 0.2), (1.5, 0.2, 0.0)))
    ids = np.array([a, a, b, b, b])
    alone = [it.made.ties.K[it.tie(x[a], np.array([v]), np.ones(1), 1)].copy() for v in (a, b)]
    k = it.tie(x[a], ids, np.array([1.0, 0, -1, 0, 0]), 2)
    K = it.made.ties.K[k]
    assert np.linalg.norm(K - alone[0] - alone[1]) > 0.5 * np.linalg.norm(K)


def test_two_points_of_one_rigid_bone_yield_a_little_and_get_no_impulse_that_matters():
    it = Thrown(0, kinds={"bone 0": "rigid", "bone 1": "rigid", "bone 2": "rigid"})
    x, rest = it.surface(), MESH.vertices[shape_of(it.placed.skin.model).ids]
    a, b = (int(np.argmin(np.abs(rest - place).sum(axis=1))) for place in ((0, 0.2, 0.2), (0, -0.2, -0.2)))
    k = it.tie(x[a], np.array([a, a, b, b, b]), np.array([1.0, 0, -1, 0, 0]), 2)
    assert np.abs(it.made.ties.K[k]).max() < 1e-15
    let_yield(it.made.geometry, it.made.ties, k)
    assert end_tie(it.made.ties, k)


def test_mixed_bones_bounce_as_they_are_told():
    """A static, a rigid and a soft bone: the impulse that solves for u_n* gives it (sheet: 3e-16)."""
    it = Thrown(1, kinds={"bone 0": "static", "bone 1": "rigid"})
    x = it.surface()
    v = int(np.argmin(np.abs(x - [1.2, 0.2, 0.0]).sum(axis=1)))
    k = it.tie(x[v], np.array([v]), np.ones(1), 1)
    W, V, K, y = it.rows(k, "W"), it.rows(k, "V"), it.made.ties.K[k].copy(), it.y()
    n = np.array([0.6, 0.0, -0.8])
    wanted = -0.5 * (n @ W @ y) * n
    j = np.linalg.solve(K, wanted - W @ y)
    np.testing.assert_allclose(W @ (y + V.T @ j), wanted, atol=1e-13)


def test_sheet_letters_agree_with_one_bone_by_hand():
    """One soft bone: K = 1/m + R ([p]^T I^-1 [p] + B^T Mt^-1 B) R^T (section 4)."""
    random = np.random.default_rng(5)
    model = pl.reduce(SOLID, pl.Basis(pl.vibration_modes(SOLID, 6).vectors), force="linear")
    inertia = model.inertia.centred()
    q = 0.02 * random.normal(size=6)
    z = np.concatenate([[1.0], q])
    I = np.einsum("k,l,klab->ab", z, z, inertia.J)
    G = np.einsum("k,kla->al", z, inertia.H[:, 1:])
    v = 7
    S = model.U.reshape(-1, 3, 6)[v] - model.inertia.N / model.inertia.mass
    p = model.X[v] - model.inertia.centre + S @ q
    B = S.T - G.T @ np.linalg.solve(I, cross_matrix(p))
    Mt = inertia.moving_mass(q)
    K = (
        np.eye(3) / inertia.mass
        + cross_matrix(p).T @ np.linalg.solve(I, cross_matrix(p))
        + B.T @ np.linalg.solve(Mt, B)
    )
    world = pl.World(1e-3, gravity=None)
    placed = world.add(bones(SOLID, np.ones((MESH.vertex_count, 1)), modes=6))
    placed.bones[0].q = q
    made = world._record
    made.motion.theta[:] = 0.0
    enter_stage(arrange_at, made)
    ids = np.flatnonzero(shape_of(placed.skin.model).ids == v)
    clear(made.ties)
    k = begin_tie(made.ties, CONTACT, placed.vertices()[v], np.eye(3))
    add_skin_point(made.table, made.geometry, made.state, made.skins, made.ties, k, placed.skin.number, ids, np.ones(1),
                   1, 1, made.touch.rows)  # fmt: skip
    np.testing.assert_allclose(made.ties.K[k], K, rtol=1e-9)


def test_bones_extend_as_far_wherever_the_character_is():
    it = Thrown(4, {})
    made, found = it.made, []
    before = made.table, made.sleep.kind, made.skins, made.proxies, np.zeros_like(made.kept.clear)
    after = made.surfaces.first_vertex, made.x, made.u, made.reach, made.widest
    for way in ((0.0, 0.0, 0.0), (9.0, -4.0, 3.0)):
        for body in it.placed.bones:
            body.position = body.position + way
        place_skins(*before, made.state, made.motion.spin, 1e-3, made.acting.gravity, *after)
        found.append(made.widest.copy())
    here, there = found
    assert here[[body.number for body in it.placed.bones]].min() > 0.2  # a third of the bar, or more, is theirs
    np.testing.assert_allclose(there, here, rtol=1e-12)


@njit
def _ended(ties, k):
    return end_tie(ties, k)


def test_what_nothing_can_move_yields_nothing():
    """K = 0, of bodies that all stand: no impulse, rather than an endless one."""
    ties = ties_of(1, 1, 6)
    ties.inverse[0] = 1.0
    assert not _ended(ties, 0)
    assert not ties.inverse[0].any()
