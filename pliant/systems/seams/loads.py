"""What acts on seams from outside: weight, pushes, wind and hands, on the coordinates and on the frame of a body."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numba import njit

from pliant.errors import Array, Ids
from pliant.systems.system_points import SystemPoints, act, act_in_frames, move, place
from pliant.systems.wind_points import Sail, blow


class ActingLoads(NamedTuple):
    """What acts on the body.

    Attributes:
        masses: points with the mass of the body. weight: (p, 3) gravity on them [N]; gravity (3,) [m/s^2].
        weighs: whether gravity loads the coordinates: it does not in free fall.
        pushed: points that are pushed. pushes: (k, 3) [N]. reduced: (size,) what is pushed in the coordinates.
        wrench: (6,) force and torque about the centre that `reduced` is to a free body, in its axes.
        sail: the surface in the wind. windy: whether there is one.
        projection: counts in PROJECTIONS.
    """

    masses: SystemPoints
    weight: Array
    gravity: Array
    weighs: bool
    pushed: SystemPoints
    pushes: Array
    reduced: Array
    wrench: Array
    sail: Sail
    windy: bool
    projection: int


def summed(pushed: Sequence[tuple[Ids, Array]]) -> tuple[Ids, Array]:
    """Vertices (k,), each once, and the sum of the forces (k, 3) [N] that were given to them."""
    given = np.concatenate([np.empty(0, np.int64), *(ids for ids, _ in pushed)])
    vertices, places = np.unique(given, return_inverse=True)
    forces = np.zeros((len(vertices), 3))
    np.add.at(forces, places, np.concatenate([np.empty((0, 3)), *(each for _, each in pushed)]))
    return vertices, forces


@njit(cache=True, nogil=True)
def add_outer_loads(loads, frame, shape, time, q, load):
    """Add the weight of a held body, pushes and wind to `load` (size,); frame.force and .torque are their sums."""
    for i in range(3):
        frame.force[i] = frame.torque[i] = 0.0
    masses, kind = loads.masses, loads.projection
    R, t = frame.axes[:3].reshape((1, 3, 3)), frame.axes[3:]
    for j in range(len(load)):
        load[j] += loads.reduced[j]
    for i in range(3):
        for j in range(3):
            frame.force[i] += frame.axes[i, j] * loads.wrench[j]
            frame.torque[i] += frame.axes[i, j] * loads.wrench[3 + j]
    if loads.weighs:
        move(masses, q, shape.u, shape.w)
        act_in_frames(masses, shape.u, shape.w, loads.weight, kind, load)
    if len(loads.pushes):
        place(loads.pushed, R, t, q)
        act(loads.pushed, R, loads.pushes, kind, load)
        _add_wrench(loads.pushed, frame)
    if loads.windy:
        blow(loads.sail, R, t, time, kind, q, load)
        _add_wrench(loads.sail.points, frame)


@njit(cache=True, nogil=True)
def _add_wrench(points, frame):
    """frame.force and .torque, about the centre, += what acted on points, about the frame's origin."""
    force, torque, arm = points.work.force[0], points.work.torque[0], np.empty(3)
    for i in range(3):
        arm[i] = frame.axes[3, i] - frame.free.t[i]
        frame.force[i] += force[i]
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        frame.torque[i] += torque[i] + arm[j] * force[k] - arm[k] * force[j]
