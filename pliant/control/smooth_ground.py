"""Contact with level or sloped ground that has a gradient everywhere, for optimisers: springs that come on smoothly.

phi = n . x - h,   N = k d ln(1 + exp(-phi / d)),   f = N (n - mu s),   s = v_t / sqrt(v_t^2 + e^2),   v = (x - x-) / dt

It lets a body sink by about d and creep at a share of e, where a `World` does neither; as d and e go to zero, k d
staying what bears the body, it becomes unilateral contact with Coulomb's friction.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from pliant.errors import Array, Ids

FAR = 20.0  # depths d above the ground, from where a force is below 1e-9 of what bears the body


class SmoothPlane(NamedTuple):
    """normal: (3,) of length one. height: h along it [m]. friction: mu. stiffness: k of a point [N/m]. depth: d [m].
    slow: e [m/s]."""

    normal: Array
    height: float
    friction: float
    stiffness: float
    depth: float
    slow: float


class Pressed(NamedTuple):
    """Of k points that are near: their ids, forces (k, 3) [N], and df/dx and df/dx- (k, 3, 3) as slope and before."""

    ids: Ids
    force: Array
    slope: Array
    before: Array


def pressed(planes: Sequence[SmoothPlane], x: Array, x_before: Array, dt: float) -> Pressed:
    """What the ground does to points that are at x (k, 3) now and were at `x_before` a step ago."""
    each = [_by_plane(plane, x, x_before, dt) for plane in planes]
    if len(each) == 1:
        return each[0]
    return Pressed._make(np.concatenate(arrays) for arrays in zip(*each))


def _by_plane(plane: SmoothPlane, x: Array, x_before: Array, dt: float) -> Pressed:
    gap = x @ plane.normal - plane.height
    ids = np.flatnonzero(gap < FAR * plane.depth)
    n, scaled = plane.normal, -gap[ids] / plane.depth
    press = plane.stiffness * plane.depth * np.logaddexp(0.0, scaled)
    rise = -plane.stiffness / (1 + np.exp(-scaled))  # dN / dphi
    across = np.eye(3) - np.outer(n, n)
    along = (x[ids] - x_before[ids]) @ across / dt
    size = np.sqrt(np.sum(along**2, axis=1) + plane.slow**2)
    s = along / size[:, None]
    way = n - plane.friction * s
    drag = (plane.friction * press / (size * dt))[:, None, None] * (across - s[:, :, None] * s[:, None, :])
    return Pressed(ids, press[:, None] * way, rise[:, None, None] * way[:, :, None] * n - drag, drag)
