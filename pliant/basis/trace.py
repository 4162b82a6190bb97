"""The trace basis Psi: what shared vertices can do, one set of columns an entity ([BA13] 3.1-3.2).

Every domain uses the rows of the same Psi and the same coordinates, so no decomposition can crack (maths sheet
boundary-aware 1). Rigid columns at vertex p of an entity with pivot c: [ I | e_k x (p - c) ]; the paper's Eq. 2 has the
other sign. Soft columns are what the lowest vibrations of the whole do to the entity, or the harmonics of the entity as
in the paper, less what earlier columns already do. Harmonics lock where an interface is not flat.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp

from pliant.basis.harmonics import patch_harmonics
from pliant.basis.interface_entities import Entity
from pliant.basis.vibration import vibration_modes
from pliant.errors import Array, Ids
from pliant.fem import Solid

REDUNDANT = 0.01  # of its norm: a candidate of which less than this is new is dropped ([BA13] section 3.2)
FLAT = 1e-6  # singular values of rotation fields below this part of the largest are no rotation
DEPENDENT = 1e-6
REACH = 0.5  # of an entity's extent: how far into it the hat of a cross edge or point goes
BEYOND = 8  # vibrations beyond the number of soft columns: some hardly bend an interface
STEEP = 3  # by which power of its frequency a vibration weighs less; 2 and 5 leave more of the first six
SPARE = 8  # harmonics beyond one for every three soft columns: candidates that rigid motion already holds


@dataclass(frozen=True, eq=False)
class Trace:
    """Psi and whose its columns are.

    Attributes:
        columns: (3n, b) sparse, nonzero on shared free vertices only.
        entity: (b,) the entity of each column.
        rigid: (b,) whether it is a rigid motion of its entity, and not a soft one.
        turns: of each entity, the coordinates that turn it (0, 2 or 3) and their axes (k, 3).
    """

    columns: sp.csc_matrix
    entity: Ids
    rigid: np.ndarray
    turns: tuple[tuple[Ids, Array], ...]

    @property
    def size(self) -> int:
        """b."""
        return len(self.entity)


@dataclass(frozen=True, eq=False)
class _Columns:
    """Columns (3k, c) on vertices (k,); the first `rigid` of them rigid, of these the last turn about `axes`."""

    vertices: Ids
    values: Array
    rigid: int
    axes: Array


def trace_basis(
    X: Array, entities: Sequence[Entity], soft: int, kind: str = "entity", shapes: Array | None = None
) -> Trace:
    """Rigid and up to `soft` soft columns of every entity.

    Args:
        X: (n, 3) rest positions [m].
        kind: "entity": each moves alone; "hat": cross edges and points carry their neighbourhood along (a partition of
            unity), which locks less where several interfaces meet; "affine": each moves alone and affinely, so that it
            can turn by any angle without warping.
        shapes: (3n, s) displacements of the whole, larger where they matter more: their leading directions on an
            entity are its soft columns. Harmonics come after these, except in "affine" ones; None: harmonics alone.
    """
    if kind == "hat":
        made = _hat_columns(X, entities, soft, shapes)
    elif kind == "affine" and shapes is not None:
        made = [_with_shapes(_affine_columns(X, e), shapes, soft) for e in entities]
    else:
        own_columns = _affine_columns if kind == "affine" else _rigid_columns
        made = [_with_soft(X, e, own_columns(X, e), soft, shapes) for e in entities]
    return _gathered(X, made)


def interface_shapes(solid: Solid, soft: int) -> Array:
    """The lowest vibrations of the whole (3n, s), weighted so that lower ones come first, for `soft` columns an entity.

    An interface that can do what it does in these leaves their frequencies as they are, whatever its shape.
    """
    found = vibration_modes(solid, min(soft + BEYOND, max(1, len(solid.free) // 4)))
    return found.vectors * (found.frequencies[0] / found.frequencies) ** STEEP


def rigid_fields(arms: Array, axes: Array | None = None) -> Array:
    """[ I | a_k x arm ] (3k, 3 + axes) for arms (k, 3) and axes (rows), by default e_x, e_y, e_z."""
    axes = np.eye(3) if axes is None else axes
    shifts = np.tile(np.eye(3), (len(arms), 1))
    return np.hstack([shifts, *(np.cross(axis, arms).reshape(-1, 1) for axis in axes)])


def _rigid_columns(X: Array, entity: Entity) -> _Columns:
    """Six columns; five for a straight row of vertices, three for a single one."""
    arms = X[entity.vertices] - entity.centre
    _, s, directions = np.linalg.svd(arms, full_matrices=True) if len(arms) > 1 else (0, np.zeros(1), np.eye(3))
    size = np.zeros(3)
    size[: len(s)] = s[:3]
    if size[0] == 0:
        axes = np.empty((0, 3))
    else:
        axes = np.eye(3) if size[1] > FLAT * size[0] else directions[1:]
    return _Columns(entity.vertices, rigid_fields(arms, axes), 3 + len(axes), axes)


def _affine_columns(X: Array, entity: Entity) -> _Columns:
    """[ I | (t . arm) I ] for the directions t in which it spreads, each of unit root mean square: 3, 6, 9 or 12."""
    arms = X[entity.vertices] - entity.centre
    spreads, directions = np.linalg.svd(arms, full_matrices=False)[1:]
    wide = spreads > max(FLAT * spreads[0], np.finfo(float).tiny)
    along = (arms @ directions[wide].T) * (np.sqrt(len(arms)) / spreads[wide])
    fields = np.column_stack([np.ones(len(arms)), along])
    values = np.einsum("kf,ab->kafb", fields, np.eye(3)).reshape(3 * len(arms), -1)
    return _Columns(entity.vertices, values, values.shape[1], np.empty((0, 3)))


def _with_soft(X: Array, entity: Entity, own: _Columns, soft: int, shapes: Array | None = None) -> _Columns:
    """Up to `soft` columns that are new, of shapes, then of harmonics along x, y, z; of unit root mean square."""
    if shapes is not None:
        with_shapes = _with_shapes(own, shapes, soft)
        soft -= with_shapes.values.shape[1] - own.values.shape[1]
        own = with_shapes
    if soft == 0 or not (len(entity.triangles) or len(entity.edges)):
        return own
    patch = np.unique(entity.triangles if len(entity.triangles) else entity.edges)
    triangles, edges = np.searchsorted(patch, entity.triangles), np.searchsorted(patch, entity.edges)
    h = patch_harmonics(X[patch], triangles, edges, soft // 3 + SPARE)
    while True:
        rows = h[np.searchsorted(patch, entity.vertices)]
        fresh = _new_columns(np.linalg.qr(own.values)[0], rows, soft)
        if fresh.shape[1] == soft or h.shape[1] == len(patch):
            break
        h = patch_harmonics(X[patch], triangles, edges, 2 * h.shape[1])
    return _Columns(own.vertices, np.hstack([own.values, fresh]), own.rigid, own.axes)


def _with_shapes(own: _Columns, shapes: Array, soft: int) -> _Columns:
    """The leading `soft` directions of shapes on the entity that are new, of unit root mean square."""
    dofs = (3 * own.vertices[:, None] + np.arange(3)).ravel()
    Q, data = np.linalg.qr(own.values)[0], shapes[dofs]
    rest = data - Q @ (Q.T @ data)
    directions, sizes, _ = np.linalg.svd(rest - Q @ (Q.T @ rest), full_matrices=False)
    count = min(soft, int((sizes > DEPENDENT * np.linalg.norm(data)).sum()))
    fresh = directions[:, :count] * np.sqrt(len(own.vertices))
    return _Columns(own.vertices, np.hstack([own.values, fresh]), own.rigid, own.axes)


def _new_columns(Q: Array, h: Array, soft: int) -> Array:
    """Residuals of h (x) e_x, e_y, e_z against the orthonormal Q and each other, the first `soft` that pass."""
    count = len(h)
    accepted: list[Array] = []
    for column in h.T:
        for axis in range(3):
            if len(accepted) == soft or Q.shape[1] == 3 * count:
                break
            candidate = np.zeros(3 * count)
            candidate[axis::3] = column
            rest = candidate - Q @ (Q.T @ candidate)
            rest -= Q @ (Q.T @ rest)
            if np.linalg.norm(rest) < REDUNDANT * np.linalg.norm(candidate):
                continue
            rest /= np.linalg.norm(rest)
            Q = np.column_stack([Q, rest])
            accepted.append(rest * np.sqrt(count))
    return np.array(accepted).reshape(-1, 3 * count).T


def _hat_columns(X: Array, entities: Sequence[Entity], soft: int, shapes: Array | None) -> list[_Columns]:
    """Rigid fields of each entity times its hat, on itself and on the entities that end in it."""
    shares = _hats(X, entities)
    made = []
    for number, entity in enumerate(entities):
        of = [(e.vertices, w[number]) for e, w in zip(entities, shares) if number in w]
        vertices = np.concatenate([ids for ids, _ in of])
        weights = np.concatenate([w for _, w in of])
        carries = any(set(entity.parts) > set(e.parts) for e in entities)
        axes = np.eye(3) if carries else _rigid_columns(X, entity).axes
        values = np.repeat(weights, 3)[:, None] * rigid_fields(X[vertices] - entity.centre, axes)
        own = _with_soft(X, entity, _rigid_columns(X, entity), soft, shapes)
        fresh = np.zeros((3 * len(vertices), own.values.shape[1] - own.rigid))
        place = np.flatnonzero(np.isin(vertices, entity.vertices))
        rows = (3 * place[np.argsort(vertices[place])][:, None] + np.arange(3)).ravel()
        fresh[rows] = own.values[:, own.rigid :]
        made.append(_Columns(vertices, np.hstack([values, fresh]), 3 + len(axes), axes))
    return _independent(X, made)


def _hats(X: Array, entities: Sequence[Entity]) -> list[dict[int, Array]]:
    """Of every entity, the weights (k,) at its vertices of itself and of the entities it ends in; they sum to one."""
    shares = []
    for number, entity in enumerate(entities):
        points = X[entity.vertices]
        reach = REACH * np.ptp(points, axis=0).max()
        above = [c for c, other in enumerate(entities) if set(other.parts) > set(entity.parts)]
        rest = np.ones(len(points))
        weights: dict[int, Array] = {}
        for level in sorted({len(entities[c].parts) for c in above}, reverse=True):
            ends = [c for c in above if len(entities[c].parts) == level]
            hats = np.array([_hat(points, X[entities[c].vertices], reach) for c in ends])
            hats /= np.maximum(hats.sum(axis=0), 1.0)
            weights |= {c: rest * hat for c, hat in zip(ends, hats) if hat.any()}
            rest = rest * (1 - hats.sum(axis=0))
        shares.append(weights | {number: rest})
    return shares


def _hat(points: Array, target: Array, reach: float) -> Array:
    if reach == 0:
        return np.zeros(len(points))
    distance = np.linalg.norm(points[:, None] - target[None], axis=2).min(axis=1)
    return np.maximum(0.0, 1 - distance / reach)


def _independent(X: Array, made: list[_Columns]) -> list[_Columns]:
    """Hats overlap: drop what the columns before already span, one entity after the other."""
    Psi = _gathered(X, made).columns
    rows = np.unique(Psi.indices)
    A = Psi[rows].toarray()
    Q, keep = np.empty((len(rows), 0)), np.zeros(A.shape[1], dtype=bool)
    for k, column in enumerate(A.T):
        rest = column - Q @ (Q.T @ column)
        rest -= Q @ (Q.T @ rest)
        if keep_it := np.linalg.norm(rest) > DEPENDENT * np.linalg.norm(column):
            Q = np.column_stack([Q, rest / np.linalg.norm(rest)])
        keep[k] = keep_it
    kept, first = [], 0
    for c in made:
        mine = keep[first : first + c.values.shape[1]]
        whole = mine[: c.rigid].all()
        rigid = int(mine[: c.rigid].sum())
        kept.append(_Columns(c.vertices, c.values[:, mine], rigid, c.axes if whole else np.empty((0, 3))))
        first += len(mine)
    return kept


def _gathered(X: Array, made: Sequence[_Columns]) -> Trace:
    counts = [c.values.shape[1] for c in made]
    starts = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
    rows, columns, values = [np.empty(0, np.int64)], [np.empty(0, np.int64)], [np.empty(0)]
    turns = []
    for c, start, count in zip(made, starts, counts):
        dofs = (3 * c.vertices[:, None] + np.arange(3)).ravel()
        rows.append(np.repeat(dofs, count))
        columns.append(np.tile(np.arange(start, start + count), len(dofs)))
        values.append(c.values.ravel())
        turns.append((np.arange(start + c.rigid - len(c.axes), start + c.rigid), c.axes))
    shape = (3 * len(X), int(starts[-1]))
    Psi = sp.csc_matrix((np.concatenate(values), (np.concatenate(rows), np.concatenate(columns))), shape)
    Psi.eliminate_zeros()
    rigid = np.concatenate([np.empty(0, bool), *(np.arange(count) < c.rigid for c, count in zip(made, counts))])
    return Trace(Psi, np.repeat(np.arange(len(made)), counts), rigid, tuple(turns))
