"""The damping that keeps a tree steady."""

from collections.abc import Sequence

import numpy as np
import scipy.linalg as la

from pliant.reduced import ReducedModel
from pliant.systems.tree.limb import Limb

# Damping ratios of the slowest part alone, chosen on one model, the flower of maths sheet substructuring 10, pulled
# at its top by 10 to 300 N for 2 s and let go, at steps of 2, 5 and 20 ms. L1 fades in every case. L2 fades up to
# 100 N, not steadily (at 20 ms it first grows), and diverges after 300 N at 2 and 5 ms. A smaller step is no cure.
STEADYING = {"L1": 0.1, "L2": 0.2}


def steady_damping(limbs: Sequence[Limb], inertia: str, dt: float) -> tuple[float, float]:
    """(0, beta), a little stiffness damping that keeps a tree steady in moderate motion.

    "full": beta = dt / 2, which damps what a step cannot follow and leaves slow modes alone (ratio omega dt / 4).
    "L1", "L2": beta = 2 zeta / omega with the lowest frequency omega of any part alone, since they blow up undamped
    whatever the step (maths sheet substructuring 10). It does not make L2 safe under pulls that fold a part over.
    """
    if inertia not in STEADYING:
        return 0.0, dt / 2
    models = {id(limb.model): limb.model for limb in limbs}
    lowest = {
        key: np.sqrt(la.eigh(model.stiffness(), model.mass, eigvals_only=True, subset_by_index=(0, 0))[0])
        for key, model in models.items()
        if isinstance(model, ReducedModel)
    }
    slowest = min(
        (lowest[id(limb.model)] * limb.stiffening / limb.scale for limb in limbs if limb.model.size), default=np.inf
    )
    return 0.0, float(2 * STEADYING[inertia] / slowest)
