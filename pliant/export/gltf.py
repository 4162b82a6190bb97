"""glTF 2.0 (.glb): basis columns become morph targets, and coordinates the keyframes of their weights.

A recording becomes `pieces`: a node a part, moved by its frame, with a mesh that morphs; copies of a part share it.
Where parts blend into each other it becomes one `boned_surface` on skin joints instead, if that is smaller; characters
always do, each on joints with names (`rigged_surface`). All
reproduce every frame to float32, unless an error is allowed. Normals are the linear fit to the true ones that morph
targets allow: for shading, not for computing.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

import pliant
from pliant.errors import Array, Ids, check_count, check_number
from pliant.export.bones import INFLUENCES, BonedSurface, boned_surface, joint_frames, rigged_surface
from pliant.export.creases import CreasedSurface
from pliant.export.glb_file import INDEX_DATA, VERTEX_DATA, GlbFile
from pliant.export.gltf_motion import Motion
from pliant.export.normals import linear_normals
from pliant.export.piece import Piece
from pliant.export.pieces import creased, pieces
from pliant.export.recording import Recording
from pliant.mesh.files.paths import replacing
from pliant.mesh.normals import vertex_normals

COLOUR, WHITE = (0.13, 0.32, 0.45, 1.0), (1.0, 1.0, 1.0, 1.0)  # linear RGBA
FITTED, FEWEST_FITTED = 120, 40  # frames that the normals are fitted to
FITTED_VERTICES = 4_000_000  # of all frames together: where they are more, the fewest frames are fitted
FITTED_COPIES = 64
LARGE = 10_000_000  # bytes of motion
UNSEEN = 1 / 2000  # of the size of a large recording: about a pixel of a screen
FEWER_SHAPES = 1 / 4  # of the allowed error


def write_glb(
    recording: Recording, path: Path, normals: bool = True, error: float | None = None, influences: int = INFLUENCES
) -> None:
    """Write a binary glTF file with one looping animation.

    Args:
        normals: smooth shading that follows the deformation; False halves the file and leaves flat shading to viewers.
        error: how far a vertex may be from where it was recorded [m]; fewer shapes and key frames and shorter numbers
            then make a smaller file. 0: what float32 rounds. None: as `allowed_error` says. The file tells it in the
            `extras` of its scene.
        influences: joints that a vertex of a character follows at most; what a weaker one does is left to its shapes.
            Many viewers know four, and all weights of an artist are kept by more.
    """
    most = check_count("influences", influences)
    allowed = allowed_error(recording) if error is None else check_number("error", error, at_least=0)
    with replacing(path) as temporary:
        temporary.write_bytes(_Document(recording, normals, allowed, most).encode())


def allowed_error(recording: Recording) -> float:
    """0 where the motion takes less than 10 MB; above that 1/2000 of the size of the first frame [m]."""
    if recording.skin is None:
        return 0.0
    numbers = recording.coordinates.size + 7 * recording.frame_count * recording.poses[0].part_count
    if 4 * numbers < LARGE:
        return 0.0
    return float(UNSEEN * np.linalg.norm(np.ptp(recording.vertices(0)[recording.drawn], axis=0)))


class _Document:
    """A glTF document under construction."""

    def __init__(self, recording: Recording, normals: bool, error: float, influences: int):
        self.recording, self.surface, self.error = recording, creased(recording), error
        self.influences = influences
        self.file = GlbFile(f"pliant {pliant.__version__}")
        self.motion = Motion(self.file, recording.times - recording.times[0], error)
        few = len(self.surface.source) * FITTED > FITTED_VERTICES
        self.fitted = recording.sample(FEWEST_FITTED if few else FITTED)
        self.normals = _moving_normals(recording, self.surface, self.fitted) if normals else None
        plain = recording.colours is None and recording.texture is None
        self.file.add("materials", _material(COLOUR if plain else WHITE, self._texture()))

    def encode(self) -> bytes:
        recording = self.recording
        roots = self._rigged_roots() if recording.rigs else self._roots()
        extras = {"name": recording.name, "claim": recording.claim} | ({"error": self.error} if self.error else {})
        self.file.add("scenes", {"name": recording.name, "nodes": roots, "extras": extras})
        self.file.set("scene", 0)
        animation = self.motion.animation(recording.name)
        if animation is not None:
            self.file.add("animations", animation)
        return self.file.encode()

    def _roots(self) -> list[int]:
        in_pieces = pieces(self.recording, self.surface, FEWER_SHAPES * self.error)
        boned = boned_surface(self.recording, self.surface) if len(in_pieces) > 1 else None
        if boned is not None and boned.size < sum(piece.size for piece in in_pieces):
            return self._joints_and_mesh(boned, self.recording.name)
        return self._nodes(in_pieces)

    def _rigged_roots(self) -> list[int]:
        """Characters on their joints, all others in pieces."""
        roots, left = [], self.surface
        for rigged in self.recording.rigs:
            boned, left = rigged_surface(self.recording, left, rigged, self.influences, FEWER_SHAPES * self.error)
            roots += [] if boned is None else self._joints_and_mesh(boned, rigged.name)
        return roots + self._nodes(
            pieces(self.recording, left, FEWER_SHAPES * self.error) if len(left.triangles) else []
        )

    def _texture(self) -> int | None:
        texture = self.recording.texture
        if texture is None:
            return None
        source = self.file.image(texture.png, "png")
        return self.file.add("textures", {"source": source, "sampler": self.file.add("samplers", {})})

    def _nodes(self, in_pieces: list[Piece]) -> list[int]:
        copies: dict[int, list[Piece]] = {}
        for piece in in_pieces:
            copies.setdefault(id(piece.base), []).append(piece)
        meshes = {key: self._shared_mesh(f"shape {i}", alike) for i, (key, alike) in enumerate(copies.items())}
        shared = {key for key, alike in copies.items() if len(alike) > 1}
        return [
            self.motion.add_piece({"name": f"part {p}", "mesh": meshes[key]}, piece, starts=key in shared)
            for p, (key, piece) in enumerate((id(piece.base), piece) for piece in in_pieces)
        ]

    def _shared_mesh(self, name: str, copies: list[Piece]) -> int:
        some = copies[:: max(1, len(copies) // FITTED_COPIES)]
        normals = None if self.normals is None else np.concatenate([self._seen_normals(piece) for piece in some])
        weights = np.concatenate([piece.weights[self.fitted] for piece in some])
        return self._mesh(name, copies[0], normals, weights, starts=len(copies) == 1)

    def _seen_normals(self, piece: Piece) -> Array:
        """Normals (f, k, 3) in the frames of a piece."""
        assert self.normals is not None
        normals = self.normals[:, piece.vertices]
        return normals if piece.frames is None else normals @ piece.frames[0][self.fitted]

    def _joints_and_mesh(self, surface: BonedSurface, name: str) -> list[int]:
        normals = None
        if self.normals is not None:
            own = self.normals if surface.vertices is None else self.normals[:, surface.vertices]
            normals = _unblended(surface, own, self.fitted)
        shares, influences = surface.shares.astype("f4"), {}
        shares /= shares.sum(axis=1, keepdims=True)
        for k, first in enumerate(range(0, shares.shape[1], INFLUENCES)):
            places = slice(first, first + INFLUENCES)
            influences[f"JOINTS_{k}"] = self.file.accessor(surface.joints[:, places].astype("u2"), "VEC4", VERTEX_DATA)
            influences[f"WEIGHTS_{k}"] = self.file.accessor(shares[:, places], "VEC4", VERTEX_DATA)
        mesh = self._mesh(name, surface, normals, surface.weights[self.fitted], influences)
        joints, roots = self._joints(surface)
        # Where joints are when the surface is at rest; importers that are not told take the first frame for it.
        armature = surface.armature
        binds = np.tile(np.eye(4), (len(joints), 1, 1)) if armature is None else armature.binds
        bind = self.file.accessor(binds.transpose(0, 2, 1).reshape(-1, 16).astype("f4"), "MAT4")
        root = self.file.add("nodes", {"name": "bones" if armature is None else name, "children": roots})
        skin = self.file.add("skins", {"joints": joints, "inverseBindMatrices": bind, "skeleton": root})
        entry = {"name": name if armature is None else f"{name} skin", "mesh": mesh, "skin": skin}
        return [root, self.motion.add_morphing(entry, surface.weights)]

    def _joints(self, surface: BonedSurface) -> tuple[list[int], list[int]]:
        """Nodes of all joints, and of those that hang on none."""
        count, armature, local = len(surface.frames), surface.armature, joint_frames(surface)
        names = [f"bone {p}" for p in range(count)] if armature is None else armature.names
        parents = [-1] * count if armature is None else armature.parents.tolist()
        nodes = [-1] * count
        for p in range(count) if armature is None else armature.outermost_first:
            children = [nodes[c] for c in range(count) if parents[c] == p]
            entry = {"name": names[p]} | ({"children": children} if children else {})
            nodes[p] = self.motion.add_joint(entry, local[p])
        return nodes, [nodes[p] for p in range(count) if parents[p] < 0]

    def _mesh(
        self,
        name: str,
        shape: Piece | BonedSurface,
        normals: Array | None,
        weights: Array,
        influences: dict[str, int] | None = None,
        starts: bool = True,
    ) -> int:
        """A mesh whose normals are fitted to those (f, k, 3) that belong to weights (f, c).

        Args:
            starts: it tells the weights of the first frame itself; nodes that share it do so each for itself.
        """
        attributes = {"POSITION": self._positions(shape.base), **(influences or {})}
        if shape.uv is not None:
            down = shape.uv * [1, -1] + [0, 1]  # from the upper left corner, as glTF counts
            attributes["TEXCOORD_0"] = self.file.accessor(down.astype("f4"), "VEC2", VERTEX_DATA)
        elif shape.colours is not None:
            attributes["COLOR_0"] = self.file.accessor(shape.colours.astype("f4"), "VEC3", VERTEX_DATA)
        targets = [{"POSITION": self._positions(column)} for column in shape.columns]
        if normals is not None:
            base, columns = linear_normals(normals, weights)
            attributes["NORMAL"] = self.file.accessor(base.astype("f4"), "VEC3", VERTEX_DATA)
            for target, column in zip(targets, columns):
                target["NORMAL"] = self.file.accessor(column.astype("f4"), "VEC3", VERTEX_DATA)
        indices = shape.triangles.astype("u2" if len(shape.base) < 2**16 - 1 else "u4").ravel()
        primitive = {
            "attributes": attributes,
            "indices": self.file.accessor(indices, "SCALAR", INDEX_DATA),
            "material": 0,
        }
        morphs: dict[str, Any] = {"extras": {"targetNames": _target_names(len(targets))}}
        if starts:
            morphs["weights"] = shape.weights[0].tolist()
        return self.file.add(
            "meshes",
            {"name": name, "primitives": [primitive | ({"targets": targets} if targets else {})]}
            | (morphs if targets else {}),
        )

    def _positions(self, values: Array) -> int:
        return self.file.accessor(values.astype("f4"), "VEC3", VERTEX_DATA, bounds=True)


def _material(colour: Sequence[float], texture: int | None) -> dict[str, Any]:
    surface: dict[str, Any] = {"baseColorFactor": colour, "metallicFactor": 0.0, "roughnessFactor": 0.6}
    if texture is not None:
        surface["baseColorTexture"] = {"index": texture}
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
