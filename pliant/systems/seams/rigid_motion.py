"""The rigid motion of a free body, which its frame carries and its coordinates must not."""

from typing import NamedTuple

from numba import njit

from pliant.errors import Array


class RigidMotion(NamedTuple):
    """Of a free body: Q (size, 6), B = M Q (Q^T M Q)^-1 (size, 6), and its mass; no columns where it is held."""

    Q: Array
    B: Array
    mass: float


@njit(cache=True, nogil=True)
def remove_rigid(Q, B, x):
    """x -= Q B^T x, where B^T Q = 1: the frame carries the rigid motion. Loads are dual, x -= B Q^T x."""
    for k in range(Q.shape[1]):
        total = 0.0
        for j in range(len(x)):
            total += B[j, k] * x[j]
        for j in range(len(x)):
            x[j] -= Q[j, k] * total
