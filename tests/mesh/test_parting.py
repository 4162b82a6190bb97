"""Parts made by hand: painted, cut, joined, named; found by thickness; and what is said of them."""

import numpy as np
import pytest

import pliant as pl
from pliant.errors import ArgumentError, MeshError
from pliant.mesh.parting import labels_of_runs, run_lengths
from pliant.mesh.thickness import thickness

CELL = 0.05  # [m] edge of the cells: how exactly they follow a plane or a ball


@pytest.fixture(scope="module")
def star():
    """A ball with three arms along x, -x and z."""
    sdf = pl.sdf
    arms = [sdf.capsule((0, 0, 0), end, 0.08) for end in ((0.9, 0, 0), (-0.9, 0, 0), (0, 0, 0.9))]
    return sdf.union(sdf.sphere(0.3), *arms).tets(0.05)


@pytest.fixture(scope="module")
def ring():
    return pl.shapes.torus(0.5, 0.12, (24, 6))


def middle(mesh, parting, part):
    return np.average(mesh.centroids[parting.labels == part], axis=0, weights=mesh.volumes[parting.labels == part])


def test_a_plane_cuts_the_limb_that_it_is_drawn_across_and_no_other(star):
    made = pl.Parting.of(star).cut((0.5, 0, 0), (1, 0, 0))
    assert made.count == 2
    assert star.centroids[made.labels == 1, 0].min() > 0.5 - 1e-9
    both = made.cut((0, 0, 0.5), (0, 0, 1))
    np.testing.assert_array_equal(np.bincount(both.labels)[1:].shape, (2,))
    slanting = pl.Parting.of(star).cut((0.5, 0, 0), (1, 0, 1))  # meets the arm along z at the same height
    assert star.centroids[slanting.labels == 1, 2].max() < 0.1


def test_a_click_on_a_limb_cuts_it_across_where_it_is(star):
    made = pl.Parting.of(star).limb_cut((0.55, 0, 0))
    cut = star.centroids[made.labels == 1]
    assert cut[:, 0].min() == pytest.approx(0.55, abs=2 * CELL)
    [interface] = made.interfaces
    assert interface.patches == 1
    assert interface.area == pytest.approx(
        np.pi * 0.08**2, rel=0.5
    )  # steps of faces around a disk are up to half as large again


def test_a_brush_paints_what_is_near_and_crumbs_go_to_neighbours(star):
    made = pl.Parting.of(star).painted([(0.7, 0, 0), (0.85, 0, 0)], 0.15)
    assert made.is_whole
    assert star.centroids[made.labels == 1, 0].min() > 0.5
    more = made.painted([(0.5, 0, 0)], 0.12, "part 1")
    assert more.volumes[1] > made.volumes[1]
    assert more.count == 2
    # Half of the skin of an arm leaves nothing behind that hangs apart.
    assert pl.Parting.of(star).painted([(0.6, 0.08, 0)], 0.1).is_whole


def test_parts_are_joined_split_named_and_counted(star):
    parts = pl.Parting.of(star).cut((0.4, 0, 0), (1, 0, 0)).cut((-0.4, 0, 0), (-1, 0, 0)).renamed(0, "body")
    assert parts.names == ("body", "part 1", "part 2")
    assert parts.said[0] == "3 parts make a tree"
    one = parts.joined("body", "part 2")
    assert one.names == ("body", "part 1")
    assert one.volumes.sum() == pytest.approx(1)
    halves = one.split("part 1")
    assert halves.count == 3
    assert halves.is_whole
    loose = parts.joined("part 1", "part 2")
    assert loose.pieces[loose.number("part 1")] == 2
    assert "part 1 is in 2 pieces" in loose.said[0]
    with pytest.raises(MeshError, match="every part must be in one piece"):
        _ = loose.domains
    again = loose.split("part 1")
    assert again.is_whole
    assert sorted(np.bincount(again.labels)) == sorted(np.bincount(parts.labels))


def test_circles_are_said_and_so_is_what_is_small(ring):
    parts = pl.Parting.of(ring)
    x = ring.centroids
    angle = np.arctan2(*(x[:, np.argsort(-np.ptp(x, axis=0))[:2]].T))
    parts = pl.Parting.of(ring, np.floor((angle + np.pi) / (2 * np.pi / 3)).clip(0, 2).astype(int))
    assert "one circle of parts, which seams take and trees do not" in parts.said[0]
    small = pl.Parting.of(ring).painted([x[0]], 0.04)
    assert any("is small" in each for each in small.said)


def test_thickness_is_that_of_the_largest_ball_inside(star):
    thick = thickness(star)
    body = np.linalg.norm(star.centroids, axis=1) < 0.15
    arm = np.abs(star.centroids[:, 0] - 0.6) < 0.1
    assert np.median(thick[body]) == pytest.approx(0.6, abs=2 * CELL)
    assert np.median(thick[arm]) == pytest.approx(0.16, abs=2 * CELL)
    labels = pl.split(star, method="thickness")
    assert np.bincount(labels).shape == (4,)
    body_part = labels[np.linalg.norm(star.centroids, axis=1).argmin()]
    for k in set(range(4)) - {body_part}:
        assert np.linalg.norm(star.centroids[labels == k], axis=1).min() > 0.2
    assert pl.split(star, 3, "thickness").max() == 2


def test_parts_by_vibration_are_the_arms(star):
    solid = pl.Solid(star, pl.StVK(1e6, 0.3, 1000))
    labels = pl.vibration_parts(solid, 4)
    parts = pl.Parting.of(star, labels)
    assert (parts.count, parts.is_whole) == (4, True)
    tips = [
        labels[np.linalg.norm(star.centroids - tip, axis=1).argmin()]
        for tip in ((0.9, 0, 0), (-0.9, 0, 0), (0, 0, 0.9))
    ]
    assert len({*tips, labels[np.linalg.norm(star.centroids, axis=1).argmin()]}) == 4


def test_labels_are_written_as_runs_and_read_again():
    labels = np.random.default_rng(0).integers(0, 4, 200)
    np.testing.assert_array_equal(labels_of_runs(run_lengths(labels), 200), labels)
    with pytest.raises(MeshError, match="the labels are of 200 cells, and the mesh has 7"):
        labels_of_runs(run_lengths(labels), 7)
    for wrong in ("", "0*", "a*3", "0*-3", "1*2*3", "0*99999999999999999999"):
        with pytest.raises(MeshError, match="labels are written as runs"):
            labels_of_runs(wrong, 3)


def test_what_cannot_be_done_is_refused_in_a_sentence(star):
    parts = pl.Parting.of(star)
    with pytest.raises(ArgumentError, match="does not cut part 0"):
        parts.cut((9, 0, 0), (1, 0, 0), "part 0")
    with pytest.raises(ArgumentError, match="normal of a cut"):
        parts.cut((0, 0, 0), (0, 0, 0))
    with pytest.raises(ArgumentError, match="joined to itself"):
        parts.joined(0, 0)
    with pytest.raises(ArgumentError, match="there is no part 'tail'"):
        parts.renamed("tail", "x")
    with pytest.raises(ArgumentError, match="names must be"):
        pl.Parting.of(star, names=["a", "b"], labels=np.zeros(star.cell_count))
    with pytest.raises(MeshError, match="a shell cannot be cut"):
        pl.Parting.of(pl.shapes.sheet((1, 1), (3, 3)))
    two = parts.cut((0.5, 0, 0), (1, 0, 0)).renamed(1, "tip")
    with pytest.raises(ArgumentError, match="cannot both be 'tip'"):
        two.renamed(0, "tip")
