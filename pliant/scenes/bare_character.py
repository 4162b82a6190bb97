"""A bare mesh with bones: a character that falls on a ground below its feet."""

from typing import Any

import numpy as np

from pliant.errors import Array
from pliant.mesh import Mesh
from pliant.numerics import rotation_exponential
from pliant.scenes.standing import TURNS

DT = 0.005  # [s]: four small steps each, which hold joints and contacts
TOUCHING = 400  # vertices of its skin, at most
SLOW = 0.5  # [1/s] of damping


def as_character(part: dict[str, Any], bones: dict[str, Any], mesh: Mesh, axis: str, damping: Array) -> dict[str, Any]:
    """What a scene says of it, and its part with the bones; those that are led stay where they are until a hand comes.

    Args:
        part: its table, to which bones are added.
        mesh: its cells [m]. axis: which is up.
        damping: as for a solid that is held.
    """
    part["bones"] = bones
    if len(mesh.surface_vertices) > TOUCHING:
        part["proxy"] = TOUCHING
    turn = TURNS[axis]
    lowest = float((mesh.vertices @ rotation_exponential(np.radians(turn)).T)[:, 1].min())
    led = [name for name, kind in bones.get("kinds", {}).items() if kind == "kinematic"]
    stays = [{"time": 0.0, "turn": list(turn)}]
    said: dict[str, Any] = {
        "system": "world",
        "dt": DT,
        "damping": [SLOW, damping[1]],
        "body": [{"part": part["name"], "turn": list(turn)}],
        "ground": [{"height": float(f"{lowest:.6g}")}],
    }
    return said | {"drive": [{"body": part["name"], "bone": name, "path": stays} for name in led]} if led else said
