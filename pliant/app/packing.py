"""Geometry and poses as bytes, little endian.

A geometry is a JSON header behind its length, then the arrays it lists, each at a multiple of four bytes. Only
vertices of the surface travel; `ids` tells their numbers in the system, `paint` the colour of each triangle in the
palette of the header, `uv` where its corners lie in the texture. Every part of the skin is one row of `parts`:
how many vertices it moves, its block of basis rows, which instances share, and the first and the number of the parts
of the pose in `reads` whose coordinates it reads. Its vertices, weights and rest positions follow those of the parts
before it in `vertices`, `weights` and `X`. In an update, arrays that are as in the geometry before it are null.

A frame is 24 bytes (geometry, frame number, time, layout, parts of the pose), then float32 alone: for each part of the
pose R row by row and t, then the coordinates of all parts; or, without a basis, the vertices. Where that is long, the
same in 16 bits (`rounding`).
"""

import json
import struct
from collections.abc import Set
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pliant.app.rounding import WORTH, rounded_pose, rounded_vertices
from pliant.errors import Array, Ids
from pliant.mesh.files.surface_texture import Texture
from pliant.skin import Pose, Skin, SkinPart
from pliant.systems import System

HEADER = struct.Struct("<IIdII")
COORDINATES, VERTICES, ROUNDED = 0, 1, 2  # layouts; those that are rounded are 2 more


@dataclass(frozen=True, eq=False)
class Geometry:
    """What a page needs once to draw all poses of a system.

    Attributes:
        number: tells geometries apart.
        skin: whole, as the system has it; None where vertices are sent instead.
        surface: ids of the vertices that are drawn.
        arrays: what the page gets, by name.
        payload: the bytes for the page.
        since, update: number of the geometry before, and the bytes for a page that has it.
    """

    number: int
    skin: Skin | None
    surface: Ids
    arrays: dict[str, NDArray]
    payload: bytes
    since: int = 0
    update: bytes = b""

    def __repr__(self) -> str:
        return f"Geometry(number {self.number}: {len(self.surface)} vertices, {len(self.payload)} bytes)"


def pack_geometry(
    number: int, system: System, before: Geometry | None = None, texture: Texture | None = None
) -> Geometry:
    """The surface of a system and, where it has one, the basis rows there; only what is new to those who had `before`.

    A held vertex gives one part more columns while it moves: pages then get the rows of this part, and keep the rest.
    """
    surface, flat = np.unique(system.triangles, return_inverse=True)
    arrays: dict[str, NDArray] = {
        "ids": surface.astype(np.uint32),
        "triangles": flat.reshape(-1, 3).astype(np.uint32),
        "rest": system.vertices()[surface].astype(np.float32),
    }
    header: dict = {"number": number, "since": 0, "vertices": len(surface), "blocks": [], "palette": []}
    if system.colours is not None:
        palette, painted = np.unique(system.colours, axis=0, return_inverse=True)
        header["palette"], arrays["paint"] = palette.tolist(), painted.ravel().astype(np.uint32)
    if texture is not None and len(texture.uv) == len(system.triangles):
        arrays["uv"] = texture.uv.astype(np.float32)
    if system.drawn_by is not None:
        _add_parts(system.drawn_by, surface, header, arrays)
    if before is None or not np.array_equal(before.arrays["triangles"], arrays["triangles"]):
        return Geometry(number, system.drawn_by, surface, arrays, _bytes(header, arrays))
    arrays["rest"] = before.arrays["rest"]
    old = before.arrays
    kept = {name for name, array in arrays.items() if name in old and np.array_equal(array, old[name])}
    update = _bytes({**header, "since": before.number}, arrays, kept)
    return Geometry(number, system.drawn_by, surface, arrays, _bytes(header, arrays), before.number, update)


def _add_parts(skin: Skin, surface: Ids, header: dict, arrays: dict[str, NDArray]) -> None:
    """The rows of all parts that are drawn; instances of a part share one block of U and omega."""
    place = np.full(skin.vertex_count, -1, dtype=np.int64)
    place[surface] = np.arange(len(surface))
    blocks, sizes = dict[tuple, int](), np.diff(skin.offsets).tolist()
    rows, vertices, weights, X, reads = [], [], [], [], list[int]()
    for part, chained in zip(skin.parts, skin.reads):
        drawn = np.flatnonzero(place[part.vertices] >= 0)
        key = (id(part.U), id(part.omega), tuple(sizes[i] for i in chained), drawn.tobytes())
        if key not in blocks:
            blocks[key] = len(blocks)
            _add_block(blocks[key], part, drawn, header, arrays)
        rows.append((len(drawn), blocks[key], len(reads), len(chained)))
        reads += chained
        vertices.append(place[part.vertices[drawn]])
        weights.append(part.weights[drawn])
        X.append(part.X[drawn])
    arrays |= {
        "sizes": np.array(sizes, dtype=np.uint32),
        "parts": np.array(rows, dtype=np.uint32),
        "reads": np.array(reads, dtype=np.uint32),
        "vertices": np.concatenate(vertices).astype(np.uint32),
        "weights": np.concatenate(weights).astype(np.float32),
        "X": np.concatenate(X).astype(np.float32),
    }


