"""Which forces make the quicker steps: a table of coefficients or trained points, or a visit to all cells.

Times of a step of four Newton iterations, or of one K and seven forces, as measured on one core [ns].
"""

from pliant.fem import Solid
from pliant.reduced.cubic import MOST

CUBIC_UP_TO = 80  # vectors: what needs a table has it so far: parts of trees, and damping by K, which wants K each time
NEAR, FAR, CACHED = 0.33, 0.9, 1e6  # a coefficient of a table that stays in the caches, of others, and how many do


def quicker(solid: Solid, size: int) -> str:
    """ "cubic" or "cells", for a basis of `size` vectors."""
    if size <= CUBIC_UP_TO:
        return "cubic"
    return "cubic" if size <= MOST and cubic_step(size) <= cells_step(solid, size) else "cells"


def quicker_firm(solid: Solid, size: int) -> str:
    """ "cubature" or "cells", for a basis of `size` vectors of FirmStVK."""
    return "cubature" if cubature_step(size) <= cells_step(solid, size) else "cells"


def cubature_step(size: int) -> float:
    """Four jets of eight points a vector."""
    return 4 * 1.8 * size**3


def cubic_step(size: int) -> float:
    """Four jets of n^4 / 24 coefficients."""
    count = (size + 1) ** 4 / 24
    return 4 * count * (NEAR if count <= CACHED else FAR)


def cells_step(solid: Solid, size: int) -> float:
    """Assembly and products of K, two eliminations, and seven forces."""
    cells, (points, nodes) = solid.mesh.cell_count, solid.elements.gradients.shape[1:3]
    stiffness = 0.03 * solid.dof_count * size**2 / 2 + 8 * cells * points * nodes**2
    force = 5 * cells * points * nodes + 0.2 * solid.dof_count * size + 2 * size**2
    return stiffness + 2 * 0.015 * size**3 + 7 * force
