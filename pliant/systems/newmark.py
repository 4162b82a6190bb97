"""Implicit Newmark with average acceleration, [SI05] App. C (beta = 1/4, gamma = 1/2).

v+ = a4 (q+ - q) + a5 v + a6 a,    a+ = a1 (q+ - q) - a2 v - a3 a
"""

from typing import NamedTuple

BETA, GAMMA = 0.25, 0.5


class Newmark(NamedTuple):
    """The six constants of a time step, for compiled and plain code alike."""

    a1: float
    a2: float
    a3: float
    a4: float
    a5: float
    a6: float


def newmark(dt: float) -> Newmark:
    """The constants for a step `dt` [s]."""
    return Newmark(
        a1=1 / (BETA * dt**2),
        a2=1 / (BETA * dt),
        a3=(1 - 2 * BETA) / (2 * BETA),
        a4=GAMMA / (BETA * dt),
        a5=1 - GAMMA / BETA,
        a6=(1 - GAMMA / (2 * BETA)) * dt,
    )
