"""Balanced parts: as many as asked for, face-connected, of equal size; with METIS and without."""

import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse.csgraph import connected_components

from pliant.mesh import Mesh, read_mesh, shapes, split
from pliant.mesh.partition import grown_parts, joined_fragments

BALANCE = 1.1  # the largest part over the mean, plus one cell for rounding
GROWN_BALANCE = 1.35  # breadth-first parts of a body with limbs


def check_parts(mesh, labels, k, balance):
    sizes = np.bincount(labels, minlength=k)
    assert len(sizes) == k
    assert sizes.min() > 0
    assert sizes.max() <= balance * mesh.cell_count / k + 1
    for part in range(k):
        cells = np.flatnonzero(labels == part)
        assert connected_components(mesh.cell_adjacency[cells][:, cells], directed=False)[0] == 1


MESHES = {
    "bar": shapes.bar((4, 1, 1), (12, 3, 3)),
    "bricks": shapes.bar((4, 1, 1), (12, 3, 3), "hex"),
    "ring": shapes.torus(0.5, 0.1, (3, 40)),
    "spoon": shapes.spoon(),
}


@pytest.mark.parametrize("name", MESHES)
@given(k=st.integers(1, 30))
@settings(max_examples=15)
def test_split_is_balanced_and_face_connected(name, k):
    pytest.importorskip("pymetis")
    check_parts(MESHES[name], split(MESHES[name], k, "balanced"), k, BALANCE)


@pytest.mark.parametrize("name", MESHES)
@given(k=st.integers(1, 30))
@settings(max_examples=15)
def test_grown_parts_are_balanced_and_face_connected(name, k):
    check_parts(MESHES[name], grown_parts(MESHES[name].cell_adjacency, k), k, GROWN_BALANCE)


@pytest.mark.parametrize("k", [8, 40])
def test_split_of_a_real_mesh(real_mesh, k):
    mesh = read_mesh(real_mesh("bunny.mesh"))
    check_parts(mesh, split(mesh, k, method="balanced"), k, BALANCE)


@pytest.mark.parametrize("method", ["narrow", "balanced"])
@pytest.mark.parametrize("k", [2, 7, 23, 24])
def test_split_into_as_many_parts_as_cells(k, method):
    mesh = shapes.bar((4, 1, 1), (4, 1, 1))
    check_parts(mesh, split(mesh, k, method), k, balance=3)


def test_split_without_pymetis_grows_parts(monkeypatch):
    monkeypatch.setitem(sys.modules, "pymetis", None)
    check_parts(MESHES["spoon"], split(MESHES["spoon"], 9, "balanced"), 9, GROWN_BALANCE)


@pytest.mark.parametrize(("method", "balance"), [("narrow", np.inf), ("balanced", 1.3)])
def test_split_gives_every_loose_piece_its_own_parts(method, balance):
    small, large = shapes.bar((1, 1, 1), (2, 2, 2)), shapes.bar((1, 1, 1), (6, 3, 3))
    mesh = Mesh(
        np.concatenate([small.vertices, large.vertices + 3]),
        np.concatenate([small.cells, large.cells + small.vertex_count]),
    )
    labels = split(mesh, 5, method)
    check_parts(mesh, labels, 5, balance)
    assert not set(labels[:48]) & set(labels[48:])


def test_joined_fragments_repairs_any_labels():
    mesh = MESHES["spoon"]
    labels = joined_fragments(mesh.cell_adjacency, np.random.default_rng(0).integers(0, 4, mesh.cell_count) // 3)
    _, labels = np.unique(labels, return_inverse=True)
    check_parts(mesh, labels, labels.max() + 1, balance=np.inf)
