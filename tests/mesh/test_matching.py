"""Congruent meshes are found with their vertex numbers; perturbed, mirrored and otherwise held ones are not."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from pliant.mesh import Mesh, shapes
from pliant.mesh.matching import TOLERANCE, Shape, align, alike
from pliant.numerics import rotation_exponential

ROUNDING = 1e-12  # relative to the size and place of the copies


def moved(shape, rotation, scale, shift, seed):
    """The copy  s R x + t  with its vertices and cells in another order, and which vertex went where."""
    rng = np.random.default_rng(seed)
    mesh = shape.mesh
    new = rng.permutation(mesh.vertex_count)
    order = rng.permutation(mesh.cell_count)
    vertices = np.empty_like(mesh.vertices)
    vertices[new] = scale * mesh.vertices @ rotation.T + shift
    values = None if shape.cell_values is None else shape.cell_values[order]
    ports = tuple(new[port] for port in shape.ports[::-1])
    return replace(
        shape, mesh=Mesh(vertices, new[mesh.cells[order]]), cell_values=values, held=new[shape.held], ports=ports
    ), new


def bar(kind="tet", size=(1.0, 0.4, 0.3), cells=(5, 2, 2), **options):
    mesh = shapes.bar(size, cells, kind=kind)
    return Shape(mesh, held=np.flatnonzero(mesh.vertices[:, 0] < mesh.bounds[0, 0] + 1e-9), **options)


def blob(seed=0):
    """No symmetry at all."""
    mesh = shapes.bar((1.0, 0.6, 0.5), (3, 2, 2))
    X = mesh.vertices + 0.03 * np.random.default_rng(seed).standard_normal(mesh.vertices.shape)
    return Shape(Mesh(X, mesh.cells))


def check(first, second, place):
    y = place.turned(first.mesh.vertices) + place.shift
    reach = np.abs(second.mesh.vertices).max()
    np.testing.assert_allclose(y, second.mesh.vertices[place.vertices], rtol=0, atol=ROUNDING * reach)
    assert np.linalg.det(place.rotation) == pytest.approx(1)
    np.testing.assert_array_equal(place.vertices[place.inverse], np.arange(len(y)))
    images = {tuple(sorted(cell)) for cell in place.vertices[first.mesh.cells].tolist()}
    assert images == {tuple(sorted(cell)) for cell in second.mesh.cells.tolist()}
    assert set(place.vertices[first.held].tolist()) == set(second.held.tolist())


numbers = st.floats(-2, 2)
turns = st.tuples(numbers, numbers, numbers).map(lambda w: rotation_exponential(np.array(w)))
motions = st.tuples(turns, st.floats(0.01, 100), st.tuples(numbers, numbers, numbers).map(np.array), st.integers(0, 99))
SHAPES = {
    "bar of tets": bar(),
    "bar of bricks": bar("hex"),
    "square bar": bar("hex", (1.0, 0.4, 0.4), (4, 2, 2)),
    "cube held by a face": bar("hex", (1.0, 1.0, 1.0), (3, 3, 3)),
    "free cube": replace(bar("hex", (1.0, 1.0, 1.0), (3, 3, 3)), held=np.empty(0, dtype=np.int64)),
    "plate": bar("hex", (1.0, 1.0, 0.1), (4, 4, 1)),
    "blob": blob(),
}


@pytest.mark.parametrize("name", SHAPES)
@given(motion=motions)
@example(motion=(np.eye(3), 1.0, np.zeros(3), 0))
@example(motion=(np.diag([-1.0, -1.0, 1.0]), 1.7, np.array([1.0, 2.0, 3.0]), 1))
def test_copies_are_found(name, motion):
    shape = SHAPES[name]
    copy, _ = moved(shape, *motion)
    place = align(shape, copy)
    assert place is not None
    check(shape, copy, place)
    assert place.scale == pytest.approx(motion[1], rel=ROUNDING)


@given(motion=motions)
def test_only_copy_of_a_shape_without_symmetry_is_found(motion):
    copy, new = moved(SHAPES["blob"], *motion)
    place = align(SHAPES["blob"], copy)
    np.testing.assert_array_equal(place.vertices, new)
    np.testing.assert_allclose(place.rotation, motion[0], rtol=0, atol=1e-10)


@pytest.mark.parametrize("name", SHAPES)
@given(motion=motions, vertex=st.integers(0, 10_000), size=st.floats(1e-3, 1e-2))
def test_perturbed_copies_are_not(name, motion, vertex, size):
    shape = SHAPES[name]
    X = shape.mesh.vertices.copy()
    X[vertex % len(X)] += size * shape.radius * np.array([0.6, 0.0, 0.8])
    copy, _ = moved(replace(shape, mesh=Mesh(X, shape.mesh.cells)), *motion)
    assert align(shape, copy) is None


@given(motion=motions)
def test_copies_within_the_tolerance_are_found(motion):
    """Files keep seven digits."""
    shape = SHAPES["bar of tets"]
    copy, _ = moved(shape, *motion)
    grain = 0.1 * TOLERANCE * copy.radius
    rounded = Mesh(np.round(copy.mesh.vertices / grain) * grain, copy.mesh.cells)
    assert align(shape, replace(copy, mesh=rounded)) is not None


@pytest.mark.parametrize("name", ["blob", "bar of tets"])
@given(motion=motions)
def test_mirror_images_are_not(name, motion):
    """Kuhn's tets are chiral too: no rotation mirrors their diagonals and leaves three different sides alone."""
    shape = SHAPES[name]
    mesh = shape.mesh
    odd = mesh.cells[:, [0, 1, 3, 2]]
    mirrored = replace(shape, mesh=Mesh(mesh.vertices * [1.0, 1.0, -1.0], odd))
    copy, _ = moved(mirrored, *motion)
    assert align(shape, copy) is None


