"""Tets for surfaces with sheets and limbs that are thinner than cells: what is surely inside, and near the rest.

    d = min(signed distance to the surface, distance to its thin triangles - thickness / 2)

A triangle is thin where the cells of the inside alone do not come near it. A shell has no inside that is sure, so all
of its triangles are.
"""

from collections.abc import Callable

import numpy as np

from pliant.errors import Array, MeshError
from pliant.mesh.enclosure import is_far
from pliant.mesh.mesh import Mesh
from pliant.mesh.stuffing import stuffed_mesh
from pliant.mesh.surface import Surface
from pliant.mesh.winding import distances, is_inside

SURE = 0.75  # winding number of what is inside without doubt


def thickened_mesh(surface: Surface, edge: float, thickness: float) -> Mesh:
    """Tets with edges of about `edge` [m]; what is thinner than they are becomes `thickness` [m] thick, and more."""

    def inside(points: Array) -> Array:
        return distances(surface, points) * np.where(is_inside(surface, points, SURE), -1, 1)

    thin = _thin(surface, inside, edge)
    if thin is None:
        return stuffed_mesh(inside, surface.bounds, edge)
    box = surface.bounds + thickness / 2 * np.array([[-1], [1]])
    return stuffed_mesh(lambda p: np.minimum(inside(p), distances(thin, p) - thickness / 2), box, edge)


def _thin(surface: Surface, inside: Callable[[Array], Array], edge: float) -> Surface | None:
    """The triangles that the cells of the inside do not come near; None where there are none."""
    try:
        cells = stuffed_mesh(inside, surface.bounds, edge)
    except MeshError:  # nothing is inside
        return surface
    corners = surface.vertices[surface.triangles]
    points = np.concatenate([corners, corners.mean(axis=1, keepdims=True)], axis=1)
    lost = is_far(cells, points.reshape(-1, 3), edge / 2).reshape(-1, 4).any(axis=1)
    return Surface(surface.vertices, surface.triangles[lost]) if lost.any() else None
