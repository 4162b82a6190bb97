"""Whether a reduced part is turned inside out somewhere: det F < 0 at a few cells that stand for all.

F = I + G q at one point of a cell. Half of the cells are spread evenly over the volume, so that their share is that of
the body; the others are those that the basis strains most.
"""

from typing import NamedTuple

import numpy as np
from numba import njit

from pliant.errors import Array, Ids
from pliant.fem import Solid
from pliant.reduced import ReducedModel

SPREAD, STRAINED = 32, 32  # cells of each sort
CANDIDATES = 2048  # cells among which the most strained are looked for
TOO_MANY = 0.1  # of the evenly spread cells: a body that is crushed, not one with a bad corner


class Samples(NamedTuple):
    """slopes: (r, 9 k) G of k cells, entry by entry; spread: how many of them, the first, are evenly spread;
    workspace: (9 k,) for F."""

    slopes: Array
    spread: int
    workspace: Array


def samples(model: ReducedModel) -> Samples:
    """The cells that are looked at; none of a shell, which has no inside."""
    if not model.solid.has_inside:
        return Samples(np.zeros((model.size, 0)), 0, np.zeros(0))
    cells, spread = _chosen(model)
    slopes = cell_slopes(model.solid, model.U, cells)
    table = np.ascontiguousarray(slopes.transpose(3, 1, 2, 0).reshape(model.size, -1))
    return Samples(table, spread, np.zeros(table.shape[1]))


def _chosen(model: ReducedModel) -> tuple[Ids, int]:
    """Ids of the cells, and how many are evenly spread: equal shares of the volume in the order of the mesh."""
    solid = model.solid
    volume = solid.elements.weights.sum(axis=1)[solid.elements.blocks]
    middle = (np.cumsum(volume) - volume / 2) / volume.sum()
    spread = np.unique(np.searchsorted(middle, (np.arange(SPREAD) + 0.5) / SPREAD).clip(0, len(volume) - 1))
    stiffness = np.maximum(np.diag(model.stiffness()), np.finfo(float).tiny)
    others = np.setdiff1d(np.arange(len(volume)), spread)[:: max(1, len(volume) // CANDIDATES)]
    # Of each coordinate as much as a unit of energy gives it.
    slopes = cell_slopes(solid, model.U / np.sqrt(stiffness), others)
    strain = np.abs(slopes + slopes.transpose(0, 2, 1, 3)).max(axis=(1, 2, 3))
    return np.concatenate([spread, others[np.argsort(-strain, kind="stable")[:STRAINED]]]), len(spread)


def cell_slopes(solid: Solid, U: Array, cells: Ids) -> Array:
    """G (k, 3, 3, r): d u_i / dX_j of every basis vector at the first integration point of each cell."""
    gradients = solid.elements.gradients[solid.elements.blocks[cells], 0]
    corners = U.reshape(-1, 3, U.shape[1])[solid.mesh.cells[cells]]
    return np.einsum("kair,kaj->kijr", corners, gradients, optimize=True)


@njit(cache=True, nogil=True)
def turned(slopes, spread, workspace, z):
    """How many of the evenly spread cells and of the others are inside out at z = (1, q)."""
    k = len(workspace) // 9
    for e in range(9 * k):
        workspace[e] = 0.0
    for c in range(k):
        workspace[c] = workspace[4 * k + c] = workspace[8 * k + c] = 1.0
    for j in range(len(slopes)):
        q, row = z[j + 1], slopes[j]
        for e in range(9 * k):
            workspace[e] += q * row[e]
    even, others = 0, 0
    for c in range(k):
        if determinant(workspace, k, c) < 0:
            if c < spread:
                even += 1
            else:
                others += 1
    return even, others


@njit(cache=True, nogil=True)
def determinant(F, k, c):
    """Of cell c of k, whose F are kept entry by entry (9 k,)."""
    a, b, d = F[c], F[k + c], F[2 * k + c]
    e, f, g = F[3 * k + c], F[4 * k + c], F[5 * k + c]
    h, i, j = F[6 * k + c], F[7 * k + c], F[8 * k + c]
    return a * (f * j - g * i) - b * (e * j - g * h) + d * (e * i - f * h)
