"""Muscles of characters: two patches of a skin pull at each other, along the line between their middles.

f on one middle, -f on the other, f along the line: their sum and torque are zero to rounding in every pose. A middle is
a point of the skin, c = sum_k w_k x_k with means of weights, places and rows over its patch, so that bone k gets w_k f
at x_k.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from pliant.errors import Array, Ids, check_number
from pliant.numerics.counting import borrowing
from pliant.systems.world.actuating import Strength
from pliant.systems.world.point_forces import add_force, place_point
from pliant.systems.world.proxies import centred_rows

if TYPE_CHECKING:
    from pliant.systems.world.body import Body


class Muscle:
    """Two patches of a character that pull at each other until `release`; made by `placed.actuate`.

    Attributes:
        skin: the body of the skin. patches: vertices (k,) of both.
        strength: time [s] -> pull [N]; below zero they push each other away.
    """

    def __init__(self, skin: Body, patches: tuple[Ids, Ids], strength: Strength):
        self.skin, self.patches, self.strength = skin, patches, strength

    def __repr__(self) -> str:
        return f"Muscle({self.skin.name}, {len(self.patches[0])} and {len(self.patches[1])} vertices)"

    def at(self, time: float) -> float:
        """Its pull then [N]."""
        return check_number(f"pull of a muscle of {self.skin.name} at t = {time:.6g} s", self.strength(time))

    def release(self) -> None:
        """No more of it; once more does nothing."""
        if self.skin.world is not None:
            self.skin.world._remove_muscle(self)


class MuscleTable(NamedTuple):
    """Attributes:
    start: (2 a + 1,) where the entries of both ends of each muscle begin. body, share, X, at, rows: (e,) as of points
        of skins.
    strengths: (n, a) in the small steps of a call [N]. x: (e, 3), ends: (3, 3) work space.
    """

    start: Ids
    body: Ids
    share: Array
    X: Array
    at: Ids
    rows: Array
    strengths: Array
    x: Array
    ends: Array


def muscle_table(muscles: Sequence[Muscle], steps: int) -> MuscleTable:
    """Of all muscles of a world."""
    start, entries, rows = [0], [], []
    for muscle in muscles:
        for patch in muscle.patches:
            for k, bone in enumerate(muscle.skin.model.character.bones):  # type: ignore[union-attr]
                local = np.flatnonzero(np.isin(bone.vertices, patch) & (bone.weights > 0))
                if len(local):
                    X, S = centred_rows(bone.model, local)
                    w = bone.weights[local] / len(patch)
                    share = float(w.sum())
                    entries.append((muscle.skin.bones[k].number, share, *(w @ X / share)))
                    rows.append((np.einsum("v,vir->ir", w, S) / share).ravel())
            start.append(len(entries))
    table = np.array(entries).reshape(-1, 5)
    sizes = np.array([len(row) for row in rows], dtype=np.int64)
    return MuscleTable(
        np.array(start, dtype=np.int64),
        table[:, 0].astype(np.int64),
        np.ascontiguousarray(table[:, 1]),
        np.ascontiguousarray(table[:, 2:]),
        np.cumsum(sizes) - sizes,
        np.concatenate([np.zeros(0), *rows]),
        np.zeros((steps, len(muscles))),
        np.zeros((len(table), 3)),
        np.zeros((3, 3)),
    )


@borrowing
def pull(table, state, geometry, muscles, step, acting):
    """Add the pulls of all muscles in a small step to force, torque and load of `acting`."""
    ends = muscles.ends
    for a in range((len(muscles.start) - 1) // 2):
        length = 0.0
        for side in range(2):
            _place_end(table, state, geometry, muscles, 2 * a + side, ends[side])
        for i in range(3):
            ends[2, i] = ends[1, i] - ends[0, i]
            length += ends[2, i] ** 2
        if length <= 0:
            continue
        scale = muscles.strengths[step, a] / np.sqrt(length)
        for side in range(2):
            f, sign = ends[side], 1.0 if side == 0 else -1.0
            for e in range(muscles.start[2 * a + side], muscles.start[2 * a + side + 1]):
                for i in range(3):
                    f[i] = muscles.share[e] * scale * sign * ends[2, i]
                b, at = muscles.body[e], muscles.at[e]
                add_force(table, state, geometry, b, muscles.rows, at, muscles.x[e], f, acting)


@borrowing
def _place_end(table, state, geometry, muscles, end, out):
    """Where one end of a muscle is, into out (3,), and where its bones have it."""
    for i in range(3):
        out[i] = 0.0
    for e in range(muscles.start[end], muscles.start[end + 1]):
        b = muscles.body[e]
        first, last = table.first[b], table.first[b + 1]
        x = muscles.x[e]
        place_point(state, geometry.R[b], b, muscles.X[e], muscles.rows, muscles.at[e], state.q[first:last], x)
        for i in range(3):
            out[i] += muscles.share[e] * x[i]
