"""One self-contained page (.html) that plays a recording in any browser, offline.

The page holds the pieces of the recording as base64 arrays, and a small player that draws them with WebGL2. It asks
nothing of any network; its content policy forbids it to.
"""

import base64
import html
import json
from importlib.resources import files
from pathlib import Path
from string import Template
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, DTypeLike

from pliant.export.piece import Piece
from pliant.export.pieces import creased, pieces
from pliant.export.recording import Recording
from pliant.mesh.files.paths import replacing

SCRIPTS = ("geometry.js", "drawing.js", "sound.js", "player.js")


def write_html(recording: Recording, path: Path, ground: float | None = None) -> None:
    """Write the page.

    Args:
        ground: its height [m]; None: the lowest point of the recording.
    """
    with replacing(path) as temporary:
        temporary.write_text(player_page(recording, ground), encoding="utf-8")


def player_page(recording: Recording, ground: float | None = None) -> str:
    """The page as text."""
    return Template(_player_file("page.html")).substitute(
        title=html.escape(recording.name),
        claim=html.escape(recording.claim),
        style=_player_file("style.css"),
        script="".join(_player_file(name) for name in SCRIPTS),
        recording=_script_safe(_packed(recording, ground)),
    )


def _packed(recording: Recording, ground: float | None) -> dict[str, Any]:
    surface = creased(recording)
    parts = pieces(recording, surface)
    shapes = {id(piece.base): piece for piece in parts}  # copies share theirs
    numbers = {key: number for number, key in enumerate(shapes)}
    lowest = float(recording.bounds[0, 1]) if ground is None else ground
    return {
        "ground": lowest,
        "times": _base64(recording.times - recording.times[0]),
        "triangles": _base64(surface.triangles, np.uint32),
        "vertexCount": len(surface.source),
        "colours": None if surface.colours is None else _base64(surface.colours),
        "shapes": [{"base": _base64(piece.base), "columns": _base64(piece.columns)} for piece in shapes.values()],
        "sound": None if recording.sound is None else base64.b64encode(recording.sound.wav()).decode(),
        "pieces": [_packed_piece(piece, numbers[id(piece.base)]) for piece in parts],
    }


def _packed_piece(piece: Piece, shape: int) -> dict[str, Any]:
    return {
        "vertices": _base64(piece.vertices, np.uint32),
        "shape": shape,
        "weights": _base64(piece.weights),
        "frames": None if piece.frames is None else _base64(_rows_and_shift(piece)),
    }


def _rows_and_shift(piece: Piece) -> ArrayLike:
    assert piece.frames is not None
    R, t = piece.frames
    return np.hstack([piece.scale * R.reshape(len(R), 9), t])


def _base64(values: ArrayLike, dtype: DTypeLike = np.float32) -> str:
    little_endian = np.dtype(dtype).newbyteorder("<")
    return base64.b64encode(np.asarray(values).astype(little_endian).tobytes()).decode()


def _script_safe(content: dict[str, Any]) -> str:
    """JSON that no text in it can end the script element."""
    return json.dumps(content, separators=(",", ":")).replace("<", "\\u003c")


def _player_file(name: str) -> str:
    return (files("pliant.export") / "player" / name).read_text(encoding="utf-8")
