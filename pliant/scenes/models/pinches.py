"""Tets that touch in a vertex or an edge alone, as where two rods leave each other at a small angle, are set apart."""

import numpy as np
from scipy.sparse import coo_matrix
from scipy.sparse.csgraph import connected_components

from pliant.errors import Ids
from pliant.mesh import Mesh
from pliant.mesh.cell_kinds import TET
from pliant.mesh.topology import cell_faces, shared_faces


def without_pinches(mesh: Mesh) -> Mesh:
    """The tets, with a copy of a vertex for each set of its tets that faces at it join; groups are left out."""
    count, fan = _fans(mesh.cells)
    if count == mesh.vertex_count:
        return mesh
    vertex = np.empty(count, dtype=np.int64)
    vertex[fan] = mesh.cells.ravel()
    order = np.argsort(vertex, kind="stable")
    number = np.empty(count, dtype=np.int64)
    number[order] = np.arange(count)
    return Mesh(mesh.vertices[vertex[order]], number[fan].reshape(-1, 4))


def _fans(cells: Ids) -> tuple[int, Ids]:
    """How many fans, and the fan (4 m,) of every corner: corners at one vertex that shared faces join."""
    faces, pairs = cell_faces(cells), np.stack(shared_faces(cells))
    corners = (4 * np.arange(len(cells))[:, None, None] + TET.faces).reshape(-1, 3)
    alike = np.take_along_axis(corners, np.argsort(faces, axis=1), axis=1)
    first, second = (alike[side].ravel() for side in pairs)
    graph = coo_matrix((np.ones(len(first), dtype=np.int8), (first, second)), (cells.size, cells.size))
    count, fan = connected_components(graph, directed=False)
    return int(count), fan
