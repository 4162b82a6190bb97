"""Following keyframes: the quadratic objective of [MR12]'s space-time control.

l_k = 1/2 (q - t_k)^T W (q - t_k) + 1/2 s v^T W v at keyframes, 0 elsewhere;   rho = 1/2 e sum |g_k|^2
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import ArrayLike

from pliant.control.objective import StageCost
from pliant.errors import ArgumentError, Array, check_array, check_count, check_number


class Tracking:
    """Be at t_k after step k, with little effort. Immutable.

    Args:
        targets: t_k (r,) by step k = 1 .. T; `dict(enumerate(path, 1))` follows a whole path (T, r).
        weight: W (r, r), symmetric semidefinite. The mass matrix makes l_k measure displacement over the body.
        rest: s [s^2]; above zero, keyframes should be reached at rest.
        effort: e, the price of control forces.
    """

    def __init__(
        self, targets: Mapping[int, ArrayLike], weight: ArrayLike, rest: float = 0.0, effort: float = 0.0
    ) -> None:
        W = check_array("weight", weight, (None, None))
        self._weight = check_array("weight", 0.5 * (W + W.T) if W.shape[0] == W.shape[1] else W, (len(W), len(W)))
        self._targets = {
            check_count("step of a target", k): check_array(f"target {k}", q, (len(W),)).copy()
            for k, q in targets.items()
        }
        self._rest, self._effort = check_number("rest", rest, at_least=0), check_number("effort", effort, at_least=0)

    def __repr__(self) -> str:
        return f"Tracking({len(self._targets)} targets, r={len(self._weight)})"

    def stage(self, k: int, q: Array, v: Array, a: Array) -> StageCost:
        """l_k and its gradients."""
        nothing = np.zeros(len(self._weight))
        if k not in self._targets:
            return StageCost(0.0, nothing, nothing, nothing)
        off = q - self._targets[k]
        pull, brake = self._weight @ off, self._rest * (self._weight @ v)
        return StageCost(float(0.5 * (off @ pull + v @ brake)), pull, brake, nothing)

    def effort(self, controls: Array) -> tuple[float, Array]:
        """rho and its gradient. Raises `ArgumentError` where a keyframe lies behind the last step."""
        last = max(self._targets, default=0)
        if last > len(controls):
            raise ArgumentError(f"a target is set for step {last}, but there are controls for {len(controls)} steps")
        return float(0.5 * self._effort * np.sum(controls**2)), self._effort * controls
