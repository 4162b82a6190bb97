"""Bones: a surface on joints, for skins whose vertices blend several parts.

    x(t) = sum_p w_p [ R_p (base + sum_i weights_i(t) columns_i) + t_p ]

Viewers morph first and blend afterwards, with one displacement a vertex, so what the parts do to a vertex is pulled
back through the blend, (sum_p w_p R_p)^-1, and reduced to its principal shapes. Rigid bones need no shapes at all.
That holds for any weights, so a vertex of a character whose own cannot be pulled back, or that viewers would not read
(below zero, or more than they know), follows its strongest joints instead, and is in its place all the same.
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
from pliant.mesh.bones import Armature
from pliant.skin import Skin
from pliant.systems.rigged import Rigged

INFLUENCES = 4  # viewers read one set of four joints a vertex
# Where bones turn against each other their blend flattens, and pulling back would magnify rounding.
FLATTEST = 0.2
MOSTLY = 0.25  # below this share of blended vertices, pieces are always smaller


@dataclass(frozen=True, eq=False)
class BonedSurface:
    """A surface that morphs, then follows its joints.

    Attributes:
        triangles, base, columns, weights: as of a `Piece`.
        joints: (k, 4) parts that move each vertex; more where wanted.
        shares: (k, 4) their weights, which sum to one.
        frames: one a part: rotations (f, 3, 3) and translations (f, 3) [m], of the whole at rest.
        colours: (k, 3) linear RGB; None where nothing is painted.
        uv: (k, 2) places in the texture; None where there is none.
        vertices: (k,) which vertices of the creased surface; None: all.
        armature: names, places and order of the joints; None: they have none.
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
    vertices: Ids | None = None
    armature: Armature | None = None

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
    if _flattest(weights, frames).min(initial=1.0) < FLATTEST:
        return None
    moves = _pulled_back(recording.full_vertices[:, ids], rest[ids], weights, frames)
    morph = from_zero_to_one(rest[ids], *principal_shapes(moves, tolerance(recording)))
    return BonedSurface(
        surface.triangles, *morph, *_influences(weights, INFLUENCES), frames, surface.colours, surface.uv
    )


