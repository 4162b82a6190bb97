"""Where the live viewer gets its simulations from."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pliant.mesh.files.surface_texture import Texture
from pliant.numerics.progress import Report
from pliant.systems import System
from pliant.systems.playing import Forces

if TYPE_CHECKING:
    from pliant.app.bare import BareMesh
    from pliant.scenes import Scene

View = tuple[tuple[float, float, float], tuple[float, float, float]]


@dataclass(frozen=True)
class SceneSource:
    """A simulation that can be built.

    Attributes:
        build: makes the system, telling `progress(stage, fraction)` where it is.
        title, claim: for people.
        camera: position and target to look from first [m].
        ground: height of the floor [m]; None: at a foot that is held, a little below what hangs, none where it floats.
        grounded: is the floor what bodies fall on, so that the camera stays there?
        forces: makes what pushes it over time.
        thumbnail: a small picture of it (.png).
        first: makes a system that is there sooner and less exact; it is played until `build` has made the better one.
        open: finds out all the rest, where that takes a while; the source that it gives is built.
        texture: of the surface that is drawn.
        mesh: the bare mesh that it is made from, of which more can be said.
        scene: that it is of, which can be saved with what people kept; None: there is none.
        listen: finds what is heard of its system; None: nothing sounds.
        control: learns what steers its system, which it may move; None: nothing does. gentleness: of it.
    """

    build: Callable[[Report], System]
    title: str = ""
    claim: str = ""
    camera: View | None = None
    ground: float | None = None
    grounded: bool = False
    forces: Callable[[], Forces] | None = None
    thumbnail: Path | None = None
    first: Callable[[Report], System] | None = None
    open: Callable[[Report], "SceneSource"] | None = None
    texture: Texture | None = None
    mesh: "BareMesh | None" = None
    listen: Callable[[System], Any] | None = None
    control: Callable[[System], Any] | None = None
    gentleness: float = 1.0
    scene: "Scene | None" = None


def opened_later(title: str, open_it: Callable[[Report], SceneSource]) -> SceneSource:
    """A source of which the title is all that is known before it is opened."""

    def build(_: Report) -> System:
        raise AssertionError("it is opened before it is built")

    return SceneSource(build=build, title=title, open=open_it)
