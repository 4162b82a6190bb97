"""Cut a mesh into parts: where it is narrow, or into parts of equal size."""

from typing import Any

import numpy as np

from pliant.errors import ArgumentError, Ids, check_choice, check_count
from pliant.mesh.mesh import Mesh
from pliant.mesh.narrow_cuts import narrow_parts
from pliant.mesh.partition import balanced_parts, grown_parts, shares
from pliant.mesh.thickness import parts_by_thickness

METHODS = ("narrow", "balanced", "thickness")


def split(mesh: Any, count: int | None = None, method: str = "narrow") -> Ids:
    """A part number from 0 for every cell (m,); each part is face-connected.

    Args:
        mesh: a `Mesh`, or a solid.
        count: parts; None: as many as the shape has narrow places, up to 16 a loose piece; a lump stays whole.
        method: "narrow" cuts across limbs, necks and handles, by interfaces that are flat, small and do not touch each
            other, so that the parts go round in circles only where the shape does. Where no such cut has room, the
            largest part is halved as it comes. "balanced": nearly equal numbers of cells, by METIS, or grown breadth
            first without the package pymetis. "thickness": parts that are equally thick, by the largest ball inside
            that holds a cell, as many as there are, or the smallest joined to others until there are `count`.
    """
    whole = mesh if isinstance(mesh, Mesh) else getattr(mesh, "mesh", None)
    if not isinstance(whole, Mesh):
        raise ArgumentError(f"mesh must be a pliant Mesh or Solid; {type(mesh).__name__} was given")
    check_choice("method", method, METHODS)
    if count is not None:
        check_count("count", count, at_most=whole.cell_count)
        loose = whole.components[0]
        if count < loose:
            raise ArgumentError(
                f"count must be at least {loose}, the number of loose pieces of the mesh; {count} was given"
            )
    if method == "narrow":
        return _narrow(whole, count)
    if method == "thickness":
        return parts_by_thickness(whole, count)
    if count is None:
        raise ArgumentError('count is missing: method = "balanced" makes parts of equal size, but how many?')
    return balanced_parts(whole, count)


def _narrow(mesh: Mesh, count: int | None) -> Ids:
    pieces, piece_of_cell = mesh.components
    wanted = [None] * pieces if count is None else shares(np.bincount(piece_of_cell), count)
    labels = np.empty(mesh.cell_count, dtype=np.int64)
    first = 0
    for piece, share in enumerate(wanted):
        cells = np.flatnonzero(piece_of_cell == piece)
        parts = narrow_parts(mesh if pieces == 1 else mesh.submesh(cells)[0], share)
        parts = [cells[part] for part in parts]
        for number, part in enumerate(parts if share is None else _halved(mesh, parts, share)):
            labels[part] = first + number
        first = int(labels[cells].max()) + 1
    return labels


def _halved(mesh: Mesh, parts: list[Ids], count: int) -> list[Ids]:
    """Parts, the largest halved until there are enough."""
    while len(parts) < count:
        largest = parts.pop(int(np.argmax([len(part) for part in parts])))
        halves = grown_parts(mesh.cell_adjacency[largest][:, largest], 2)
        parts += [largest[halves == 0], largest[halves == 1]]
    return parts
