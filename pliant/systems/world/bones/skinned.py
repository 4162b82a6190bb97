"""Skins that touch: places and rows of points that several bones move (maths sheet momentum 7; [MC15] Eq. 42 to 45).

    x_s = sum_k w_k x_k,    u_s = sum_k w_k W_k y_k,    bone k gets w_k j

A contact acts at x_c; every bone's point is shifted by the same x_c - x_s, so that sum w_k x_k x j = x_c x j, and
momentum is exact. The rows of bone k are those of a point of its own, times w_k. Where a skin touches itself, a bone
that moves both sides has one entry with the rows w_i W_i - w_l W_l, since two of them would miss what one side does to
the other.
"""

import numpy as np

from pliant.numerics import rotation_from_quaternion_into
from pliant.numerics.counting import borrowing, borrowing_inlined, quick_borrowing, quick_borrowing_inlined
from pliant.systems.world.keeping import stray
from pliant.systems.world.rows import add_share
from pliant.systems.world.tables import HELD, SKIN, STATIC

YIELDS = 1e-6  # of 1/m of the lightest bone: added to the K of a skin with itself, which may be singular


@borrowing_inlined
def _place_entry(table, state, skins, first, e, out):
    """Where bone e has its point, into out (3,); its body."""
    b = first + skins.bone[e]
    at, q0, r = skins.at[e], table.first[b], table.first[b + 1] - table.first[b]
    R, X = skins.R[b], skins.X[e]
    for i in range(3):
        out[i] = state.t[b, i]
    for j in range(3):
        p = X[j]
        for l in range(r):
            p += skins.rows[at + j * r + l] * state.q[q0 + l]
        for i in range(3):
            out[i] += R[i, j] * p
    return b


@quick_borrowing_inlined
def _move_entry(table, state, spin, skins, first, e):
    """Where bone e has its point, into `skins.place`, and how fast it is, into `skins.speed`; its body."""
    b = first + skins.bone[e]
    at, q0, r = skins.at[e], table.first[b], table.first[b + 1] - table.first[b]
    R, X, w, x, u = skins.R[b], skins.X[e], spin[b], skins.place, skins.speed
    rows, q, qd = skins.rows[at : at + 3 * r], state.q[q0 : q0 + r], state.qd[q0 : q0 + r]
    for i in range(3):
        x[i] = u[i] = 0.0
    for j in range(3):
        p, d = X[j], 0.0
        row = rows[j * r : (j + 1) * r]
        for l in range(r):
            p += row[l] * q[l]
            d += row[l] * qd[l]
        for i in range(3):
            x[i] += R[i, j] * p
            u[i] += R[i, j] * d
    u[0] += state.v[b, 0] + w[1] * x[2] - w[2] * x[1]
    u[1] += state.v[b, 1] + w[2] * x[0] - w[0] * x[2]
    u[2] += state.v[b, 2] + w[0] * x[1] - w[1] * x[0]
    for i in range(3):
        x[i] += state.t[b, i]
    return b


@quick_borrowing
def place_skins(table, awake, skins, proxies, clear, state, spin, dt, gravity, first_x, x, u, reach, widest):
    """x of all vertices of skins and their velocities u; how far they and their bones get in a step, and extend from t.

    A skin goes on with the mean velocity of its bones. One whose bones sleep stays; `awake` (b,) are kinds of bodies
    when they do not. Of one that is clear (b,) nothing is placed.
    """
    heavy = np.sqrt(gravity[0] ** 2 + gravity[1] ** 2 + gravity[2] ** 2)
    for s in range(len(table.model)):
        if table.kind[s] == SKIN and not _sleeps(table, awake, skins, s):
            _begin_placing(skins, state, first_x, x, widest, s)
            if clear[s] > 0:
                _bound_points(table, skins, proxies, state, spin, widest, s)
            else:
                place_points(table, skins, state, spin, first_x, x, u, widest, s)
            _end_placing(skins, state, dt, heavy, reach, widest, s)


