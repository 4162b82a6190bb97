"""Bones: a recording as one surface on joints, for skins whose vertices blend several parts.

    x(t) = sum_p w_p [ R_p (base + sum_i weights_i(t) columns_i) + t_p ]

Viewers morph first and blend afterwards, with one displacement a vertex, so what the parts do to a vertex is pulled
back through the blend, (sum_p w_p R_p)^-1, and reduced to its principal shapes. Rigid bones need no shapes at all.
"""

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp

from pliant.errors import Array, Ids
from pliant.export.creases import CreasedSurface
from pliant.export.piece import Frames
from pliant.export.pieces import part_frames, shares, tolerance
from pliant.export.principal_shapes import from_zero_to_one, principal_shapes
from pliant.export.recording import Recording
from pliant.skin import Skin

INFLUENCES = 4  # viewers read one set of four joints a vertex
# Where bones turn against each other their blend flattens, and pulling back would magnify rounding.
FLATTEST = 0.2
MOSTLY = 0.25  # below this share of blended vertices, pieces are always smaller


@dataclass(frozen=True, eq=False)
class BonedSurface:
    """A surface that morphs, then follows its joints.

    Attributes:
        triangles, base, columns, weights: as of a `Piece`, for all vertices of the creased surface.
        joints: (k, 4) parts that move each vertex.
        shares: (k, 4) their weights, which sum to one.
        frames: one a part: rotations (f, 3, 3) and translations (f, 3) [m].
        colours: (k, 3) linear RGB; None where nothing is painted.
        uv: (k, 2) places in the texture; None where there is none.
    """

    triangles: Ids
    base: Array
    columns: Array
    weights: Array
    joints: Ids
    shares: Array
    frames: list[Frames]
    colours: Array | None = None
    uv: Array | None = None

    @property
    def size(self) -> int:
        """Numbers that the surface takes."""
        return self.base.size + self.columns.size + self.weights.size + self.joints.size + self.shares.size


def boned_surface(recording: Recording, surface: CreasedSurface) -> BonedSurface | None:
    """The recording on joints; None where few vertices blend, or joints cannot reproduce it."""
    skin, ids = recording.skin, surface.source
    rest = None if skin is None else _common_rest(skin)
    if skin is None or rest is None:
        return None
    weights = shares(skin)[ids]
    influences = np.diff(weights.indptr)
    if influences.max() > INFLUENCES or (influences > 1).mean() < MOSTLY:
        return None
    frames = [part_frames(recording, p) for p in range(len(skin.parts))]
    moves = _pulled_back(recording.full_vertices[:, ids], rest[ids], weights, frames)
    if moves is None:
        return None
    morph = from_zero_to_one(rest[ids], *principal_shapes(moves, tolerance(recording)))
    return BonedSurface(surface.triangles, *morph, *_influences(weights), frames, surface.colours, surface.uv)


def _common_rest(skin: Skin) -> Array | None:
    """Rest positions (n, 3), if all parts of a vertex agree about it."""
    rest = np.zeros((skin.vertex_count, 3))
    for part in skin.parts:
        rest[part.vertices] = part.X
    agreed = all((rest[part.vertices] == part.X)[part.weights != 0].all() for part in skin.parts)
    return rest if agreed else None


def _pulled_back(x: Array, rest: Array, weights: sp.csr_matrix, frames: list[Frames]) -> Array | None:
    """A^-1 (x - b) - rest (f, k, 3) with A = sum_p w_p R_p, b = sum_p w_p t_p; None where A is nearly singular."""
    moves = np.empty(x.shape)
    for k in range(len(x)):
        A = (weights @ np.stack([R[k].ravel() for R, _ in frames])).reshape(-1, 3, 3)
        # Blended rotations have no singular value above one, so the determinant bounds the least of them.
        if np.linalg.det(A).min(initial=1.0) < FLATTEST:
            return None
        b = weights @ np.stack([t[k] for _, t in frames])
        moves[k] = np.linalg.solve(A, (x[k] - b)[..., None])[..., 0] - rest
    return moves


def _influences(weights: sp.csr_matrix) -> tuple[Ids, Array]:
    """The parts (k, 4) of every vertex and their weights (k, 4), unused places zero."""
    joints, values = np.zeros((weights.shape[0], INFLUENCES), dtype=np.int64), np.zeros((weights.shape[0], INFLUENCES))
    rows = np.repeat(np.arange(weights.shape[0]), np.diff(weights.indptr))
    places = np.arange(len(rows)) - weights.indptr[rows]
    joints[rows, places], values[rows, places] = weights.indices, weights.data
    return joints, values
