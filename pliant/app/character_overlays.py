"""What is drawn over characters: bones, the edges of what touches, and spheres and boxes of their trees."""

import base64
from collections.abc import Sequence
from typing import Any

import numpy as np

from pliant.errors import Array, Ids
from pliant.systems.world.bones.character import KINDS

OVERLAYS = ("bones", "nets", "spheres", "boxes")
MOST_BONES, MOST_EDGES, MOST_BOUNDS = 300, 3000, 400
DIGITS = 5


def overlays_of(characters: Sequence[Any], wanted: frozenset[str], level: int) -> dict[str, Any]:
    """Fields of a report by name, of what is wanted; no more than can be sent."""
    found: dict[str, Any] = {}
    if not characters or not wanted:
        return found
    if "bones" in wanted:
        found["bones"] = _rounded(np.concatenate([bones_of(each) for each in characters])[:MOST_BONES])
    if "nets" in wanted:
        ends = np.concatenate([edges_of(each) for each in characters])
        some = ends[:: -(-len(ends) // MOST_EDGES)]
        found["nets"] = base64.b64encode(np.ascontiguousarray(some, dtype="<f4").tobytes()).decode()
    if "spheres" in wanted:
        found["spheres"] = _rounded(np.concatenate([each.spheres(level) for each in characters])[:MOST_BOUNDS])
    if "boxes" in wanted:
        found["boxes"] = _rounded(np.concatenate([each.boxes(level) for each in characters])[:MOST_BOUNDS])
    return found


def bones_of(placed: Any) -> Array:
    """(k, 7) of a character: from the joint of every bone to those that hang on it, or as far beyond its centre as that
    is from the joint, where none does; and its kind."""
    character, rows = placed.character, []
    armature = character.armature
    at = np.array([_place(body, x) for body, x in zip(placed.bones, armature.places)])
    for k, (bone, body) in enumerate(zip(character.bones, placed.bones)):
        children = np.flatnonzero(armature.parents == k)
        start, middle = at[k], _place(body, bone.model.inertia.centre)
        ends = [at[child] for child in children] or [2 * middle - start]
        rows += [np.concatenate([start, end, [KINDS.index(bone.kind)]]) for end in ends]
    return np.array(rows)


def edges_of(placed: Any) -> Array:
    """(e, 6) ends of the edges of what touches of a skin [m]."""
    triangles: Ids = placed.skin.model.triangles if placed.proxy is None else placed.proxy.triangles
    pairs = np.sort(np.concatenate([triangles[:, [0, 1]], triangles[:, [1, 2]], triangles[:, [2, 0]]]), axis=1)
    return placed.vertices()[np.unique(pairs, axis=0)].reshape(-1, 6)


def _place(body: Any, x: Array) -> Array:
    return body.rotation @ x + body.position


def _rounded(rows: Array) -> tuple[tuple[float, ...], ...]:
    """Few digits, since they are sent as text."""
    return tuple(tuple(float(f"{value:.{DIGITS}g}") for value in row) for row in rows)
