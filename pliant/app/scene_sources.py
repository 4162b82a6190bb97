"""Scenes as the live viewer wants them."""

from pliant.app.live import Live
from pliant.app.sources import SceneSource
from pliant.scenes import Scene, gallery, load_scene


def source_of(scene: Scene) -> SceneSource:
    """A scene that the viewer can build, with its pushes over time."""
    camera = (scene.camera.position, scene.camera.target) if scene.camera else None
    return SceneSource(scene.build, scene.title, scene.claim, camera, forces=lambda: scene.schedule)


def live_of(scene: Scene) -> Live:
    """A live session that begins with `scene` and can switch to the whole gallery."""
    others = {name: source_of(load_scene(name)) for name in gallery() if name != scene.name}
    return Live({scene.name: source_of(scene), **others})
