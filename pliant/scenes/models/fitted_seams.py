"""Even seams: vertices that are close to the border between two regions are moved onto it."""

from collections.abc import Sequence

import numpy as np

from pliant.errors import Array, Ids
from pliant.mesh import Mesh, sdf
from pliant.mesh.cell_kinds import TET, signed_volumes

LEAST_SHAPE = 0.25  # of a tet that a moved vertex may leave; 1 is the regular tet. The lattice's own worst are near 0.2

HALVINGS = 4  # of the moves that spoil a tet, before they are given up


def with_fitted_seams(mesh: Mesh, regions: Sequence[sdf.Field]) -> Mesh:
    """The tets, with the nearer end of each edge that crosses a border moved to it.

    Vertices of the surface slide along its edges. A move that would spoil a tet is shortened, or not made.
    """
    step = _steps_to_border(mesh, np.stack([region.distance(mesh.vertices) for region in regions], axis=1))
    cells = mesh.cells[step[mesh.cells].any(axis=(1, 2))]
    least = np.minimum(LEAST_SHAPE, _shapes(mesh.vertices[cells]))
    for factor in (0.5,) * HALVINGS + (0.0,) * len(cells):
        spoilt = cells[_shapes((mesh.vertices + step)[cells]) < least]
        if not len(spoilt):
            break
        farthest = np.linalg.norm(step, axis=1)[spoilt].argmax(axis=1)
        step[np.unique(spoilt[np.arange(len(spoilt)), farthest])] *= factor
    return Mesh(mesh.vertices + step, mesh.cells)


def _steps_to_border(mesh: Mesh, distances: Array) -> Array:
    """Moves (n, 3) to the mean of the crossings on edges, where the nearest region changes; distances (n, regions)."""
    region = distances.argmin(axis=1)
    ends = _free_ends(mesh)
    ends = ends[region[ends[:, 0]] != region[ends[:, 1]]]
    a, b = ends.T
    lead = distances[a, region[b]] - distances[a, region[a]]
    fraction = lead / (lead + distances[b, region[a]] - distances[b, region[b]])
    near = (fraction < 0.5) | ((fraction == 0.5) & (region[a] < region[b]))
    crossings = fraction[near, None] * (mesh.vertices[b[near]] - mesh.vertices[a[near]])
    # The mean of the crossings lies on a plane border as each of them does, and is closer.
    count = np.maximum(np.bincount(a[near], minlength=mesh.vertex_count), 1)
    total = [np.bincount(a[near], crossings[:, axis], minlength=mesh.vertex_count) for axis in range(3)]
    return np.stack(total, axis=1) / count[:, None]


def _free_ends(mesh: Mesh) -> Ids:
    """Edges as (from, to) in both directions, without those that would lead a vertex away from the surface."""
    sides = np.sort(mesh.surface[:, [[0, 1], [1, 2], [2, 0]]].reshape(-1, 2), axis=1)
    count = mesh.vertex_count
    on_surface = np.isin(mesh.edges @ [count, 1], sides @ [count, 1])
    inner = np.ones(count, dtype=bool)
    inner[mesh.surface_vertices] = False
    both = np.concatenate([mesh.edges, mesh.edges[:, ::-1]])
    return both[np.tile(on_surface, 2) | inner[both[:, 0]]]


def _shapes(corners: Array) -> Array:
    """6 sqrt(2) volume / (root mean square of the edges)^3 of tets (m, 4, 3); 1 for the regular one."""
    squared = [((corners[:, i] - corners[:, j]) ** 2).sum(axis=1) for i, j in TET.edges]
    return 6 * np.sqrt(2) * signed_volumes(corners) / np.mean(squared, axis=0) ** 1.5
