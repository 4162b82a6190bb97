"""Domains of labelled meshes: submeshes, interfaces, trees, and the graphs that are refused."""

from itertools import pairwise

import numpy as np
import pytest

from pliant.errors import ArgumentError, MeshError
from pliant.mesh import Mesh, shapes
from pliant.mesh.domain_tree import grown_tree, least_deep_root
from pliant.mesh.domains import domains_of, labels_of_groups
from pliant.mesh.grid import Grid, filled_mesh

ROUNDING = 1e-12


def grid_mesh(parts, kind="hex"):
    """The cubes of a picture, one letter a part, "." empty; and their labels in the order of the alphabet."""
    letters = np.array([list(row) for row in parts])[:, :, None]
    mesh = filled_mesh(Grid(np.zeros(3), 1.0, letters.shape), letters != ".", kind)
    cubes = np.floor(mesh.centroids).astype(int)
    _, labels = np.unique(letters[tuple(cubes.T)], return_inverse=True)
    return mesh, labels.ravel()


@pytest.fixture(params=["tet", "hex"])
def kind(request):
    return request.param


@pytest.fixture
def chain(kind):
    mesh = shapes.bar((4, 2, 2), (4, 2, 2), kind=kind)
    return domains_of(mesh, (mesh.centroids[:, 0] - mesh.bounds[0, 0]).astype(int))


def test_submeshes_hold_the_cells_of_their_label(chain):
    for part, domain in enumerate(chain.parts):
        np.testing.assert_array_equal(domain.cells, np.flatnonzero(chain.labels == part))
        np.testing.assert_array_equal(domain.vertices[domain.mesh.cells], chain.mesh.cells[domain.cells])
        np.testing.assert_array_equal(domain.mesh.vertices, chain.mesh.vertices[domain.vertices])
        np.testing.assert_array_equal(domain.local(domain.vertices), np.arange(len(domain.vertices)))


def test_interfaces_have_the_area_and_the_side(chain):
    assert list(chain.interfaces) == [(0, 1), (1, 2), (2, 3)]
    for i in range(3):
        for here, there, normal in ((i, i + 1, 1.0), (i + 1, i, -1.0)):
            a, b, c = (chain.mesh.vertices[chain.interface(here, there)[:, k]] for k in range(3))
            area = np.cross(b - a, c - a).sum(axis=0) / 2
            np.testing.assert_allclose(area, [4 * normal, 0, 0], atol=ROUNDING)  # outward from `here`


def test_interfaces_lie_on_the_surface_of_both_sides(chain):
    for (i, j), triangles in chain.interfaces.items():
        for part in (i, j):
            local = chain.parts[part].local(triangles)
            assert np.isin(local, chain.parts[part].mesh.surface_vertices).all()


def test_tree_has_parents_first(chain):
    tree = chain.rooted(1)
    assert tree.order == (1, 0, 2, 3)
    assert tree.parents == (1, -1, 1, 2)
    assert tree.depths == (1, 0, 1, 2)
    assert tree.children == ((), (0, 2), (3,), ())
    assert [tree.order[place] for place in tree.places] == [0, 1, 2, 3]


def test_root_is_the_part_that_holds_the_fixed_vertices(chain):
    x = chain.mesh.vertices[:, 0] - chain.mesh.bounds[0, 0]
    assert chain.root_of(np.flatnonzero(x > 4 - 1e-9)) == 3
    assert chain.root_of(np.flatnonzero(np.abs(x - 2) < 1e-9)) == 1  # on an interface: the first of the two
    assert chain.root_of([]) == 1
    with pytest.raises(ArgumentError, match=r"one part.*part 0 \(9\), part 3 \(9\)"):
        chain.root_of(np.flatnonzero((x < 1e-9) | (x > 4 - 1e-9)))


def test_message_about_many_parts_stays_short():
    domains = domains_of(*grid_mesh(["abcdefgh"]))
    with pytest.raises(ArgumentError, match=r"they lie in part 0 .*, part 5 \(\d+\), \.\.\.: fix"):
        domains.root_of(np.arange(domains.mesh.vertex_count))


