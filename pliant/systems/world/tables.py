"""What compiled steps read of bodies: constants of models, which bodies share; state; work space. All flat tables.

[MC15] in the letters of maths sheet momentum: t, v, Q, L, q, q' are the state of a body, R its axes, p = X + S q places
in them, I, G the inertia and the inner angular momentum for unit q', Mt = M - G^T I^-1 G the mass of q'. Vectors S and
rest places X are about the centre of mass, so that q' carries no linear momentum.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from pliant.errors import Array, Ids
from pliant.numerics.opaque import Opaque
from pliant.numerics.simd16 import WIDTH
from pliant.reduced import ReducedModel
from pliant.reduced.force import law_of, pitch_of, slab

FREE, HELD, KINEMATIC, STATIC, SYSTEM, SKIN = range(6)
SIX = ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))  # entries of a symmetric tensor, as tables keep them


class Models(NamedTuple):
    """Attributes, one entry a model unless said:
    size: r. mass: [kg].
    J: ((1 + r)^2 6) and H: ((1 + r)^2 3) of `Inertia`, rows first; M, K: (r r) mass, stiffness at rest; N: (r 3), what
        weight does to q, zero of those that fly.
    first_J, first_H, first_M, first_N: where those of each begin.
    entry, record: of the law of its force; 0 where it has none.
    z, jet: work space of the law, one after the other. first_z, first_jet, pitch.
    """

    size: Ids
    mass: Array
    J: Array
    H: Array
    M: Array
    K: Array
    N: Array
    first_J: Ids
    first_H: Ids
    first_M: Ids
    first_N: Ids
    entry: Ids
    record: Ids
    z: Array
    jet: Array
    first_z: Ids
    first_jet: Ids
    pitch: Ids


class Laws(NamedTuple):
    """What `Models` only has addresses of: keep it as long as those."""

    forces: tuple[Any, ...]
    laws: tuple[Opaque | None, ...]


def models_of(models: Sequence[Any]) -> tuple[Models, Laws]:
    """Tables of models, and what must live as long; those without fixed vertices are about their centre of mass."""
    sizes = np.array([model.size for model in models], dtype=np.int64)
    inertias = [model.inertia if len(model.fixed) else model.inertia.centred() for model in models]
    pitches = np.array([pitch_of(size + 1) for size in sizes], dtype=np.int64)
    forces = tuple(model.force_law.compiled() if isinstance(model, ReducedModel) else None for model in models)
    laws = tuple(None if force is None else law_of(force, np.float64) for force in forces)
    z, jet = slab([int(pitches.sum()) + 1, int(((sizes + 1) * pitches).sum()) + 1], np.float64)
    tables = Models(
        sizes,
        np.array([inertia.mass for inertia in inertias]),
        _flat([np.stack([inertia.J[..., a, b] for a, b in SIX], axis=-1) for inertia in inertias]),
        _flat([inertia.H for inertia in inertias]),
        _flat([inertia.reduced_mass for inertia in inertias]),
        _flat([model.stiffness() if isinstance(model, ReducedModel) else np.zeros((0, 0)) for model in models]),
        _flat([inertia.N.T for inertia in inertias]),
        _firsts(6 * (sizes + 1) ** 2),
        _firsts(3 * (sizes + 1) ** 2),
        _firsts(sizes**2),
        _firsts(3 * sizes),
        np.array([0 if law is None else law.entry for law in laws], dtype=np.int64),
        np.array([0 if law is None else law.record.ctypes.data for law in laws], dtype=np.int64),
        z,
        jet,
        _firsts(pitches),
        _firsts((sizes + 1) * pitches),
        pitches,
    )
    return tables, Laws(forces, laws)


class BodyTable(NamedTuple):
    """Attributes, one entry a body:
    model: which of the models. kind: FREE, HELD, KINEMATIC, STATIC, SYSTEM or SKIN.
    first: (b + 1,) where its coordinates begin; first_y: (b + 1,) where its unknowns (v, w, q') do, or those of a
        system: the velocities of its touched points. wide: (b,) how many unknowns there are now.
    first_A: (b + 1,) where its matrices begin, r rows of whole lanes.
    alpha, beta: its Rayleigh damping.
    """

    model: Ids
    kind: Ids
    first: Ids
    first_y: Ids
    wide: Ids
    first_A: Ids
    alpha: Array
    beta: Array


def body_table(model: Ids, kind: Ids, sizes: Ids, damping: Array, points: int = 0) -> BodyTable:
    """Of bodies in a row; sizes: r of each; `points`: how many of a system may be touched."""
    room = np.where(kind == SYSTEM, 3 * points, 6 + sizes)
    first, first_y, first_A = (
        np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
        for counts in (sizes, room, sizes * ((sizes + WIDTH - 1) // WIDTH * WIDTH))
    )
    alpha, beta = (np.ascontiguousarray(damping[:, k]) for k in range(2))
    return BodyTable(model, kind, first, first_y, np.where(kind == SYSTEM, 0, room), first_A, alpha, beta)


class BodyState(NamedTuple):
    """t, v, L: (b, 3) centre of mass, its velocity, angular momentum about it, in the world. Q: (b, 4). q, qd: flat."""

    t: Array
    v: Array
    Q: Array
    L: Array
    q: Array
    qd: Array


def body_state(table: BodyTable) -> BodyState:
    """All at rest at the origin."""
    b, size = len(table.model), int(table.first[-1])
    Q = np.tile([1.0, 0.0, 0.0, 0.0], (b, 1))
    return BodyState(np.zeros((b, 3)), np.zeros((b, 3)), Q, np.zeros((b, 3)), np.zeros(size), np.zeros(size))


class Shape(NamedTuple):
    """Geometry of a body at some q, in its own axes (sheet 1): I, its inverse; dI (1 + r, 6) = dI/dq, the first row of
    which is that of q_0 = 1; G, IG = I^-1 G (3, r); Mt (r, r)."""

    I: Array
    inverse: Array
    dI: Array
    G: Array
    IG: Array
    Mt: Array


def shape_space(r: int) -> Shape:
    """Work space for bodies of up to r coordinates."""
    return Shape(
        np.zeros((3, 3)),
        np.zeros((3, 3)),
        np.zeros(6 * (r + 1)),
        np.zeros(3 * r),
        np.zeros(3 * r),
        np.zeros(r * r),
    )


class Geometry(NamedTuple):
    """Where bodies are at the start of a step, and what they are made of there: R (b, 3, 3), world inertia I and its
    inverse (b, 3, 3), IG (3 r each) = I^-1 G in the body's axes, A (r rows each) the inverse of the matrix of the step,
    mass (b,), 1/m or 0 in `light`. Of a body that nothing moves `light`, `inverse` and all of that are zero."""

    R: Array
    I: Array
    inverse: Array
    IG: Array
    A: Array
    mass: Array
    light: Array


def geometry_space(table: BodyTable) -> Geometry:
    """Work space for all bodies."""
    b = len(table.model)
    frames = (np.zeros((b, 3, 3)), np.zeros((b, 3, 3)), np.zeros((b, 3, 3)))
    return Geometry(*frames, np.zeros(3 * table.first[-1]), np.zeros(table.first_A[-1]), np.zeros(b), np.zeros(b))


def _flat(arrays: Sequence[Array]) -> Array:
    return np.concatenate([np.ravel(array) for array in arrays] or [np.zeros(0)])


def _firsts(counts: Ids) -> Ids:
    return np.concatenate([[0], np.cumsum(counts)[:-1]]).astype(np.int64) if len(counts) else counts
