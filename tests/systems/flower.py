"""The flower of maths sheet substructuring 10: stems, hubs, petals and a leaf, 13 domains on 5 levels."""

import numpy as np

from pliant.errors import Array, Ids
from pliant.mesh import Mesh
from pliant.mesh.grid import grid_cells, kuhn_tets

EDGE = 0.05  # [m]
BOXES = {  # in cells: x0 x1 y0 y1 z0 z1
    "stem 1": (0, 2, 0, 2, 0, 8),
    "stem 2": (0, 2, 0, 2, 8, 16),
    "stem 3": (0, 2, 0, 2, 16, 24),
    "hub": (-1, 3, -1, 3, 24, 26),
    "petal 1": (3, 9, 0, 2, 25, 26),
    "petal 2": (-7, -1, 0, 2, 25, 26),
    "petal 3": (0, 2, 3, 9, 25, 26),
    "petal 4": (0, 2, -7, -1, 25, 26),
    "side stem": (2, 8, 0, 2, 11, 13),
    "side hub": (8, 11, -1, 3, 10, 14),
    "side petal 1": (9, 10, 0, 2, 14, 20),
    "side petal 2": (9, 10, 0, 2, 4, 10),
    "leaf": (-7, 0, 0, 2, 4, 5),
}
VERTICES, TETS, DOMAINS, DEPTH = 694, 1716, 13, 5  # the sheet's counts; DEPTH counts levels
SIZE = 156
TRUE_FREQUENCIES = (0.2088, 0.2623, 0.4566)  # [Hz] of the unreduced solid
YOUNG, POISSON, DENSITY = 1e6, 0.4, 1000.0


def flower(kind: str = "tet", scale: float = 1.0) -> tuple[Mesh, Ids, tuple[str, ...], Ids]:
    """Mesh, labels (m,), names of the domains and the clamped vertices z = 0; `kind="hex"` gives bricks."""
    corners = np.array(list(BOXES.values())).reshape(-1, 3, 2)
    low, high = corners[:, :, 0].min(axis=0), corners[:, :, 1].max(axis=0)
    part_of = np.full(high - low, -1)
    for part, box in enumerate(corners - low[None, :, None]):
        part_of[tuple(slice(start, stop) for start, stop in box)] = part
    cubes, labels = grid_cells(part_of >= 0), part_of[part_of >= 0]
    used, cells = np.unique(cubes, return_inverse=True)
    vertices = _grid_points(used, low, high) * EDGE * scale
    cells = cells.reshape(cubes.shape)
    if kind == "tet":
        cells, labels = kuhn_tets(cells), np.repeat(labels, 6)
    mesh = Mesh(vertices, cells)
    fixed = np.flatnonzero(mesh.vertices[:, 2] < 1e-9)
    assert mesh.vertex_count == VERTICES
    assert mesh.cell_count == TETS // (6 if kind == "hex" else 1)
    return mesh, labels, tuple(BOXES), fixed


def _grid_points(ids: Ids, low: Ids, high: Ids) -> Array:
    return np.stack(np.unravel_index(ids, high - low + 1), axis=1) + low.astype(float)
