"""The frame of the root: clamped, or flying freely with momentum kept to rounding (maths sheet substructuring 8).

v, w by the trapezoidal rule in world axes, R <- exp(tilde(dt mean w)) R; then as the free frame (t, Q, P, L) has it:
x = t - R mc/m,   (v_0, w_0) += Ic_0^-1 (h* - h_0),  h* = [R^T P; R^T (L + (t - x) x P)]
"""

import numpy as np
from numba import njit

from pliant.errors import Array
from pliant.numerics import cholesky, cholesky_solve, rotation_from_quaternion_into
from pliant.systems.free_frame import turn
from pliant.systems.tree.frames import AT, PULL, SPEED, SPIN, TWIST
from pliant.systems.tree.motion import Gathered
from pliant.systems.tree.strides import COUPLING, TURNING

# The root's state, in world axes: x (3), R (9), v (3), w (3), a (3), al (3).
ROOT, R_AT, V_AT, W_AT, A_AT, AL_AT = 24, 3, 12, 15, 18, 21


@njit(cache=True, nogil=True)
def show_root(root, frames):
    """Frame, velocities and accelerations of pack 0 from the root's state."""
    R = root[R_AT : R_AT + 9].reshape(3, 3)
    for lane in range(8):
        for k in range(9):
            frames[8 * k + lane] = root[R_AT + k]
        for k in range(3):
            frames[AT + 8 * k + lane] = root[k]
            for start, to in ((V_AT, SPEED), (W_AT, SPIN), (A_AT, PULL), (AL_AT, TWIST)):
                total = 0.0
                for i in range(3):
                    total += R[i, k] * root[start + i]
                frames[to + 8 * k + lane] = total


@njit(cache=True, nogil=True)
def _spatial(inertia, out):
    """The 6x6 matrix of pack 0, lane 0, from its blocks."""
    for i in range(3):
        for j in range(3):
            out[i, j] = inertia[8 * (3 * i + j)]
            out[i, j + 3] = out[j + 3, i] = inertia[COUPLING + 8 * (3 * i + j)]
            out[i + 3, j + 3] = inertia[TURNING + 8 * (3 * i + j)]


@njit(cache=True, nogil=True)
def _solve6(inertia, b):
    """b <- inertia^-1 b (6,)."""
    matrix = np.empty((6, 6))
    _spatial(inertia, matrix)
    if not cholesky(matrix):
        return False
    cholesky_solve(matrix, b)
    return True


@njit(cache=True, nogil=True)
def root_inverse(sums, out):
    """out (6, 6) = Ia^-1 of the root."""
    matrix = np.empty((6, 6))
    _spatial(sums.inertia, matrix)
    if not cholesky(matrix):
        return False
    for k in range(6):
        out[k] = 0.0
        out[k, k] = 1.0
        cholesky_solve(matrix, out[k])
    return True


@njit(cache=True, nogil=True)
def free_acceleration(sums, frames, root):
    """a, al of a free root from its articulated inertia: A_0 = -Ia^-1 pa."""
    b = np.empty(6)
    for k in range(6):
        b[k] = -sums.bias[8 * k]
    if not _solve6(sums.inertia, b):
        return False
    _adopt(b, frames, root)
    return True


@njit(cache=True, nogil=True)
def _first_moment(inertia):
    """m c (3,) about the root's origin, in its axes, from the composite inertia."""
    return np.array([inertia[COUPLING + 8 * 5], inertia[COUPLING + 8 * 6], inertia[COUPLING + 8]])


def centre_from_root(sums: Gathered, root: Array) -> Array:
    """From the root's origin to the centre of mass (3,), in world axes, from the composite inertia."""
    return root[R_AT : R_AT + 9].reshape(3, 3) @ _first_moment(sums.inertia) / sums.inertia[0]


