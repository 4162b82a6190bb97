"""Bounces give back no more than there was.

Newton's restitution with friction may supply energy, as [MC15]'s cone of velocities may: a corner that slides is thrown
back by more than it brought. Impulses j of all contacts change the kinetic energy by

    E(j) = sum j . u + 1/2 j T j,    T = W V,    u the velocities before, relative to what moves by itself

Where j_e, with restitution, has E > 0, it is drawn towards j_c, that of the same contacts without restitution and
within the cone of friction, for which E <= 0:  j = (1 - s) j_c + s j_e  with the largest s for which E <= 0. It is
within that cone as well where both are, acts on both bodies alike, so that momentum is kept, and bounces by s e.
"""

import numpy as np

from pliant.numerics.counting import borrowing
from pliant.systems.world.sweeps import push, speeds, sweep

ROUNDING = 1e-9  # of what impulses exchange


@borrowing
def restrain(table, ties, y, count, u):
    """Draw impulses of bounces back where they supply energy; u (3,) is work space.

    ties.extra has the velocities before, and ties.least what restitution has taken off the targets, as `tie_bounces`
    left them.
    """
    before, size = 0.0, 0.0
    for k in range(ties.made[0]):
        for i in range(3):
            before += ties.impulse[k, i] * ties.extra[k, i]
            size += abs(ties.impulse[k, i] * ties.extra[k, i])
    after = _power(table, ties, y, ties.impulse, u)
    if before + after > ROUNDING * size:
        _draw_back(table, ties, y, count, before, after, u)


@borrowing
def _draw_back(table, ties, y, count, before, after, u):
    """before, after: j_e . u and j_e . u_e over all contacts."""
    push_all(table, ties, y, -1.0)
    for k in range(ties.made[0]):
        ties.target[k, 0] += ties.least[k]
        ties.least[k] = 0.0
        for i in range(3):
            ties.extra[k, i] = ties.impulse[k, i]
            ties.impulse[k, i] = 0.0
    sweep(table, ties, y, count)
    own, mixed = _power(table, ties, y, ties.impulse, u), _power(table, ties, y, ties.extra, u)
    push_all(table, ties, y, -1.0)
    calm = _power(table, ties, y, ties.impulse, u)
    s = _largest_share(calm, own - calm, before, after - before, mixed - before)
    for k in range(ties.made[0]):
        for i in range(3):
            ties.impulse[k, i] += s * (ties.extra[k, i] - ties.impulse[k, i])
    push_all(table, ties, y, 1.0)


@borrowing
def _largest_share(c, cc, e, ee, ec):
    """s of E(s) = (1 - s) c + s e + ((1 - s)^2 cc + 2 s (1 - s) ec + s^2 ee) / 2 = 0, between 0 and 1.

    c, e: j_c . u, j_e . u; cc, ee, ec: j_c T j_c, j_e T j_e, j_e T j_c.
    """
    low = c + 0.5 * cc
    if low >= 0:
        return 0.0
    slope, bend = e - c + ec - cc, 0.5 * (cc - 2 * ec + ee)
    root = np.sqrt(max(slope * slope - 4 * bend * low, 0.0))
    # The larger root, without the difference of two that are alike.
    share = -2 * low / (slope + root) if slope > 0 else (root - slope) / (2 * bend)
    return min(max(share, 0.0), 1.0)


@borrowing
def _power(table, ties, y, impulses, u):
    """Impulses (m, 3) times velocities of their contacts, relative to obstacles that move by themselves."""
    total = 0.0
    for k in range(ties.made[0]):
        speeds(table, ties, y, k, u)
        u[0] -= ties.least[k]
        for i in range(3):
            total += impulses[k, i] * (u[i] - ties.target[k, i])
    return total


@borrowing
def push_all(table, ties, y, sign):
    """y += sign V j."""
    for k in range(ties.made[0]):
        push(table, ties, y, k, sign * ties.impulse[k, 0], sign * ties.impulse[k, 1], sign * ties.impulse[k, 2])
