"""The rows of a skin laid out for compiled loops: one entry a vertex and part, sorted by vertex.

Parts are many and vertices few in a tree, parts few and vertices many in seams; both are one flat loop over entries.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from pliant.errors import Array, Ids

if TYPE_CHECKING:
    from pliant.skin.skin import SkinPart

A = TypeVar("A", bound=NDArray[Any])


class SkinTables(NamedTuple):
    """What compiled loops read.

    Attributes:
        start: (n + 1,) entries start[v] to start[v + 1] move vertex v.
        part: (e,) which part of the skin.
        weights, X: (e,) and (e, 3) [m].
        rows, turns: (e,) where the three rows of the entry begin in `U` and in `omega`; turns: -1 where nothing warps.
        U, omega: all distinct matrices, one after the other, in double or single precision; instances share theirs.
        frame: of each skin part, which part of the pose it stands in.
        first, size: of each skin part, where its coordinates begin among the chained ones, and how many they are.
        chain: which coordinates of the pose the parts read, one part after the other.
    """

    start: Ids
    part: Ids
    weights: Array
    X: Array
    rows: Ids
    turns: Ids
    U: NDArray[np.floating]
    omega: NDArray[np.floating]
    frame: Ids
    first: Ids
    size: Ids
    chain: Ids


def lay_out(parts: Sequence["SkinPart"], reads: Sequence[Sequence[int]], offsets: Ids, vertex_count: int) -> SkinTables:
    """The tables of a skin; `reads` of all parts, `offsets` of the coordinates in its poses."""
    counts = np.array([len(part.vertices) for part in parts], dtype=np.int64)
    part = np.repeat(np.arange(len(parts)), counts)
    vertices = _joined([part.vertices for part in parts], np.int64)
    order = np.argsort(vertices, kind="stable")
    start = np.zeros(vertex_count + 1, dtype=np.int64)
    np.cumsum(np.bincount(vertices, minlength=vertex_count), out=start[1:])
    size = np.array([part.U.shape[1] for part in parts], dtype=np.int64)
    within = np.arange(len(vertices)) - np.repeat(np.cumsum(counts) - counts, counts)
    U, rows = _shared([part.U for part in parts])
    omega, turns = _shared([part.omega for part in parts])
    chains = [np.arange(offsets[i], offsets[i + 1]) for chained in reads for i in chained]
    arrays: tuple[NDArray[Any], ...] = (
        start,
        part[order],
        _joined([part.weights for part in parts])[order],
        _joined([part.X for part in parts]).reshape(-1, 3)[order],
        (rows[part] + 3 * within * size[part])[order],
        np.where(turns[part] < 0, -1, turns[part] + 3 * within * size[part])[order],
        U,
        omega,
        np.array([chained[0] for chained in reads], dtype=np.int64),
        np.cumsum(size) - size,
        size,
        _joined(chains, np.int64),
    )
    return SkinTables(*(frozen(array) for array in arrays))


def frozen(array: A) -> A:
    """A read-only view. Compiled loops are compiled once for these, and again for arrays that can be written."""
    view = array.view()
    view.flags.writeable = False
    return view


def doubles(array: NDArray[Any]) -> Array:
    """Contiguous, in double precision."""
    return np.ascontiguousarray(array, dtype=np.float64)


def _joined(arrays: Sequence[NDArray[Any]], dtype: type = np.float64) -> NDArray[Any]:
    return np.concatenate(arrays).astype(dtype, copy=False) if arrays else np.empty(0, dtype=dtype)


def _shared(matrices: Sequence[Array | None]) -> tuple[Array, Ids]:
    """The distinct matrices end to end, uncopied if there is one, and where each of `matrices` begins, -1 for none."""
    distinct = {id(matrix): matrix for matrix in matrices if matrix is not None}
    starts, end = {}, 0
    for key, matrix in distinct.items():
        starts[key] = end
        end += matrix.size
    flat = [matrix.reshape(-1) for matrix in distinct.values()]
    begins = [-1 if matrix is None else starts[id(matrix)] for matrix in matrices]
    return flat[0] if len(flat) == 1 else _joined(flat), np.array(begins, dtype=np.int64)
