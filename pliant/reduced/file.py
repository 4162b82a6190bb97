"""Files of named arrays: safetensors with a versioned header and a checksum, written whole or not at all."""

import hashlib
import json
import os
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from pliant.errors import Array, FileError
from pliant.mesh.files.paths import replacing
from pliant.mesh.packages import imported

FORMAT, VERSION = "pliant", 1


def write_arrays(path: str | PathLike, header: dict[str, Any], arrays: dict[str, Array]) -> None:
    """Write arrays under their names, and a header of plain values, through a temporary file in the same folder."""
    numpy, package = _safetensors()
    path = _checked(path)
    arrays = {name: np.asarray(array, order="C") for name, array in arrays.items()}
    header = {**header, "version": VERSION, "sha256": checksum(arrays)}
    with replacing(path, package.SafetensorError) as temporary:
        numpy.save_file(arrays, temporary, metadata={FORMAT: json.dumps(header)})
        _flush(temporary)


def read_arrays(path: str | PathLike) -> tuple[dict[str, Any], dict[str, Any]]:
    """Header and arrays of a file, checked; the arrays are read-only."""
    _, package = _safetensors()
    path = _checked(path)
    if not path.is_file():
        raise FileError(f"{path} is a folder" if path.is_dir() else f"{path} does not exist")
    try:
        with package.safe_open(path, framework="numpy") as file:
            header = _header(path, file.metadata())
            # The library maps the file into memory; one copy makes the arrays outlive it.
            arrays = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
    except FileError:
        raise
    except Exception as error:
        raise FileError(
            f"{path} is not a whole pliant file ({error}); it may be truncated, copy or build it again"
        ) from error
    if checksum(arrays) != header.get("sha256"):
        raise FileError(f"{path} is damaged: its checksum does not match; copy or build it again")
    for array in arrays.values():
        array.setflags(write=False)
    return header, arrays


def _checked(path: str | PathLike) -> Path:
    if not isinstance(path, str | PathLike):
        raise FileError(f"a path must be text; {path!r} was given")
    return Path(path)


def checksum(arrays: dict[str, Array]) -> str:
    """SHA-256 of names, types, shapes and bytes."""
    digest = hashlib.sha256()
    for name in sorted(arrays):
        array = np.asarray(arrays[name], order="C")
        digest.update(f"{name} {array.dtype.str} {array.shape}\n".encode())
        digest.update(array.reshape(-1).view(np.uint8).data)
    return digest.hexdigest()


def _header(path: Path, metadata: dict[str, str] | None) -> dict[str, Any]:
    if not metadata or FORMAT not in metadata:
        raise FileError(f"{path} is a safetensors file, but not one of pliant's")
    header = json.loads(metadata[FORMAT])
    if header.get("version", 0) > VERSION:
        raise FileError(f"{path} was written by a newer pliant (format {header['version']}, this one reads {VERSION})")
    return header


def _flush(path: Path) -> None:
    """Wait until the bytes are on the disk: a rename must not overtake them."""
    with open(path, "rb+") as file:
        os.fsync(file.fileno())
    os.chmod(path, 0o644)


def _safetensors() -> tuple[Any, Any]:
    """The modules for numpy, and of the package itself."""
    numpy, package = (imported(name, "reading and writing models") for name in ("safetensors.numpy", "safetensors"))
    return numpy, package