def test_shape_held_elsewhere_is_another():
    shape = bar("hex")
    X = shape.mesh.vertices
    far = replace(shape, held=np.flatnonzero(X[:, 0] > X[:, 0].max() - 1e-9))
    side = replace(shape, held=np.flatnonzero(X[:, 1] > X[:, 1].max() - 1e-9))
    check(shape, far, align(shape, far))  # turned by 180 degrees the far end is the near one
    assert align(shape, side) is None
    one = replace(shape, held=shape.held[:-1])
    assert align(shape, one) is None
    tapered = Mesh(
        X * np.stack([np.ones(len(X)), 1 + X[:, 0] - X[:, 0].min(), np.ones(len(X))], axis=1), shape.mesh.cells
    )
    assert align(replace(shape, mesh=tapered), replace(far, mesh=tapered)) is None


def test_ports_match_in_any_order():
    shape = bar("hex")
    x, y, _ = shape.mesh.vertices.T
    left, right = np.flatnonzero(y < y.min() + 1e-9), np.flatnonzero(y > y.max() - 1e-9)
    both = replace(shape, ports=(left, right))
    assert align(both, replace(shape, ports=(right, left))) is not None
    assert align(both, replace(shape, ports=(left, left))) is None
    one, other = replace(shape, ports=(left,)), replace(shape, ports=(right,))
    check(one, other, align(one, other))
    assert align(one, replace(shape, ports=(np.flatnonzero(x > x.max() - 1e-9),))) is None


def test_cell_values_must_match():
    shape = bar()
    x = shape.mesh.centroids[:, 0]
    graded = replace(shape, cell_values=np.where(x > x.mean(), 2.0, 1.0)[:, None])
    copy, _ = moved(graded, np.eye(3), 2.0, np.zeros(3), 5)
    assert align(graded, copy) is not None
    assert align(graded, replace(shape, cell_values=np.ones((len(x), 1)))) is None
    assert align(graded, shape) is None
    assert align(replace(shape, kind="a"), replace(shape, kind="b")) is None


def test_same_vertices_in_other_cells_are_another():
    mesh = shapes.bar((1, 1, 1), (1, 1, 1))
    turned = Mesh(mesh.vertices * [-1, 1, 1], mesh.cells[:, [0, 1, 3, 2]])
    place = align(Shape(mesh), Shape(turned))  # Kuhn's cube is its own mirror image, turned about its diagonal
    check(Shape(mesh), Shape(turned), place)
    five = Mesh(turned.vertices, np.array(_five_tets(turned.vertices)))
    assert align(Shape(mesh), Shape(five)) is None


def _five_tets(X):
    """The cube in five tets: one in the middle, four at the corners."""
    unit = np.round((X - X.min(axis=0)) / np.ptp(X, axis=0)).astype(int)
    at = {tuple(corner): k for k, corner in enumerate(unit)}
    even = [at[c] for c in ((0, 0, 0), (1, 1, 0), (1, 0, 1), (0, 1, 1))]
    tets = [[even[0], even[1], even[3], even[2]]]
    for c in ((1, 0, 0), (0, 1, 0), (0, 0, 1), (1, 1, 1)):
        near = [at[tuple(np.array(c) ^ e)] for e in np.eye(3, dtype=int)]
        a, b, d = X[near] - X[at[c]]
        tets.append([at[c], *near] if np.cross(a, b) @ d > 0 else [at[c], near[1], near[0], near[2]])
    return tets


def test_classes_of_many_shapes():
    rng = np.random.default_rng(7)
    kinds = [SHAPES["bar of tets"], SHAPES["blob"], SHAPES["plate"], bar("tet", (1.0, 0.4, 0.31))]
    which = rng.integers(0, len(kinds), 60)
    copies = [
        moved(kinds[k], rotation_exponential(rng.standard_normal(3)), rng.uniform(0.1, 10), rng.standard_normal(3), i)[
            0
        ]
        for i, k in enumerate(which)
    ]
    first, places = alike(copies)
    expected = [int(np.flatnonzero(which == k)[0]) for k in which]
    assert first == expected
    for copy, leader, place in zip(copies, first, places):
        check(copies[leader], copy, place)
