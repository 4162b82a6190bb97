"""Scenes as the live viewer wants them."""

from pliant.app.sources import SceneSource
from pliant.scenes import Scene, gallery, load_scene
from pliant.systems import System


def sources_for(first: Scene, built: System | None = None) -> dict[str, SceneSource]:
    """The scene to show first, with its system where it is built already, then the gallery to switch to."""
    shown = {first.name: source_of(first, built)}
    return shown | {name: source_of(load_scene(name)) for name in gallery() if name not in shown}


def source_of(scene: Scene, built: System | None = None) -> SceneSource:
    """A scene that can be built and pushed; the first time it is asked for, `built` will do."""
    camera, ready = scene.camera, [] if built is None else [built]
    return SceneSource(
        build=lambda progress: ready.pop() if ready else scene.build(progress),
        title=scene.title,
        claim=scene.claim,
        camera=None if camera is None else (camera.position, camera.target),
        ground=scene.file.floor,
        forces=lambda: scene.schedule,
        thumbnail=scene.thumbnail,
    )
