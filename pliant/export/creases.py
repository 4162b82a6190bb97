"""Creases: vertices are split where the surface has a sharp edge, so that smooth shading stops there."""

from dataclasses import dataclass

import numpy as np
from scipy.sparse import coo_matrix
from scipy.sparse.csgraph import connected_components

from pliant.errors import Array, Ids
from pliant.mesh.normals import unit

SHARPEST_SMOOTH = np.cos(np.radians(40))


@dataclass(frozen=True, eq=False)
class CreasedSurface:
    """A surface to shade: only drawn vertices, several copies of those on creases.

    Attributes:
        source: (k,) the original vertex of each.
        triangles: (t, 3) ids into `source`.
        colours: (k, 3) linear RGB of each; None where nothing is painted.
        uv: (k, 2) place of each in the texture; None where there is none.
    """

    source: Ids
    triangles: Ids
    colours: Array | None = None
    uv: Array | None = None


def split_at_creases(x: Array, triangles: Ids, colours: Array | None = None, uv: Array | None = None) -> CreasedSurface:
    """Triangle corners at a vertex share a copy of it if smooth edges of one colour and place in the texture link them.

    Args:
        x: (n, 3), triangles: (t, 3).
        colours: (t, 3) linear RGB of the triangles.
        uv: (t, 3, 2) places of the corners in the texture.
    """
    first, second = _smooth_links(x, triangles)
    if colours is not None:
        alike = (colours[first // 3] == colours[second // 3]).all(axis=1)
        first, second = first[alike], second[alike]
    if uv is not None:
        alike = (uv.reshape(-1, 2)[first] == uv.reshape(-1, 2)[second]).all(axis=1)
        first, second = first[alike], second[alike]
    corners = coo_matrix((np.ones(len(first)), (first, second)), shape=(triangles.size,) * 2)
    count, copies = connected_components(corners, directed=False)
    source = np.empty(count, dtype=np.int64)
    source[copies] = triangles.ravel()
    painted = None
    if colours is not None:
        painted = np.empty((count, 3))
        painted[copies] = np.repeat(colours, 3, axis=0)
    placed = None
    if uv is not None:
        placed = np.empty((count, 2))
        placed[copies] = uv.reshape(-1, 2)
    return CreasedSurface(source, copies.reshape(-1, 3).astype(np.int64), painted, placed)


def _smooth_links(x: Array, triangles: Ids) -> tuple[Ids, Ids]:
    """Pairs of corners, numbered 3 triangle + place, that meet at one end of a smooth edge."""
    starts = np.arange(triangles.size)
    ends = (starts // 3) * 3 + (starts + 1) % 3
    vertices = triangles.ravel()
    turned = vertices[starts] > vertices[ends]
    low, high = np.where(turned, ends, starts), np.where(turned, starts, ends)
    order = np.lexsort((vertices[high], vertices[low]))
    a, b = order[:-1], order[1:]
    shared = (vertices[low[a]] == vertices[low[b]]) & (vertices[high[a]] == vertices[high[b]])
    a, b = a[shared], b[shared]
    normals = _triangle_normals(x, triangles)
    smooth = (normals[a // 3] * normals[b // 3]).sum(axis=1) > SHARPEST_SMOOTH
    a, b = a[smooth], b[smooth]
    return np.concatenate([low[a], high[a]]), np.concatenate([low[b], high[b]])


def _triangle_normals(x: Array, triangles: Ids) -> Array:
    a, b, c = (x[triangles[:, i]] for i in range(3))
    return unit(np.cross(b - a, c - a))
