"""When a Newton iteration has arrived: the residual is small, or nothing but rounding is left of it."""

import numpy as np

from pliant.errors import Array
from pliant.fem.solid import Solid

# Residuals of slender solids stall at about half of eps |diag(A) (|u| + edge)|; some shapes do worse.
USUAL, WORST = 1.0, 30.0


def rounding(solid: Solid, diagonal: Array, u: Array) -> float:
    """Usual rounding of a residual (norm) at u (3n,), given the diagonal (3n,) of its derivative.

    Displacements are rounded to eps |u|, deformation gradients to eps, which is eps times an edge in displacement.
    """
    edge = solid.mesh.cell_size
    return float(np.finfo(float).eps * np.linalg.norm(diagonal * (np.abs(u) + edge)))


def arrived(residual: float, previous: float, tolerance: float, noise: float) -> bool:
    """Is the residual below the tolerance or the usual rounding, or has it stalled within the worst rounding?"""
    stalled = residual > 0.5 * previous and residual <= WORST * noise
    return residual <= max(tolerance, USUAL * noise) or stalled
