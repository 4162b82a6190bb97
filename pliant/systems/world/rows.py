"""Rows that tie bodies at points, and what impulses along them do (maths sheet momentum 2, 4).

A point c of a body, acted on at the world point x_c that all of its partners share, moves along a direction d by

    d . u = W y,   W = (d, a x d, B R^T d),   a = x_c - t,   B = S_c^T - G^T I^-1 [R^T a]
    V = (d / m, I_w^-1 (a x d), A^-1 B R^T d)

so that momentum is exact where every partner is acted on at the same x_c. A tie is a list of entries (body, rows); its
own compliance is K = sum W V^T over them. Each has three directions: a contact its normal and two tangents.
"""

from typing import Any, NamedTuple

import numpy as np

from pliant.errors import Array, Ids
from pliant.numerics.counting import borrowing, borrowing_inlined, quick_borrowing, quick_borrowing_inlined
from pliant.numerics.simd16 import WIDTH
from pliant.numerics.spd_inverse import rows_times_inverse
from pliant.systems.world.tables import HELD

CONTACT, POINT, HAND, AXIS = range(4)


class Ties(NamedTuple):
    """Contacts, joints and hands of a step.

    Attributes:
        made: (1,) how many; start: (m + 1,) where the entries of each begin.
        body, at: (e,) of every entry its body, and where its rows begin in W and V.
        W, V: rows (3, 6 + r) of all entries, one after the other.
        axes: (m, 3, 3) directions, the normal first. point: (m, 3) where it acts.
        kind: (m,). friction: (m,) of a contact. least, most: (m,) bounds of the impulse of a hand or about an axis.
        K, inverse: (m, 3, 3). slip: (m,) largest eigenvalue of the tangential block of K.
        target: (m, 3) wanted velocities. impulse: (m, 3) along the axes; extra: what shocks add above,
            or velocities before a bounce.
    """

    made: Ids
    start: Ids
    body: Ids
    at: Ids
    W: Array
    V: Array
    axes: Array
    point: Array
    kind: Ids
    friction: Array
    least: Array
    most: Array
    K: Array
    inverse: Array
    slip: Array
    target: Array
    impulse: Array
    extra: Array


class Touched(NamedTuple):
    """Where systems are touched.

    Attributes:
        first: (b,) where the matrix of each begins in D.
        D: of every system (3k, 3k), rows first: what unit impulses on its touched points do to their velocities.
        point: (m, 2) of every contact, which of the points of a system each of its sides is.
    """

    first: Ids
    D: Array
    point: Ids


def nothing_touched(bodies: int, room: int) -> Touched:
    """Room for so many contacts."""
    return Touched(np.zeros(bodies, np.int64), np.zeros(0), np.zeros((room, 2), np.int64))


def ties_of(ties: int, entries: int, width: int) -> Ties:
    """Work space for so many ties, with so many entries of rows of up to `width`."""
    ids: list[Any] = [np.zeros(size, np.int64) for size in (1, ties + 1, entries, entries)]
    rows = [np.zeros(3 * width * entries), np.zeros(3 * width * entries + WIDTH)]
    places = [
        np.zeros((ties, 3, 3)),
        np.zeros((ties, 3)),
        np.zeros(ties, np.int64),
        *(np.zeros(ties) for _ in range(3)),
    ]
    blocks = [np.zeros((ties, 3, 3)), np.zeros((ties, 3, 3)), np.zeros(ties)]
    return Ties._make([*ids, *rows, *places, *blocks, *(np.zeros((ties, 3)) for _ in range(3))])


@borrowing
def clear(ties):
    """No ties."""
    ties.made[0] = 0


@borrowing_inlined
def begin_tie(ties, kind, point, axes):
    """A new tie without entries; its number."""
    k = ties.made[0]
    ties.made[0] += 1
    ties.start[k + 1] = ties.start[k] if k > 0 else 0
    ties.kind[k] = kind
    ties.friction[k], ties.least[k], ties.most[k] = 0.0, -np.inf, np.inf
    for i in range(3):
        ties.point[k, i] = point[i]
        ties.target[k, i] = ties.impulse[k, i] = 0.0
        for j in range(3):
            ties.axes[k, i, j] = axes[i, j]
            ties.K[k, i, j] = 0.0
    return k


@quick_borrowing_inlined
def add_entry(table, geometry, t, ties, k, b, rows, sign):
    """Tie k acts on body b, at a point with rows S_c (3 r,) of the body's axes; sign -1: on the other side of it."""
    x = ties.point[k]
    a0, a1, a2 = x[0] - t[b, 0], x[1] - t[b, 1], x[2] - t[b, 2]
    _write_entry(table, geometry, ties, k, b, rows, 1.0, a0, a1, a2, sign)


