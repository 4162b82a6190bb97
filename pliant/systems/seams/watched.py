"""The energy watch of free seams, and the last state that it passed.

    T = P.P/2m + L_b.I^-1 L_b/2 + v.M v/2,   V = q.K q/2,   L_b = R^T L = I o + G

`flight` is symmetric in time, so that T + V less the work of all that acts swings, and does not climb. Seams that stand
have a watch of their own (`standing`).
"""

from typing import NamedTuple

import numpy as np
from numba import njit

from pliant.errors import Array
from pliant.systems.energy_watch import balanced, begin, energy_watch
from pliant.systems.free_frame import spin_of
from pliant.systems.seams.frame import Frame, find_spin, frame_at, measure_shape, take_frame
from pliant.systems.seams.solver import mechanical

CHECKED = 16  # steps between two looks at the energy
ROUNDING = 1e-20  # of a stretch by the extent of the body: the energy of coordinates that are only rounded


class Watched(NamedTuple):
    """A watch, and q, v, a and the frame as it passed them last; not a number before the first time."""

    watch: Array
    q: Array
    v: Array
    a: Array
    frame: Frame


def watched(size: int, stiffness: float, extent: float) -> Watched:
    """Of so many coordinates; stiffness: the largest of any of them [N/m]."""
    q, v, a = np.full((3, size), np.nan)
    return Watched(energy_watch(ROUNDING * stiffness * extent**2), q, v, a, frame_at(np.zeros(3)))


@njit(cache=True, nogil=True)
def resume(watched, arrow, masses, rigid, frame, shape, q, v, a):
    """Go on where the last call ended, or begin anew where somebody wrote the state."""
    if not _is_kept(watched, frame, q, v):
        begin(watched.watch, energy_of(arrow, masses, rigid, frame, shape, q, v))
        _keep(watched, frame, q, v, a)


@njit(cache=True, nogil=True)
def passes(watched, arrow, masses, rigid, frame, shape, q, v, a):
    """Whether the energy is what the work so far can explain: then the state is kept, else the kept one comes back."""
    if balanced(watched.watch, energy_of(arrow, masses, rigid, frame, shape, q, v)):
        _keep(watched, frame, q, v, a)
        return True
    for j in range(len(q)):
        q[j], v[j], a[j] = watched.q[j], watched.v[j], watched.a[j]
    take_frame(watched.frame, frame)
    return False


@njit(cache=True, nogil=True)
def energy_of(arrow, masses, rigid, frame, shape, q, v):
    """T + V [J] of a free body."""
    measure_shape(masses, q, v, shape)
    find_spin(frame, shape, rigid.mass)
    total, R, P, L, still = mechanical(arrow, q, v), frame.axes[:3], frame.free.P, frame.free.L, np.empty(3)
    spin_of(shape.I, R, L, np.zeros(3), still)
    for i in range(3):
        total += 0.5 * P[i] ** 2 / rigid.mass
        for j in range(3):
            total += 0.5 * L[i] * R[i, j] * still[j]
    return total


@njit(cache=True, nogil=True)
def _is_kept(watched, frame, q, v):
    for j in range(len(q)):
        if q[j] != watched.q[j] or v[j] != watched.v[j]:
            return False
    one, other = frame.free, watched.frame.free
    for i in range(3):
        if one.t[i] != other.t[i] or one.P[i] != other.P[i] or one.L[i] != other.L[i] or one.Q[i] != other.Q[i]:
            return False
    return one.Q[3] == other.Q[3]


@njit(cache=True, nogil=True)
def _keep(watched, frame, q, v, a):
    for j in range(len(q)):
        watched.q[j], watched.v[j], watched.a[j] = q[j], v[j], a[j]
    take_frame(frame, watched.frame)
