"""The linearised tree at rest in dense matrices, from the data of its limbs (maths sheet substructuring 6 and 7).

Class units: x = s (X - origin + U q), so a limb of scale s has the factors of the last column of section 9.
"""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import scipy.linalg as la

from pliant.errors import Array
from pliant.numerics import cross_matrix
from pliant.reduced import ReducedModel
from pliant.reduced.interface import interface_map
from pliant.systems.tree.limb import Limb


def axial(A: Array) -> Array:
    """skew(A) of the sheet: s with [s]x = (A - A^T) / 2, of the last two axes but one (3, 3, r) -> (3, r)."""
    return 0.5 * np.stack([A[2, 1] - A[1, 2], A[0, 2] - A[2, 0], A[1, 0] - A[0, 1]])


@dataclass
class Rest:
    """A limb at rest: true inertia about its origin, stiffness, and the joint to its parent."""

    Mvv: Array
    Mvq: Array
    Mqq: Array
    K: Array
    mass: float
    moment: Array
    T: Array | None = None
    H: Array | None = None


def rest_of(limbs: list[Limb]) -> list[Rest]:
    """One entry a limb."""
    return [_body(limb, limbs) for limb in limbs]


def _body(limb: Limb, limbs: list[Limb]) -> Rest:
    I, o, s, model = limb.model.inertia, limb.origin, limb.scale, limb.model
    m, mc = I.mass, I.first_moment - I.mass * o
    cross = np.outer(I.first_moment, o)
    Sig = I.second_moment - cross - cross.T + m * np.outer(o, o)
    W5 = (I.W5 - I.N.T[:, :, None] * o).transpose(1, 2, 0)
    J = np.trace(Sig) * np.eye(3) - Sig
    Mvv = np.block([[m * s**3 * np.eye(3), -cross_matrix(mc) * s**4], [cross_matrix(mc) * s**4, J * s**5]])
    Mvq = np.vstack([I.N * s**4, 2 * axial(W5) * s**5])
    K = model.stiffness() if isinstance(model, ReducedModel) else np.zeros((0, 0))
    rest = Rest(Mvv, Mvq, I.reduced_mass * s**5, K * s**3 * limb.stiffening**2, m * s**3, mc * s**4)
    if limb.parent >= 0:
        on = limbs[limb.parent]
        patch = interface_map(on.model, limb.stands_on)
        R = on.rotation.T @ limb.rotation
        x = on.scale * (patch.centroid - on.origin)
        rest.T = np.block([[R.T, -R.T @ cross_matrix(x)], [np.zeros((3, 3)), R.T]])
        rest.H = np.vstack([R.T @ patch.shift * on.scale, R.T @ axial(patch.gradient)])
    return rest


def positions(limbs: list[Limb]) -> list[Array]:
    """World vertices (n_i, 3) of every limb at rest."""
    feet: list[Array] = []
    for limb in limbs:
        if limb.parent < 0:
            feet.append(limb.position)
        else:
            on = limbs[limb.parent]
            centroid = interface_map(on.model, limb.stands_on).centroid
            feet.append(feet[limb.parent] + on.scale * on.rotation @ (centroid - on.origin))
    return [x + k.scale * (k.model.X - k.origin) @ k.rotation.T for x, k in zip(feet, limbs)]


def full_matrices(limbs: list[Limb]) -> tuple[Array, Array]:
    """M and K (r, r) of the whole tree with its root at rest: section 7, composite inertia."""
    rests = rest_of(limbs)
    starts = np.concatenate([[0], np.cumsum([limb.model.size for limb in limbs])])
    span = [slice(a, b) for a, b in pairwise(starts)]
    M = np.zeros((starts[-1], starts[-1]))
    composite = [rest.Mvv.copy() for rest in rests]
    coupled = [rest.Mvq.copy() for rest in rests]
    for i, rest in enumerate(rests):
        M[span[i], span[i]] = rest.Mqq
    for j in range(len(limbs) - 1, 0, -1):
        i, T, H = limbs[j].parent, rests[j].T, rests[j].H
        M[span[i], span[i]] += H.T @ composite[j] @ H
        coupled[i] += T.T @ composite[j] @ H
        composite[i] += T.T @ composite[j] @ T
    for i in range(len(limbs)):
        F, k = coupled[i], i
        while limbs[k].parent >= 0:
            parent = limbs[k].parent
            M[span[parent], span[i]] = rests[k].H.T @ F
            M[span[i], span[parent]] = M[span[parent], span[i]].T
            F, k = rests[k].T.T @ F, parent
    return M, la.block_diag(*[rest.K for rest in rests])


def lumped_lowest(limbs: list[Limb], kind: str) -> float:
    """The lowest angular frequency of the block triangular L1 or L2 system: section 6, structure fact."""
    rests = rest_of(limbs)
    mass, moment = [rest.mass for rest in rests], [rest.moment.copy() for rest in rests]
    M = [rest.Mqq.copy() for rest in rests]
    for j in range(len(limbs) - 1, 0, -1):
        i, on = limbs[j].parent, limbs[limbs[j].parent]
        R, H = on.rotation.T @ limbs[j].rotation, rests[j].H
        a_hat, Jw = R @ H[:3], R @ H[3:]
        rho = R @ moment[j] / mass[j]
        P = a_hat if kind == "L1" else a_hat - cross_matrix(rho) @ Jw
        M[i] += mass[j] * P.T @ P
        x = on.scale * (interface_map(on.model, limbs[j].stands_on).centroid - on.origin)
        mass[i] += mass[j]
        moment[i] += mass[j] * (x + rho)
    return float(np.sqrt(min(la.eigh(r.K, m, eigvals_only=True)[0] for r, m in zip(rests, M) if len(m))))
