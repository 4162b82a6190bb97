"""Collisions one after the other, with the cone of [MC15] section 5.2: of the change of velocity, not of the impulse.

Impulse j of a contact whose velocity is u, and shall be u* along its normal n (maths sheet momentum 4):

    stick   j = K^-1 (u* n - u),  z = K j,            if |z - (z . n) n| <= mu z . n
    slip    j = (u* - u_n) / (n . K (n - mu s)) (n - mu s),  s = u_t / |u_t|;  without friction where that has no sense

In a corner that slides it may supply energy, which `restraining` takes back. Contacts that already part as they should
are passed over, so that turns end by themselves.
"""

import numpy as np

from pliant.numerics.counting import borrowing, borrowing_inlined
from pliant.systems.world.sweeps import push, speeds

PARTED = 1e-12  # of the speed that is wanted


@borrowing
def collide_in_turn(table, ties, y, count, u):
    """At most so many turns over all ties of contacts; u (3,) is work space."""
    for _ in range(count):
        hit = False
        for k in range(ties.made[0]):
            speeds(table, ties, y, k, u)
            for i in range(3):
                u[i] -= ties.target[k, i]  # the normal one becomes u_n - u*
            if u[0] < -PARTED * (1 + abs(ties.target[k, 0])):
                _collide(table, ties, y, k, u)
                hit = True
        if not hit:
            return


@borrowing_inlined
def _collide(table, ties, y, k, u):
    """Tie k throws back; u: its velocity less the one that is wanted, along its axes."""
    O, mu = ties.inverse[k], ties.friction[k]
    # z = K j = (u* n - u) for what sticks, so the test needs no product.
    if u[1] * u[1] + u[2] * u[2] <= mu * mu * u[0] * u[0]:
        j0 = -(O[0, 0] * u[0] + O[0, 1] * u[1] + O[0, 2] * u[2])
        j1 = -(O[1, 0] * u[0] + O[1, 1] * u[1] + O[1, 2] * u[2])
        j2 = -(O[2, 0] * u[0] + O[2, 1] * u[1] + O[2, 2] * u[2])
    else:
        j0, j1, j2 = _slip(ties.K[k], mu, u)
    push(table, ties, y, k, j0, j1, j2)
    ties.impulse[k, 0] += j0
    ties.impulse[k, 1] += j1
    ties.impulse[k, 2] += j2


@borrowing_inlined
def _slip(K, mu, u):
    """The impulse against the slip, or along the normal alone."""
    size = np.sqrt(u[1] * u[1] + u[2] * u[2])
    s1, s2 = mu * u[1] / size, mu * u[2] / size
    answer = K[0, 0] - K[0, 1] * s1 - K[0, 2] * s2
    if answer <= 0:
        answer, s1, s2 = K[0, 0], 0.0, 0.0
    j0 = -u[0] / answer
    return j0, -s1 * j0, -s2 * j0
