"""glTF 2.0 (.glb): basis columns become morph targets, and coordinates the keyframes of their weights.

A recording becomes `pieces`: a node a part, moved by its frame, with a mesh that morphs. Where parts blend into each
other it becomes one `boned_surface` on skin joints instead, if that is smaller. Both reproduce every frame to float32.
Normals are the linear fit to the true ones that morph targets allow: for shading, not for computing.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

import pliant
from pliant.errors import Array, Ids
from pliant.export.bones import BonedSurface, boned_surface
from pliant.export.creases import CreasedSurface
from pliant.export.glb_file import INDEX_DATA, VERTEX_DATA, GlbFile
from pliant.export.normals import linear_normals
from pliant.export.pieces import Frames, Piece, creased, pieces
from pliant.export.recording import Recording
from pliant.mesh.files.paths import replacing
from pliant.mesh.normals import vertex_normals
from pliant.numerics import quaternion_from_rotation

COLOUR, WHITE = (0.13, 0.32, 0.45, 1.0), (1.0, 1.0, 1.0, 1.0)  # linear RGBA
FITTED = 120  # frames that the normals are fitted to


def write_glb(recording: Recording, path: Path, normals: bool = True) -> None:
    """Write a binary glTF file with one looping animation.

    Args:
        normals: smooth shading that follows the deformation; False halves the file and leaves flat shading to viewers.
    """
    with replacing(path) as temporary:
        temporary.write_bytes(_Document(recording, normals).encode())


class _Document:
    """A glTF document under construction."""

    def __init__(self, recording: Recording, normals: bool):
        self.recording, self.surface = recording, creased(recording)
        self.file = GlbFile(f"pliant {pliant.__version__}")
        self.times = self.file.accessor((recording.times - recording.times[0]).astype("f4"), "SCALAR", bounds=True)
        self.samplers: list[dict[str, Any]] = []
        self.channels: list[dict[str, Any]] = []
        self.fitted = recording.sample(FITTED)
        self.normals = _moving_normals(recording, self.surface, self.fitted) if normals else None
        self.file.add("materials", _material(COLOUR if recording.colours is None else WHITE))

    def encode(self) -> bytes:
        recording, in_pieces = self.recording, pieces(self.recording, self.surface)
        boned = boned_surface(recording, self.surface) if len(in_pieces) > 1 else None
        if boned is not None and boned.size < sum(piece.size for piece in in_pieces):
            roots = self._joints_and_mesh(boned)
        else:
            roots = [self._node(f"part {p}", piece) for p, piece in enumerate(in_pieces)]
        extras = {"name": recording.name, "claim": recording.claim}
        self.file.add("scenes", {"name": recording.name, "nodes": roots, "extras": extras})
        self.file.set("scene", 0)
        if self.channels:
            entry = {"name": recording.name, "samplers": self.samplers, "channels": self.channels}
            self.file.add("animations", entry)
        return self.file.encode()

    def _node(self, name: str, piece: Piece) -> int:
        normals = None if self.normals is None else self.normals[:, piece.vertices]
        if normals is not None and piece.frames is not None:
            normals = normals @ piece.frames[0][self.fitted]
        node = self._moving_node({"name": name, "mesh": self._mesh(name, piece, normals)}, piece.frames)
        self._animate_weights(node, piece.weights)
        return node

    def _joints_and_mesh(self, surface: BonedSurface) -> list[int]:
        joints = [self._moving_node({"name": f"bone {p}"}, frames) for p, frames in enumerate(surface.frames)]
        normals = None if self.normals is None else _unblended(surface, self.normals, self.fitted)
        shares = surface.shares.astype("f4")
        influences = {
            "JOINTS_0": self.file.accessor(surface.joints.astype("u2"), "VEC4", VERTEX_DATA),
            "WEIGHTS_0": self.file.accessor(shares / shares.sum(axis=1, keepdims=True), "VEC4", VERTEX_DATA),
        }
        mesh = self._mesh(self.recording.name, surface, normals, influences)
        # Joints stand at the origin when the surface is at rest; importers that are not told take the first frame for it.
        bind = self.file.accessor(np.tile(np.eye(4, dtype="f4").ravel(), (len(joints), 1)), "MAT4")
        skin = self.file.add("skins", {"joints": joints, "inverseBindMatrices": bind})
        node = self.file.add("nodes", {"name": self.recording.name, "mesh": mesh, "skin": skin})
        self._animate_weights(node, surface.weights)
        return [*joints, node]

    def _mesh(
        self, name: str, shape: Piece | BonedSurface, normals: Array | None, influences: dict[str, int] | None = None
    ) -> int:
        attributes = {"POSITION": self._positions(shape.base), **(influences or {})}
        if shape.colours is not None:
            attributes["COLOR_0"] = self.file.accessor(shape.colours.astype("f4"), "VEC3", VERTEX_DATA)
        targets = [{"POSITION": self._positions(column)} for column in shape.columns]
        if normals is not None:
            base, columns = linear_normals(normals, shape.weights[self.fitted])
            attributes["NORMAL"] = self.file.accessor(base.astype("f4"), "VEC3", VERTEX_DATA)
            for target, column in zip(targets, columns):
                target["NORMAL"] = self.file.accessor(column.astype("f4"), "VEC3", VERTEX_DATA)
        indices = shape.triangles.astype("u2" if len(shape.base) < 2**16 - 1 else "u4").ravel()
        primitive = {
            "attributes": attributes,
            "indices": self.file.accessor(indices, "SCALAR", INDEX_DATA),
            "material": 0,
        }
        morphs = {"weights": shape.weights[0].tolist(), "extras": {"targetNames": _target_names(len(targets))}}
        return self.file.add(
            "meshes",
            {"name": name, "primitives": [primitive | ({"targets": targets} if targets else {})]}
            | (morphs if targets else {}),
        )

    def _positions(self, values: Array) -> int:
        return self.file.accessor(values.astype("f4"), "VEC3", VERTEX_DATA, bounds=True)

    def _moving_node(self, node: dict[str, Any], frames: Frames | None) -> int:
        if frames is None:
            return self.file.add("nodes", node)
        turns, shifts = _quaternions(frames[0]).astype("f4"), frames[1].astype("f4")
        number = self.file.add("nodes", node | {"rotation": turns[0].tolist(), "translation": shifts[0].tolist()})
        self._animate(number, "rotation", self.file.accessor(turns, "VEC4"))
        self._animate(number, "translation", self.file.accessor(shifts, "VEC3"))
        return number

    def _animate_weights(self, node: int, weights: Array) -> None:
        if weights.size:
            self._animate(node, "weights", self.file.accessor(weights.astype("f4").ravel(), "SCALAR"))

    def _animate(self, node: int, path: str, output: int) -> None:
        self.channels.append({"sampler": len(self.samplers), "target": {"node": node, "path": path}})
        self.samplers.append({"input": self.times, "output": output, "interpolation": "LINEAR"})


def _material(colour: Sequence[float]) -> dict[str, Any]:
    surface = {"baseColorFactor": colour, "metallicFactor": 0.0, "roughnessFactor": 0.6}
    return {"name": "pliant", "pbrMetallicRoughness": surface}


def _target_names(count: int) -> list[str]:
    return [f"shape {i}" for i in range(count)]


def _moving_normals(recording: Recording, surface: CreasedSurface, frames: Ids) -> Array:
    return np.stack([vertex_normals(recording.vertices(k)[surface.source], surface.triangles) for k in frames])


def _unblended(surface: BonedSurface, normals: Array, frames: Ids) -> Array:
    """Normals before the joints turn them, seen from the mean frame of each vertex: near enough to shade."""
    mean = sum(
        (surface.shares * (surface.joints == p)).sum(axis=1)[:, None, None] * R[frames][:, None]
        for p, (R, _) in enumerate(surface.frames)
    )
    return np.einsum("fkji,fkj->fki", mean, normals)


def _quaternions(R: Array) -> Array:
    """Unit quaternions (f, 4) as x, y, z, w, neighbours on the same side so that interpolation takes the short way."""
    wxyz = np.stack([quaternion_from_rotation(rotation) for rotation in np.ascontiguousarray(R)])
    sides = np.sign((wxyz[1:] * wxyz[:-1]).sum(axis=1))
    wxyz[1:] *= np.cumprod(np.where(sides == 0, 1.0, sides))[:, None]
    return wxyz[:, [1, 2, 3, 0]]
