"""Instances: pieces that are copies of each other but for a frame, a scale and their weights share one shape.

    x = R (s base + sum_i q_i columns_i) + t = s R (base + sum_i (q_i / s) columns_i) + t

All weights of the copies are brought between 0 and 1 together, which is all that Blender's shape keys take. Where an
error is allowed, the columns become the fewest principal shapes of what all copies do.
"""

from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from pliant.errors import Array
from pliant.export.piece import Piece
from pliant.export.principal_shapes import fewer_shapes, from_zero_to_one

SAME_SHAPE = 1e-12  # of its size: what scaling rounds


def sharing(drafts: Iterable[Piece], error: float = 0.0) -> list[Piece]:
    """The same pieces in the same order, their weights between 0 and 1, copies with one shape.

    Args:
        error: columns may be left out that move no vertex farther than this [m].
    """
    drafts = list(drafts)
    found: list[Piece | None] = [None] * len(drafts)
    for numbers in _copies(drafts):
        for number, piece in zip(numbers, _shared([drafts[i] for i in numbers], error)):
            found[number] = piece
    return [piece for piece in found if piece is not None]


def _copies(drafts: list[Piece]) -> list[list[int]]:
    """Numbers of the pieces, gathered with their copies."""
    groups: dict[tuple[bytes | None, ...], list[list[int]]] = {}
    for number, piece in enumerate(drafts):
        alike = groups.setdefault(_key(piece), [])
        for copies in alike:
            if _scale(piece, drafts[copies[0]]) is not None:
                copies.append(number)
                break
        else:
            alike.append([number])
    return [copies for alike in groups.values() for copies in alike]


def _key(piece: Piece) -> tuple[bytes | None, ...]:
    """What copies have in common to the last bit."""
    looks = (None if array is None else array.tobytes() for array in (piece.colours, piece.uv))
    return piece.triangles.tobytes(), piece.columns.tobytes(), *looks


def _scale(piece: Piece, first: Piece) -> float | None:
    """How many times as large as `first` a piece is; None where it is no copy, or has no frame to scale."""
    if piece.frames is None or first.frames is None:
        return None if piece is not first else 1.0
    length = np.linalg.norm(first.base)
    scale = 1.0 if length == 0 else float(np.linalg.norm(piece.base) / length)
    near = np.abs(piece.base - scale * first.base).max(initial=0.0) <= SAME_SHAPE * max(
        length, np.abs(piece.base).max()
    )
    return scale if near and scale > 0 else None


def _shared(copies: list[Piece], error: float) -> list[Piece]:
    first = copies[0]
    scales = [_scale(piece, first) or 1.0 for piece in copies]
    weights = np.concatenate([piece.weights / scale for piece, scale in zip(copies, scales)])
    base, columns, left_out = first.base, first.columns, 0.0
    if error > 0:
        base, columns, weights, left_out = fewer_shapes(base, columns, weights, error / max(scales))
    base, columns, weights = from_zero_to_one(base, columns, weights)
    rows: list[Array] = np.split(weights, len(copies))
    return [
        replace(
            piece,
            triangles=first.triangles,
            base=base,
            columns=columns,
            weights=mine,
            colours=first.colours,
            uv=first.uv,
            scale=scale,
            left_out=left_out * scale,
        )
        for piece, scale, mine in zip(copies, scales, rows)
    ]
