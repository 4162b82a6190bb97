"""Bodies of a scene file one by one: a table with a grid means many, each with a name and a place of its own."""

from typing import Any

import numpy as np

from pliant.numerics import rotation_exponential, rotation_logarithm
from pliant.scenes.place_tables import BodyTable
from pliant.scenes.tables import RESERVED


def names_of(bodies: list[BodyTable]) -> list[str]:
    """Of all copies."""
    return [copy.label for body in bodies for copy in copies_of(body)]


def copies_of(body: BodyTable) -> list[BodyTable]:
    """The bodies that a table means: itself, or one in every place of its grid."""
    if body.places is None:
        return [body]
    nx, ny, nz = body.places
    places = np.array([(i, j, k) for j in range(ny) for k in range(nz) for i in range(nx)][: body.count], dtype=float)
    random = np.random.default_rng(body.seed)
    off = random.uniform(-body.jitter, body.jitter, places.shape)
    turns = random.normal(size=places.shape)
    turns *= random.uniform(0, body.jitter_turn, (len(turns), 1)) / np.linalg.norm(turns, axis=1, keepdims=True)
    R = rotation_exponential(np.radians(body.turn))
    copies = []
    for number, (place, turn) in enumerate(zip(places * body.spacing + off + body.at, turns)):
        axis = np.degrees(rotation_logarithm(rotation_exponential(np.radians(turn)) @ R))
        own = {"name": f"{body.label} {number}", "at": tuple(place.tolist()), "grid": None, "spacing": None}
        if body.jitter_turn:
            own["turn"] = tuple(axis.tolist())
        copies.append(body.model_copy(update={**own, "count": None}))
    return copies


def with_part_names(document: Any) -> Any:
    """A scene file in which parts have names, and bodies and places name them: as read, parts may be numbered."""
    if not isinstance(document, dict) or not isinstance(document.get("part"), list):
        return document
    several = len(document["part"]) > 1
    parts = [
        {"name": f"part {k}", **part} if several and isinstance(part, dict) else part
        for k, part in enumerate(document["part"])
    ]
    said = {**document, "part": parts}
    for kind in ("body", "place"):
        if isinstance(document.get(kind), list):
            said[kind] = [_named(table, parts, f"{kind}[{k}]") for k, table in enumerate(document[kind])]
    return said


def _named(table: Any, parts: list[Any], place: str) -> Any:
    number = table.get("part") if isinstance(table, dict) else None
    if not isinstance(number, int) or isinstance(number, bool):
        return table
    if not 0 <= number < len(parts):
        raise ValueError(f"{place}.part is {number}; there are {len(parts)} parts, counted from 0")
    part = parts[number]
    return {**table, "part": part.get("name", "part")} if isinstance(part, dict) else table


def check_bodies(bodies: list[BodyTable], parts: list[str]) -> None:
    """Every body names a part, and has a name of its own."""
    seen: set[str] = set()
    for number, body in enumerate(bodies):
        if body.part not in parts:
            raise ValueError(f"body[{number}].part {body.part!r} is none of the parts {', '.join(parts)}")
        if set(body.label) & set(RESERVED):
            raise ValueError(f"body[{number}] is called {body.label!r}; leave out signs that selections use")
        for name in names_of([body]):
            if name in seen:
                raise ValueError(f"two bodies are called {name!r}; give body[{number}] another name")
            seen.add(name)
