"""Tets of good shape that follow a signed distance: a regular lattice, its outer layer fitted to the surface.

After Labelle and Shewchuk, "Isosurface Stuffing" (2007), on the body-centred cubic lattice: lattice points close to the
surface are moved onto it, then the tets that still cross it are cut.
"""

from collections.abc import Callable
from itertools import product

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import binary_dilation

from pliant.errors import Array, Ids, MeshError
from pliant.mesh.cell_kinds import TET, signed_volumes
from pliant.mesh.grid import Grid, grid_cells
from pliant.mesh.mesh import Mesh
from pliant.mesh.topology import cell_faces, same_rows, unique_edges

SNAP = 0.3  # a lattice point moves to a crossing this close, as a fraction of the edge; the paper has 0.25 to 0.41

# What is inside of a tet, by its numbers of corners inside and outside. The corners are sorted: inside, on, outside the
# surface, and by id; a pair is the crossing on that edge. Quads are cut from their first inside corner, so that
# neighbouring tets agree.
_INSIDE: dict[tuple[int, int], list[tuple]] = {
    (1, 1): [(0, 1, 2, (0, 3))],
    (1, 2): [(0, 1, (0, 2), (0, 3))],
    (1, 3): [(0, (0, 1), (0, 2), (0, 3))],
    (2, 1): [(2, 0, 1, (1, 3)), (2, 0, (1, 3), (0, 3))],
    (2, 2): [(0, 1, (1, 2), (1, 3)), (0, (0, 2), (1, 2), (1, 3)), (0, (0, 2), (0, 3), (1, 3))],
    (3, 1): [(0, 1, 2, (2, 3)), (0, 1, (1, 3), (2, 3)), (0, (0, 3), (1, 3), (2, 3))],
}


def stuffed_mesh(distance: Callable[[Array], Array], bounds: Array, edge: float) -> Mesh:
    """Tets with edges of about `edge` [m] that fill distance < 0 in a box (2, 3)."""
    grid = Grid.around(bounds + edge * np.array([[-1], [1]]), edge)
    points, values, tets = _lattice(grid, distance)
    tets = tets[(values[tets] < 0).any(axis=1)]
    if len(tets):
        points, tets = _cut(*_snapped(points, values, unique_edges(tets)), tets)
    if len(tets) == 0:
        raise MeshError(f"the solid has no inside at this edge length, {edge:g} m; lower edge, or check the solid")
    return solid_of_tets(points, tets)


def solid_of_tets(points: Array, tets: Ids) -> Mesh:
    """Mesh of tets in any orientation, without the points they do not use."""
    flipped = signed_volumes(points[tets]) < 0
    tets[flipped] = tets[flipped][:, TET.mirrored]
    used = np.unique(tets)
    return Mesh(points[used], np.searchsorted(used, tets))


def _lattice(grid: Grid, distance: Callable[[Array], Array]) -> tuple[Array, Array, Ids]:
    """Points, values and tets: four tets around each line between the centres of neighbouring cubes near the solid."""
    corners = grid.corners(np.arange(np.prod(np.array(grid.counts) + 1)))
    at_corners, at_centres = distance(corners), grid.at_centres(distance)
    near = _near_cubes(at_corners.reshape([count + 1 for count in grid.counts]) < 0, at_centres < 0)
    faces = cell_faces(grid_cells(near))
    first, second = same_rows(faces)
    centre_ids = len(corners) + np.flatnonzero(near)
    a, b = centre_ids[first // 6], centre_ids[second // 6]
    tets = [np.stack([a, b, faces[first, i], faces[first, (i + 1) % 4]], axis=1) for i in range(4)]
    points = np.concatenate([corners, grid.centres()])
    return points, np.concatenate([at_corners, at_centres.ravel()]), np.concatenate(tets)


def _near_cubes(corner_inside: NDArray[np.bool_], centre_inside: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Cubes (nx, ny, nz) with a corner or the centre inside, and their neighbours."""
    near = centre_inside.copy()
    for steps in product((0, 1), repeat=3):
        near |= corner_inside[tuple(slice(step, step + count) for step, count in zip(steps, near.shape, strict=True))]
    return binary_dilation(near)


def _snapped(points: Array, values: Array, edges: Ids) -> tuple[Array, Array]:
    """Move each point to the nearest crossing on its edges, if that is near; its value becomes zero."""
    ends = np.concatenate([edges, edges[:, ::-1]])
    ends = ends[(values[ends] < 0).sum(axis=1) == 1]
    fraction = values[ends[:, 0]] / (values[ends[:, 0]] - values[ends[:, 1]])
    near = np.flatnonzero(fraction < SNAP)
    near = near[np.argsort(-fraction[near], kind="stable")]  # the nearest is written last
    moved, start, end = points.copy(), ends[near, 0], ends[near, 1]
    moved[start] = points[start] + fraction[near, None] * (points[end] - points[start])
    zeroed = values.copy()
    zeroed[start] = 0
    return moved, zeroed


def _cut(points: Array, values: Array, tets: Ids) -> tuple[Array, Ids]:
    signs = np.sign(values).astype(np.int64)
    tets = np.take_along_axis(tets, np.argsort(signs[tets] * len(points) + tets, axis=1), axis=1)
    inside, outside = (signs[tets] < 0).sum(axis=1), (signs[tets] > 0).sum(axis=1)
    crossings, edge_points = _crossings(points, values, unique_edges(tets))
    parts = [tets[(outside == 0) & (inside > 0)]]
    for (some, others), pieces in _INSIDE.items():
        group = tets[(inside == some) & (outside == others)]
        parts += [
            np.stack([_corner_ids(group, corner, crossings, len(points)) for corner in p], axis=1) for p in pieces
        ]
    return np.concatenate([points, edge_points]), np.concatenate(parts)


def _crossings(points: Array, values: Array, edges: Ids) -> tuple[Ids, Array]:
    """Keys a * n + b (a < b) of the edges that cross the surface, sorted, and the points where they do."""
    a, b = edges[values[edges].prod(axis=1) < 0].T
    fraction = values[a] / (values[a] - values[b])
    return a * len(points) + b, points[a] + fraction[:, None] * (points[b] - points[a])


def _corner_ids(tets: Ids, corner: int | tuple[int, int], crossings: Ids, count: int) -> Ids:
    if isinstance(corner, int):
        return tets[:, corner]
    low, high = np.sort(tets[:, corner], axis=1).T
    return count + np.searchsorted(crossings, low * count + high)
