"""Fill a triangle surface with cubes: the generalised winding number decides what is inside, so a soup is fine."""

import numpy as np
from numpy.typing import NDArray

from pliant.errors import check_choice, check_count
from pliant.mesh.grid import PARTS, Grid, filled_mesh
from pliant.mesh.mesh import Mesh
from pliant.mesh.packages import imported
from pliant.mesh.surface import Surface
from pliant.mesh.surface_input import SurfaceLike, as_surface

INSIDE = 0.5  # winding numbers are near 1 inside and near 0 outside, also where the surface has holes


def voxelise(surface: SurfaceLike, resolution: int = 64, keep: str = "largest") -> Mesh:
    """The cubes whose centre lies inside the surface.

    Args:
        surface: a Surface, a path, or (vertices, triangles); holes, overlaps and loose triangles are fine.
        resolution: number of cubes along the longest side of the surface's bounding box, 1 to 500.
        keep: "largest" leaves out all face-connected pieces but the largest, with a warning; "all" keeps them.

    Returns:
        Hex mesh of equal cubes.
    """
    check_choice("keep", keep, PARTS)
    check_count("resolution", resolution, at_most=500)
    triangles = as_surface(surface)
    edge = float(np.ptp(triangles.bounds, axis=0).max()) / resolution
    grid, filled = filled_grid(triangles, edge)
    return filled_mesh(grid, filled, keep=keep)


def filled_grid(surface: Surface, edge: float) -> tuple[Grid, NDArray[np.bool_]]:
    """A grid of cubes of edge `edge` [m] around the surface, and which of them lie inside (nx, ny, nz)."""
    igl = imported("igl", "telling inside from outside", "libigl")
    grid = Grid.around(surface.bounds, edge)
    centres = np.concatenate([grid.slab_centres(i) for i in range(grid.counts[0])])
    winding = igl.fast_winding_number(surface.vertices, surface.triangles, centres)
    # The sign is that of the triangles' orientation, so a surface that is inside out counts as well.
    return grid, (np.abs(winding) > INSIDE).reshape(grid.counts)
