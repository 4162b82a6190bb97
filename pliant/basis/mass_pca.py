"""Principal components in the mass metric ([SI05] section 5): the best r directions of a set of displacements.

    A = Q T with Q^T M Q = I,   T = W diag(s) Z^T,   U = Q W

No centring: the rest shape must stay representable. Q comes from an ordinary QR in the lumped mass and a Cholesky
factor that turns lumped into consistent: both are well conditioned, so directions as small as rounding are kept, which
the Gram matrix A^T M A would lose below 1e-7 of the largest.
"""

import numpy as np
import scipy.linalg as la

from pliant.errors import Array, BasisError, check_count
from pliant.fem import Solid
from pliant.numerics import told_apart, with_fixed_signs

EQUALS = 4  # directions behind the last one that are looked at, should they be as large as it
ROUNDING = 1e-13  # singular values below this part of the largest are noise


def mass_pca(solid: Solid, data: Array, size: int | None = None) -> tuple[Array, Array]:
    """U (3n, r) with U^T M U = I and the singular values (r,), falling.

    Args:
        data: displacements (3n, k), any number; rows of fixed vertices are ignored.
        size: r; None keeps every direction above rounding.

    Raises:
        BasisError: the data have fewer than `size` independent directions.
    """
    Q, T = mass_qr(solid, data)
    W, s, _ = la.svd(T, full_matrices=False)
    rank = int((s > ROUNDING * s[0]).sum()) if s[0] > 0 else 0
    size = rank if size is None else check_count("size", size)
    if size > rank or rank == 0:
        raise BasisError(
            f"{size or 'some'} vectors were asked for, the data span {rank}; give more data or a smaller size"
        )
    near = min(rank, size + EQUALS)
    return with_fixed_signs(told_apart(s[:near], Q @ W[:, :near], solid.mass)[:, :size]), s[:size]


def mass_qr(solid: Solid, data: Array) -> tuple[Array, Array]:
    """data (3n, k) = Q T on the free dofs, Q (3n, min(k, f)) with Q^T M Q = I; T is not triangular."""
    weights = np.sqrt(solid.lumped_mass[solid.free])[:, None]
    P, T = la.qr(weights * data[solid.free], mode="economic", overwrite_a=True)
    Q = np.zeros((solid.dof_count, P.shape[1]))
    Q[solid.free] = P / weights
    L = la.cholesky(Q.T @ (solid.mass @ Q), lower=True)
    return la.solve_triangular(L, Q.T, lower=True).T, L.T @ T
