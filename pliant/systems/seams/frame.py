"""How the free frame of seams moves with their shape: the frame carries the momentum, the coordinates only deform.

Points of the body are x = R y(q) + t0 with masses m; s = y - c from their centre:

    I = sum m (s.s 1 - s s^T),  G = sum m s x s'                                  (maths sheet momentum 1-3)

The deformation keeps no rigid motion, Q^T M q = 0 (mean axes), and feels -m (o x (o x s) + 2 o x s' + o' x s) at every
point, o the spin, in axes that turn with it.
"""

from typing import NamedTuple

import numpy as np
from numba import njit

from pliant.errors import Array
from pliant.numerics import rotation_from_quaternion_into
from pliant.skin.warp import warp, warp_slope
from pliant.systems.free_frame import FreeFrame, advance, free_frame, spin_of, take, turn
from pliant.systems.seams.points import place_in_body
from pliant.systems.system_points import move


class Frame(NamedTuple):
    """Where a body is and how it moves; a held body has the identity and only uses `axes`.

    Attributes:
        free: its state.
        axes: (4, 3) R, and the origin of the body below it.
        drift: (6, 3) in the body's axes: velocity, spin, their rates, pivot c, fall: R^T g - spin x velocity.
        force, torque: (3,) of the present step, in the world, about the centre of mass.
    """

    free: FreeFrame
    axes: Array
    drift: Array
    force: Array
    torque: Array


class Shape(NamedTuple):
    """The mass points of the deformed body in its frame, and their moments; room that steps reuse.

    Attributes:
        u, w, du, dw: displacement, rotation vector and their rates (p, 3).
        y, rate: positions and velocities (p, 3) [m], [m/s].
        forces: (p, 3) [N].
        centre, centre_rate: (3,). I: (3, 3). G: (3,).
    """

    u: Array
    w: Array
    du: Array
    dw: Array
    y: Array
    rate: Array
    forces: Array
    centre: Array
    centre_rate: Array
    I: Array
    G: Array


def frame_at(centre: Array) -> Frame:
    """At rest, unturned."""
    axes = np.vstack([np.eye(3), np.zeros((1, 3))])
    return Frame(free_frame(centre), axes, np.zeros((6, 3)), np.zeros(3), np.zeros(3))


def shape_workspace(count: int) -> Shape:
    """For `count` mass points."""
    points = [np.zeros((count, 3)) for _ in range(7)]
    return Shape._make([*points, np.zeros(3), np.zeros(3), np.zeros((3, 3)), np.zeros(3)])


@njit(cache=True, nogil=True)
def measure_shape(points, q, v, shape):
    """Positions, velocities and moments of the mass points."""
    move(points, q, shape.u, shape.w)
    move(points, v, shape.du, shape.dw)
    place_in_body(points, shape.u, shape.w, shape.y)
    D, total = np.empty((3, 3)), 0.0
    for i in range(3):
        shape.centre[i] = shape.centre_rate[i] = shape.G[i] = 0.0
        for j in range(3):
            shape.I[i, j] = 0.0
    for p in range(len(points.measure)):
        warp(shape.w[p], shape.du[p], shape.rate[p])
        warp_slope(shape.w[p], shape.u[p], D)
        for i in range(3):
            for j in range(3):
                shape.rate[p, i] += D[i, j] * shape.dw[p, j]
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
        drift[4, i] = shape.centre[i]
    spin_of(shape.I, R, free.L, shape.G, drift[1])
    for i in range(3):
        frame.axes[3, i] = free.t[i]
        for j in range(3):
            frame.axes[3, i] -= R[i, j] * shape.centre[j]


@njit(cache=True, nogil=True)
def spin_forces(points, drift, shape):
    """shape.forces = -m (o x (o x s) + 2 o x s' + o' x s) for the spin o and its rate, of the shape as measured."""
    o, rate = drift[1], drift[3]
    square = o[0] * o[0] + o[1] * o[1] + o[2] * o[2]
    s, d = np.empty(3), np.empty(3)
    for p in range(len(points.measure)):
        for i in range(3):
            s[i], d[i] = shape.y[p, i] - shape.centre[i], shape.rate[p, i] - shape.centre_rate[i]
        dot = o[0] * s[0] + o[1] * s[1] + o[2] * s[2]
        for i in range(3):
            j, k = (i + 1) % 3, (i + 2) % 3
            centrifugal = o[i] * dot - square * s[i]
            coriolis, euler = 2 * (o[j] * d[k] - o[k] * d[j]), rate[j] * s[k] - rate[k] * s[j]
            shape.forces[p, i] = -points.measure[p] * (centrifugal + coriolis + euler)


@njit(cache=True, nogil=True)
def move_frame(frame, ahead, shape, mass, gravity, dt):
    """ahead = frame after a step in which ahead.force, weight and ahead.torque acted; shape is the one at its end."""
    total = np.empty(3)
    for i in range(3):
        total[i] = ahead.force[i] + mass * gravity[i]
    advance(frame.free, ahead.free, total, ahead.torque, mass, dt)
    spin = _to_world(frame.axes, frame.drift[1])
    turn(frame.free, ahead.free, dt * spin)
    find_spin(ahead, shape, mass)
    turn(frame.free, ahead.free, 0.5 * dt * (spin + _to_world(ahead.axes, ahead.drift[1])))
    find_spin(ahead, shape, mass)
    for i in range(3):
        ahead.drift[2, i] = (ahead.drift[0, i] - frame.drift[0, i]) / dt
        ahead.drift[3, i] = (ahead.drift[1, i] - frame.drift[1, i]) / dt


@njit(cache=True, nogil=True)
def take_frame(source, frame):
    """Make frame a copy of source."""
    take(source.free, frame.free)
    for i in range(3):
        frame.force[i], frame.torque[i] = source.force[i], source.torque[i]
        for k in range(4):
            frame.axes[k, i] = source.axes[k, i]
        for k in range(6):
            frame.drift[k, i] = source.drift[k, i]


@njit(cache=True, nogil=True)
def _to_world(axes, x):
    out = np.empty(3)
    for i in range(3):
        out[i] = axes[i, 0] * x[0] + axes[i, 1] * x[1] + axes[i, 2] * x[2]
    return out
