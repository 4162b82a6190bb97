"""Solids for living and sailing things: sections moved along a curve, and curved sheets of constant thickness."""

from collections.abc import Callable
from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike

from pliant.errors import Array, Ids, check_array, check_choice
from pliant.mesh import sdf

SECTIONS = ("ellipse", "stadium")


def loft(stations: ArrayLike, side: ArrayLike, section: str = "ellipse") -> sdf.Field:
    """A section moved along a line of points, ends rounded.

    Args:
        stations: (k, 5): x, y, z [m], half axis along `side`, half axis across it and the line [m]; `sdf.spline` makes
            many of a few.
        side: (3,) direction of the first half axis; it need not be at a right angle to the line.
        section: "ellipse", or for thin blades "stadium", a rectangle with round ends, whose rim is not sharp.
    """
    rows = check_array("stations", stations, (None, 5))
    line = rows[:, :3]
    measure = {"ellipse": _ellipse_distance, "stadium": _stadium_distance}[check_choice("section", section, SECTIONS)]
    axes = _section_axes(np.diff(line, axis=0), check_array("side", side, (3,)))

    def distance(p: Array) -> Array:
        segment, t = _nearest_on_line(p, line)
        here = rows[segment] + t[:, None] * (rows[segment + 1] - rows[segment])
        local = np.einsum("pij,pj->pi", axes[segment], p - here[:, :3])
        return measure(local, here[:, 3:])

    reach = rows[:, 3:].max(axis=1, keepdims=True)
    return sdf.Field(distance, np.stack([(line - reach).min(axis=0), (line + reach).max(axis=0)]))


def sheet(outline: ArrayLike, thickness: float) -> sdf.Field:
    """A plate in the x-y plane with a counter-clockwise `outline` (k, 2) [m], `thickness` [m], its rim rounded."""
    corners = check_array("outline", outline, (None, 2))
    half = thickness / 2

    def distance(p: Array) -> Array:
        beyond = np.maximum(_polygon_distance(p[:, :2], corners) + half, 0)
        return np.hypot(beyond, p[:, 2]) - half

    low, high = corners.min(axis=0), corners.max(axis=0)
    return sdf.Field(distance, np.array([[*low, -half], [*high, half]]))


def bent(field: sdf.Field, height: Callable[[Array, Array], Array], reach: float) -> sdf.Field:
    """The solid with every point lifted along z by height(x, y) [m], at most `reach` [m] either way."""
    grown = field.bounds + reach * np.array([[0, 0, -1], [0, 0, 1]])

    def distance(p: Array) -> Array:
        return field.distance(np.column_stack([p[:, :2], p[:, 2] - height(p[:, 0], p[:, 1])]))

    return sdf.Field(distance, grown)


def placed(field: sdf.Field, axes: ArrayLike, origin: ArrayLike) -> sdf.Field:
    """The solid with its x, y, z along the rows of `axes` (3, 3), orthonormal, and its origin at `origin` [m]."""
    R, o = check_array("axes", axes, (3, 3)), check_array("origin", origin, (3,))
    corners = np.stack(np.meshgrid(*field.bounds.T, indexing="ij"), axis=-1).reshape(-1, 3) @ R + o
    return sdf.Field(lambda p: field.distance((p - o) @ R.T), np.stack([corners.min(axis=0), corners.max(axis=0)]))


def frame(along: ArrayLike, up: ArrayLike) -> Array:
    """Orthonormal rows (3, 3): `along`, what is left of `up` at a right angle to it, and their cross product."""
    x = np.asarray(along, dtype=float) / np.linalg.norm(along)
    y = np.asarray(up, dtype=float) - (np.asarray(up, dtype=float) @ x) * x
    y /= np.linalg.norm(y)
    return np.stack([x, y, np.cross(x, y)])


def _section_axes(along: Array, side: Array) -> Array:
    """Rows: side, across, along (k, 3, 3) of each segment."""
    tangents = along / np.linalg.norm(along, axis=1, keepdims=True)
    sides = side - (tangents @ side)[:, None] * tangents
    sides /= np.linalg.norm(sides, axis=1, keepdims=True)
    return np.stack([sides, np.cross(tangents, sides), tangents], axis=1)


def _nearest_on_line(p: Array, line: Array) -> tuple[Ids, Array]:
    """The segment (n,) of the line (k, 3) that is nearest to each point, and where in it, 0 to 1."""
    nearest, segment, place = np.full(len(p), np.inf), np.zeros(len(p), dtype=np.int64), np.zeros(len(p))
    for number, (a, b) in enumerate(pairwise(line)):
        along, offset = b - a, p - a
        t = np.clip(offset @ along / (along @ along), 0, 1)
        gap = offset - t[:, None] * along
        squared = np.einsum("ij,ij->i", gap, gap)
        closer = squared < nearest
        nearest[closer], segment[closer], place[closer] = squared[closer], number, t[closer]
    return segment, place


def _ellipse_distance(p: Array, half: Array) -> Array:
    """To ellipsoids, the third half axis the smaller of two (n, 2): exact on the surface and close to it nearby."""
    radii = np.column_stack([half, half.min(axis=1)])
    scaled, gradient = np.linalg.norm(p / radii, axis=1), np.linalg.norm(p / radii**2, axis=1)
    return np.where(gradient > 0, scaled * (scaled - 1) / np.maximum(gradient, 1e-300), -radii.min(axis=1))


def _stadium_distance(p: Array, half: Array) -> Array:
    """To a segment along x, grown by the second half axis."""
    beyond = np.maximum(np.abs(p[:, 0]) - np.maximum(half[:, 0] - half[:, 1], 0), 0)
    return np.hypot(np.hypot(beyond, p[:, 1]), p[:, 2]) - half[:, 1]


def _polygon_distance(p: Array, corners: Array) -> Array:
    """Signed distance (n,) of points (n, 2) to a polygon, negative inside."""
    squared, inside = np.full(len(p), np.inf), np.zeros(len(p), dtype=bool)
    for a, b in zip(corners, np.roll(corners, -1, axis=0), strict=True):
        along, offset = b - a, p - a
        t = np.clip(offset @ along / (along @ along), 0, 1)
        np.minimum(squared, ((offset - t[:, None] * along) ** 2).sum(axis=1), out=squared)
        crosses = (p[:, 1] < a[1]) != (p[:, 1] < b[1])
        if along[1] != 0:
            inside ^= crosses & (offset[:, 0] < offset[:, 1] * along[0] / along[1])
    return np.where(inside, -1, 1) * np.sqrt(squared)
