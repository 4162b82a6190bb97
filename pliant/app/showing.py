"""Scenes as the live viewer wants them."""

from dataclasses import replace
from functools import partial

from pliant.app.sources import SceneSource
from pliant.errors import BasisError
from pliant.numerics.progress import Report
from pliant.scenes import Scene, gallery, load_scene
from pliant.scenes.kinds import SYSTEMS
from pliant.scenes.model_building import CHOSEN
from pliant.systems import System

QUICK = {"kind": "modal", "modes": 8, "size": 30}
FEWER = {"kind": "modes", "modes": 12, "size": 12}


def with_gallery(name: str, source: SceneSource) -> dict[str, SceneSource]:
    """The source to show first, then the gallery to switch to."""
    shown = {name: source}
    return shown | {name: source_of(load_scene(name)) for name in gallery() if name not in shown}


def source_of(scene: Scene) -> SceneSource:
    """A scene that can be built and pushed; with something quick first where a basis is to be chosen."""
    camera = scene.camera
    parts, kinds = scene.file.part, [SYSTEMS[name] for name in scene.file.kinds]
    chooses = len(parts) == len(kinds) == 1 and parts[0].basis.kind == CHOSEN and kinds[0].by_basis
    return SceneSource(
        build=scene.build,
        title=scene.title,
        claim=scene.claim,
        camera=None if camera is None else (camera.position, camera.target),
        ground=scene.floor,
        grounded=bool(scene.file.ground),
        forces=lambda: scene.alone,
        thumbnail=scene.thumbnail,
        scene=scene,
        listen=scene.listen if any(part.sound for part in parts) else None,
        first=partial(_quick, scene) if chooses else None,
        control=None if scene.file.tracked is None else scene.steer,
        gentleness=1.0 if scene.file.tracked is None else scene.file.tracked.gentleness,
    )


def _quick(scene: Scene, progress: Report) -> System:
    """On modes and their derivatives; on few modes where there are not so many shapes to choose from."""
    for basis in (QUICK, FEWER):
        try:
            return replace(scene.changed(part=[{"basis": basis}]), meshes=scene.meshes).build(progress)
        except BasisError:
            continue
    return scene.build(progress)
