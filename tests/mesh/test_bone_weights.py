"""Weights of bones: from skeletons, from artists' arrays, and into the interior (maths sheet momentum 7)."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import pliant as pl
from pliant.errors import ArgumentError, FileError
from pliant.mesh import Surface, shapes
from pliant.mesh.bones import Dab, Skeleton, bone_weights, read_skeleton
from pliant.mesh.bones.interior import into_interior

BAR = shapes.bar((4, 0.6, 0.6), (16, 3, 3))
TWO = [[(0.2, 0, 0), (1.8, 0, 0)], [(2.2, 0, 0), (3.8, 0, 0)]]
ROUNDING = 1e-12


def check(weights, mesh, bones):
    assert weights.shape == (mesh.vertex_count, bones)
    assert weights.min() >= -ROUNDING
    assert weights.max() <= 1 + ROUNDING
    np.testing.assert_allclose(weights.sum(axis=1), 1, atol=1e-9)


@pytest.mark.parametrize("kind", ["biharmonic", "heat"])
@pytest.mark.parametrize("cells", ["tet", "hex", "tet10"])
def test_weights_are_shares_and_each_bone_has_its_own_end(kind, cells):
    mesh = shapes.bar((4, 0.6, 0.6), (16, 3, 3), kind=cells)
    w = bone_weights(mesh, TWO, kind=kind)
    check(w, mesh, 2)
    x = mesh.vertices[:, 0]
    assert min(w[x < 0.5, 0].min(), w[x > 3.5, 1].min()) > 0.9
    middle = w[np.abs(x - 2) < 1e-9, 0]
    assert np.abs(middle - 0.5).max() < 0.1  # a mirror image, but for how tets lean


@settings(max_examples=20)
@given(st.integers(0, 10_000))
def test_interior_keeps_bounds_and_sums_and_is_the_mean_of_its_neighbours(seed):
    """The maximum principle of the graph Laplacian, for any values on the surface."""
    values = np.random.default_rng(seed).dirichlet(np.full(3, 0.2), len(BAR.surface_vertices))
    w = into_interior(BAR, BAR.surface_vertices, values)
    check(w, BAR, 3)
    np.testing.assert_array_equal(w[BAR.surface_vertices], values)
    v = np.setdiff1d(np.arange(BAR.vertex_count), BAR.surface_vertices)[0]
    around = np.unique(BAR.edges[(BAR.edges == v).any(axis=1)])
    around = around[around != v]
    shares = 1 / np.linalg.norm(BAR.vertices[around] - BAR.vertices[v], axis=1)
    np.testing.assert_allclose(w[v], shares @ w[around] / shares.sum(), atol=1e-10)


def test_points_are_bones_and_weights_are_taken_as_given():
    w = bone_weights(BAR, [(0.5, 0, 0), (3.5, 0, 0)], kind="heat")
    check(w, BAR, 2)
    np.testing.assert_allclose(bone_weights(BAR, w), w, atol=1e-12)
    outer = bone_weights(BAR, w[BAR.surface_vertices])
    np.testing.assert_allclose(outer, w, atol=1e-9)  # heat comes from the surface as well
    surface = Surface(BAR.vertices[BAR.surface_vertices], np.searchsorted(BAR.surface_vertices, BAR.surface))
    np.testing.assert_allclose(bone_weights(BAR, w[BAR.surface_vertices], on=surface), w, atol=1e-7)


def test_bad_weights_and_bones_are_refused_in_a_sentence(tmp_path):
    w = np.full((BAR.vertex_count, 2), 0.5)
    w[7] = 0
    with pytest.raises(ArgumentError, match="vertex 7 with 0, which no bone moves"):
        bone_weights(BAR, w)
    w[7] = 1.5, -0.5
    with pytest.raises(ArgumentError, match="vertex 7 is -0.5"):
        bone_weights(BAR, w)
    with pytest.raises(ArgumentError, match="arm lies .* m outside the mesh"):
        bone_weights(BAR, Skeleton([[(0, 0, 0), (400, 0, 0)]], ["arm"]))
    with pytest.raises(ArgumentError, match="no vertex of its own"):
        bone_weights(BAR, [TWO[0], TWO[0]])
    (tmp_path / "bad.tgf").write_text("1 0 0 0\n2 1 0\n#\n1 2\n")
    with pytest.raises(FileError, match="line 2 of bad.tgf is no point"):
        read_skeleton(tmp_path / "bad.tgf")
    (tmp_path / "loose.tgf").write_text("1 0 0 0\n2 1 0 0\n#\n1 3\n")
    with pytest.raises(FileError, match="line 4 of loose.tgf is no bone: there is no point 3"):
        read_skeleton(tmp_path / "loose.tgf")
    with pytest.raises(ArgumentError, match="all different"):
        Skeleton(TWO, ["arm", "arm"])


def test_skeleton_tells_how_far_points_are_from_bones():
    d, places = Skeleton(TWO).distances(np.array([[1.0, 0.3, 0.4], [0.0, 0, 0]]))
    np.testing.assert_allclose(d, [[0.5, np.hypot(1.2, 0.5)], [0.2, 2.2]])
    np.testing.assert_allclose(places[0, 0], [1, 0, 0])


def test_arm_of_somebody_else_gets_weights_like_its_own(real_mesh):
    """A skeleton of four bones, and an artist's weights on its surface."""
    skeleton, surface = read_skeleton(real_mesh("arm.tgf")), pl.read_surface(real_mesh("arm.obj"))
    assert skeleton.ends.shape == (4, 2, 3)
    text = real_mesh("arm-weights.dmat").read_text().split()
    columns, rows = int(text[0]), int(text[1])
    theirs = np.array(text[2:], dtype=float).reshape(columns, rows).T
    mesh = pl.voxelise(surface, 64, keep="all")
    given = bone_weights(mesh, theirs / theirs.sum(axis=1, keepdims=True), on=surface)
    check(given, mesh, 4)
    for kind in ("heat", "biharmonic"):
        ours = bone_weights(mesh, skeleton, kind=kind)
        check(ours, mesh, 4)
        assert (ours.argmax(axis=1) == given.argmax(axis=1)).mean() > 0.8


