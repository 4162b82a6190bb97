"""A sheet given its thickness: cells between the two faces of a shell, whose surface is closed and can be touched.

    x = X -+ h/2 n,   n the mean normal of the triangles around a vertex, weighed by their areas

Vertex v of the sheet is v on the lower face and n + v on the upper one. Faces follow their normal as the sheet bends:
dn = (1 - n n^T) dN / |N|, N the sum of a x b over the triangles, which is linear in the displacement at rest.
"""

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import breadth_first_order

from pliant.errors import ArgumentError, Array, Ids, MeshError
from pliant.mesh.cell_kinds import signed_volumes
from pliant.mesh.mesh import Mesh
from pliant.mesh.sheet import Sheet


@dataclass(frozen=True, eq=False)
class Slab:
    """Attributes:
    mesh: (2n) vertices, three tets a triangle, in its order.
    faces: (6n, 3n) what the displacement of the sheet does to both faces, flat.
    """

    mesh: Mesh
    faces: sp.csr_matrix


def slab_of(sheet: Sheet, thickness: Array) -> Slab:
    """A sheet of these thicknesses (m,) [m].

    Raises:
        MeshError: it has one side only, or is thicker than its folds are wide.
    """
    triangles = oriented(sheet)
    n = sheet.vertex_count
    half = _at_vertices(sheet, thickness) / 2
    normals, bend = _normals(sheet.vertices, triangles)
    X = np.concatenate([sheet.vertices - half[:, None] * normals, sheet.vertices + half[:, None] * normals])
    tets = _tets(triangles, n)
    volumes = signed_volumes(X[tets])
    flipped = volumes < 0
    tets[flipped] = tets[flipped][:, [0, 2, 1, 3]]
    if (np.abs(volumes) <= 1e-12 * np.abs(volumes).max()).any():
        raise MeshError("the shell is as thick as its folds are wide; make it thinner, or its triangles finer there")
    scaled = sp.diags(np.repeat(half, 3)) @ bend
    whole = sp.eye(3 * n)
    return Slab(Mesh(X, tets), sp.vstack([whole - scaled, whole + scaled]).tocsr())


def oriented(sheet: Sheet) -> Ids:
    """Its triangles (m, 3), neighbours the same way round; the first of every piece as it is."""
    pairs = sheet.sides[0]
    pairs = pairs[pairs[:, 1] >= 0]
    start = sheet.cells.ravel()[3 * (pairs // 3) + (pairs % 3 + 1) % 3]
    same = np.where(start[:, 0] == start[:, 1], -1.0, 1.0)  # both run along the edge alike: one must be turned
    a, b = (pairs // 3).T
    m = sheet.cell_count
    signs = sp.coo_matrix(
        (np.concatenate([same, same]), (np.concatenate([a, b]), np.concatenate([b, a]))), (m, m)
    ).tocsr()
    count, piece = sheet.components
    turn = np.ones(m)
    for first in [int(np.argmax(piece == k)) for k in range(count)]:
        order, before = breadth_first_order(signs, first, directed=False)
        for cell in order[1:]:
            turn[cell] = turn[before[cell]] * signs[cell, before[cell]]
    if (turn[a] * turn[b] != same).any():
        raise MeshError(
            "the surface has one side only, as a Moebius strip, so it has no faces to be touched; cut it open"
        )
    triangles = np.array(sheet.cells)
    triangles[turn < 0] = triangles[turn < 0][:, [0, 2, 1]]
    return triangles


def _at_vertices(sheet: Sheet, thickness: Array) -> Array:
    """(n,) the mean of the triangles around each vertex."""
    if not (thickness > 0).all():
        raise ArgumentError("the thickness of a shell must be greater than 0 [m]")
    around = np.bincount(sheet.cells.ravel(), minlength=sheet.vertex_count)
    total = np.bincount(sheet.cells.ravel(), np.repeat(thickness, 3), minlength=sheet.vertex_count)
    return np.asarray(total / np.maximum(around, 1))


def _normals(X: Array, triangles: Ids) -> tuple[Array, sp.csr_matrix]:
    """Unit normals (n, 3), and their derivative (3n, 3n) by the places of all vertices."""
    n = len(X)
    x = X[triangles]
    total = np.zeros((n, 3))
    area = np.cross(x[:, 1] - x[:, 0], x[:, 2] - x[:, 0])
    for k in range(3):
        np.add.at(total, triangles[:, k], area)
    length = np.linalg.norm(total, axis=1)
    length = np.where(length > 0, length, 1.0)
    normals = total / length[:, None]
    across = (np.eye(3) - normals[:, :, None] * normals[:, None]) / length[:, None, None]
    # d(a x b) by corner j is the product with the edge behind it: [x_(j+2) - x_(j+1)]_x dx_j.
    rows, columns, values = [], [], []
    for j in range(3):
        opposite = _crossing(x[:, (j + 2) % 3] - x[:, (j + 1) % 3])
        for k in range(3):
            block = across[triangles[:, k]] @ opposite
            rows.append((3 * triangles[:, k, None, None] + np.arange(3)[:, None] + np.zeros((1, 1, 3), int)).ravel())
            columns.append((3 * triangles[:, j, None, None] + np.arange(3) + np.zeros((1, 3, 1), int)).ravel())
            values.append(block.ravel())
    shape = (3 * n, 3 * n)
    bend = sp.coo_matrix((np.concatenate(values), (np.concatenate(rows), np.concatenate(columns))), shape)
    return normals, bend.tocsr()


def _crossing(e: Array) -> Array:
    """(m, 3, 3) matrices of v -> e x v."""
    matrices = np.zeros((len(e), 3, 3))
    matrices[:, 0, 1], matrices[:, 0, 2], matrices[:, 1, 2] = -e[:, 2], e[:, 1], -e[:, 0]
    return matrices - matrices.transpose(0, 2, 1)


def _tets(triangles: Ids, n: int) -> Ids:
    """(3m, 4) of the prisms between both faces: diagonals rise from the smaller number, so that neighbours agree."""
    a, b, c = np.sort(triangles, axis=1).T
    rows = [(a, b, c, c + n), (a, b, b + n, c + n), (a, a + n, b + n, c + n)]
    return np.stack([np.stack(row, axis=1) for row in rows], axis=1).reshape(-1, 4)
