"""Derivatives of the tangent modes along the modes, [SI05] Eq. 29.

    [ K - lambda_i M   M Psi_c ] [Phi_ij]   [ (M Psi_c Psi_c^T - I) (H:psi_i) psi_j ]
    [ (M Psi_c)^T         0    ] [  m   ] = [                   0                   ]

Psi_c are all modes that share the eigenvalue lambda_i: psi_i alone if it is simple. Phi_ij and Phi_ji differ.
"""

import numpy as np
import scipy.sparse as sp

from pliant.basis.rigid import is_free, without_rigid
from pliant.basis.vibration import Modes
from pliant.errors import Array, Ids
from pliant.fem import Solid
from pliant.numerics import BorderedFactor
from pliant.numerics.progress import Progress, report

REPEATED = 1e-6  # relative difference of eigenvalues that count as one


def tangent_derivatives(solid: Solid, modes: Modes, progress: Progress = None) -> Array:
    """Phi (3n, k, k): Phi[:, i, j] is the derivative of mode i along mode j, without rigid part.

    A cluster of repeated eigenvalues must lie in `modes` as a whole.
    """
    K, M = solid.free_matrix(solid.stiffness()), solid.free_matrix(solid.mass)
    Psi, g, pair = modes.vectors[solid.free], solid.curvatures(modes.vectors)[solid.free], _pair_numbers(modes.count)
    Phi = np.zeros((solid.dof_count, modes.count, modes.count))
    for i, eigenvalue in enumerate(modes.eigenvalues):
        shifted = sp.csr_matrix((K.data - eigenvalue * M.data, K.indices, K.indptr), K.shape)
        cluster = Psi[:, np.abs(modes.eigenvalues - eigenvalue) <= REPEATED * eigenvalue]
        momenta, load = M @ cluster, -g[:, pair[i]]
        load -= momenta @ (cluster.T @ load)
        Phi[solid.free, i] = BorderedFactor(shifted, momenta, definite=False).solve(load)
        report(progress, "tangent derivatives", (i + 1) / modes.count)
    flat = Phi.reshape(solid.dof_count, -1)
    return (without_rigid(solid, flat) if is_free(solid) else flat).reshape(Phi.shape)


def _pair_numbers(count: int) -> Ids:
    """(k, k) position of the pair {i, j} among the pairs i <= j in row order."""
    numbers = np.zeros((count, count), dtype=np.int64)
    i, j = np.triu_indices(count)
    numbers[i, j] = numbers[j, i] = np.arange(len(i))
    return numbers
