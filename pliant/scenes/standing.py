"""How a bare mesh stands: which axis of its file points up, and which vertices its feet are."""

import numpy as np

from pliant.errors import Array

TURNS = {"x": (0.0, 0.0, 90.0), "y": (0.0, 0.0, 0.0), "z": (-90.0, 0.0, 0.0)}  # to y, axis times angle [degrees]
SLENDER = 2.5  # times as long as wide: it stands on its end
LEVELS = (0.03, 0.05, 0.07, 0.1, 0.15, 0.2)  # of the height
FOOTPRINT = 0.6
FEWEST = 6


def guessed_up(X: Array) -> str:
    """y, as most files have it; of slender things, the long axis."""
    extents = np.ptp(X, axis=0)
    longest = int(np.argmax(extents))
    return "xyz"[longest] if extents[longest] >= SLENDER * np.delete(extents, longest).max() else "y"


def feet(X: Array, up: str) -> str:
    """A selection of the lowest vertices (n, 3): those below a level that is as low as reaches all feet.

    The lowest fifth tells where the feet are; the level rises from 3 % of the height until what is below it is at least
    0.6 times as wide as that, both ways, so that no foot hangs in the air.
    """
    axis = "xyz".index(up)
    height, across = X[:, axis], np.delete(X, axis, axis=1)
    low, size = float(height.min()), float(np.ptp(height))
    wanted = FOOTPRINT * np.ptp(across[height <= low + LEVELS[-1] * size], axis=0)
    for level in LEVELS:
        held = height <= low + level * size
        if held.sum() >= FEWEST and (np.ptp(across[held], axis=0) >= wanted).all():
            break
    return f"{up} < {low + level * size:.6g}"
