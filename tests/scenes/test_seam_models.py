"""Models for the seams system: every cell in one part, parts in one piece, the stated loops, cells of good shape."""

import numpy as np
import pytest
from scipy.sparse import coo_matrix
from scipy.sparse.csgraph import connected_components

from pliant.errors import ArgumentError
from pliant.mesh import sdf, shapes
from pliant.mesh.cell_kinds import TET
from pliant.mesh.domains import domains_of, labels_of_groups
from pliant.scenes.models.fish import fish
from pliant.scenes.models.fitted_seams import with_fitted_seams
from pliant.scenes.models.lofting import bent, frame, loft, placed, sheet
from pliant.scenes.models.parting import near, sliced
from pliant.scenes.models.pinches import without_pinches
from pliant.scenes.models.ring import ring
from pliant.scenes.models.sailboat import sailboat
from pliant.scenes.models.segments import segments
from pliant.scenes.models.sunflower import sunflower
from pliant.scenes.models.tyrannosaur import tyrannosaur

# Maker, a coarse size, parts, loops in the graph of parts.
MODELS = {
    "segments": (segments, {"cells": (12, 2, 2)}, 3, 0),
    "ring": (ring, {"cells": (4, 6)}, 6, 1),
    "fish": (fish, {"edge": 0.018}, 10, 0),
    "sunflower": (sunflower, {"edge": 0.022}, 13, 0),
    "tyrannosaur": (tyrannosaur, {"edge": 0.16}, 17, 0),
    "sailboat": (sailboat, {"edge": 0.15}, 24, 7),
}
LEAST_SHAPE = 0.1  # 1 is the regular tet; the tets that stuffing cuts at a surface have 0.15 or more
FLAT = 1e-12  # rounding of coordinates of the size of one
POINTS = np.random.default_rng(1).uniform(-1.2, 1.2, (500, 3))


@pytest.fixture(scope="module")
def built():
    """A function from a name to its coarse mesh, built once."""
    meshes = {}

    def mesh_of(name):
        if name not in meshes:
            maker, options, _, _ = MODELS[name]
            meshes[name] = maker(**options)
        return meshes[name]

    return mesh_of


def domains(mesh):
    return domains_of(mesh, *labels_of_groups(mesh))


def patches(triangles):
    ids, local = np.unique(triangles, return_inverse=True)
    a, b, c = local.reshape(-1, 3).T
    graph = coo_matrix((np.ones(2 * len(a)), (np.append(a, b), np.append(b, c))), (len(ids), len(ids)))
    return connected_components(graph, directed=False)[0]


def tet_shapes(mesh):
    corners = mesh.vertices[mesh.cells]
    squared = np.mean([((corners[:, i] - corners[:, j]) ** 2).sum(axis=1) for i, j in TET.edges], axis=0)
    return 6 * np.sqrt(2) * mesh.volumes / squared**1.5


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("name", MODELS)
def test_model_is_whole_and_has_the_stated_parts_and_loops(built, name):
    mesh = built(name)
    _, _, parts, loops = MODELS[name]
    cut = domains(mesh)  # refuses groups that miss or share a cell, and parts in several pieces
    assert cut.count == parts
    assert mesh.components[0] == 1
    assert len(cut.interfaces) - parts + 1 == loops


@pytest.mark.parametrize("name", MODELS)
def test_parts_meet_in_pairs_and_in_one_patch_each(built, name):
    mesh = built(name)
    cut = domains(mesh)
    owners = np.zeros(mesh.vertex_count, dtype=int)
    for part in cut.parts:
        owners[part.vertices] += 1
    assert owners.max() == 2
    cut.check_contacts()
    assert all(patches(triangles) == 1 for triangles in cut.interfaces.values())


@pytest.mark.parametrize("name", MODELS)
def test_cells_are_upright_and_of_good_shape(built, name):
    mesh = built(name)
    assert mesh.kind == "tet"
    assert mesh.volumes.min() > 0
    assert tet_shapes(mesh).min() > LEAST_SHAPE


