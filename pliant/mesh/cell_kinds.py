"""The two kinds of cells: their local faces and edges, their volumes, and how a flipped one is turned right."""

from dataclasses import dataclass

import numpy as np

from pliant.errors import Array, Ids


@dataclass(frozen=True)
class CellKind:
    """A table of local vertex numbers; faces wind counter-clockwise seen from outside.

    Attributes:
        name: "tet" or "hex".
        faces: (f, 3|4) corners of every face.
        edges: (e, 2) ends of every edge.
        mirrored: (c,) the corners of the mirror image, which turns a flipped cell right.
    """

    name: str
    faces: Ids
    edges: Ids
    mirrored: Ids


TET = CellKind(
    "tet",
    faces=np.array([[1, 2, 3], [0, 2, 1], [0, 1, 3], [0, 3, 2]]),
    edges=np.array([[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]]),
    mirrored=np.array([0, 1, 3, 2]),
)
HEX = CellKind(
    "hex",
    faces=np.array([[0, 3, 2, 1], [4, 5, 6, 7], [0, 1, 5, 4], [1, 2, 6, 5], [2, 3, 7, 6], [3, 0, 4, 7]]),
    edges=np.array([[0, 1], [1, 2], [2, 3], [3, 0], [4, 5], [5, 6], [6, 7], [7, 4], [0, 4], [1, 5], [2, 6], [3, 7]]),
    mirrored=np.array([4, 5, 6, 7, 0, 1, 2, 3]),
)
KINDS = {4: TET, 8: HEX}


def signed_volumes(corners: Array) -> Array:
    """Volumes (m,) [m^3] of cells with corner positions (m, 4|8, 3); negative where a cell is flipped."""
    if corners.shape[1] == 4:
        return triple_product(*(corners[:, i] - corners[:, 0] for i in (1, 2, 3))) / 6
    return _hex_volumes(corners - corners.mean(axis=1, keepdims=True))


def triple_product(a: Array, b: Array, c: Array) -> Array:
    """a . (b x c) of rows (m, 3)."""
    return np.einsum("ij,ij->i", a, np.cross(b, c))


def _hex_volumes(corners: Array) -> Array:
    # The volume under a bilinear face is the mean of its two triangulations, so this is exact for trilinear hexes.
    volumes = np.zeros(len(corners))
    for a, b, c, d in HEX.faces:
        for i, j, k in ((a, b, c), (a, c, d), (a, b, d), (b, c, d)):
            volumes += triple_product(corners[:, i], corners[:, j], corners[:, k]) / 12
    return volumes
