"""Analytic obstacles: planes, boxes, spheres and capsules, each in a frame (R, t) that may move.

Points of bodies are tested against them, never their corners against faces of bodies: what lies with one large triangle
across the corner of a box sinks in. Where that matters, give the box as a surface of a static body.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from pliant.errors import ArgumentError, Array, Ids, check_array, check_number

PLANE, BOX, SPHERE, CAPSULE = range(4)


@dataclass(frozen=True, eq=False)
class Field:
    """One obstacle at rest in its own frame.

    Attributes:
        kind: PLANE, BOX, SPHERE or CAPSULE.
        size: (3,) [m]; a box has half its edges, a sphere its radius first, a capsule its radius and half the length of
            its axis.
        R: its axes as columns (3, 3); a plane has its normal along y, a capsule its axis.
        t: its origin (3,) [m]: a point of the plane, the middle of all others.
    """

    kind: int
    size: Array
    R: Array
    t: Array

    def __post_init__(self) -> None:
        for name in ("size", "R", "t"):
            array = np.array(getattr(self, name), dtype=np.float64)
            array.setflags(write=False)
            object.__setattr__(self, name, array)


class Fields(NamedTuple):
    """Obstacles in a row, for compiled code; R, t and margin may be written between steps."""

    kind: Ids  # (f,)
    size: Array  # (f, 3)
    R: Array  # (f, 3, 3)
    t: Array  # (f, 3)
    margin: Array  # (f,) [m] how far each may move before contacts are found again


def plane(point: ArrayLike = (0, 0, 0), normal: ArrayLike = (0, 1, 0)) -> Field:
    """The half space below a plane; all of it is inside."""
    n = check_array("normal", normal, (3,))
    length = float(np.linalg.norm(n))
    if length == 0:
        raise ArgumentError("normal must have a direction; (0, 0, 0) was given")
    y = n / length
    x = np.cross(y, np.eye(3)[np.abs(y).argmin()])
    x /= np.linalg.norm(x)
    return Field(PLANE, np.zeros(3), np.stack([x, y, np.cross(x, y)], axis=1), check_array("point", point, (3,)))


def box(size: ArrayLike, position: ArrayLike = (0, 0, 0), rotation: ArrayLike | None = None) -> Field:
    """A box with edges of these lengths (3,) [m], centred on `position`."""
    edges = check_array("size", size, (3,))
    if (edges <= 0).any():
        raise ArgumentError(f"size must be three positive lengths; {edges.tolist()} was given")
    return _placed(BOX, edges / 2, position, rotation)


def sphere(radius: float, position: ArrayLike = (0, 0, 0)) -> Field:
    """A ball around `position`."""
    return _placed(SPHERE, np.array([check_number("radius", radius, above=0), 0, 0]), position, None)


def capsule(radius: float, length: float, position: ArrayLike = (0, 0, 0), rotation: ArrayLike | None = None) -> Field:
    """All within `radius` of a segment of this length [m] along y, centred on `position`."""
    half = check_number("length", length, at_least=0) / 2
    return _placed(CAPSULE, np.array([check_number("radius", radius, above=0), half, 0]), position, rotation)


def fields_of(obstacles: Sequence[Field]) -> Fields:
    """Obstacles in a row; none is welcome."""
    return Fields(
        np.array([o.kind for o in obstacles], dtype=np.int64),
        np.array([o.size for o in obstacles], dtype=np.float64).reshape(-1, 3),
        np.array([o.R for o in obstacles], dtype=np.float64).reshape(-1, 3, 3),
        np.array([o.t for o in obstacles], dtype=np.float64).reshape(-1, 3),
        np.zeros(len(obstacles)),
    )


def _placed(kind: int, size: Array, position: ArrayLike, rotation: ArrayLike | None) -> Field:
    R = np.eye(3) if rotation is None else check_array("rotation", rotation, (3, 3))
    if np.abs(R.T @ R - np.eye(3)).max() > 1e-6 or np.linalg.det(R) < 0:
        raise ArgumentError(
            "rotation must be a rotation matrix (3, 3); its columns are not orthonormal and right-handed"
        )
    return Field(kind, size, R, check_array("position", position, (3,)))
