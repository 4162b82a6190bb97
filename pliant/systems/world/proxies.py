"""The surfaces of bodies as they touch: placed vertices, rows at points of them, and how far they may get in a step."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from pliant.collide import CollisionShape
from pliant.errors import Array, Ids
from pliant.numerics import rotation_from_quaternion_into
from pliant.numerics.counting import quick_borrowing, quick_borrowing_inlined
from pliant.systems.world.tables import SYSTEM


class Proxies(NamedTuple):
    """Surface vertices of models, in the body's axes.

    Attributes:
        X: (s, 3) at rest. S: rows (3, r) of every vertex, one after the other.
        first, first_S: (models,) where those of each begin. vertices: (models,) how many it has.
        longest: how far a unit of each coordinate moves a vertex at most [m], model after model. first_q: (models,).
        first_x: (b,) where the vertices of each body begin among those of all; -1 of bones, whose skins touch for them.
        R: (3, 3) work space.
    """

    X: Array
    S: Array
    first: Ids
    first_S: Ids
    vertices: Ids
    longest: Array
    first_q: Ids
    first_x: Ids
    R: Array


def proxies_of(models: Sequence[Any], shapes: Sequence[CollisionShape | None], first_x: Ids) -> Proxies:
    """Of models and their shapes, None where a skin touches for them; `first_x`: of every body."""
    rest, rows, longest = [], [], []
    for model, shape in zip(models, shapes):
        X, S = centred_rows(model, np.arange(len(model.X)) if shape is None else shape.ids)
        longest.append(np.linalg.norm(S, axis=1).max(axis=0, initial=0.0))
        rest.append(X[:0] if shape is None else X)
        rows.append(np.zeros(0) if shape is None else S.ravel())
    counts = np.array([len(X) for X in rest], dtype=np.int64)
    return Proxies(
        np.concatenate(rest) if rest else np.zeros((0, 3)),
        np.concatenate(rows) if rows else np.zeros(0),
        _firsts(counts),
        _firsts(np.array([len(row) for row in rows], dtype=np.int64)),
        counts,
        np.concatenate(longest) if longest else np.zeros(0),
        _firsts(np.array([len(each) for each in longest], dtype=np.int64)),
        first_x,
        np.zeros((3, 3)),
    )


def centred_rows(model: Any, vertices: Ids) -> tuple[Array, Array]:
    """X (k, 3) and S (k, 3, r) of some vertices in the body's axes: about the centre of mass, where it flies."""
    X = model.X[vertices]
    S = model.U.reshape(len(model.X), 3, model.size)[vertices]
    if len(model.fixed):
        return X, S
    inertia = model.inertia
    return X - inertia.centre, S - inertia.N / inertia.mass


@quick_borrowing
def place_surfaces(table, awake, proxies, state, spin, dt, gravity, x, u, reach, widest):
    """x of all surface vertices and their velocities u, how far those of each body get in a step, and how far they are
    from t [m]. Systems and skins place their own, and bones none; bodies that sleep, whose kind is not that of `awake`
    (b,), stay."""
    R = proxies.R
    heavy = np.sqrt(gravity[0] ** 2 + gravity[1] ** 2 + gravity[2] ** 2)
    for b in range(len(table.model)):
        if table.kind[b] >= SYSTEM or table.kind[b] != awake[b] or proxies.first_x[b] < 0:
            continue
        model, first = table.model[b], table.first[b]
        r, row, at = table.first[b + 1] - first, proxies.first_S[model], proxies.first_x[b]
        rotation_from_quaternion_into(R, state.Q[b])
        farthest, fastest, q, qd = 0.0, 0.0, state.q[first : first + r], state.qd[first : first + r]
        w0, w1, w2 = spin[b, 0], spin[b, 1], spin[b, 2]
        for v in range(proxies.vertices[model]):
            X = proxies.X[proxies.first[model] + v]
            p0, p1, p2, d0, d1, d2 = X[0], X[1], X[2], 0.0, 0.0, 0.0
            s0, s1, s2 = (
                proxies.S[row : row + r],
                proxies.S[row + r : row + 2 * r],
                proxies.S[row + 2 * r : row + 3 * r],
            )
            for l in range(r):
                p0 += s0[l] * q[l]
                p1 += s1[l] * q[l]
                p2 += s2[l] * q[l]
                d0 += s0[l] * qd[l]
                d1 += s1[l] * qd[l]
                d2 += s2[l] * qd[l]
            row += 3 * r
            farthest = max(farthest, p0 * p0 + p1 * p1 + p2 * p2)
            a0 = R[0, 0] * p0 + R[0, 1] * p1 + R[0, 2] * p2
            a1 = R[1, 0] * p0 + R[1, 1] * p1 + R[1, 2] * p2
            a2 = R[2, 0] * p0 + R[2, 1] * p1 + R[2, 2] * p2
            u0 = w1 * a2 - w2 * a1 + R[0, 0] * d0 + R[0, 1] * d1 + R[0, 2] * d2
            u1 = w2 * a0 - w0 * a2 + R[1, 0] * d0 + R[1, 1] * d1 + R[1, 2] * d2
            u2 = w0 * a1 - w1 * a0 + R[2, 0] * d0 + R[2, 1] * d1 + R[2, 2] * d2
            fastest = max(fastest, u0 * u0 + u1 * u1 + u2 * u2)
            x[at + v, 0], x[at + v, 1], x[at + v, 2] = a0 + state.t[b, 0], a1 + state.t[b, 1], a2 + state.t[b, 2]
            u[at + v, 0], u[at + v, 1], u[at + v, 2] = u0 + state.v[b, 0], u1 + state.v[b, 1], u2 + state.v[b, 2]
        widest[b] = np.sqrt(farthest)
        speed = np.sqrt(state.v[b, 0] ** 2 + state.v[b, 1] ** 2 + state.v[b, 2] ** 2)
        reach[b] = dt * (speed + np.sqrt(fastest) + dt * heavy)


@quick_borrowing_inlined
def point_rows(table, proxies, b, ids, weights, count, rows):
    """S_c (3 r,) of a point of body b that is a weighted mean of `count` of its surface vertices."""
    model, r = table.model[b], table.first[b + 1] - table.first[b]
    for i in range(3 * r):
        rows[i] = 0.0
    for k in range(count):
        at, w = proxies.first_S[model] + 3 * r * ids[k], weights[k]
        own = proxies.S[at : at + 3 * r]
        for i in range(3 * r):
            rows[i] += w * own[i]


def _firsts(counts: Ids) -> Ids:
    return np.concatenate([[0], np.cumsum(counts)[:-1]]).astype(np.int64) if len(counts) else counts
