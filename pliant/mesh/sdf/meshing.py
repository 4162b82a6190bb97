"""From signed distances to meshes: cubes, tets, and the surface by marching cubes."""

from collections.abc import Callable

import numpy as np

from pliant.errors import Array, MeshError, check_number
from pliant.mesh.grid import Grid, filled_mesh
from pliant.mesh.mesh import Mesh
from pliant.mesh.packages import imported
from pliant.mesh.stuffing import stuffed_mesh
from pliant.mesh.surface import Surface

Distance = Callable[[Array], Array]


def voxels_of(distance: Distance, bounds: Array, edge: float) -> Mesh:
    """The cubes of edge `edge` [m] whose centre lies inside."""
    grid = Grid.around(bounds, check_number("edge", edge, above=0))
    return filled_mesh(grid, grid.at_centres(distance) < 0)


def tets_of(distance: Distance, bounds: Array, edge: float) -> Mesh:
    """Tets with edges of about `edge` [m], fitted to the zero level."""
    return stuffed_mesh(distance, bounds, check_number("edge", edge, above=0))


def surface_of(distance: Distance, bounds: Array, edge: float) -> Surface:
    """The zero level, outward triangles, closed."""
    igl = imported("igl", "surfaces of signed distances")
    check_number("edge", edge, above=0)
    margin = edge * np.array([[-1.5], [1.5]])  # a layer of outside all around closes the surface
    grid = Grid.around(bounds + margin, edge)
    values = grid.at_centres(distance)
    if not (values.min() < 0 < values.max()):
        raise MeshError(f"the solid has no inside at this edge length, {edge:g} m; lower edge, or check the solid")
    turned = np.ascontiguousarray(values.transpose(2, 1, 0)).ravel()  # x fastest, as libigl counts
    places = np.indices(values.shape[::-1]).reshape(3, -1)[::-1].T.astype(np.float64)
    vertices, triangles, _ = igl.marching_cubes(turned, places, *values.shape, 0.0)
    return Surface(grid.origin + edge * (vertices + 0.5), triangles)
