"""A vibration mode as a moving picture, slowed down where it is too fast to see."""

from typing import TYPE_CHECKING

import numpy as np

from pliant.app.packing import Geometry, pack_pose, pack_vertices
from pliant.app.vibrations import Vibrations
from pliant.errors import Array
from pliant.skin import Pose

if TYPE_CHECKING:
    from pliant.app.stage import Stage

AMPLITUDE = 0.12  # of the size of the solid
FASTEST = 1.5  # [Hz]


class ModeShow:
    """x(t) = rest + A cos(2 pi f t) psi, with f the frequency of the mode or `FASTEST`."""

    def __init__(self, vibrations: Vibrations, mode: int, stage: "Stage"):
        self.frequency = float(vibrations.frequencies[mode])
        self.shown = min(self.frequency, FASTEST)
        self._system, self._still, self._shape = stage.base, stage.rest_pose, vibrations.coordinates[mode]
        rest = stage.rest
        moved = np.abs(self.vertices_at(1.0) - rest).max()
        self._amplitude = AMPLITUDE * np.ptp(rest, axis=0).max() / max(moved, np.finfo(float).tiny)

    @property
    def slowed(self) -> float:
        """How many times slower than the truth it is shown."""
        return self.frequency / self.shown if self.shown else 1.0

    def size(self, seconds: float) -> float:
        """The factor on the shape."""
        return self._amplitude * float(np.cos(2 * np.pi * self.shown * seconds))

    def pose_at(self, size: float) -> Pose:
        """The shape times `size` on top of the pose at rest."""
        still = self._still
        flat = still.flat.copy()
        flat[: len(self._shape)] += size * self._shape
        return Pose.stacked(still.rotations, still.translations, flat, still.offsets)

    def vertices_at(self, size: float) -> Array:
        """World positions (n, 3) [m]."""
        return self._system.drawn(self.pose_at(size))


def show_frame(show: ModeShow, geometry: Geometry, number: int, seconds: float) -> bytes:
    """The mode `seconds` after its show began, for pages."""
    size = show.size(seconds)
    if geometry.skin is None:
        return pack_vertices(geometry, number, seconds, show.vertices_at(size))
    return pack_pose(geometry, number, seconds, show.pose_at(size))
