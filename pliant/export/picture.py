"""Still pictures (.png) of a recording, drawn without a display: soft light, a ground, a shadow."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from pliant.errors import Array, check_array, check_count
from pliant.export.camera import Camera, framing
from pliant.export.colours import encoded, linear
from pliant.export.creases import CreasedSurface
from pliant.export.pieces import creased
from pliant.export.recording import Recording
from pliant.export.studio import GHOST, SURFACE, Layer, Studio
from pliant.mesh.files.paths import replacing
from pliant.mesh.packages import imported

DIRECTION = (0.55, 0.42, 1.0)
SUPERSAMPLING = 2
FRAMED = 60  # frames that the camera makes room for


def write_png(
    recording: Recording,
    path: Path,
    time: float | None = None,
    ghosts: Sequence[float] = (),
    size: tuple[int, int] = (1280, 800),
    direction: Sequence[float] = DIRECTION,
    camera: Camera | None = None,
    colour: Sequence[float] | None = None,
    ground: float | None = None,
) -> None:
    """Write a picture of the surface at one time.

    Args:
        time: the nearest frame is drawn [s]; None: the one that is farthest from rest.
        ghosts: other times that show through it [s].
        size: width and height [pixels].
        direction: (3,) from the middle of the scene to the camera, which is placed so that all frames fit.
        camera: another camera.
        colour: linear RGB of the surface; None: as it is painted, or else blue.
        ground: its height [m]; None: the lowest point of the recording.
    """
    width, height = (check_count("size", side, at_least=8, at_most=8192) for side in size)
    surface = creased(recording)
    points = np.concatenate([recording.vertices(frame)[recording.drawn] for frame in recording.sample(FRAMED)])
    view = camera or framing(points, check_array("direction", direction, (3,)), width / height)
    low, high = recording.bounds
    studio = Studio(view, float(low[1]) if ground is None else ground, float(np.linalg.norm(high - low)) / 2)
    last = recording.farthest if time is None else recording.frame_at(time)
    layers = _layers(recording, surface, [*map(recording.frame_at, ghosts), last], _paint(recording, colour))
    plotting = imported("matplotlib.image", "writing pictures", package="matplotlib")
    with replacing(path) as temporary:
        large = studio.photograph(layers, width * SUPERSAMPLING, height * SUPERSAMPLING)
        image = large.reshape(height, SUPERSAMPLING, width, SUPERSAMPLING, 3).mean(axis=(1, 3))
        plotting.imsave(temporary, encoded(image))


def _paint(recording: Recording, colour: Sequence[float] | None) -> Array:
    """Linear RGB of the surface (3,) or of its triangles (t, 3)."""
    if colour is None and recording.colours is not None:
        return linear(recording.colours)
    return check_array("colour", SURFACE if colour is None else colour, (3,))


def _layers(recording: Recording, surface: CreasedSurface, frames: list[int], colour: Array) -> list[Layer]:
    """All frames but the last are ghosts."""
    # A ghost in the colour itself looks grey on a pale ground; its square root is lighter and keeps the hue.
    looks = [(1.2 * np.sqrt(colour), GHOST)] * (len(frames) - 1) + [(colour, 1.0)]
    return [
        Layer(recording.vertices(frame)[surface.source], surface.triangles, *look) for frame, look in zip(frames, looks)
    ]
