"""A scene run from start to end and recorded."""

from collections.abc import Callable

from pliant.export import Recording, record
from pliant.scenes import Scene


def record_scene(
    scene: Scene, seconds: float | None, fps: float, progress: Callable[[str, float], None] | None = None
) -> Recording:
    """Build the scene, play its pushes and keep `fps` frames a second."""
    system = scene.build(progress)
    return record(
        system,
        scene.file.duration if seconds is None else seconds,
        fps,
        scene.schedule,
        progress,
        None if system.worn or scene.assembly or len(scene.bodies) > 1 else scene.solid,
        scene.title,
        scene.claim,
    )
