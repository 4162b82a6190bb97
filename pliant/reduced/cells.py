"""Forces from all cells: those of StVK without a table, and of FirmStVK, for large bases of small meshes.

    f = U^T f(U q),   K = U^T K(U q) U

A force takes two products with U and a visit to every cell, and K some ten times that. It is what a loop that iterates
to convergence can keep: `shared` has K of the last state where the loop wished for it, in single precision. Converged
steps are then those of exact K within their tolerance, and so far go on alike after a file or a state was read: to
1e-9, not to the last bit. Damping by K needs that of the moment: the one of a state nearby sees a turn as strain, and
brakes it (bunny, 80 vectors, beta = 0.002: 1.7 % of the motion).

The products with U read it from memory, so one whose numbers single precision holds (`single`) is kept so: forces are
the same to the last bit, and take little more than half the time.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar, NamedTuple

import numpy as np
import scipy.sparse as sp
from numba import njit
from numpy.typing import DTypeLike
from scipy.sparse.csgraph import reverse_cuthill_mckee

from pliant.errors import Array, Ids
from pliant.fem import Solid
from pliant.fem.material import implements
from pliant.mesh import Mesh
from pliant.numerics.gram import pitch_for
from pliant.reduced.force import Force, aligned, jet_at, slab
from pliant.reduced.groups import Groups
from pliant.reduced.sparse_products import TOGETHER, congruent, displace, gather
from pliant.reduced.stvk_octets import add_cell_forces, add_cell_stiffness

LANES = 8


class Octets(NamedTuple):
    """Cells in packs of eight, as `stvk_octets.py` takes them, the last ones without weight."""

    cells: Ids
    gradients: Array
    weights: Array
    lam: Array
    mu: Array
    k: Array
    J0: Array


class Places(NamedTuple):
    """Where the stiffness of a pack goes, and the rows of the sparse matrix."""

    places: Ids
    pitches: Ids
    starts: Ids
    columns: Ids


class CellWorkspace(NamedTuple):
    """The state at hand, and K of the last state where it was wished for; renew: as `Force.shared` has it."""

    q: Array
    force: Array
    u: Array
    f: Array
    nodal: Array
    pairs: Array
    data: Array
    rows: Array
    stiffness: Array
    renew: Ids


class WholeCells(NamedTuple):
    """What the compiled jet reads: basis (also as K is made with), cells, and room; `lasting`: K is kept."""

    pitch: int
    width: int
    lasting: bool
    U: Array
    V: Array
    octets: Octets
    places: Places
    workspace: CellWorkspace


@dataclass(frozen=True, eq=False)
class CellForce(Force):
    """Attributes:
    solid: of StVK or FirmStVK, whose cells they are.
    U: basis (3n, r).
    """

    kind: ClassVar[str] = "cells"
    lasting: ClassVar[bool] = True
    solid: Solid
    U: Array

    def __repr__(self) -> str:
        return f"CellForce(r={self.size}, {self.solid.mesh.cell_count} cells)"

    @property
    def size(self) -> int:
        return self.U.shape[1]

    def compiled(self, dtype: DTypeLike = np.float64) -> WholeCells:
        return self._whole(np.ones(1, np.int64), False, np.float64)

    def shared(self, renew: Ids, dtype: DTypeLike = np.float64) -> WholeCells:
        return self._whole(renew, True, np.float32)

    def _whole(self, renew: Ids, lasting: bool, dtype: DTypeLike) -> WholeCells:
        """Args: dtype: of the products that K is made of."""
        pitch = pitch_for(self.size, np.dtype(dtype).itemsize)
        V = self._padded(pitch, dtype)
        kept = np.float32 if np.array_equal(single(self.U), self.U) else np.float64
        U = V if kept == dtype else self._padded(pitch, kept)
        solid, _ = self._ordered
        return WholeCells(
            pitch, self.size, lasting, U, V, _octets(solid), _places(solid), self._workspace(renew, pitch, dtype)
        )

    def _padded(self, pitch: int, dtype: DTypeLike) -> Array:
        """The basis, vertices in order, in rows of so many numbers."""
        rows = aligned(self.solid.dof_count * pitch, dtype)
        rows.reshape(-1, 3, pitch)[:, :, : self.size] = self.U.reshape(-1, 3, self.size)[self._ordered[1]]
        return rows

    @cached_property
    def _ordered(self) -> tuple[Solid, Ids]:
        """The solid with neighbours close together in memory, and which of its own vertices come in what order."""
        mesh = self.solid.mesh
        order = np.asarray(reverse_cuthill_mckee(_neighbours(mesh), symmetric_mode=True), dtype=np.int64)
        cells = np.argsort(order)[mesh.cells]
        sorted_cells = np.argsort(cells.min(axis=1), kind="stable")
        material = self.solid.material.of_cells(sorted_cells)
        return Solid(Mesh(mesh.vertices[order], cells[sorted_cells]), material), order

    def _workspace(self, renew: Ids, pitch: int, dtype: DTypeLike) -> CellWorkspace:
        nodes, n = self.solid.mesh.cells.shape[1], self.solid.mesh.vertex_count
        lengths = [pitch, pitch, 48 * nodes, 72 * nodes**2]
        q, force, nodal, pairs = slab(lengths, np.float64)
        data, rows, K = slab([len(self.solid.pattern.indices), 3 * TOGETHER * pitch, pitch * pitch], dtype)
        return CellWorkspace(q, force, np.zeros((n, 3)), np.zeros((n, 3)), nodal, pairs, data, rows, K, renew)

    def truncate(self, size: int) -> "CellForce":
        return CellForce(self.solid, np.ascontiguousarray(self.U[:, :size]))

    def with_groups(self, groups: Groups) -> "CellForce":
        solid = self.solid
        return CellForce(Solid(solid.mesh, groups.material(type(solid.material)), solid.fixed), self.U)

    def arrays(self) -> dict[str, Array]:
        return {}  # a model has them


def single(U: Array) -> Array:
    """A basis with numbers that single precision holds."""
    return U.astype(np.float32).astype(np.float64)


def _neighbours(mesh: Mesh) -> sp.csr_matrix:
    """(n, n), of vertices that share a cell."""
    nodes = mesh.cells.shape[1]
    rows, columns = np.repeat(mesh.cells, nodes, axis=1).ravel(), np.tile(mesh.cells, nodes).ravel()
    return sp.csr_matrix((np.ones(len(rows)), (rows, columns)), shape=(mesh.vertex_count,) * 2)


def _octets(solid: Solid) -> Octets:
    e, m = solid.elements, solid.mesh.cell_count
    ids = np.minimum(_packs(m), m - 1)
    weights = np.where(_packs(m) < m, 1.0, 0.0)[:, None] * e.weights[e.blocks[ids]].transpose(0, 2, 1)
    gradients = e.gradients[e.blocks[ids]].transpose(0, 2, 3, 4, 1)
    lam, mu, *firm = (np.ravel(constant[ids]) for constant in solid.parameters)
    cells = np.ascontiguousarray(solid.mesh.cells[ids].transpose(0, 2, 1))
    return Octets(cells, np.ravel(gradients), np.ravel(weights), lam, mu, *(firm or np.zeros((2, 0))))


def _places(solid: Solid) -> Places:
    pattern, m = solid.pattern, solid.mesh.cell_count
    ids = np.minimum(_packs(m), m - 1)
    places = np.ascontiguousarray(pattern.places[ids].transpose(0, 2, 3, 1))
    pitches = np.ascontiguousarray(pattern.pitch[solid.mesh.cells[ids]].transpose(0, 2, 1))
    return Places(places, pitches, pattern.indptr, pattern.indices)


def _packs(count: int) -> Ids:
    """Numbers of cells (octets, 8), the last ones beyond the count."""
    return np.arange(-(-count // LANES) * LANES).reshape(-1, LANES)


@implements(jet_at, WholeCells)
def _cells_jet(force, z, jet):
    _sum_cells(
        force.pitch, force.width, force.lasting, force.U, force.V, force.octets, force.places, force.workspace, z, jet
    )


@njit(cache=True, nogil=True)
def _sum_cells(pitch, width, lasting, U, V, octets, places, workspace, z, jet):
    q, force, u, f, nodal, pairs, data, rows, K, renew = workspace
    cells, gradients, weights, lam, mu, k, J0 = octets
    for i in range(width):
        q[i] = z[i + 1]
    displace(U, pitch, q, u)
    f[:] = 0.0
    energy = add_cell_forces(cells, gradients, weights, lam, mu, k, J0, u, nodal, f)
    gather(U, pitch, f, force)
    if renew[0] != 0 or not lasting:
        data[:], K[:], renew[0] = 0, 0, 0
        where, pitches, starts, columns = places
        add_cell_stiffness(cells, gradients, weights, lam, mu, k, J0, u, where, pitches, nodal, pairs, data)
        congruent(starts, columns, data, V, pitch, width, rows, K)
    jet[:] = 0
    jet[0] = energy
    for j in range(width):
        row = (j + 1) * len(z)
        jet[row] = force[j]
        for i in range(j + 1):
            jet[row + i + 1] = K[j * pitch + i]
        jet[row + j + 1] *= 0.5
