"""Pieces: any recording as a few rigidly moving frames that carry morphing surfaces.

    x(t) = scale R(t) (base + sum_i weights_i(t) columns_i) + t(t)

One piece a part of the skin. Vertices that belong to this part alone and do not warp use the basis itself as columns,
exactly; copies of a part share them (`instances`). Where parts blend, or warp, the motion seen from the part's frame is
not linear in its coordinates; it gets its own principal shapes, as many as float32 can tell apart. A recording without
a skin is a single such piece.
"""

from collections.abc import Iterator

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from pliant.errors import ArgumentError, Array, Ids
from pliant.export.colours import linear
from pliant.export.creases import CreasedSurface, split_at_creases
from pliant.export.instances import sharing
from pliant.export.piece import Frames, Piece
from pliant.export.principal_shapes import principal_shapes
from pliant.export.recording import Recording
from pliant.skin import Skin, SkinPart

# Half a unit in the last place of float32: what is smaller cannot be stored anyway.
FLOAT32 = 2.0**-24

Mask = NDArray[np.bool_]


def pieces(recording: Recording, surface: CreasedSurface, error: float = 0.0) -> list[Piece]:
    """The recording in pieces, one for every part that has triangles.

    Args:
        error: columns may be left out that move no vertex farther than this [m].
    """
    return sharing(_drafts(recording, surface), error)


def creased(recording: Recording) -> CreasedSurface:
    """The drawn surface of a recording, split where its first frame has sharp edges."""
    if not len(recording.triangles):
        raise ArgumentError("the recording has no triangles to draw; give its system a surface")
    colours = None if recording.colours is None else linear(recording.colours)
    uv = None if recording.texture is None else recording.texture.uv
    return split_at_creases(recording.vertices(0), recording.triangles, colours, uv)


def tolerance(recording: Recording) -> float:
    """The smallest length that float32 can tell apart at the size of the first frame [m]."""
    return float(FLOAT32 * np.abs(recording.vertices(0)[recording.drawn]).max(initial=0.0))


def part_frames(recording: Recording, p: int) -> Frames:
    """Rotations (f, 3, 3) and translations (f, 3) that part p of the skin stands in."""
    assert recording.skin is not None
    i = recording.skin.reads[p][0]
    return recording.rotations[:, i], recording.translations[:, i]


def part_coordinates(recording: Recording, p: int) -> Array:
    """The coordinates (f, r) that part p of the skin reads."""
    assert recording.skin is not None
    offsets, chained = recording.skin.offsets, recording.skin.reads[p]
    places = np.concatenate([np.arange(offsets[i], offsets[i + 1]) for i in chained])
    return recording.coordinates[:, places]


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


def _drafts(recording: Recording, surface: CreasedSurface) -> Iterator[Piece]:
    """Pieces whose weights are still those of the recording."""
    if recording.skin is None:
        morph = _principal(recording.full_vertices[:, surface.source], tolerance(recording))
        yield Piece(np.arange(len(surface.source)), surface.triangles, *morph, None, surface.colours, surface.uv)
        return
    part_of = _part_of_triangles(recording.skin, surface.source[surface.triangles])
    alone, near = _moved_by_one_part(recording.skin), tolerance(recording)
    order = np.argsort(part_of, kind="stable")
    found, starts = np.unique(part_of[order], return_index=True)
    for p, mine in zip(found, np.split(surface.triangles[order], starts[1:])):
        yield _draft(recording, surface, alone, near, int(p), mine)


def _draft(recording: Recording, surface: CreasedSurface, alone: Mask, near: float, p: int, triangles: Ids) -> Piece:
    ids, local = np.unique(triangles, return_inverse=True)
    frames = part_frames(recording, p)
    morph = _morph(recording, alone, near, p, frames, surface.source[ids])
    colours = None if surface.colours is None else surface.colours[ids]
    uv = None if surface.uv is None else surface.uv[ids]
    return Piece(ids, local.reshape(-1, 3), *morph, frames if _is_moving(frames) else None, colours, uv)


def _morph(
    recording: Recording, alone: Mask, near: float, p: int, frames: Frames, vertices: Ids
) -> tuple[Array, Array, Array]:
    """Base, columns and weights of some vertices as seen from part p: its basis first, then principal shapes."""
    skin = recording.skin
    assert skin is not None
    part = skin.parts[p]
    rows, linear = _linear_rows(part, alone, vertices)
    others = np.zeros((recording.frame_count, 0, 3)) if linear.all() else recording.full_vertices[:, vertices[~linear]]
    start, shapes, factors = _principal(_seen_from(frames, others), near)
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
    rows = np.flatnonzero(part.weights != 0)
    rows = rows[np.argsort(part.vertices[rows], kind="stable")]
    mine = part.vertices[rows]
    place = np.searchsorted(mine, vertices)
    found = mine[np.minimum(place, len(mine) - 1)] == vertices if len(mine) else np.zeros(len(vertices), dtype=bool)
    linear = alone[vertices] & found & (part.omega is None)
    return rows[place[linear]], linear


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
