"""Cuts at narrow places: where a person would cut, flat, small, and in circles only where the shape goes round."""

import numpy as np
import pytest
from scipy.sparse.csgraph import connected_components

import pliant as pl
from pliant.errors import ArgumentError
from pliant.mesh import domains_of, read_mesh, shapes, split
from pliant.mesh.topology import shared_faces

FLAT = 1e-12  # of a bar: its cells have a plane of faces where it is cut
NEARLY_FLAT = 0.35  # of unstructured cells, three to the thickness of a limb: the steps of single cells


def blocks(cells, edge=0.1):
    """Tets, six to a block, of blocks (k, 3) of whole-number places."""
    corners = np.array([[b & 1, b >> 1 & 1, b >> 2] for b in range(8)])
    kuhn = np.array([[0, 1, 3, 7], [0, 1, 7, 5], [0, 5, 7, 4], [0, 3, 2, 7], [0, 2, 6, 7], [0, 6, 4, 7]])
    vertices, ids = np.unique((np.array(cells)[:, None] + corners).reshape(-1, 3), axis=0, return_inverse=True)
    return pl.Mesh(edge * vertices, ids.reshape(-1, 8)[:, kuhn].reshape(-1, 4))


def comb(teeth=4):
    spine = [(x, y, z) for x in range(6 * teeth) for y in range(2) for z in range(2)]
    tooth = [(x, y, z) for x in (2, 3) for y in range(2, 10) for z in range(2)]
    return blocks(spine + [(6 * t + x, y, z) for t in range(teeth) for x, y, z in tooth])


def dumbbell():
    return blocks(
        [(x, y, z) for x in range(20) for y in range(6) for z in range(6) if abs(x - 9.5) > 4 or y in z_in(z)]
    )


def z_in(z):
    return (2, 3) if z in (2, 3) else ()


def window():
    """A frame with two openings: two circles."""
    return blocks([(x, y, 0) for x in range(21) for y in range(11) if x % 10 == 0 or y % 10 == 0])


MESHES = {
    "bar": shapes.bar((10, 1, 1), (30, 3, 3)),
    "bricks": shapes.bar((10, 1, 1), (30, 3, 3), "hex"),
    "ring": shapes.torus(0.5, 0.1, (3, 40)),
    "comb": comb(),
    "dumbbell": dumbbell(),
    "window": window(),
    "spoon": shapes.spoon(),
}
CIRCLES = {"ring": 1, "window": 2}


def euler_circles(mesh):
    """b1 = b0 - chi of a body without cavities."""
    faces = len(shared_faces(mesh.cells)[0]) + len(mesh.surface) // (1 if mesh.kind == "tet" else 2)
    return mesh.components[0] - (mesh.vertex_count - len(mesh.edges) + faces - mesh.cell_count)


def planes(domains):
    """Area, and rms distance from its plane over its size, of every interface."""
    for triangles in domains.interfaces.values():
        p = domains.mesh.vertices[triangles]
        areas = np.linalg.norm(np.cross(p[:, 1] - p[:, 0], p[:, 2] - p[:, 0]), axis=1) / 2
        centres = p.mean(axis=1) - np.average(p.mean(axis=1), axis=0, weights=areas)
        spread = np.linalg.eigvalsh((centres * areas[:, None]).T @ centres / areas.sum())
        yield areas.sum(), np.sqrt(max(0.0, spread[0]) / spread[2])


def check_connected(mesh, labels):
    for part in range(labels.max() + 1):
        cells = np.flatnonzero(labels == part)
        assert connected_components(mesh.cell_adjacency[cells][:, cells], directed=False)[0] == 1


@pytest.mark.parametrize("name", MESHES)
def test_narrow_parts_go_round_where_the_shape_does(name):
    mesh = MESHES[name]
    labels = split(mesh)
    domains = domains_of(mesh, labels)
    assert euler_circles(mesh) == CIRCLES.get(name, 0)
    assert domains.count > 1
    assert domains.loops == CIRCLES.get(name, 0)
    domains.check_contacts()  # interfaces do not touch each other
    check_connected(mesh, labels)


@pytest.mark.parametrize("name", ["bar", "bricks", "dumbbell"])
def test_narrow_interfaces_are_planes_of_a_grid(name):
    assert all(flat < FLAT for _, flat in planes(domains_of(MESHES[name], split(MESHES[name]))))


@pytest.mark.parametrize(("name", "count", "least"), [("comb", 8, 7 * 0.04), ("window", 8, 9 * 0.01)])
def test_narrow_interfaces_are_as_small_as_they_can_be(name, count, least):
    """Every cut is a cross-section of a straight limb; of parts that close c circles there are count - 1 + c."""
    assert sum(area for area, _ in planes(domains_of(MESHES[name], split(MESHES[name], count)))) == pytest.approx(least)


@pytest.mark.parametrize(("name", "count", "ratio"), [("comb", 8, 0.9), ("dumbbell", 3, 0.5), ("spoon", 6, 1.0)])
def test_narrow_interfaces_are_smaller_than_balanced_ones(name, count, ratio):
    mesh = MESHES[name]
    narrow, balanced = (
        sum(area for area, _ in planes(domains_of(mesh, split(mesh, count, method))))
        for method in ("narrow", "balanced")
    )
    assert narrow < ratio * balanced


@pytest.mark.parametrize("count", [2, 3, 5, 8])
def test_a_bar_is_cut_across_into_parts_of_like_length(count):
    mesh = MESHES["bar"]
    labels = split(mesh, count)
    domains = domains_of(mesh, labels)
    assert domains.count == count
    assert domains.loops == 0
    assert sum(area for area, _ in planes(domains)) == pytest.approx(count - 1)
    assert np.bincount(labels, mesh.volumes).min() > 0.55 * 10 / count


def test_the_teeth_of_a_comb_are_parts():
    mesh = MESHES["comb"]
    labels = split(mesh)
    high = mesh.centroids[:, 1] > 0.55  # half of a tooth; these are two cells thick
    parts = [set(labels[high & (np.abs(mesh.centroids[:, 0] - 0.6 * t - 0.3) < 0.1)]) for t in range(4)]
    assert all(len(part) == 1 for part in parts)
    assert len(set.union(*parts)) == 4


def test_a_lump_stays_whole():
    assert not split(shapes.bar((1, 1, 1), (6, 6, 6))).any()


def test_split_takes_a_solid_and_is_reproducible():
    solid = pl.Solid(MESHES["dumbbell"], pl.StVK(1e6, 0.3, 1000))
    assert np.array_equal(split(solid), split(MESHES["dumbbell"]))


def test_split_of_a_real_body(real_mesh):
    mesh = read_mesh(real_mesh("octopus-low.mesh"), clip=True)
    labels = split(mesh)
    domains = domains_of(mesh, labels)
    assert domains.loops == 0
    assert domains.count >= 8  # eight arms
    check_connected(mesh, labels)
    assert max(flat for _, flat in planes(domains)) < NEARLY_FLAT


def test_split_says_what_it_needs():
    with pytest.raises(ArgumentError, match="Mesh or Solid; str was given"):
        split("mesh")
    with pytest.raises(ArgumentError, match="but how many"):
        split(MESHES["bar"], method="balanced")
