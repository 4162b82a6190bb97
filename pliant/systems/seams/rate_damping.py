"""The matrix of damping by rates of strain, of a part with cubature.

D = sum w B^T C B,   B = sym(F^T G),   C E = lam tr(E) I + 2 mu E

The viscous force beta D(z) v is the one that `point_forces` has without its geometric share.
"""

import numpy as np

from pliant.errors import Array
from pliant.reduced.cubature import CubatureForce


def rate_damping(law: CubatureForce, z: Array) -> Array:
    """D (r, r) at z (r,): symmetric, semidefinite, and zero for every rigid velocity."""
    G, count = law.gradients, len(law.weights)
    constants = law.compiled().parameters
    lam, mu = law.weights * constants.lam[:count], law.weights * constants.mu[:count]
    F = np.eye(3) + (G @ z).reshape(-1, 3, 3)
    moved = np.einsum("pki,pkjr->pijr", F, G.reshape(count, 3, 3, -1))
    B = 0.5 * (moved + moved.swapaxes(1, 2)).reshape(count, 9, -1)
    traces = B[:, [0, 4, 8]].sum(axis=1)
    weighted = (2 * mu[:, None, None] * B).reshape(-1, len(z))
    return B.reshape(-1, len(z)).T @ weighted + traces.T @ (lam[:, None] * traces)
