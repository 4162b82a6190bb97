"""Coarser triangles: vertices in one cube become their mean."""

import numpy as np

from pliant.errors import Array, Ids


def clustered(vertices: Array, triangles: Ids, size: float) -> tuple[Array, Ids]:
    """Vertices and triangles with cubes of edge `size` [m]; triangles that vanish or repeat are left out.

    The vertices are sorted by cube, the triangles by vertex, so that neighbours in space are neighbours in memory.
    """
    cubes = np.round(vertices / size).astype(np.int64)
    _, cluster = np.unique(cubes, axis=0, return_inverse=True)
    cluster = cluster.ravel()
    sums = np.stack([np.bincount(cluster, vertices[:, i]) for i in range(3)], axis=1)
    rows = cluster[triangles]
    rows = rows[(rows != np.roll(rows, 1, axis=1)).all(axis=1)]
    _, kept = np.unique(np.sort(rows, axis=1), axis=0, return_index=True)
    return sums / np.bincount(cluster)[:, None], rows[kept]