@njit(cache=True, nogil=True)
def locked_acceleration(sums, frames, root, force, torque):
    """a, al of a free root as if the tree were one rigid body under an outside force and torque about its centre."""
    R = root[R_AT : R_AT + 9].copy().reshape(3, 3)
    w, f = R.T @ root[W_AT : W_AT + 3], R.T @ force
    mc = _first_moment(sums.inertia)
    spread = np.empty((6, 6))
    _spatial(sums.inertia, spread)
    b = np.empty(6)
    b[:3] = f - np.cross(w, np.cross(w, mc))
    b[3:] = R.T @ torque + np.cross(mc / spread[0, 0], f) - np.cross(w, spread[3:, 3:].copy() @ w)
    if not _solve6(sums.inertia, b):
        return False
    _adopt(b, frames, root)
    return True


@njit(cache=True, nogil=True)
def _adopt(b, frames, root):
    """Accelerations in the root's axes into the frames of pack 0 and, in world axes, into its state."""
    R = root[R_AT : R_AT + 9].copy().reshape(3, 3)
    root[A_AT : A_AT + 3] = R @ b[:3]
    root[AL_AT : AL_AT + 3] = R @ b[3:]
    for lane in range(8):
        for k in range(3):
            frames[PULL + 8 * k + lane] = b[k]
            frames[TWIST + 8 * k + lane] = b[3 + k]


@njit(cache=True, nogil=True)
def move_root(before, frame, ahead, root, dt):
    """Advance x, R, v, w from the state `before` with the accelerations that `root` has; Q of `ahead` from `frame`."""
    mean = np.empty(3)
    for k in range(3):
        root[V_AT + k] = before[V_AT + k] + 0.5 * dt * (before[A_AT + k] + root[A_AT + k])
        root[W_AT + k] = before[W_AT + k] + 0.5 * dt * (before[AL_AT + k] + root[AL_AT + k])
        root[k] = before[k] + 0.5 * dt * (before[V_AT + k] + root[V_AT + k])
        mean[k] = 0.5 * dt * (before[W_AT + k] + root[W_AT + k])
    turn(frame, ahead, mean)
    rotation_from_quaternion_into(root[R_AT : R_AT + 9].reshape(3, 3), ahead.Q)


@njit(cache=True, nogil=True)
def keep_momentum(sums, root, frame):
    """Place the root so that the centre of mass is at t, and correct v and w so that the tree has the momentum P, L.

    Args:
        sums: with the composite inertia and momentum.
    """
    R = root[R_AT : R_AT + 9].copy().reshape(3, 3)
    arm = R @ _first_moment(sums.inertia) / sums.inertia[0]
    root[:3] = frame.t - arm
    b = np.empty(6)
    b[:3] = R.T @ frame.P
    b[3:] = R.T @ (frame.L + np.cross(arm, frame.P))
    for k in range(6):
        b[k] -= sums.bias[8 * k]
    if not _solve6(sums.inertia, b):
        return False
    root[V_AT : V_AT + 3] += R @ b[:3]
    root[W_AT : W_AT + 3] += R @ b[3:]
    return True


@njit(cache=True, nogil=True)
def read_frame(sums, root, frame):
    """t, P and L about t, from the composite inertia and momentum in `sums`."""
    R = root[R_AT : R_AT + 9].copy().reshape(3, 3)
    h = np.empty(6)
    for k in range(6):
        h[k] = sums.bias[8 * k]
    arm = R @ _first_moment(sums.inertia) / sums.inertia[0]
    frame.t[:] = root[:3] + arm
    frame.P[:] = R @ h[:3]
    frame.L[:] = R @ h[3:] - np.cross(arm, frame.P)


@njit(cache=True, nogil=True)
def read_momentum(sums, root, momentum):
    """P and L about the world's origin, from the composite momentum in `sums`."""
    R = root[R_AT : R_AT + 9].copy().reshape(3, 3)
    h = np.empty(6)
    for k in range(6):
        h[k] = sums.bias[8 * k]
    momentum[:3] = R @ h[:3]
    momentum[3:] = R @ h[3:] + np.cross(root[:3], momentum[:3])