@pytest.mark.parametrize("name", ["ring", "fish", "sailboat"])
def test_model_is_the_same_every_time(built, name):
    maker, options, _, _ = MODELS[name]
    again, mesh = maker(**options), built(name)
    assert np.array_equal(again.vertices, mesh.vertices)
    assert np.array_equal(again.cells, mesh.cells)
    assert list(again.cell_groups) == list(mesh.cell_groups)
    assert all(np.array_equal(again.cell_groups[part], cells) for part, cells in mesh.cell_groups.items())


@pytest.mark.slow
def test_sailboat_has_its_full_size():
    mesh = sailboat()
    assert mesh.cell_count == pytest.approx(250_000, rel=0.04)
    cut = domains(mesh)
    assert (cut.count, len(cut.interfaces)) == (24, 30)


def test_held_ends_exist(built):
    for name in ("sunflower", "tyrannosaur"):
        low = built(name).vertices[:, 1].min()
        assert abs(low) < 0.01  # both stand on the ground, y = 0
    feet = built("tyrannosaur")
    for side in ("left", "right"):
        foot = np.unique(feet.cells[feet.cell_groups[f"{side} foot"]])
        assert (feet.vertices[foot, 1] < 0.05).sum() > 10
    boat = built("sailboat")
    for side in ("port", "starboard"):
        hull = np.unique(boat.cells[boat.cell_groups[f"{side} hull"]])
        assert (boat.vertices[hull, 1] < -0.3).sum() > 10


def test_segments_are_the_bar_cut_into_equal_lengths():
    mesh = segments(size=(2, 0.2, 0.2), cells=(8, 2, 2), parts=4)
    plain = shapes.bar((2, 0.2, 0.2), (8, 2, 2))
    assert np.array_equal(mesh.vertices, plain.vertices)
    assert np.array_equal(mesh.cells, plain.cells)
    for number, cells in enumerate(mesh.cell_groups.values()):
        x = mesh.vertices[mesh.cells[cells], 0]
        assert (x.min(), x.max()) == pytest.approx((0.5 * number, 0.5 * number + 0.5))
    for triangles in domains(mesh).interfaces.values():
        assert np.ptp(mesh.vertices[triangles, 0]) < FLAT
    with pytest.raises(ArgumentError, match="parts must divide"):
        segments(cells=(8, 2, 2), parts=3)


