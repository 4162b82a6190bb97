"""Mesh files dropped onto a page: checked, bounded, and kept in a temporary folder for as long as the server."""

import re
import shutil
import tempfile
from pathlib import Path

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response

from pliant.app.bare import BareMesh
from pliant.app.live import Live
from pliant.app.sources import SceneSource, opened_later
from pliant.errors import ArgumentError, FileError
from pliant.mesh.files.surface_files import WRITTEN
from pliant.numerics.progress import Report

ENDINGS = (*WRITTEN, ".glb", ".mesh", ".meshb", ".msh", ".vtk", ".vtu", ".veg")  # of files that name no others
MOST_BYTES = 64 * 2**20
KEPT = 4  # files; the oldest goes
LONGEST_NAME = 60


class Uploads:
    """Takes files in and opens them on the stage."""

    def __init__(self, live: Live):
        self._live, self._folder = live, tempfile.TemporaryDirectory(prefix="pliant-dropped-")
        self._count = 0

    async def take(self, request: Request) -> Response:
        """The body of a POST is the file; it is opened in the background, and what is wrong with it is said there."""
        name = safe_name(request.path_params["name"])
        content = await _bounded(request)
        path = self._place(name)
        path.write_bytes(content)
        self._live.admit(path.name, _dropped(path))
        return PlainTextResponse("", status_code=202)

    def _place(self, name: str) -> Path:
        """A folder of its own for every file, so that none names another."""
        root = Path(self._folder.name)
        self._count += 1
        for old in sorted(root.iterdir())[: -KEPT + 1 or None]:
            shutil.rmtree(old, ignore_errors=True)
        folder = root / f"{self._count:06d}"
        folder.mkdir()
        return folder / name

    def close(self) -> None:
        """Forget all files."""
        self._folder.cleanup()


def safe_name(name: str) -> str:
    """The name of a mesh file in letters that no folder, selection or page minds."""
    stem, ending = Path(name).stem, Path(name).suffix.lower()
    if ending not in ENDINGS:
        raise FileError(f"{name[:LONGEST_NAME]} is no mesh file; drop one that ends in {', '.join(ENDINGS)}")
    return (re.sub(r"[^A-Za-z0-9_-]+", "-", stem).strip("-")[:LONGEST_NAME] or "mesh") + ending


async def _bounded(request: Request) -> bytes:
    """The body, which is refused as soon as it is too long."""
    parts, length = [], 0
    async for part in request.stream():
        length += len(part)
        if length > MOST_BYTES:
            raise ArgumentError(
                f"a dropped file may have {MOST_BYTES >> 20} MB; open larger ones with pliant view in a terminal"
            )
        parts.append(part)
    return b"".join(parts)


def _dropped(path: Path) -> SceneSource:
    """A source that reads the file when it is opened."""

    def open_it(progress: Report) -> SceneSource:
        progress("reading", 0.0)
        opened = BareMesh.read(path).source().open
        assert opened is not None, "a bare mesh is opened"
        return opened(progress)

    return opened_later(path.stem, open_it)
