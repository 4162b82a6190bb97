"""Geometry and poses as bytes, little endian.

A geometry is a JSON header behind its length, then the arrays it lists, each at a multiple of four bytes. Only
vertices of the surface travel; `ids` tells their numbers in the system. A frame is 24 bytes (geometry, frame number,
time, layout, parts), then for each part its frame, twelve float32 R row by row and t, and its coordinates as float32;
or, without a basis, the vertices.
"""

import json
import struct
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pliant.errors import Ids
from pliant.skin import Pose, Skin, SkinPart
from pliant.systems import System

HEADER = struct.Struct("<IIdII")
COORDINATES, VERTICES = 0, 1


@dataclass(frozen=True, eq=False)
class Geometry:
    """What a page needs once to draw all poses of a system.

    Attributes:
        number: tells geometries apart.
        skin: whole, as the system has it; None where vertices are sent instead.
        surface: ids of the vertices that are drawn.
        payload: the bytes for the page.
    """

    number: int
    skin: Skin | None
    surface: Ids
    payload: bytes


def pack_geometry(number: int, system: System) -> Geometry:
    """The surface of a system and, where it has one, the basis rows there."""
    surface, flat = np.unique(system.triangles, return_inverse=True)
    arrays: dict[str, NDArray] = {
        "ids": surface.astype(np.uint32),
        "triangles": flat.reshape(-1, 3).astype(np.uint32),
        "rest": system.vertices()[surface].astype(np.float32),
    }
    header: dict = {"number": number, "vertices": len(surface), "parts": [], "blocks": []}
    if system.skin is not None:
        _add_parts(system.skin, surface, header, arrays)
    return Geometry(number, system.skin, surface, _bytes(header, arrays))


def _add_parts(skin: Skin, surface: Ids, header: dict, arrays: dict[str, NDArray]) -> None:
    """Instances of a part share one block of X, U and omega."""
    place = np.full(skin.vertex_count, -1, dtype=np.int64)
    place[surface] = np.arange(len(surface))
    blocks: dict[tuple, int] = {}
    for p, part in enumerate(skin.parts):
        drawn = np.flatnonzero(place[part.vertices] >= 0)
        key = (id(part.X), id(part.U), id(part.omega), drawn.tobytes())
        if key not in blocks:
            blocks[key] = len(blocks)
            _add_block(blocks[key], part, drawn, header, arrays)
        arrays[f"vertices{p}"] = place[part.vertices[drawn]].astype(np.uint32)
        arrays[f"weights{p}"] = part.weights[drawn].astype(np.float32)
        header["parts"].append({"block": blocks[key]})


def _add_block(b: int, part: SkinPart, drawn: Ids, header: dict, arrays: dict[str, NDArray]) -> None:
    rows = (3 * drawn[:, None] + np.arange(3)).ravel()
    arrays[f"X{b}"] = part.X[drawn].astype(np.float32)
    arrays[f"U{b}"] = part.U[rows].astype(np.float32)
    if part.omega is not None:
        arrays[f"omega{b}"] = part.omega[rows].astype(np.float32)
    header["blocks"].append({"rows": len(drawn), "size": part.U.shape[1], "warps": part.omega is not None})


def _bytes(header: dict, arrays: dict[str, NDArray]) -> bytes:
    offset, table = 0, {}
    for name, array in arrays.items():
        table[name] = {"offset": offset, "length": array.size, "type": array.dtype.name}
        offset += array.nbytes
    text = json.dumps({**header, "arrays": table}).encode()
    text += b" " * (-len(text) % 4)
    return b"".join([struct.pack("<I", len(text)), text, *(np.ascontiguousarray(a).tobytes() for a in arrays.values())])


def pack_pose(geometry: Geometry, number: int, time: float, pose: Pose) -> bytes:
    """A frame of a system with a basis. Coordinates that a truncated system lacks are zero."""
    assert geometry.skin is not None
    chunks = [HEADER.pack(geometry.number, number & 0xFFFFFFFF, time, COORDINATES, len(pose.frames))]
    for part, (R, t), q in zip(geometry.skin.parts, pose.frames, pose.coordinates):
        padded = np.zeros(part.U.shape[1], dtype="<f4")
        padded[: len(q)] = q
        chunks += [np.asarray(R, dtype="<f4").tobytes(), np.asarray(t, dtype="<f4").tobytes(), padded.tobytes()]
    return b"".join(chunks)


def pack_vertices(geometry: Geometry, number: int, time: float, vertices: NDArray) -> bytes:
    """A frame of a system without a basis: its surface, as float32."""
    head = HEADER.pack(geometry.number, number & 0xFFFFFFFF, time, VERTICES, 0)
    return head + vertices[geometry.surface].astype("<f4").tobytes()


def frame_number(frame: bytes) -> int:
    """Which frame it is."""
    return int.from_bytes(frame[4:8], "little")


def same_basis(geometry: Geometry, system: System) -> bool:
    """Can the poses of `system` be drawn with this geometry? A truncated system's can."""
    old, new = geometry.skin, system.skin
    if old is None or new is None:
        return old is new and len(geometry.surface) == len(np.unique(system.triangles))
    return len(old.parts) == len(new.parts) and all(_leads(a, b) for a, b in zip(old.parts, new.parts))


def _leads(old: SkinPart, new: SkinPart) -> bool:
    """Are the columns of `new` the first ones of `old`?"""
    r = new.U.shape[1]
    return old.X.shape == new.X.shape and r <= old.U.shape[1] and np.array_equal(old.U[:, :r], new.U)
