"""Who sleeps in a world, and who belongs to whom: arrays for `sleeping`, and what wakes bodies from outside."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pliant.errors import Array, Ids
from pliant.systems.world.tables import STATIC, BodyState, BodyTable, Geometry

Flags = NDArray[np.bool_]


class Sleep(NamedTuple):
    """One entry a body, but for q and fall.

    Attributes:
        kind: what each is when awake; that of the table is STATIC while it sleeps.
        may: may it fall asleep? Not by a hand, a motor, a muscle or in the wind.
        island: the first body of its island. still: for how long it has been at rest [s].
        q: of those that sleep. fall: (1,) what of every reach is weight, which what lies does not follow [m].
    """

    kind: Ids
    may: Array
    island: Ids
    still: Array
    q: Array
    fall: Array


def all_awake(table: BodyTable) -> Sleep:
    """Of bodies that were just made."""
    b = len(table.model)
    numbers = np.arange(b)
    return Sleep(table.kind.copy(), np.ones(b, np.uint8), numbers, np.zeros(b), np.zeros(table.first[-1]), np.zeros(1))


def sleepers(sleep: Sleep, table: BodyTable) -> Flags:
    """(b,) who sleeps."""
    return np.not_equal(table.kind, sleep.kind)


def wake_islands(sleep: Sleep, table: BodyTable, chosen: Flags) -> None:
    """Wake all that belong to bodies that are chosen (b,)."""
    woken = np.isin(sleep.island, sleep.island[chosen & sleepers(sleep, table)])
    table.kind[woken] = sleep.kind[woken]
    sleep.still[woken] = 0.0


def lay_down(sleep: Sleep, table: BodyTable, geometry: Geometry, y: Array, asleep: Flags) -> None:
    """Let bodies sleep (b,) as a state tells; their surfaces are placed."""
    table.kind[asleep] = STATIC
    geometry.light[asleep], geometry.inverse[asleep] = 0.0, 0.0
    for b in np.flatnonzero(asleep):
        y[table.first_y[b] : table.first_y[b + 1]] = 0.0


def disturbed(sleep: Sleep, table: BodyTable, state: BodyState) -> Flags:
    """(b,) who sleeps but was given a velocity or another shape, or may sleep no longer."""
    sizes = np.diff(table.first)
    shaped = (state.qd != 0) | (state.q != sleep.q)
    moved = np.bincount(np.repeat(np.arange(len(sizes)), sizes), shaped, len(sizes)) > 0
    return sleepers(sleep, table) & (moved | state.v.any(axis=1) | state.L.any(axis=1) | (sleep.may == 0))
