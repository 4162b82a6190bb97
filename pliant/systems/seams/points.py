"""Points of seams: all parts stand in the one frame of the body ([BA13] Eq. 17)."""

from pliant.errors import Ids
from pliant.skin import Points, Skin
from pliant.systems.seams.parts import CoupledParts
from pliant.systems.system_points import SystemPoints, system_points


def body_points(coupled: CoupledParts, points: Points) -> SystemPoints:
    """Points by the shared coordinates; all parts stand in the one frame of the body."""
    return system_points(points.in_one_frame(), coupled.reads)


def vertex_points(coupled: CoupledParts, body: Skin, vertices: Ids) -> SystemPoints:
    """A point a vertex."""
    return body_points(coupled, body.points(vertices))
