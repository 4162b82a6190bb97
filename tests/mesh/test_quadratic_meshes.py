"""Quadratic meshes: made from linear ones and back, their surfaces, embedding, domains, and what is refused."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import pliant as pl
from pliant.errors import ArgumentError, MeshError, PliantWarning
from pliant.mesh import Mesh, Surface, domains_of, embed, shapes
from pliant.mesh.cell_kinds import KINDS
from pliant.mesh.matching import Shape, align
from pliant.numerics import rotation_exponential

QUADRATIC = {"tet": "tet10", "hex": "hex20"}
each_kind = pytest.mark.parametrize("kind", QUADRATIC)


def curved(kind, amount=0.03):
    mesh = shapes.box((1, 1, 1), (2, 2, 2), kind).refine_order()
    X = mesh.vertices
    return Mesh(X + amount * np.sin(3 * X[:, [1, 2, 0]]), mesh.cells)


@each_kind
def test_refine_order_adds_one_vertex_an_edge_and_goes_back(kind):
    groups = {"left": [0, 1, 2, 3]}, {"some": [1, 3]}, {"some": {"young": 1.0, "poisson": 0.3, "density": 2.0}}
    plain = shapes.bar((2, 1, 1), (3, 2, 1), kind)
    mesh = Mesh(plain.vertices, plain.cells, *groups)
    fine = mesh.refine_order()
    assert (fine.kind, fine.order, mesh.order) == (QUADRATIC[kind], 2, 1)
    assert fine.vertex_count == mesh.vertex_count + len(mesh.edges)
    np.testing.assert_array_equal(fine.vertices[: mesh.vertex_count], mesh.vertices)
    table = KINDS[fine.cells.shape[1]]
    ends = fine.vertices[fine.cells[:, table.edges]]
    np.testing.assert_allclose(fine.vertices[fine.cells[:, table.middles]], ends.mean(axis=2), atol=1e-15)
    np.testing.assert_allclose(fine.volumes, mesh.volumes, rtol=1e-13)
    np.testing.assert_allclose(fine.centroids, mesh.centroids, atol=1e-15)
    assert fine.cell_groups["some"].tolist() == [1, 3]
    assert fine.materials == mesh.materials
    again = fine.linear()
    np.testing.assert_array_equal(again.cells, mesh.cells)
    np.testing.assert_array_equal(again.vertices, mesh.vertices)
    assert again.vertex_groups["left"].tolist() == [0, 1, 2, 3]
    assert mesh.linear() is mesh
    with pytest.raises(ArgumentError, match="quadratic already"):
        fine.refine_order()


@each_kind
def test_vertex_groups_and_selections_hold_the_vertices_on_edges(kind):
    plain = shapes.bar((2, 1, 1), (3, 2, 2), kind)
    left = plain.select("x < 1e-9")
    fine = Mesh(plain.vertices, plain.cells, {"left": left}).refine_order()
    assert np.array_equal(fine.vertex_groups["left"], fine.select("x < 1e-9"))
    assert len(fine.select('group("left")')) > len(left)
    assert np.array_equal(pl.Solid(fine, pl.StVK(1.0, 0.3), fixed="x < 1e-9").fixed, fine.vertex_groups["left"])


@each_kind
def test_surface_is_closed_outward_and_passes_through_all_its_vertices(kind):
    mesh, plain = shapes.box((1, 2, 3), (2, 2, 2), QUADRATIC[kind]), shapes.box((1, 2, 3), (2, 2, 2), kind)
    assert Surface(mesh.vertices, mesh.surface).volume == pytest.approx(6.0, rel=1e-13)
    assert len(mesh.surface) == len(plain.surface) * (4 if kind == "tet" else 3)
    sides = mesh.surface[:, [[0, 1], [1, 2], [2, 0]]].reshape(-1, 2)
    assert set(map(tuple, sides.tolist())) == {(b, a) for a, b in sides.tolist()}  # every side once each way
    on_box = (np.isclose(abs(mesh.vertices), [0.5, 1.0, 1.5])).any(axis=1)
    assert np.array_equal(mesh.surface_vertices, np.flatnonzero(on_box))
    corners = mesh.vertices[mesh.surface]
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    assert np.linalg.norm(normals, axis=1).sum() / 2 == pytest.approx(22.0)
    behind = mesh.centroids[mesh.surface_cells]
    assert (np.einsum("ti,ti->t", normals, corners.mean(axis=1) - behind) > 0).all()


@each_kind
def test_edges_come_in_halves(kind):
    mesh, plain = shapes.box((2, 2, 2), (1, 1, 1), QUADRATIC[kind]), shapes.box((2, 2, 2), (1, 1, 1), kind)
    assert len(mesh.edges) == 2 * len(plain.edges)
    halves, wholes = (np.linalg.norm(np.diff(m.vertices[m.edges], axis=1), axis=2).sum() for m in (mesh, plain))
    assert halves == pytest.approx(wholes)


def test_curved_volume_is_exact():
    """A Tet10 whose map is X = xi + c xi^2 (component-wise) fills int det dX/dxi = int prod (1 + 2 c_i xi_i)."""
    c = np.array([0.1, -0.2, 0.15])
    flat = Mesh(np.vstack([np.zeros(3), np.eye(3)]), [[0, 1, 2, 3]]).refine_order()
    bent = Mesh(flat.vertices + c * flat.vertices**2, flat.cells)
    # Dirichlet's integrals over the unit tet: 1 -> 1/6, x -> 1/24, x y -> 1/120, x y z -> 1/720.
    a = 2 * c
    expected = 1 / 6 + a.sum() / 24 + (a[0] * a[1] + a[1] * a[2] + a[2] * a[0]) / 120 + a.prod() / 720
    assert bent.volumes[0] == pytest.approx(expected, rel=1e-13)


@each_kind
def test_flipped_cells_are_turned_right(kind):
    mesh = shapes.box((1, 1, 1), (1, 1, 1), QUADRATIC[kind])
    mirror = mesh.vertices * [-1, 1, 1]
    with pytest.warns(PliantWarning, match="inside out"):
        turned = Mesh(mirror, mesh.cells)
    np.testing.assert_allclose(turned.volumes, mesh.volumes, rtol=1e-13)
    table = KINDS[turned.cells.shape[1]]
    ends = turned.vertices[turned.cells[:, table.edges]]
    np.testing.assert_allclose(turned.vertices[turned.cells[:, table.middles]], ends.mean(axis=2), atol=1e-15)
    assert Surface(turned.vertices, turned.surface).volume == pytest.approx(1.0)


@each_kind
def test_folded_and_torn_cells_are_refused(kind):
    mesh = shapes.box((1, 1, 1), (1, 1, 1), QUADRATIC[kind])
    X = mesh.vertices.copy()
    X[mesh.cells[0, -1]] += 1.5 * (X[mesh.cells[0, 0]] - X[mesh.cells[0, -1]])
    with pytest.raises(MeshError, match="quadratic .* folded"):
        Mesh(X, mesh.cells)
    two = shapes.bar((2, 1, 1), (2, 1, 1), QUADRATIC[kind])
    cells, torn = two.cells.copy(), KINDS[two.cells.shape[1]].corners
    shared = np.flatnonzero(np.bincount(cells[:, torn:].ravel(), minlength=two.vertex_count) > 1)[0]
    cell = np.flatnonzero((cells == shared).any(axis=1))[-1]
    cells[cell][cells[cell] == shared] = two.vertex_count
    with pytest.raises(MeshError, match="share the nodes of the edges"):
        Mesh(np.vstack([two.vertices, two.vertices[shared]]), cells)


@settings(max_examples=15)
@given(seed=st.integers(0, 10**6), kind=st.sampled_from(list(QUADRATIC)), bent=st.booleans())
def test_points_are_found_in_straight_and_curved_cells(seed, kind, bent):
    """Random local coordinates -> points -> the same points from the weights, and quadratic fields of xi in a cell."""
    draw = np.random.default_rng(seed)
    mesh = curved(kind) if bent else shapes.box((1, 1, 1), (2, 2, 2), QUADRATIC[kind])
    points = mesh.centroids[draw.integers(0, mesh.cell_count, 20)] + 0.04 * draw.uniform(-1, 1, (20, 3))
    carried = embed(mesh, points)
    assert not carried.outside.any()
    np.testing.assert_allclose(carried.carry(mesh.vertices), points, atol=1e-12)
    np.testing.assert_allclose(carried.rows.sum(axis=1), 1, atol=1e-12)
    if not bent:
        X = mesh.vertices
        field = np.stack([X[:, 0] ** 2 - X[:, 1] * X[:, 2], X[:, 2] ** 2, X[:, 0] * X[:, 1]], axis=1)
        x, y, z = points.T
        np.testing.assert_allclose(carried.carry(field), np.stack([x**2 - y * z, z**2, x * y], axis=1), atol=1e-12)


@each_kind
def test_outside_points_follow_linear_fields(kind):
    mesh = shapes.box((1, 1, 1), (2, 2, 2), QUADRATIC[kind])
    points = np.random.default_rng(0).uniform(-2, 2, (40, 3))
    carried = embed(mesh, points)
    assert carried.outside.sum() > 20
    np.testing.assert_allclose(carried.carry(mesh.vertices), points, atol=1e-11)


def test_points_between_a_curved_face_and_its_triangles_are_inside():
    """The bulge of a quadratic face reaches beyond the flat triangles through its nodes."""
    mesh = shapes.box((1, 1, 1), (1, 1, 1), "hex20")
    X = mesh.vertices
    bulged = Mesh(X + 0.1 * np.outer(np.isclose(X[:, 0], 0.5) * (1 - 4 * X[:, 1] ** 2), [1, 0, 0]), mesh.cells)
    # On the line y = 0.25, z = 0 the face stands at 0.5 + 0.1 (1 - y'^2) with y' = 0.5; flat triangles are lower.
    assert not embed(bulged, [[0.57, 0.25, 0.0]]).outside[0]
    assert embed(bulged, [[0.58, 0.25, 0.0]]).outside[0]


@each_kind
def test_interfaces_of_parts_hold_all_vertices_that_they_share(kind):
    mesh = shapes.bar((3, 1, 1), (3, 2, 2), QUADRATIC[kind])
    found = domains_of(mesh, np.minimum(mesh.centroids[:, 0].astype(int), 2))
    assert set(found.interfaces) == {(0, 1), (1, 2)}
    assert np.array_equal(np.unique(found.interface(0, 1)), mesh.select("abs(x - 1) < 1e-9"))
    corners = mesh.vertices[found.interface(1, 0)]
    areas = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]) / 2
    np.testing.assert_allclose(areas.sum(axis=0), [-1, 0, 0], atol=1e-13)
    assert sum(part.mesh.volumes.sum() for part in found.parts) == pytest.approx(3.0)
    assert all(part.mesh.kind == QUADRATIC[kind] for part in found.parts)
    assert np.array_equal(np.bincount(pl.split(mesh, 3, method="balanced")), [mesh.cell_count // 3] * 3)


@each_kind
def test_turned_copies_match(kind):
    mesh = shapes.bar((3, 1, 0.7), (3, 2, 1), QUADRATIC[kind])
    R = rotation_exponential(np.array([0.3, -1.0, 0.5]))
    moved = Mesh(2 * mesh.vertices @ R.T + 1, mesh.cells)
    place = align(Shape(mesh), Shape(moved))
    assert place is not None
    np.testing.assert_allclose(place.turned(mesh.vertices) + place.shift, moved.vertices[place.vertices], atol=1e-9)


def test_fillings_take_an_order():
    ball = shapes.sphere(1.0, 6)
    surface = Surface(ball.vertices, ball.surface).clustered(1e-9)
    assert pl.voxelise(surface, 4, order=2).kind == "hex20"
    assert pl.tetrahedralise(surface, 0.2, method="lattice", order=2).kind == "tet10"
    with pytest.raises(ArgumentError, match="order"):
        pl.voxelise(surface, 4, order=3)


ROUND = {
    "sphere": (lambda kind, n: shapes.sphere(0.5, 4 * n, kind), np.pi / 6),
    "cylinder": (lambda kind, n: shapes.cylinder(0.5, 1.0, (4 * n, n), kind), np.pi / 4),
    "torus": (lambda kind, n: shapes.torus(0.5, 0.2, (4 * n, 8 * n), kind), 2 * np.pi**2 * 0.5 * 0.2**2),
}


@pytest.mark.parametrize("name", ROUND)
@each_kind
def test_round_shapes_are_round_with_quadratic_cells(kind, name):
    """The volume converges with more than the third power of the cells, that of linear ones with the second."""
    make, exact = ROUND[name]
    errors = [abs(make(QUADRATIC[kind], n).volumes.sum() / exact - 1) for n in (1, 2)]
    assert errors[1] < errors[0] / 8
    assert errors[1] < 0.1 * abs(make(kind, 2).volumes.sum() / exact - 1)


@pytest.mark.parametrize(
    "table", ['shape = { name = "bar", size = [1, 1, 1], cells = [2, 1, 1], kind = "tet10" }', None]
)
def test_scenes_know_quadratic_cells(tmp_path, table):
    plain = 'shape = { name = "bar", size = [1, 1, 1], cells = [2, 1, 1] }\norder = 2'
    (tmp_path / "bar.toml").write_text(f'[[part]]\n{table or plain}\nfixed = "x < 1e-9"\n')
    scene = pl.load_scene(tmp_path / "bar.toml")
    assert scene.solid.mesh.kind == "tet10"
    assert np.array_equal(scene.solid.fixed, scene.solid.mesh.select("x < 1e-9"))
