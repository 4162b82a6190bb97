"""A free body half way through a step, and the forces that its mass points feel there (maths sheet momentum 3).

A step has one acceleration a of the coordinates, and everything is taken in its middle,

    v_m = v + dt/2 a,   q_m = q + dt/2 v + dt^2/4 a,   so are u = U q, w = W q, and their rates, of every point

    s, s', s'' = y(q_m) - c and its rates:  y' = J v_m,   y'' = J a + J' v_m     (J = dy/dq, of the warped points)
    L_m = L + dt/2 tau,   R_m = exp(dt/2 R_m o) R,   o = I^-1 (R_m^T L_m - G)
    d/dt (I o + G) = tau - o x (I o + G)   gives   o' = I^-1 (tau - o x L_m - I' o - H),   H = sum m s x s''

This is how the frame moves, exactly: P and L are kept whatever the shape does. How the shape moves is Lagrange's
equations, with L_b = R^T L for a momentum, of

    T = P.P/2m + L_b.I^-1 L_b/2 + v.M v/2

that is, of the warped points but for their motion among each other, which is that of the linear ones. True points have
v.(M_w - G^T I^-1 G) v/2 in the place of v.M v/2, which is never negative. Neither M_w - M nor the recoil G^T I^-1 G is
there at rest, and both grow with the bend. M - G^T I^-1 G, with one of them alone, is no mass where a body is bent by
about half a radian: vibrations would grow. So both are left out, and the mass of the shape is M, however it is bent.

With h = I^-1 L_b = o + g, the spin that L_b would give a shape that stands still, and g = I^-1 G, points feel

    -m (V' + h' x s + o x (o x s) - g x (g x s) + 2 h x s'),   h' = I^-1 (tau - o x L_b - I' h)

which acts on q by J^T. None of it holds the acceleration a that is sought but by dt.
"""

from typing import NamedTuple

import numpy as np
from numba import njit

from pliant.errors import Array
from pliant.numerics import rotation_from_quaternion_into
from pliant.skin.point_kernels import move_warped
from pliant.systems.free_frame import spin_of, turn

TURNS = 2  # of the middle axes for each measure of the shape: these cost nothing beside it


class Middle(NamedTuple):
    """Of a step, as last measured; work space.

    Attributes:
        ddu, ddw: (p, 3) U a and W a of the mass points, of the acceleration of the step.
        u, w, du, dw, y, rate, forces: (p, 3) in the middle.
        Rt, D: (p, 3, 3) their warps: J = Rt U + D W.
        centre: (3, 3) of the body, in its axes: place, velocity and acceleration.
        I, dI: (3, 3) and its rate. G, H: (3,).
        spin, still: (2, 3) o and o', h and h' in the axes of the body. turn: (3,) o in the world.
        L: (3,) in the world. lift: (3,) V' but for weight, in the axes of the body.
    """

    ddu: Array
    ddw: Array
    u: Array
    w: Array
    du: Array
    dw: Array
    y: Array
    rate: Array
    forces: Array
    Rt: Array
    D: Array
    centre: Array
    I: Array
    dI: Array
    G: Array
    H: Array
    spin: Array
    still: Array
    turn: Array
    L: Array
    lift: Array


def middle_workspace(count: int) -> Middle:
    """For `count` mass points."""
    points = [np.zeros((count, 3)) for _ in range(9)] + [np.zeros((count, 3, 3)) for _ in range(2)]
    square, pair, vector = (3, 3), (2, 3), (3,)
    moments = map(np.zeros, (square, square, square, vector, vector, pair, pair, vector, vector, vector))
    return Middle(*points, *moments)


@njit(cache=True, nogil=True)
def halfway(start, rate, second, dt, at, at_rate):
    """at = start + dt/2 rate + dt^2/4 second and at_rate = rate + dt/2 second, (p, 3) each."""
    for p in range(len(start)):
        for i in range(3):
            at[p, i] = start[p, i] + 0.5 * dt * rate[p, i] + 0.25 * dt * dt * second[p, i]
            at_rate[p, i] = rate[p, i] + 0.5 * dt * second[p, i]


