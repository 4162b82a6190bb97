"""The drawing formula: rigid motion, warping, blending, and forces as its exact transpose."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import pliant as pl
from pliant.errors import ArgumentError
from pliant.numerics import cross_matrix, rotation_exponential
from pliant.skin import Pose, Skin, SkinPart, plain_skin, warp

IDENTITY = 1e-12  # sums of a few hundred products
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


@given(seed=seeds)
def test_forces_do_the_work_that_vertices_feel(seed):
    """gather is the transpose of the derivative of vertices: checked by differences of the frame and of q."""
    skin = random_skin(seed)
    pose, draw, h = random_pose(skin, seed), np.random.default_rng(seed + 1), 1e-6
    forces = draw.standard_normal((20, 3))
    loads = skin.gather(pose, forces)
    moves = [(draw.standard_normal(3), draw.standard_normal(3), draw.standard_normal(4)) for _ in skin.parts]

    def moved(s):
        frames = tuple((rotation_exponential(s * w) @ R, t + s * v) for (R, t), (v, w, _) in zip(pose.frames, moves))
        return Pose(frames, tuple(q + s * dq for q, (_, _, dq) in zip(pose.coordinates, moves)))

    work = ((skin.vertices(moved(h)) - skin.vertices(moved(-h))) / (2 * h) * forces).sum()
    expected = sum(l.force @ v + l.torque @ w + l.reduced @ dq for l, (v, w, dq) in zip(loads, moves))
    assert work == pytest.approx(expected, rel=1e-7, abs=1e-7)


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


def test_pose_of_another_system_is_refused():
    skin = random_skin(0)
    with pytest.raises(ArgumentError, match="the pose has 1 parts"):
        skin.vertices(random_pose(random_skin(0, parts=1), 0))