@borrowing
def _sleeps(table, awake, skins, s):
    """Do bones of skin s sleep, and none of them moves?"""
    asleep = 0
    for b in range(skins.first_bone[s], skins.first_bone[s] + skins.bones[s]):
        if table.kind[b] != STATIC:
            return False
        asleep += awake[b] <= HELD
    return asleep > 0


@borrowing
def _begin_placing(skins, state, first_x, x, widest, s):
    """Axes of bones, whose own surfaces are points where they are, and the velocity of all."""
    for i in range(3):
        state.v[s, i] = 0.0
    for b in range(skins.first_bone[s], skins.first_bone[s] + skins.bones[s]):
        rotation_from_quaternion_into(skins.R[b], state.Q[b])
        widest[b] = skins.fastest[b] = 0.0
        for i in range(3):
            state.v[s, i] += skins.share[b] * state.v[b, i]
            for v in range(first_x[b], first_x[b + 1]):
                x[v, i] = state.t[b, i]


@borrowing
def _bound_points(table, skins, proxies, state, spin, widest, s):
    """How far points of bones are at most from t, and how fast, by their coordinates alone."""
    for b in range(skins.first_bone[s], skins.first_bone[s] + skins.bones[s]):
        first, longest = table.first[b], proxies.first_q[table.model[b]]
        far, fast = skins.extent[b], 0.0
        for l in range(table.first[b + 1] - first):
            far += abs(state.q[first + l]) * proxies.longest[longest + l]
            fast += abs(state.qd[first + l]) * proxies.longest[longest + l]
        fast += _speed(spin[b]) * far
        widest[b], skins.fastest[b] = far * far, fast * fast


@quick_borrowing
def place_points(table, skins, state, spin, first_x, x, u, widest, s):
    """Points of skin s, with squares of how far they are from t of their bones, and how fast against these."""
    first, start = skins.first_bone[s], skins.start[skins.first_start[table.model[s]] :]
    for v in range(first_x[s + 1] - first_x[s]):
        place, speed = x[first_x[s] + v], u[first_x[s] + v]
        for i in range(3):
            place[i] = speed[i] = 0.0
        for e in range(start[v], start[v + 1]):
            b = _move_entry(table, state, spin, skins, first, e)
            far = fast = 0.0
            for i in range(3):
                place[i] += skins.weight[e] * skins.place[i]
                speed[i] += skins.weight[e] * skins.speed[i]
                far += (skins.place[i] - state.t[b, i]) ** 2
                fast += (skins.speed[i] - state.v[b, i]) ** 2
            widest[b], skins.fastest[b] = max(widest[b], far), max(skins.fastest[b], fast)


@borrowing
def _end_placing(skins, state, dt, heavy, reach, widest, s):
    reach[s] = widest[s] = 0.0
    for b in range(skins.first_bone[s], skins.first_bone[s] + skins.bones[s]):
        aside = 0.0
        for i in range(3):
            aside += (state.v[b, i] - state.v[s, i]) ** 2
        fastest, widest[b] = np.sqrt(skins.fastest[b]), np.sqrt(widest[b])
        reach[b] = dt * (_speed(state.v[b]) + fastest + dt * heavy)
        reach[s], widest[s] = max(reach[s], np.sqrt(aside) + fastest), max(widest[s], widest[b])
    reach[s] = dt * (_speed(state.v[s]) + reach[s] + dt * heavy)


@borrowing
def _speed(v):
    return np.sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2])


@borrowing
def stray_of_skin(table, proxies, skins, state, kept, s, widest):
    """How far a skin has strayed from its way: a mean of places of bones, so no farther than the one that did most."""
    most = 0.0
    for b in range(skins.first_bone[s], skins.first_bone[s] + skins.bones[s]):
        most = max(most, stray(table, proxies, state, kept, b, widest[b]))
    return most