@quick_borrowing_inlined
def add_share(table, geometry, ties, k, b, rows, share, arm):
    """Tie k acts on bone b by its share in one or two points of a skin: rows (3 r,) and arm (3,) [m] are sums of those
    of its points, each times its share, which counts below zero on the other side (sheet 7: w_i W_i - w_l W_l)."""
    _write_entry(table, geometry, ties, k, b, rows, share, arm[0], arm[1], arm[2], 1.0)


@quick_borrowing_inlined
def _write_entry(table, geometry, ties, k, b, rows, share, a0, a1, a2, sign):
    e, first, r = ties.start[k + 1], table.first[b], table.first[b + 1] - table.first[b]
    wide = 6 + r
    at = _next_place(table, ties, e)
    ties.body[e], ties.at[e] = b, at
    ties.start[k + 1] = e + 1
    R = geometry.R[b]
    p0 = R[0, 0] * a0 + R[1, 0] * a1 + R[2, 0] * a2
    p1 = R[0, 1] * a0 + R[1, 1] * a1 + R[2, 1] * a2
    p2 = R[0, 2] * a0 + R[1, 2] * a1 + R[2, 2] * a2
    IG, s0, s1, s2 = geometry.IG[3 * first : 3 * (first + r)], rows[:r], rows[r : 2 * r], rows[2 * r : 3 * r]
    for i in range(3):
        d0, d1, d2 = sign * ties.axes[k, i, 0], sign * ties.axes[k, i, 1], sign * ties.axes[k, i, 2]
        W = ties.W[at + i * wide : at + (i + 1) * wide]
        W[0], W[1], W[2] = share * d0, share * d1, share * d2
        W[3], W[4], W[5] = a1 * d2 - a2 * d1, a2 * d0 - a0 * d2, a0 * d1 - a1 * d0
        o0 = R[0, 0] * d0 + R[1, 0] * d1 + R[2, 0] * d2
        o1 = R[0, 1] * d0 + R[1, 1] * d1 + R[2, 1] * d2
        o2 = R[0, 2] * d0 + R[1, 2] * d1 + R[2, 2] * d2
        m0, m1, m2 = p1 * o2 - p2 * o1, p2 * o0 - p0 * o2, p0 * o1 - p1 * o0
        own = W[6:]
        for l in range(r):
            twist = IG[3 * l] * m0 + IG[3 * l + 1] * m1 + IG[3 * l + 2] * m2
            own[l] = s0[l] * o0 + s1[l] * o1 + s2[l] * o2 - twist
    respond(table, geometry, ties, e)
    for i in range(3):
        W = ties.W[at + i * wide : at + (i + 1) * wide]
        for j in range(i, 3):
            V = ties.V[at + j * wide : at + (j + 1) * wide]
            total = 0.0
            for l in range(wide):
                total += W[l] * V[l]
            ties.K[k, i, j] += total
            if j > i:
                ties.K[k, j, i] += total


@quick_borrowing
def add_couple(table, geometry, ties, k, b, sign):
    """Tie k twists body b about its first axis: W = (0, d, -G^T I^-1 R^T d); the other two rows are empty."""
    e, first, r = ties.start[k + 1], table.first[b], table.first[b + 1] - table.first[b]
    wide, at = 6 + r, _next_place(table, ties, e)
    ties.body[e], ties.at[e] = b, at
    ties.start[k + 1] = e + 1
    R, W, V, IG = geometry.R[b], ties.W, ties.V, geometry.IG
    for i in range(3 * wide):
        W[at + i] = 0.0
    d0, d1, d2 = sign * ties.axes[k, 0, 0], sign * ties.axes[k, 0, 1], sign * ties.axes[k, 0, 2]
    W[at + 3], W[at + 4], W[at + 5] = d0, d1, d2
    o0 = R[0, 0] * d0 + R[1, 0] * d1 + R[2, 0] * d2
    o1 = R[0, 1] * d0 + R[1, 1] * d1 + R[2, 1] * d2
    o2 = R[0, 2] * d0 + R[1, 2] * d1 + R[2, 2] * d2
    for l in range(r):
        g = 3 * (first + l)
        W[at + 6 + l] = -IG[g] * o0 - IG[g + 1] * o1 - IG[g + 2] * o2
    respond(table, geometry, ties, e)
    total = 0.0
    for l in range(wide):
        total += W[at + l] * V[at + l]
    ties.K[k, 0, 0] += total


