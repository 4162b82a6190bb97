"""A cache of built models, keyed by the content of everything that went in; safe with several processes at once.

Two processes that build the same model write equal files under one name; the rename decides, and either is right.
"""

import contextlib
import hashlib
import inspect
import json
import os
from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass
from functools import cache
from pathlib import Path
from typing import Any, TypeVar
from uuid import uuid4

import numpy as np

from pliant.errors import Array, FileError, MissingPackage
from pliant.fem import Material, Shell, Solid
from pliant.reduced.file import VERSION, read_arrays, write_arrays
from pliant.reduced.loading import load
from pliant.reduced.model import ReducedModel

Built = TypeVar("Built")
ROOMS = ("numerics", "mesh", "fem", "basis", "reduced")


def cache_folder() -> Path:
    """$PLIANT_CACHE, else pliant's folder in the user's cache directory."""
    if "PLIANT_CACHE" in os.environ:
        return Path(os.environ["PLIANT_CACHE"])
    return Path(os.environ.get("XDG_CACHE_HOME") or Path("~/.cache").expanduser()) / "pliant"


def cached(parts: Any, build: Callable[[], ReducedModel]) -> ReducedModel:
    """The model of `parts` (solids, meshes, materials, arrays, plain values, nested) from the cache, or built and kept.

    A cache that cannot be written costs time, not the result; a damaged file is built again.
    """
    return _kept(parts, build, load, lambda model, path: model.save(path))


def cached_arrays(
    parts: Any, build: Callable[[], dict[str, Array]], rooms: tuple[str, ...] = ROOMS
) -> dict[str, Array]:
    """Named arrays of `parts`, from the cache, or built and kept, as `cached` does with models.

    Args:
        rooms: whose code they depend on, beside what `parts` name.
    """

    def write(arrays: dict[str, Array], path: Path) -> None:
        write_arrays(path, {}, arrays)

    return _kept(parts, build, lambda path: read_arrays(path)[1], write, rooms)


def _kept(
    parts: Any,
    build: Callable[[], Built],
    read: Callable[[Path], Built],
    write: Callable[[Built, Path], None],
    rooms: tuple[str, ...] = ROOMS,
) -> Built:
    try:
        path = cache_folder() / f"{content_key(parts, rooms)}.pliant"
        if path.is_file():
            return read(path)
    except FileError:
        with contextlib.suppress(OSError):
            path.unlink(missing_ok=True)
    except (MissingPackage, OSError, RuntimeError):  # no safetensors, no name that a file can have, no home
        return build()
    built = build()
    with contextlib.suppress(OSError, MissingPackage):
        path.parent.mkdir(parents=True, exist_ok=True)
        write(built, path)
    return built


def content_key(parts: Any, rooms: tuple[str, ...] = ROOMS) -> str:
    """SHA-256 of the content of `parts`, of the file format, and of the code that builds."""
    digest = hashlib.sha256(f"pliant format {VERSION}\n{_recipe(rooms)}".encode())
    _feed(digest, parts)
    return digest.hexdigest()


@cache
def _recipe(rooms: tuple[str, ...]) -> str:
    """SHA-256 of the rooms that something is built in: other code may build another from the same input."""
    digest = hashlib.sha256()
    for room in rooms:
        for source in sorted((Path(__file__).parents[1] / room).rglob("*.py")):
            digest.update(source.read_bytes())
    return digest.hexdigest()


def origin(thing: Any) -> str:
    """As `written`, of what is outside pliant; empty for what is inside."""
    return "" if getattr(thing, "__module__", "").split(".")[0] == "pliant" else written(thing)


def written(thing: Any) -> str:
    """SHA-256 of the file where a class or function is written; one of a kind without a file."""
    try:
        return hashlib.sha256(Path(inspect.getfile(thing)).read_bytes()).hexdigest()
    except (TypeError, OSError):
        return uuid4().hex


def _feed(digest: Any, part: Any) -> None:
    """Add a value with its type and length, so that different structures never read alike."""
    if isinstance(part, Solid):
        thin = [part.thickness, part.hinged] if isinstance(part, Shell) else []
        part = ["solid", part.mesh, part.material, part.fixed, *thin]
    elif isinstance(part, Material) or is_dataclass(part):
        part = [type(part).__name__, origin(type(part)), *(getattr(part, field.name) for field in fields(part))]
    if isinstance(part, np.ndarray):
        digest.update(f"array {part.dtype.str} {part.shape}\n".encode())
        digest.update(np.ascontiguousarray(part).tobytes())
    elif isinstance(part, Mapping):
        _feed(digest, [[key, part[key]] for key in sorted(part)])
    elif isinstance(part, list | tuple):
        digest.update(f"list {len(part)}\n".encode())
        for item in part:
            _feed(digest, item)
    else:
        digest.update(f"{type(part).__name__} {json.dumps(part)}\n".encode())
