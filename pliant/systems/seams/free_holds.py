"""Hands on a free body: what holds its vertices moves its frame and its shape at once, in the middle of a step.

    x'' = V' + o' x s + o x (o x s) + 2 o x s' + s''  =  -2 om x' - om^2 (x - target)      in the axes of the body

with x, x', x'' in the middle of the step, so that a hand is critically damped, and one that stands still does no work.
Unit forces e at a held point move it by  T = 1/m + [s]^T I^-1 [s] + B^T Y,  where

    B = (J - J_c)^T e - G^T I^-1 (s x e),   Y = A^-1 B                        (maths sheet momentum 4)

A turned interface is an inner motion: its rows are of the coordinates alone.
"""

import numpy as np
from numba import njit

from pliant.skin.point_kernels import move_warped
from pliant.systems.constraints import meet
from pliant.systems.free_frame import spin_of
from pliant.systems.seams.rigid_motion import remove_rigid
from pliant.systems.system_points import act_as_warped, move


@njit(cache=True, nogil=True)
def measure_holds(held, dt, q, v, a):
    """held.work.y, .rate, .second of the held points in the middle of the step; .points.work.u and .w too."""
    points, work, X = held.points, held.work, held.points.tables.X
    move(points, a, work.ddu, work.ddw)
    move(points, v, work.du, work.dw)
    move(points, q, points.work.u, points.work.w)
    out = np.empty((2, 3))
    for p in range(len(points.work.x)):
        u, w, du, dw, ddu, ddw = points.work.u[p], points.work.w[p], work.du[p], work.dw[p], work.ddu[p], work.ddw[p]
        for i in range(3):
            u[i] += 0.5 * dt * (du[i] + 0.5 * dt * ddu[i])
            w[i] += 0.5 * dt * (dw[i] + 0.5 * dt * ddw[i])
            du[i] += 0.5 * dt * ddu[i]
            dw[i] += 0.5 * dt * ddw[i]
        Rt, D, y, rate, second = work.Rt[p], work.D[p], work.y[p], work.rate[p], work.second[p]
        move_warped(X[p], u, w, du, dw, ddu, ddw, Rt, D, out, y, rate, second)


@njit(cache=True, nogil=True)
def wrench_of_holds(held, frame, ahead, middle):
    """ahead.force and .torque = those of frame, which are of outer loads, and what holds vertices."""
    R, forces, s = ahead.axes[:3], held.constraints.forces, np.empty(3)
    for i in range(3):
        ahead.force[i], ahead.torque[i] = frame.force[i], frame.torque[i]
    for p in range(len(held.points.work.x)):
        f = forces[3 * p : 3 * p + 3]
        for i in range(3):
            s[i] = held.work.y[p, i] - middle.centre[0, i]
        for i in range(3):
            j, k = (i + 1) % 3, (i + 2) % 3
            torque = s[j] * f[k] - s[k] * f[j]
            for n in range(3):
                ahead.force[n] += R[n, i] * f[i]
                ahead.torque[n] += R[n, i] * torque


@njit(cache=True, nogil=True)
def load_holds(held, load):
    """load += J^T f of held vertices and G^T f of turned interfaces."""
    constraints, p = held.constraints, len(held.points.work.x)
    if p:
        forces = constraints.forces[: 3 * p].copy().reshape((p, 3))
        act_as_warped(held.points, held.work.Rt, held.work.D, forces, load)
    for row in range(3 * p, len(constraints.G)):
        for j in range(len(load)):
            load[j] += constraints.G[row, j] * constraints.forces[row]


@njit(cache=True, nogil=True)
def power_of_holds(held, dt, v, a):
    """What holds do to the shape [W], in the middle of the step, besides what they do to the frame."""
    forces, G, p, power = held.constraints.forces, held.constraints.G, len(held.points.work.x), 0.0
    for k in range(p):
        for i in range(3):
            power += forces[3 * k + i] * held.work.rate[k, i]
    for row in range(3 * p, len(G)):
        for j in range(len(v)):
            power += forces[row] * G[row, j] * (v[j] + 0.5 * dt * a[j])
    return power


@njit(cache=True, nogil=True)
def answer_holds(held, middle, G, centre, rigid):
    """Rows B of the held points, into constraints.G; those of turned interfaces stay."""
    rows, points = held.constraints.G, held.points
    unit, turned, pull = np.zeros((len(points.work.x), 3)), np.empty(3), np.empty(3)
    for p in range(len(points.work.x)):
        for k in range(3):
            B = rows[3 * p + k]
            for j in range(len(B)):
                B[j] = 0.0
            unit[p, k] = 1.0
            act_as_warped(points, held.work.Rt, held.work.D, unit, B)
            unit[p, k] = 0.0
            remove_rigid(rigid.B, rigid.Q, B)
            _arm(held, middle, p, k, pull)
            _turn_by(middle.I, pull, turned)
            for j in range(len(B)):
                B[j] -= centre[k, j] + G[0, j] * turned[0] + G[1, j] * turned[1] + G[2, j] * turned[2]


