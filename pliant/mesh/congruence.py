"""Congruent pieces of a triangle soup: which loose pieces are turned, scaled or mirrored copies of others.

    x = scale rotation M X + shift,   M = diag(-1, 1, 1) of a mirrored copy, else 1

Modelling programs write copies vertex by vertex alike, so that order is tried first; copies in any other order are
found by `align`, in which no order counts.
"""

from __future__ import annotations

import colorsys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from scipy.sparse import coo_matrix
from scipy.sparse.csgraph import connected_components

from pliant.errors import Array, Ids, MeshError, check_count, check_number
from pliant.mesh.matching import Alignment, Shape, align, fitted, may_match
from pliant.mesh.mending import welded
from pliant.mesh.surface import Surface
from pliant.mesh.surface_input import SurfaceLike, as_surface

TOLERANCE = 1e-3  # of the root mean square radius: files round their numbers
MIRROR = np.array([-1.0, 1.0, 1.0])
GOLDEN = 0.618034  # of a turn of hue from one shape to the next, so that neighbours differ
ALONE = (0.72, 0.72, 0.72)  # the colour of what has no copies


class PieceCells(NamedTuple):
    """The vertices (n, 3) and triangles (t, 3) of one loose piece."""

    vertices: Array
    cells: Ids


@dataclass(frozen=True, eq=False)
class PieceCopy:
    """One loose piece, as a copy of a shape: X of the shape lies at scale rotation M X + shift.

    Attributes:
        shape: number of the shape, in `CongruentPieces.shapes`.
        rotation, scale, shift: (3, 3), a number, (3,).
        mirrored: is x turned to -x before it is rotated?
    """

    shape: int
    rotation: Array
    scale: float
    shift: Array
    mirrored: bool = False

    def placed(self, X: Array) -> Array:
        """Points (..., 3) of the shape where this copy has them."""
        return self.scale * (X * MIRROR if self.mirrored else X) @ self.rotation.T + self.shift


@dataclass(frozen=True, eq=False)
class CongruentPieces:
    """A surface in loose pieces, and which of them are the same; made by `pl.congruent_pieces`.

    Attributes:
        surface: vertices in one place are one.
        piece_of_triangle: (t,) pieces are numbered in the order of the file.
        leaders: the piece that every shape was found in first.
        copies: how every piece lies; the first one of a shape lies as the shape.
    """

    surface: Surface
    piece_of_triangle: Ids
    leaders: tuple[int, ...]
    copies: tuple[PieceCopy, ...]

    def __repr__(self) -> str:
        return f"CongruentPieces({len(self.copies)} pieces of {len(self.leaders)} shapes)"

    @cached_property
    def counts(self) -> Ids:
        """Copies of every shape."""
        return np.bincount([copy.shape for copy in self.copies], minlength=len(self.leaders))

    @cached_property
    def shapes(self) -> tuple[Surface, ...]:
        """The first piece of every shape, where it is in the file."""
        return tuple(self.piece(number) for number in self.leaders)

    def piece(self, number: int) -> Surface:
        """One loose piece, from 0 in the order of the file."""
        number = check_count("piece", number, at_least=0, at_most=len(self.copies) - 1)
        return Surface(*cells_of(self.surface, self.piece_of_triangle == number))

    @property
    def colours(self) -> Array:
        """(t, 3) one colour a shape, from 0 to 1; mirrored copies are paler, and what has no copy is grey."""
        of_copy = [shape_colour(copy.shape, self.counts[copy.shape], copy.mirrored) for copy in self.copies]
        return np.array(of_copy)[self.piece_of_triangle]


