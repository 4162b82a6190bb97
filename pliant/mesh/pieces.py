"""Meshes in several pieces: keep them all, those that are bodies and no dust, or the largest."""

import warnings

import numpy as np

from pliant.errors import PliantWarning, check_choice
from pliant.mesh.mesh import Mesh

PIECES = ("largest", "bodies", "all")
DUST = 0.01  # of the volume of the largest piece


def kept_pieces(mesh: Mesh, keep: str) -> Mesh:
    """As `chosen_pieces`, with a warning where something is left out."""
    kept, said = chosen_pieces(mesh, keep)
    if said:
        warnings.warn(f'{said}; keep="all" keeps them, smaller cells may join them', PliantWarning, 3)
    return kept


def chosen_pieces(mesh: Mesh, keep: str) -> tuple[Mesh, str]:
    """The face-connected pieces that are kept, and a sentence about the others, empty where there are none.

    Args:
        keep: "all"; "bodies" leaves out those below a hundredth of the volume of the largest; "largest" all but one.
    """
    if check_choice("keep", keep, PIECES) == "all" or mesh.components[0] == 1:
        return mesh, ""
    count, piece_of_cell = mesh.components
    volumes = np.bincount(piece_of_cell, mesh.volumes)
    kept = volumes >= DUST * volumes.max() if keep == "bodies" else np.arange(count) == volumes.argmax()
    cells = kept[piece_of_cell]
    if cells.all():
        return mesh, ""
    left = f"{(~cells).sum()} of {mesh.cell_count} cells in {(~kept).sum()} loose pieces were left out"
    return mesh.submesh(cells)[0], left
