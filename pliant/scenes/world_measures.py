"""What checks ask of a world: how deep bodies are in each other, how wide joints gape, how bodies lean."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from pliant.collide import Surfaces, collision_shape, contacts_for, find_contacts, refit, surfaces_of
from pliant.errors import Array
from pliant.scenes.world_dressing import drawn_triangles
from pliant.scenes.world_tables import GroundTable
from pliant.systems import World

ROOM = 1024  # contacts, to begin with
MOVING = ("free", "held")


@dataclass(eq=False)
class Depths:
    """Of a world, against its surfaces and the ground; what is placed where it is, found anew."""

    world: World
    grounds: Sequence[GroundTable]

    def __repr__(self) -> str:
        return f"Depths({self.world}, {len(self.grounds)} grounds)"

    @cached_property
    def _surfaces(self) -> Surfaces:
        models = list({id(body.model): body.model for body in self.world.bodies}.values())
        number = {id(model): k for k, model in enumerate(models)}
        self._shapes = [collision_shape(model.X, drawn_triangles(model)) for model in models]
        return surfaces_of(self._shapes, [number[id(body.model)] for body in self.world.bodies])

    def deepest(self) -> float:
        """How deep a vertex is in the ground, or a point of a surface in another one, at most [m]."""
        x = [body.vertices() for body in self.world.bodies]
        return max(0.0, self._below(x), self._inside(x))

    def _below(self, x: Sequence[Array]) -> float:
        moving = [places for places, body in zip(x, self.world.bodies) if body.kind in MOVING]
        depths = [0.0]
        for ground in self.grounds:
            n = np.array(ground.normal) / np.linalg.norm(ground.normal)
            depths += [ground.height - float((places @ n).min()) for places in moving]
        return max(depths)

    def _inside(self, x: Sequence[Array]) -> float:
        surfaces, bodies = self._surfaces, self.world.bodies
        placed = np.concatenate([places[self._shapes[k].ids] for places, k in zip(x, surfaces.shape)])
        refit(surfaces, placed)
        room = ROOM
        while True:
            contacts = contacts_for(room)
            count = find_contacts(surfaces, placed, np.zeros(len(bodies)), self._may_touch, contacts)
            if count <= room:
                return -float(contacts.gap[:count].min(initial=0.0))
            room = 2 * count

    @cached_property
    def _may_touch(self) -> Array:
        groups = np.array([body.group for body in self.world.bodies])
        moves = np.array([body.kind in MOVING for body in self.world.bodies])
        apart = (groups[:, None] != groups) | (groups[:, None] == 0)
        return (apart & (moves[:, None] | moves)).astype(np.uint8)


def widest_gap(world: World) -> float:
    """Of all joints [m]."""
    return max((joint.gap for joint in world.joints), default=0.0)


def rotations(world: World) -> dict[str, Array]:
    """(3, 3) of all bodies by name."""
    return {body.name: body.rotation for body in world.bodies}


def tilts(before: dict[str, Array], now: dict[str, Array]) -> dict[str, float]:
    """Angles [degrees] between what was upward in each body and what is."""
    upward = {name: float((now[name] @ R.T)[1, 1]) for name, R in before.items() if name in now}
    return {name: float(np.degrees(np.arccos(np.clip(cosine, -1, 1)))) for name, cosine in upward.items()}
