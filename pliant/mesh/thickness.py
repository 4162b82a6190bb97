"""How thick a mesh is at every cell, and parts of one thickness.

    T(c) = 2 max { r(p) : |p - c| < r(p) },   r(p) the distance of p from the surface

the diameter of the largest ball inside that holds c (Hildebrand and Rüegsegger), which a shape diameter along rays
measures at the surface. Balls reach two cells farther, since between the largest ones and the surface is some room.
"""

import numpy as np
from scipy.spatial import cKDTree

from pliant.errors import Array, Ids
from pliant.mesh.crumbs import merged, tidied
from pliant.mesh.mesh import Mesh
from pliant.mesh.surface import Surface
from pliant.mesh.winding import distances

SLACK = 2.0  # cells that a ball reaches farther
SMOOTHED = 2  # times each cell has the median of those around it
LEAST = 0.01  # of the volume: a smaller part is not worth having
MOST_LEVELS = 6
APART = 1.3  # thicknesses of two levels, at least
ITERATIONS = 40
TAIL = 0.02  # of the cells: slivers at the surface are no level of their own


def thickness(mesh: Mesh) -> Array:
    """(m,) [m] at the middle of every cell."""
    depth = distances(Surface(mesh.vertices, mesh.surface), mesh.centroids)
    thick, tree, slack = depth.copy(), cKDTree(mesh.centroids), SLACK * mesh.cell_size
    for cell in np.argsort(-depth):
        if depth[cell] < thick[cell]:
            continue  # a larger ball holds its middle, and nearly all that its own does
        inside = tree.query_ball_point(mesh.centroids[cell], depth[cell] + slack)
        thick[inside] = np.maximum(thick[inside], depth[cell])
    return 2 * thick


def parts_by_thickness(mesh: Mesh, count: int | None) -> Ids:
    """(m,) a part for every cell: face-connected cells of about one thickness; `count`, or as many as there are."""
    logs = np.log(_smoothed(mesh, thickness(mesh)))
    labels = np.zeros(mesh.cell_count, dtype=np.int64)
    for levels in range(2, MOST_LEVELS + 1):
        level, means = _levels(logs, levels)
        if np.diff(means).min() < np.log(APART) and levels > 2 and count is None:
            break
        labels = tidied(mesh, level, LEAST)
        if count is None or labels.max() + 1 >= count:
            break
    return labels if count is None else merged(mesh, labels, count)


def _smoothed(mesh: Mesh, values: Array) -> Array:
    graph = mesh.cell_adjacency
    for _ in range(SMOOTHED):
        around = [np.append(values[graph.indices[a:b]], v) for a, b, v in zip(graph.indptr, graph.indptr[1:], values)]
        values = np.array([np.median(each) for each in around])
    return values


def _levels(values: Array, count: int) -> tuple[Ids, Array]:
    """The nearest of `count` means for every value (Lloyd), and the means, rising."""
    means = np.quantile(values, np.linspace(TAIL, 1 - TAIL, count))
    for _ in range(ITERATIONS):
        nearest = np.abs(values[:, None] - means).argmin(axis=1)
        means = np.array([values[nearest == k].mean() if (nearest == k).any() else means[k] for k in range(count)])
    return np.abs(values[:, None] - means).argmin(axis=1), np.sort(means)
