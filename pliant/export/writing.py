"""Write a recording: the ending of the file chooses the exporter."""

import inspect
from collections.abc import Callable
from os import PathLike
from pathlib import Path
from typing import Any

from pliant.errors import ArgumentError, FileError
from pliant.export.gltf import write_glb
from pliant.export.html import write_html
from pliant.export.npz import write_npz
from pliant.export.picture import write_png
from pliant.export.recording import Recording
from pliant.export.soundtrack import write_wav
from pliant.export.usd import write_usd
from pliant.export.video import write_gif, write_video
from pliant.export.vtk import write_pvd, write_vtu

EXPORTERS: dict[str, Callable[..., None]] = {
    ".glb": write_glb,
    ".vtu": write_vtu,
    ".pvd": write_pvd,
    ".npz": write_npz,
    ".usd": write_usd,
    ".usda": write_usd,
    ".usdc": write_usd,
    ".png": write_png,
    ".html": write_html,
    ".mp4": write_video,
    ".webm": write_video,
    ".gif": write_gif,
    ".wav": write_wav,
}
HEARD = (".wav", ".mp4", ".webm", ".html")  # have a sound track
DRAWN = (".png", ".mp4", ".webm", ".gif")  # have a size in pixels, and tell their progress


def write(recording: Recording, path: str | PathLike[str], **options: Any) -> None:
    """Write `recording` to `path`, whole or not at all.

    Args:
        options: of the exporter of this ending, such as `time` for .png and .vtu; `EXPORTERS` lists the functions.
    """
    if not isinstance(recording, Recording):
        raise ArgumentError(f"recording must come from record(system, seconds); {type(recording).__name__} was given")
    chosen = EXPORTERS[check_suffix(path)]
    known = list(inspect.signature(chosen).parameters)[2:]
    unknown = [name for name in options if name not in known]
    if unknown:
        raise ArgumentError(
            f"{Path(path).suffix} files have no option {', '.join(unknown)}; known are {', '.join(known) or 'none'}"
        )
    chosen(recording, Path(path), **options)


def check_suffix(path: str | PathLike[str]) -> str:
    """The ending of `path` in small letters, if there is an exporter for it."""
    try:
        ending = Path(path).suffix.lower()
    except TypeError:
        raise FileError(f"a path must be text; {path!r} was given") from None
    if ending not in EXPORTERS:
        raise ArgumentError(f"{path} has an unknown ending; known are {', '.join(EXPORTERS)}")
    return ending
