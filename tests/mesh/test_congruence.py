"""Loose pieces of a soup that are copies of each other: found with rotation, scale and mirror, in any order."""

import numpy as np
import pytest

import pliant as pl
from pliant.errors import ArgumentError
from pliant.mesh.congruence import MIRROR, congruent_pieces, loose_piece
from pliant.numerics import rotation_exponential
from pliant.scenes.models.oak import oak

ROUNDING = 1e-9  # of numbers in a file with 15 digits, over the size
FILE_DIGITS = 1e-5  # of one with six, over the size of a piece that is a tenth of all


def leaf(seed=0):
    """No symmetry at all, closed."""
    mesh = pl.shapes.bar((1.0, 0.4, 0.1), (4, 2, 1))
    X = mesh.vertices + 0.03 * np.random.default_rng(seed).standard_normal(mesh.vertices.shape)
    return pl.Surface(X, mesh.surface)


def soup_of(pieces):
    """Surfaces in one, every triangle with corners of its own, as .stl has them."""
    corners = np.concatenate([piece.vertices[piece.triangles].reshape(-1, 3) for piece in pieces])
    return pl.Surface(corners, np.arange(len(corners)).reshape(-1, 3))


def copies(surface, count, seed, mirrored=(), shuffled=False):
    rng = np.random.default_rng(seed)
    made, truth = [], []
    for k in range(count):
        R, s, t = rotation_exponential(rng.uniform(-2, 2, 3)), rng.uniform(0.2, 3), rng.uniform(-30, 30, 3)
        X = surface.vertices * MIRROR if k in mirrored else surface.vertices
        order = rng.permutation(len(surface.triangles)) if shuffled else slice(None)
        made.append(pl.Surface(s * X @ R.T + t, surface.triangles[order]))
        truth.append((R, s, t))
    return made, truth


@pytest.mark.parametrize("shuffled", [False, True])
def test_copies_in_a_soup_are_found_with_rotation_scale_and_mirror(shuffled):
    mirrored = (2, 5)
    first, truth = copies(leaf(), 8, 1, mirrored, shuffled)
    others, _ = copies(leaf(seed=7), 3, 2)
    found = congruent_pieces(soup_of([*first, *others]))
    assert list(found.counts) == [8, 3]
    R0, s0, t0 = truth[0]
    for k, (copy, (R, s, t)) in enumerate(zip(found.copies, truth)):
        X = (leaf().vertices @ R0.T) * s0 + t0
        wanted = s * (leaf().vertices * (MIRROR if k in mirrored else 1)) @ R.T + t
        np.testing.assert_allclose(copy.placed(X), wanted, atol=ROUNDING * 30)
        assert (copy.mirrored, copy.shape) == (k in mirrored, 0)
        assert copy.scale == pytest.approx(s / s0)
    assert len({tuple(colour) for colour in found.colours}) == 3, "two shapes, and paler mirrored ones"


def test_numbers_with_six_digits_still_match_and_other_shapes_do_not(tmp_path):
    made, _ = copies(leaf(), 5, 3)
    near, _ = copies(pl.Surface(leaf().vertices * (1, 1.02, 1), leaf().triangles), 1, 4)
    soup = soup_of([*made, *near])
    rounded = pl.Surface(np.round(soup.vertices / 60, 6), soup.triangles)
    assert list(congruent_pieces(rounded).counts) == [5, 1]


@pytest.fixture(scope="module")
def plain_oak(tmp_path_factory):
    """Our oak as one plain file of triangles."""
    mesh = oak().mesh
    path = tmp_path_factory.mktemp("oak") / "oak.obj"
    pl.Surface(mesh.vertices, mesh.surface).write(path)
    return path


def test_leaves_of_the_oak_are_found_in_one_plain_file(plain_oak):
    found, grown = pl.congruent_pieces(plain_oak), oak().placements
    assert sorted(found.counts) == [1, 1, 5, 12, 22, 1394]
    for copy, placed in zip(found.copies, grown):
        first = grown[found.leaders[copy.shape]]
        assert placed.piece == first.piece
        np.testing.assert_allclose(copy.rotation, placed.rotation @ first.rotation.T, atol=ROUNDING)
        assert copy.scale == pytest.approx(placed.scale / first.scale, rel=ROUNDING)


def test_the_plain_oak_is_a_tree_whose_leaves_stand_on_their_twigs(plain_oak, tmp_path):
    """Where twigs touch each other it is not known which one a leaf grew on: below half a per cent are elsewhere."""
    from pliant.scenes import load_scene, scene_of_pieces

    scene, grown = scene_of_pieces(plain_oak), oak().placements
    parents = {place.name: place.on for place in scene.file.place}
    strays = [
        k for k, placed in enumerate(grown) if placed.parent >= 0 and parents[f"piece {k}"] != f"piece {placed.parent}"
    ]
    assert len(strays) < 0.005 * len(grown)
    saved = plain_oak.parent / "oak.toml"
    scene.save(saved)
    tree = load_scene(saved).build()
    assert len({limb.model for limb in tree.limbs}) == 6
    surface = pl.read_surface(plain_oak)
    drawn = np.sort(tree.vertices(), axis=0)
    np.testing.assert_allclose(drawn, np.sort(surface.vertices[np.unique(surface.triangles)], axis=0), atol=1e-6)
    assert len(np.unique(tree.colours, axis=0)) == 5, "one a shape, and one for trunk and crown, which have no copies"


def test_one_piece_of_a_file_is_a_part(tmp_path):
    made, _ = copies(leaf(), 3, 5)
    soup = soup_of(made)
    soup.write(tmp_path / "leaves.obj")
    scene = tmp_path / "one.toml"
    scene.write_text('[[part]]\nsurface = "leaves.obj"\npiece = 1\nedge = 0.1\nfixed = "x < -100"\n')
    mesh = pl.load_scene(scene).bodies[0].mesh
    np.testing.assert_allclose(mesh.vertices.mean(axis=0), made[1].vertices.mean(axis=0), atol=0.3)
    assert len(loose_piece(soup, 2).triangles) == len(leaf().triangles)


def test_what_cannot_be_a_tree_of_pieces_is_refused_in_a_sentence(tmp_path):
    from pliant.app.opening import is_scene, open_pieces
    from pliant.scenes import scene_of_pieces

    leaf().write(tmp_path / "leaf.obj")
    with pytest.raises(pl.PliantError, match="is in one piece"):
        scene_of_pieces(tmp_path / "leaf.obj")
    with pytest.raises(pl.PliantError, match="piece must be"):
        loose_piece(leaf(), 1)
    with pytest.raises(ArgumentError, match="--parts does not go with --pieces"):
        open_pieces("leaf.obj", {"parts": 3})
    with pytest.raises(ArgumentError, match=r"write a \[\[place\]\]"):
        is_scene("oak", {"pieces": True})
    with pytest.raises(pl.PliantError, match="tolerance"):
        pl.congruent_pieces(leaf(), tolerance=0)
    (tmp_path / "a.msh").write_text("$MeshFormat")
    with pytest.raises(pl.PliantError, match="no loose triangles"):
        scene_of_pieces(tmp_path / "a.msh")
