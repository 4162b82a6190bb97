"""The lowest frequency of a tree at rest, from the O(d) recursion alone.

    C = L^T (M + s K)^-1 L,   K = L L^T limb by limb,   largest eigenvalue of  1 - s C:  1 / (1 + s lambda_1)

M is that of the whole tree, the frame of a free root left to follow; a solve is one way down and back.
"""

from collections.abc import Callable

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
LOOKS = 16  # for slow motions, before the slowest is looked for

Shrunk = Callable[[Array, float], Array]


def lowest_frequency(limbs: list[Limb], layout: Layout, root: Array, free: bool) -> float:
    """omega_1 [rad/s] of the tree at rest; infinite where nothing deforms."""
    soft, size = _soft(limbs), int(layout.offsets[-1])
    if not soft:
        return np.inf
    shrunk = _shrinking(limbs, layout, root, free)
    if size < 3:
        s = 1.0 / _start(limbs, soft) ** 2
        C = np.stack([shrunk(e, s) for e in np.eye(size)])
        largest = float(np.linalg.eigvalsh(0.5 * (C + C.T))[-1])
    else:
        # The slowest are told apart best where s lambda_1 is about 1.
        s = 1.0 / _bound(shrunk, size, _start(limbs, soft) ** 2, 0.0)
        operator = sla.LinearOperator((size, size), matvec=lambda z: shrunk(np.ravel(z), s), dtype=np.float64)
        start = np.random.default_rng(0).standard_normal(size)
        largest = float(sla.eigsh(operator, 1, which="LA", tol=DIGITS, v0=start, return_eigenvectors=False)[0])
    return float(np.sqrt((1.0 / largest - 1.0) / s))


def swings_slower(limbs: list[Limb], layout: Layout, root: Array, free: bool, than: float) -> bool:
    """Whether a quick look shows a motion with lambda < `than` [1/s^2]."""
    soft = _soft(limbs)
    if not soft:
        return False
    shrunk = _shrinking(limbs, layout, root, free)
    return _bound(shrunk, int(layout.offsets[-1]), _start(limbs, soft) ** 2, than) < than


def _bound(shrunk: Shrunk, size: int, start: float, enough: float) -> float:
    """A lambda that lambda_1 is not above, by Rayleigh's quotients of z <- (1 - s C) z, s = 1 / the last one.

    Args:
        start: the first 1 / s. enough: it is not looked for less.
    """
    z, least = np.random.default_rng(0).standard_normal(size), start
    for _ in range(LOOKS):
        s = 1.0 / least
        following = shrunk(z, s)
        found = (float(z @ z) / float(z @ following) - 1.0) / s
        least = min(least, max(found, DIGITS * start))
        if found < enough:
            return found
        z = following / np.linalg.norm(following)
    return least


def _soft(limbs: list[Limb]) -> list[int]:
    return [k for k, limb in enumerate(limbs) if isinstance(limb.model, ReducedModel) and limb.model.size]


def _shrinking(limbs: list[Limb], layout: Layout, root: Array, free: bool) -> Shrunk:
    """(z, s) -> (1 - s C) z at rest."""
    at_rest, soft = root.copy(), _soft(limbs)
    at_rest[V_AT:] = 0.0
    motion, scratch, sums = motion_of(layout, at_rest), scratch_of(layout), gathered_of(layout)
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
        load = np.zeros(layout.offsets[-1])
        for span, L in zip(spans, factors):
            load[span] = L @ z[span]
        found, out = solved(load, s), z.copy()
        for span, L in zip(spans, factors):
            out[span] -= s * (L.T @ found[span])
        return out

    return shrunk


def _start(limbs: list[Limb], soft: list[int]) -> float:
    """The lowest frequency of any part alone [rad/s]."""
    masses = [limbs[k].model.inertia.reduced_mass * limbs[k].scale ** 5 for k in soft]
    return min(
        float(np.sqrt(la.eigh(stiffness_of(limbs[k]), M, eigvals_only=True, subset_by_index=(0, 0))[0]))
        for k, M in zip(soft, masses)
    )
