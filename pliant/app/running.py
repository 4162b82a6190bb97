"""A scene run from start to end and recorded."""

from collections.abc import Callable

from pliant.export import Recording, record
from pliant.scenes import Scene
from pliant.systems import System


def record_scene(
    scene: Scene, seconds: float | None, fps: float, progress: Callable[[str, float], None] | None = None
) -> Recording:
    """Build the scene, play its pushes and keep `fps` frames a second."""
    system = scene.build(progress)

    def push(system: System) -> None:
        system.release()
        scene.schedule.apply(system)

    return record(
        system,
        scene.file.duration if seconds is None else seconds,
        fps,
        push,
        progress,
        scene.solid if scene.assembly is None else None,
        scene.title,
        scene.claim,
    )
