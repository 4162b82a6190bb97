"""Where the live viewer gets its simulations from."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from pliant.numerics.progress import Report
from pliant.systems import System
from pliant.systems.playing import Forces

View = tuple[tuple[float, float, float], tuple[float, float, float]]


@dataclass(frozen=True)
class SceneSource:
    """A simulation that can be built.

    Attributes:
        build: makes the system, telling `progress(stage, fraction)` where it is.
        title, claim: for people.
        camera: position and target to look from first [m].
        ground: height of the floor [m]; a little below the solid without it.
        forces: makes what pushes it over time.
        thumbnail: a small picture of it (.png).
    """

    build: Callable[[Report], System]
    title: str = ""
    claim: str = ""
    camera: View | None = None
    ground: float | None = None
    forces: Callable[[], Forces] | None = None
    thumbnail: Path | None = None
