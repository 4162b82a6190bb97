"""Inside or outside of a triangle surface, by the generalised winding number: holes and loose triangles are fine."""

import numpy as np
from numpy.typing import NDArray

from pliant.errors import Array
from pliant.mesh.packages import imported
from pliant.mesh.surface import Surface

INSIDE = 0.5  # winding numbers are near 1 inside and near 0 outside, also where the surface has holes


def is_inside(surface: Surface, points: Array) -> NDArray[np.bool_]:
    """Which points (p, 3) the surface encloses."""
    igl = imported("igl", "telling inside from outside")
    winding = igl.fast_winding_number(surface.vertices, surface.triangles, points)
    # The sign is that of the triangles' orientation, so a surface that is inside out counts as well.
    return np.abs(winding) > INSIDE


def signed_distances(surface: Surface, points: Array) -> Array:
    """Distance (p,) [m] from points (p, 3) to the surface, negative inside."""
    igl = imported("igl", "distances to a surface")
    squared = igl.point_mesh_squared_distance(points, surface.vertices, surface.triangles)[0]
    return np.sqrt(squared) * np.where(is_inside(surface, points), -1, 1)
