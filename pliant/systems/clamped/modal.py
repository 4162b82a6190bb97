"""Exact modal oscillators: a linear reduced part, stepped without error for loads constant over a step (maths sheet 9).

z'' + d z' + lambda z = f,  d = alpha + beta lambda,  s = d/2,  c, n: damped cosine and sine over its frequency
    (z, z')+ = [[c + s n, n], [-lambda n, c - s n]] (z, z') + [(1 - (c + s n)) / lambda, n] f
"""

from typing import NamedTuple

import numpy as np
import scipy.linalg as la
from numba import njit

from pliant.errors import Array

NEARLY_CRITICAL = 1e-4  # |w_d| dt below which the quotient sin(w_d dt) / w_d is taken by its series

NEARLY_FREE = 1e-3  # lambda dt^2 below which the quotient by lambda loses digits


class Oscillators(NamedTuple):
    """Shapes (r, r) with shapes^T M shapes = 1, the transition of each mode: (r, 6) Phi by rows, then Gam; and d and
    lambda of each (r, 2)."""

    shapes: Array
    to_modal: Array
    transition: Array
    constants: Array


def oscillators(K: Array, M: Array, alpha: float, beta: float, dt: float) -> Oscillators:
    """The transitions of all modes of K x = lambda M x over a step dt."""
    values, shapes = la.eigh(K, M)
    transitions = np.array([transition(x, alpha + beta * x, dt) for x in values])
    constants = np.stack([alpha + beta * values, values], axis=1)
    return Oscillators(np.ascontiguousarray(shapes), shapes.T @ M, transitions, constants)


def transition(value: float, d: float, dt: float) -> Array:
    """Phi_00, Phi_01, Phi_10, Phi_11, Gam_0, Gam_1 of one oscillator; over- and critically damped ones too."""
    s = d / 2
    w = np.sqrt(abs(value - s * s))
    if w * dt < NEARLY_CRITICAL:
        square = (value - s * s) * dt * dt
        c, n = np.exp(-s * dt) * (1 - square / 2), np.exp(-s * dt) * dt * (1 - square / 6)
    elif value > s * s:
        c, n = np.exp(-s * dt) * np.cos(w * dt), np.exp(-s * dt) * np.sin(w * dt) / w
    else:
        slow, fast = np.exp((w - s) * dt), np.exp(-(w + s) * dt)
        c, n = (slow + fast) / 2, (slow - fast) / (2 * w)
    gain = (1 - (c + s * n)) / value if abs(value) * dt * dt > NEARLY_FREE else _gain(value, d, dt)
    return np.array([c + s * n, n, -value * n, c - s * n, gain, n])


def _gain(value: float, d: float, dt: float) -> float:
    """Gam_0 by the matrix exponential of (z, z', f)."""
    return float(la.expm(dt * np.array([[0.0, 1.0, 0.0], [-value, -d, 1.0], [0.0, 0.0, 0.0]]))[0, 2])


@njit(cache=True, nogil=True)
def modal_steps(modes, load, q, v, a, count):
    """`count` steps in place; q, v, a, load (r,). a is that of the end, under the same load."""
    shapes, to_modal, transition, constants = modes
    r = len(q)
    y, rate, f = np.zeros(r), np.zeros(r), np.zeros(r)
    for i in range(r):
        for j in range(r):
            y[i] += to_modal[i, j] * q[j]
            rate[i] += to_modal[i, j] * v[j]
            f[j] += shapes[i, j] * load[i]
    for i in range(r):
        p = transition[i]
        for _ in range(count):
            y[i], rate[i] = p[0] * y[i] + p[1] * rate[i] + p[4] * f[i], p[2] * y[i] + p[3] * rate[i] + p[5] * f[i]
        f[i] -= constants[i, 0] * rate[i] + constants[i, 1] * y[i]
    for i in range(r):
        q[i] = v[i] = a[i] = 0
        for j in range(r):
            q[i] += shapes[i, j] * y[j]
            v[i] += shapes[i, j] * rate[j]
            a[i] += shapes[i, j] * f[j]
