"""Inside or outside of a triangle surface, by the generalised winding number: holes and loose triangles are fine."""

import numpy as np
from numpy.typing import NDArray

from pliant.errors import Array, Ids
from pliant.mesh.packages import imported
from pliant.mesh.surface import Surface

INSIDE = 0.5  # winding numbers are near 1 inside and near 0 outside, also where the surface has holes


def is_inside(surface: Surface, points: Array, sure: float = INSIDE) -> NDArray[np.bool_]:
    """Which points (p, 3) the surface encloses; `sure` is the winding number that this takes."""
    return winding_numbers(surface, points) > sure


def winding_numbers(surface: Surface, points: Array) -> Array:
    """How often the surface goes around points (p, 3); one that is inside out counts as well."""
    igl = imported("igl", "telling inside from outside")
    centre = surface.bounds.mean(axis=0)  # far from the origin digits are lost
    return np.abs(igl.fast_winding_number(surface.vertices - centre, surface.triangles, points - centre))


def distances(surface: Surface, points: Array) -> Array:
    """Distance (p,) [m] from points (p, 3) to the surface."""
    return nearest_triangles(surface, points)[0]


def nearest_triangles(surface: Surface, points: Array) -> tuple[Array, Ids]:
    """Distance (p,) [m] from points (p, 3) to the surface, and the triangle (p,) that is so near."""
    igl = imported("igl", "distances to a surface")
    squared, triangles, _ = igl.point_mesh_squared_distance(points, surface.vertices, surface.triangles)
    return np.sqrt(squared), triangles


def signed_distances(surface: Surface, points: Array) -> Array:
    """Distance (p,) [m] from points (p, 3) to the surface, negative inside."""
    return distances(surface, points) * np.where(is_inside(surface, points), -1, 1)
