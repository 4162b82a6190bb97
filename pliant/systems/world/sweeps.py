"""Projected block Gauss-Seidel over ties, in the unknowns of the bodies (maths sheet momentum 5.2).

For a contact with the error e = W y - target:  j+ = j - K^-1 e  where that is within the friction cone, else

    j_n = max(0, j_n - e_n / K_nn),    j_t = disc_{mu j_n}( j_t - (e_t + K_tn dj_n) / lambda_max(K_tt) )

The tangential step must be a scalar: with K_tt^-1 the fixed point would not slide against its velocity. Joints take
j - K^-1 e as it is, hands as far as their largest impulse. y follows every change at once, so that ties of one body
feel each other.
"""

import numpy as np

from pliant.numerics.counting import borrowing, quick_borrowing, quick_borrowing_inlined
from pliant.systems.world.rows import AXIS, CONTACT, HAND

LONGEST, LOOSE = 5, 0.02


@quick_borrowing
def sweep(table, ties, y, count):
    """So many sweeps over all ties; the largest change of an impulse in the last one [N s]."""
    # Taken out of the tuples once: a visit lasts no longer than handing them on.
    first_y, widths, start, body, at = table.first_y, table.wide, ties.start, ties.body, ties.at
    W, V = ties.W, ties.V
    kind, friction, least, bound = ties.kind, ties.friction, ties.least, ties.most
    K, inverse, slip, target, impulse = ties.K, ties.inverse, ties.slip, ties.target, ties.impulse
    most, last = 0.0, ties.made[0] - 1
    for turn in range(count):
        most = 0.0
        for number in range(last + 1):
            # There and back: a body that lands flat is then not tilted by the order of its contacts.
            k = number if turn % 2 == 0 else last - number
            e0, e1, e2 = -target[k, 0], -target[k, 1], -target[k, 2]
            for e in range(start[k], start[k + 1]):
                row, first, wide = at[e], first_y[body[e]], widths[body[e]]
                own = y[first : first + wide]
                # Slices, so that no index can be negative: only then are these loops made of vectors.
                w0, w1, w2 = W[row : row + wide], W[row + wide : row + 2 * wide], W[row + 2 * wide : row + 3 * wide]
                a0, a1, a2 = 0.0, 0.0, 0.0
                for l in range(wide):
                    v = own[l]
                    a0 += w0[l] * v
                    a1 += w1[l] * v
                    a2 += w2[l] * v
                e0 += a0
                e1 += a1
                e2 += a2
            j0, j1, j2 = impulse[k, 0], impulse[k, 1], impulse[k, 2]
            if kind[k] == AXIS:
                wanted = j0 - e0 / K[k, 0, 0] if K[k, 0, 0] > 0.0 else j0
                n0, n1, n2 = min(max(wanted, least[k]), bound[k]), 0.0, 0.0
            else:
                n0 = j0 - (inverse[k, 0, 0] * e0 + inverse[k, 0, 1] * e1 + inverse[k, 0, 2] * e2)
                n1 = j1 - (inverse[k, 1, 0] * e0 + inverse[k, 1, 1] * e1 + inverse[k, 1, 2] * e2)
                n2 = j2 - (inverse[k, 2, 0] * e0 + inverse[k, 2, 1] * e1 + inverse[k, 2, 2] * e2)
            if kind[k] == CONTACT:
                if not (n0 >= 0.0 and n1 * n1 + n2 * n2 <= friction[k] * friction[k] * n0 * n0):
                    n0 = max(0.0, j0 - e0 / K[k, 0, 0])
                    n1 = j1 - (e1 + K[k, 1, 0] * (n0 - j0)) / slip[k]
                    n2 = j2 - (e2 + K[k, 2, 0] * (n0 - j0)) / slip[k]
                    size, disc = np.sqrt(n1 * n1 + n2 * n2), friction[k] * n0
                    if size > disc:
                        n1 *= disc / size
                        n2 *= disc / size
            elif kind[k] == HAND:
                size = np.sqrt(n0 * n0 + n1 * n1 + n2 * n2)
                if size > bound[k]:
                    n0, n1, n2 = n0 * bound[k] / size, n1 * bound[k] / size, n2 * bound[k] / size
            d0, d1, d2 = n0 - j0, n1 - j1, n2 - j2
            most = max(most, abs(d0) + abs(d1) + abs(d2))
            if d0 == 0.0 and d1 == 0.0 and d2 == 0.0:
                continue
            impulse[k, 0], impulse[k, 1], impulse[k, 2] = n0, n1, n2
            for e in range(start[k], start[k + 1]):
                row, first, wide = at[e], first_y[body[e]], widths[body[e]]
                own = y[first : first + wide]
                v0, v1, v2 = V[row : row + wide], V[row + wide : row + 2 * wide], V[row + 2 * wide : row + 3 * wide]
                for l in range(wide):
                    own[l] += v0[l] * d0 + v1[l] * d1 + v2[l] * d2
    return most


@quick_borrowing_inlined
def push(table, ties, y, k, d0, d1, d2):
    """y += V d over the entries of tie k."""
    V = ties.V
    for e in range(ties.start[k], ties.start[k + 1]):
        b, at = ties.body[e], ties.at[e]
        first, wide = table.first_y[b], table.wide[b]
        for l in range(wide):
            y[first + l] += V[at + l] * d0 + V[at + wide + l] * d1 + V[at + 2 * wide + l] * d2


@borrowing
def settle_ties(table, ties, y, count):
    """So many sweeps, and up to LONGEST times as many where impulses still change much, as in impacts."""
    done, change = count, sweep(table, ties, y, count)
    while done < LONGEST * count and change > LOOSE * _largest(ties):
        change = sweep(table, ties, y, count)
        done += count


@borrowing
def _largest(ties):
    """The largest impulse [N s]."""
    most = 0.0
    for k in range(ties.made[0]):
        most = max(most, abs(ties.impulse[k, 0]) + abs(ties.impulse[k, 1]) + abs(ties.impulse[k, 2]))
    return most


@borrowing
def warm(table, ties, y):
    """Let the impulses that ties begin with act."""
    for k in range(ties.made[0]):
        j = ties.impulse[k]
        if j[0] != 0.0 or j[1] != 0.0 or j[2] != 0.0:
            push(table, ties, y, k, j[0], j[1], j[2])


@quick_borrowing_inlined
def speeds(table, ties, y, k, out):
    """W y of tie k along its axes into out (3,)."""
    a0, a1, a2 = 0.0, 0.0, 0.0
    for e in range(ties.start[k], ties.start[k + 1]):
        b, at = ties.body[e], ties.at[e]
        first, wide = table.first_y[b], table.wide[b]
        own, W = y[first : first + wide], ties.W[at : at + 3 * wide]
        w0, w1, w2 = W[:wide], W[wide : 2 * wide], W[2 * wide :]
        for l in range(wide):
            a0 += w0[l] * own[l]
            a1 += w1[l] * own[l]
            a2 += w2[l] * own[l]
    out[0], out[1], out[2] = a0, a1, a2
