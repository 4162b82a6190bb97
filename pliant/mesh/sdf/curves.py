"""Solids along curves: a radius, constant or varying, swept along a line of points."""

import numpy as np
from numpy.typing import ArrayLike

from pliant.errors import ArgumentError, Array, check_array, check_count
from pliant.mesh.sdf.field import Field


def sweep(points: ArrayLike, radius: ArrayLike) -> Field:
    """A ball of `radius` [m] (one number, or one a point) moved along the line through `points` (k, 3) [m]."""
    line = check_array("points", points, (None, 3))
    radii = check_array("radius", np.broadcast_to(radius, len(line)) if np.ndim(radius) == 0 else radius, (len(line),))
    if len(line) < 2:
        raise ArgumentError(f"points must be two or more; {len(line)} was given")
    if (radii <= 0).any():
        raise ArgumentError(f"radius must be positive; {radii.min():g} was given")
    segments = list(zip(line, line[1:], radii, radii[1:], strict=False))

    def distance(p: Array) -> Array:
        nearest = np.full(len(p), np.inf)
        for a, b, start, end in segments:
            np.minimum(nearest, _round_cone(p, a, b, start, end), out=nearest)
        return nearest

    margin = radii[:, None]
    return Field(distance, np.stack([(line - margin).min(axis=0), (line + margin).max(axis=0)]))


def spline(points: ArrayLike, count: int = 32) -> Array:
    """`count` points (count, d) on the smooth curve through `points` (k, d), evenly spaced in chord length.

    Any number of columns is welcome, so that a radius can ride along: (k, 4) -> (count, 4).
    """
    from scipy.interpolate import CubicSpline  # takes half a second, and few need it

    knots = check_array("points", points, (None, None))
    check_count("count", count, at_least=2, at_most=100_000)
    chords = np.linalg.norm(np.diff(knots[:, :3], axis=0), axis=1)
    if len(knots) < 2 or (chords == 0).any():
        raise ArgumentError("points must be two or more, no two of them equal in a row")
    s = np.concatenate([[0], np.cumsum(chords)])
    return CubicSpline(s, knots)(np.linspace(0, s[-1], count))


def _round_cone(p: Array, a: Array, b: Array, start: float, end: float) -> Array:
    """Distance to the hull of two balls; the nearest ball lies `lean` back on the axis for each step out from it."""
    axis = b - a
    length = float(np.linalg.norm(axis))
    if length <= abs(start - end):
        centre, radius = (a, start) if start >= end else (b, end)
        return np.linalg.norm(p - centre, axis=1) - radius
    along = (p - a) @ axis / length
    across = np.sqrt(np.maximum(np.einsum("ij,ij->i", p - a, p - a) - along**2, 0))
    sine = (start - end) / length
    lean = sine / np.sqrt(1 - sine**2)
    t = np.clip((along - across * lean) / length, 0, 1)
    return np.hypot(across, along - t * length) - (start + t * (end - start))
