"""Read and write triangle surfaces, through the package trimesh."""

import contextlib
import io
import logging
import warnings
from collections.abc import Iterator
from contextvars import ContextVar
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from pliant.errors import Array, FileError, Ids
from pliant.mesh.files.paths import check_counts, ending_of, existing_file, replacing
from pliant.mesh.files.promises import check_surface_rows
from pliant.mesh.files.small_images import small_images
from pliant.mesh.packages import imported

if TYPE_CHECKING:
    from pliant.mesh.surface import Surface

WRITTEN = (".obj", ".off", ".ply", ".stl")
TREES = (".glb", ".gltf")  # of pieces, each with a place of its own
SURFACE_ENDINGS = (*WRITTEN, *TREES)
LOOK = 1024  # bytes that tell whether a file is text
COUNTED = (".off", ".ply")  # their heads announce how much there is

_kept: ContextVar[dict[tuple[Path, bool], list[Any]] | None] = ContextVar("kept", default=None)


@contextlib.contextmanager
def reading_once() -> Iterator[None]:
    """Within, a surface file is read once, whatever of it is asked for: shape, colours and texture."""
    outer = _kept.get()
    token = _kept.set({} if outer is None else outer)
    try:
        yield
    finally:
        _kept.reset(token)


def read_triangles(path: str | PathLike[str]) -> tuple[Array, Ids]:
    """Vertices (n, 3) and triangles (t, 3) of a surface file; polygons are cut into triangles.

    The pieces of a .glb or .gltf file stand where its nodes put them, and vertices that differ in nothing but what is
    drawn there are one.
    """
    if existing_file(path).suffix.lower() not in TREES:
        (content,) = load_pieces(path)
        return np.asarray(content.vertices, dtype=np.float64), np.asarray(content.faces, dtype=np.int64)
    pieces = load_pieces(path)
    first = np.cumsum([0, *(len(piece.vertices) for piece in pieces)])
    vertices = np.concatenate([piece.vertices for piece in pieces]).astype(np.float64)
    triangles = np.concatenate([piece.faces + start for piece, start in zip(pieces, first)]).astype(np.int64)
    joined, place = np.unique(vertices, axis=0, return_inverse=True)
    return joined, place.ravel()[triangles]


def load_pieces(path: str | PathLike[str], materials: bool = False) -> list[Any]:
    """The meshes of trimesh in a file: one, and of trees of pieces all of them.

    Args:
        materials: read those as well, with textures beside the file, where vertices may be doubled; all pieces, then.
    """
    file, kept = existing_file(path), _kept.get()
    if kept is None:
        return _load(file, materials)
    key = file.resolve(), materials
    if key not in kept:
        kept[key] = _load(file, materials)
    return kept[key]


def _load(file: Path, materials: bool) -> list[Any]:
    trimesh, ending = imported("trimesh", "reading surfaces"), file.suffix.lower()
    if ending not in SURFACE_ENDINGS:
        raise FileError(f"{file} is not a surface file; its ending must be one of {', '.join(SURFACE_ENDINGS)}")
    if ending in COUNTED:
        check_counts(file)
        check_surface_rows(file)
    options: dict[str, Any] = {"process": False}
    if not materials and ending not in TREES:
        options |= {"maintain_order": True, "skip_materials": True, "force": "mesh"}
    try:
        with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()), _unlogged(), small_images(file):
            warnings.simplefilter("ignore")
            content = trimesh.load(*_readable(trimesh, file, options), **options)
            pieces = content.dump() if isinstance(content, trimesh.Scene) else [content]
            found = [piece for piece in pieces if len(getattr(piece, "faces", ()))]
            if ending in TREES and not found:
                raise ValueError("it holds no triangles")
            if ending in TREES and not all(_is_whole(piece) for piece in found):
                raise ValueError("a triangle has a corner that is no vertex")
            return found or [piece for piece in pieces if hasattr(piece, "faces")] or _refuse_points()
    except FileError:
        raise
    except (Exception, SystemExit) as error:
        detail = " ".join(str(error).split())[:100] or type(error).__name__
        raise FileError(f"{file} is damaged or not what its ending says; get or write it again ({detail})") from None


def _is_whole(piece: Any) -> bool:
    """Are the corners of all triangles vertices?"""
    return bool(0 <= np.min(piece.faces) <= np.max(piece.faces) < len(piece.vertices))


def _refuse_points() -> list[Any]:
    raise ValueError("it holds no triangles")


@contextlib.contextmanager
def _unlogged() -> Iterator[None]:
    """trimesh logs the tracebacks of what it tries."""
    log = logging.getLogger("trimesh")
    before = log.level
    log.setLevel(logging.CRITICAL + 1)
    try:
        yield
    finally:
        log.setLevel(before)


def _readable(trimesh: Any, file: Path, options: dict[str, Any]) -> tuple[Any, ...]:
    """The file, or its text in UTF-8 where it is in another encoding: all others are read as Latin-1."""
    content, ending = file.read_bytes(), file.suffix.lower()
    if ending in TREES or (ending not in (".obj", ".off") and b"facet" not in content[:LOOK]):
        return (file,)
    try:
        content.decode()
    except UnicodeDecodeError:
        if b"\0" not in content[:LOOK]:
            options["resolver"] = trimesh.resolvers.FilePathResolver(str(file))
            return io.BytesIO(content.decode("latin-1").encode()), ending[1:]
    return (file,)


def write_surface(surface: "Surface", path: str | PathLike[str]) -> None:
    """Write `surface` to `path`, whole or not at all."""
    ending = ending_of(path)
    if ending not in WRITTEN:
        raise FileError(f"{path} cannot be written: a surface file must end in one of {', '.join(WRITTEN)}")
    content = imported("trimesh", "reading and writing surfaces").Trimesh(
        surface.vertices, surface.triangles, process=False
    )
    data = content.export(file_type=ending[1:], **({"digits": 17} if ending in (".obj", ".off") else {}))
    with replacing(path) as temporary:
        temporary.write_bytes(data.encode() if isinstance(data, str) else data)
