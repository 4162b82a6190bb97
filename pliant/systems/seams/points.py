"""Points of seams in the axes of the body: y = X + warp(w) u, u = U q, w = W q ([BA13] Eq. 17)."""

from numba import njit

from pliant.errors import Ids
from pliant.skin import Points, Skin
from pliant.skin.point_kernels import pull_forces, unchain
from pliant.skin.warp import warp
from pliant.systems.seams.parts import CoupledParts
from pliant.systems.system_points import SystemPoints, system_points


def body_points(coupled: CoupledParts, points: Points) -> SystemPoints:
    """Points by the shared coordinates; all parts stand in the one frame of the body."""
    return system_points(points.in_one_frame(), coupled.reads)


def vertex_points(coupled: CoupledParts, body: Skin, vertices: Ids) -> SystemPoints:
    """A point a vertex."""
    return body_points(coupled, body.points(vertices))


@njit(cache=True, nogil=True)
def place_in_body(points, u, w, y):
    """y = X + warp(w) u; one entry a point."""
    X = points.tables.X
    for p in range(len(y)):
        warp(w[p], u[p], y[p])
        for i in range(3):
            y[p, i] += X[p, i]


@njit(cache=True, nogil=True)
def add_loads(points, u, w, forces, projection, load):
    """Add what forces (p, 3) in the axes of the body mean to q; u and w as moved."""
    for k in range(len(points.load)):
        points.load[k] = 0.0
    pull_forces(points.tables, u, w, forces, projection, points.load)
    unchain(points.load, points.ids, load)