@njit(cache=True, nogil=True)
def measure_middle(points, middle, mass):
    """Moments of the mass points, moved by u, w, du, dw, ddu, ddw."""
    m, centre, out, y, second = points.measure, middle.centre, np.empty((2, 3)), middle.y, middle.forces
    _clear(centre)
    for p in range(len(m)):
        move_warped(
            points.tables.X[p],
            middle.u[p],
            middle.w[p],
            middle.du[p],
            middle.dw[p],
            middle.ddu[p],
            middle.ddw[p],
            middle.Rt[p],
            middle.D[p],
            out,
            y[p],
            middle.rate[p],
            second[p],
        )
        share = m[p] / mass
        for i in range(3):
            centre[0, i] += share * y[p, i]
            centre[1, i] += share * middle.rate[p, i]
            centre[2, i] += share * second[p, i]
    I, dI, G, H, s, d, a = middle.I, middle.dI, middle.G, middle.H, np.empty(3), np.empty(3), np.empty(3)
    _clear(I)
    _clear(dI)
    for i in range(3):
        G[i] = H[i] = 0.0
    for p in range(len(m)):
        for i in range(3):
            s[i], d[i] = y[p, i] - centre[0, i], middle.rate[p, i] - centre[1, i]
            a[i] = second[p, i] - centre[2, i]
        square = s[0] * s[0] + s[1] * s[1] + s[2] * s[2]
        grows = 2 * (s[0] * d[0] + s[1] * d[1] + s[2] * d[2])
        for i in range(3):
            j, k = (i + 1) % 3, (i + 2) % 3
            G[i] += m[p] * (s[j] * d[k] - s[k] * d[j])
            H[i] += m[p] * (s[j] * a[k] - s[k] * a[j])
            I[i, i] += m[p] * square
            dI[i, i] += m[p] * grows
            for n in range(3):
                I[i, n] -= m[p] * s[i] * s[n]
                dI[i, n] -= m[p] * (s[i] * d[n] + d[i] * s[n])


@njit(cache=True, nogil=True)
def find_turning(frame, ahead, middle, mass, dt):
    """middle.spin, .still, .turn, .L and .lift, and R of ahead.axes, all in the middle of a step from `frame`.

    ahead.force and ahead.torque are what acts, in the world.
    """
    R, L, o, h = ahead.axes[:3], middle.L, middle.spin[0], middle.still[0]
    for i in range(3):
        L[i] = frame.free.L[i] + 0.5 * dt * ahead.torque[i]
    for _ in range(TURNS):
        turn(frame.free, ahead.free, 0.5 * dt * middle.turn)
        rotation_from_quaternion_into(R, ahead.free.Q)
        spin_of(middle.I, R, L, middle.G, o)
        for i in range(3):
            middle.turn[i] = R[i, 0] * o[0] + R[i, 1] * o[1] + R[i, 2] * o[2]
    own, twist, force, torque = np.empty(3), np.zeros(3), ahead.force, ahead.torque
    spin_of(middle.I, R, L, twist, h)
    for i in range(3):
        own[i] = R[0, i] * L[0] + R[1, i] * L[1] + R[2, i] * L[2]
        middle.lift[i] = (R[0, i] * force[0] + R[1, i] * force[1] + R[2, i] * force[2]) / mass
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        twist[i] = o[j] * own[k] - o[k] * own[j]
        for n in range(3):
            twist[i] += middle.dI[i, n] * h[n]
    # I^-1 (R^T tau - twist), as it is made of L and G.
    spin_of(middle.I, R, torque, twist, middle.still[1])
    for i in range(3):
        twist[i] += middle.H[i]
        for n in range(3):
            twist[i] -= middle.dI[i, n] * (h[n] - o[n])
    spin_of(middle.I, R, torque, twist, middle.spin[1])


@njit(cache=True, nogil=True)
def spin_forces(points, middle):
    """middle.forces = -m (V' + h' x s + o x (o x s) - g x (g x s) + 2 h x s')."""
    o, h, rate, lift, centre = middle.spin[0], middle.still[0], middle.still[1], middle.lift, middle.centre
    s, d, g = np.empty(3), np.empty(3), h - o
    square = o[0] * o[0] + o[1] * o[1] + o[2] * o[2] - g[0] * g[0] - g[1] * g[1] - g[2] * g[2]
    for p in range(len(points.measure)):
        for i in range(3):
            s[i], d[i] = middle.y[p, i] - centre[0, i], middle.rate[p, i] - centre[1, i]
        dot = o[0] * s[0] + o[1] * s[1] + o[2] * s[2]
        recoil = g[0] * s[0] + g[1] * s[1] + g[2] * s[2]
        for i in range(3):
            j, k = (i + 1) % 3, (i + 2) % 3
            centrifugal = o[i] * dot - g[i] * recoil - square * s[i]
            coriolis, euler = 2 * (h[j] * d[k] - h[k] * d[j]), rate[j] * s[k] - rate[k] * s[j]
            middle.forces[p, i] = -points.measure[p] * (lift[i] + centrifugal + coriolis + euler)


@njit(cache=True, nogil=True)
def _clear(x):
    for i in range(x.shape[0]):
        for j in range(x.shape[1]):
            x[i, j] = 0.0
