"""How a bare surface is filled with cells: coarse ones, since it is drawn itself, and sheets where it has no inside.

An open surface in one piece is a shell instead, its triangles as they are.

    edge = (14 V / count)^(1/3),   of sheets sqrt(18 A / count),   V and A its volume and area

A lattice has about 14 tets a cube of its edge, and a sheet as thick as its edge about 18 a square of it.
"""

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np

from pliant.errors import MeshError, PliantWarning
from pliant.mesh import Mesh, Sheet, Surface
from pliant.mesh.enclosure import areas, enclosure, uncovered
from pliant.mesh.mending import mended_sheet
from pliant.numerics.progress import Progress, report
from pliant.scenes.part_building import fill_surface
from pliant.scenes.schema import Part
from pliant.scenes.units import said_length

CELLS = 6000
IN_CUBE, IN_SQUARE = 14.0, 18.0
EDGES = (0.01, 0.08)  # of the diagonal
OPEN, SHELL = 0.01, 0.5  # doubt about the inside: of what has holes, and of what has no inside
THIN = 0.02  # of the diagonal: the thickness of a shell
FEWEST, MOST = 100, 30_000  # triangles of a shell
CRUMBS = 0.01  # of the cells
LOST = 0.04  # of the area, that no cells are near
HOLES = "the surface is open, and its holes are closed"


@dataclass(frozen=True, eq=False)
class Filling:
    """Keys of a part's table, and the cells that they make, all pieces, in units of the file.

    Attributes:
        doubt: of the `enclosure`.
        thick: what is made so thick [units], where that is needed.
        thin: of a shell [units].
    """

    table: dict[str, Any]
    mesh: Mesh
    doubt: float
    thick: float | None = None
    thin: float | None = None

    def said(self, unit: float) -> tuple[str, ...]:
        """Sentences about it; `unit` is that of the file [m]."""
        if self.thin is not None:
            return (f"the surface is open, so it is a shell, {said_length(self.thin * unit)} thick",)
        if self.thick is None:
            return (HOLES,) if self.doubt > OPEN else ()
        thick = said_length(self.thick * unit)
        if self.doubt >= SHELL:
            return (f"the surface encloses nothing, so its sheets are made {thick} thick",)
        holes = (HOLES,) if self.doubt > OPEN else ()
        return (*holes, f"limbs thinner than {thick} are made so thick")


def filling_of(
    surface: Surface,
    progress: Progress = None,
    whole: bool = False,
    count: int = CELLS,
    in_one_piece: bool = False,
) -> Filling:
    """The inside, and sheets and limbs where it encloses nothing or is thinner than the cells, about `count` of them.

    What stays `whole` is a shell where it is open. What is meant to be `in_one_piece` has limbs made thicker where they
    would come off.
    """
    area = float(areas(surface).sum())
    if not area > 0:
        raise MeshError("all triangles of the surface are points or lines; nothing can be filled, get another file")
    found, diagonal = enclosure(surface), _diagonal(surface)
    report(progress, "cells", 0.1)
    if whole and found.doubt > OPEN and (sheet := _open_sheet(surface)) is not None:
        return Filling({}, sheet, found.doubt, thin=THIN * diagonal)
    if found.doubt >= SHELL:
        edge = _rounded(np.sqrt(IN_SQUARE * area / count) / diagonal, EDGES[0], 2 * EDGES[1])
        return _thickened(surface, edge, found.doubt)
    edge = _rounded((IN_CUBE * found.volume / count) ** (1 / 3) / diagonal, *EDGES)
    try:
        plain = _filled(surface, {"edge": edge}, found.doubt)
    except MeshError:  # no point of the lattice lies inside
        plain = None
    report(progress, "cells", 0.3)
    sound = plain is not None and not (in_one_piece and falls_apart(plain.mesh))
    if plain is not None and sound and not _lacks(plain.mesh, surface, edge * diagonal):
        return plain
    report(progress, "cells", 0.5)
    if in_one_piece:  # one of many: coarser, as a sheet with two sides
        edge = max(edge, _rounded(np.sqrt(IN_SQUARE * area / 2 / count) / diagonal, EDGES[0], 2 * EDGES[1]))
    return _thickened(surface, edge, found.doubt)


def _open_sheet(surface: Surface) -> Sheet | None:
    """The surface as a shell, if it is one that bends: in one piece, with a border, and with enough triangles."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", PliantWarning)
            sheet = mended_sheet(surface)
    except MeshError:
        return None
    whole = sheet.components[0] == 1 and (sheet.sides[0][:, 1] < 0).any()
    return sheet if whole and FEWEST <= sheet.cell_count <= MOST else None


def falls_apart(mesh: Mesh) -> bool:
    """Is there more beside the largest piece than crumbs?"""
    cells = np.bincount(mesh.components[1])
    return bool(cells.max() < (1 - CRUMBS) * cells.sum())


def _lacks(mesh: Mesh, surface: Surface, edge: float) -> bool:
    """Is some of the surface, or one of its ends, farther than an edge [m] from the cells?"""
    gap = float(np.abs(mesh.bounds - surface.bounds).max())
    return gap > edge or uncovered(surface, mesh, edge) > LOST


def _thickened(surface: Surface, edge: float, doubt: float) -> Filling:
    return _filled(surface, {"edge": edge, "thickness": edge}, doubt, edge * _diagonal(surface))


def _filled(surface: Surface, keys: dict[str, Any], doubt: float, thick: float | None = None) -> Filling:
    table = {"method": "lattice", **keys}
    return Filling(table, fill_surface(Part(surface="it", **table), surface), doubt, thick)


def _diagonal(surface: Surface) -> float:
    return float(np.linalg.norm(np.ptp(surface.bounds, axis=0)))


def _rounded(number: float, least: float, most: float) -> float:
    """Between two numbers, and as a scene file shall show it."""
    return float(f"{np.clip(number, least, most):.3g}")
