"""Where free seams are and how they move: the frame carries the momentum, the coordinates only deform.

Points of the body are x = R s + t, s = y(q) - c from their centre, with masses m:

    I = sum m (s.s 1 - s s^T),   G = sum m s x s',   spin = I^-1 (R^T L - G)      (maths sheet momentum 1-3)

The deformation has no rigid motion, Q^T M q = 0 (mean axes). `middle` and `flight` say how all of this moves.
"""

from typing import NamedTuple

import numpy as np
from numba import njit

from pliant.errors import Array
from pliant.numerics import rotation_from_quaternion_into
from pliant.skin.point_kernels import move_in_frames
from pliant.systems.free_frame import FreeFrame, free_frame, spin_of, take
from pliant.systems.system_points import move


class Frame(NamedTuple):
    """Where a body is and how it moves; a held body has the identity and only uses `axes`.

    Attributes:
        free: its state.
        axes: (4, 3) R, and the origin of the body below it.
        drift: (2, 3) velocity of the centre of mass and spin, in the body's axes.
        force, torque: (3,) of the present step but for weight, in the world, about the centre of mass.
    """

    free: FreeFrame
    axes: Array
    drift: Array
    force: Array
    torque: Array


class Shape(NamedTuple):
    """The mass points of the deformed body in its frame, and their moments; work space.

    Attributes:
        u, w, du, dw: displacement, rotation vector and their rates (p, 3).
        y, rate: positions and velocities (p, 3) [m], [m/s].
        centre, centre_rate: (3,). I: (3, 3). G: (3,).
    """

    u: Array
    w: Array
    du: Array
    dw: Array
    y: Array
    rate: Array
    centre: Array
    centre_rate: Array
    I: Array
    G: Array


def frame_at(centre: Array) -> Frame:
    """At rest, unturned."""
    axes = np.vstack([np.eye(3), np.zeros((1, 3))])
    return Frame(free_frame(centre), axes, np.zeros((2, 3)), np.zeros(3), np.zeros(3))


def shape_workspace(count: int) -> Shape:
    """For `count` mass points."""
    points = [np.zeros((count, 3)) for _ in range(6)]
    return Shape._make([*points, np.zeros(3), np.zeros(3), np.zeros((3, 3)), np.zeros(3)])


@njit(cache=True, nogil=True)
def measure_shape(points, q, v, shape):
    """Positions, velocities and moments of the mass points."""
    move(points, q, shape.u, shape.w)
    move(points, v, shape.du, shape.dw)
    move_in_frames(points.tables, shape.u, shape.w, shape.du, shape.dw, shape.y, shape.rate)
    total = 0.0
    for i in range(3):
        shape.centre[i] = shape.centre_rate[i] = shape.G[i] = 0.0
        for j in range(3):
            shape.I[i, j] = 0.0
    for p in range(len(points.measure)):
        for i in range(3):
            shape.centre[i] += points.measure[p] * shape.y[p, i]
            shape.centre_rate[i] += points.measure[p] * shape.rate[p, i]
        total += points.measure[p]
    for i in range(3):
        shape.centre[i] /= total
        shape.centre_rate[i] /= total
    s, d = np.empty(3), np.empty(3)
    for p in range(len(points.measure)):
        m = points.measure[p]
        for i in range(3):
            s[i], d[i] = shape.y[p, i] - shape.centre[i], shape.rate[p, i] - shape.centre_rate[i]
        square = s[0] * s[0] + s[1] * s[1] + s[2] * s[2]
        for i in range(3):
            j, k = (i + 1) % 3, (i + 2) % 3
            shape.G[i] += m * (s[j] * d[k] - s[k] * d[j])
            shape.I[i, i] += m * square
            for n in range(3):
                shape.I[i, n] -= m * s[i] * s[n]
    return total


@njit(cache=True, nogil=True)
def find_spin(frame, shape, mass):
    """R, origin, velocity and spin of the body from its momentum and shape; into frame.axes and frame.drift."""
    free, R, drift = frame.free, frame.axes[:3], frame.drift
    rotation_from_quaternion_into(R, free.Q)
    for i in range(3):
        drift[0, i] = (R[0, i] * free.P[0] + R[1, i] * free.P[1] + R[2, i] * free.P[2]) / mass
    spin_of(shape.I, R, free.L, shape.G, drift[1])
    for i in range(3):
        frame.axes[3, i] = free.t[i]
        for j in range(3):
            frame.axes[3, i] -= R[i, j] * shape.centre[j]


@njit(cache=True, nogil=True)
def take_frame(source, frame):
    """Make frame a copy of source."""
    take(source.free, frame.free)
    for i in range(3):
        frame.force[i], frame.torque[i] = source.force[i], source.torque[i]
        for k in range(4):
            frame.axes[k, i] = source.axes[k, i]
        for k in range(2):
            frame.drift[k, i] = source.drift[k, i]
