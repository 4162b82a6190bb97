"""Grounds and exact obstacles of a scene as analytic fields, and how deep points are in them."""

from collections.abc import Callable

import numpy as np

from pliant.collide import Field, box, capsule, plane, sphere
from pliant.collide.fields import BOX, CAPSULE, PLANE
from pliant.errors import Array
from pliant.numerics import rotation_exponential
from pliant.scenes.schema import SceneFile
from pliant.scenes.world_tables import GroundTable, ObstacleTable


def ground_field(table: GroundTable) -> Field:
    """A plane at its height along its normal."""
    n = np.array(table.normal)
    return plane(table.height * n / np.linalg.norm(n), n)


def obstacle_field(table: ObstacleTable) -> Field:
    """The shape of an obstacle where it stands."""
    assert table.shape is not None
    R, at, given = rotation_exponential(np.radians(table.turn)), np.array(table.at), dict(table.shape)
    makers: dict[str, Callable[..., Field]] = {
        "plane": lambda: plane(at, R[:, 1]),
        "box": lambda size: box(size, at, R),
        "sphere": lambda radius: sphere(radius, at),
        "capsule": lambda radius, length: capsule(radius, length, at, R),
    }
    return makers[given.pop("name")](**given)


def is_field(table: ObstacleTable) -> bool:
    """Is it touched as a formula?"""
    return table.exact or table.is_plane


def fields_of_scene(scene: SceneFile) -> list[Field]:
    """All that stands in a scene and has no surface."""
    return [*map(ground_field, scene.ground), *(obstacle_field(table) for table in scene.obstacle if is_field(table))]


def depths_in(field: Field, x: Array) -> Array:
    """(n,) how deep points (n, 3) are in it [m]; negative outside."""
    p, size = (x - field.t) @ field.R, field.size
    if field.kind == PLANE:
        return -p[:, 1]
    if field.kind == BOX:
        beyond = np.abs(p) - size
        depths: Array = -np.linalg.norm(np.maximum(beyond, 0), axis=1) - np.minimum(beyond.max(axis=1), 0)
        return depths
    if field.kind == CAPSULE:
        p = p - np.clip(p[:, 1:2], -size[1], size[1]) * np.array([0.0, 1.0, 0.0])
    inside: Array = size[0] - np.linalg.norm(p, axis=1)
    return inside
