"""An arch bridge, 64 m long: a deck that hangs from two arches; hold it at both ends."""

import numpy as np

from pliant.errors import Array
from pliant.mesh import Mesh, sdf
from pliant.scenes.models.filling import filled

SPAN, RISE, HALF_WIDTH = 32.0, 10.0, 4.0


def bridge(edge: float = 0.58, kind: str = "hex") -> Mesh:
    """Voxels of `edge` [m], or with kind "tet" tets of about that edge that follow the surface.

    x along the deck from -32 to 32, y up, the deck at 0.
    """
    # Hangers thinner than a tet would be lost.
    return filled(solid(thinnest=0.42 if kind == "hex" else 0.75 * edge), edge, kind)


def solid(thinnest: float = 0.42) -> sdf.Field:
    """The bridge as a signed distance; hangers and struts have the radius `thinnest` [m]."""
    deck = sdf.box((2 * SPAN, 0.9, 2 * HALF_WIDTH + 1.2))
    side = sdf.union(_arch(), *(_hanger(x, thinnest) for x in np.linspace(-24, 24, 9)))
    sides = side.translate((0, 0, HALF_WIDTH)) | side.translate((0, 0, -HALF_WIDTH))
    struts = (_strut(x, thinnest) for x in (-12.0, -4.0, 4.0, 12.0))
    return sdf.union(deck, sides, *struts)


def _height(x: Array | float) -> Array | float:
    return RISE * (1 - (x / (SPAN - 1)) ** 2)


def _arch() -> sdf.Field:
    x = np.linspace(-SPAN + 1, SPAN - 1, 33)
    return sdf.sweep(np.stack([x, _height(x), 0 * x], axis=1), 0.95)


def _hanger(x: float, radius: float) -> sdf.Field:
    return sdf.capsule((x, 0, 0), (x, float(_height(x)), 0), radius)


def _strut(x: float, radius: float) -> sdf.Field:
    y = float(_height(x))
    return sdf.capsule((x, y, -HALF_WIDTH), (x, y, HALF_WIDTH), radius)
