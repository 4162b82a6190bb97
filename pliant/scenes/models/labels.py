"""Parts of a mesh from signed distances: every cell belongs to the part it is deepest in; the parts can make a tree."""

from collections.abc import Mapping

import numpy as np

from pliant.errors import Ids, MeshError
from pliant.mesh import Mesh, sdf
from pliant.mesh.domains import domains_of
from pliant.mesh.partition import joined_fragments

ROUNDS = 20  # of repair


def labelled(mesh: Mesh, fields: Mapping[str, sdf.Field], tree: bool = True) -> Mesh:
    """The mesh with a cell group for each field: the cells whose centroid has the least distance to it.

    Fragments join the neighbour they share most faces with, and where three parts meet at a vertex its cells go to the
    part that has most of them. With `tree`, what is still no tree of face-connected parts raises MeshError.
    """
    distances = np.stack([field.distance(mesh.centroids) for field in fields.values()])
    labels = distances.argmin(axis=0).astype(np.int64)
    for _ in range(ROUNDS):
        labels = joined_fragments(mesh.cell_adjacency, labels)
        crowded = _crowded_vertices(mesh, labels)
        if not crowded.size:
            break
        for vertex in crowded:
            cells = np.flatnonzero((mesh.cells == vertex).any(axis=1))
            labels[cells] = np.bincount(labels[cells]).argmax()
    groups = {name: np.flatnonzero(labels == number) for number, name in enumerate(fields)}
    missing = [name for name, cells in groups.items() if not len(cells)]
    if missing:
        raise MeshError(f"part {missing[0]!r} has no cells; enlarge it, or take smaller cells")
    if tree:
        domains_of(mesh, labels, list(fields)).rooted()
    return Mesh(mesh.vertices, mesh.cells, mesh.vertex_groups, groups)


def _crowded_vertices(mesh: Mesh, labels: Ids) -> Ids:
    """Vertices of three parts or more."""
    pairs = np.unique(np.stack([mesh.cells.ravel(), np.repeat(labels, mesh.cells.shape[1])]), axis=1)
    return np.flatnonzero(np.bincount(pairs[0]) > 2)
