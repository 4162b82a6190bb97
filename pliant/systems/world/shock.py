"""Shock propagation ([GBF03]): once more over all contacts, from the ground upward, below which nothing gives way.

Level 0 is what nothing moves, level n + 1 what presses on level n. In a contact of two levels the lower one stands like
a wall: only the upper one gets the impulse. Few sweeps then bear tall stacks and heavy tops; momentum is not kept.
"""

import numpy as np

from pliant.numerics.counting import borrowing, quick_borrowing
from pliant.systems.world.rows import CONTACT
from pliant.systems.world.tables import HELD

NOWHERE = 1 << 30


@borrowing
def find_levels(table, ties, level):
    """Levels (b,) of all bodies; the highest one. Those that rest on nothing have none, which is `NOWHERE`."""
    for b in range(len(level)):
        level[b] = 0 if table.kind[b] > HELD else NOWHERE
    changed, highest = True, 0
    while changed:
        changed = False
        for k in range(ties.made[0]):
            if ties.kind[k] != CONTACT or ties.impulse[k, 0] <= 0:
                continue
            a = ties.body[ties.start[k]]
            below = level[ties.body[ties.start[k] + 1]] if ties.start[k + 1] > ties.start[k] + 1 else 0
            if below + 1 < level[a]:
                level[a], changed, highest = below + 1, True, max(highest, below + 1)
            elif ties.start[k + 1] > ties.start[k] + 1 and level[a] + 1 < below:
                level[ties.body[ties.start[k] + 1]], changed = level[a] + 1, True
                highest = max(highest, level[a] + 1)
    return highest


@borrowing
def propagate(table, ties, y, level, sweeps):
    """Sweeps over the contacts of each level with what is below it. Impulses stay those that both sides felt."""
    for k in range(ties.made[0]):
        for i in range(3):
            ties.extra[k, i] = 0.0
    for up in range(1, find_levels(table, ties, level) + 1):
        for _ in range(sweeps):
            for k in range(ties.made[0]):
                if ties.kind[k] == CONTACT:
                    e = _upper(ties, k, level, up)
                    if e >= 0:
                        _press(table, ties, y, k, e)


@borrowing
def _upper(ties, k, level, up):
    """The entry of tie k on this level whose partner is below, or -1."""
    first, end = ties.start[k], ties.start[k + 1]
    for e in range(first, end):
        if level[ties.body[e]] == up:
            other = first + end - 1 - e
            if end == first + 1 or level[ties.body[other]] < up:
                return e
    return -1


@quick_borrowing
def _press(table, ties, y, k, e):
    """One projected step of contact k, taken by the body of entry e alone."""
    wide, at, first = table.wide[ties.body[e]], ties.at[e], table.first_y[ties.body[e]]
    own = y[first : first + wide]
    w0, w1, w2 = (
        ties.W[at : at + wide],
        ties.W[at + wide : at + 2 * wide],
        ties.W[at + 2 * wide : at + 3 * wide],
    )
    v0, v1, v2 = (
        ties.V[at : at + wide],
        ties.V[at + wide : at + 2 * wide],
        ties.V[at + 2 * wide : at + 3 * wide],
    )
    e0, e1, e2 = -ties.target[k, 0], -ties.target[k, 1], -ties.target[k, 2]
    for other in range(ties.start[k], ties.start[k + 1]):
        row, there, width = ties.at[other], table.first_y[ties.body[other]], table.wide[ties.body[other]]
        for l in range(width):
            e0 += ties.W[row + l] * y[there + l]
            e1 += ties.W[row + width + l] * y[there + l]
            e2 += ties.W[row + 2 * width + l] * y[there + l]
    nn, n1, n2, t1, t2, t12 = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    for l in range(wide):
        nn += w0[l] * v0[l]
        n1 += w1[l] * v0[l]
        n2 += w2[l] * v0[l]
        t1 += w1[l] * v1[l]
        t2 += w2[l] * v2[l]
        t12 += w1[l] * v2[l]
    if not nn > 0:
        return
    half, apart = 0.5 * (t1 + t2), 0.5 * (t1 - t2)
    slip = half + np.sqrt(apart * apart + t12 * t12)
    extra = ties.extra[k]
    j0, j1, j2 = ties.impulse[k, 0] + extra[0], ties.impulse[k, 1] + extra[1], ties.impulse[k, 2] + extra[2]
    # Never less than what the sweeps found: what is below bears that already.
    a0 = max(ties.impulse[k, 0], j0 - e0 / nn)
    a1, a2 = j1 - (e1 + n1 * (a0 - j0)) / slip, j2 - (e2 + n2 * (a0 - j0)) / slip
    size, disc = np.sqrt(a1 * a1 + a2 * a2), ties.friction[k] * a0
    if size > disc:
        a1, a2 = a1 * disc / size, a2 * disc / size
    d0, d1, d2 = a0 - j0, a1 - j1, a2 - j2
    extra[0], extra[1], extra[2] = extra[0] + d0, extra[1] + d1, extra[2] + d2
    for l in range(wide):
        own[l] += v0[l] * d0 + v1[l] * d1 + v2[l] * d2
