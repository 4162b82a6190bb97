"""The search for forces that bring a motion through keyframes: nonlinear least squares by adjoints.

J(c) = 1/2 sum_k w_k |missed_k|^2 / L^2 + p/2 c^T E c,   g = N c,   E = (N^T N + u N'^T N') / T

over coefficients c of cubic B-splines N over time, L the size of the body. There are few keyframes, each missed in at
most 6 + r ways, so one pass of the adjoint backwards for each, with several right hand sides, gives the slopes S of all
that is missed for a fraction of what the motion itself costs. Then Levenberg's and Marquardt's step

    (S^T S + (p + b) E) dc = -(S^T missed + p E c)

uses the curvature that L-BFGS has to learn: two keyframes of a bar take 3 motions, and 10 by L-BFGS. b grows where a
step leads nowhere, or to a motion that diverges, and falls otherwise.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import scipy.linalg as la

from pliant.control.aims import Aim
from pliant.control.splines import Spline
from pliant.control.steered import Steered
from pliant.errors import ArgumentError, Array, Diverged
from pliant.numerics.progress import Progress, report

SETTLED, IDLE = 3e-3, 2  # of J: so many steps that lower it by less, or promise to, are the last
CAREFUL, LEAST = 1e-2, 0.1  # b at the start, of what moves the body most; the least of it, of p
BACK, FORWARD = 5.0, 0.1  # how b changes where a step was bad, or good
GOOD, FAIR = 0.5, 0.1  # of what was promised
STAGE = "finding the motion"


class Search:
    """The best motion so far.

    Attributes:
        c: coefficients (m, controls). motion: with these. value: J. tried: motions that were run.
        missed, slopes: of what is missed, in lengths of the body, and over coefficients.
    """

    def __init__(
        self, steered: Steered, due: Sequence[int], aims: Sequence[Aim], curves: Spline, price: float, rate: float
    ):
        self.steered, self.due, self.aims, self.curves = steered, due, aims, curves
        self.length = float(np.linalg.norm(np.ptp(steered.model.X, axis=0)))
        self.effort = (curves.N.T @ curves.N + rate * curves.rate.T @ curves.rate) / len(curves.N)
        self.c = np.zeros((curves.N.shape[1], steered.count))
        self.motion = steered.run(self.controls)
        self.tried, (self.missed, self.slopes) = 0, self._looked_at()
        self._most = float(la.eigvalsh(self.slopes @ self.slopes.T)[-1]) * len(curves.N)
        if self._most == 0:
            raise ArgumentError("these actuators can move nothing that a keyframe asks for; give others")
        self.price = price * self._most
        self.value = self._judged(self.c, self.motion)

    def __repr__(self) -> str:
        return f"Search(J = {self.value:.4g} after {self.tried} motions)"

    @property
    def controls(self) -> Array:
        """(T, c)."""
        return self.curves.N @ self.c

    def distances(self) -> Array:
        """How far each keyframe is missed (k,) [m]."""
        pairs = zip(self.due, self.aims)
        return np.array([np.linalg.norm(self.steered.missed(self.motion, k, aim)) for k, aim in pairs])

    def lower(self, motions: int, within: float, progress: Progress) -> None:
        """Lower J, until all keyframes are met within [m], nothing more is gained, or so many motions were tried."""
        caution, idle = CAREFUL * self._most, 0
        while self.tried < motions and idle < IDLE and self.distances().max() > within:
            report(progress, STAGE, self.tried / motions)
            self.tried += 1
            step, promised = self._step(caution)
            before = self.value
            gain = self._try(self.c + step)
            idle = idle + 1 if max(gain, promised if gain <= 0 else 0.0) <= SETTLED * before else 0
            caution *= FORWARD if gain > GOOD * promised else 1.0 if gain > FAIR * promised else BACK
            caution = max(caution, LEAST * self.price)
        report(progress, STAGE, 1.0)

    def _step(self, caution: float) -> tuple[Array, float]:
        """dc, and by how much it should lower J."""
        effort = np.kron(self.effort, np.eye(self.c.shape[1]))
        slope = self.slopes.T @ self.missed + self.price * (self.effort @ self.c).ravel()
        H = self.slopes.T @ self.slopes + (self.price + caution) * effort
        step = -la.solve(H, slope, assume_a="pos", check_finite=False)
        return step.reshape(self.c.shape), -0.5 * float(slope @ step)

    def _try(self, c: Array) -> float:
        """By how much it lowers J; what does is kept."""
        try:
            motion = self.steered.run(self.curves.N @ c)
        except Diverged:
            return -np.inf
        value = self._judged(c, motion)
        gain = self.value - value
        if gain > 0:
            self.value, self.c, self.motion = value, c, motion
            self.missed, self.slopes = self._looked_at()
        return gain

    def _judged(self, c: Array, motion: Any) -> float:
        pairs = zip(self.due, self.aims)
        missed = np.concatenate([self._share(aim) * self.steered.missed(motion, k, aim) for k, aim in pairs])
        return 0.5 * float(missed @ missed + self.price * np.sum(c * (self.effort @ c)))

    def _looked_at(self) -> tuple[Array, Array]:
        """What is missed (m,) and its slopes over coefficients (m, c), in axes in which m is small."""
        each = [self._looked_at_one(k, aim) for k, aim in zip(self.due, self.aims)]
        missed, slopes = zip(*each)
        return np.concatenate(missed), np.concatenate(slopes)

    def _looked_at_one(self, k: int, aim: Aim) -> tuple[Array, Array]:
        rows = self.steered.slopes(self.motion, k, aim)
        # Places have few numbers, however many points are missed: Q R of all rows side by side, and R alone goes back.
        axes, square = np.linalg.qr(np.hstack(list(rows.values())))
        pulled = self.steered.pull_back(self.motion, dict(zip(rows, np.split(square, len(rows), axis=1))))
        over = np.einsum("mta,tj->mja", pulled, self.curves.N, optimize=True).reshape(len(square), -1)
        share = self._share(aim)
        return share * (axes.T @ self.steered.missed(self.motion, k, aim)), share * over

    def _share(self, aim: Aim) -> float:
        return float(np.sqrt(aim.weight)) / self.length
