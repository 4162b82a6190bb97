"""The lowest frequency of a tree at rest, from the O(d) recursion alone.

    C = L^T (M + s K)^-1 L,   K = L L^T limb by limb,   largest eigenvalue of  1 - s C:  1 / (1 + s lambda_1)

M is that of the whole tree, the frame of a free root left to follow; a solve is one way down and back.
"""

import numpy as np
import scipy.linalg as la
import scipy.sparse.linalg as sla

from pliant.errors import Array
from pliant.reduced import ReducedModel
from pliant.systems.newmark import BETA
from pliant.systems.tree.articulated import climb, descend
from pliant.systems.tree.limb import Limb
from pliant.systems.tree.motion import gathered_of, motion_of, scratch_of
from pliant.systems.tree.packs import Layout
from pliant.systems.tree.root import V_AT, free_acceleration
from pliant.systems.tree.steadying import stiffness_of
from pliant.systems.tree.stepping import stand

DIGITS = 1e-6  # of the eigenvalue


def lowest_frequency(limbs: list[Limb], layout: Layout, root: Array, free: bool) -> float:
    """omega_1 [rad/s] of the tree at rest; infinite where nothing deforms."""
    at_rest = root.copy()
    at_rest[V_AT:] = 0.0
    motion, scratch, sums = motion_of(layout, at_rest), scratch_of(layout), gathered_of(layout)
    soft = [k for k, limb in enumerate(limbs) if isinstance(limb.model, ReducedModel) and limb.model.size]
    if not soft:
        return np.inf
    spans = [slice(layout.offsets[k], layout.offsets[k + 1]) for k in soft]
    factors = [la.cholesky(stiffness_of(limbs[k]), lower=True) for k in soft]
    stand(layout.parts, layout.packs, motion, scratch)

    def solved(load: Array, s: float) -> Array:
        """(M + s K)^-1 load."""
        scratch.q_p[:], scratch.v_p[:], scratch.f[:], scratch.wrench[:], scratch.load[:] = 0.0, 0.0, 0.0, 0.0, 0.0
        scratch.load[layout.coordinates] = load
        c = np.array([np.sqrt(s / BETA), 0.0, 0.0, 0.0])
        climb(layout.parts, layout.packs, motion, scratch, sums, c)
        if free:
            free_acceleration(sums, scratch.frames, at_rest)
        descend(layout.packs, motion, scratch, sums, c[0])
        found = motion.a[layout.coordinates]
        motion.q[:], motion.v[:] = 0.0, 0.0
        return found

    def shrunk(z: Array, s: float) -> Array:
        """(1 - s C) z."""
        load = np.zeros(layout.offsets[-1])
        for span, L in zip(spans, factors):
            load[span] = L @ z[span]
        found, out = solved(load, s), z.copy()
        for span, L in zip(spans, factors):
            out[span] -= s * (L.T @ found[span])
        return out

    # Loaded parts alone are faster than the tree, so this s puts 1/(1 + s lambda_1) above one half.
    s, size = 1.0 / _start(limbs, soft) ** 2, int(layout.offsets[-1])
    if size < 3:
        C = np.stack([shrunk(e, s) for e in np.eye(size)])
        largest = float(np.linalg.eigvalsh(0.5 * (C + C.T))[-1])
    else:
        operator = sla.LinearOperator((size, size), matvec=lambda z: shrunk(np.ravel(z), s), dtype=np.float64)
        start = np.random.default_rng(0).standard_normal(size)
        largest = float(sla.eigsh(operator, 1, which="LA", tol=DIGITS, v0=start, return_eigenvectors=False)[0])
    return float(np.sqrt((1.0 / largest - 1.0) / s))


def _start(limbs: list[Limb], soft: list[int]) -> float:
    """The lowest frequency of any part alone [rad/s]."""
    masses = [limbs[k].model.inertia.reduced_mass * limbs[k].scale ** 5 for k in soft]
    return min(
        float(np.sqrt(la.eigh(stiffness_of(limbs[k]), M, eigvals_only=True, subset_by_index=(0, 0))[0]))
        for k, M in zip(soft, masses)
    )
