"""What a world answers as every system does: its unknowns, rows and responses of points, and what impulses change."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from pliant.errors import Array
from pliant.numerics import quaternion_turn_into
from pliant.numerics.opaque import enter, opaque
from pliant.skin import Points
from pliant.systems.world.body import Body
from pliant.systems.world.building import entries_of
from pliant.systems.world.measuring import spin_frames
from pliant.systems.world.record import WorldRecord
from pliant.systems.world.rows import POINT, add_entry, begin_tie, ties_of
from pliant.systems.world.stepping import velocities_at
from pliant.systems.world.tables import FREE, HELD, BodyTable


def enter_stage(stage: Any, made: WorldRecord) -> int:
    """A compiled stage of a step, by itself."""
    packed = opaque(stage, made, 0)
    return enter(packed.entry, packed.record.ctypes.data, 0)


def _own(table: BodyTable) -> Any:
    """Which of (v, w, q') of all bodies are unknowns: frames that fly, coordinates of what moves."""
    chosen = np.zeros(table.first_y[-1], dtype=bool)
    for b, kind in enumerate(table.kind):
        first, last = table.first_y[b], table.first_y[b + 1]
        chosen[first : first + 6] = kind == FREE
        chosen[first + 6 : last] = kind <= HELD
    return chosen


def unknowns(made: WorldRecord) -> Array:
    """(s,) of a world whose geometry is arranged."""
    enter_stage(velocities_at, made)
    return made.motion.y[_own(made.table)]


def point_rows(made: WorldRecord, points: Points, x: Array, bodies: Sequence[Body], name: str) -> Array:
    """W or V (3k, s) of points at x (k, 3), of a world whose geometry is arranged."""
    table = made.table
    point, body, _, at, rows = entries_of(points, bodies)
    widest = int(made.models.size.max(initial=0))
    ties = ties_of(len(point), len(point), 6 + widest)
    full = np.zeros((points.count, 3, int(table.first_y[-1])))
    for k, b in enumerate(body):
        first, last, r = table.first_y[b], table.first_y[b + 1], table.first[b + 1] - table.first[b]
        begin_tie(ties, POINT, x[point[k]], np.eye(3))
        add_entry(table, made.geometry, made.state.t, ties, k, b, rows[at[k] : at[k] + 3 * r].copy(), 1.0)
        found = getattr(ties, name)[ties.at[k] : ties.at[k] + 3 * (last - first)]
        full[point[k], :, first:last] += points.tables.weights[k] * found.reshape(3, -1)
    return full.reshape(3 * points.count, -1)[:, _own(table)]


def change(made: WorldRecord, unknowns: Array, time: float) -> None:
    """Add to the unknowns (s,) of a world whose geometry is arranged; places move along for so long [s]."""
    table, state, geometry = made.table, made.state, made.geometry
    full = np.zeros(table.first_y[-1])
    full[_own(table)] = unknowns
    for b, kind in enumerate(table.kind):
        own, q = full[table.first_y[b] : table.first_y[b + 1]], slice(table.first[b], table.first[b + 1])
        state.qd[q] += own[6:]
        state.q[q] += time * own[6:]
        if kind == FREE:
            mass, before = made.models.mass[table.model[b]], state.t[b].copy()
            state.v[b] += own[:3]
            state.t[b] += time * own[:3]
            # What it gains about the origin is exact where it was: what t moves by, L gives back.
            state.L[b] += geometry.I[b] @ own[3:6] - mass * np.cross(state.t[b] - before, state.v[b])
            inner = geometry.R[b] @ (geometry.IG.reshape(-1, 3)[q].T @ own[6:])
            quaternion_turn_into(state.Q[b], time * (own[3:6] - inner))
    spin_frames(made.models, table, state, made.motion.spin, made.space)
