"""Hands as ties.

A hand pulls its point to the target at the rate om, critically damped, by the velocity at the end of the step

    u+ = (u - dt om^2 (x - target)) / (1 + 2 om dt + om^2 dt^2)

as far as its largest force goes.
"""

from typing import NamedTuple

import numpy as np

from pliant.errors import Array, Ids
from pliant.numerics.counting import borrowing
from pliant.systems.world.point_forces import place_point
from pliant.systems.world.rows import HAND, add_entry, begin_tie, end_tie
from pliant.systems.world.sweeps import speeds


class HandTable(NamedTuple):
    """Attributes:
    body: (k,). X: (k, 3), at: (k,), rows: of the points, as of `PointForces`.
    target: (k, 3) [m]. rate: (k,) [1/s]. limit: (k,) [N].
    impulse: (k, 3) in the world of the last step [N s]; state.
    """

    body: Ids
    X: Array
    at: Ids
    rows: Array
    target: Array
    rate: Array
    limit: Array
    impulse: Array


def no_hands() -> HandTable:
    """None."""
    ids, triples = np.zeros(0, np.int64), np.zeros((0, 3))
    return HandTable(ids, triples, ids, np.zeros(0), triples, np.zeros(0), np.zeros(0), triples)


@borrowing
def tie_hands(table, geometry, state, hands, ties, y, dt, space):
    """Ties of all hands, before all others, so that they have their numbers."""
    x, u = space.x[0], space.speed
    for h in range(len(hands.body)):
        b = hands.body[h]
        first, r = table.first[b], table.first[b + 1] - table.first[b]
        place_point(state, geometry.R[b], b, hands.X[h], hands.rows, hands.at[h], state.q[first : first + r], x)
        k = begin_tie(ties, HAND, x, space.world)
        add_entry(table, geometry, state.t, ties, k, b, hands.rows[hands.at[h] : hands.at[h] + 3 * r], 1.0)
        end_tie(ties, k)
        speeds(table, ties, y, k, u)
        om = hands.rate[h]
        ties.most[k] = hands.limit[h] * dt
        for i in range(3):
            pull = u[i] - dt * om * om * (x[i] - hands.target[h, i])
            ties.target[k, i] = pull / (1 + 2 * om * dt + om * om * dt * dt)
            ties.impulse[k, i] = hands.impulse[h, i]
