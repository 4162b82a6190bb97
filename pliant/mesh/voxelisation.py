"""Fill a triangle surface with cubes: the generalised winding number decides what is inside, so a soup is fine."""

import numpy as np
from numpy.typing import NDArray

from pliant.errors import Array, check_choice, check_count
from pliant.mesh.grid import Grid, filled_mesh
from pliant.mesh.mesh import Mesh
from pliant.mesh.packages import imported
from pliant.mesh.pieces import PIECES, kept_pieces
from pliant.mesh.surface import Surface
from pliant.mesh.surface_input import SurfaceLike, as_surface

INSIDE = 0.5  # winding numbers are near 1 inside and near 0 outside, also where the surface has holes


def voxelise(surface: SurfaceLike, resolution: int = 64, keep: str = "largest") -> Mesh:
    """The cubes whose centre lies inside the surface.

    Args:
        surface: a Surface, a path, or (vertices, triangles); holes, overlaps and loose triangles are fine.
        resolution: number of cubes along the longest side of the surface's bounding box, 1 to 400.
        keep: "largest" leaves out all face-connected pieces but the largest, with a warning; "all" keeps them.

    Returns:
        Hex mesh of equal cubes.
    """
    check_choice("keep", keep, PIECES)
    check_count("resolution", resolution, at_most=400)
    triangles = as_surface(surface)
    edge = float(np.ptp(triangles.bounds, axis=0).max()) / resolution
    return kept_pieces(filled_mesh(*filled_grid(triangles, edge)), keep)


def filled_grid(surface: Surface, edge: float) -> tuple[Grid, NDArray[np.bool_]]:
    """A grid of cubes of edge `edge` [m] around the surface, and which of them lie inside (nx, ny, nz)."""
    grid = Grid.around(surface.bounds, edge)
    return grid, grid.at_centres(lambda centres: is_inside(surface, centres))


def is_inside(surface: Surface, points: Array) -> NDArray[np.bool_]:
    """Which points (p, 3) the surface encloses."""
    igl = imported("igl", "telling inside from outside", "libigl")
    winding = igl.fast_winding_number(surface.vertices, surface.triangles, points)
    # The sign is that of the triangles' orientation, so a surface that is inside out counts as well.
    return np.abs(winding) > INSIDE


def signed_distances(surface: Surface, points: Array) -> Array:
    """Distance (p,) [m] from points (p, 3) to the surface, negative inside."""
    igl = imported("igl", "distances to a surface", "libigl")
    squared = igl.point_mesh_squared_distance(points, surface.vertices, surface.triangles)[0]
    return np.sqrt(squared) * np.where(is_inside(surface, points), -1, 1)
