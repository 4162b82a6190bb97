"""A coarser surface on some of the same vertices: decimation by quadrics (Garland and Heckbert 1997), then snapped."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.spatial import cKDTree

from pliant.errors import ArgumentError, Array, Ids, MeshError, check_count, check_number
from pliant.mesh.packages import imported
from pliant.mesh.validation import checked_indices, checked_vertices

LEAST = 4  # vertices of a closed surface
NEIGHBOURS = 16  # originals that are looked at around a vertex, at first


@dataclass(frozen=True, eq=False)
class Proxy:
    """Fewer triangles on some of the vertices of a surface.

    Attributes:
        triangles: (t, 3) numbers of the original vertices.
        spacing: longer edges have points that touch, at most this far apart [m]; None: vertices alone.
        error: the largest distance between it and the surface, either way [m]; mean_error: of all vertices.
        of: how many vertices the surface has.
    """

    triangles: Ids
    spacing: float | None
    error: float
    mean_error: float
    of: int

    def __repr__(self) -> str:
        return (
            f"Proxy({len(self.vertices)} of {self.of} vertices, {len(self.triangles)} triangles, at most "
            f"{self.error:.3g} m off)"
        )

    @property
    def vertices(self) -> Ids:
        """(p,) those of the original that it has."""
        return np.unique(self.triangles)


def decimate(vertices: ArrayLike, triangles: ArrayLike, count: int, spacing: float | None = None) -> Proxy:
    """A `Proxy` of about `count` vertices of a surface.

    Args:
        vertices: (n, 3) [m]; triangles: (t, 3).
        count: of its vertices; less only where the surface does not let itself be made so coarse.
        spacing: of points along its edges [m].
    """
    x = checked_vertices(vertices)
    rows = checked_indices("triangles", triangles, len(x), (3,))
    ids = np.unique(rows)
    wanted = check_count("vertices of a proxy", count, at_least=LEAST)
    if wanted > len(ids):
        raise ArgumentError(
            f"a proxy of {wanted} vertices is finer than the surface, which has {len(ids)}; ask for fewer, or leave it "
            "out"
        )
    apart = None if spacing is None else check_number("spacing", spacing, above=0)
    coarse = rows if wanted == len(ids) else _snapped(x, ids, np.searchsorted(ids, rows), wanted)
    return Proxy(coarse, apart, *_error(x, ids, rows, coarse), len(ids))


def _snapped(x: Array, ids: Ids, rows: Ids, wanted: int) -> Ids:
    igl = imported("igl", "proxies")
    if not igl.is_edge_manifold(rows)[0]:
        raise MeshError(
            "more than two triangles of the surface meet in an edge, so that it cannot be decimated; mesh it "
            "otherwise, or leave the proxy out"
        )
    edges = np.unique(np.sort(rows[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2), axis=1), axis=0)
    euler = len(ids) - len(edges) + len(rows)  # collapses keep it: F = 2 (V - euler) of a closed surface
    faces = max(LEAST, 2 * (wanted - euler))
    places, coarse, _, _ = igl.qslim(np.asfortranarray(x[ids]), np.asfortranarray(rows.astype(np.int32)), faces)
    return ids[_nearest_of_their_own(x[ids], np.asarray(places))][np.asarray(coarse)]


def _nearest_of_their_own(x: Array, places: Array) -> Ids:
    """For every place the nearest of x that no nearer one has taken."""
    tree, out = cKDTree(x), np.full(len(places), -1)
    left, taken, around = np.arange(len(places)), np.zeros(len(x), dtype=bool), NEIGHBOURS
    while len(left):
        around = min(around, len(x))
        d, near = tree.query(places[left], around)
        d, near = d.reshape(len(left), -1), near.reshape(len(left), -1)
        for k in np.argsort(d, axis=None, kind="stable"):
            place, v = left[k // around], near.flat[k]
            if out[place] < 0 and not taken[v]:
                out[place], taken[v] = v, True
        left, around = np.flatnonzero(out < 0), 4 * around
    return out


def _error(x: Array, ids: Ids, rows: Ids, coarse: Ids) -> tuple[float, float]:
    """The largest and the mean distance between two surfaces: vertices to the coarse one, its middles to the other."""
    if coarse is rows:
        return 0.0, 0.0
    igl = imported("igl", "proxies")
    there = np.sqrt(igl.point_mesh_squared_distance(x[ids], x, coarse)[0])
    middles = np.concatenate([x[coarse].mean(axis=1), x[coarse[:, [0, 1]]].mean(axis=1)])
    back = np.sqrt(igl.point_mesh_squared_distance(middles, x, rows)[0])
    return float(max(there.max(), back.max())), float(there.mean())
