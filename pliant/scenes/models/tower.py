"""A lattice tower, 100 m high: four legs that lean together, rings and crossed braces; hold it at the ground."""

import numpy as np

from pliant.errors import Array
from pliant.mesh import Mesh, sdf
from pliant.scenes.models.filling import filled

HEIGHT, FOOT, HEAD = 100.0, 16.0, 3.0
CORNERS = np.array([(1, 1), (1, -1), (-1, -1), (-1, 1)], dtype=float)
LEVELS = np.array([0.0, 22.0, 40.0, 55.0, 67.0, 77.0, 85.0, 92.0, 98.0])


def tower(edge: float = 0.683, kind: str = "hex") -> Mesh:
    """Voxels of `edge` [m], or with kind "tet" tets of about that edge that follow the surface; y up from 0 to 100."""
    # Members thinner than a cell would fall apart.
    return filled(solid(thinnest=0.9 * edge if kind == "hex" else 0.7 * edge), edge, kind)


def solid(thinnest: float = 0.62) -> sdf.Field:
    """The tower as a signed distance; no member has a radius below `thinnest` [m]."""
    radii = np.maximum(thinnest, np.linspace(1.5, 0.9, 25))
    legs = (sdf.sweep(_leg(corner), radii) for corner in CORNERS)
    rings = (_ring(y, max(0.75, thinnest)) for y in LEVELS[1:])
    braces = (_brace(face, level, thinnest) for face in range(4) for level in range(len(LEVELS) - 1))
    platform = sdf.box((2 * HEAD + 2, 1.5, 2 * HEAD + 2)).translate((0, HEIGHT - 1, 0))
    mast = sdf.capsule((0, HEIGHT - 2, 0), (0, HEIGHT + 8, 0), 0.8)
    return sdf.union(*legs, *rings, *braces, platform, mast)


def _half_width(y: Array | float) -> Array | float:
    return HEAD + (FOOT - HEAD) * (1 - np.asarray(y) / HEIGHT) ** 1.8


def _corner(index: int, y: float) -> Array:
    x, z = CORNERS[index % 4] * float(_half_width(y))
    return np.array([x, y, z])


def _leg(corner: Array) -> Array:
    y = np.linspace(0, HEIGHT - 1, 25)
    w = _half_width(y)
    return np.stack([corner[0] * w, y, corner[1] * w], axis=1)


def _ring(y: float, radius: float) -> sdf.Field:
    return sdf.sweep(np.array([_corner(i, y) for i in range(5)]), radius)


def _brace(face: int, level: int, radius: float) -> sdf.Field:
    low, high = LEVELS[level], LEVELS[level + 1]
    one = sdf.capsule(_corner(face, low), _corner(face + 1, high), radius)
    return one | sdf.capsule(_corner(face + 1, low), _corner(face, high), radius)
