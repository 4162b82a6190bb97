"""Linear cells made quadratic by a vertex in the middle of every edge, and back."""

from typing import TYPE_CHECKING

import numpy as np

from pliant.errors import ArgumentError, Ids, check_count
from pliant.mesh.cell_kinds import HEX20, KINDS, TET10

if TYPE_CHECKING:
    from pliant.mesh.mesh import Mesh

QUADRATIC = {"tet": TET10, "hex": HEX20}


def of_order(mesh: "Mesh", order: int) -> "Mesh":
    """A mesh of linear cells as it is (order 1), or with quadratic ones (order 2)."""
    return with_middles(mesh) if check_count("order", order, at_most=2) == 2 else mesh


def with_middles(mesh: "Mesh") -> "Mesh":
    """Quadratic cells with straight edges; the vertices on shared edges are shared."""
    if mesh.order == 2:
        raise ArgumentError(f"the cells are quadratic already ({mesh.kind}); refine_order is for tet and hex")
    ends = QUADRATIC[mesh.kind].edges
    pairs = np.sort(mesh.cells[:, ends].reshape(-1, 2), axis=1)
    keys, middle = np.unique(pairs @ [mesh.vertex_count, 1], return_inverse=True)
    edges = np.stack(np.divmod(keys, mesh.vertex_count), axis=1)
    cells = np.concatenate([mesh.cells, mesh.vertex_count + middle.reshape(-1, len(ends))], axis=1)
    groups = {name: _with_middles_of(ids, edges, mesh.vertex_count) for name, ids in mesh.vertex_groups.items()}
    vertices = np.concatenate([mesh.vertices, mesh.vertices[edges].mean(axis=1)])
    return type(mesh)(vertices, cells, groups, mesh.cell_groups, mesh.materials)


def without_middles(mesh: "Mesh") -> "Mesh":
    """Linear cells with the same corners; vertex ids close up."""
    if mesh.order == 1:
        return mesh
    cells = mesh.cells[:, : KINDS[mesh.cells.shape[1]].corners]
    used = np.unique(cells)
    new_ids = np.full(mesh.vertex_count, -1)
    new_ids[used] = np.arange(len(used))
    groups = {name: new_ids[ids][new_ids[ids] >= 0] for name, ids in mesh.vertex_groups.items()}
    return type(mesh)(mesh.vertices[used], new_ids[cells], groups, mesh.cell_groups, mesh.materials)


def _with_middles_of(ids: Ids, edges: Ids, count: int) -> Ids:
    return np.concatenate([ids, count + np.flatnonzero(np.isin(edges, ids).all(axis=1))])
