"""Linear cells made quadratic by a vertex in the middle of every edge, or able to bend by three inside, and back."""

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
    mesh = without_middles(mesh)
    ends = QUADRATIC[mesh.kind].edges
    pairs = np.sort(mesh.cells[:, ends].reshape(-1, 2), axis=1)
    keys, middle = np.unique(pairs @ [mesh.vertex_count, 1], return_inverse=True)
    edges = np.stack(np.divmod(keys, mesh.vertex_count), axis=1)
    cells = np.concatenate([mesh.cells, mesh.vertex_count + middle.reshape(-1, len(ends))], axis=1)
    groups = {name: _with_middles_of(ids, edges, mesh.vertex_count) for name, ids in mesh.vertex_groups.items()}
    vertices = np.concatenate([mesh.vertices, mesh.vertices[edges].mean(axis=1)])
    return type(mesh)(vertices, cells, groups, mesh.cell_groups, mesh.materials)


def with_inner(mesh: "Mesh") -> "Mesh":
    """Hexes with three vertices of their own inside, which `Mesh` puts in their places."""
    if mesh.kind != "hex":
        raise ArgumentError(f"bendable is for linear hexes; these cells are {mesh.kind}: tets have refine_order")
    inner = mesh.vertex_count + np.arange(3 * mesh.cell_count).reshape(-1, 3)
    groups = {
        name: np.concatenate([ids, inner[np.isin(mesh.cells, ids).all(axis=1)].ravel()])
        for name, ids in mesh.vertex_groups.items()
    }
    vertices = np.concatenate([mesh.vertices, np.repeat(mesh.vertices[mesh.cells].mean(axis=1), 3, axis=0)])
    return type(mesh)(vertices, np.hstack([mesh.cells, inner]), groups, mesh.cell_groups, mesh.materials)


def without_middles(mesh: "Mesh") -> "Mesh":
    """Linear cells with the same corners; vertex ids close up."""
    if mesh.kind in QUADRATIC:
        return mesh
    cells = mesh.cells[:, : KINDS[mesh.cells.shape[1]].corners]
    used = np.unique(cells)
    new_ids = np.full(mesh.vertex_count, -1)
    new_ids[used] = np.arange(len(used))
    groups = {name: new_ids[ids][new_ids[ids] >= 0] for name, ids in mesh.vertex_groups.items()}
    return type(mesh)(mesh.vertices[used], new_ids[cells], groups, mesh.cell_groups, mesh.materials)


def _with_middles_of(ids: Ids, edges: Ids, count: int) -> Ids:
    return np.concatenate([ids, count + np.flatnonzero(np.isin(edges, ids).all(axis=1))])
