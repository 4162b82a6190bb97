"""Whether a motion gains energy that nothing supplied.

    ledger = T + V - W,    W the work of everything that acts: weight, pushes, hands, wind

Damping lowers the ledger, and a good step keeps it but for the error of the rule in time, which swings. So what counts
is how far it has climbed above its lowest value, against all the energy that was there to err with:

    ledger - lowest  <=  BOUND (T + V at the lowest + sum |dW| since) + floor

Exponential growth breaks this soon, whatever its rate; errors of a rule that swing do not. Where the account is exact,
only what was supplied counts, max W - W at the lowest, instead of sum |dW|: what is taken back explains nothing.
"""

import numpy as np
from numba import njit

from pliant.errors import Array

BOUND = 0.5
WORK, EXCHANGED, LOWEST, CONTENT, SINCE, FLOOR = range(6)


def energy_watch(floor: float) -> Array:
    """A watch (6,), to be begun by `begin`; floor: what rounding alone makes of energies [J]."""
    watch = np.zeros(6)
    watch[FLOOR] = floor
    return watch


@njit(cache=True, nogil=True)
def begin(watch, mechanical):
    """From a state with T + V = mechanical [J], which nothing led to."""
    watch[WORK] = watch[EXCHANGED] = watch[SINCE] = 0.0
    watch[LOWEST] = watch[CONTENT] = mechanical


@njit(cache=True, nogil=True)
def add_work(watch, work):
    """What acted has done this work [J] in a step."""
    watch[WORK] += work
    watch[EXCHANGED] += abs(work)


@njit(cache=True, nogil=True)
def add_supply(watch, work):
    """As `add_work`, where the account is exact: EXCHANGED - SINCE is the most that W was above that at the lowest."""
    watch[WORK] += work
    watch[EXCHANGED] = max(watch[EXCHANGED], watch[SINCE] + watch[WORK] - (watch[CONTENT] - watch[LOWEST]))


@njit(cache=True, nogil=True)
def balanced(watch, mechanical, bound=BOUND):
    """Whether T + V = mechanical [J] is what the work so far can explain; False also where it is not a number.

    Args:
        bound: how much of what was supplied may appear besides.
    """
    return bounded(watch, mechanical - watch[WORK], mechanical, bound)


@njit(cache=True, nogil=True)
def bounded(watch, ledger, mechanical, bound):
    """Whether a ledger, kept by others, has climbed no more than it may where T + V = mechanical [J]."""
    if ledger <= watch[LOWEST]:
        watch[LOWEST], watch[CONTENT], watch[SINCE] = ledger, mechanical, watch[EXCHANGED]
        return True
    return ledger - watch[LOWEST] <= allowance(watch, bound)


@njit(cache=True, nogil=True)
def allowance(watch, bound):
    """How far a ledger may climb above its lowest value [J]."""
    return bound * (watch[CONTENT] + watch[EXCHANGED] - watch[SINCE]) + watch[FLOOR]
