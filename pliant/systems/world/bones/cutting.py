"""Which cells every bone keeps, and how much it moves their vertices ([MC15] 8; maths sheet momentum 7).

A bone keeps a cell where the weight of a corner exceeds the threshold, so that bones overlap. Weights are zero on
vertices that a bone does not have, and are made to sum to one again. Mass and stiffness of a cell are shared by the
bones that keep it: else overlaps would weigh twice (erratum E8).
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from pliant.errors import ArgumentError, Array, Ids
from pliant.fem import Solid
from pliant.mesh import Mesh


@dataclass(frozen=True, eq=False)
class Cuts:
    """Attributes:
    keeps: (m, k) which bones keep each cell.
    weights: (n, k) of the bones on vertices.
    """

    keeps: NDArray[np.bool_]
    weights: Array

    def cells(self, bone: int) -> Ids:
        """Of a bone (c,)."""
        return np.flatnonzero(self.keeps[:, bone])

    def overlap(self, a: int, b: int) -> Ids:
        """Cells (c,) of both."""
        return np.flatnonzero(self.keeps[:, a] & self.keeps[:, b])


def cut(mesh: Mesh, weights: Array, threshold: float, names: Sequence[str]) -> Cuts:
    """The cells of every bone."""
    corners = weights[mesh.cells]
    keeps = corners.max(axis=1) > threshold
    keeps[np.arange(mesh.cell_count), corners.mean(axis=1).argmax(axis=1)] = True
    for k, name in enumerate(names):
        _check_whole(mesh, np.flatnonzero(keeps[:, k]), name)
    has = np.zeros(weights.shape, dtype=bool)
    for k in range(len(names)):
        has[np.unique(mesh.cells[keeps[:, k]]), k] = True
    own = np.where(has, weights, 0.0)
    return Cuts(keeps, own / own.sum(axis=1, keepdims=True))


def _check_whole(mesh: Mesh, cells: Ids, name: str) -> None:
    if not len(cells):
        raise ArgumentError(
            f"{name} keeps no cell: its weights are below the threshold everywhere; lower the threshold"
        )
    pieces = mesh.submesh(cells)[0].components[0]
    if pieces > 1:
        raise ArgumentError(
            f"{name} is in {pieces} pieces: its weights exceed the threshold in places that do not hang together; "
            "smooth them, or raise the threshold"
        )


def share_of(solid: Solid, cuts: Cuts, bone: int) -> tuple[Solid, Ids]:
    """The solid of a bone, with its share of mass and stiffness, and its vertices (v,) in the whole."""
    cells = cuts.cells(bone)
    mesh, vertices = solid.mesh.submesh(cells)
    shares = 1.0 / cuts.keeps[cells].sum(axis=1)
    material, m = solid.material, solid.mesh.cell_count
    constants = {name: material.per_cell(name, m)[cells] for name in material.constant_names()}
    constants["young"], constants["density"] = shares * constants["young"], shares * constants["density"]
    fixed = np.flatnonzero(np.isin(vertices, solid.fixed))
    return Solid(mesh, replace(material, **constants), fixed=fixed), vertices
