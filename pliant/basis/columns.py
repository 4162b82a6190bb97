"""Displacements or loads in any of the shapes that people keep them in, as columns (3n, s)."""

import numpy as np
from numpy.typing import ArrayLike

from pliant.basis.basis import check_solid
from pliant.errors import ArgumentError, Array, check_array
from pliant.fem import Solid


def as_columns(solid: Solid, name: str, value: ArrayLike) -> Array:
    """(3n, s) from (3n, s), (s, 3n), (s, n, 3), one (3n,) or one (n, 3); a square (3n, 3n) holds columns."""
    shape = np.shape(value)
    rows, nodes = check_solid(solid).dof_count, (solid.mesh.vertex_count, 3)
    if shape == nodes or shape == (rows,):
        return check_array(name, value, shape).reshape(rows, 1)
    if shape[:1] == (rows,) and len(shape) == 2 and shape[1]:
        return check_array(name, value, shape)
    if shape[1:] in ((rows,), nodes) and shape[0]:
        return check_array(name, value, shape).reshape(shape[0], rows).T
    raise ArgumentError(f"{name} must have shape ({rows}, s), (s, {rows}) or (s, {nodes[0]}, 3); {shape} was given")
