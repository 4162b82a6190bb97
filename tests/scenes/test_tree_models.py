"""The models of the tree gallery: clean trees of parts, exact copies, and an oak whose pieces stand on each other."""

from collections import Counter
from itertools import combinations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import pliant as pl
from pliant.errors import ArgumentError, MeshError
from pliant.mesh import sdf
from pliant.mesh.domains import domains_of
from pliant.reduced.interface import patch_centroid
from pliant.scenes.assembly import Assembly, Piece, Placement, seat
from pliant.scenes.models import ASSEMBLIES, MODELS
from pliant.scenes.models.blocks import Blocks, flat_section, tube
from pliant.scenes.models.labels import labelled
from pliant.scenes.models.letters import LINKS, WORD

COUNTS = {"flower": (13, 20), "letters": (15, 15), "lizard": (36, 44), "station": (48, 48)}
ROUNDING = 1e-12  # of positions of a few metres, computed by a handful of sums
SLENDEREST = 1e-3  # 6 sqrt 2 V / l^3, 1 for a regular tet; thin plates and twigs are slender, but nothing is flat


@pytest.fixture(scope="module", params=sorted(COUNTS))
def model(request):
    return request.param, MODELS[request.param]()


@pytest.fixture(scope="module")
def oak():
    return ASSEMBLIES["oak"]()


def labels_of(mesh):
    labels = np.full(mesh.cell_count, -1)
    for number, cells in enumerate(mesh.cell_groups.values()):
        assert (labels[cells] == -1).all()
        labels[cells] = number
    return labels


def borders(mesh, labels):
    """The faces between parts: (i, j) -> set of vertices, and how many faces."""
    vertices, faces = {}, Counter()
    a, b = mesh.cell_adjacency.nonzero()
    cut = labels[a] < labels[b]
    for one, other in zip(a[cut], b[cut]):
        pair = (int(labels[one]), int(labels[other]))
        faces[pair] += 1
        vertices.setdefault(pair, set()).update(set(mesh.cells[one].tolist()) & set(mesh.cells[other].tolist()))
    return vertices, faces


def test_labels_cover_every_cell_once_in_connected_parts(model):
    name, mesh = model
    least, most = COUNTS[name]
    assert least <= len(mesh.cell_groups) <= most
    assert (labels_of(mesh) >= 0).all()
    assert mesh.components[0] == 1
    for cells in mesh.cell_groups.values():
        assert mesh.submesh(cells)[0].components[0] == 1


def test_parts_make_a_tree_and_touch_only_through_their_borders(model):
    _, mesh = model
    labels = labels_of(mesh)
    vertices, _ = borders(mesh, labels)
    assert len(vertices) == len(mesh.cell_groups) - 1  # with one connected mesh: a tree
    members = [set(np.unique(mesh.cells[labels == part]).tolist()) for part in range(len(mesh.cell_groups))]
    shared = {pair: members[pair[0]] & members[pair[1]] for pair in combinations(range(len(members)), 2)}
    assert {pair: common for pair, common in shared.items() if common} == vertices
    assert max(Counter(vertex for part in members for vertex in part).values()) == 2
    domains_of(mesh, labels, list(mesh.cell_groups)).rooted()  # what substructuring asks for


def test_borders_span_a_plane_at_least(model):
    """Frames need three directions of which two are of the same order; a border on a line has none across."""
    _, mesh = model
    vertices, faces = borders(mesh, labels_of(mesh))
    assert min(faces.values()) >= 2
    for common in vertices.values():
        x = mesh.vertices[sorted(common)]
        assert len(x) >= 4
        spread = np.linalg.svd(x - x.mean(axis=0), compute_uv=False)
        assert spread[1] > 0.05 * spread[0]


def test_cells_are_not_flat(model):
    _, mesh = model
    corners = mesh.vertices[mesh.cells]
    squares = sum(((corners[:, a] - corners[:, b]) ** 2).sum(axis=1) for a, b in combinations(range(4), 2)) / 6
    assert (6 * np.sqrt(2) * mesh.volumes / squares**1.5).min() > SLENDEREST


def test_models_are_the_same_every_time(model):
    name, mesh = model
    again = MODELS[name]()
    np.testing.assert_array_equal(again.vertices, mesh.vertices)
    np.testing.assert_array_equal(again.cells, mesh.cells)
    assert list(again.cell_groups) == list(mesh.cell_groups)


