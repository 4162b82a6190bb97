"""Implicit Newmark with average acceleration, [SI05] App. C (beta = 1/4, gamma = 1/2).

v+ = a4 (q+ - q) + a5 v + a6 a,    a+ = a1 (q+ - q) - a2 v - a3 a

A larger gamma, with beta = (gamma + 1/2)^2 / 4, takes energy out: a share pi (2 gamma - 1) omega dt a period of what is
slow, and of what is too fast for dt all but ((gamma - 3/2) / (gamma + 1/2))^2 a step.
"""

from typing import NamedTuple

from pliant.numerics.inner import inner

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


@inner
def beta_of(gamma):
    """The least with which steps of any length are stable."""
    return 0.25 * (gamma + 0.5) ** 2
