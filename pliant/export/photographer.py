"""Pictures of the frames of a recording from one place: what they share is worked out once."""

from collections.abc import Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from pliant.errors import Array, check_array, check_count
from pliant.export.camera import Camera, framing
from pliant.export.colours import encoded, linear
from pliant.export.pieces import creased
from pliant.export.recording import Recording
from pliant.export.studio import GHOST, SURFACE, Layer, Studio

DIRECTION = (0.55, 0.42, 1.0)
FRAMED = 60  # frames that the camera makes room for


class Photographer:
    """Takes pictures of a recording.

    Args:
        size: width and height [pixels].
        direction: (3,) from the middle of the scene to the camera, which is placed so that all frames fit; without it
            and a camera, the recording's own camera, or else from the front right.
        camera: another camera.
        colour: linear RGB of the surface; None: as it is painted, or else blue.
        ground: its height [m]; None: the lowest point of the recording.
    """

    def __init__(
        self,
        recording: Recording,
        size: tuple[int, int],
        direction: Sequence[float] | None = None,
        camera: Camera | None = None,
        colour: Sequence[float] | None = None,
        ground: float | None = None,
    ):
        self.recording = recording
        self.width, self.height = (check_count("size", side, at_least=8, at_most=8192) for side in size)
        self.surface, self.paint = creased(recording), _paint(recording, colour)
        self.camera = camera or self._chosen(None if direction is None else check_array("direction", direction, (3,)))
        self._ground = ground

    def take(self, frame: int, ghosts: Sequence[int] = ()) -> NDArray[np.uint8]:
        """sRGB (height, width, 3) of a frame; others show through it."""
        # A ghost in the colour itself looks grey on a pale ground; its square root is lighter and keeps the hue.
        looks = [(1.2 * np.sqrt(self.paint), GHOST)] * len(ghosts) + [(self.paint, 1.0)]
        layers = [self._layer(each, *look) for each, look in zip([*ghosts, frame], looks)]
        return encoded(self.studio.photograph(layers))

    @cached_property
    def studio(self) -> Studio:
        low, high = self.recording.bounds
        ground = float(low[1]) if self._ground is None else self._ground
        return Studio(self.camera, ground, float(np.linalg.norm(high - low)) / 2, self.width, self.height)

    def _chosen(self, direction: Array | None) -> Camera:
        recording = self.recording
        if direction is None and recording.camera is not None:
            return recording.camera
        points = np.concatenate([recording.vertices(frame)[recording.drawn] for frame in recording.sample(FRAMED)])
        return framing(points, np.array(DIRECTION) if direction is None else direction, self.width / self.height)

    def _layer(self, frame: int, colour: Array, alpha: float) -> Layer:
        return Layer(self.recording.vertices(frame)[self.surface.source], self.surface.triangles, colour, alpha)


def _paint(recording: Recording, colour: Sequence[float] | None) -> Array:
    """Linear RGB of the surface (3,) or of its triangles (t, 3)."""
    if colour is None and recording.colours is not None:
        return linear(recording.colours)
    return check_array("colour", SURFACE if colour is None else colour, (3,))