def rigged_surface(
    recording: Recording, surface: CreasedSurface, rigged: Rigged, influences: int, error: float
) -> tuple[BonedSurface | None, CreasedSurface]:
    """A character on its joints, and the surface without it; None where nothing of it is drawn.

    Args:
        influences: joints a vertex may follow.
        error: how far a vertex may be from its place [m].
    """
    skin, count = recording.skin, len(rigged.armature.names)
    assert skin is not None
    every = shares(skin)[surface.source]
    own = every[:, rigged.first : rigged.first + count]
    mine = (np.diff(own.indptr) > 0)[surface.triangles].all(axis=1)
    others = CreasedSurface(surface.source, surface.triangles[~mine], surface.colours, surface.uv)
    if not mine.any():
        return None, others
    ids, local = np.unique(surface.triangles[mine], return_inverse=True)
    frames = [part_frames(recording, rigged.first + k) for k in range(count)]
    weights = _steady(_strongest(own[ids], influences), frames)
    rest, source = _mean_rest(skin, rigged)[surface.source[ids]], surface.source[ids]
    moves = _pulled_back(recording.full_vertices[:, source], rest, weights, frames)
    morph = from_zero_to_one(rest, *principal_shapes(moves, max(tolerance(recording), error)))
    colours = None if surface.colours is None else surface.colours[ids]
    uv = None if surface.uv is None else surface.uv[ids]
    follows = _influences(weights, INFLUENCES * -(-influences // INFLUENCES))
    return (
        BonedSurface(local.reshape(-1, 3), *morph, *follows, frames, colours, uv, ids, rigged.armature),
        others,
    )


def joint_frames(surface: BonedSurface) -> list[Frames]:
    """Of every joint, where its axes are in those of the one that it hangs on; of roots, in the world."""
    armature = surface.armature
    if armature is None:
        return surface.frames
    placed = [(R @ armature.turns[k], R @ armature.places[k] + t) for k, (R, t) in enumerate(surface.frames)]
    return [_seen_from(placed, int(parent), k) for k, parent in enumerate(armature.parents)]


def _seen_from(placed: list[Frames], parent: int, joint: int) -> Frames:
    R, t = placed[joint]
    if parent < 0:
        return R, t
    S, s = placed[parent]
    back = S.transpose(0, 2, 1)
    return back @ R, (back @ (t - s)[..., None])[..., 0]


def _common_rest(skin: Skin) -> Array | None:
    """Rest positions (n, 3), if all parts of a vertex agree about it."""
    rest = np.zeros((skin.vertex_count, 3))
    for part in skin.parts:
        rest[part.vertices] = part.X
    agreed = all((rest[part.vertices] == part.X)[part.weights != 0].all() for part in skin.parts)
    return rest if agreed else None


def _mean_rest(skin: Skin, rigged: Rigged) -> Array:
    """Rest positions (n, 3) of what a character moves: means, where its bones see a worn surface each by its cells."""
    rest = np.zeros((skin.vertex_count, 3))
    for part in skin.parts[rigged.first : rigged.first + len(rigged.armature.names)]:
        np.add.at(rest, part.vertices, part.weights[:, None] * part.X)
    return rest


def _strongest(weights: sp.csr_matrix, count: int) -> sp.csr_matrix:
    """The `count` greatest weights above zero of every vertex, their sum one again where some were left out."""
    kept = weights.maximum(0).tocsr()
    for v in np.flatnonzero(np.diff(kept.indptr) > count):
        own = kept.data[kept.indptr[v] : kept.indptr[v + 1]]
        own[np.argsort(own)[:-count]] = 0.0
    kept.eliminate_zeros()
    sums = np.asarray(kept.sum(axis=1)).ravel()
    changed = np.abs(sums - 1) > np.finfo(np.float64).eps * kept.shape[1]
    return (sp.diags_array(np.where(changed, 1 / sums, 1.0)) @ kept).tocsr()


def _steady(weights: sp.csr_matrix, frames: list[Frames]) -> sp.csr_matrix:
    """The same weights, but vertices whose blend flattens in some frame follow their strongest joint alone."""
    flat = np.flatnonzero(_flattest(weights, frames) < FLATTEST)
    if not len(flat):
        return weights
    alone = weights.tolil()
    for v, joint in zip(flat, np.asarray(weights[flat].argmax(axis=1)).ravel()):
        alone[v] = 0.0
        alone[v, joint] = 1.0
    found = alone.tocsr()
    found.eliminate_zeros()
    return found


def _flattest(weights: sp.csr_matrix, frames: list[Frames]) -> Array:
    """The least determinant (k,) of the blended rotations of every vertex in any frame.

    Blended rotations have no singular value above one, so the determinant bounds the least of them.
    """
    least = np.ones(weights.shape[0])
    for k in range(len(frames[0][0])):
        least = np.minimum(least, np.linalg.det(_blend(weights, frames, k)))
    return least


def _blend(weights: sp.csr_matrix, frames: list[Frames], k: int) -> Array:
    """sum_p w_p R_p, (k, 3, 3)."""
    return (weights @ np.stack([R[k].ravel() for R, _ in frames])).reshape(-1, 3, 3)


def _pulled_back(x: Array, rest: Array, weights: sp.csr_matrix, frames: list[Frames]) -> Array:
    """A^-1 (x - b) - rest (f, k, 3) with A = sum_p w_p R_p, b = sum_p w_p t_p."""
    moves = np.empty(x.shape)
    for k in range(len(x)):
        b = weights @ np.stack([t[k] for _, t in frames])
        moves[k] = np.linalg.solve(_blend(weights, frames, k), (x[k] - b)[..., None])[..., 0] - rest
    return moves


def _influences(weights: sp.csr_matrix, most: int) -> tuple[Ids, Array]:
    """The parts (k, most) of every vertex, the strongest first, and their weights (k, most), unused places zero."""
    joints, values = np.zeros((weights.shape[0], most), dtype=np.int64), np.zeros((weights.shape[0], most))
    rows = np.repeat(np.arange(weights.shape[0]), np.diff(weights.indptr))
    order = np.lexsort((-weights.data, rows))
    places = np.arange(len(rows)) - weights.indptr[rows]
    joints[rows, places], values[rows, places] = weights.indices[order], weights.data[order]
    return joints, values
