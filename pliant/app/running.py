"""A scene run from start to end and recorded."""

import re
from collections.abc import Callable
from pathlib import Path

from pliant.errors import ArgumentError
from pliant.export import DRAWN, Camera, Recording, record
from pliant.fem import Solid
from pliant.scenes import Scene
from pliant.systems import System

PAGE_ANGLE = 35.0  # vertical field of view in the viewer [degrees]


def record_scene(
    scene: Scene,
    seconds: float | None,
    fps: float,
    progress: Callable[[str, float], None] | None = None,
    heard: bool = False,
) -> Recording:
    """Build the scene, play its pushes and keep `fps` frames a second; with what is `heard`, where its parts sound."""
    system = scene.build(progress)
    listening = scene.listen(system) if heard else None
    control = scene.control(system, progress)
    span = scene.file.duration if seconds is None else seconds
    recording = record(
        system,
        span,
        fps,
        next((each.forces for each in (control, listening) if each is not None), scene.schedule),
        progress,
        _drawn_solid(scene, system),
        scene.title,
        scene.claim,
        None if scene.camera is None else Camera(scene.camera.position, scene.camera.target, PAGE_ANGLE),
    )
    return recording if listening is None else recording.with_sound(listening.samples(span), listening.rate)


def _drawn_solid(scene: Scene, system: System) -> Solid | None:
    """The only body of a scene, where all that is drawn are its cells: no bones beside it, and no obstacles."""
    if system.worn or scene.assembly or len(scene.bodies) > 1:
        return None
    return scene.solid if len(system.vertices()) == scene.solid.mesh.vertex_count else None


def picture_size(text: str, output: Path, drawn: bool) -> tuple[int, int]:
    """Width and height from words such as 1280x720."""
    if not drawn:
        raise ArgumentError(f"--size is for {', '.join(DRAWN)}; {output} has no pixels")
    found = re.fullmatch(r"(\d{1,5})x(\d{1,5})", text.strip().lower())
    if found is None:
        raise ArgumentError(f"--size must be width x height such as 1280x720; {text!r} was given")
    return int(found[1]), int(found[2])
