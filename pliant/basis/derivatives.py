"""Modal derivatives: how a vibration mode bends when another one is deformed ([SI05] Eq. 14, [MR12] Eq. 15).

    K Phi_ij = -(H:psi_i) psi_j,   i <= j

the second derivative of the static response to the load M Psi Lambda p. A free solid takes it with inertia relief,
since the right-hand side has a torque when lambda_i and lambda_j differ. `form="tangent"` is [SI05] Eq. 29 instead.
"""

import numpy as np

from pliant.basis.basis import check_solid
from pliant.basis.response import StaticResponse
from pliant.basis.tangent import tangent_derivatives
from pliant.basis.vibration import Modes
from pliant.errors import ArgumentError, Array, check_choice
from pliant.fem import Solid
from pliant.numerics.progress import Progress


def modal_derivatives(
    solid: Solid,
    modes: Modes,
    form: str = "static",
    progress: Progress = None,
    response: StaticResponse | None = None,
) -> Array:
    """Phi (3n, k(k+1)/2), the pairs i <= j in row order, zero on fixed vertices and without rigid part.

    Args:
        modes: k vibration modes of this solid.
        form: "static", one factorisation for all pairs; or "tangent", the derivative of the tangent modes, one
            factorisation a mode, averaged over (i, j) and (j, i).
        progress: called with a stage and the fraction of it that is done.
        response: of this solid at rest, if there is one already.
    """
    check_choice("form", form, ("static", "tangent"))
    if not isinstance(modes, Modes) or len(modes.vectors) != check_solid(solid).dof_count:
        raise ArgumentError("modes must be the vibration modes of this solid; use pl.vibration_modes(solid, k)")
    if modes.vectors.reshape(-1, 3, modes.count)[solid.fixed].any():
        raise ArgumentError("modes move vertices that are fixed in this solid; are they of another solid?")
    if form == "tangent":
        Phi = tangent_derivatives(solid, modes, progress)
        i, j = np.triu_indices(modes.count)
        return (Phi[:, i, j] + Phi[:, j, i]) / 2
    response = StaticResponse(solid) if response is None else response
    return response.solve(-solid.curvatures(modes.vectors), progress, "modal derivatives")
