"""The drawing formula: rigid motion, warping, blending, and forces as its exact transpose."""

import dataclasses

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import pliant as pl
from pliant.errors import ArgumentError
from pliant.numerics import cross_matrix, rotation_exponential
from pliant.skin import Pose, Skin, SkinPart, plain_skin, warp

IDENTITY = 1e-12  # sums of a few hundred products
SINGLE = 1e-5  # 6e-8 a product, a few of them, and rotations of several turns
seeds = st.integers(0, 10**6)


def random_skin(seed, parts=3, n=20, r=4, warped=False):
    draw = np.random.default_rng(seed)
    shares = draw.dirichlet(np.ones(parts), n)
    made = []
    for p in range(parts):
        vertices = np.sort(draw.choice(n, n, replace=False))
        omega = draw.standard_normal((3 * n, r)) if warped else None
        made.append(
            SkinPart(
                vertices, shares[vertices, p], draw.standard_normal((n, 3)), draw.standard_normal((3 * n, r)), omega
            )
        )
    return Skin(n, np.array([[0, 1, 2]]), tuple(made))


def random_pose(skin, seed, size=0.3):
    draw = np.random.default_rng(seed)
    frames = tuple((rotation_exponential(draw.standard_normal(3)), draw.standard_normal(3)) for _ in skin.parts)
    return Pose(frames, tuple(size * draw.standard_normal(part.U.shape[1]) for part in skin.parts))


def chained_skin(seed, n=20, sizes=(4, 0, 2), warped=False):
    """Vertices of three parts, and of two more that read several of them."""
    draw = np.random.default_rng(seed)
    reads = [None, None, None, (2, 0), (1, 2, 0)]
    owner = draw.integers(0, len(reads), n)
    parts = []
    for p, chained in enumerate(reads):
        mine = np.flatnonzero(owner == p)
        r = sum(sizes[i] for i in ([p] if chained is None else chained))
        U, omega = draw.standard_normal((2, 3 * len(mine), r))
        parts.append(SkinPart(mine, np.ones(len(mine)), draw.standard_normal((len(mine), 3)), U, omega, chained))
        if not warped:
            parts[-1] = dataclasses.replace(parts[-1], omega=None)
    return Skin(n, np.array([[0, 1, 2]]), tuple(parts))


def random_pose_of(sizes, seed, size=0.3):
    draw = np.random.default_rng(seed)
    frames = [(rotation_exponential(draw.standard_normal(3)), draw.standard_normal(3)) for _ in sizes]
    return Pose(frames, [size * draw.standard_normal(r) for r in sizes])


def moved_pose(pose, moves, s):
    """`pose` moved by `s` times velocities, spins and coordinate rates of its parts."""
    frames = [(rotation_exponential(s * w) @ R, t + s * v) for (R, t), (v, w, _) in zip(pose.frames, moves)]
    return Pose(frames, [q + s * dq for q, (_, _, dq) in zip(pose.coordinates, moves)])


def random_moves(pose, seed):
    draw = np.random.default_rng(seed)
    return [(draw.standard_normal(3), draw.standard_normal(3), draw.standard_normal(len(q))) for q in pose.coordinates]


@given(seed=seeds)
def test_vertices_follow_the_formula(seed):
    skin = random_skin(seed, warped=True)
    pose = random_pose(skin, seed)
    expected = np.zeros((20, 3))
    for part, (R, t), q in zip(skin.parts, pose.frames, pose.coordinates):
        for k, v in enumerate(part.vertices):
            w, u = part.omega[3 * k : 3 * k + 3] @ q, part.U[3 * k : 3 * k + 3] @ q
            angle, W = np.linalg.norm(w), cross_matrix(w)
            bend = np.eye(3) + (1 - np.cos(angle)) / angle**2 * W + (angle - np.sin(angle)) / angle**3 * W @ W
            expected[v] += part.weights[k] * (R @ (part.X[k] + bend @ u) + t)
    np.testing.assert_allclose(skin.vertices(pose), expected, atol=IDENTITY * 100)


