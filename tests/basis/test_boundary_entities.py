"""Interface entities and their trace: who shares what, no cracks, no dependent columns."""

import numpy as np
import pytest

import pliant as pl
from pliant.basis.harmonics import patch_harmonics
from pliant.basis.interface_entities import interface_entities
from pliant.basis.trace import rigid_fields, trace_basis
from pliant.mesh.domains import domains_of

CRACK = 1e-12  # maths sheet boundary-aware 9
NONE = np.empty(0, dtype=np.int64)


def halves(mesh, *axes):
    """A label from the signs of the cells' centroids along some axes."""
    return sum((mesh.centroids[:, axis] > 0) * 2**k for k, axis in enumerate(axes)).astype(int)


@pytest.fixture(scope="module")
def cube():
    return pl.shapes.box((1, 1, 1), (4, 4, 4))


def entities_of(mesh, labels, fixed=NONE):
    return interface_entities(domains_of(mesh, labels), fixed)


def test_quadrants_have_four_faces_and_a_cross_edge(cube):
    found = entities_of(cube, halves(cube, 0, 1))
    assert [len(e.parts) for e in found] == [2, 2, 2, 2, 4]
    assert len(found[-1].vertices) == 5
    assert len(found[-1].edges) == 4
    assert all(len(e.triangles) for e in found[:-1])


def test_octants_have_twelve_faces_six_cross_edges_and_a_cross_point(cube):
    found = entities_of(cube, halves(cube, 0, 1, 2))
    assert [len(e.parts) for e in found] == [2] * 12 + [4] * 6 + [8]
    np.testing.assert_allclose(found[-1].centre, 0, atol=1e-15)
    shared = np.concatenate([e.vertices for e in found])
    assert len(np.unique(shared)) == len(shared)


def test_two_patches_between_two_parts_are_two_entities():
    ring = pl.shapes.torus(0.5, 0.12, (4, 24))
    found = entities_of(ring, (ring.centroids[:, 0] > 0).astype(int))
    assert [e.parts for e in found] == [(0, 1), (0, 1)]


def test_fixed_vertices_are_left_out_of_entities(cube):
    fixed = cube.select("x < -0.49")
    for entity in entities_of(cube, halves(cube, 1), fixed):
        assert not np.isin(entity.vertices, fixed).any()


@pytest.mark.parametrize("kind", ["entity", "hat"])
@pytest.mark.parametrize("axes", [(0,), (0, 1), (0, 1, 2)])
def test_trace_holds_rigid_motions_and_no_column_twice(cube, kind, axes):
    found = entities_of(cube, halves(cube, *axes))
    for soft in (0, 5):
        trace = trace_basis(cube.vertices, found, soft, kind)
        rows = np.unique(trace.columns.indices)
        Psi, rigid = trace.columns.tocsr()[rows].toarray(), rigid_fields(cube.vertices)[rows]
        assert np.linalg.matrix_rank(Psi) == trace.size
        np.testing.assert_allclose(Psi @ np.linalg.lstsq(Psi, rigid, rcond=None)[0], rigid, atol=1e-13)


def test_rigid_columns_are_six_five_or_three(cube):
    found = entities_of(cube, halves(cube, 0, 1, 2))
    trace = trace_basis(cube.vertices, found, 0)
    assert np.bincount(trace.entity).tolist() == [6] * 12 + [5] * 6 + [3]


def test_turning_columns_turn_right_handed_about_the_centre(cube):
    (entity,) = entities_of(cube, halves(cube, 0))
    trace = trace_basis(cube.vertices, [entity], 2)
    places, axes = trace.turns[0]
    assert axes.tolist() == np.eye(3).tolist()
    column = trace.columns[:, places[2]].toarray().reshape(-1, 3)[entity.vertices]
    np.testing.assert_allclose(column, np.cross([0, 0, 1], cube.vertices[entity.vertices] - entity.centre), atol=1e-15)


