"""The simple solids, centred on the origin; axes of rotation are the y axis."""

import numpy as np
from numpy.typing import ArrayLike

from pliant.errors import ArgumentError, Array, check_array, check_number
from pliant.mesh.sdf.field import Field


def sphere(radius: float) -> Field:
    """A ball of `radius` [m]."""
    r = check_number("radius", radius, above=0)
    return Field(lambda p: _length(p) - r, _symmetric_box([r, r, r]))


def ellipsoid(radii: ArrayLike) -> Field:
    """An ellipsoid with half axes `radii` (3,) [m]; the distance is exact on the surface and close to it nearby."""
    r = _positive("radii", radii)

    def distance(p: Array) -> Array:
        scaled, gradient = _length(p / r), _length(p / r**2)
        return np.where(gradient > 0, scaled * (scaled - 1) / np.maximum(gradient, 1e-300), -r.min())

    return Field(distance, _symmetric_box(r))


def box(size: ArrayLike) -> Field:
    """A brick with edge lengths `size` (3,) [m]."""
    half = _positive("size", size) / 2
    return Field(lambda p: _corner_distance(np.abs(p) - half), _symmetric_box(half))


def rounded_box(size: ArrayLike, radius: float) -> Field:
    """A brick with edge lengths `size` (3,) [m] whose edges are rounded with `radius` [m]."""
    half = _positive("size", size) / 2
    r = check_number("radius", radius, above=0)
    if r > half.min():
        raise ArgumentError(f"radius must be at most half the shortest edge, {half.min():g}; {r:g} was given")
    return Field(lambda p: _corner_distance(np.abs(p) - (half - r)) - r, _symmetric_box(half))


def capsule(start: ArrayLike, end: ArrayLike, radius: float) -> Field:
    """All points within `radius` [m] of the segment from `start` to `end` (3,) [m]."""
    a, b = check_array("start", start, (3,)), check_array("end", end, (3,))
    r = check_number("radius", radius, above=0)
    along = b - a
    squared = max(float(along @ along), 1e-300)

    def distance(p: Array) -> Array:
        t = np.clip((p - a) @ along / squared, 0, 1)
        return _length(p - a - t[:, None] * along) - r

    return Field(distance, np.stack([np.minimum(a, b) - r, np.maximum(a, b) + r]))


def cylinder(radius: float, height: float) -> Field:
    """A cylinder of this radius [m] around the y axis, y from -height / 2 to height / 2 [m]."""
    r, half = check_number("radius", radius, above=0), check_number("height", height, above=0) / 2
    return Field(lambda p: _corner_distance(_radial(p) - [r, half]), _symmetric_box([r, half, r]))


def cone(bottom: float, top: float, height: float) -> Field:
    """A cone around the y axis: radius `bottom` at y = -height / 2, `top` at y = height / 2 [m]; either may be 0."""
    low, high = check_number("bottom", bottom, at_least=0), check_number("top", top, at_least=0)
    half = check_number("height", height, above=0) / 2
    if low == high == 0:
        raise ArgumentError("bottom and top must not both be 0; give one of them a radius")
    slope = np.array([2 * half, low - high]) / np.hypot(2 * half, low - high)
    widest = max(low, high)

    def distance(p: Array) -> Array:
        # The side as a half-plane in (radius, y), and the two ends; a lower bound near the rims, exact elsewhere.
        across, y = np.hypot(p[:, 0], p[:, 2]), p[:, 1]
        side = (across - low) * slope[0] + (y + half) * slope[1]
        return np.maximum(side, np.abs(y) - half)

    return Field(distance, _symmetric_box([widest, half, widest]))


def torus(radius: float, thickness: float) -> Field:
    """A ring around the y axis: its middle at `radius`, its section a disc of radius `thickness` [m]."""
    r, t = check_number("radius", radius, above=0), check_number("thickness", thickness, above=0)
    return Field(lambda p: np.hypot(np.hypot(p[:, 0], p[:, 2]) - r, p[:, 1]) - t, _symmetric_box([r + t, t, r + t]))


def _length(p: Array) -> Array:
    return np.sqrt(np.einsum("ij,ij->i", p, p))


def _corner_distance(excess: Array) -> Array:
    # `excess` over the faces of a box: outside, its corner, edge or face is nearest; inside, the nearest face.
    return _length(np.maximum(excess, 0)) + np.minimum(excess.max(axis=1), 0)


def _radial(p: Array) -> Array:
    return np.stack([np.hypot(p[:, 0], p[:, 2]), np.abs(p[:, 1])], axis=1)


def _positive(name: str, values: ArrayLike) -> Array:
    lengths = check_array(name, values, (3,))
    if (lengths <= 0).any():
        raise ArgumentError(f"{name} must be three positive lengths; {lengths.tolist()} was given")
    return lengths


def _symmetric_box(half: ArrayLike) -> Array:
    return np.stack([-np.asarray(half, dtype=float), np.asarray(half, dtype=float)])
