"""Material points on some limbs of a tree: their entries, and the frames and coordinates that they stand on.

Points read coordinates in metres, s q; the packs keep q in the units of their class (maths sheet substructuring 9).
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numba import njit

from pliant.errors import Array, Ids
from pliant.skin import Points
from pliant.skin.tables import frozen
from pliant.systems.tree.answering import read_frames
from pliant.systems.tree.packs import Layout


class LimbPoints(NamedTuple):
    """Attributes:
    start: (p + 1,) entries of the points. slot, weight, X, rows: of every entry: its limb, counted among these, share,
        rest position (e, 3) [m] and where its rows begin in U.
    U: rows of all.
    place, size, scale, ids: of every limb: 8 pack + lane, r, s, and where its coordinates are in the packs (sum r,).
    at: (m + 1,) where its coordinates begin in q, v (sum r,): s q and s q'. R, t: its frame.
    """

    start: Ids
    slot: Ids
    weight: Array
    X: Array
    rows: Ids
    U: Array
    place: Ids
    size: Ids
    scale: Array
    ids: Ids
    at: Ids
    q: Array
    v: Array
    R: Array
    t: Array


def limb_points(layout: Layout, scales: Array, points: Sequence[Points], limbs: Ids) -> LimbPoints:
    """Sets of points, one after the other, on these limbs (m,), rising; `scales` (d,) of all limbs."""
    tables = [each.tables for each in points]
    counts = np.concatenate([np.zeros(1, np.int64), *(np.diff(table.start) for table in tables)])
    size = np.diff(layout.offsets)[limbs]
    spans = [np.arange(layout.offsets[i], layout.offsets[i + 1]) for i in limbs]
    ids = layout.coordinates[np.concatenate([np.empty(0, np.int64), *spans])]
    rows, starts = _joined_rows([table.U for table in tables])

    def joined(arrays: Sequence[Any], empty: Any) -> Any:
        return frozen(np.concatenate([empty, *arrays]))

    none = np.empty(0, np.int64)
    return LimbPoints(
        frozen(np.cumsum(counts)),
        joined([np.searchsorted(limbs, each.frames) for each in points], none),
        joined([table.weights for table in tables], np.empty(0)),
        joined([table.X for table in tables], np.empty((0, 3))),
        joined([table.rows + start for table, start in zip(tables, starts)], none),
        rows,
        frozen(layout.places[limbs]),
        frozen(size),
        frozen(scales[limbs]),
        frozen(ids),
        frozen(np.concatenate([[0], np.cumsum(size)]).astype(np.int64)),
        np.zeros(len(ids)),
        np.zeros(len(ids)),
        np.zeros((len(limbs), 3, 3)),
        np.zeros((len(limbs), 3)),
    )


def _joined_rows(matrices: Sequence[Any]) -> tuple[Array, list[int]]:
    """The distinct rows end to end, uncopied if there is one, and where each of `matrices` begins."""
    distinct = {id(matrix): matrix for matrix in matrices}
    begins, end = {}, 0
    for key, matrix in distinct.items():
        begins[key] = end
        end += len(matrix)
    flat = list(distinct.values())
    joined = flat[0] if len(flat) == 1 else np.concatenate([np.empty(0), *flat])
    return frozen(joined), [begins[id(matrix)] for matrix in matrices]


@njit(cache=True, nogil=True)
def read_limbs(points, motion, scratch):
    """Frames and coordinates of the limbs as they are now."""
    read_frames(scratch, points.place, points.R, points.t)
    for slot in range(len(points.place)):
        s = points.scale[slot]
        for k in range(points.at[slot], points.at[slot + 1]):
            points.q[k], points.v[k] = s * motion.q[points.ids[k]], s * motion.v[points.ids[k]]
