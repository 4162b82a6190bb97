"""When a Newton iteration of reduced coordinates has arrived: the residual is small, or all rounding.

    |r| <= tolerance |f|    or    |r| <= WORST eps |diag(K)| size at the last iteration, or where it stalls

Near rest every force is rounding, so a tolerance scaled by forces cannot be met. Deformation gradients F = I + G q are
rounded to eps, as if the body were displaced by at most eps times its size; forces then err by eps K size. F is of
double precision whatever q is.
"""

import numpy as np

from pliant.fem.rounding import WORST
from pliant.numerics.inner import inner

STALLED = 0.01  # of the residual before: Newton goes faster unless rounding holds it up
FAR = 1e3  # bodies: a root mean square displacement beyond this is no solution


@inner
def worst_rounding(diagonal, limit):
    """Of a residual, given |diag(K)| and the |q| that moves the body `FAR` times its size."""
    return WORST * np.finfo(np.float64).eps * diagonal * limit / FAR


@inner
def over_allowed(residual, previous, last, tolerance, rounding):
    """The residual over what is allowed: at most 1 is a solution. `previous`: that of the iteration before."""
    allowed = max(tolerance, rounding) if last or residual > STALLED * previous else tolerance
    return residual / max(allowed, np.finfo(np.float64).tiny)
