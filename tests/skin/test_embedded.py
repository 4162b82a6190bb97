"""A surface hung on the mesh of a skin: it follows the cells, over parts, and brings forces back."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import pliant as pl
from pliant.errors import ArgumentError
from pliant.mesh import Surface, embed
from pliant.numerics import rotation_exponential
from pliant.skin import Pose, Skin, SkinPart, embedded_skin, plain_skin, wear

ROUNDING = 1e-11  # a few hundred products, magnified by the weights of vertices outside the mesh
seeds = st.integers(0, 10**6)
MESH = pl.shapes.bar((1.0, 0.3, 0.3), (4, 2, 2))


def some_surface(seed, count=25, margin=0.1):
    """Points in and around the mesh."""
    draw = np.random.default_rng(seed)
    points = draw.uniform(MESH.bounds[0] - margin, MESH.bounds[1] + margin, (count, 3))
    return Surface(points, draw.permuted(np.tile(np.arange(count), (4, 1)), axis=1)[:, :3])


def split_skin(seed, warped=False, r=3):
    """Two parts that share the vertices in the middle, each in its own frame."""
    draw, X = np.random.default_rng(seed), MESH.vertices
    left, right = X[:, 0] < 0.51, X[:, 0] > 0.49
    share = 1 / (left * 1.0 + right)
    parts = []
    for mine in (np.flatnonzero(left), np.flatnonzero(right)):
        U, omega = draw.standard_normal((2, 3 * len(mine), r))
        parts.append(SkinPart(mine, share[mine], X[mine], 0.1 * U, omega if warped else None))
    return Skin(len(X), MESH.surface, parts)


def random_pose(skin, seed):
    draw = np.random.default_rng(seed)
    frames = [(rotation_exponential(draw.standard_normal(3)), draw.standard_normal(3)) for _ in skin.sizes]
    return Pose(frames, [draw.standard_normal(r) for r in skin.sizes])


@given(seed=seeds)
def test_affine_motions_are_carried_exactly(seed):
    """U holds the nine gradients and three shifts: x = X + G X + s at the surface too, inside and outside of cells."""
    X, surface = MESH.vertices, some_surface(seed)
    columns = [np.outer(X[:, j], np.eye(3)[i]).ravel() for i in range(3) for j in range(3)]
    U = np.stack([*columns, *(np.tile(axis, len(X)) for axis in np.eye(3))], axis=1)
    skin = embedded_skin(plain_skin(X, MESH.surface, U), MESH, surface)
    q = np.random.default_rng(seed).standard_normal(12)
    expected = surface.vertices @ (np.eye(3) + q[:9].reshape(3, 3)).T + q[9:]
    pose = Pose([(np.eye(3), np.zeros(3))], [q])
    np.testing.assert_allclose(skin.vertices(pose), expected, atol=ROUNDING)
    np.testing.assert_array_equal(skin.triangles, surface.triangles)


@given(seed=seeds)
def test_embedded_vertices_are_the_means_of_cell_corners_over_parts(seed):
    """So there is no crack in it where the skin has none."""
    body, surface = split_skin(seed), some_surface(seed)
    skin, pose = embedded_skin(body, MESH, surface), random_pose(body, seed)
    carried = embed(MESH, surface.vertices).carry(body.vertices(pose))
    np.testing.assert_allclose(skin.vertices(pose), carried, atol=ROUNDING)


@given(seed=seeds)
def test_embedded_forces_do_the_work_that_vertices_feel(seed):
    body, surface = split_skin(seed), some_surface(seed)
    skin, pose = embedded_skin(body, MESH, surface), random_pose(body, seed)
    draw, h = np.random.default_rng(seed + 1), 1e-6
    forces = draw.standard_normal((len(surface.vertices), 3))
    moves = [draw.standard_normal((2, 3)) for _ in skin.sizes]
    rates = [draw.standard_normal(r) for r in skin.sizes]

    def moved(s):
        frames = [(rotation_exponential(s * w) @ R, t + s * v) for (R, t), (v, w) in zip(pose.frames, moves)]
        return skin.vertices(Pose(frames, [q + s * dq for q, dq in zip(pose.coordinates, rates)]))

    work = ((moved(h) - moved(-h)) / (2 * h) * forces).sum()
    loads = skin.gather(pose, forces)
    expected = sum(l.force @ v + l.torque @ w + l.reduced @ dq for l, (v, w), dq in zip(loads, moves, rates))
    assert work == pytest.approx(expected, rel=1e-6, abs=1e-6)


@given(seed=seeds)
def test_forces_spread_to_the_mesh_mean_the_same_to_the_parts(seed):
    body, surface = split_skin(seed), some_surface(seed)
    worn, pose = wear(MESH, surface), random_pose(body, seed)
    ids, forces = np.array([3, 7, 3]), np.random.default_rng(seed).standard_normal((3, 3))
    through_cells = body.gather_at(pose, *worn.spread(ids, forces))
    direct = worn.skin(body).gather_at(pose, ids, forces)
    for name in ("force", "torque", "flat"):
        np.testing.assert_allclose(getattr(through_cells, name), getattr(direct, name), atol=10 * ROUNDING)


@given(seed=seeds)
def test_a_warped_rotation_is_carried_exactly(seed):
    """u = w x X with Omega = w everywhere warps into the true rotation, at the surface as at the corners."""
    X, surface = MESH.vertices, some_surface(seed)
    U = np.stack([np.cross(axis, X).ravel() for axis in np.eye(3)], axis=1)
    omega = np.tile(np.eye(3), (len(X), 1))
    skin = embedded_skin(plain_skin(X, MESH.surface, U, omega), MESH, surface)
    w = np.random.default_rng(seed).standard_normal(3)
    turned = surface.vertices @ rotation_exponential(w).T
    np.testing.assert_allclose(skin.vertices(Pose([(np.eye(3), np.zeros(3))], [w])), turned, atol=ROUNDING)


def test_a_surface_of_another_mesh_is_refused():
    worn = wear(MESH, some_surface(0))
    with pytest.raises(ArgumentError, match="hangs on a mesh of 45 vertices, but the skin has 8"):
        worn.skin(plain_skin(np.zeros((8, 3)), np.empty((0, 3), int), np.zeros((24, 1))))
    with pytest.raises(ArgumentError, match="must be a pliant Surface"):
        wear(MESH, MESH)
