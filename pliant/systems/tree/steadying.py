"""The damping that keeps a tree steady."""

from collections.abc import Sequence

import numpy as np
import scipy.linalg as la

from pliant.errors import Array
from pliant.reduced import ReducedModel
from pliant.reduced.interface import interface_map
from pliant.systems.tree.limb import Limb

# Damping ratios of the slowest limb under the mass it carries, for each level of a tree: lags add up from parent to
# child. Chosen on the flower of maths sheet substructuring 10, pulled at its top by 10 to 300 N for 2 s and let go, and
# on bars of 4 and 8 parts that sag or are pulled aside by 0.02 and 0.2 E A, at steps of 2 to 20 ms: all fade. A bar of
# 8 parts diverged with a ratio of 0.1 (L1) or 0.4 (L2) in all. A smaller step is no cure.
STEADYING = {"L1": 0.1, "L2": 0.2}


def steady_damping(limbs: Sequence[Limb], inertia: str, dt: float) -> tuple[float, float]:
    """(0, beta), a little stiffness damping that keeps a tree steady in moderate motion.

    "full": beta = dt / 2, which damps what a step cannot follow and leaves slow modes alone (ratio omega dt / 4).
    "L1", "L2": beta = 2 zeta levels / omega with the lowest frequency omega of any limb that carries what stands on it
    as masses, since they blow up undamped whatever the step (maths sheet substructuring 10). It does not make L2 safe
    under pulls that fold a part over.
    """
    if inertia not in STEADYING:
        return 0.0, dt / 2
    slowest = min(_loaded_frequencies(limbs), default=np.inf)
    return 0.0, float(2 * STEADYING[inertia] * _levels(limbs) / slowest)


def least_damping(limbs: Sequence[Limb], inertia: str) -> tuple[float, float]:
    """(0, beta) under which trees with lumped inertia stay steady in small motion; none for "full".

    beta = 2 zeta / omega with the lowest frequency omega of any part alone.
    """
    if inertia not in STEADYING:
        return 0.0, 0.0
    own = [limb.model.inertia.reduced_mass * limb.scale**5 for limb in limbs]
    return 0.0, float(2 * STEADYING[inertia] / min(_lowest(limbs, own), default=np.inf))


def _levels(limbs: Sequence[Limb]) -> int:
    """Limbs on the longest way from the root that stand on another; one for a single limb."""
    depth = np.zeros(len(limbs), dtype=np.int64)
    for number, limb in enumerate(limbs):
        depth[number] = 0 if limb.parent < 0 else depth[limb.parent] + 1
    return max(1, int(depth.max()))


def _loaded_frequencies(limbs: Sequence[Limb]) -> list[float]:
    """sqrt of the lowest eigenvalue of (K, M + sum_j m_j s^2 a_hat^T a_hat) of every limb that deforms [1/s]."""
    carried = np.array([limb.model.inertia.mass * limb.scale**3 for limb in limbs])
    for number in range(len(limbs) - 1, 0, -1):
        carried[limbs[number].parent] += carried[number]
    masses = [limb.model.inertia.reduced_mass * limb.scale**5 for limb in limbs]
    for limb, mass in zip(limbs, carried):
        if limb.parent >= 0 and limbs[limb.parent].model.size:
            on = limbs[limb.parent]
            shift = on.scale * interface_map(on.model, np.asarray(limb.stands_on)).shift
            masses[limb.parent] = masses[limb.parent] + mass * shift.T @ shift
    return _lowest(limbs, masses)


def _lowest(limbs: Sequence[Limb], masses: Sequence[Array]) -> list[float]:
    """sqrt of the lowest eigenvalue of (K, M) of every limb that deforms [1/s]."""
    return [
        float(np.sqrt(la.eigh(stiffness_of(limb), M, eigvals_only=True, subset_by_index=(0, 0))[0]))
        for limb, M in zip(limbs, masses)
        if isinstance(limb.model, ReducedModel) and limb.model.size
    ]


def stiffness_of(limb: Limb) -> Array:
    """K (r, r) of a limb that deforms, at rest and in true units."""
    assert isinstance(limb.model, ReducedModel)
    return limb.model.stiffness() * limb.scale**3 * limb.stiffening**2
