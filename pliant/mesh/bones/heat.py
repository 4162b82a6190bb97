"""Weights as heat that flows along the surface from the nearest bone (Baran and Popovic 2007).

    (L + A H) w = A H p,   H = 1/d^2 where the way to the nearest bone lies inside, else 0

L is the intrinsic Delaunay Laplacian, A the area of every vertex, p one for the nearest bone. L has no positive entry
off its diagonal, so weights are in [0, 1] and sum to one.
"""

import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import connected_components

from pliant.errors import ArgumentError, Array
from pliant.mesh.bones.skeleton import Skeleton
from pliant.mesh.packages import imported
from pliant.mesh.surface import Surface
from pliant.mesh.winding import is_inside
from pliant.numerics import factor

ALONG = np.array([0.25, 0.5, 0.75])  # where the way to a bone is looked at
NEAREST = 1e-3  # of the size of the surface: how near a bone may seem
ALIKE = 1e-4  # distances that count as the same: the bones share the vertex


def heat_weights(surface: Surface, skeleton: Skeleton) -> Array:
    """(s, k) on the vertices of a surface."""
    igl = imported("igl", "weights of bones")
    X, triangles = surface.vertices, surface.triangles
    d, places = skeleton.distances(X)
    nearest = d.min(axis=1)
    p = (d <= nearest[:, None] * (1 + ALIKE)).astype(float)
    p /= p.sum(axis=1, keepdims=True)
    seen = _sees(surface, X, places[np.arange(len(X)), d.argmin(axis=1)])
    size = float(np.ptp(X, axis=0).max())
    area = np.asarray(igl.massmatrix(X, triangles, igl.MASSMATRIX_TYPE_BARYCENTRIC).diagonal())
    flow = area * seen / np.maximum(nearest, NEAREST * size) ** 2
    L, _, _ = igl.intrinsic_delaunay_cotmatrix(X, triangles)
    _check_warm(surface, flow)
    w = factor(sp.csr_matrix(sp.diags(flow) - sp.csr_matrix(L))).solve(flow[:, None] * p)
    w = np.clip(w, 0, 1)
    return w / w.sum(axis=1, keepdims=True)


def _sees(surface: Surface, X: Array, places: Array) -> Array:
    """(s,) one where the way from a vertex to its place on a bone lies inside."""
    ways = X[:, None] + ALONG[:, None] * (places - X)[:, None]
    return is_inside(surface, ways.reshape(-1, 3)).reshape(len(X), -1).all(axis=1).astype(float)


def _check_warm(surface: Surface, flow: Array) -> None:
    n, edges = len(surface.vertices), surface.triangles[:, [0, 1, 1, 2]].reshape(-1, 2)
    count, piece = connected_components(sp.coo_matrix((np.ones(len(edges)), edges.T), shape=(n, n)), directed=False)
    heat = np.bincount(piece, flow, count)
    if (heat == 0).any():
        raise ArgumentError(
            f"no bone is seen from inside {int((heat == 0).sum())} of the {count} pieces of the surface; place a bone "
            "in each, or take kind='biharmonic'"
        )
