"""Impulses of the contacts of the last step, found again by what touches: sweeps that start there need to be few."""

from typing import NamedTuple

import numpy as np

from pliant.errors import Array, Ids
from pliant.numerics.counting import borrowing, borrowing_inlined

SPREAD = 2654435761  # Knuth's multiplier


class Memory(NamedTuple):
    """Attributes:
    known: (1,) how many. keys: (m,) of what touched. impulses: (m, 3) in the world [N s].
    slots: (2^k,) number of the entry, plus one, of a hash table with open addressing; 0: none.
    """

    known: Ids
    keys: Ids
    impulses: Array
    slots: Ids


def memory_for(capacity: int) -> Memory:
    """Room for so many contacts."""
    slots = 1 << int(np.ceil(np.log2(max(4, 2 * capacity))))
    ids = np.zeros(1, np.int64), np.zeros(capacity, np.int64)
    return Memory(*ids, np.zeros((capacity, 3)), np.zeros(slots, np.int64))


@borrowing
def forget(memory):
    """All of it."""
    memory.known[0] = 0
    for i in range(len(memory.slots)):
        memory.slots[i] = 0


@borrowing_inlined
def remember(memory, key, impulse):
    """One more contact."""
    k = memory.known[0]
    memory.keys[k] = key
    for i in range(3):
        memory.impulses[k, i] = impulse[i]
    memory.known[0] = k + 1
    last = len(memory.slots) - 1
    at = (key * SPREAD) & last
    while memory.slots[at] != 0:
        at = (at + 1) & last
    memory.slots[at] = k + 1


@borrowing_inlined
def recall(memory, key):
    """Where the impulse of a contact is, or -1."""
    last = len(memory.slots) - 1
    at = (key * SPREAD) & last
    while memory.slots[at] != 0:
        k = memory.slots[at] - 1
        if memory.keys[k] == key:
            return k
        at = (at + 1) & last
    return -1
