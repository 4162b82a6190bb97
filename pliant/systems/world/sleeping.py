"""Islands of bodies that touch or are joined, which fall asleep when all of them have long been at rest.

A body that sleeps is like a static one: it takes no step, its contacts with others that sleep or stand make no ties,
and what they pressed is remembered. The first body that comes near while it moves wakes all of the island.
"""

import numpy as np

from pliant.collide import refit
from pliant.numerics.counting import borrowing
from pliant.numerics.opaque import part
from pliant.systems.world.record import (
    CONTACTS,
    DT,
    FOUND,
    GEOMETRY,
    JOINTS,
    MOTION,
    NEAR,
    PLACES,
    REACH,
    SETTINGS,
    SKINS,
    SLEEP,
    SLEEPING,
    SLOP,
    STATE,
    SUBSTEPS,
    SURFACES,
    TABLE,
    WIDE,
)
from pliant.systems.world.seeking import place
from pliant.systems.world.tables import HELD, KINEMATIC, SKIN, STATIC, SYSTEM

RESTING = 20.0  # slops a second: what is slower is at rest
LONG = 0.5  # [s] for which all of an island are, before they sleep


@borrowing
def rest(world, step):
    """At the end of a step: who belongs together, and islands that have long been at rest fall asleep."""
    numbers, counts = part(world, SETTINGS)
    if not counts[SLEEPING] or (step + 1) % counts[SUBSTEPS] != 0:
        return
    _see_rest(world, counts[SUBSTEPS] * numbers[DT])
    _see_islands(world)
    _lie_down(world)


@borrowing
def idle(world):
    """Does nothing move, nor go along a path?"""
    kind, busy = part(world, TABLE).kind, 0
    for b in range(len(kind)):
        busy += kind[b] != STATIC and kind[b] != SKIN
    return busy == 0


@borrowing
def _lie_down(world):
    """Islands that have long been at rest stand still from now on, where they are."""
    table, sleep, least, slept = part(world, TABLE), part(world, SLEEP), part(world, WIDE), 0
    least[:] = np.inf
    for b in range(len(least)):
        if sleep.kind[b] <= HELD:
            least[sleep.island[b]] = min(least[sleep.island[b]], sleep.still[b])
    for b in range(len(least)):
        if table.kind[b] <= HELD and least[sleep.island[b]] >= LONG:
            _stop(world, b)
            slept += 1
    if slept > 0:
        settle_surfaces(world)
        for b in range(len(least)):
            if sleep.kind[b] <= HELD and least[sleep.island[b]] >= LONG:
                table.kind[b] = STATIC


@borrowing
def settle_surfaces(world):
    """Surfaces and their boxes, which are not touched while their bodies sleep."""
    place(world)
    refit(part(world, SURFACES), part(world, PLACES))


@borrowing
def _see_rest(world, time):
    """For how long bodies have been at rest. What a moving body that nothing stops touches is not."""
    table, sleep, reach, contacts = part(world, TABLE), part(world, SLEEP), part(world, REACH), part(world, CONTACTS)
    near, numbers = part(world, NEAR), part(world, SETTINGS).numbers
    for b in range(len(reach)):
        calm = reach[b] - sleep.fall[0] <= RESTING * numbers[SLOP] * numbers[DT]
        sleep.still[b] = sleep.still[b] + time if calm and sleep.may[b] else 0.0
    leader = part(world, SKINS).leader
    for c in range(part(world, FOUND)[0]):
        a, b = leader[contacts.body[c, 0]], contacts.body[c, 1]
        if near[c] and b >= 0:
            b = leader[b]
            if _drives(world, b):
                sleep.still[a] = 0.0
            if _drives(world, a):
                sleep.still[b] = 0.0
    for b in range(len(reach)):
        if table.kind[b] != sleep.kind[b]:
            sleep.still[b] = LONG


@borrowing
def _drives(world, b):
    """Is it a system, or does it go along a path right now?"""
    kind, v, spin = part(world, TABLE).kind[b], part(world, STATE).v[b], part(world, MOTION).spin[b]
    moves = v[0] != 0 or v[1] != 0 or v[2] != 0 or spin[0] != 0 or spin[1] != 0 or spin[2] != 0
    return kind == SYSTEM or (kind == KINEMATIC and moves)


@borrowing
def _see_islands(world):
    """Bodies that move and touch or are joined get the number of the first of them."""
    sleep, contacts, near = part(world, SLEEP), part(world, CONTACTS), part(world, NEAR)
    island, skins = sleep.island, part(world, SKINS)
    leader = skins.leader
    for b in range(len(island)):
        island[b] = b
    for c in range(part(world, FOUND)[0]):
        if near[c]:
            b = contacts.body[c, 1]
            _unite(sleep, leader[contacts.body[c, 0]], leader[b] if b >= 0 else b)
    for s in range(len(island)):
        for b in range(skins.first_bone[s], skins.first_bone[s] + skins.bones[s]):
            _unite(sleep, leader[s], b)
    for pair in part(world, JOINTS).body:
        _unite(sleep, pair[0], pair[1])
    for b in range(len(island)):
        island[b] = island[island[b]]


@borrowing
def _unite(sleep, a, b):
    if a < 0 or b < 0 or sleep.kind[a] > HELD or sleep.kind[b] > HELD:
        return
    first, second = _root(sleep.island, a), _root(sleep.island, b)
    sleep.island[max(first, second)] = min(first, second)


@borrowing
def _root(island, b):
    while island[b] != b:
        island[b] = island[island[b]]
        b = island[b]
    return b


@borrowing
def _stop(world, b):
    """Body b stands still, and nothing moves it."""
    table, state, sleep, motion = part(world, TABLE), part(world, STATE), part(world, SLEEP), part(world, MOTION)
    for k in range(table.first_y[b], table.first_y[b + 1]):
        motion.y[k] = 0.0
    for i in range(3):
        state.v[b, i] = state.L[b, i] = motion.spin[b, i] = 0.0
    for k in range(table.first[b], table.first[b + 1]):
        state.qd[k] = 0.0
        sleep.q[k] = state.q[k]
    geometry = part(world, GEOMETRY)
    geometry.light[b] = 0.0
    geometry.inverse[b, :, :] = 0.0


@borrowing
def rouse(world):
    """Wake the islands that something comes near to which moves."""
    table, sleep, contacts, near = part(world, TABLE), part(world, SLEEP), part(world, CONTACTS), part(world, NEAR)
    woken, leader = 0, part(world, SKINS).leader
    for c in range(part(world, FOUND)[0]):
        a, b = leader[contacts.body[c, 0]], contacts.body[c, 1]
        if near[c] and b >= 0:
            woken += _wake_by(world, a, leader[b]) + _wake_by(world, leader[b], a)
    if woken == 0:
        return
    for b in range(len(table.kind)):
        if table.kind[b] != sleep.kind[b] and sleep.still[sleep.island[b]] < 0:
            table.kind[b] = sleep.kind[b]
    for b in range(len(table.kind)):
        sleep.still[b] = max(sleep.still[b], 0.0)


@borrowing
def _wake_by(world, a, b):
    """Does body a, which sleeps, feel b? Then its island is marked by a negative time."""
    table, sleep = part(world, TABLE), part(world, SLEEP)
    if table.kind[a] == sleep.kind[a] or not (table.kind[b] <= HELD or _drives(world, b)):
        return 0
    sleep.still[sleep.island[a]] = -1.0
    return 1