def test_parts_of_a_mesh_have_bones_along_them():
    """Of a rod in two parts each bone lies in the middle of its own, 0.6 of its length; a cube has a point."""
    rod = pl.shapes.bar((4, 0.3, 0.3), (16, 2, 2))
    labels = (rod.centroids[:, 0] > 2).astype(int)
    skeleton = Skeleton.of_parts(rod, labels, ["head", "tail"])
    ends = np.sort(skeleton.ends[..., 0], axis=1)
    np.testing.assert_allclose(ends, [[1 - 0.6, 1 + 0.6], [3 - 0.6, 3 + 0.6]], atol=0.02)
    np.testing.assert_allclose(
        skeleton.ends[..., 1:], 0.0 * ends[..., None] + rod.centroids[:, 1:].mean(axis=0), atol=0.02
    )
    cube = pl.shapes.box((1, 1, 1), (4, 4, 4))
    [[a, b]] = Skeleton.of_parts(cube, np.zeros(cube.cell_count, int)).ends
    np.testing.assert_allclose(a, b)
    np.testing.assert_allclose(a, cube.centroids.mean(axis=0), atol=1e-12)
    shares = bone_weights(rod, skeleton)
    assert shares[rod.vertices[:, 0] < 0.5, 0].min() > 0.8
    with pytest.raises(ArgumentError, match="labels must be one a cell, from 0, and no part without a cell"):
        Skeleton.of_parts(rod, 2 * labels)


@settings(max_examples=20)
@given(st.integers(0, 10_000))
def test_painted_weights_stay_shares_whatever_is_painted(seed):
    rng = np.random.default_rng(seed)
    skeleton = Skeleton(TWO, ["head", "tail"])
    surface = BAR.vertices[BAR.surface_vertices]
    dabs = [
        Dab(
            str(rng.choice(skeleton.names)),
            rng.choice(surface, 3),
            rng.uniform(0.2, 1),
            rng.choice([0, 1, rng.random()]),
        )
        for _ in range(4)
    ]
    reach = {"tail": float(np.exp(rng.normal()))}
    check(bone_weights(BAR, skeleton, "heat", reach=reach, paint=dabs), BAR, 2)


def test_a_dab_gives_a_bone_what_it_covers_and_a_reach_its_share():
    skeleton = Skeleton(TWO, ["head", "tail"])
    plain = bone_weights(BAR, skeleton, "heat")
    ids = BAR.surface_vertices
    v = ids[np.argmin(np.linalg.norm(BAR.vertices[ids] - BAR.vertices[ids[0]] * [0, 1, 1] - [2, 0, 0], axis=1))]
    for share in (0.0, 0.3, 1.0):
        w = bone_weights(BAR, skeleton, "heat", paint=[Dab("tail", BAR.vertices[v], 0.5, share)])
        assert w[v, 1] == pytest.approx(share, abs=1e-12)
        far = ids[np.linalg.norm(BAR.vertices[ids] - BAR.vertices[v], axis=1) >= 0.5]
        np.testing.assert_allclose(w[far], plain[far], atol=1e-12)
        d = np.linalg.norm(BAR.vertices[ids] - BAR.vertices[v], axis=1) / 0.5
        b = np.clip(1 - d**2, 0, None) ** 2
        np.testing.assert_allclose(w[ids, 1], (1 - b) * plain[ids, 1] + b * share, atol=1e-9)
    wide = bone_weights(BAR, skeleton, "heat", reach={"tail": 3.0})
    w = plain[ids]
    np.testing.assert_allclose(wide[ids, 1], 3 * w[:, 1] / (w[:, 0] + 3 * w[:, 1]), atol=1e-9)
    with pytest.raises(ArgumentError, match="no bone 'wing'"):
        bone_weights(BAR, skeleton, "heat", reach={"wing": 2.0})
    with pytest.raises(ArgumentError, match="a dab for tail reaches no vertex"):
        bone_weights(BAR, skeleton, "heat", paint=[Dab("tail", (9, 9, 9), 0.1)])
    with pytest.raises(ArgumentError, match="reach of tail must be"):
        bone_weights(BAR, skeleton, "heat", reach={"tail": 0.0})
    with pytest.raises(ArgumentError, match="weights that are given"):
        bone_weights(BAR, plain, reach={"tail": 2.0})
