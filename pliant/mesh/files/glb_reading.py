"""Arrays out of a binary glTF 2.0 file (.glb): its JSON, and accessors into its one buffer."""

import json
import reprlib
import struct
from os import PathLike
from typing import Any

import numpy as np

from pliant.errors import Array, FileError
from pliant.mesh.files.paths import existing_file

MAGIC, JSON_CHUNK, BINARY_CHUNK = b"glTF", 0x4E4F534A, 0x004E4942
TYPES = {5120: "<i1", 5121: "<u1", 5122: "<i2", 5123: "<u2", 5125: "<u4", 5126: "<f4"}
LANES = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4, "MAT4": 16}
HEAD = 12


class GlbReader:
    """Attributes:
    name: of the file. document: its JSON.
    """

    def __init__(self, path: str | PathLike[str]):
        file = existing_file(path)
        self.name, data = file.name, file.read_bytes()
        if len(data) < HEAD or data[:4] != MAGIC or struct.unpack_from("<I", data, 4)[0] != 2:
            raise FileError(f"{file.name} is no binary glTF 2.0 file; export it as .glb")
        chunks, at = {}, HEAD
        while at + 8 <= len(data):
            length, kind = struct.unpack_from("<II", data, at)
            chunks[kind] = data[at + 8 : at + 8 + length]
            if len(chunks[kind]) < length:
                raise FileError(f"{file.name} ends too early; it was cut off")
            at += 8 + length
        try:
            self.document: dict[str, Any] = json.loads(chunks[JSON_CHUNK])
        except (KeyError, ValueError, RecursionError) as why:
            raise FileError(f"{file.name} has no document that can be read: {why}") from None
        if not isinstance(self.document, dict):
            raise FileError(f"{file.name} has no document that can be read: it is no object")
        self._binary = chunks.get(BINARY_CHUNK, b"")

    def entries(self, kind: str) -> list[dict[str, Any]]:
        """Objects of a list of the document, such as "nodes"."""
        found = self.document.get(kind, [])
        if not isinstance(found, list) or not all(isinstance(entry, dict) for entry in found):
            raise FileError(f"{self.name} is no whole glTF file: its {kind} are no list of objects")
        return found

    def entry(self, kind: str, number: Any) -> dict[str, Any]:
        """One of them, by its number."""
        return self.entries(kind)[self.number(kind, number)]

    def number(self, kind: str, number: Any) -> int:
        """A number of one of the entries of a list, checked."""
        count = len(self.entries(kind))
        if type(number) is not int or not 0 <= number < count:
            raise FileError(
                f"{self.name} is no whole glTF file: it has {count} {kind}, and names {reprlib.repr(number)}"
            )
        return number

    def array(self, number: int) -> Array:
        """An accessor as (count, lanes) floats; integers that stand for numbers up to one are these."""
        try:
            entry = self.entry("accessors", number)
            if "sparse" in entry or "bufferView" not in entry:
                raise FileError(f"{self.name} has sparse arrays, which are not read; export it without them")
            view = self.entry("bufferViews", entry["bufferView"])
            kind, lanes, count = np.dtype(TYPES[entry["componentType"]]), LANES[entry["type"]], entry["count"]
            start = view.get("byteOffset", 0) + entry.get("byteOffset", 0)
            stride = view.get("byteStride", kind.itemsize * lanes)
            size = kind.itemsize * lanes
            if view.get("buffer", 0) != 0 or start + (count - 1) * stride + size > len(self._binary) or stride < size:
                raise IndexError("an array lies outside the file")
            rows = np.ndarray((count, lanes), kind, self._binary, start, (stride, kind.itemsize))
        except (KeyError, IndexError, TypeError, ValueError, OverflowError) as why:
            raise FileError(f"{self.name} is no whole glTF file: {why}") from None
        scale = np.iinfo(kind).max if entry.get("normalized") and kind.kind != "f" else 1
        found = rows.astype(np.float64) / scale
        if not np.isfinite(found).all():
            raise FileError(f"{self.name} has numbers that are not finite; export it again")
        return found