@borrowing
def keep_bones(table, skins, state, kept, s):
    """Contacts of skin s are found now: its bones are expected to go on as it does."""
    for b in range(skins.first_bone[s], skins.first_bone[s] + skins.bones[s]):
        kept.time[b] = 0.0
        for i in range(3):
            kept.t[b, i], kept.v[b, i] = state.t[b, i], kept.v[s, i]
        for i in range(4):
            kept.Q[b, i] = state.Q[b, i]
        for k in range(table.first[b], table.first[b + 1]):
            kept.q[k] = state.q[k]


@quick_borrowing
def add_skin_point(table, geometry, state, skins, ties, k, s, ids, weights, count, split, rows):
    """Tie k acts on skin s: an entry for every bone that moves one of `count` vertices.

    The first `split` of them make one point, with weights that sum to one, or to minus one on the other side of the
    tie; the others, where there are any, the point on the other side of it.
    """
    first, start = skins.first_bone[s], skins.start[skins.first_start[table.model[s]] :]
    _shift_points(table, state, skins, ties.point[k], first, start, ids, weights, count, split)
    for c in range(count):
        for e in range(start[ids[c]], start[ids[c] + 1]):
            if _is_first(skins, start, ids, c, e):
                _add_bone(table, geometry, state, skins, ties, k, first, start, ids, weights, count, split, e, rows)


@borrowing_inlined
def _shift_points(table, state, skins, x, first, start, ids, weights, count, split):
    """Places of all entries, and what both points are shifted by to where the tie acts."""
    n = 0
    for side in range(2):
        begin, end = (0, split) if side == 0 else (split, count)
        total, shift = 0.0, skins.shift[side]
        for i in range(3):
            shift[i] = 0.0
        for c in range(begin, end):
            total += weights[c]
            for e in range(start[ids[c]], start[ids[c] + 1]):
                _place_entry(table, state, skins, first, e, skins.places[n])
                for i in range(3):
                    shift[i] -= weights[c] * skins.weight[e] * skins.places[n, i]
                n += 1
        for i in range(3):
            shift[i] = x[i] + shift[i] / total if end > begin else 0.0


@borrowing_inlined
def _is_first(skins, start, ids, c, e):
    """Is entry e of the c-th vertex the first of its bone among these vertices?"""
    for d in range(c):
        for f in range(start[ids[d]], start[ids[d] + 1]):
            if skins.bone[f] == skins.bone[e]:
                return False
    return True


@quick_borrowing_inlined
def _add_bone(table, geometry, state, skins, ties, k, first, start, ids, weights, count, split, own, rows):
    """The entry of one bone: sums of rows and arms over its entries at both points."""
    b = first + skins.bone[own]
    r, total, arm, n = table.first[b + 1] - table.first[b], 0.0, skins.arm, 0
    for i in range(3 * r):
        rows[i] = 0.0
    for i in range(3):
        arm[i] = 0.0
    for c in range(count):
        shift = skins.shift[0 if c < split else 1]
        for e in range(start[ids[c]], start[ids[c] + 1]):
            if skins.bone[e] == skins.bone[own]:
                w = weights[c] * skins.weight[e]
                total += w
                for i in range(3 * r):
                    rows[i] += w * skins.rows[skins.at[e] + i]
                for i in range(3):
                    arm[i] += w * (skins.places[n, i] + shift[i] - state.t[b, i])
            n += 1
    add_share(table, geometry, ties, k, b, rows, total, arm)


@borrowing
def let_yield(geometry, ties, k):
    """Where both sides of tie k are of one skin: K may be singular, as of two points of one rigid bone."""
    lightest = 0.0
    for e in range(ties.start[k], ties.start[k + 1]):
        lightest = max(lightest, geometry.light[ties.body[e]])
    for i in range(3):
        ties.K[k, i, i] += YIELDS * lightest
