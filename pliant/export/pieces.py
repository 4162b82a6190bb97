"""Pieces: any recording as a few rigidly moving frames that carry morphing surfaces.

    x(t) = R(t) (base + sum_i weights_i(t) columns_i) + t(t)

One piece a part of the skin. Vertices that belong to this part alone and do not warp use the basis itself as columns,
exactly. Where parts blend, or warp, the motion seen from the part's frame is not linear in its coordinates; it gets
its own principal shapes, as many as float32 can tell apart. A recording without a skin is a single such piece.
"""

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from pliant.errors import ArgumentError, Array, Ids
from pliant.export.colours import linear
from pliant.export.creases import CreasedSurface, split_at_creases
from pliant.export.principal_shapes import from_zero_to_one, principal_shapes
from pliant.export.recording import Recording
from pliant.skin import Skin, SkinPart

# Half a unit in the last place of float32: what is smaller cannot be stored anyway.
FLOAT32 = 2.0**-24

Frames = tuple[Array, Array]
Mask = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Piece:
    """A surface that morphs in a moving frame.

    Attributes:
        vertices: (k,) which vertices of the creased surface.
        triangles: (t, 3) ids into `vertices`.
        base: (k, 3) [m].
        columns: (c, k, 3) [m].
        weights: (f, c), between 0 and 1.
        frames: rotations (f, 3, 3) and translations (f, 3) [m]; None for a piece that stands still.
        colours: (k, 3) linear RGB; None where nothing is painted.
    """

    vertices: Ids
    triangles: Ids
    base: Array
    columns: Array
    weights: Array
    frames: Frames | None
    colours: Array | None = None

    @property
    def size(self) -> int:
        """Numbers that the morphing surface takes."""
        return self.base.size + self.columns.size + self.weights.size


def pieces(recording: Recording, surface: CreasedSurface) -> list[Piece]:
    """The recording in pieces, one for every part that has triangles."""
    if recording.skin is None:
        return [_skinless(recording, surface)]
    part_of = _part_of_triangles(recording.skin, surface.source[surface.triangles])
    alone = _moved_by_one_part(recording.skin)
    return [_piece(recording, surface, alone, int(p), surface.triangles[part_of == p]) for p in np.unique(part_of)]


def creased(recording: Recording) -> CreasedSurface:
    """The drawn surface of a recording, split where its first frame has sharp edges."""
    if not len(recording.triangles):
        raise ArgumentError("the recording has no triangles to draw; give its system a surface")
    colours = None if recording.colours is None else linear(recording.colours)
    return split_at_creases(recording.vertices(0), recording.triangles, colours)


def tolerance(recording: Recording) -> float:
    """The smallest length that float32 can tell apart at the size of the first frame [m]."""
    return float(FLOAT32 * np.abs(recording.vertices(0)[recording.drawn]).max(initial=0.0))


def part_frames(recording: Recording, p: int) -> Frames:
    """Rotations (f, 3, 3) and translations (f, 3) that part p of the skin stands in."""
    assert recording.skin is not None
    i, poses = recording.skin.reads[p][0], recording.poses
    return np.stack([pose.rotations[i] for pose in poses]), np.stack([pose.translations[i] for pose in poses])


def part_coordinates(recording: Recording, p: int) -> Array:
    """The coordinates (f, r) that part p of the skin reads."""
    assert recording.skin is not None
    offsets, chained = recording.skin.offsets, recording.skin.reads[p]
    places = np.concatenate([np.arange(offsets[i], offsets[i + 1]) for i in chained])
    return np.stack([pose.flat[places] for pose in recording.poses])


def shares(skin: Skin) -> sp.csr_matrix:
    """Weights (n, d) of the parts in every vertex; zero weights are left out."""
    rows = np.concatenate([part.vertices for part in skin.parts])
    columns = np.repeat(np.arange(len(skin.parts)), [len(part.vertices) for part in skin.parts])
    weights = np.concatenate([part.weights for part in skin.parts])
    matrix = sp.csr_matrix((weights, (rows, columns)), shape=(skin.vertex_count, len(skin.parts)))
    matrix.eliminate_zeros()
    return matrix


