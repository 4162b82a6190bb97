"""The animation of a glTF file: key frames of rotations, translations and weights, as many and as long as they must be.

Without an allowed error every frame is a key, in float32. With one, each piece keeps its own frames (`thinning`), and
rotations and weights become the shortest integers that round little enough.
"""

from typing import Any

import numpy as np
from scipy.spatial.transform import Rotation

from pliant.errors import Array, Ids
from pliant.export.glb_file import GlbFile
from pliant.export.piece import Frames, Piece
from pliant.export.thinning import kept_frames

ROUNDING = 1 / 8  # of the allowed error, for rotations and for weights each; the key frames get what is left
WEIGHT_LEVELS = {"u1": 255, "u2": 65535}
TURN_LEVELS = {"i2": 32767}


class Motion:
    """Moving nodes of a file.

    Args:
        seconds: of the frames, from 0, (f,).
        error: how far a vertex may be from where it was recorded [m].
    """

    def __init__(self, file: GlbFile, seconds: Array, error: float):
        self.file, self.seconds, self.error = file, seconds, error
        self._samplers: list[dict[str, Any]] = []
        self._channels: list[dict[str, Any]] = []
        self._times: dict[bytes, int] = {}

    def animation(self, name: str) -> dict[str, Any] | None:
        """What to put among the animations; None where nothing moves."""
        return {"name": name, "samplers": self._samplers, "channels": self._channels} if self._channels else None

    def add_piece(self, entry: dict[str, Any], piece: Piece, starts: bool = False) -> int:
        """A node that follows the frames and weights of a piece.

        Args:
            starts: it tells the weights of the first frame, which its mesh does not.
        """
        turns = None if piece.frames is None else quaternions(piece.frames[0])
        turn_type, turn_rounding = self._shortest(TURN_LEVELS, 4 * piece.radius if piece.frames else 0.0)
        weight_type, weight_rounding = self._shortest(WEIGHT_LEVELS, float(piece.reaches.sum()))
        keys = np.arange(len(self.seconds))
        if self.error > 0:
            left = self.error - piece.left_out - turn_rounding - weight_rounding
            keys = kept_frames(self.seconds, piece, turns, left)
        if piece.scale != 1:
            entry = entry | {"scale": [piece.scale] * 3}
        if starts and piece.weights.size:
            entry = entry | {"weights": _floats(piece.weights[0])}
        node = self._add_node(entry, turns, piece.frames)
        if turns is not None and piece.frames is not None:
            self._animate(node, "rotation", _rounded(turns, turn_type, TURN_LEVELS), "VEC4", keys)
            self._animate(node, "translation", piece.frames[1].astype("f4"), "VEC3", keys)
        self._animate(node, "weights", _rounded(piece.weights, weight_type, WEIGHT_LEVELS), "SCALAR", keys)
        return node

    def add_joint(self, entry: dict[str, Any], frames: Frames) -> int:
        """A node that follows frames, all of them."""
        turns, keys = quaternions(frames[0]), np.arange(len(self.seconds))
        node = self._add_node(entry, turns, frames)
        self._animate(node, "rotation", turns.astype("f4"), "VEC4", keys)
        self._animate(node, "translation", frames[1].astype("f4"), "VEC3", keys)
        return node

    def add_morphing(self, entry: dict[str, Any], weights: Array) -> int:
        """A node that stays where it is, with all of its weights."""
        node = self._add_node(entry, None, None)
        self._animate(node, "weights", weights.astype("f4"), "SCALAR", np.arange(len(self.seconds)))
        return node

    def _shortest(self, levels: dict[str, int], reach: float) -> tuple[str, float]:
        """The shortest type that rounds little enough, and how far that moves a vertex [m]."""
        for name, count in levels.items():
            if reach / (2 * count) < ROUNDING * self.error:
                return name, reach / (2 * count)
        return "f4", 0.0

    def _add_node(self, entry: dict[str, Any], turns: Array | None, frames: Frames | None) -> int:
        if turns is not None and frames is not None:
            entry = entry | {"rotation": _floats(turns[0]), "translation": _floats(frames[1][0])}
        return self.file.add("nodes", entry)

    def _animate(self, node: int, path: str, values: Array, kind: str, keys: Ids) -> None:
        if not values.size:
            return
        output = self.file.accessor(values[keys].ravel(), kind)
        self._channels.append({"sampler": len(self._samplers), "target": {"node": node, "path": path}})
        self._samplers.append({"input": self._times_of(keys), "output": output})  # linear between keys, as glTF has it

    def _times_of(self, keys: Ids) -> int:
        name = keys.tobytes()
        if name not in self._times:
            self._times[name] = self.file.accessor(self.seconds[keys].astype("f4"), "SCALAR", bounds=True)
        return self._times[name]


def quaternions(R: Array) -> Array:
    """Unit quaternions (f, 4) as x, y, z, w, neighbours on the same side so that interpolation takes the short way."""
    turns = Rotation.from_matrix(R).as_quat()
    sides = np.sign((turns[1:] * turns[:-1]).sum(axis=1))
    turns[1:] *= np.cumprod(np.where(sides == 0, 1.0, sides))[:, None]
    return turns


def _rounded(values: Array, name: str, levels: dict[str, int]) -> Array:
    """Values as floats, or as integers that stand for -1 to 1 or 0 to 1."""
    rounded: Array = (values if name == "f4" else np.rint(values * levels[name])).astype(name)
    return rounded


def _floats(values: Array) -> list[float]:
    """The shortest decimal numbers that are the same in float32."""
    return [float(str(value)) for value in values.astype("f4")]
