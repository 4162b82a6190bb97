"""The signed-distance field: a function of points and the box it lives in, with its operators."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import reduce

import numpy as np
from numpy.typing import ArrayLike
from scipy.spatial.transform import Rotation

from pliant.errors import ArgumentError, Array, check_array, check_choice, check_number
from pliant.mesh.mesh import Mesh
from pliant.mesh.pieces import kept_pieces
from pliant.mesh.sdf.meshing import surface_of, tets_of, voxels_of
from pliant.mesh.surface import Surface

Distance = Callable[[Array], Array]
AXES = ("x", "y", "z")


@dataclass(frozen=True, eq=False)
class Field:
    """A solid: a | b is their union, a & b what they share, a - b the first without the second.

    Attributes:
        distance: points (p, 3) [m] -> signed distances (p,) [m], negative inside. Combined solids bound it from below.
        bounds: a box (2, 3) [m] that holds the solid.
    """

    distance: Distance
    bounds: Array

    def __repr__(self) -> str:
        low, high = (" ".join(f"{x:.3g}" for x in corner) for corner in self.bounds)
        return f"Field(from {low} to {high} m)"

    def __or__(self, other: "Field") -> "Field":
        return union(self, other)

    def __and__(self, other: "Field") -> "Field":
        return intersection(self, other)

    def __sub__(self, other: "Field") -> "Field":
        return Field(lambda p: np.maximum(self.distance(p), -other.distance(p)), self.bounds)

    def translate(self, offset: ArrayLike) -> "Field":
        """Moved by `offset` (3,) [m]."""
        step = check_array("offset", offset, (3,))
        return Field(lambda p: self.distance(p - step), self.bounds + step)

    def rotate(self, axis: ArrayLike, angle: float) -> "Field":
        """Turned around `axis` (3,) through the origin by `angle` [rad], counter-clockwise."""
        direction = check_array("axis", axis, (3,))
        if not direction.any():
            raise ArgumentError("axis must have a direction; (0, 0, 0) was given")
        turn = check_number("angle", angle) * direction / np.linalg.norm(direction)
        R = Rotation.from_rotvec(turn).as_matrix()
        return Field(lambda p: self.distance(p @ R), _box_of(_box_corners(self.bounds) @ R.T))

    def scale(self, factor: float) -> "Field":
        """`factor` times as large, from the origin; the same in all directions, so that distances stay right."""
        s = check_number("factor", factor, above=0)
        return Field(lambda p: s * self.distance(p / s), s * self.bounds)

    def mirror(self, axis: str = "x") -> "Field":
        """The union with the mirror image across the plane axis = 0."""
        signs = np.where(np.array(AXES) == check_choice("axis", axis, AXES), -1.0, 1.0)
        return union(self, Field(lambda p: self.distance(p * signs), _box_of(self.bounds * signs)))

    def grow(self, thickness: float) -> "Field":
        """Thicker by `thickness` [m] on every side, edges rounded; negative shrinks."""
        t = check_number("thickness", thickness)
        return Field(lambda p: self.distance(p) - t, self.bounds + np.array([[-t], [t]]))

    def voxels(self, edge: float, keep: str = "largest") -> Mesh:
        """Hex mesh of the cubes of edge `edge` [m] whose centre lies inside; `keep` as in `voxelise`."""
        return kept_pieces(voxels_of(self.distance, self.bounds, edge), keep)

    def tets(self, edge: float, keep: str = "largest") -> Mesh:
        """Tet mesh with edges of about `edge` [m] that follows the surface; `keep` as in `voxelise`."""
        return kept_pieces(tets_of(self.distance, self.bounds, edge), keep)

    def surface(self, edge: float) -> Surface:
        """Closed triangle surface by marching cubes of edge `edge` [m]."""
        return surface_of(self.distance, self.bounds, edge)


def union(*fields: Field) -> Field:
    """All points that are in one of the solids."""
    boxes = np.stack([field.bounds for field in _some(fields)])
    box = np.stack([boxes[:, 0].min(axis=0), boxes[:, 1].max(axis=0)])
    return Field(lambda p: reduce(np.minimum, (field.distance(p) for field in fields)), box)


def intersection(*fields: Field) -> Field:
    """All points that are in every one of the solids."""
    boxes = np.stack([field.bounds for field in _some(fields)])
    low, high = boxes[:, 0].max(axis=0), boxes[:, 1].min(axis=0)
    return Field(
        lambda p: reduce(np.maximum, (field.distance(p) for field in fields)), np.stack([low, np.maximum(low, high)])
    )


def smooth_union(*fields: Field, radius: float) -> Field:
    """Union with filled creases: min(a, b) - max(radius - |a - b|, 0)^2 / (4 radius), `radius` in [m]."""
    k = check_number("radius", radius, above=0)

    def blend(a: Array, b: Array) -> Array:
        return np.minimum(a, b) - np.maximum(k - np.abs(a - b), 0) ** 2 / (4 * k)

    box = union(*fields).bounds + k / 4 * (len(fields) - 1) * np.array([[-1], [1]])
    return Field(lambda p: reduce(blend, (field.distance(p) for field in fields)), box)


def _some(fields: tuple[Field, ...]) -> tuple[Field, ...]:
    if not fields or not all(isinstance(field, Field) for field in fields):
        raise ArgumentError("solids to combine must be one or more sdf.Field objects, such as sdf.sphere(1)")
    return fields


def _box_corners(box: Array) -> Array:
    return np.stack(np.meshgrid(*box.T, indexing="ij"), axis=-1).reshape(-1, 3)


def _box_of(points: Array) -> Array:
    return np.stack([points.min(axis=0), points.max(axis=0)])
