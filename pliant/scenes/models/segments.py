"""A bar cut into equal parts along its length: the bar of [BA13] Fig. 7; hold it at x = 0."""

from collections.abc import Sequence

import numpy as np

from pliant.errors import ArgumentError, check_count
from pliant.mesh import Mesh, shapes
from pliant.scenes.models.parting import numbered_parts


def segments(
    size: Sequence[float] = (1.0, 0.1, 0.1), cells: Sequence[int] = (24, 3, 3), parts: int = 3, kind: str = "tet"
) -> Mesh:
    """The beam of `shapes.bar` with cell groups "part 1", "part 2", ... of equal length; `parts` divides cells[0]."""
    mesh = shapes.bar(size, cells, kind)
    if cells[0] % check_count("parts", parts):
        raise ArgumentError(f"parts must divide the {cells[0]} cells along x; {parts} was given")
    labels = np.floor(mesh.centroids[:, 0] / size[0] * parts).astype(np.int64)
    return numbered_parts(mesh, labels)
