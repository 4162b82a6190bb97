"""Mesh: volumes, the closed outward surface, adjacency, pieces, repair of orientation, read-only arrays."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pliant.errors import PliantWarning
from pliant.mesh import Mesh, Surface, shapes

ROUNDING = 1e-12  # relative: sums of a few thousand terms

counts = st.tuples(*[st.integers(1, 4)] * 3)
kinds = st.sampled_from(["tet", "hex"])
seeds = st.integers(0, 2**31)


def wobbly_box(cells, kind, seed):
    """A box whose inner vertices are displaced, so that hexes are not bricks."""
    mesh = shapes.box((1, 1, 1), cells, kind)
    inner = np.setdiff1d(np.arange(mesh.vertex_count), mesh.surface_vertices)
    vertices = mesh.vertices.copy()
    vertices[inner] += np.random.default_rng(seed).uniform(-0.1, 0.1, (len(inner), 3)) / np.array(cells)
    return Mesh(vertices, mesh.cells)


@given(counts, kinds, seeds)
def test_volumes_add_up_to_what_the_surface_encloses(cells, kind, seed):
    mesh = wobbly_box(cells, kind, seed)
    assert mesh.volumes.min() > 0
    assert mesh.volumes.sum() == pytest.approx(1, rel=ROUNDING)
    assert Surface(mesh.vertices, mesh.surface).volume == pytest.approx(1, rel=ROUNDING)


@given(counts, kinds)
def test_surface_is_closed_and_has_the_euler_number_of_a_sphere(cells, kind):
    mesh = shapes.box((1, 2, 3), cells, kind)
    sides = np.concatenate([mesh.surface[:, [0, 1]], mesh.surface[:, [1, 2]], mesh.surface[:, [2, 0]]])
    assert {tuple(side) for side in sides} == {tuple(side[::-1]) for side in sides}
    assert len(mesh.surface_vertices) - len(sides) // 2 + len(mesh.surface) == 2


def test_surface_of_a_torus_has_euler_number_zero():
    mesh = shapes.torus(0.5, 0.2, (4, 12))
    assert len(mesh.surface_vertices) - len(mesh.surface) // 2 == 0


@given(counts, kinds)
def test_surface_cells_lie_behind_their_triangles(cells, kind):
    mesh = shapes.box((1, 1, 1), cells, kind)
    for triangle, cell in zip(mesh.surface, mesh.surface_cells, strict=True):
        assert set(triangle) <= set(mesh.cells[cell])


def test_hex_volume_matches_its_trilinear_integral():
    corners = shapes.box((2, 2, 2), (1, 1, 1), "hex").vertices
    vertices = corners + np.random.default_rng(0).uniform(-0.3, 0.3, (8, 3))
    hexes = shapes.box((2, 2, 2), (1, 1, 1), "hex").cells
    points, weights = np.polynomial.legendre.leggauss(4)
    signs = corners[hexes[0]]
    total = 0.0
    for x, wx in zip(points, weights, strict=True):
        for y, wy in zip(points, weights, strict=True):
            for z, wz in zip(points, weights, strict=True):
                factors = 1 + signs * [x, y, z]
                slopes = signs * factors[:, [1, 2, 0]] * factors[:, [2, 0, 1]] / 8
                total += wx * wy * wz * np.linalg.det(vertices[hexes[0]].T @ slopes)
    assert Mesh(vertices, hexes).volumes[0] == pytest.approx(total, rel=ROUNDING)


@pytest.mark.parametrize(("kind", "degree"), [("tet", 4), ("hex", 6)])
def test_cell_adjacency_counts_inner_faces(kind, degree):
    mesh = shapes.box((1, 1, 1), (3, 4, 5), kind)
    graph = mesh.cell_adjacency
    faces_outside = len(mesh.surface) // (1 if kind == "tet" else 2)
    assert graph.nnz == degree * mesh.cell_count - faces_outside
    assert abs(graph - graph.T).nnz == 0
    assert graph.diagonal().sum() == 0


@pytest.mark.parametrize("kind", ["tet", "hex"])
def test_vertex_adjacency_and_edges_agree_with_a_plain_loop(kind):
    mesh = shapes.box((1, 1, 1), (2, 2, 3), kind)
    neighbours = {(a, b) for cell in mesh.cells for a in cell for b in cell if a != b}
    assert set(zip(*mesh.vertex_adjacency.nonzero(), strict=True)) == neighbours
    lengths = np.linalg.norm(np.diff(mesh.vertices[mesh.edges], axis=1)[:, 0], axis=1)
    assert (lengths <= np.sqrt(0.25 + 0.25 + 1 / 9) + ROUNDING).all()
    expected = {tuple(sorted(pair)) for pair in neighbours} if kind == "tet" else None
    assert expected is None or {tuple(edge) for edge in mesh.edges} == expected


def test_brick_edges_are_the_grid_lines():
    assert len(shapes.box((1, 1, 1), (2, 3, 4), "hex").edges) == 2 * 4 * 5 + 3 * 3 * 5 + 4 * 3 * 4


def test_components_counts_pieces():
    mesh = shapes.box((1, 1, 1), (2, 2, 2))
    twice = Mesh(
        np.concatenate([mesh.vertices, mesh.vertices + 5]), np.concatenate([mesh.cells, mesh.cells + mesh.vertex_count])
    )
    count, labels = twice.components
    assert count == 2
    assert np.array_equal(np.bincount(labels), [48, 48])


@given(counts, kinds, seeds)
def test_flipped_cells_are_turned_and_counted(cells, kind, seed):
    mesh = shapes.box((1, 1, 1), cells, kind)
    flipped = np.random.default_rng(seed).random(mesh.cell_count) < 0.5
    flipped[0] = True
    rows = mesh.cells.copy()
    rows[flipped] = rows[flipped][:, [0, 1, 3, 2] if kind == "tet" else [4, 5, 6, 7, 0, 1, 2, 3]]
    with pytest.warns(PliantWarning, match=f"{flipped.sum()} of {mesh.cell_count} cells were inside out"):
        turned = Mesh(mesh.vertices, rows)
    assert np.allclose(turned.volumes, mesh.volumes, rtol=ROUNDING)


def test_unused_vertices_are_reported_and_can_be_removed():
    bar = shapes.bar((1, 1, 1), (2, 1, 1))
    vertices = np.insert(bar.vertices, 3, [9, 9, 9], axis=0)
    with pytest.warns(PliantWarning, match="1 of 13 vertices belong to no cell.*without_unused"):
        mesh = Mesh(vertices, bar.cells + (bar.cells >= 3), vertex_groups={"left": [0, 3, 4]})
    cleaned = mesh.without_unused()
    assert np.array_equal(cleaned.vertices, bar.vertices)
    assert np.array_equal(cleaned.cells, bar.cells)
    assert np.array_equal(cleaned.vertex_groups["left"], [0, 3])


@given(counts, kinds, seeds)
def test_submesh_keeps_positions_and_volumes(cells, kind, seed):
    mesh = shapes.box((1, 1, 1), cells, kind)
    chosen = np.flatnonzero(np.random.default_rng(seed).random(mesh.cell_count) < 0.5)
    if len(chosen):
        part, vertex_ids = mesh.submesh(chosen)
        assert np.array_equal(part.vertices, mesh.vertices[vertex_ids])
        assert np.array_equal(vertex_ids[part.cells], mesh.cells[chosen])


def test_mesh_is_frozen_and_leaves_the_callers_arrays_alone():
    vertices, cells = np.vstack([np.zeros(3), np.eye(3)]), np.array([[0, 1, 2, 3]])
    mesh = Mesh(vertices, cells)
    vertices[0] = 7
    assert np.array_equal(mesh.vertices[0], [0, 0, 0])
    for array in (mesh.vertices, mesh.cells, mesh.volumes, mesh.surface, mesh.bounds, mesh.centroids):
        assert not array.flags.writeable
    with pytest.raises(AttributeError):
        mesh.vertices = vertices


def test_far_from_the_origin_volumes_stay_right():
    mesh = shapes.box((1, 1, 1), (2, 2, 2), "hex")
    moved = Mesh(mesh.vertices + 1e5, mesh.cells)
    assert moved.volumes.sum() == pytest.approx(1, rel=1e-9)
    assert Surface(moved.vertices, moved.surface).volume == pytest.approx(1, rel=1e-9)
