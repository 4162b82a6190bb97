"""Round solids of good hexes: a square or cubic core, and layers that lead from it to the round outside."""

import numpy as np

from pliant.errors import Array, Ids
from pliant.mesh.cell_kinds import HEX
from pliant.mesh.grid import grid_cells
from pliant.mesh.topology import cell_faces, same_rows

CORE = 0.5  # corners of the core lie at this fraction of the radius
ROUNDING = 0.4  # 0 leaves the core square, 1 makes it round


def disc(across: int) -> tuple[Array, Ids]:
    """Points (n, 2) and counter-clockwise quads (m, 4) of the unit disc, about `across` quads along a diameter."""
    core, layers = _core_and_layers(across)
    points = _square_grid(core, 2)
    quads = _grid_quads(core)
    loop = _loop(core)
    rings = _layers(_rounded(points), points[loop], layers)
    ring_ids = [loop] + [len(points) + layer * len(loop) + np.arange(len(loop)) for layer in range(layers)]
    for inner, outer in zip(ring_ids, ring_ids[1:], strict=False):
        quads = np.concatenate([quads, np.stack([inner, outer, np.roll(outer, -1), np.roll(inner, -1)], axis=1)])
    return np.concatenate([_rounded(points), *rings]), quads


def ball(across: int) -> tuple[Array, Ids]:
    """Points (n, 3) and hexes (m, 8) of the unit ball, about `across` hexes along a diameter."""
    core, layers = _core_and_layers(across)
    points = _square_grid(core, 3)
    hexes = grid_cells(np.ones((core,) * 3, dtype=bool))
    faces = _outer_faces(hexes)
    skin = np.unique(faces)
    shells = _layers(_rounded(points), points[skin], layers)
    faces = np.searchsorted(skin, faces)
    shell_ids = [skin] + [len(points) + layer * len(skin) + np.arange(len(skin)) for layer in range(layers)]
    for inner, outer in zip(shell_ids, shell_ids[1:], strict=False):
        hexes = np.concatenate([hexes, np.concatenate([inner[faces], outer[faces]], axis=1)])
    return np.concatenate([_rounded(points), *shells]), hexes
