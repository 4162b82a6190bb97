"""The frame of a body that nothing holds: where it is and what momentum it has are its state, velocities follow.

    t += dt (P + dt/2 F)/m,   P += dt F,   L += dt tau,   Q <- exp(dt mean spin) Q,   spin = I^-1 (R^T L - G)

t is the centre of mass, L the angular momentum about it, F and tau the outside force and torque about it, all in the
world; I and G are the inertia and the inner angular momentum of the shape, in the axes R of the body (maths sheet
momentum 1-3). The spin is never integrated, so that P and L are kept to rounding whatever the shape does.
"""

from typing import NamedTuple

import numpy as np
from numba import njit

from pliant.errors import Array
from pliant.numerics import quaternion_exponential, quaternion_multiply_into
from pliant.numerics.inner import inner


class FreeFrame(NamedTuple):
    """Attributes:
    t: (3,) centre of mass [m]. Q: (4,) unit quaternion of R.
    P, L: (3,) linear [kg m/s] and angular momentum about t [kg m^2/s].
    """

    t: Array
    Q: Array
    P: Array
    L: Array


SHAPES: dict[str, tuple[int, ...]] = {"t": (3,), "Q": (4,), "P": (3,), "L": (3,)}


def free_frame(centre: Array) -> FreeFrame:
    """At rest, unturned."""
    return FreeFrame(np.array(centre, dtype=np.float64), np.array([1.0, 0.0, 0.0, 0.0]), np.zeros(3), np.zeros(3))


@njit(cache=True, nogil=True)
def take(source, frame):
    """Make frame a copy of source."""
    for i in range(4):
        frame.Q[i] = source.Q[i]
    for i in range(3):
        frame.t[i], frame.P[i], frame.L[i] = source.t[i], source.P[i], source.L[i]


@njit(cache=True, nogil=True)
def advance(before, after, force, torque, mass, dt):
    """t, P and L of `after`, a step in which a force and a torque about t acted."""
    for i in range(3):
        after.t[i] = before.t[i] + dt * (before.P[i] + 0.5 * dt * force[i]) / mass
        after.P[i] = before.P[i] + dt * force[i]
        after.L[i] = before.L[i] + dt * torque[i]


@njit(cache=True, nogil=True)
def turn(before, after, vector):
    """Q of `after` = exp(vector) Q of `before`, for a rotation vector (3,) in the world."""
    quaternion_multiply_into(after.Q, quaternion_exponential(vector), before.Q)
    size = 0.0
    for i in range(4):
        size += after.Q[i] ** 2
    for i in range(4):
        after.Q[i] /= np.sqrt(size)


@inner
def spin_of(inertia, R, L, G, spin):
    """spin = I^-1 (R^T L - G), all but L in the axes of the body; I symmetric, by its cofactors."""
    A, b = inertia, np.empty(3)
    for i in range(3):
        b[i] = R[0, i] * L[0] + R[1, i] * L[1] + R[2, i] * L[2] - G[i]
    c0, c1 = A[1, 1] * A[2, 2] - A[1, 2] * A[1, 2], A[0, 2] * A[1, 2] - A[0, 1] * A[2, 2]
    c2, c3 = A[0, 1] * A[1, 2] - A[0, 2] * A[1, 1], A[0, 0] * A[2, 2] - A[0, 2] ** 2
    c4, c5 = A[0, 1] * A[0, 2] - A[0, 0] * A[1, 2], A[0, 0] * A[1, 1] - A[0, 1] ** 2
    size = A[0, 0] * c0 + A[0, 1] * c1 + A[0, 2] * c2
    spin[0] = (c0 * b[0] + c1 * b[1] + c2 * b[2]) / size
    spin[1] = (c1 * b[0] + c3 * b[1] + c4 * b[2]) / size
    spin[2] = (c2 * b[0] + c4 * b[1] + c5 * b[2]) / size
