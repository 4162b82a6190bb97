"""Bodies that start inside each other: contacts would throw them apart."""

from collections.abc import Collection, Sequence

import numpy as np

from pliant.collide.distance import signed_distances
from pliant.errors import ArgumentError, Array
from pliant.systems.world.body import Body
from pliant.systems.world.building import triangles_of
from pliant.systems.world.record import WorldRecord

OVERLAP = 0.1  # of the least extent of the smaller body: more is refused


def refuse_overlap(made: WorldRecord, bodies: Sequence[Body], known: Collection[Body]) -> None:
    """One sentence about the deepest pair, by contacts that were found however deep they are.

    Args:
        known: bodies that have moved already: what they do to each other is no one's mistake.
    """
    depths, aligned, extent = _depths(made), dict[tuple[int, int], int](), _least_extents(bodies)
    for c, (a, b) in enumerate(made.contacts.body[: len(depths)]):
        if bodies[a] in known and (b < 0 or bodies[b] in known):
            depths[c] = 0.0
        elif b >= 0 and depths[c] <= OVERLAP * min(extent[a], extent[b]) < -made.contacts.gap[c]:
            aligned.setdefault((int(a), int(b)), c)
    for (a, b), c in aligned.items():
        depths[c] = max(_depth_of_middles(made, bodies, a, b), _depth_of_middles(made, bodies, b, a))
    for c in np.argsort(-depths)[:1]:
        a, b = made.contacts.body[c]
        other = bodies[b].name if b >= 0 else "the ground or an obstacle"
        if depths[c] > OVERLAP * (min(extent[a], extent[b]) if b >= 0 else extent[a]):
            raise ArgumentError(
                f"{bodies[a].name} and {other} overlap by {depths[c]:.3g} m; move them apart, or give bodies that may "
                "overlap the same group"
            )


def _least_extents(bodies: Sequence[Body]) -> list[float]:
    """Of every body [m]."""
    models = {id(body.model): body.model for body in bodies}
    found = {key: float(np.ptp(model.X, axis=0).min()) for key, model in models.items()}
    return [found[id(body.model)] for body in bodies]


def _depth_of_middles(made: WorldRecord, bodies: Sequence[Body], a: int, b: int) -> float:
    """How deep the middles of triangles of a are in b [m].

    Boxes that stand in a row have no other point inside each other: those that touch all lie on edges.
    """
    points = np.ascontiguousarray(bodies[a].vertices()[triangles_of(bodies[a].model)].mean(axis=1))
    distance = np.zeros(len(points))
    signed_distances(made.surfaces, made.x, b, points, np.zeros(len(points), np.int64), distance)
    return float(-distance.min())


def _depths(made: WorldRecord) -> Array:
    """(k,) of all contacts [m]: to the nearest face, whichever way it looks, while contacts go by faces that oppose."""
    contacts, count = made.contacts, int(made.found[0])
    depths = -contacts.gap[:count]
    for b in np.unique(contacts.body[:count, 1]):
        if b >= 0:
            of_b = np.flatnonzero(contacts.body[:count, 1] == b)
            distance = np.zeros(len(of_b))
            points = np.ascontiguousarray(contacts.point[of_b])
            signed_distances(made.surfaces, made.x, b, points, np.zeros(len(of_b), np.int64), distance)
            depths[of_b] = -distance
    return depths
