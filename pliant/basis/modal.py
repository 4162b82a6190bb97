"""The push-button basis: vibration modes and their derivatives, scaled by importance, through a mass-PCA.

    { lambda_1 / lambda_j  psi_j }  and  { lambda_1^2 / (lambda_i lambda_j)  Phi_ij / |Phi_ij|_M },  i <= j

([SI05] Eq. 16, [MR12] Eq. 18). The derivatives are mass-normalised: only then is the basis independent of the density,
as [SI05] section 6.5 says it is.
"""

from dataclasses import replace
from typing import Literal

import numpy as np

from pliant.basis.auto_size import smallest_size
from pliant.basis.basis import Basis, check_solid
from pliant.basis.derivatives import modal_derivatives
from pliant.basis.mass_pca import mass_pca
from pliant.basis.response import StaticResponse
from pliant.basis.rigid import is_free
from pliant.basis.small_motion import SmallMotion
from pliant.basis.vibration import Modes, vibration_modes
from pliant.errors import Array, check_count, check_number
from pliant.fem import Linear, Solid
from pliant.numerics.progress import Progress

USUAL = 30  # vectors, where nobody counts them
NOISE = 1e-8  # derivatives shorter than this part of the longest are zero by symmetry; normalised they would be noise


def modal_basis(
    solid: Solid,
    modes: int | Modes = 10,
    size: int | Literal["auto", "usual"] | None = "usual",
    form: str = "static",
    tolerance: float = 0.01,
    progress: Progress = None,
) -> Basis:
    """Basis of `size` vectors from k modes and their k(k+1)/2 derivatives, the most important first.

    Nobody knows how good so many are: 30 err by 0.4 % on a bracket and by a third on a comb. `pl.reduce(solid)`
    measures, and takes as many as a tolerance needs; `pl.reduce(solid, basis)` measures where nobody counted, and where
    somebody did warns of those that err by more than 0.05 in small motion already (`small_error`).

    Args:
        modes: k, or modes computed before.
        size: r; None keeps all; "usual": 30, which nobody counted; "auto": the smallest r that meets `tolerance`.
        form: of `modal_derivatives`.
        tolerance: for "auto": the largest error indicator (`residual`) allowed over a set of trial loads.
        progress: called with a stage and the fraction of it that is done.

    Raises:
        BasisError: modes and derivatives span fewer than `size` vectors, or none of their bases meets the tolerance.
    """
    wanted = USUAL if size == "usual" else None if size is None or size == "auto" else check_count("size", size)
    tolerance = check_number("tolerance", tolerance, above=0)
    response = StaticResponse(check_solid(solid))
    if isinstance(solid.material, Linear) and wanted and not isinstance(modes, Modes):
        modes = max(modes, wanted)  # forces without curvature have no derivatives: more modes take their place
    chosen = modes if isinstance(modes, Modes) else vibration_modes(solid, modes, progress, response)
    data = np.hstack([scaled_modes(chosen), scaled_derivatives(solid, chosen, form, progress, response)])
    small = None if size == "usual" or is_free(solid) else SmallMotion(solid, chosen, response)
    del response  # its factor is the largest thing in memory
    basis = Basis(*mass_pca(solid, data, wanted), chosen.frequencies, counted=size != "usual")
    basis = basis.truncate(smallest_size(solid, basis, chosen, tolerance, progress)) if size == "auto" else basis
    return basis if small is None else replace(basis, small_error=small.error(basis.vectors))


def scaled_modes(modes: Modes) -> Array:
    """lambda_1 / lambda_j psi_j (3n, k)."""
    return modes.vectors * (modes.eigenvalues[0] / modes.eigenvalues)


def scaled_derivatives(
    solid: Solid,
    modes: Modes,
    form: str = "static",
    progress: Progress = None,
    response: StaticResponse | None = None,
) -> Array:
    """lambda_1^2 / (lambda_i lambda_j) Phi_ij / |Phi_ij|_M (3n, up to k(k+1)/2), without those that are noise."""
    Phi = modal_derivatives(solid, modes, form, progress, response)
    lengths = np.sqrt(np.einsum("ij,ij->j", Phi, solid.mass @ Phi))
    i, j = np.triu_indices(modes.count)
    weights = modes.eigenvalues[0] ** 2 / (modes.eigenvalues[i] * modes.eigenvalues[j])
    kept = lengths > NOISE * lengths.max()
    return Phi[:, kept] * (weights[kept] / lengths[kept])
