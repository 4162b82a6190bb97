"""Which bones move the points of skins that touch, and how much, as flat arrays for compiled code."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from pliant.collide import CollisionShape
from pliant.errors import Array, Ids
from pliant.systems.world.proxies import centred_rows

CORNERS = 5  # vertices that a contact of a skin with itself is between: two of an edge, three of a triangle


class SkinTable(NamedTuple):
    """Entries (bone, weight, row) of the surface vertices of all characters.

    Attributes:
        first_bone: (b,) of a skin the number of its first bone; -1 of others. bones: (b,) how many it has. leader: (b,)
            of a skin a bone that moves, of others themselves. skin: (b,) of a bone the number of its skin; -1 of
            others. share: (b,) of a bone in the mass of all bones of its skin. extent: (b,) of a bone at rest from its
            centre of mass [m].
        start: entries of vertex v are start[v] to start[v + 1], model after model; first_start: (models,).
        bone, weight, X, at: (e,) which bone of the character, its share, place at rest (e, 3) in the bone's axes, and
            where its rows (3 r) begin in `rows`.
        R: (b, 3, 3), fastest: (b,), place, speed, arm: (3,), shift: (2, 3), places: (p, 3) work space; p entries have
            the points of one contact.
    """

    first_bone: Ids
    bones: Ids
    leader: Ids
    skin: Ids
    share: Array
    extent: Array
    start: Ids
    first_start: Ids
    bone: Ids
    weight: Array
    X: Array
    at: Ids
    rows: Array
    R: Array
    fastest: Array
    place: Array
    speed: Array
    arm: Array
    shift: Array
    places: Array


def skin_table(bodies: Any, models: Any, shapes: Sequence[CollisionShape | None]) -> SkinTable:
    """Of the bodies of a world, and its distinct models with their shapes."""
    first_bone = np.array([body.bones[0].number if body.kind == "skin" else -1 for body in bodies], dtype=np.int64)
    counts = np.array([len(body.bones) if body.kind == "skin" else 0 for body in bodies], dtype=np.int64)
    start, first_start = [np.zeros(1, np.int64)], np.zeros(len(models), dtype=np.int64)
    parts: list[tuple[Ids, Array, Array, list[Array]]] = []
    entries = vertices = most = 0
    for m, (model, shape) in enumerate(zip(models, shapes)):
        first_start[m] = vertices
        character = getattr(model, "character", None)
        if character is None or shape is None:
            continue
        found, *part = _entries(character, shape.ids)
        start.append(entries + np.cumsum(found))
        most = max(most, int(found.max()))
        entries, vertices = entries + int(found.sum()), vertices + len(shape.ids)
        parts.append(tuple(part))  # type: ignore[arg-type]
    rows = [row for *_, each in parts for row in each]
    sizes = np.array([row.size for row in rows], dtype=np.int64)
    return SkinTable(
        first_bone,
        counts,
        np.array([_leader(bodies, k) for k in range(len(bodies))], dtype=np.int64),
        *_skins_of_bones(bodies),
        np.concatenate(start),
        first_start,
        np.concatenate([part[0] for part in parts] or [np.zeros(0, np.int64)]),
        np.concatenate([part[1] for part in parts] or [np.zeros(0)]),
        np.concatenate([part[2] for part in parts] or [np.zeros((0, 3))]),
        np.cumsum(sizes) - sizes,
        np.concatenate([row.ravel() for row in rows] or [np.zeros(0)]),
        np.zeros((len(bodies), 3, 3)),
        np.zeros(len(bodies)),
        np.zeros(3),
        np.zeros(3),
        np.zeros(3),
        np.zeros((2, 3)),
        np.zeros((CORNERS * most, 3)),
    )


def _leader(bodies: Any, number: int) -> int:
    moving = [bone.number for bone in bodies[number].bones if bone.kind in ("free", "held")]
    return moving[0] if moving else number


def _skins_of_bones(bodies: Any) -> tuple[Ids, Array, Array]:
    """Of every body the skin that it is a bone of, its share in the mass of all bones of that, and how far it goes."""
    skin, share, extent = np.full(len(bodies), -1, dtype=np.int64), np.zeros(len(bodies)), np.zeros(len(bodies))
    for number, body in enumerate(bodies):
        masses = np.array([bone.model.inertia.mass for bone in body.bones])
        first = body.bones[0].number if len(masses) else 0
        own = slice(first, first + len(masses))
        skin[own], share[own] = number, masses / masses.sum() if len(masses) else 0.0
        extent[own] = [_extent(bone.model) for bone in body.bones]
    return skin, share, extent


def _extent(model: Any) -> float:
    origin = np.zeros(3) if len(model.fixed) else model.inertia.centre
    return float(np.linalg.norm(model.X - origin, axis=1).max())


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
