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
    """Shapes (r, r) with shapes^T M shapes = 1, and the transition of each mode: (r, 6) Phi by rows, then Gam."""

    shapes: Array
    to_modal: Array
    transition: Array


def oscillators(K: Array, M: Array, alpha: float, beta: float, dt: float) -> Oscillators:
    """The transitions of all modes of K x = lambda M x over a step dt."""
    values, shapes = la.eigh(K, M)
    return Oscillators(shapes, shapes.T @ M, np.array([transition(x, alpha + beta * x, dt) for x in values]))


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
def modal_steps(transition, load, y, v, count):
    """`count` steps of all modes in place; y, v, load (r,) in modal coordinates."""
    for i in range(len(y)):
        p = transition[i]
        x, s, f = y[i], v[i], load[i]
        for _ in range(count):
            x, s = p[0] * x + p[1] * s + p[4] * f, p[2] * x + p[3] * s + p[5] * f
        y[i], v[i] = x, s
