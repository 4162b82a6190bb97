"""Shapes against their formulas: the grid numbering, the spoon of the maths sheet, volumes that converge."""

from itertools import permutations

import numpy as np
import pytest

from pliant.mesh import shapes

# single-body.md section 7: c = 4 dx + 2 dy + dz
KUHN_PATHS = [(0, 4, 6, 7), (0, 4, 5, 7), (0, 2, 6, 7), (0, 2, 3, 7), (0, 1, 5, 7), (0, 1, 3, 7)]


def quality(mesh):
    """1 for the regular tet, 0 for a flat one: 6 sqrt(2) V / (root mean square edge)^3."""
    corners = mesh.vertices[mesh.cells]
    first, second = np.triu_indices(4, 1)
    squares = ((corners[:, first] - corners[:, second]) ** 2).sum(axis=2)
    return 6 * np.sqrt(2) * mesh.volumes / squares.mean(axis=1) ** 1.5


@pytest.mark.parametrize("kind", ["tet", "hex"])
def test_bar_lies_along_x_and_is_numbered_z_first(kind):
    mesh = shapes.bar((2, 0.4, 0.6), (4, 2, 3), kind)
    assert np.allclose(mesh.bounds, [[0, -0.2, -0.3], [2, 0.2, 0.3]])
    i, j, k = 3, 1, 2
    assert np.allclose(mesh.vertices[(i * 3 + j) * 4 + k], [i * 0.5, -0.2 + j * 0.2, -0.3 + k * 0.2])
    assert mesh.cell_count == 24 * (6 if kind == "tet" else 1)
    assert mesh.volumes.sum() == pytest.approx(0.48)


def test_box_is_centred():
    assert np.allclose(shapes.box((1, 2, 3), (1, 1, 1)).bounds, [[-0.5, -1, -1.5], [0.5, 1, 1.5]])


def test_bar_tets_are_the_kuhn_paths_in_order():
    mesh = shapes.bar((1, 1, 1), (1, 1, 1))
    assert [tuple(sorted(cell)) for cell in mesh.cells.tolist()] == [tuple(sorted(path)) for path in KUHN_PATHS]


def test_kuhn_paths_are_all_monotone_paths():
    paths = {tuple(int(c) for c in np.cumsum([0, *steps])) for steps in permutations((1, 2, 4))}
    assert paths == set(KUHN_PATHS)


def test_spoon_is_the_one_of_the_maths_sheet():
    mesh = shapes.spoon()
    assert (mesh.vertex_count, mesh.cell_count) == (765, 2400)
    for i, j, k in [(0, 0, 0), (50, 2, 1), (41, 3, 2), (37, 1, 0), (12, 4, 1)]:
        s, eta, zeta = i / 50, 2 * j / 4 - 1, 2 * k / 2 - 1
        b = np.sin(np.pi * np.clip((s - 0.65) / 0.35, 0, 1)) ** 2
        expected = [2.5 * s, (0.06 + 0.14 * b) * eta, 0.03 * zeta - 0.08 * b * (1 - eta**2)]
        assert np.allclose(mesh.vertices[(i * 5 + j) * 3 + k], expected, atol=1e-15)
    assert np.array_equal(mesh.select("x < 1e-9"), np.arange(15))
    assert np.allclose(mesh.vertices[757], [2.5, 0, 0], atol=1e-15)


SOLIDS = {
    "sphere": (lambda n, kind: shapes.sphere(0.7, n, kind), 4 / 3 * np.pi * 0.7**3),
    "cylinder": (lambda n, kind: shapes.cylinder(0.3, 2.0, (n, 3 * n), kind), np.pi * 0.09 * 2),
    "torus": (lambda n, kind: shapes.torus(0.6, 0.2, (n, 8 * n), kind), 2 * np.pi**2 * 0.6 * 0.04),
}


@pytest.mark.parametrize("kind", ["tet", "hex"])
@pytest.mark.parametrize("name", SOLIDS)
def test_round_shapes_converge_to_their_volume_with_order_two(name, kind):
    make, exact = SOLIDS[name]
    coarse, fine = (abs(make(n, kind).volumes.sum() / exact - 1) for n in (8, 16))
    assert fine < 0.02
    assert 1.7 < np.log2(coarse / fine) < 2.3


@pytest.mark.parametrize("name", SOLIDS)
def test_round_shapes_have_good_tets_and_are_one_piece(name):
    mesh = SOLIDS[name][0](8, "tet")
    assert quality(mesh).min() > 0.25
    assert mesh.components[0] == 1
    assert len(mesh.surface_vertices) - len(mesh.surface) // 2 == (0 if name == "torus" else 2)


def test_round_shapes_reach_their_radius_along_their_axes():
    assert np.allclose(np.abs(shapes.sphere(0.7).bounds), 0.7)
    assert np.allclose(shapes.cylinder(0.3, 2).bounds, [[-0.3, -1, -0.3], [0.3, 1, 0.3]])
    assert np.allclose(shapes.torus(0.6, 0.2, (8, 32)).bounds, [[-0.8, -0.2, -0.8], [0.8, 0.2, 0.8]])
