"""Regular grids of cubes: where their centres and corners lie, and the mesh of the filled ones."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pliant.errors import ArgumentError, Array, Ids, MeshError
from pliant.mesh.mesh import Mesh

MAX_VOXELS = 100_000_000
CHUNK = 1_000_000  # points that a function is given at once, because it makes several arrays of that size

# VTK corner order of a brick, each corner as its steps along x, y, z.
_CORNERS = np.array([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0], [0, 0, 1], [1, 0, 1], [1, 1, 1], [0, 1, 1]])

# Kuhn's six paths from corner 000 to corner 111, as VTK corners; two of each odd path are swapped for positive volume.
# In the numbering c = 4 dx + 2 dy + dz they are 0-4-6-7, 0-4-5-7, 0-2-6-7, 0-2-3-7, 0-1-5-7, 0-1-3-7.
_KUHN = np.array([[0, 1, 2, 6], [0, 1, 6, 5], [0, 3, 6, 2], [0, 3, 7, 6], [0, 4, 5, 6], [0, 4, 6, 7]])


@dataclass(frozen=True)
class Grid:
    """Cubes of edge `edge` [m] from the corner `origin` (3,), `counts` of them along x, y, z."""

    origin: Array
    edge: float
    counts: tuple[int, int, int]

    @staticmethod
    def around(bounds: Array, edge: float) -> "Grid":
        """The smallest grid of cubes that covers a box (2, 3) and has its centre."""
        lengths = np.maximum(np.ceil((bounds[1] - bounds[0]) / edge - 1e-9), 1)
        if np.prod(lengths) > MAX_VOXELS:
            raise ArgumentError(
                f"a grid may have {MAX_VOXELS:.0e} cubes; {np.prod(lengths):.1e} are asked for: coarsen it"
            )
        counts = tuple(lengths.astype(int).tolist())
        return Grid(bounds.mean(axis=0) - lengths * edge / 2, edge, counts)

    def at_centres(self, function: Callable[[Array], NDArray[Any]]) -> NDArray[Any]:
        """Values (nx, ny, nz) of a function (p, 3) -> (p,) at the centres of the cubes, computed in chunks."""
        slabs = max(1, CHUNK // (self.counts[1] * self.counts[2]))
        starts = range(0, self.counts[0], slabs)
        values = [function(self.centres(start, min(start + slabs, self.counts[0]))) for start in starts]
        return np.concatenate(values).reshape(self.counts)

    def centres(self, start: int = 0, stop: int | None = None) -> Array:
        """Centres (p, 3) of the cubes `start` to `stop` along x, z fastest."""
        steps = np.indices((len(range(self.counts[0])[start:stop]), *self.counts[1:])).reshape(3, -1).T
        return self.origin + self.edge * (steps + np.array([start + 0.5, 0.5, 0.5]))

    def corners(self, ids: Ids) -> Array:
        """Positions (p, 3) of grid points by their number, z fastest."""
        steps = np.stack(np.unravel_index(ids, [count + 1 for count in self.counts]), axis=1)
        return self.origin + self.edge * steps


def filled_mesh(grid: Grid, filled: NDArray[np.bool_], kind: str = "hex") -> Mesh:
    """The filled cubes (nx, ny, nz) as hexes, or for kind "tet" as six tets each."""
    if not filled.any():
        raise MeshError("no cube of the grid lies inside the surface; refine the grid, or close and orient the surface")
    cells = grid_cells(filled)
    used = np.unique(cells)
    cells = np.searchsorted(used, cells)
    return Mesh(grid.corners(used), cells if kind == "hex" else kuhn_tets(cells))


def grid_cells(filled: NDArray[np.bool_]) -> Ids:
    """Hexes (m, 8) of the filled cubes (nx, ny, nz); their ids count all (nx+1)(ny+1)(nz+1) grid points, z fastest."""
    _, ny, nz = filled.shape
    strides = np.array([(ny + 1) * (nz + 1), nz + 1, 1])
    return (np.argwhere(filled) @ strides)[:, None] + _CORNERS @ strides


def kuhn_tets(cubes: Ids) -> Ids:
    """Six tets a cube (6 m, 4); neighbouring cubes of a grid agree on the diagonals of the faces they share."""
    return cubes[:, _KUHN].reshape(-1, 4)
