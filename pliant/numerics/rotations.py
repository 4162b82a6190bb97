"""Rotations of space: matrices, rotation vectors and unit quaternions (w, x, y, z), as compiled functions.

A function that ends in `_into` writes its result into the first argument and allocates nothing.
"""

import math

import numpy as np
from numba import njit

from pliant.numerics.inner import inner

SERIES_BELOW = 1e-4  # [rad] below this angle sin and cos are replaced by series, whose error is then under 1e-17


@njit(cache=True)
def cross_matrix(w):
    """[w]x (3, 3), with [w]x v = w x v."""
    return np.array([[0.0, -w[2], w[1]], [w[2], 0.0, -w[0]], [-w[1], w[0], 0.0]])


@njit(cache=True)
def rotation_exponential(w):
    """R (3, 3) = exp([w]x): the turn by |w| [rad] about w (3,), by Rodrigues' formula."""
    R = np.empty((3, 3))
    rotation_exponential_into(R, w)
    return R


@inner
def rotation_exponential_into(R, w):
    """R <- I + s [w]x + c [w]x^2 with s = sin|w|/|w|, c = (1 - cos|w|)/|w|^2."""
    square = w[0] * w[0] + w[1] * w[1] + w[2] * w[2]
    if square < SERIES_BELOW * SERIES_BELOW:
        s, c = 1.0 - square / 6.0, 0.5 - square / 24.0
    else:
        angle = math.sqrt(square)
        half = math.sin(0.5 * angle)
        s, c = math.sin(angle) / angle, 2.0 * half * half / square
    for i in range(3):
        for j in range(3):
            R[i, j] = c * w[i] * w[j]
        R[i, i] += 1.0 - c * square
    R[2, 1] += s * w[0]
    R[1, 2] -= s * w[0]
    R[0, 2] += s * w[1]
    R[2, 0] -= s * w[1]
    R[1, 0] += s * w[2]
    R[0, 1] -= s * w[2]


@njit(cache=True)
def rotation_logarithm(R):
    """w (3,) with exp([w]x) = R and |w| <= pi; goes through the quaternion, which is as good near pi as near 0."""
    p = quaternion_from_rotation(R)
    sine = math.sqrt(p[1] * p[1] + p[2] * p[2] + p[3] * p[3])
    if sine < SERIES_BELOW:
        scale = (2.0 + sine * sine / 3.0) * (1.0 if p[0] > 0.0 else -1.0)
    else:
        scale = 2.0 * math.atan2(sine, abs(p[0])) / sine * (1.0 if p[0] >= 0.0 else -1.0)
    return scale * p[1:]


@njit(cache=True)
def quaternion_multiply(a, b):
    """The product a b (4,): first turn by b, then by a."""
    ab = np.empty(4)
    quaternion_multiply_into(ab, a, b)
    return ab


@njit(cache=True)
def quaternion_multiply_into(ab, a, b):
    """ab <- a b; `ab` may be `a` or `b`."""
    w = a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3]
    x = a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2]
    y = a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1]
    z = a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0]
    ab[0], ab[1], ab[2], ab[3] = w, x, y, z


@njit(cache=True)
def quaternion_conjugate(p):
    """(w, -x, -y, -z): the inverse of a unit quaternion."""
    return np.array([p[0], -p[1], -p[2], -p[3]])


@inner
def _half_turn(w):
    """cos(|w|/2) and sin(|w|/2)/|w|."""
    square = w[0] * w[0] + w[1] * w[1] + w[2] * w[2]
    if square < SERIES_BELOW * SERIES_BELOW:
        return 1.0 - square / 8.0, 0.5 - square / 48.0
    angle = math.sqrt(square)
    return math.cos(0.5 * angle), math.sin(0.5 * angle) / angle


@njit(cache=True)
def quaternion_turn_into(p, w):
    """p <- exp(w) p / |p|: the frame p (4,) turned on by |w| [rad] about w (3,), a unit quaternion again."""
    c, s = _half_turn(w)
    x, y, z = s * w[0], s * w[1], s * w[2]
    p0, p1, p2, p3 = p[0], p[1], p[2], p[3]
    p[0] = c * p0 - x * p1 - y * p2 - z * p3
    p[1] = c * p1 + x * p0 + y * p3 - z * p2
    p[2] = c * p2 - x * p3 + y * p0 + z * p1
    p[3] = c * p3 + x * p2 - y * p1 + z * p0
    size = math.sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2] + p[3] * p[3])
    for i in range(4):
        p[i] /= size


