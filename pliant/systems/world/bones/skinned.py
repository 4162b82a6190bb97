"""Skins that touch: places and rows of points that several bones move (maths sheet momentum 7; [MC15] Eq. 42 to 45).

    x_s = sum_k w_k x_k,    u_s = sum_k w_k W_k y_k,    bone k gets w_k j

A contact acts at x_c; every bone's point is shifted by the same x_c - x_s, so that sum w_k x_k x j = x_c x j, and
momentum is exact. The rows of bone k are those of a point of its own, times w_k.
"""

from typing import Any, NamedTuple

import numpy as np

from pliant.collide import CollisionShape
from pliant.errors import Array, Ids
from pliant.numerics import rotation_from_quaternion_into
from pliant.numerics.counting import borrowing, quick_borrowing
from pliant.systems.world.proxies import centred_rows
from pliant.systems.world.rows import add_entry_at
from pliant.systems.world.tables import SKIN


class SkinTable(NamedTuple):
    """Entries (bone, weight, row) of the surface vertices of all characters.

    Attributes:
        first_bone: (b,) of a skin the number of its first bone; -1 of others. bones: (b,) how many it has. leader: (b,)
            of a skin a bone that moves, of others themselves.
        start: entries of vertex v are start[v] to start[v + 1], model after model; first_start: (models,).
        bone, weight, X, at: (e,) which bone of the character, its share, place at rest (e, 3) in the bone's axes, and
            where its rows (3 r) begin in `rows`.
        R: (b, 3, 3), place, speed, sum, shift: (3,) work space.
    """

    first_bone: Ids
    bones: Ids
    leader: Ids
    start: Ids
    first_start: Ids
    bone: Ids
    weight: Array
    X: Array
    at: Ids
    rows: Array
    R: Array
    place: Array
    speed: Array
    sum: Array
    shift: Array


def skin_table(bodies: Any, models: Any, shapes: list[CollisionShape]) -> SkinTable:
    """Of the bodies of a world, and its distinct models with their shapes."""
    first_bone = np.array([body.bones[0].number if body.kind == "skin" else -1 for body in bodies], dtype=np.int64)
    counts = np.array([len(body.bones) if body.kind == "skin" else 0 for body in bodies], dtype=np.int64)
    start, first_start = [np.zeros(1, np.int64)], np.zeros(len(models), dtype=np.int64)
    parts: list[tuple[Ids, Array, Array, list[Array]]] = []
    entries = vertices = 0
    for m, (model, shape) in enumerate(zip(models, shapes)):
        first_start[m] = vertices
        character = getattr(model, "character", None)
        if character is None:
            continue
        found, *part = _entries(character, shape.ids)
        start.append(entries + np.cumsum(found))
        entries, vertices = entries + int(found.sum()), vertices + len(shape.ids)
        parts.append(tuple(part))  # type: ignore[arg-type]
    rows = [row for *_, each in parts for row in each]
    sizes = np.array([row.size for row in rows], dtype=np.int64)
    return SkinTable(
        first_bone,
        counts,
        np.array([_leader(bodies, k) for k in range(len(bodies))], dtype=np.int64),
        np.concatenate(start),
        first_start,
        np.concatenate([part[0] for part in parts] or [np.zeros(0, np.int64)]),
        np.concatenate([part[1] for part in parts] or [np.zeros(0)]),
        np.concatenate([part[2] for part in parts] or [np.zeros((0, 3))]),
        np.cumsum(sizes) - sizes,
        np.concatenate([row.ravel() for row in rows] or [np.zeros(0)]),
        np.zeros((len(bodies), 3, 3)),
        *(np.zeros(3) for _ in range(4)),
    )


def _leader(bodies: Any, number: int) -> int:
    moving = [bone.number for bone in bodies[number].bones if bone.kind in ("free", "held")]
    return moving[0] if moving else number


def _entries(character: Any, vertices: Ids) -> tuple[Ids, Ids, Array, Array, list[Array]]:
    """Of surface vertices: how many entries each has; then bone, weight, X and rows of all."""
    counts = np.zeros(len(vertices), dtype=np.int64)
    found: list[tuple[int, int, float, Array, Array]] = []
    for k, bone in enumerate(character.bones):
        local = np.searchsorted(bone.vertices, vertices)
        local[local == len(bone.vertices)] = 0
        has = np.flatnonzero((bone.vertices[local] == vertices) & (bone.weights[local] > 0))
        X, S = centred_rows(bone.model, local[has])
        found += [(int(v), k, float(bone.weights[local[v]]), X[i], S[i]) for i, v in enumerate(has)]
        counts[has] += 1
    found.sort(key=lambda entry: entry[:2])
    which = np.array([entry[1] for entry in found], dtype=np.int64)
    weights = np.array([entry[2] for entry in found])
    return counts, which, weights, np.array([entry[3] for entry in found]), [entry[4] for entry in found]