@given(seed=seeds, chained=st.booleans())
def test_forces_do_the_work_that_vertices_feel(seed, chained):
    """gather is the transpose of the derivative of vertices: checked by differences of the frame and of q."""
    skin = chained_skin(seed) if chained else random_skin(seed)
    pose, h = random_pose_of(skin.sizes, seed), 1e-6
    forces, moves = np.random.default_rng(seed + 1).standard_normal((20, 3)), random_moves(pose, seed + 2)
    ahead, behind = (skin.vertices(moved_pose(pose, moves, s)) for s in (h, -h))
    work = ((ahead - behind) / (2 * h) * forces).sum()
    expected = sum(
        l.force @ v + l.torque @ w + l.reduced @ dq for l, (v, w, dq) in zip(skin.gather(pose, forces), moves)
    )
    assert work == pytest.approx(expected, rel=1e-7, abs=1e-7)


@given(seed=seeds)
def test_forces_on_a_few_vertices_are_those_of_all_with_zeros(seed):
    skin = chained_skin(seed, warped=True)
    pose, forces = random_pose_of(skin.sizes, seed), np.zeros((20, 3))
    ids = np.random.default_rng(seed).choice(20, 5, replace=False)
    forces[ids] = np.random.default_rng(seed).standard_normal((5, 3))
    np.testing.assert_array_equal(skin.vertices_at(pose, ids), skin.vertices(pose)[ids])
    whole, few = skin.gather(pose, forces), skin.gather_at(pose, ids, forces[ids])
    for name in ("force", "torque", "flat"):
        np.testing.assert_allclose(getattr(few, name), getattr(whole, name), atol=IDENTITY)


@given(seed=seeds)
def test_a_part_that_reads_several_chains_their_coordinates_in_the_frame_of_the_first(seed):
    skin = chained_skin(seed, warped=True)
    pose = random_pose_of(skin.sizes, seed)
    x = skin.vertices(pose)
    for part, chained in zip(skin.parts, skin.reads):
        q, (R, t) = np.concatenate([pose.coordinates[i] for i in chained]), pose.frames[chained[0]]
        alone = Skin(
            len(part.vertices), skin.triangles, [dataclasses.replace(part, vertices=np.arange(len(part.X)), reads=None)]
        )
        np.testing.assert_allclose(x[part.vertices], alone.vertices(Pose([(R, t)], [q])), atol=IDENTITY * 100)


def test_pose_of_stacked_arrays_is_the_pose_of_tuples():
    made = random_pose_of((3, 0, 5), 0)
    stacked = Pose.stacked(made.rotations, made.translations, made.flat, made.offsets)
    for (R, t), (S, s) in zip(made.frames, stacked.frames):
        np.testing.assert_array_equal(R, S)
        np.testing.assert_array_equal(t, s)
    assert [len(q) for q in stacked.coordinates] == [3, 0, 5]
    skin = chained_skin(1)
    assert skin.vertices(skin.rest).shape == (20, 3)
    with pytest.raises(ArgumentError, match=r"flat \(8,\)"):
        Pose.stacked(made.rotations, made.translations, made.flat[1:], made.offsets)


def test_large_skins_are_drawn_by_several_threads_alike(monkeypatch):
    skin = random_skin(3, n=200, r=6, warped=True)
    pose = random_pose(skin, 3)
    alone = skin.vertices(pose)
    monkeypatch.setattr("pliant.skin.skin.WORTH_THREADS", 0)
    monkeypatch.setattr("numba.get_num_threads", lambda: 3)
    np.testing.assert_array_equal(skin.vertices(pose), alone)


@given(seed=seeds, angle=st.floats(1e-9, 6.0))
def test_warping_turns_a_linear_rotation_into_a_true_one(seed, angle):
    """warp(w) (w x p) = (exp w - 1) p: [BA13]'s reason for warping."""
    draw = np.random.default_rng(seed)
    axis, p, out = draw.standard_normal(3), draw.standard_normal(3), np.empty(3)
    w = angle * axis / np.linalg.norm(axis)
    warp(w, np.cross(w, p), out)
    np.testing.assert_allclose(out, rotation_exponential(w) @ p - p, atol=IDENTITY)


