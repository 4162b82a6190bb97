"""Pictures (.png) of a recording, drawn without a display: soft light, a ground, a shadow; one, or one a frame."""

import re
from collections.abc import Sequence
from pathlib import Path

from pliant.errors import ArgumentError
from pliant.export.camera import Camera
from pliant.export.photographer import Photographer
from pliant.export.png_file import save_png
from pliant.export.recording import Recording
from pliant.mesh.files.paths import replacing
from pliant.numerics.progress import Progress, report

SIZE = (1280, 800)  # pixels
NUMBER = re.compile(r"%0?\d*d")  # a name with it, such as frame-%04d.png, stands for one file a frame


def write_png(
    recording: Recording,
    path: Path,
    time: float | None = None,
    ghosts: Sequence[float] = (),
    size: tuple[int, int] = SIZE,
    direction: Sequence[float] | None = None,
    camera: Camera | None = None,
    colour: Sequence[float] | None = None,
    ground: float | None = None,
    progress: Progress = None,
) -> None:
    """Write a picture of the surface at one time; of every frame, where the name has a number, as in frame-%04d.png.

    Args:
        time: the nearest frame is drawn [s]; None: the one that is farthest from rest. Not for several files.
        ghosts: other times that show through it [s].
        size: width and height [pixels].
        direction: (3,) from the middle of the scene to the camera, which is placed so that all frames fit.
        camera: another camera; None: the recording's, or else one that has all frames in the picture.
        colour: linear RGB of the surface; None: as it is painted, or else blue.
        ground: its height [m]; None: the lowest point of the recording.
        progress: told the stage "pictures" and its fraction.
    """
    numbered = bool(NUMBER.search(path.name))
    if numbered and time is not None:
        raise ArgumentError(f"{path} has one picture a frame, and time asks for one; leave out time or the number")
    photographer = Photographer(recording, size, direction, camera, colour, ground)
    last = recording.farthest if time is None else recording.frame_at(time)
    behind = [recording.frame_at(each) for each in ghosts]
    for count, frame in enumerate(range(recording.frame_count) if numbered else [last], 1):
        with replacing(_numbered(path, frame)) as temporary:
            save_png(temporary, photographer.take(frame, behind))
        report(progress, "pictures", count / (recording.frame_count if numbered else 1))


def _numbered(path: Path, frame: int) -> Path:
    """With the number of the frame in its name, where that has room for one."""
    found = NUMBER.search(path.name)
    return path if found is None else path.with_name(path.name.replace(found[0], found[0] % frame, 1))
