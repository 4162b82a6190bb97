"""Meshes in several pieces: keep them all, or the largest."""

import warnings

import numpy as np

from pliant.errors import PliantWarning, check_choice
from pliant.mesh.mesh import Mesh

PIECES = ("largest", "all")


def kept_pieces(mesh: Mesh, keep: str) -> Mesh:
    """The mesh itself for "all"; for "largest" the face-connected piece with most cells, and a warning."""
    if check_choice("keep", keep, PIECES) == "all" or mesh.components[0] == 1:
        return mesh
    count, piece_of_cell = mesh.components
    sizes = np.bincount(piece_of_cell)
    message = f"{mesh.cell_count - sizes.max()} of {mesh.cell_count} cells in {count - 1} loose pieces were left out"
    warnings.warn(f'{message}; keep="all" keeps them, smaller cells may join them', PliantWarning, 3)
    return mesh.submesh(piece_of_cell == sizes.argmax())[0]