@borrowing
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


@borrowing
def _move_entry(table, state, spin, skins, first, e, out):
    """How fast the point of bone e is, at `skins.place`, into out (3,)."""
    b = first + skins.bone[e]
    at, q0, r = skins.at[e], table.first[b], table.first[b + 1] - table.first[b]
    w, t, x = spin[b], state.t[b], skins.place
    a0, a1, a2 = x[0] - t[0], x[1] - t[1], x[2] - t[2]
    out[0] = state.v[b, 0] + w[1] * a2 - w[2] * a1
    out[1] = state.v[b, 1] + w[2] * a0 - w[0] * a2
    out[2] = state.v[b, 2] + w[0] * a1 - w[1] * a0
    for j in range(3):
        d = 0.0
        for l in range(r):
            d += skins.rows[at + j * r + l] * state.qd[q0 + l]
        for i in range(3):
            out[i] += skins.R[b, i, j] * d


@quick_borrowing
def place_skins(table, skins, state, spin, first_x, x, u, reach, widest):
    """x of all vertices of skins and their velocities u; they get as far, and are as wide, as the farthest bone."""
    for s in range(len(table.model)):
        if table.kind[s] != SKIN:
            continue
        first = skins.first_bone[s]
        reach[s] = widest[s] = 0.0
        for b in range(first, first + skins.bones[s]):
            rotation_from_quaternion_into(skins.R[b], state.Q[b])
            reach[s], widest[s] = max(reach[s], reach[b]), max(widest[s], widest[b])
        start = skins.start[skins.first_start[table.model[s]] :]
        for v in range(first_x[s + 1] - first_x[s]):
            place, speed = x[first_x[s] + v], u[first_x[s] + v]
            for i in range(3):
                place[i] = speed[i] = 0.0
            for e in range(start[v], start[v + 1]):
                _place_entry(table, state, skins, first, e, skins.place)
                _move_entry(table, state, spin, skins, first, e, skins.speed)
                for i in range(3):
                    place[i] += skins.weight[e] * skins.place[i]
                    speed[i] += skins.weight[e] * skins.speed[i]


@quick_borrowing
def add_skin_point(table, geometry, state, skins, ties, k, s, ids, weights, count, rows, sign):
    """Tie k acts on a point of skin s, a weighted mean of `count` of its vertices: an entry for every bone there."""
    first, start, shift = skins.first_bone[s], skins.start[skins.first_start[table.model[s]] :], skins.shift
    for i in range(3):
        shift[i] = ties.point[k, i]
    for c in range(count):
        for e in range(start[ids[c]], start[ids[c] + 1]):
            _place_entry(table, state, skins, first, e, skins.place)
            for i in range(3):
                shift[i] -= weights[c] * skins.weight[e] * skins.place[i]
    for c in range(count):
        for e in range(start[ids[c]], start[ids[c] + 1]):
            if _is_first(skins, start, ids, c, e):
                _add_bone(table, geometry, state, skins, ties, k, first, start, ids, weights, count, e, rows, sign)


@borrowing
def _is_first(skins, start, ids, c, e):
    """Is entry e of the c-th vertex the first of its bone among these vertices?"""
    for d in range(c):
        for f in range(start[ids[d]], start[ids[d] + 1]):
            if skins.bone[f] == skins.bone[e]:
                return False
    return True


@quick_borrowing
def _add_bone(table, geometry, state, skins, ties, k, first, start, ids, weights, count, own, rows, sign):
    """The entry of one bone: means of rows and places over its entries at the point."""
    b = first + skins.bone[own]
    r, total, mean = table.first[b + 1] - table.first[b], 0.0, skins.sum
    for i in range(3 * r):
        rows[i] = 0.0
    for i in range(3):
        mean[i] = 0.0
    for c in range(count):
        for e in range(start[ids[c]], start[ids[c] + 1]):
            if skins.bone[e] == skins.bone[own]:
                w = weights[c] * skins.weight[e]
                total += w
                for i in range(3 * r):
                    rows[i] += w * skins.rows[skins.at[e] + i]
                _place_entry(table, state, skins, first, e, skins.place)
                for i in range(3):
                    mean[i] += w * skins.place[i]
    if total <= 0:
        return
    for i in range(3 * r):
        rows[i] /= total
    for i in range(3):
        mean[i] = mean[i] / total + skins.shift[i]
    add_entry_at(table, geometry, state.t, ties, k, b, rows, mean, sign * total)