def _part_of_triangles(skin: Skin, triangles: Ids) -> Ids:
    """The part with the greatest share in each triangle."""
    rows = np.repeat(np.arange(len(triangles)), 3)
    corners = sp.csr_matrix((np.ones(rows.size), (rows, triangles.ravel())), shape=(len(triangles), skin.vertex_count))
    return np.asarray((corners @ shares(skin)).argmax(axis=1)).ravel()


def _moved_by_one_part(skin: Skin) -> Mask:
    """Which vertices (n,) have a single part with a weight."""
    moved = np.concatenate([part.vertices[part.weights != 0] for part in skin.parts])
    return np.bincount(moved, minlength=skin.vertex_count) == 1


def _skinless(recording: Recording, surface: CreasedSurface) -> Piece:
    ids = np.arange(len(surface.source))
    base, columns, weights = _principal(recording.full_vertices[:, surface.source], tolerance(recording))
    return Piece(ids, surface.triangles, *from_zero_to_one(base, columns, weights), None, surface.colours)


def _piece(recording: Recording, surface: CreasedSurface, alone: Mask, p: int, triangles: Ids) -> Piece:
    ids, local = np.unique(triangles, return_inverse=True)
    frames = part_frames(recording, p)
    base, columns, weights = _morph(recording, alone, p, frames, surface.source[ids])
    colours = None if surface.colours is None else surface.colours[ids]
    moving = frames if _is_moving(frames) else None
    return Piece(ids, local.reshape(-1, 3), *from_zero_to_one(base, columns, weights), moving, colours)


def _morph(recording: Recording, alone: Mask, p: int, frames: Frames, vertices: Ids) -> tuple[Array, Array, Array]:
    """Base, columns and weights of some vertices as seen from part p: its basis first, then principal shapes."""
    skin = recording.skin
    assert skin is not None
    part = skin.parts[p]
    rows, linear = _linear_rows(part, alone, vertices)
    others = np.zeros((recording.frame_count, 0, 3)) if linear.all() else recording.full_vertices[:, vertices[~linear]]
    start, shapes, factors = _principal(_seen_from(frames, others), tolerance(recording))
    q = part_coordinates(recording, p)
    r = q.shape[1] if linear.any() else 0
    base, columns = np.empty((len(vertices), 3)), np.zeros((r + len(shapes), len(vertices), 3))
    base[linear], base[~linear] = part.X[rows], start
    if r:
        columns[:r, linear] = part.U.reshape(-1, 3, r)[rows].transpose(2, 0, 1)
    columns[r:, ~linear] = shapes
    return base, columns, np.hstack([q[:, :r], factors])


def _linear_rows(part: SkinPart, alone: Mask, vertices: Ids) -> tuple[Ids, Mask]:
    """Which vertices move linearly with this part alone, as a mask, and their rows in the part."""
    row = np.full(len(alone), -1)
    row[part.vertices[part.weights != 0]] = np.flatnonzero(part.weights != 0)
    linear = alone[vertices] & (row[vertices] >= 0) & (part.omega is None)
    return row[vertices[linear]], linear


def _principal(positions: Array, tolerance: float) -> tuple[Array, Array, Array]:
    """Base (k, 3), columns (c, k, 3) and weights (f, c) of positions (f, k, 3)."""
    return positions[0], *principal_shapes(positions - positions[0], tolerance)


def _seen_from(frames: Frames, x: Array) -> Array:
    """R^T (x - t), (f, k, 3)."""
    R, t = frames
    return (x - t[:, None]) @ R


def _is_moving(frames: Frames) -> bool:
    R, t = frames
    return bool(np.any(R - np.eye(3)) or np.any(t))
