"""A sheet from a surface file: what files leave apart or twice is mended, and nothing else is changed."""

import warnings

import numpy as np

from pliant.errors import Array, Ids, MeshError, PliantWarning
from pliant.mesh.sheet import NARROWEST, Sheet
from pliant.mesh.surface import Surface


def mended_sheet(surface: Surface) -> Sheet:
    """Vertices in one place are one, triangles without area and repeated ones are left out.

    Raises:
        MeshError: nothing is left, or an edge belongs to more than two triangles.
    """
    vertices, triangles = welded(surface.vertices, surface.triangles)
    a, b, c = (vertices[triangles[:, k]] for k in range(3))
    longest = np.max([np.linalg.norm(x - y, axis=1) for x, y in ((a, b), (b, c), (c, a))], axis=0)
    wide = 0.5 * np.linalg.norm(np.cross(b - a, c - a), axis=1) > NARROWEST * longest**2
    _, first = np.unique(np.sort(triangles, axis=1), axis=0, return_index=True)
    kept = np.zeros(len(triangles), dtype=bool)
    kept[first] = True
    kept &= wide
    if not kept.any():
        raise MeshError("no triangle of the surface has an area; nothing can be made a shell, get another file")
    if not kept.all():
        left = f"{(~kept).sum()} of {len(kept)} triangles have no area, or are there twice, and are left out"
        warnings.warn(left, PliantWarning, 3)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PliantWarning)  # of vertices that nothing uses any more
        return Sheet(vertices, triangles[kept]).without_unused()


def welded(vertices: Array, triangles: Ids) -> tuple[Array, Ids]:
    """Vertices in one place as one, in the order of the file, and the triangles of them."""
    _, first, number = np.unique(vertices, axis=0, return_index=True, return_inverse=True)
    order = np.argsort(first)  # the order of the file
    rank = np.empty_like(order)
    rank[order] = np.arange(len(order))
    return vertices[first[order]], rank[number.ravel()[triangles]]
