"""How much of a solid is turned inside out: the share of its volume whose J = det F is not positive; and the remedy."""

from __future__ import annotations

from dataclasses import fields

import numpy as np
from numba import njit
from numpy.typing import ArrayLike

from pliant.errors import Array, check_array
from pliant.fem.assembly import deformation_gradient
from pliant.fem.firm_stvk import FirmStVK
from pliant.fem.material import Material
from pliant.fem.solid import Solid
from pliant.fem.stvk import StVK


def inverted_share(solid: Solid, u: ArrayLike) -> float:
    """Volume of the integration points with J <= 0 over all volume, between 0 and 1; the largest of several states.

    Args:
        u: displacement (3n,), or states (s, 3n).
    """
    states = check_array("u", u, (None,) * (np.ndim(u) - 1) + (solid.dof_count,))
    if not solid.has_inside:
        return 0.0
    return max((_share(solid, state) for state in np.atleast_2d(states)), default=0.0)


def resisting(solid: Solid, threshold: float | Array = FirmStVK.threshold) -> Solid:
    """A solid of StVK made of FirmStVK, which is the same while a cell keeps so much volume; others as they are."""
    if not isinstance(solid.material, StVK):
        return solid
    constants = {field.name: getattr(solid.material, field.name) for field in fields(solid.material)}
    return Solid(solid.mesh, FirmStVK(**constants, threshold=threshold), solid.fixed)


def against_crushing(law: type[Material]) -> str:
    """What to do where cells of this material are turned inside out."""
    firm = ", or use FirmStVK, which resists being crushed" if issubclass(law, StVK) else ""
    return f"pull less hard{firm}"


def _share(solid: Solid, u: Array) -> float:
    e = solid.elements
    nodal = np.ascontiguousarray(u).reshape(-1, 3).copy()
    inverted, whole = _volumes(solid.mesh.cells, e.blocks, e.gradients, e.weights, nodal)
    return inverted / whole


@njit(cache=True, nogil=True)
def _volumes(cells, blocks, gradients, weights, u):
    F, inverted, whole = np.empty((3, 3)), 0.0, 0.0
    for c in range(len(cells)):
        for p in range(weights.shape[1]):
            deformation_gradient(u, cells[c], gradients[blocks[c], p], F)
            J = F[0, 0] * (F[1, 1] * F[2, 2] - F[1, 2] * F[2, 1])
            J += F[0, 1] * (F[1, 2] * F[2, 0] - F[1, 0] * F[2, 2])
            J += F[0, 2] * (F[1, 0] * F[2, 1] - F[1, 1] * F[2, 0])
            whole += weights[blocks[c], p]
            if J <= 0.0:
                inverted += weights[blocks[c], p]
    return inverted, whole
