"""A recording as a file that a browser can save."""

import tempfile
from pathlib import Path

from starlette.background import BackgroundTask
from starlette.concurrency import run_in_threadpool
from starlette.responses import FileResponse, Response

from pliant.app.live import Live
from pliant.errors import check_choice
from pliant.export import write

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