@pytest.mark.parametrize(("name", "root"), [("flower", "stem1"), ("lizard", "body2")])
def test_models_that_stand_are_held_in_one_part(name, root):
    mesh = MODELS[name]()
    held = mesh.select("y < 0.01")
    assert len(held) >= 9
    assert np.isin(held, mesh.cells[mesh.cell_groups[root]]).all()
    assert mesh.bounds[0, 1] == pytest.approx(0, abs=ROUNDING)


def test_letters_and_links_make_a_chain():
    mesh = MODELS["letters"]()
    names = list(mesh.cell_groups)
    assert [name[0] for name in names[::2]] == list(WORD)
    assert tuple(names[1::2]) == LINKS
    assert set(borders(mesh, labels_of(mesh))[0]) == {(part, part + 1) for part in range(14)}


def test_panels_of_the_station_are_exact_copies():
    mesh = MODELS["station"]()
    panels = [mesh.submesh(cells)[0] for name, cells in mesh.cell_groups.items() if name.startswith("panel")]
    assert len(panels) == 32
    first = panels[0].vertices - panels[0].vertices.mean(axis=0)
    for panel in panels:
        np.testing.assert_array_equal(panel.cells, panels[0].cells)
        moved = panel.vertices - panel.vertices.mean(axis=0)
        R, _ = Rotation.align_vectors(moved, first)
        assert np.abs(R.apply(first) - moved).max() < ROUNDING


def test_oak_has_the_pieces_that_were_asked_for(oak):
    counts = Counter(placed.piece for placed in oak.placements)
    assert counts.pop("leaf") == 1394
    assert (sum(counts.values()), len(counts)) == (41, 5)
    assert oak.size == 41 * 20 + 1394 * 8
    assert oak.depths.max() == 4  # five levels
    assert all(len({int(d) for d, p in zip(oak.depths, oak.placements) if p.piece == name}) == 1 for name in counts)
    assert {int(d) for d, p in zip(oak.depths, oak.placements) if p.piece == "leaf"} <= {3, 4}


def test_oak_pieces_are_light_and_held_at_their_flat_base(oak):
    for name, piece in oak.pieces.items():
        low, high = (24, 60) if name == "leaf" else (400, 900)
        assert low <= piece.mesh.cell_count <= high
        assert piece.mesh.components[0] == 1
        assert np.abs(piece.mesh.vertices[piece.fixed, 1]).max() < ROUNDING
        assert len(piece.fixed) >= 4
        assert np.ptp(piece.mesh.vertices[piece.fixed], axis=0)[[0, 2]].min() > 0.01  # wide both ways


def test_oak_pieces_stand_on_boundary_triangles_of_earlier_ones(oak):
    faces = {name: {frozenset(row) for row in piece.mesh.surface.tolist()} for name, piece in oak.pieces.items()}
    for number, placed in enumerate(oak.placements[1:], start=1):
        assert placed.parent < number
        parent = oak.placements[placed.parent].piece
        assert parent != "leaf"
        assert {frozenset(row) for row in placed.triangles.tolist()} <= faces[parent]


def test_oak_instances_share_slots(oak):
    """47 leaves on a twig, 30 on a branch, and a few places for wood, however many instances there are."""
    slots = {(oak.placements[p.parent].piece, id(p.triangles)) for p in oak.placements[1:]}
    assert len(slots) <= 47 + 30 + 30


def test_oak_base_is_sunk_into_its_parent(oak):
    """The base of wood lies within the parent's radius under its surface, and no base hangs in the air."""
    for number, placed in enumerate(oak.placements[1:], start=1):
        parent = oak.placements[placed.parent]
        base = oak.vertices(number)[oak.pieces[placed.piece].fixed].mean(axis=0)
        x = oak.vertices(placed.parent)[placed.triangles]
        seat_size = np.linalg.norm(np.ptp(x.reshape(-1, 3), axis=0))
        assert np.linalg.norm(base - x.mean(axis=(0, 1))) < seat_size
        outward = np.cross(x[:, 1] - x[:, 0], x[:, 2] - x[:, 0]).sum(axis=0)
        centroid = patch_centroid(oak.vertices(placed.parent), placed.triangles)
        np.testing.assert_allclose(oak.positions[number], centroid, atol=ROUNDING * max(1, parent.scale))
        if placed.piece != "leaf":
            assert (base - centroid) @ outward < 0


