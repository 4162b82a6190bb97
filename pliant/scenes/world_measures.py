"""What checks ask of a world: depths of bodies in each other, gaps of joints, how bodies lean, and what bears them."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from pliant.collide import Contacts, Field, Surfaces, collision_shape, contacts_for, find_contacts, refit, surfaces_of
from pliant.collide.distance import signed_distances
from pliant.errors import Array, Ids
from pliant.mesh.normals import unit
from pliant.scenes.field_building import depths_in
from pliant.scenes.world_dressing import drawn_triangles
from pliant.systems import World

ROOM = 1024  # contacts, to begin with
MOVING = ("free", "held", "system", "skin")


@dataclass(eq=False)
class Depths:
    """Of a world, against its surfaces and fields; what is placed where it is, found anew."""

    world: World
    fields: Sequence[Field]

    def __repr__(self) -> str:
        return f"Depths({self.world}, {len(self.fields)} fields)"

    @cached_property
    def _surfaces(self) -> Surfaces:
        models = list({id(body.model): body.model for body in self.world.bodies}.values())
        number = {id(model): k for k, model in enumerate(models)}
        self._shapes = [collision_shape(model.X, drawn_triangles(model)) for model in models]
        surfaces = surfaces_of(self._shapes, [number[id(body.model)] for body in self.world.bodies])
        surfaces.reach[[shape.closed for shape in self._shapes]] = np.inf  # steps look near surfaces alone
        return surfaces

    def deepest(self) -> float:
        """How deep a vertex is in a field, such as the ground, or a point of a surface in another one, at most [m]."""
        x = [body.vertices() for body in self.world.bodies]
        return max(0.0, self._below(x), self._inside(x))

    def _below(self, x: Sequence[Array]) -> float:
        moving = [places for places, body in zip(x, self.world.bodies) if body.kind in MOVING and not body.is_bone]
        return max((float(depths_in(field, places).max()) for field in self.fields for places in moving), default=0.0)

    def _inside(self, x: Sequence[Array]) -> float:
        surfaces, bodies = self._surfaces, self.world.bodies
        placed = np.concatenate([places[self._shapes[k].ids] for places, k in zip(x, surfaces.shape)])
        refit(surfaces, placed)
        room = ROOM
        while True:
            contacts = contacts_for(room)
            count = find_contacts(surfaces, placed, np.zeros(len(bodies)), self.world.may_touch, contacts)
            if count <= room:
                return self._deepest_of(placed, contacts, np.flatnonzero(contacts.gap[:count] < 0))
            room = 2 * count

    def _deepest_of(self, placed: Array, contacts: Contacts, chosen: Ids) -> float:
        """Below the nearest face, whichever way it looks, while contacts go by faces that oppose."""
        deepest = 0.0
        for b in np.unique(contacts.body[chosen, 1]):
            points = np.ascontiguousarray(contacts.point[chosen[contacts.body[chosen, 1] == b]])
            distance, nearest = np.zeros(len(points)), np.zeros(len(points), np.int64)
            signed_distances(self._surfaces, placed, b, points, nearest, distance)
            deepest = max(deepest, -float(distance.min()))
        return deepest


def widest_gap(world: World) -> float:
    """Of all joints [m]."""
    return max((joint.gap for joint in world.joints), default=0.0)


def deepest_fold(world: World) -> float:
    """How deep contacts of skins with themselves are at most, in the last small step [m]."""
    report = world.contacts()
    first, second = report.bodies.T
    return max(0.0, float(report.depths[first == second].max(initial=0.0)))


def edge_angles(world: World) -> list[Array]:
    """Of every skin the angles (e,) between the faces that meet in its edges [degrees]."""
    found = []
    for placed in world.characters:
        triangles = drawn_triangles(placed.skin.model)
        x = placed.vertices()[triangles]
        normals = unit(np.cross(x[:, 1] - x[:, 0], x[:, 2] - x[:, 0]))
        a, b = _neighbours(triangles)
        found.append(np.degrees(np.arccos(np.clip((normals[a] * normals[b]).sum(axis=1), -1, 1))))
    return found


def _neighbours(triangles: Ids) -> tuple[Ids, Ids]:
    """Pairs of triangles that share an edge, in an order that is that of the edges."""
    edges = np.sort(triangles[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2), axis=1)
    order = np.lexsort(edges.T)
    alike = np.flatnonzero((edges[order[1:]] == edges[order[:-1]]).all(axis=1))
    return order[alike] // 3, order[alike + 1] // 3


def volumes(world: World) -> Array:
    """(b,) inside the surfaces of all that moves [m^3]: sum over triangles of a . (b x c) / 6."""
    soft = [body for body in world.bodies if body.kind in MOVING and not body.is_bone]
    corners = [body.vertices()[drawn_triangles(body.model)] for body in soft]
    return np.array([np.einsum("ti,ti->", x[:, 0], np.cross(x[:, 1], x[:, 2])) / 6 for x in corners])


def contact_forces(world: World) -> dict[str, Array]:
    """(3,) of all that touches each body, in the last small step [N], by name."""
    report, total = world.contacts(), np.zeros((len(world.bodies) + 1, 3))
    first, second = report.bodies.T
    np.add.at(total, first, report.forces)
    np.subtract.at(total, np.where(second < 0, len(world.bodies), second), report.forces)
    return {body.name: force for body, force in zip(world.bodies, total)}


def rotations(world: World) -> dict[str, Array]:
    """(3, 3) of all bodies by name."""
    return {body.name: body.rotation for body in world.bodies}


def tilts(before: dict[str, Array], now: dict[str, Array]) -> dict[str, float]:
    """Angles [degrees] between what was upward in each body and what is."""
    upward = {name: float((now[name] @ R.T)[1, 1]) for name, R in before.items() if name in now}
    return {name: float(np.degrees(np.arccos(np.clip(cosine, -1, 1)))) for name, cosine in upward.items()}
