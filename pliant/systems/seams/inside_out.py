"""How much of the volume of cubic nonlinear parts is inside out, at a few cells of each (`systems.inversion`).

    F = I + G z,    z = q[reads_i],    share = sum of V_i / k_i over the k_i spread cells of part i with det F < 0

StVK does not resist being crushed, and cubic forces cannot have the term that points of cubature have against it.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from pliant.errors import Array, Ids
from pliant.numerics.counting import borrowing
from pliant.reduced import ReducedModel
from pliant.systems.inversion import determinant, samples


class Cells(NamedTuple):
    """Attributes:
    slopes: G of all parts, as of `Samples`, one after the other; slopes_at (d,) where they begin.
    shares: of the whole volume that each cell stands for; 0 for the strained ones. shares_at (d + 1,).
    parts: (d,) what of the whole volume was found inside out in each part.
    F: (9 k,) work space for the most cells that a part has.
    seen: (1,) cells that were found inside out, until somebody sets it back.
    """

    slopes: Array
    slopes_at: Ids
    shares: Array
    shares_at: Ids
    parts: Array
    F: Array
    seen: Ids


def cells_of(models: Sequence[ReducedModel]) -> Cells:
    """The cells of parts that may be crushed; no models: none."""
    sampled = [samples(model) for model in models]
    volumes = np.array([model.solid.mesh.volumes.sum() for model in models])
    counts = [len(each.workspace) // 9 for each in sampled]
    shares = [
        np.repeat([volume / volumes.sum() / each.spread, 0.0], [each.spread, count - each.spread])
        for volume, each, count in zip(volumes, sampled, counts)
    ]
    return Cells(
        np.concatenate([np.empty(0), *(each.slopes.ravel() for each in sampled)]),
        np.cumsum([0, *(each.slopes.size for each in sampled)]),
        np.concatenate([np.empty(0), *shares]),
        np.cumsum([0, *counts]),
        np.zeros(len(models)),
        np.zeros(9 * max(counts, default=0)),
        np.zeros(1, dtype=np.int64),
    )


@borrowing
def share_inside_out(forces, cells, q):
    """Of the volume, at q."""
    whole = 0.0
    for i in range(len(cells.parts)):
        first, share = cells.shares_at[i], 0.0
        k = cells.shares_at[i + 1] - first
        deform(forces, cells, i, k, q)
        for c in range(k):
            if determinant(cells.F, k, c) < 0:
                share += cells.shares[first + c]
                cells.seen[0] += 1
        cells.parts[i] = share
        whole += share
    return whole


@borrowing
def deform(forces, cells, part, k, q):
    """F of the k cells of a part."""
    for e in range(9 * k):
        cells.F[e] = 0.0
    for c in range(k):
        cells.F[c] = cells.F[4 * k + c] = cells.F[8 * k + c] = 1.0
    row = cells.slopes_at[part]
    for at in range(forces.reads_at[part], forces.reads_at[part + 1]):
        value = q[forces.reads[at]]
        for e in range(9 * k):
            cells.F[e] += value * cells.slopes[row + e]
        row += 9 * k