@njit(cache=True)
def quaternion_normalise(p):
    """p / |p|; the zero quaternion becomes the identity."""
    size = math.sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2] + p[3] * p[3])
    if size == 0.0:
        return np.array([1.0, 0.0, 0.0, 0.0])
    return np.array([p[0] / size, p[1] / size, p[2] / size, p[3] / size])


@njit(cache=True)
def quaternion_exponential(w):
    """The unit quaternion (4,) of the turn by |w| [rad] about w (3,)."""
    c, s = _half_turn(w)
    return np.array([c, s * w[0], s * w[1], s * w[2]])


@njit(cache=True)
def rotation_from_quaternion(p):
    """R (3, 3) of a unit quaternion p (4,)."""
    R = np.empty((3, 3))
    rotation_from_quaternion_into(R, p)
    return R


@njit(cache=True)
def rotation_from_quaternion_into(R, p):
    """R <- the rotation of the unit quaternion p (4,)."""
    w, x, y, z = p[0], p[1], p[2], p[3]
    R[0, 0] = 1.0 - 2.0 * (y * y + z * z)
    R[0, 1] = 2.0 * (x * y - w * z)
    R[0, 2] = 2.0 * (x * z + w * y)
    R[1, 0] = 2.0 * (x * y + w * z)
    R[1, 1] = 1.0 - 2.0 * (x * x + z * z)
    R[1, 2] = 2.0 * (y * z - w * x)
    R[2, 0] = 2.0 * (x * z - w * y)
    R[2, 1] = 2.0 * (y * z + w * x)
    R[2, 2] = 1.0 - 2.0 * (x * x + y * y)


@njit(cache=True)
def quaternion_from_rotation(R):
    """The unit quaternion (4,) of R (3, 3) with w >= 0, by Shepperd's choice of the largest of the four components."""
    squares = np.array(
        [
            1.0 + R[0, 0] + R[1, 1] + R[2, 2],
            1.0 + R[0, 0] - R[1, 1] - R[2, 2],
            1.0 - R[0, 0] + R[1, 1] - R[2, 2],
            1.0 - R[0, 0] - R[1, 1] + R[2, 2],
        ]
    )
    largest = np.argmax(squares)
    p = np.empty(4)
    if largest == 0:
        p[0], p[1], p[2], p[3] = squares[0], R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]
    elif largest == 1:
        p[0], p[1], p[2], p[3] = R[2, 1] - R[1, 2], squares[1], R[1, 0] + R[0, 1], R[0, 2] + R[2, 0]
    elif largest == 2:
        p[0], p[1], p[2], p[3] = R[0, 2] - R[2, 0], R[1, 0] + R[0, 1], squares[2], R[2, 1] + R[1, 2]
    else:
        p[0], p[1], p[2], p[3] = R[1, 0] - R[0, 1], R[0, 2] + R[2, 0], R[2, 1] + R[1, 2], squares[3]
    if p[0] < 0.0:
        p = -p
    return quaternion_normalise(p)


@njit(cache=True)
def quaternion_rotate(p, v):
    """The vector v (3,) turned by the unit quaternion p (4,)."""
    turned = np.empty(3)
    quaternion_rotate_into(turned, p, v)
    return turned


@njit(cache=True)
def quaternion_rotate_into(turned, p, v):
    """turned <- v + 2 w (n x v) + 2 n x (n x v), n the vector part of p; `turned` may be `v`."""
    x = 2.0 * (p[2] * v[2] - p[3] * v[1])
    y = 2.0 * (p[3] * v[0] - p[1] * v[2])
    z = 2.0 * (p[1] * v[1] - p[2] * v[0])
    a = v[0] + p[0] * x + p[2] * z - p[3] * y
    b = v[1] + p[0] * y + p[3] * x - p[1] * z
    c = v[2] + p[0] * z + p[1] * y - p[2] * x
    turned[0], turned[1], turned[2] = a, b, c
