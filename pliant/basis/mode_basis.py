"""The basis of vibration modes alone; it locks in large motion."""

import numpy as np

from pliant.basis.basis import Basis
from pliant.basis.vibration import vibration_modes
from pliant.errors import Array, check_count
from pliant.fem import Solid
from pliant.numerics import lowest_eigenpairs
from pliant.numerics.progress import Progress, report


def mode_basis(solid: Solid, size: int = 30, each: bool = False, progress: Progress = None) -> Basis:
    """The `size` lowest vibration modes.

    Args:
        each: so many of each of its bodies that do not touch; among the lowest of all, a stiff one may have none.
    """
    if each and solid.mesh.components[0] > 1:
        return _modes_of_each(solid, check_count("size", size), progress)
    modes = vibration_modes(solid, size, progress)
    return Basis(modes.vectors, frequencies=modes.frequencies)


def _modes_of_each(solid: Solid, size: int, progress: Progress) -> Basis:
    """K and M fall into blocks, one a body."""
    count, piece_of_cell = solid.mesh.components
    K, M = solid.free_matrix(solid.stiffness()), solid.free_matrix(solid.mass)
    found: list[tuple[float, Array]] = []
    for piece in range(count):
        vertices = np.zeros(solid.mesh.vertex_count, dtype=bool)
        vertices[solid.mesh.cells[piece_of_cell == piece]] = True
        own = np.flatnonzero(vertices[solid.free // 3])
        values, X = lowest_eigenpairs(K[own][:, own], M[own][:, own], min(size, len(own)))
        for value, x in zip(values, X.T):
            mode = np.zeros(solid.dof_count)
            mode[solid.free[own]] = x
            found.append((float(value), mode))
        report(progress, "vibration modes", (piece + 1) / count)
    found.sort(key=lambda pair: pair[0])
    return Basis(np.stack([mode for _, mode in found], axis=1), frequencies=np.sqrt([value for value, _ in found]))
