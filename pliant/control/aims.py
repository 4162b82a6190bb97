"""By how much a place misses a keyframe, and how that changes with the place.

missed = s (c t + R Z z - target)   over points: of mass, where a whole pose is asked for, or vertices
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import scipy.linalg as la

from pliant.control.smooth_body import Place, Rows
from pliant.errors import Array

FITTED, FLAT = 50, 1e-9  # iterations of a fit at most; of how far points are away: a step at which it ends
WEAK = 1e-4  # of the largest: singular values of motions that points hardly see, which a fit leaves out


class Aim(NamedTuple):
    """Attributes:
    points: that should be somewhere. targets: (k, 3) there [m]. scale: so that |missed| is a root mean square [m].
    weight: besides other keyframes. pose: that has them there. beyond: how far what was asked for is from that [m].
    """

    points: Rows
    targets: Array
    scale: float
    weight: float
    pose: Place
    beyond: float = 0.0

    def missed(self, *places: Place) -> Array:
        """(3k,) [m], on the mean over these places."""
        x = sum((self.points.place(y) for y in places), np.zeros(3)) / len(places)
        return self.scale * (x - self.targets).ravel()

    def slope(self, y: Place) -> Array:
        """(3k, 6 + r), of one place."""
        J = self.points.jacobian(y, self.points.arms(y))
        return self.scale * J.reshape(-1, J.shape[2])


def aim_at(points: Rows, targets: Array, weight: float, start: Place, metric: Array) -> Aim:
    """At the nearest to targets that points can be, see `fitted`."""
    pose = fitted(points, targets, start, metric)
    share = 1 / np.sqrt(len(targets))
    beyond = float(share * np.linalg.norm(points.place(pose) - targets))
    few = condensed(points)
    return Aim(few, few.place(pose), share, weight, pose, beyond)


def condensed(points: Rows) -> Rows:
    """At most 4 + 3r points that stray as far as all of these from where a pose has them: Q R of c and Z, without Q."""
    k = len(points.c)
    if k <= 1 + points.Z[0].size:
        return points
    [few] = la.qr(np.hstack([points.c[:, None], points.Z.reshape(k, -1)]), mode="r", check_finite=False)
    few = few[: 1 + points.Z[0].size]
    return Rows(few[:, 0].copy(), few[:, 1:].reshape(len(few), *points.Z.shape[1:]))


def fitted(points: Rows, targets: Array, start: Place, metric: Array) -> Place:
    """The place at which points are nearest to targets (k, 3), of several that least away from the start by a metric.

    metric: (n, n); without six coordinates before those of q, t and R stay.
    """
    y, chosen = start, slice(6 + len(start.q) - len(metric), None)
    size = float(np.abs(targets - points.place(start)).max())
    inverse = la.inv(la.cholesky(metric, lower=True)).T
    for _ in range(FITTED):
        J = points.jacobian(y, points.arms(y))
        step = np.zeros(J.shape[2])
        left = (targets - points.place(y)).ravel()
        own = J.reshape(len(left), -1)[:, chosen] @ inverse
        step[chosen] = inverse @ np.linalg.lstsq(own, left, rcond=WEAK)[0]
        y, before = y.moved(step), points.place(y)
        if np.abs(points.place(y) - before).max() <= FLAT * size:
            break
    return y
