"""Rotation-strain warping: a linear displacement of cells bent into the large one it means ([MR12] Eq. 19-27).

    H_e = du/dX = eps + [w]x,   T_e = exp([w]x) (I + eps)       strain and rotation of tet e, from the LINEAR u
    minimise sum_e V_e |I + grad x - T_e|^2 over displacements x

It is meant for pictures of linear models: modes of any amplitude keep their volume and length, without a nonlinear
force. Modal warping (`skin/warp.py`) bends the displacement of a vertex by the rotation at that vertex alone: cheaper
and local, but blind to the rotations between the vertex and where the body is held. Here cells turn, each by its own
rotation, and one sparse solve fits them together again.

Triangles of a shell have a fourth vertex, x4 = x1 + c / sqrt |c|, c = (x2 - x1) x (x3 - x1), so that normals turn:

    H_t = sum_a u_a g_a^T + (dc - n (n . dc) / 2) n^T / |c|,   g_a the slopes in the triangle, n = c / |c|

and only what lies in the triangle is fitted: areas instead of volumes.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import scipy.sparse as sp
from numba import njit
from numpy.typing import ArrayLike
from scipy.sparse.csgraph import connected_components

from pliant.errors import ArgumentError, Array, Ids, check_array, check_ids
from pliant.fem.elements import elements
from pliant.mesh import Mesh
from pliant.numerics import BorderedFactor, factor, rotation_exponential_into


class RotationStrainWarp:
    """The warp of one mesh: the factor of its Laplacian, made once. Immutable.

    Pieces of the mesh without a fixed vertex keep the centre of mass that u gives them. Of a basis U (3n, r), reduce
    the linear half once: with `S = warper.coordinates(U)`, `warper.displacements(S @ q)` is the warp of U q.

    Args:
        mesh: tets, or the triangles of a shell.
        fixed: vertices that stay at rest, ids or a mask (n,); None: free.
        density: one number or one a cell [kg/m^3].
    """

    def __init__(self, mesh: Mesh, fixed: ArrayLike | None = None, density: ArrayLike = 1.0):
        if not isinstance(mesh, Mesh) or mesh.kind not in ("tet", "triangle"):
            raise ArgumentError(
                "rotation-strain warping needs a mesh of linear tets or triangles; split hexes first, take "
                "mesh.linear() of tet10"
            )
        self._cells, self._flat = mesh.cells, mesh.kind == "triangle"
        if self._flat:
            self._gradients, self._normals = _slopes_and_normals(mesh)
            self._corners, self._volumes = mesh.vertices[mesh.cells], mesh.volumes
        else:
            tets = elements(mesh)
            self._gradients, self._volumes = tets.gradients[:, 0], tets.weights[:, 0]
        held = np.zeros(mesh.vertex_count, dtype=bool)
        held[check_ids("fixed", [] if fixed is None else fixed, mesh.vertex_count)] = True
        self._free = np.flatnonzero(~held)
        if not len(self._free):
            raise ArgumentError("fixed holds every vertex; leave some free to move")
        self._shares = _floating_shares(mesh, held, _lumped(mesh, density))
        self._solve = self._prepared()

    def __repr__(self) -> str:
        kind = "triangles" if self._flat else "tets"
        return f"RotationStrainWarp({self._shares.shape[0]} vertices, {len(self._cells)} {kind})"

    def warp(self, u: ArrayLike) -> Array:
        """The warped displacements (n, 3) [m] of linear ones, u (3n,) [m]."""
        return self.displacements(self.coordinates(u))

    def coordinates(self, u: ArrayLike) -> Array:
        """What `displacements` needs to know of u (3n,) or of columns (3n, r); linear in u.

        Returns:
            (9m + 3p,) or (9m + 3p, r): of each tet eps_xx, yy, zz, yz, xz, xy and w, then the centre of mass of each of
            the p floating pieces [m].
        """
        n = self._shares.shape[0]
        columns = check_array("u", u, (3 * n,) if np.ndim(u) == 1 else (3 * n, None)).reshape(3 * n, -1)
        made = np.empty((9 * len(self._cells) + 3 * self._shares.shape[1], columns.shape[1]))
        for k, column in enumerate(columns.T):
            nodal = np.ascontiguousarray(column).reshape(-1, 3)
            local = self._local(nodal)
            made[:, k] = np.concatenate([local.ravel(), (self._shares.T @ nodal).ravel()])
        return made.reshape(len(made), *np.shape(u)[1:])

    def _local(self, u: Array) -> Array:
        """eps_xx, yy, zz, yz, xz, xy and w of every cell (m, 9)."""
        if not self._flat:
            return np.asarray(_strains_and_rotations(self._cells, self._gradients, u))
        a, b, c = self._corners.transpose(1, 0, 2)
        du, dv = u[self._cells[:, 1]] - u[self._cells[:, 0]], u[self._cells[:, 2]] - u[self._cells[:, 0]]
        dc, n = np.cross(du, c - a) + np.cross(b - a, dv), self._normals
        across = (dc - 0.5 * n * (n * dc).sum(axis=1, keepdims=True)) / (2 * self._volumes[:, None])
        H = np.einsum("tai,taj->tij", u[self._cells], self._gradients) + across[:, :, None] * n[:, None]
        i, j, k = (0, 1, 2), (1, 2, 0), (2, 0, 1)
        rows = [H[:, i, i], 0.5 * (H[:, j, k] + H[:, k, j]), 0.5 * (H[:, k, j] - H[:, j, k])]
        return np.concatenate(rows, axis=1)

    def displacements(self, coordinates: ArrayLike) -> Array:
        """The displacements (n, 3) [m] whose tets deform most nearly as the coordinates (9m + 3p,) say."""
        (n, pieces), m = self._shares.shape, len(self._cells)
        y = check_array("coordinates", coordinates, (9 * m + 3 * pieces,))
        pull = _pull(self._cells, self._gradients, self._volumes, y[: 9 * m].reshape(m, 9), n)
        x = np.zeros((n, 3))
        x[self._free] = self._solve(pull[self._free])
        # A constant added to a floating piece deforms nothing.
        return x + (self._shares > 0) @ y[9 * m :].reshape(pieces, 3)

    def _prepared(self) -> Callable[[Array], Array]:
        """The solve of L x = b at the free vertices, L_ab = sum_e V_e g_a . g_b, one scalar matrix for x, y and z."""
        L = _laplacian(self._cells, self._gradients, self._volumes, self._shares.shape[0])
        L = L[self._free][:, self._free]
        return BorderedFactor(L, self._shares[self._free]).solve if self._shares.shape[1] else factor(L).solve


def _slopes_and_normals(mesh: Mesh) -> tuple[Array, Array]:
    """grad phi_a of every triangle (m, 3, 3), in its plane, and unit normals (m, 3)."""
    x = mesh.vertices[mesh.cells]
    c = np.cross(x[:, 1] - x[:, 0], x[:, 2] - x[:, 0])
    double = np.linalg.norm(c, axis=1, keepdims=True)
    n = c / double
    opposite = x[:, [2, 0, 1]] - x[:, [1, 2, 0]]
    return np.cross(n[:, None], opposite) / double[:, None], n


def _laplacian(cells: Ids, gradients: Array, volumes: Array, n: int) -> sp.csr_matrix:
    local = volumes[:, None, None] * (gradients @ gradients.transpose(0, 2, 1))
    rows, columns = np.broadcast_arrays(cells[:, :, None], cells[:, None, :])
    return sp.csr_matrix((local.ravel(), (rows.ravel(), columns.ravel())), (n, n))


def _lumped(mesh: Mesh, density: ArrayLike) -> Array:
    """The mass of every cell in equal shares at its corners (n,) [kg]; of triangles that of a unit of thickness."""
    spread = np.full(mesh.cell_count, density) if np.ndim(density) == 0 else density
    portions = check_array("density", spread, (mesh.cell_count,)) * mesh.volumes / mesh.cells.shape[1]
    if portions.min() <= 0:
        raise ArgumentError(f"density must be positive; the smallest given is {np.min(density):g}")
    masses = np.zeros(mesh.vertex_count)
    np.add.at(masses, mesh.cells, portions[:, None])
    return masses


def _floating_shares(mesh: Mesh, held: Array, masses: Array) -> Array:
    """The share (n, p) of every vertex in the mass of each piece that no fixed vertex holds; pieces share no vertex."""
    count, piece = connected_components(mesh.vertex_adjacency, directed=False)
    floating = np.setdiff1d(np.arange(count), piece[held])
    shares = np.where(piece[:, None] == floating, masses[:, None], 0.0)
    return shares / shares.sum(axis=0)


@njit(cache=True, nogil=True)
def _strains_and_rotations(cells, gradients, u):
    """eps_xx, yy, zz, yz, xz, xy and w of every tet, (m, 9)."""
    made, H = np.empty((len(cells), 9)), np.empty((3, 3))
    for e in range(len(cells)):
        H[:] = 0.0
        for corner in range(4):
            for i in range(3):
                for j in range(3):
                    H[i, j] += u[cells[e, corner], i] * gradients[e, corner, j]
        for i in range(3):
            j, k = (i + 1) % 3, (i + 2) % 3
            made[e, i] = H[i, i]
            made[e, 3 + i] = 0.5 * (H[j, k] + H[k, j])
            made[e, 6 + i] = 0.5 * (H[k, j] - H[j, k])
    return made


@njit(cache=True, nogil=True)
def _pull(cells, gradients, volumes, coordinates, n):
    """sum_e V_e (T_e - I) g_a at every vertex a, (n, 3)."""
    pull, R, stretch = np.zeros((n, 3)), np.empty((3, 3)), np.empty((3, 3))
    for e in range(len(cells)):
        y = coordinates[e]
        rotation_exponential_into(R, y[6:])
        for i in range(3):
            j, k = (i + 1) % 3, (i + 2) % 3
            stretch[i, i] = 1.0 + y[i]
            stretch[j, k] = stretch[k, j] = y[3 + i]
        for i in range(3):
            for j in range(3):
                excess = R[i, 0] * stretch[0, j] + R[i, 1] * stretch[1, j] + R[i, 2] * stretch[2, j]
                excess -= 1.0 if i == j else 0.0
                for corner in range(cells.shape[1]):
                    pull[cells[e, corner], i] += volumes[e] * excess * gradients[e, corner, j]
    return pull
