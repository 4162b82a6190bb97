"""Principal components in the metric of energy at rest: first what is dearest to miss.

    A^T K A = V diag(s^2) V^T,   U = A V,   then U^T M U = I by orthonormalisation in this order

A bent solid that lacks the small inward displacement which goes with bending pays for it in strain: it locks. That
displacement is short, so the mass metric ranks it low; it is stiff, so energy ranks it as high as it belongs.
"""

import numpy as np
import scipy.linalg as la

from pliant.basis.mass_pca import mass_qr
from pliant.errors import Array, BasisError
from pliant.fem import Solid

ROUNDING = 1e-11  # eigenvalues of the Gram matrix below this part of the largest are noise


def energy_pca(solid: Solid, data: Array, size: int | None = None) -> tuple[Array, Array]:
    """U (3n, r) with U^T M U = I, every leading part of it the best of its size, and s (r,) [sqrt(J)], falling.

    Args:
        data: displacements (3n, k) [m], without rigid part, as large as they occur.
        size: most vectors; None: every direction above rounding.
    """
    gram = data.T @ (solid.stiffness() @ data)
    squares, V = la.eigh((gram + gram.T) / 2)
    squares, V = squares[::-1], V[:, ::-1]
    kept = int((squares > ROUNDING * squares[0]).sum()) if squares[0] > 0 else 0
    if not kept:
        raise BasisError("the displacements hold no energy; give some that deform the solid")
    kept = kept if size is None else min(kept, size)
    s = np.sqrt(squares[:kept])
    return mass_qr(solid, data @ (V[:, :kept] / s))[0], s
