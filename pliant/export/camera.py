"""A perspective camera, and where to put it so that everything is in the picture."""

from dataclasses import dataclass

import numpy as np

from pliant.errors import Array
from pliant.mesh.normals import unit


@dataclass(frozen=True)
class Camera:
    """Where the picture is taken from.

    Attributes:
        eye: (3,) [m].
        target: (3,) the point in the middle of the picture [m].
        angle: vertical field of view [degrees].
    """

    eye: tuple[float, float, float]
    target: tuple[float, float, float]
    angle: float = 28.0

    def __repr__(self) -> str:
        eye, target = (" ".join(f"{x:.3g}" for x in point) for point in (self.eye, self.target))
        return f"Camera(at {eye} m, looks at {target} m, {self.angle:.3g} degrees)"

    @property
    def axes(self) -> Array:
        """Rows: right, up, backwards (3, 3)."""
        return view_axes(np.subtract(self.eye, self.target))

    def project(self, x: Array, width: int, height: int) -> tuple[Array, Array]:
        """Pixels (n, 2) and depths (n,) [m] of points (n, 3)."""
        local = (x - np.array(self.eye)) @ self.axes.T
        depth = -local[:, 2]
        focal = height / 2 / np.tan(np.radians(self.angle) / 2)
        ahead = np.where(depth > 0, depth, np.nan)[:, None]
        return np.array([width, height]) / 2 + focal * local[:, :2] / ahead * [1, -1], depth

    def rays(self, width: int, height: int) -> Array:
        """Directions (height, width, 3) through the middles of the pixels, of depth one."""
        focal = height / 2 / np.tan(np.radians(self.angle) / 2)
        columns, rows = np.meshgrid(np.arange(width) + 0.5, np.arange(height) + 0.5)
        local = np.stack([(columns - width / 2) / focal, (height / 2 - rows) / focal, -np.ones(rows.shape)], axis=-1)
        return local @ self.axes


def view_axes(backwards: Array) -> Array:
    """Rows right, up, backwards (3, 3) of a view; up is y, or z where the view looks along y."""
    back = unit(np.asarray(backwards, dtype=float))
    up = np.array([0.0, 1.0, 0.0]) if abs(back[1]) < 0.999 else np.array([0.0, 0.0, -1.0])
    right = unit(np.cross(up, back))
    return np.stack([right, np.cross(back, right), back])


def framing(points: Array, direction: Array, aspect: float, angle: float = 28.0, margin: float = 1.12) -> Camera:
    """The nearest camera in a direction (3,) from the middle of points (n, 3) that has them all in the picture.

    Args:
        aspect: width over height.
        margin: 1 lets the outermost points touch the border.
    """
    axes = view_axes(direction)
    local = points @ axes.T
    middle = (local.min(axis=0) + local.max(axis=0)) / 2
    local -= middle
    slope = np.tan(np.radians(angle) / 2) * np.array([aspect, 1.0]) / margin
    distance = (np.abs(local[:, :2]) / slope + local[:, 2:]).max() if len(points) else 1.0
    target = middle @ axes
    eye = target + max(distance, 1e-6) * axes[2]
    return Camera(tuple(eye.tolist()), tuple(target.tolist()), angle)
