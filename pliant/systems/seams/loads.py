"""What acts on seams from outside: weight, pushes, wind and hands, on the coordinates and on the frame of a body."""

from typing import NamedTuple

import numpy as np
from numba import njit

from pliant.errors import Array
from pliant.numerics import rotation_exponential_into
from pliant.skin.warp import warp
from pliant.systems.seams.points import add_loads
from pliant.systems.system_points import SystemPoints, act, move, place
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
        add_loads(masses, shape.u, shape.w, loads.weight, kind, load)
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
    force, torque, arm = points.force[0], points.torque[0], np.empty(3)
    for i in range(3):
        arm[i] = frame.axes[3, i] - frame.free.t[i]
        frame.force[i] += force[i]
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        frame.torque[i] += torque[i] + arm[j] * force[k] - arm[k] * force[j]


@njit(cache=True, nogil=True)
def _act(frame, sums, y, f):
    """Add a world force f at the body point y to sums.force and .torque."""
    axes, arm = frame.axes, np.empty(3)
    for i in range(3):
        arm[i] = axes[3, i] - frame.free.t[i] + axes[i, 0] * y[0] + axes[i, 1] * y[1] + axes[i, 2] * y[2]
        sums.force[i] += f[i]
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        sums.torque[i] += arm[j] * f[k] - arm[k] * f[j]


@njit(cache=True, nogil=True)
def add_holding_forces(held, frame, ahead):
    """ahead.force and .torque = those of frame and what holds vertices, a world force like any other: R R_p lambda.

    R is the mean of both ends of the step: the old one alone would pull behind a body that spins, and speed it up.
    """
    for i in range(3):
        ahead.force[i], ahead.torque[i] = frame.force[i], frame.torque[i]
    bend, y = np.empty((3, 3)), np.empty(3)
    half, before, after = np.empty(3), np.empty(3), np.empty(3)
    points = held.points
    for p in range(len(points.x)):
        rotation_exponential_into(bend, points.w[p])
        force = held.constraints.forces[3 * p : 3 * p + 3]
        for i in range(3):
            half[i] = 0.5 * (bend[i, 0] * force[0] + bend[i, 1] * force[1] + bend[i, 2] * force[2])
        for i in range(3):
            before[i] = frame.axes[i, 0] * half[0] + frame.axes[i, 1] * half[1] + frame.axes[i, 2] * half[2]
            after[i] = ahead.axes[i, 0] * half[0] + ahead.axes[i, 1] * half[1] + ahead.axes[i, 2] * half[2]
        warp(points.w[p], points.u[p], y)
        for i in range(3):
            y[i] += points.tables.X[p, i]
        _act(frame, ahead, y, before)
        _act(ahead, ahead, y, after)
