"""What a browser can save: a recording as a file, and a bare mesh as it is tuned as a scene file."""

import tempfile
from pathlib import Path
from typing import Any

from starlette.background import BackgroundTask
from starlette.concurrency import run_in_threadpool
from starlette.responses import FileResponse, Response

from pliant.app.keyframing import with_keyframes
from pliant.app.live import Live
from pliant.app.tuning import Settings
from pliant.errors import ArgumentError, check_choice
from pliant.export import write
from pliant.scenes.saving import moved, with_notes

MEDIA = {"glb": "model/gltf-binary", "npz": "application/octet-stream", "html": "application/octet-stream"}


async def recording_file(live: Live, ending: str) -> Response:
    """The last recording in the format that `ending` names."""
    check_choice("the ending of a recording", ending, list(MEDIA))
    recording = live.recording
    folder = tempfile.TemporaryDirectory(prefix="pliant-")
    path = Path(folder.name) / f"recording.{ending}"
    try:
        await run_in_threadpool(write, recording, path)
    except BaseException:
        folder.cleanup()
        raise
    done = BackgroundTask(folder.cleanup)
    return FileResponse(path, media_type=MEDIA[ending], filename=f"pliant-recording.{ending}", background=done)


def scene_text(live: Live) -> str:
    """The bare mesh on stage as a scene file, with the settings of now; the mesh file is to lie beside it.

    Any other scene as it is, with the keyframes that were kept.
    """
    stage, keyframing = live.session.stage, live.session.keyframing
    mesh = None if stage is None else stage.source.mesh
    if stage is not None and stage.source.scene is not None and keyframing.frames:
        scene = stage.source.scene
        document = moved(scene.file.model_dump(mode="json", by_alias=True, exclude_unset=True), scene.folder, Path())
        return with_notes(with_keyframes(document, keyframing, stage.system), scene.notes)
    if stage is None or mesh is None or mesh.scene is None:
        raise ArgumentError("bare meshes and scenes with kept keyframes are saved as scene files here; others have one")
    document = mesh.scene.file.model_dump(mode="json", by_alias=True, exclude_unset=True)
    document |= _tuned(stage.settings, document["part"][0], set(stage.changes))
    document = with_keyframes(document, keyframing, stage.system)
    return with_notes(document, (f"keep this file beside {mesh.path.name}", *mesh.scene.notes))


def _tuned(settings: Settings, part: dict[str, Any], changed: set[str]) -> dict[str, Any]:
    """The keys of a scene file that settings change."""
    said: dict[str, Any] = {key: getattr(settings, key) for key in ("dt", "gravity", "newton") if key in changed}
    if changed & {"alpha", "beta"}:
        said["damping"] = (settings.alpha, settings.beta)
    if "stiffness" in changed:
        material = {**part["material"], "young": settings.stiffness * part["material"]["young"]}
        said["part"] = [{**part, "material": material}]
    return said