@quick_borrowing
def add_point(table, touched, ties, k, b, p, sign):
    """Tie k acts on point p of the system b, whose unknowns are the velocities of its points: W = d there, V = D d."""
    e, wide = ties.start[k + 1], table.wide[b]
    at = _next_place(table, ties, e)
    ties.body[e], ties.at[e] = b, at
    ties.start[k + 1] = e + 1
    D = touched.D[touched.first[b] : touched.first[b] + wide * wide]
    for i in range(3):
        W, V = ties.W[at + i * wide : at + (i + 1) * wide], ties.V[at + i * wide : at + (i + 1) * wide]
        d0, d1, d2 = sign * ties.axes[k, i, 0], sign * ties.axes[k, i, 1], sign * ties.axes[k, i, 2]
        c0, c1, c2 = D[3 * p * wide :], D[(3 * p + 1) * wide :], D[(3 * p + 2) * wide :]
        for l in range(wide):
            W[l] = 0.0
            V[l] = c0[l] * d0 + c1[l] * d1 + c2[l] * d2
        W[3 * p], W[3 * p + 1], W[3 * p + 2] = d0, d1, d2
        for j in range(3):
            d = ties.axes[k, j]
            ties.K[k, i, j] += sign * (V[3 * p] * d[0] + V[3 * p + 1] * d[1] + V[3 * p + 2] * d[2])


@borrowing_inlined
def _next_place(table, ties, e):
    """Where the rows of entry e begin: behind those of the one before."""
    if e == 0:
        return 0
    b = ties.body[e - 1]
    return ties.at[e - 1] + 3 * table.wide[b]


@quick_borrowing_inlined
def respond(table, geometry, ties, e):
    """V of an entry from its W."""
    b, at = ties.body[e], ties.at[e]
    r, light, inverse = table.first[b + 1] - table.first[b], geometry.light[b], geometry.inverse[b]
    wide = 6 + r
    if table.kind[b] <= HELD:
        rows_times_inverse(geometry.A, table.first_A[b], r, ties.W, ties.V, at + 6, wide)
    else:
        for i in range(3 * wide):
            ties.V[at + i] = 0.0
    for i in range(3):
        W, V = ties.W[at + i * wide : at + (i + 1) * wide], ties.V[at + i * wide : at + (i + 1) * wide]
        for j in range(3):
            V[j] = light * W[j]
            V[3 + j] = inverse[j, 0] * W[3] + inverse[j, 1] * W[4] + inverse[j, 2] * W[5]


@borrowing_inlined
def end_tie(ties, k):
    """What sweeps need of K: its inverse, and the largest eigenvalue of its tangential block; is it movable?"""
    a, o = ties.K[k], ties.inverse[k]
    c0 = a[1, 1] * a[2, 2] - a[1, 2] * a[2, 1]
    c1 = a[1, 2] * a[2, 0] - a[1, 0] * a[2, 2]
    c2 = a[1, 0] * a[2, 1] - a[1, 1] * a[2, 0]
    size = a[0, 0] * c0 + a[0, 1] * c1 + a[0, 2] * c2
    if not size > 0:
        for i in range(3):
            for j in range(3):
                o[i, j] = 0.0
        return False
    scale = 1 / size
    o[0, 0], o[1, 0], o[2, 0] = c0 * scale, c1 * scale, c2 * scale
    o[0, 1] = (a[0, 2] * a[2, 1] - a[0, 1] * a[2, 2]) * scale
    o[1, 1] = (a[0, 0] * a[2, 2] - a[0, 2] * a[2, 0]) * scale
    o[2, 1] = (a[0, 1] * a[2, 0] - a[0, 0] * a[2, 1]) * scale
    o[0, 2] = (a[0, 1] * a[1, 2] - a[0, 2] * a[1, 1]) * scale
    o[1, 2] = (a[0, 2] * a[1, 0] - a[0, 0] * a[1, 2]) * scale
    o[2, 2] = (a[0, 0] * a[1, 1] - a[0, 1] * a[1, 0]) * scale
    half, apart = 0.5 * (a[1, 1] + a[2, 2]), 0.5 * (a[1, 1] - a[2, 2])
    ties.slip[k] = half + np.sqrt(apart * apart + a[1, 2] * a[1, 2])
    return True


@borrowing_inlined
def impulse_of(ties, k, out):
    """What tie k did, in the world, into out (3,) [N s]; nothing where k < 0."""
    for i in range(3):
        out[i] = 0.0
        if k >= 0:
            for a in range(3):
                out[i] += ties.impulse[k, a] * ties.axes[k, a, i]


@borrowing
def drop_tie(ties, k):
    """Forget the last tie, which nothing can move."""
    ties.made[0] = k


@borrowing_inlined
def frame_about(n, axes):
    """Axes (3, 3) whose first is the unit normal n; the tangents depend on n alone."""
    for i in range(3):
        axes[0, i] = n[i]
    # The axis that n leans on least gives the first tangent.
    k = 0
    for i in range(1, 3):
        if abs(n[i]) < abs(n[k]):
            k = i
    size = np.sqrt(1 - n[k] * n[k])
    for i in range(3):
        axes[1, i] = ((1.0 if i == k else 0.0) - n[k] * n[i]) / size
    axes[2, 0] = n[1] * axes[1, 2] - n[2] * axes[1, 1]
    axes[2, 1] = n[2] * axes[1, 0] - n[0] * axes[1, 2]
    axes[2, 2] = n[0] * axes[1, 1] - n[1] * axes[1, 0]
