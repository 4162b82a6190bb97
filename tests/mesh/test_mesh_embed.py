"""Embedding: linear fields are exact inside and outside, rows sum to one, the transpose does the same work."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pliant.errors import ArgumentError
from pliant.mesh import Mesh, embed, read_mesh, read_surface, shapes, tetrahedralise

pytest.importorskip("igl")

ROUNDING = 1e-10


def wobbly(kind, seed=3):
    mesh = shapes.box((1, 1, 1), (4, 3, 5), kind)
    return Mesh(mesh.vertices + np.random.default_rng(seed).uniform(-0.04, 0.04, mesh.vertices.shape), mesh.cells)


MESHES = {
    "tets": shapes.sphere(0.5, 6),
    "bricks": shapes.box((1, 1, 1), (4, 3, 5), "hex"),
    "round hexes": shapes.sphere(0.5, 6, "hex"),
    "wobbly hexes": wobbly("hex"),
    "wobbly tets": wobbly("tet"),
}


@pytest.mark.parametrize("name", MESHES)
@given(seed=st.integers(0, 10**6))
def test_linear_fields_are_exact_also_outside(name, seed):
    mesh, rng = MESHES[name], np.random.default_rng(seed)
    points = rng.uniform(-1, 1, (50, 3))
    A, b = rng.normal(size=(3, 3)), rng.normal(size=3)
    embedding = embed(mesh, points)
    assert np.allclose(embedding.carry(mesh.vertices @ A + b), points @ A + b, atol=ROUNDING)
    assert np.allclose(embedding.rows.sum(axis=1), 1, atol=ROUNDING)


@pytest.mark.parametrize("name", MESHES)
def test_inside_points_have_weights_between_zero_and_one(name):
    mesh, rng = MESHES[name], np.random.default_rng(0)
    weights = rng.dirichlet(np.ones(mesh.cells.shape[1]), mesh.cell_count)
    points = np.einsum("mc,mci->mi", weights, mesh.vertices[mesh.cells])
    embedding = embed(mesh, points)
    assert not embedding.outside.any()
    assert embedding.rows.data.min() > -1e-8
    if "hex" not in name:
        assert np.mean(embedding.cells == np.arange(mesh.cell_count)) > 0.99


@pytest.mark.parametrize("name", MESHES)
def test_vertices_follow_themselves(name):
    mesh = MESHES[name]
    rows = embed(mesh, mesh.vertices).rows
    assert np.allclose(rows.toarray(), np.eye(mesh.vertex_count), atol=1e-8)


def test_bricks_interpolate_trilinearly():
    mesh = MESHES["bricks"]
    points = np.random.default_rng(2).uniform(-0.5, 0.5, (200, 3))
    field = lambda p: np.stack([p[:, 0] * p[:, 1] * p[:, 2], p[:, 0] * p[:, 1], p[:, 2]], axis=1)  # noqa: E731
    assert np.allclose(embed(mesh, points).carry(field(mesh.vertices)), field(points), atol=ROUNDING)


def test_gather_is_the_transpose_and_keeps_force_and_torque():
    mesh, rng = MESHES["tets"], np.random.default_rng(4)
    points, forces = rng.uniform(-0.7, 0.7, (60, 3)), rng.normal(size=(60, 3))
    embedding = embed(mesh, points)
    gathered = embedding.gather(forces)
    u = rng.normal(size=mesh.vertices.shape)
    assert np.sum(gathered * u) == pytest.approx(np.sum(forces * embedding.carry(u)))
    assert np.allclose(gathered.sum(axis=0), forces.sum(axis=0))
    assert np.allclose(np.cross(mesh.vertices, gathered).sum(axis=0), np.cross(points, forces).sum(axis=0))


def test_far_points_are_followed_with_bounded_weights():
    embedding = embed(MESHES["tets"], [[1e6, 0, 0], [0, -1e9, 0]])
    assert np.abs(embedding.rows.data).max() < 200
    assert np.allclose(embedding.rows.sum(axis=1), 1, atol=1e-8)


def test_points_whose_distance_no_number_holds_are_refused():
    with pytest.raises(ArgumentError, match=r"points must lie within 1e\+50 m of the origin; 1e\+300 was given"):
        embed(MESHES["tets"], [[0, 1e300, 0]])


def test_no_points_make_an_empty_embedding():
    assert embed(MESHES["tets"], np.empty((0, 3))).carry(MESHES["tets"].vertices).shape == (0, 3)


def test_real_render_mesh_rides_on_a_coarse_one(real_mesh):
    surface = read_surface(real_mesh("spot.obj"))
    mesh = tetrahedralise(surface, 0.06, "voxels")
    embedding = embed(mesh, surface.vertices)
    R = np.array([[0, -1, 0], [1, 0, 0], [0, 0, 1.0]])
    assert embedding.outside.any()
    assert np.allclose(embedding.carry(mesh.vertices @ R.T + 2), surface.vertices @ R.T + 2, atol=1e-9)


def test_graded_real_mesh_finds_the_cell_of_every_centroid(real_mesh):
    mesh = read_mesh(real_mesh("bunny.mesh"))
    assert np.array_equal(embed(mesh, mesh.centroids).cells, np.arange(mesh.cell_count))
