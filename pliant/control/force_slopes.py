"""The slopes of the reduced internal force and of its stiffness that a linearised step needs.

    J = df/dq,   E(x) = d(K(q) x)/dq     both (r, r)

For cubic forces, those of cells, and linear ones J = K and E(x) = dK[x]. Cubature clamps K to stay positive, so that
its K is not df/dq under compression: there both come from central differences.
"""

import numpy as np

from pliant.errors import Array
from pliant.reduced import ReducedModel

STEP = 1e-6  # displacement of a difference, relative to the body: truncation and rounding both leave about 1e-10


def force_slopes(model: ReducedModel, q: Array, x: Array) -> tuple[Array, Array]:
    """J and E(x) at q (r,), for x (r,)."""
    if model.force_law.kind in ("cubic", "cells", "linear"):
        return model.stiffness(q), model.stiffness_derivative(q, x)
    J, E = np.empty((2, model.size, model.size))
    for i, change in enumerate(np.diag(STEP * np.ptp(model.X, axis=0).max() / np.abs(model.U).max(axis=0))):
        ahead, behind, width = q + change, q - change, 2 * change[i]
        J[:, i] = (model.force(ahead) - model.force(behind)) / width
        E[:, i] = (model.stiffness(ahead) - model.stiffness(behind)) @ x / width
    return J, E