def test_plain_skin_of_a_solid_draws_x_plus_u_q():
    mesh = pl.shapes.bar((1, 0.2, 0.2), (4, 1, 1))
    U = np.random.default_rng(0).standard_normal((3 * mesh.vertex_count, 5))
    skin, q = plain_skin(mesh.vertices, mesh.surface, U), np.arange(5.0)
    pose = Pose(((np.eye(3), np.zeros(3)),), (q,))
    np.testing.assert_allclose(skin.vertices(pose), mesh.vertices + (U @ q).reshape(-1, 3), atol=IDENTITY)
    np.testing.assert_array_equal(skin.vertices(skin.rest), mesh.vertices)


def test_weights_must_sum_to_one():
    with pytest.raises(ArgumentError, match="sum to one"):
        Skin(
            2,
            np.empty((0, 3), int),
            (SkinPart(np.arange(2), np.array([1.0, 0.5]), np.zeros((2, 3)), np.zeros((6, 1))),),
        )


@given(seeds, st.booleans())
def test_single_precision_is_right_to_its_digits(seed, warped):
    skin = random_skin(seed, warped=warped)
    pose = random_pose(skin, seed)
    exact = skin.vertices(pose)
    np.testing.assert_allclose(skin.vertices(pose, single=True), exact, atol=SINGLE * (1 + np.abs(exact).max()))


def test_pose_of_another_system_is_refused():
    skin = random_skin(0)
    with pytest.raises(ArgumentError, match="the pose has 1 parts"):
        skin.vertices(random_pose(random_skin(0, parts=1), 0))


def test_parts_that_cannot_read_what_they_ask_for_are_refused():
    part = SkinPart(np.arange(2), np.ones(2), np.zeros((2, 3)), np.zeros((6, 3)))
    none = np.empty((0, 3), int)
    with pytest.raises(ArgumentError, match="each once"):
        dataclasses.replace(part, reads=(1, 1))
    with pytest.raises(ArgumentError, match="at least one"):
        dataclasses.replace(part, reads=())
    with pytest.raises(ArgumentError, match="at least 0"):
        dataclasses.replace(part, reads=(-1,))
    with pytest.raises(ArgumentError, match="give sizes"):
        Skin(2, none, (dataclasses.replace(part, reads=(0, 1)),))
    with pytest.raises(ArgumentError, match="reads 4 coordinates, of 0, 1, but its U has 3 columns"):
        Skin(2, none, (dataclasses.replace(part, reads=(0, 1)),), sizes=(2, 2))
    with pytest.raises(ArgumentError, match="sizes has 1 parts"):
        Skin(2, none, (dataclasses.replace(part, reads=(0, 1)),), sizes=(3,))
    skin = Skin(2, none, (dataclasses.replace(part, reads=(0, 1)),), sizes=(2, 1))
    with pytest.raises(ArgumentError, match="part 0 of the pose has 1 coordinates"):
        skin.vertices(random_pose_of((1, 2), 0))


@given(seed=seeds)
def test_forces_on_a_warped_skin_are_turned_back(seed):
    """g = sum_v U_v^T exp(Omega_v q)^T R^T f_v, with R of the frame."""
    random = np.random.default_rng(seed)
    n, r = 5, 3
    U, omega = random.standard_normal((3 * n, r)), random.standard_normal((3 * n, r))
    skin = plain_skin(random.standard_normal((n, 3)), np.array([[0, 1, 2], [2, 3, 4]]), U, omega)
    pose, forces, expected = random_pose_of(skin.sizes, seed), random.standard_normal((n, 3)), np.zeros(r)
    R, q = pose.rotations[0], pose.flat
    for v in range(n):
        rows = slice(3 * v, 3 * v + 3)
        expected += U[rows].T @ rotation_exponential(omega[rows] @ q).T @ R.T @ forces[v]
    np.testing.assert_allclose(skin.gather(pose, forces)[0].reduced, expected, atol=1e-12)