def test_soft_columns_are_orthogonal_to_what_came_before_and_of_unit_size(cube):
    (entity,) = entities_of(cube, halves(cube, 2))
    trace = trace_basis(cube.vertices, [entity], 9)
    Psi = trace.columns.toarray()
    rigid, soft = Psi[:, trace.rigid], Psi[:, ~trace.rigid]
    assert soft.shape[1] == 9
    assert np.abs(rigid.T @ soft).max() < 1e-12
    np.testing.assert_allclose(soft.T @ soft, len(entity.vertices) * np.eye(9), atol=1e-12)


def test_soft_columns_stop_where_the_entity_is_complete(cube):
    (entity,) = entities_of(cube, halves(cube, 2))
    assert trace_basis(cube.vertices, [entity], 1000).size == 3 * len(entity.vertices)


def test_harmonics_of_a_square_have_its_spectrum():
    grid = pl.shapes.box((1, 1, 1), (24, 24, 1))
    bottom = np.flatnonzero(grid.vertices[:, 2] < -0.49)
    triangles = np.searchsorted(bottom, grid.surface[np.isin(grid.surface, bottom).all(axis=1)])
    H = patch_harmonics(grid.vertices[bottom], triangles, np.empty((0, 2), int), 4)
    x, y = grid.vertices[bottom, 0] + 0.5, grid.vertices[bottom, 1] + 0.5
    assert np.ptp(H[:, 0]) < 1e-10
    first, product = np.stack([np.cos(np.pi * x), np.cos(np.pi * y)], axis=1), np.cos(np.pi * x) * np.cos(np.pi * y)
    residual = H[:, 1:3] - first @ np.linalg.lstsq(first, H[:, 1:3], rcond=None)[0]
    assert np.abs(residual).max() < 0.02 * np.abs(H[:, 1:3]).max()
    assert abs(np.corrcoef(H[:, 3], product)[0, 1]) > 0.999


def test_harmonics_of_a_curve_are_cosines():
    s = np.linspace(0, 1, 41)
    X = np.stack([s, 2 * s, 0 * s], axis=1)
    edges = np.stack([np.arange(40), np.arange(1, 41)], axis=1)
    H = patch_harmonics(X, np.empty((0, 3), int), edges, 4)
    for k in range(1, 4):
        assert abs(np.corrcoef(H[:, k], np.cos(k * np.pi * s))[0, 1]) > 0.9999


def test_harmonics_do_not_depend_on_the_order_of_vertices():
    grid = pl.shapes.box((1, 1, 1), (4, 4, 1))
    bottom = np.flatnonzero(grid.vertices[:, 2] < -0.49)
    triangles = np.searchsorted(bottom, grid.surface[np.isin(grid.surface, bottom).all(axis=1)])
    X, none = grid.vertices[bottom], np.empty((0, 2), int)
    order = np.random.default_rng(0).permutation(len(X))
    place = np.argsort(order)
    here, there = patch_harmonics(X, triangles, none, 3), patch_harmonics(X[order], place[triangles], none, 3)
    for k in range(3):
        assert min(np.abs(here[order, k] - s * there[:, k]).max() for s in (1, -1)) < 1e-8


@pytest.mark.parametrize("axes", [(0, 1), (0, 1, 2)])
@pytest.mark.parametrize("kind", ["entity", "hat"])
def test_no_decomposition_cracks(cube, axes, kind):
    """Quadrants with a cross edge, octants with a cross point: one displacement a vertex, whichever part says it."""
    solid = pl.Solid(cube, pl.StVK(1e5, 0.3), fixed="z < -0.49")
    system = pl.couple(solid, halves(cube, *axes), 3, 1, dt=0.01, trace=kind, nonlinear=False)
    q = np.random.default_rng(0).standard_normal(len(system.q))
    low, high = np.full(cube.vertices.shape, np.inf), np.full(cube.vertices.shape, -np.inf)
    for domain, columns, places in zip(system.coupled.domains.parts, system.coupled.columns, system.coupled.places):
        u = (columns.U @ q[places]).reshape(-1, 3)
        low[domain.vertices] = np.minimum(low[domain.vertices], u)
        high[domain.vertices] = np.maximum(high[domain.vertices], u)
    assert (high - low).max() <= CRACK * np.abs(high).max()
