"""Scenes as the live viewer wants them."""

from pliant.app.sources import SceneSource
from pliant.scenes import Scene, gallery, load_scene


def sources_for(first: Scene) -> dict[str, SceneSource]:
    """The scene to show first, then the gallery to switch to."""
    shown = {first.name: source_of(first)}
    return shown | {name: source_of(load_scene(name)) for name in gallery() if name not in shown}


def source_of(scene: Scene) -> SceneSource:
    """A scene that can be built and pushed."""
    camera = scene.camera
    return SceneSource(
        build=scene.build,
        title=scene.title,
        claim=scene.claim,
        camera=None if camera is None else (camera.position, camera.target),
        forces=lambda: scene.schedule,
        thumbnail=scene.thumbnail,
    )