@njit(cache=True, nogil=True)
def correct_holds(held, frame, ahead, middle, gravity, mass, dt, q, v, a, change):
    """Add to the change of a (size,) in a sweep what makes held points follow, and change their forces."""
    G, _, targets, rates, limits, forces, (wanted, _, Y, T) = held.constraints
    p, c = len(held.points.work.x), len(G)
    _want(held, frame, ahead, middle, gravity, mass, dt)
    for row in range(3 * p, c):
        om, x, rate, now = rates[row], -targets[row], 0.0, 0.0
        for j in range(len(q)):
            x += G[row, j] * (q[j] + 0.5 * dt * (v[j] + 0.5 * dt * a[j]))
            rate += G[row, j] * (v[j] + 0.5 * dt * a[j])
            now += G[row, j] * a[j]
        wanted[row] = -(om * (2 * rate + om * x)) - now
    for row in range(c):
        om = rates[row]
        wanted[row] /= 1 + om * dt + 0.25 * om * om * dt * dt
        for j in range(len(change)):
            wanted[row] -= G[row, j] * change[j]
        for column in range(row, c):
            T[row, column] = _frame_answer(held, middle, mass, row, column) if column < 3 * p else 0.0
            for j in range(len(change)):
                T[row, column] += G[row, j] * Y[column, j]
    meet(T, wanted, forces, limits)
    for row in range(c):
        for j in range(len(change)):
            change[j] += Y[row, j] * wanted[row]


@njit(cache=True, nogil=True)
def _want(held, frame, ahead, middle, gravity, mass, dt):
    """constraints.work.wanted (3p,) = -2 om x' - om^2 (x - target) - x'' of the held points."""
    R, o, od = ahead.axes[:3], middle.spin[0], middle.spin[1]
    targets, rates, wanted = held.constraints.targets, held.constraints.rates, held.constraints.work.wanted
    s, d, spun = np.empty(3), np.empty(3), np.empty(3)
    speed, away = np.empty(3), np.empty(3)
    for p in range(len(held.points.work.x)):
        for i in range(3):
            s[i], d[i] = held.work.y[p, i] - middle.centre[0, i], held.work.rate[p, i] - middle.centre[1, i]
            speed[i] = (frame.free.P[i] + 0.5 * dt * ahead.force[i]) / mass + 0.5 * dt * gravity[i]
            away[i] = frame.free.t[i] + 0.5 * dt * speed[i] - targets[3 * p + i]
        for i in range(3):
            j, k = (i + 1) % 3, (i + 2) % 3
            spun[i] = o[j] * s[k] - o[k] * s[j]
        for i in range(3):
            j, k = (i + 1) % 3, (i + 2) % 3
            om, x, rate = rates[3 * p + i], s[i], spun[i] + d[i]
            second = middle.lift[i] + held.work.second[p, i] - middle.centre[2, i] + od[j] * s[k] - od[k] * s[j]
            second += o[j] * (spun[k] + 2 * d[k]) - o[k] * (spun[j] + 2 * d[j])
            for n in range(3):
                x += R[n, i] * away[n]
                rate += R[n, i] * speed[n]
                second += R[n, i] * gravity[n]
            wanted[3 * p + i] = -(om * (2 * rate + om * x)) - second


@njit(cache=True, nogil=True)
def _frame_answer(held, middle, mass, row, column):
    """How far, along `row`, the frame alone moves a held point under the unit force `column`."""
    if row >= 3 * len(held.points.work.x):
        return 0.0
    one, other, turned = np.empty(3), np.empty(3), np.empty(3)
    _arm(held, middle, row // 3, row % 3, one)
    _arm(held, middle, column // 3, column % 3, other)
    _turn_by(middle.I, other, turned)
    share = one[0] * turned[0] + one[1] * turned[1] + one[2] * turned[2]
    return share + (1 / mass if row % 3 == column % 3 else 0.0)


@njit(cache=True, nogil=True)
def _arm(held, middle, p, k, out):
    """s x e_k of a held point."""
    i, j = (k + 1) % 3, (k + 2) % 3
    out[k] = 0.0
    out[i] = held.work.y[p, j] - middle.centre[0, j]
    out[j] = -(held.work.y[p, i] - middle.centre[0, i])


@njit(cache=True, nogil=True)
def _turn_by(inertia, torque, out):
    """out = I^-1 torque."""
    spin_of(inertia, np.eye(3), torque, np.zeros(3), out)