def test_cycle_is_shown_with_its_names(kind):
    mesh, labels = grid_mesh(["aab.", "d.b.", "dcce"], kind)
    domains = domains_of(mesh, labels, ["ring", "crown", "seal", "stone", "tail"])
    with pytest.raises(MeshError, match="circle: .*; join") as caught:
        domains.rooted(4)
    shown = str(caught.value).split("circle: ")[1].split(";")[0].split(" - ")
    assert shown[0] == shown[-1]
    assert len(shown) == 5
    assert set(shown) == {"ring", "crown", "seal", "stone"}
    numbers = [domains.names.index(name) for name in shown]
    assert all((min(pair), max(pair)) in domains.interfaces for pair in pairwise(numbers))


def test_parts_that_touch_in_an_edge_are_refused(kind):
    mesh, labels = grid_mesh([".b", "ca", "aa"], kind)
    with pytest.raises(MeshError, match="part 1 and part 2 share 2 vertices but no face"):
        domains_of(mesh, labels).rooted(0)


def test_vertices_shared_outside_the_interface_are_refused(kind):
    """Both parts meet in a face, go round a hole, and touch again in an edge."""
    mesh, labels = grid_mesh(["aab", "a.b", ".bb"], kind)
    with pytest.raises(MeshError, match="part 0 and part 1 share 2 vertices outside their interface"):
        domains_of(mesh, labels).rooted(0)


def test_two_patches_are_one_interface(kind):
    mesh, labels = grid_mesh(["aab", "a.b", "abb"], kind)
    domains = domains_of(mesh, labels)
    assert domains.rooted(0).parents == (-1, 0)
    a, b, c = (mesh.vertices[domains.interface(0, 1)[:, k]] for k in range(3))
    assert np.linalg.norm(np.cross(b - a, c - a), axis=1).sum() / 2 == pytest.approx(2)


def test_loose_parts_are_named(kind):
    mesh, labels = grid_mesh(["aa.bb"], kind)
    with pytest.raises(MeshError, match="tail cannot be reached from head"):
        domains_of(mesh, labels, ["head", "tail"]).rooted(0)


def test_part_in_two_pieces_is_refused(kind):
    mesh, labels = grid_mesh(["abba"], kind)
    with pytest.raises(MeshError, match="part 0 is in 2 pieces of"):
        domains_of(mesh, labels)


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        ([0, 2, 2, 2], "no cell has 1"),
        ([1, 1, 2, 2], "no cell has 0"),
        ([0, 1, 2 * 10**9, 0], "no cell has 2"),
        ([0, 1e300, 0, 1], "whole numbers"),
        ([0, -1, 0, 0], "whole numbers"),
        ([0, 0.5, 0, 1], "whole"),
        ([0, 0], "shape"),
    ],
)
def test_bad_labels_are_refused(labels, message):
    mesh, _ = grid_mesh(["aaaa"])
    with pytest.raises(ArgumentError, match=message):
        domains_of(mesh, labels)


def test_labels_leave_the_mesh_as_it_was():
    mesh, labels = grid_mesh(["aabb"])
    domains_of(mesh, labels)
    assert mesh.components[0] == 1


def test_names_must_be_different_and_one_a_part():
    mesh, labels = grid_mesh(["aabb"])
    for names in (["a"], ["a", "a"], "ab"):
        with pytest.raises(ArgumentError, match="2 different texts"):
            domains_of(mesh, labels, names)


def test_groups_are_labels_in_their_order():
    mesh, labels = grid_mesh(["aabb"])
    groups = {"late": np.flatnonzero(labels == 1), "early": np.flatnonzero(labels == 0)}
    found, names = labels_of_groups(Mesh(mesh.vertices, mesh.cells, cell_groups=groups))
    np.testing.assert_array_equal(found, 1 - labels)
    assert names == ("late", "early")
    with pytest.raises(MeshError, match="2 of 4 have none"):
        labels_of_groups(Mesh(mesh.vertices, mesh.cells, cell_groups={"late": groups["late"]}))
    with pytest.raises(MeshError, match="must not overlap"):
        labels_of_groups(Mesh(mesh.vertices, mesh.cells, cell_groups={"all": np.arange(4), **groups}))


def test_least_deep_root_of_random_trees_is_the_centre():
    """Against the depth from every root."""
    rng = np.random.default_rng(3)
    for count in (1, 2, 3, 8, 15, 30):
        graph = [[] for _ in range(count)]
        for child in range(1, count):
            parent = int(rng.integers(max(0, child - 4), child))
            graph[parent].append(child)
            graph[child].append(parent)
        names = [str(i) for i in range(count)]
        depths = [max(grown_tree(graph, names, root).depths) for root in range(count)]
        assert depths[least_deep_root(graph, names)] == min(depths)
