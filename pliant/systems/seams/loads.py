"""What acts on seams from outside: weight, pushes, wind and hands, on the coordinates and on the frame of a body."""

from typing import NamedTuple

import numpy as np
from numba import njit

from pliant.errors import Array
from pliant.numerics import rotation_exponential_into
from pliant.skin.warp import warp
from pliant.systems.seams.points import Points, add_loads, move_points, place_points
from pliant.systems.wind import WindField, wind_pressure


class Loads(NamedTuple):
    """What acts on the body.

    Attributes:
        masses: points with the mass of the body. weight: (p, 3) gravity on them [N]; gravity (3,) [m/s^2].
        weighs: whether gravity loads the coordinates: it does not in free fall.
        pushed: points that are pushed. pushes: (k, 3) [N].
        surface: points with the area of the body. wind: on them.
        pushed_room, surface_room: u, w and forces of these points, (3, k, 3).
        projection: counts in PROJECTIONS.
    """

    masses: Points
    weight: Array
    gravity: Array
    weighs: bool
    pushed: Points
    pushes: Array
    surface: Points
    wind: WindField
    windy: bool
    pushed_workspace: Array
    surface_workspace: Array
    projection: int


@njit(cache=True, nogil=True)
def add_outer_loads(loads, frame, shape, z, time, q, load):
    """Add the weight of a held body, pushes and wind to `load` (size,); frame.force and .torque are their sums."""
    for i in range(3):
        frame.force[i] = frame.torque[i] = 0.0
    masses, kind = loads.masses, loads.projection
    if loads.weighs:
        move_points(masses, q, z, shape.u, shape.w)
        add_loads(masses, shape.u, shape.w, loads.weight, kind, z, load)
    if len(loads.pushes):
        u, w, y = loads.pushed_workspace[0], loads.pushed_workspace[1], loads.pushed_workspace[2]
        move_points(loads.pushed, q, z, u, w)
        place_points(loads.pushed, u, w, y)
        _turn_into_body(frame, y, loads.pushes, y)
        add_loads(loads.pushed, u, w, y, kind, z, load)
    if loads.windy:
        u, w, y = loads.surface_workspace[0], loads.surface_workspace[1], loads.surface_workspace[2]
        move_points(loads.surface, q, z, u, w)
        place_points(loads.surface, u, w, y)
        _blow(loads, frame, time, y)
        add_loads(loads.surface, u, w, y, kind, z, load)


@njit(cache=True, nogil=True)
def _act(frame, sums, y, f, out):
    """Add a world force f at the body point y to sums.force and .torque; out = f in the body's axes, and may be y."""
    axes, arm = frame.axes, np.empty(3)
    for i in range(3):
        arm[i] = axes[3, i] - frame.centre[i] + axes[i, 0] * y[0] + axes[i, 1] * y[1] + axes[i, 2] * y[2]
        sums.force[i] += f[i]
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        sums.torque[i] += arm[j] * f[k] - arm[k] * f[j]
    for i in range(3):
        out[i] = axes[0, i] * f[0] + axes[1, i] * f[1] + axes[2, i] * f[2]


@njit(cache=True, nogil=True)
def _turn_into_body(frame, y, forces, out):
    for p in range(len(forces)):
        _act(frame, frame, y[p], forces[p], out[p])


@njit(cache=True, nogil=True)
def _blow(loads, frame, time, y):
    """The wind's force on every surface point, in the body's axes, in place of its position y."""
    x, f, axes = np.empty(3), np.empty(3), frame.axes
    for p in range(len(y)):
        for i in range(3):
            x[i] = axes[3, i] + axes[i, 0] * y[p, 0] + axes[i, 1] * y[p, 1] + axes[i, 2] * y[p, 2]
        wind_pressure(loads.wind, x, time, f)
        for i in range(3):
            f[i] *= loads.surface.weights[p]
        _act(frame, frame, y[p], f, y[p])


@njit(cache=True, nogil=True)
def add_holding_forces(holds, frame, ahead):
    """ahead.force and .torque = those of frame and what holds vertices, a world force like any other: R R_p lambda.

    R is the mean of both ends of the step: the old one alone would pull behind a body that spins, and speed it up.
    """
    for i in range(3):
        ahead.force[i], ahead.torque[i] = frame.force[i], frame.torque[i]
    bend, y = np.empty((3, 3)), np.empty(3)
    half, before, after, turned = np.empty(3), np.empty(3), np.empty(3), np.empty(3)
    for p in range(len(holds.targets)):
        rotation_exponential_into(bend, holds.w[p])
        force = holds.forces[p]
        for i in range(3):
            half[i] = 0.5 * (bend[i, 0] * force[0] + bend[i, 1] * force[1] + bend[i, 2] * force[2])
        for i in range(3):
            before[i] = frame.axes[i, 0] * half[0] + frame.axes[i, 1] * half[1] + frame.axes[i, 2] * half[2]
            after[i] = ahead.axes[i, 0] * half[0] + ahead.axes[i, 1] * half[1] + ahead.axes[i, 2] * half[2]
        warp(holds.w[p], holds.u[p], y)
        for i in range(3):
            y[i] += holds.points.X[p, i]
        _act(frame, ahead, y, before, turned)
        _act(ahead, ahead, y, after, turned)