def test_ring_is_cut_by_planes_through_its_axis():
    mesh = ring(parts=8, cells=(4, 3))
    cut = domains(mesh)
    assert len(cut.interfaces) == cut.count == 8
    for triangles in cut.interfaces.values():
        x, y, _ = mesh.vertices[np.unique(triangles)].T
        angle = np.angle((x + 1j * y) / (x[0] + 1j * y[0]))
        assert np.abs(angle).max() < FLAT
    assert [len(cells) for cells in mesh.cell_groups.values()] == [mesh.cell_count // 8] * 8


def test_fitted_seams_follow_the_border_and_keep_the_solid():
    radius, plane = 0.6, ((0.03, 0.01, 0), (1, 0.3, 0.2))
    solid = sdf.sphere(radius)
    regions = sliced(solid, [plane])
    mesh = solid.tets(0.12)
    fitted = with_fitted_seams(mesh, regions)
    assert np.array_equal(fitted.cells, mesh.cells)
    assert tet_shapes(fitted).min() > LEAST_SHAPE
    # Points on chords of length L lie up to L^2 / 8R below the surface, their mean up to as much again.
    longest = np.linalg.norm(np.diff(mesh.vertices[mesh.surface[:, [[0, 1], [1, 2], [2, 0]]]], axis=2), axis=3).max()
    before, after = (solid.distance(each.vertices[each.surface_vertices]).min() for each in (mesh, fitted))
    assert before - after < longest**2 / (4 * radius)
    # Moves that would spoil a tet are not made in full, so the seam becomes even but not flat.
    assert _seam_distance(fitted, regions, *plane) < 0.5 * _seam_distance(mesh, regions, *plane)


def _seam_distance(mesh, regions, point, normal):
    """Root mean square distance of the seam's vertices from the plane."""
    labels = np.stack([region.distance(mesh.centroids) for region in regions]).argmin(axis=0)
    seam = np.unique(domains_of(mesh, labels).interfaces[0, 1])
    return np.sqrt(np.mean(((mesh.vertices[seam] - point) @ normal / np.linalg.norm(normal)) ** 2))


def test_pinched_vertices_and_edges_are_parted_and_others_kept():
    bar = shapes.bar((1, 1, 1), (2, 2, 2))
    assert without_pinches(bar) is bar
    x, y, z = bar.centroids.T
    for kept, copies in ((((x < 0.5) & (y < 0)) | ((x > 0.5) & (y > 0)), 3), ((x < 0.5) & (y < 0) & (z < 0), 0)):
        mesh = bar.submesh(kept)[0]
        apart = without_pinches(mesh)
        assert apart.vertex_count == mesh.vertex_count + copies  # the edge x = 1/2, y = 0 has three vertices
        assert np.array_equal(apart.vertices[apart.cells], mesh.vertices[mesh.cells])
    corners = (x < 0.5) & (y < 0) & (z < 0) | (x > 0.5) & (y > 0) & (z > 0)
    touching = bar.submesh(corners)[0]
    assert without_pinches(touching).vertex_count == touching.vertex_count + 1


def test_slices_make_up_the_solid_and_do_not_overlap():
    ball = sdf.sphere(0.9)
    slices = sliced(ball, [((-0.2, 0, 0), (1, 0.1, 0)), ((0.3, 0, 0), (1, 0, 0.2))])
    inside = np.stack([piece.distance(POINTS) < 0 for piece in slices])
    assert np.array_equal(inside.sum(axis=0), (ball.distance(POINTS) < 0).astype(int))


def test_near_solid_is_exact_close_to_the_solid_and_outside_beyond():
    ball = sdf.sphere(0.3)
    exact, quick = ball.distance(POINTS), near(ball, 0.2).distance(POINTS)
    close = exact < 0.2
    assert np.array_equal(quick[close], exact[close])
    assert (quick[~close] > 0).all()
    assert (quick <= exact + FLAT).all()


def test_loft_of_equal_axes_is_a_sweep_and_others_vanish_on_the_section():
    line = np.array([(-0.5, 0, 0), (0.5, 0.2, 0)])
    for section in ("ellipse", "stadium"):
        tube = loft(np.column_stack([line, [0.3, 0.3], [0.3, 0.3]]), (0, 0, 1), section)
        assert np.allclose(tube.distance(POINTS), sdf.capsule(*line, 0.3).distance(POINTS), atol=1e-9)
    flat = loft([(-1, 0, 0, 0.5, 0.2), (1, 0, 0, 0.5, 0.2)], side=(0, 0, 1))
    angle = np.linspace(0, 6, 20)
    rim = np.stack([0.1 * angle - 0.3, 0.2 * np.sin(angle), 0.5 * np.cos(angle)], axis=1)
    assert np.abs(flat.distance(rim)).max() < 1e-9
    blade = loft([(-1, 0, 0, 0.5, 0.2), (1, 0, 0, 0.5, 0.2)], side=(0, 0, 1), section="stadium")
    assert blade.distance(np.array([(0, 0.2, 0.3), (0, 0, 0.5), (0, 0, 0), (1.2, 0, 0.1)])) == pytest.approx(
        [0, 0, -0.2, 0]
    )


def test_sheet_is_as_thick_and_as_wide_as_told_and_can_be_bent_and_placed():
    plate = sheet([(0, 0), (1, 0), (1, 0.5), (0, 0.5)], 0.1)
    spots = np.array([(0.5, 0.25, 0.05), (0.5, 0.25, 0), (1.0, 0.25, 0), (0.5, -0.3, 0)])
    assert plate.distance(spots) == pytest.approx([0, -0.05, 0, 0.3])
    lifted = bent(plate, lambda x, y: 0.2 * x * y, 0.1)
    assert lifted.distance(spots + [0, 0, 1] * (0.2 * spots[:, :1] * spots[:, 1:2])) == pytest.approx(
        [0, -0.05, 0, 0.3]
    )
    axes = frame((0, 0, 2), (0, 3, 1))
    assert np.allclose(axes, [(0, 0, 1), (0, 1, 0), (-1, 0, 0)])
    moved = placed(plate, axes, (1, 2, 3))
    assert moved.distance(spots @ axes + [1, 2, 3]) == pytest.approx([0, -0.05, 0, 0.3])
    assert np.allclose(moved.bounds, [(0.95, 2, 3), (1.05, 2.5, 4)])
