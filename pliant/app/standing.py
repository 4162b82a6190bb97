"""What a body stands on: the floor that its scene has, its own foot where that is held, nothing where it floats."""

import numpy as np

from pliant.app.holding import which_move
from pliant.errors import Array
from pliant.systems import System

FOOT = 1e-3  # of the extent: how far above its lowest vertex a foot goes
LOOKED_AT = 16  # vertices of it


def floor_under(system: System, rest: Array, given: float | None) -> float | None:
    """Height of the floor [m], as given or where its lowest vertices are held; None: none is known.

    Args:
        rest: (n, 3) its vertices at the start.
    """
    if given is not None:
        return given
    drawn = np.unique(system.triangles)
    heights = rest[drawn, 1]
    foot = drawn[heights <= heights.min() + FOOT * np.ptp(rest, axis=0).max()]
    held = not which_move(system, foot[:: 1 + len(foot) // LOOKED_AT]).any()
    return float(heights.min()) if held else None
