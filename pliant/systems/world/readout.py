"""What touches what, and how hard, as arrays."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from pliant.collide import CollisionShape
from pliant.errors import Array, Ids
from pliant.systems.world.record import WorldRecord
from pliant.systems.world.tables import HELD


class ContactReport(NamedTuple):
    """Contacts that pressed in the last small step, k of them.

    Attributes:
        bodies: (k, 2) numbers of the two; -1, -2, ...: the ground and other fields, as they were added.
        vertices: (k,) the vertex of the first body's mesh that touches; -1: a point of an edge.
        points: (k, 3) where [m]. normals: (k, 3) from the second to the first.
        depths: (k,) [m], below zero where there is still a gap.
        impulses: (k, 3) on the first body [N s]; forces: (k, 3) the same over the small step [N].
        slips: (k,) speed along the surface [m/s].
    """

    bodies: Ids
    vertices: Ids
    points: Array
    normals: Array
    depths: Array
    impulses: Array
    forces: Array
    slips: Array


def contact_report(made: WorldRecord, shape_of: Callable[[int], CollisionShape], dt: float) -> ContactReport:
    """Of the last small step of dt [s]; `shape_of` a body by its number."""
    count = int(made.found[0])
    pressed = made.pressed[:count] + made.bounced[:count]
    chosen = np.flatnonzero(np.any(pressed != 0, axis=1))
    contacts = made.contacts
    vertices = [_vertex(shape_of(contacts.body[c, 0]), int(contacts.sample[c])) for c in chosen]
    return ContactReport(
        contacts.body[chosen],
        np.array(vertices, dtype=np.int64),
        contacts.point[chosen],
        contacts.normal[chosen],
        -contacts.gap[chosen],
        pressed[chosen],
        pressed[chosen] / dt,
        made.slipped[chosen],
    )


def islands_of_bodies(made: WorldRecord) -> Ids:
    """(b,) the first body of the island of each: of those that move and touch or are joined."""
    count, moves = int(made.found[0]), made.sleep.kind <= HELD
    touching = made.contacts.body[:count][made.near[:count] > 0]
    pairs = np.concatenate([touching, made.joints.body])
    pairs = made.skins.leader[pairs[(pairs >= 0).all(axis=1)]]  # skins touch for their bones
    a, b = pairs[moves[pairs].all(axis=1)].T
    _, which = connected_components(coo_array((np.ones(len(a)), (a, b)), shape=(len(moves), len(moves))), False)
    _, first = np.unique(which, return_index=True)
    return first[which]


def _vertex(shape: CollisionShape, sample: int) -> int:
    return int(shape.ids[sample]) if sample < len(shape.ids) else -1
