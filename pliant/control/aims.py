"""By how much a place misses a keyframe, and how that changes with the place.

missed = s (c t + R Z z - target)   over points: of mass, where a whole pose is asked for, or vertices
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pliant.control.smooth_body import Place, Rows
from pliant.errors import Array

FITTED, FLAT = 50, 1e-12  # iterations of a fit at most; of the body's length: a step at which it ends


class Aim(NamedTuple):
    """points: that should be somewhere. targets: (k, 3) there [m]. scale: so that |missed| is the root of a mean square
    [m]. weight: besides other keyframes."""

    points: Rows
    targets: Array
    scale: float
    weight: float

    def missed(self, *places: Place) -> Array:
        """(3k,) [m], on the mean over these places."""
        x = sum((self.points.place(y) for y in places), np.zeros(3)) / len(places)
        return self.scale * (x - self.targets).ravel()

    def slope(self, y: Place) -> Array:
        """(3k, 6 + r), of one place."""
        J = self.points.jacobian(y, self.points.arms(y))
        return self.scale * J.reshape(-1, J.shape[2])


def fitted(points: Rows, targets: Array, start: Place, frame: bool) -> Place:
    """The place at which points are nearest to targets (k, 3); `frame`: may t and R change, or q alone?"""
    y, chosen = start, slice(0 if frame else 6, None)
    size = float(np.ptp(targets, axis=0).max()) + 1e-300
    for _ in range(FITTED):
        J = points.jacobian(y, points.arms(y))
        step = np.zeros(J.shape[2])
        left = (targets - points.place(y)).ravel()
        step[chosen] = np.linalg.lstsq(J.reshape(len(left), -1)[:, chosen], left, rcond=None)[0]
        y = y.moved(step)
        if np.linalg.norm(points.place(y).ravel() - (targets.ravel() - left)) <= FLAT * size:
            break
        if np.abs(step).max() <= FLAT * size:
            break
    return y
