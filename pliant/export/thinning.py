"""Thinning: the fewest key frames between which straight lines stay within a distance of what was recorded."""

import numpy as np
from numba import njit

from pliant.errors import Array, Ids
from pliant.export.piece import Piece


def kept_frames(times: Array, piece: Piece, turns: Array | None, error: float) -> Ids:
    """Which frames (k,) a piece needs, the first and the last among them, each as far ahead as the error allows.

    Between keys a vertex is off by at most  |dt| + 2 radius |dp| + sum_i reach_i |dw_i|  of its translation, unit
    quaternion p and weights.

    Args:
        times: (f,) [s].
        turns: unit quaternions (f, 4), neighbours on the same side; None for a piece without frames.
        error: [m].
    """
    f = len(times)
    shifts = np.zeros((f, 3)) if piece.frames is None else np.ascontiguousarray(piece.frames[1])
    spins = np.zeros((f, 4)) if turns is None else 2 * piece.radius * turns
    kept = np.empty(f, dtype=np.int64)
    count = _thin(times, shifts, spins, piece.weights * piece.reaches, error, kept)
    return kept[:count]


@njit(cache=True)
def _thin(times, shifts, spins, morphs, error, kept):
    last, start, count = len(times) - 1, 0, 1
    kept[0] = 0
    while start < last:
        end = start + 1
        while end < last and _straight(times, shifts, spins, morphs, start, end + 1, error):
            end += 1
        kept[count] = end
        start = end
        count += 1
    return count


@njit(cache=True)
def _straight(times, shifts, spins, morphs, start, end, error):
    for k in range(start + 1, end):
        share = (times[k] - times[start]) / (times[end] - times[start])
        off = _distance(shifts, start, end, k, share) + _distance(spins, start, end, k, share)
        for i in range(morphs.shape[1]):
            off += abs((1.0 - share) * morphs[start, i] + share * morphs[end, i] - morphs[k, i])
        if off > error:
            return False
    return True


@njit(cache=True)
def _distance(x, start, end, k, share):
    total = 0.0
    for i in range(x.shape[1]):
        total += ((1.0 - share) * x[start, i] + share * x[end, i] - x[k, i]) ** 2
    return np.sqrt(total)
