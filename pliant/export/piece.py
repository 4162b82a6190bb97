"""A piece of a recording: a surface that morphs in a moving frame."""

from dataclasses import dataclass

import numpy as np

from pliant.errors import Array, Ids

Frames = tuple[Array, Array]


@dataclass(frozen=True, eq=False)
class Piece:
    """x(t) = scale R(t) (base + sum_i weights_i(t) columns_i) + t(t).

    Attributes:
        vertices: (k,) which vertices of the creased surface.
        triangles: (t, 3) ids into `vertices`.
        base: (k, 3) [m].
        columns: (c, k, 3) [m].
        weights: (f, c), between 0 and 1.
        frames: rotations (f, 3, 3) and translations (f, 3) [m]; None for a piece that stands still, in its own size.
        colours: (k, 3) linear RGB; None where nothing is painted.
        uv: (k, 2) places in the texture; None where there is none.
        scale: of lengths. Instances hold the same `triangles`, `base`, `columns`, `colours` and `uv`.
        left_out: how far vertices may be from where they were recorded [m].
    """

    vertices: Ids
    triangles: Ids
    base: Array
    columns: Array
    weights: Array
    frames: Frames | None
    colours: Array | None = None
    uv: Array | None = None
    scale: float = 1.0
    left_out: float = 0.0

    @property
    def size(self) -> int:
        """Numbers that the morphing surface takes."""
        return self.base.size + self.columns.size + self.weights.size

    @property
    def reaches(self) -> Array:
        """How far a weight of one takes any vertex, by column, (c,) [m]."""
        farthest: Array = self.scale * np.linalg.norm(self.columns, axis=2).max(axis=1, initial=0.0)
        return farthest

    @property
    def radius(self) -> float:
        """How far from the origin of its frame any vertex may be [m]."""
        return float(self.scale * np.linalg.norm(self.base, axis=1).max(initial=0.0) + self.reaches.sum())
