"""Bodies of a world scene that move themselves, and bones of characters that are led."""

from collections.abc import Callable, Sequence
from fnmatch import fnmatchcase
from typing import Any

import numpy as np

from pliant.errors import Ids, SceneError, SelectionError
from pliant.scenes.bodies import Body
from pliant.scenes.bone_building import clip_of
from pliant.scenes.bone_tables import DriveTable
from pliant.scenes.paths import path_of
from pliant.scenes.world_tables import ActuateTable, PatchTable
from pliant.systems import World


def actuate(world: World, bodies: Sequence[Body], table: ActuateTable) -> None:
    """Each body that the table names gets all of its muscles, balanced together; a character its patches."""
    simple: dict[str, Any] = {made.name: made for made in world.bodies}
    characters = {placed.name: placed for placed in world.characters}
    for body in bodies:
        if not fnmatchcase(body.name, table.body):
            continue
        if bool(table.patches) != (body.name in characters):
            said = "has bones, so give patches" if table.muscles else "has no bones, so give muscles"
            raise SceneError(f"{body.name} {said}, by which it moves itself")
        if table.patches:
            pulls = [_pull(table, patch) for patch in table.patches]
            patches = [_selected(body, patch.where) for patch in table.patches]
            characters[body.name].actuate(patches, pulls[: 1 if len(pulls) == 2 else None])
        else:
            ids = [_selected(body, muscle.where) for muscle in table.muscles]
            forces = [np.tile(np.array(m.force) / len(own), (len(own), 1)) for m, own in zip(table.muscles, ids)]
            simple[body.name].actuate(np.concatenate(ids), np.concatenate(forces), table.strength)


def _selected(body: Body, where: str) -> Ids:
    ids = body.shape.select(where)
    if not len(ids):
        raise SelectionError(f"actuate where = {where!r} selects no vertex of {body.shape}")
    return ids


def _pull(table: ActuateTable, patch: PatchTable) -> Callable[[float], float]:
    return lambda time: patch.pull * table.strength(time, patch.phase)


def lead(world: World, bodies: Sequence[Body], table: DriveTable) -> None:
    """Each character that the table names has that bone led, or by a clip all that are kinematic."""
    named = {body.name: body for body in bodies}
    for placed in world.characters:
        if fnmatchcase(placed.name, table.body):
            body = named[placed.name]
            way: Any = path_of(table.path) if table.path else clip_of(body.part.bones, str(table.clip), body.folder)
            if table.bone is None:
                placed.play(way)
            else:
                placed.drive(table.bone, way)