def congruent_pieces(surface: SurfaceLike, tolerance: float = TOLERANCE) -> CongruentPieces:
    """Which loose pieces of a surface are copies of others: moved, rotated, scaled in all directions alike, mirrored.

    Args:
        surface: what triangles share a vertex in one place is one piece; a path or a `Surface`.
        tolerance: how far a vertex may be from where it should be, over the root mean square radius of its piece.
    """
    check_number("tolerance", tolerance, above=0)
    soup = as_surface(surface)
    whole = Surface(*welded(soup.vertices, soup.triangles))
    numbers = loose_pieces(whole)
    order = np.argsort(numbers, kind="stable")
    rows = np.split(order, np.cumsum(np.bincount(numbers))[:-1])
    pieces = [Shape(cells_of(whole, chosen)) for chosen in rows]
    for number, piece in enumerate(pieces):
        if not piece.radius > 0:
            raise MeshError(f"piece {number} of the surface is a single point; remove triangles without area")
    leaders: list[int] = []
    copies: list[PieceCopy] = []
    known: dict[tuple, list[int]] = {}  # shapes, by what is counted of them
    for number, piece in enumerate(pieces):
        alike = known.setdefault(piece.counts, [])
        found = next((c for s in alike if (c := _copied(s, pieces[leaders[s]], piece, tolerance)) is not None), None)
        if found is None:
            alike.append(len(leaders))
            found = PieceCopy(len(leaders), np.eye(3), 1.0, np.zeros(3))
            leaders.append(number)
        copies.append(found)
    return CongruentPieces(whole, numbers, tuple(leaders), tuple(copies))


def loose_pieces(surface: Surface) -> Ids:
    """(t,) the piece of every triangle, numbered in the order of the file; pieces share no vertex."""
    triangles = surface.triangles
    rows, columns = triangles[:, :2].ravel(), triangles[:, 1:].ravel()
    graph = coo_matrix((np.ones(len(rows), dtype=np.int8), (rows, columns)), (len(surface.vertices),) * 2)
    found = connected_components(graph.tocsr(), directed=False)[1][triangles[:, 0]]
    _, first, number = np.unique(found, return_index=True, return_inverse=True)
    rank = np.empty_like(first)
    rank[np.argsort(first)] = np.arange(len(first))
    return rank[number.ravel()]


def loose_piece(surface: Surface, number: int) -> Surface:
    """One loose piece of a surface, from 0 in the order of the file."""
    whole = Surface(*welded(surface.vertices, surface.triangles))
    numbers = loose_pieces(whole)
    number = check_count("piece", number, at_least=0, at_most=int(numbers.max()))
    return Surface(*cells_of(whole, numbers == number))


def cells_of(surface: Surface, chosen: Array | Ids) -> PieceCells:
    """Some triangles, with the vertices that they use, in the order of the file."""
    triangles = surface.triangles[chosen]
    ids = np.unique(triangles)
    return PieceCells(surface.vertices[ids], np.searchsorted(ids, triangles))


def shape_colour(shape: int, count: int, mirrored: bool = False) -> tuple[float, float, float]:
    """Of a shape, from 0 to 1; those that have no copies share one."""
    if count < 2:
        return ALONE
    return colorsys.hls_to_rgb(shape * GOLDEN % 1, 0.72 if mirrored else 0.5, 0.55)


def _copied(number: int, shape: Shape, piece: Shape, tolerance: float) -> PieceCopy | None:
    if not may_match(shape, piece, tolerance):
        return None
    mirror = Shape(PieceCells(shape.mesh.vertices * MIRROR, shape.mesh.cells))
    for place, mirrored in _places(shape, mirror, piece, tolerance):
        if place is not None:
            return PieceCopy(number, place.rotation, place.scale, place.shift, mirrored)
    return None


def _places(shape: Shape, mirror: Shape, piece: Shape, tolerance: float) -> Iterator[tuple[Alignment | None, bool]]:
    """Ways in which a shape may lie as the piece does, the quickest to find first."""
    if np.array_equal(np.sort(shape.mesh.cells, axis=1), np.sort(piece.mesh.cells, axis=1)):
        order = np.arange(len(shape.points))
        yield fitted(shape, piece, order, tolerance), False
        yield fitted(mirror, piece, order, tolerance), True
    yield align(shape, piece, tolerance), False
    yield align(mirror, piece, tolerance), True
