"""Regular grids: hex cells of the filled voxels, and bricks cut into tets that fit together."""

import numpy as np
from numpy.typing import NDArray

from pliant.errors import Ids

# VTK corner order of a brick, each corner as its steps along x, y, z.
_CORNERS = np.array([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0], [0, 0, 1], [1, 0, 1], [1, 1, 1], [0, 1, 1]])

# Kuhn's six tets: paths from corner 000 to corner 111, as VTK corners, oriented to positive volume.
# In the numbering c = 4 dx + 2 dy + dz they are 0-4-6-7, 0-4-7-5, 0-2-7-6, 0-2-3-7, 0-1-5-7, 0-1-7-3.
_KUHN = np.array([[0, 1, 2, 6], [0, 1, 6, 5], [0, 3, 6, 2], [0, 3, 7, 6], [0, 4, 5, 6], [0, 4, 6, 7]])


def grid_cells(filled: NDArray[np.bool_]) -> Ids:
    """Hexes (m, 8) of the filled voxels of a (nx, ny, nz) grid; ids count all (nx+1)(ny+1)(nz+1) grid points, z fastest."""
    _, ny, nz = filled.shape
    strides = np.array([(ny + 1) * (nz + 1), nz + 1, 1])
    return (np.argwhere(filled) @ strides)[:, None] + _CORNERS @ strides


def cells_to_tets(hexes: Ids) -> Ids:
    """Six tets a brick (6 m, 4); neighbouring bricks of a grid agree on the diagonals of the faces they share."""
    return hexes[:, _KUHN].reshape(-1, 4)