def test_oak_grows_a_crown_above_the_ground(oak):
    leaves = np.array([oak.positions[k] for k, placed in enumerate(oak.placements) if placed.piece == "leaf"])
    assert leaves[:, 1].min() > 1.2
    assert 4 < leaves[:, 1].max() < 7
    turns = np.arctan2(leaves[:, 2], leaves[:, 0])
    assert (np.histogram(turns, 8, (-np.pi, np.pi))[0] > 50).all()


def test_oak_is_the_same_every_time_and_another_seed_is_not(oak):
    again, other = ASSEMBLIES["oak"](), ASSEMBLIES["oak"](seed=1)
    rotations = [np.stack([placed.rotation for placed in each.placements]) for each in (oak, again, other)]
    np.testing.assert_array_equal(rotations[0], rotations[1])
    assert np.abs(rotations[0] - rotations[2]).max() > 0.1


def test_seat_is_a_patch_around_the_point_that_faces_one_way():
    ball = pl.shapes.sphere(0.5, 8)
    point = 0.5 * np.array([0.6, 0.8, 0.0])
    patch = seat(ball, point, 0.2)
    assert len(patch) > 4
    outward = ball.vertices[patch].mean(axis=1)
    assert (outward @ point > 0.8 * np.linalg.norm(outward, axis=1) * 0.5).all()
    assert np.linalg.norm(patch_centroid(ball.vertices, patch) - point) < 0.06
    plate = pl.shapes.box((1, 0.01, 1), (4, 1, 4))
    assert (plate.vertices[seat(plate, (0, 0.005, 0), 0.3)][..., 1] > 0).all()  # the back is near, but faces away


def test_seat_is_never_empty():
    assert len(seat(pl.shapes.box((1, 1, 1), (1, 1, 1)), (5, 5, 5), 1e-6)) >= 1


def test_assembly_says_what_is_wrong():
    mesh = pl.shapes.box((1, 1, 1), (2, 2, 2))
    pieces = {"box": Piece(mesh, mesh.select("y < -0.49"), 4)}
    top = seat(mesh, (0, 0.5, 0), 1.0)  # all of it
    root, child = Placement("box"), Placement("box", 0, top)
    assert Assembly(pieces, [root, child]).positions[1] == pytest.approx([0, 0.5, 0], abs=ROUNDING)
    for placements, message in (
        ([root, Placement("ball", 0, top)], "name a piece"),
        ([root, Placement("box", 1, top)], "earlier"),
        ([root, Placement("box", 0)], "triangles of its parent"),
        ([root, Placement("box", 0, np.array([[0, 1, 2]]))], "boundary triangles"),
        ([child], "earlier"),
    ):
        with pytest.raises(ArgumentError, match=message):
            Assembly(pieces, placements)
    with pytest.raises(ArgumentError, match="rotation"):
        Placement("box", rotation=np.diag([1.0, 1.0, -1.0]))


def test_labelled_repairs_fragments_and_refuses_rings():
    mesh = sdf.torus(0.5, 0.15).tets(0.1)
    balls = {f"p{k}": sdf.sphere(0.3).translate((0.5 * np.cos(k), 0, 0.5 * np.sin(k))) for k in np.arange(3) * 2.1}
    with pytest.raises(MeshError):
        labelled(mesh, balls)
    bar = sdf.box((1, 0.3, 0.3)).tets(0.1)
    halves = {"left": sdf.sphere(0.3).translate((-0.3, 0, 0)), "right": sdf.sphere(0.3).translate((0.3, 0, 0))}
    parts = labelled(bar, halves).cell_groups
    assert len(parts["left"]) + len(parts["right"]) == bar.cell_count


def test_blocks_refuse_a_folded_sweep():
    line = np.array([(0, 0, 0), (0, 1, 0), (0, 0.5, 0.0)])
    layers = tube(line, np.ones(3), flat_section(2, 2), (np.array([1.0, 0, 0]), np.array([0, 0, 1.0])))
    layers[2, ..., 1] = 0.5
    blocks = Blocks()
    blocks.sweep("part", layers)
    with pytest.raises(MeshError, match="folded"):
        blocks.mesh()
