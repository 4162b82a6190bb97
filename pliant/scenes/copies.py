"""Bodies of a scene file one by one: a table with a grid means many, each with a name and a place of its own."""

import numpy as np

from pliant.numerics import rotation_exponential, rotation_logarithm
from pliant.scenes.place_tables import BodyTable
from pliant.scenes.tables import SELECTING


def names_of(bodies: list[BodyTable]) -> list[str]:
    """Of all copies."""
    return [copy.label for body in bodies for copy in copies_of(body)]


def copies_of(body: BodyTable) -> list[BodyTable]:
    """The bodies that a table means: itself, or one in every place of its grid."""
    if body.grid is None:
        return [body]
    nx, ny, nz = body.grid
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


def check_bodies(bodies: list[BodyTable], parts: list[str]) -> None:
    """Every body names a part, and has a name of its own."""
    seen: set[str] = set()
    for number, body in enumerate(bodies):
        if body.part not in parts:
            raise ValueError(f"body[{number}].part {body.part!r} is none of the parts {', '.join(parts)}")
        if set(body.label) & set(SELECTING + ":*?["):
            raise ValueError(f"body[{number}] is called {body.label!r}; leave out signs that selections use")
        for name in names_of([body]):
            if name in seen:
                raise ValueError(f"two bodies are called {name!r}; give body[{number}] another name")
            seen.add(name)