def _add_block(b: int, part: SkinPart, drawn: Ids, header: dict, arrays: dict[str, NDArray]) -> None:
    rows = (3 * drawn[:, None] + np.arange(3)).ravel()
    arrays[f"U{b}"] = part.U[rows].astype(np.float32)
    if part.omega is not None:
        arrays[f"omega{b}"] = part.omega[rows].astype(np.float32)
    header["blocks"].append({"rows": len(drawn), "size": part.U.shape[1], "warps": part.omega is not None})


def _bytes(header: dict, arrays: dict[str, NDArray], kept: Set[str] = frozenset()) -> bytes:
    """A header with a table of the arrays, then those that the page has not `kept`."""
    offset, table, sent = 0, dict[str, dict | None](), []
    for name, array in arrays.items():
        if name in kept:
            table[name] = None
            continue
        table[name] = {"offset": offset, "length": array.size, "type": array.dtype.name}
        offset += array.nbytes
        sent.append(np.ascontiguousarray(array).tobytes())
    text = json.dumps({**header, "arrays": table}).encode()
    text += b" " * (-len(text) % 4)
    return b"".join([struct.pack("<I", len(text)), text, *sent])


def pack_pose(geometry: Geometry, number: int, time: float, pose: Pose) -> bytes:
    """A frame of a system with a basis. Coordinates that a truncated system lacks are zero."""
    assert geometry.skin is not None
    d, offsets = pose.part_count, geometry.skin.offsets
    if is_rounded(geometry):
        head = HEADER.pack(geometry.number, number & 0xFFFFFFFF, time, COORDINATES + ROUNDED, d)
        return head + rounded_pose(resized(pose, offsets))
    numbers = np.empty(12 * d + offsets[-1], dtype="<f4")
    frames = numbers[: 12 * d].reshape(d, 12)
    frames[:, :9], frames[:, 9:] = pose.rotations.reshape(d, 9), pose.translations
    numbers[12 * d :] = resized(pose, offsets).flat
    return HEADER.pack(geometry.number, number & 0xFFFFFFFF, time, COORDINATES, d) + numbers.tobytes()


def resized(pose: Pose, offsets: Ids) -> Pose:
    """A pose of a truncated system as one of the whole skin, with `offsets` (d + 1,): what it lacks is zero."""
    if np.array_equal(pose.offsets, offsets):
        return pose
    flat = np.zeros(offsets[-1])
    flat[np.repeat(offsets[:-1] - pose.offsets[:-1], np.diff(pose.offsets)) + np.arange(len(pose.flat))] = pose.flat
    return Pose.stacked(pose.rotations, pose.translations, flat, offsets)


def pack_vertices(geometry: Geometry, number: int, time: float, vertices: NDArray) -> bytes:
    """A frame of a system without a basis: its surface, as float32."""
    drawn, rounds = vertices[geometry.surface], is_rounded(geometry)
    layout = VERTICES + (ROUNDED if rounds else 0)
    head = HEADER.pack(geometry.number, number & 0xFFFFFFFF, time, layout, len(drawn) if rounds else 0)
    return head + (rounded_vertices(drawn) if rounds else drawn.astype("<f4").tobytes())


def is_rounded(geometry: Geometry) -> bool:
    """Are its frames so long that they are sent in 16 bits?"""
    skin = geometry.skin
    numbers = 3 * len(geometry.surface) if skin is None else 12 * (len(skin.offsets) - 1) + int(skin.offsets[-1])
    return 4 * numbers > WORTH


def frame_number(frame: bytes) -> int:
    """Which frame it is."""
    return int.from_bytes(frame[4:8], "little")


def same_basis(geometry: Geometry, system: System) -> bool:
    """Can the poses of `system` be drawn with this geometry? A truncated system's can, where it is a single part."""
    old, new = geometry.skin, system.drawn_by
    if old is None or new is None:
        return old is new and len(geometry.surface) == len(np.unique(system.triangles))
    if old is new:
        return True
    if old.vertex_count != new.vertex_count or old.reads != new.reads:
        return False
    if len(old.parts) > 1 and old.sizes != new.sizes:
        return False
    pairs = {(id(a.U), id(b.U)): (a.U, b.U) for a, b in zip(old.parts, new.parts)}
    same = all(np.array_equal(a.X, b.X) for a, b in zip(old.parts, new.parts) if a.X is not b.X)
    return same and all(_leads(a, b) for a, b in pairs.values())


def _leads(old: Array, new: Array) -> bool:
    """Are the columns of `new` the first ones of `old`?"""
    rows, r = new.shape
    return len(old) == rows and r <= old.shape[1] and (old is new or np.array_equal(old[:, :r], new))
