"""The container of a .glb file: arrays become accessors of one binary buffer, behind a header and its JSON."""

import json
import struct
from functools import cached_property
from typing import Any

import numpy as np

COMPONENTS = {"f4": 5126, "u4": 5125, "u2": 5123, "u1": 5121, "i2": 5122}
LANES = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4, "MAT4": 16}
MATRIX = "MAT4"
VERTEX_DATA, INDEX_DATA = 34962, 34963


class GlbFile:
    """Arrays and objects of a glTF 2.0 document, numbered as they are added."""

    def __init__(self, generator: str):
        self._binary, self._loose = bytearray(), bytearray()
        self._document: dict[str, Any] = {"asset": {"version": "2.0", "generator": generator}}

    def add(self, kind: str, entry: dict[str, Any]) -> int:
        """Put an object into one of the document's lists, such as "nodes"; returns its number there."""
        entries = self._document.setdefault(kind, [])
        entries.append(entry)
        return len(entries) - 1

    def entries(self, kind: str) -> list[dict[str, Any]]:
        """All objects of one of the document's lists."""
        return list(self._document.get(kind, []))

    def set(self, key: str, value: Any) -> None:
        """A top-level property of the document, such as "scene"."""
        self._document[key] = value

    def accessor(self, array: Any, kind: str, target: int | None = None, bounds: bool = False) -> int:
        """Store an array (count,) or (count, lanes); integers without a target stand for -1 to 1 or 0 to 1.

        Args:
            target: what a graphics card does with it; None: nothing, and it lies in one view with others of its kind,
                but for the matrices of joints, which the specification keeps apart.
            bounds: add the least and greatest values, as positions need.
        """
        data = np.ascontiguousarray(array)
        entry: dict[str, Any] = {
            "componentType": COMPONENTS[data.dtype.str[1:]],
            "count": data.size // LANES[kind],
            "type": kind,
        }
        if bounds:
            lanes = data.reshape(-1, LANES[kind])
            entry |= {"min": lanes.min(axis=0).tolist(), "max": lanes.max(axis=0).tolist()}
        if target is None and kind != MATRIX:
            if data.dtype.kind != "f":
                entry["normalized"] = True
            place = {"byteOffset": _append(self._loose, data), "bufferView": self._loose_view}
            return self.add("accessors", entry | place)
        view: dict[str, Any] = {"buffer": 0, "byteOffset": len(self._binary), "byteLength": data.nbytes}
        if target is not None:
            view["target"] = target
        _append(self._binary, data)
        return self.add("accessors", entry | {"bufferView": self.add("bufferViews", view)})

    def image(self, content: bytes, kind: str) -> int:
        """Store a picture, a whole .png or .jpeg file."""
        view = {"buffer": 0, "byteOffset": len(self._binary), "byteLength": len(content)}
        _append(self._binary, np.frombuffer(content, dtype=np.uint8))
        return self.add("images", {"bufferView": self.add("bufferViews", view), "mimeType": f"image/{kind}"})

    @cached_property
    def _loose_view(self) -> int:
        return self.add("bufferViews", {"buffer": 0})

    def encode(self) -> bytes:
        """The whole file."""
        if self._loose:
            place = {"byteOffset": len(self._binary), "byteLength": len(self._loose)}
            self._document["bufferViews"][self._loose_view] |= place
            self._binary += self._loose
            self._loose = bytearray()
        if self._binary:
            self._document["buffers"] = [{"byteLength": len(self._binary)}]
        text = json.dumps(self._document, separators=(",", ":"), allow_nan=False).encode()
        chunks = _chunk(b"JSON", text, b" ")
        if self._binary:
            chunks += _chunk(b"BIN\0", bytes(self._binary), b"\0")
        return struct.pack("<4sII", b"glTF", 2, 12 + len(chunks)) + chunks


def _append(binary: bytearray, data: Any) -> int:
    """Where the bytes of an array begin; the end is rounded up to four."""
    begin = len(binary)
    binary += data.tobytes()
    binary += bytes(-len(binary) % 4)
    return begin


def _chunk(kind: bytes, data: bytes, filler: bytes) -> bytes:
    data += filler * (-len(data) % 4)
    return struct.pack("<I4s", len(data), kind) + data
