"""Fill a triangle surface with cubes: the generalised winding number decides what is inside, so a soup is fine."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pliant.errors import check_choice, check_count
from pliant.mesh.grid import Grid, filled_mesh
from pliant.mesh.mesh import Mesh
from pliant.mesh.orders import of_order
from pliant.mesh.pieces import PIECES, kept_pieces
from pliant.mesh.surface import Surface
from pliant.mesh.surface_input import SurfaceLike, as_surface
from pliant.mesh.winding import is_inside


def voxelise(surface: SurfaceLike, resolution: int = 64, keep: str = "largest", order: int = 1) -> Mesh:
    """The cubes whose centre lies inside the surface.

    Args:
        surface: a Surface, a path, or (vertices, triangles); holes, overlaps and loose triangles are fine.
        resolution: number of cubes along the longest side of the surface's bounding box, 1 to 400.
        keep: "largest" leaves out all face-connected pieces but the largest, with a warning; "all" keeps them.
        order: 2 makes the cubes quadratic (hex20), which bend where linear ones are stiff.

    Returns:
        Hex mesh of equal cubes.
    """
    check_choice("keep", keep, PIECES)
    check_count("resolution", resolution, at_most=400)
    check_count("order", order, at_most=2)
    triangles = as_surface(surface)
    edge = float(np.ptp(triangles.bounds, axis=0).max()) / resolution
    return of_order(kept_pieces(filled_mesh(*filled_grid(triangles, edge)), keep), order)


def filled_grid(surface: Surface, edge: float) -> tuple[Grid, NDArray[np.bool_]]:
    """A grid of cubes of edge `edge` [m] around the surface, and which of them lie inside (nx, ny, nz)."""
    grid = Grid.around(surface.bounds, edge)
    return grid, grid.at_centres(lambda centres: is_inside(surface, centres))
