"""Scenes as the live viewer wants them."""

from pliant.app.sources import SceneSource
from pliant.scenes import Scene, gallery, load_scene


def with_gallery(name: str, source: SceneSource) -> dict[str, SceneSource]:
    """The source to show first, then the gallery to switch to."""
    shown = {name: source}
    return shown | {name: source_of(load_scene(name)) for name in gallery() if name not in shown}


def source_of(scene: Scene) -> SceneSource:
    """A scene that can be built and pushed."""
    camera = scene.camera
    return SceneSource(
        build=scene.build,
        title=scene.title,
        claim=scene.claim,
        camera=None if camera is None else (camera.position, camera.target),
        ground=scene.file.floor,
        forces=lambda: scene.schedule,
        thumbnail=scene.thumbnail,
    )
