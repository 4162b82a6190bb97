"""Worlds in files: their bodies, obstacles and joints."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from weakref import WeakSet

import numpy as np

from pliant.collide import Field
from pliant.errors import ArgumentError
from pliant.systems.saving import savable
from pliant.systems.world.bones.placed import dress
from pliant.systems.world.joint import Joint

if TYPE_CHECKING:
    from pliant.systems.world.world import World

savable(Field)
MANNERS = ("kind", "name", "damping", "friction", "restitution", "group")


def saved_world(world: World, fields: list[tuple[Field, float, float]]) -> dict[str, Any]:
    """What a file keeps besides the state."""
    moved = [body.name for body in world.bodies if body.path is not None]
    if moved:
        raise ArgumentError(f"{moved[0]} follows a path, which is a function, and no file can keep it; remove it first")
    if world._actuations:
        name = world._actuations[0].body.name
        raise ArgumentError(f"{name} moves itself by a function of time, which no file can keep; release it first")
    if world._muscles:
        name = world._muscles[0].skin.name
        raise ArgumentError(f"{name} has muscles, functions of time, which no file can keep; release them first")
    numbers = {id(body): k for k, body in enumerate(world.bodies)}
    joints = [
        {
            "kind": joint.kind,
            "touching": joint.touching,
            "bodies": [None if body is None else numbers[id(body)] for body in joint.bodies],
            "places": list(joint._places),
            "axis": joint._axis,
            "across": joint._across,
            "motor": [joint._speed, joint._torque],
            "limits": [None if np.isinf(limit) else limit for limit in joint._limits],
        }
        for joint in world.joints
    ]
    bodies = [{"model": body.model, **{name: getattr(body, name) for name in MANNERS}} for body in world.bodies]
    pairs = [[numbers[a], numbers[b], *given] for (a, b), given in world._pairs.items()]
    skins = [[numbers[id(body)], [numbers[id(bone)] for bone in body.bones]] for body in world.bodies if body.bones]
    kept = {
        "skins": skins,
        "bodies": bodies,
        "fields": [list(field) for field in fields],
        "joints": joints,
        "pairs": pairs,
        "moved": [k for k, body in enumerate(world.bodies) if body in world._moved],
    }
    return kept | {"slop": world.slop}


def resume_world(world: World, saved: dict[str, Any]) -> None:
    """Bodies, obstacles and joints of an empty world; the state comes later."""
    for body in saved["bodies"]:
        world.add(**{**body, "damping": tuple(body["damping"])})
    for number, bones in saved["skins"]:
        dress(world.bodies[number], tuple(world.bodies[bone] for bone in bones))
    for field, friction, restitution in saved["fields"]:
        world.obstacle(field, friction, restitution)
    for a, b, friction, restitution in saved["pairs"]:
        world.pair(world.bodies[a], world.bodies[b], friction, restitution)
    world.slop = saved["slop"]
    for given in saved["joints"]:
        a, b = (None if number is None else world.bodies[number] for number in given["bodies"])
        assert a is not None
        low, high = (sign if limit is None else limit for limit, sign in zip(given["limits"], (-np.inf, np.inf)))
        places = (np.asarray(given["places"][0]), np.asarray(given["places"][1]))
        speed, torque = given["motor"]
        joint = Joint(world, given["kind"], (a, b), places, given["axis"], speed, torque, (low, high))
        joint._across, joint.touching = given["across"], given["touching"]
        world.joints = (*world.joints, joint)
    world._moved = WeakSet(world.bodies[k] for k in saved["moved"])  # that these overlap by now is no one's mistake
