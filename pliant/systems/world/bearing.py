"""How hard a hand may pull at a body of a world: no harder than cells bear, its own and those of all that it is joined
to, and no farther than it bends.

    F <= STRAIN / max_pairs |strain of a unit force|,     where it is held F <= m om^2 L / 4 or 2 m g

The strain is that of all pairs of vertices that share a cell, under a force that grows within about a period of the
first vibration, om, of all that hangs together:

    (K + om^2 M) y = W^T f - J^T l,   J y = 0,   y = (v, w, q') of every body

with the rows W of the point that is held and J of the joints, bodies in their shapes at rest where they are now
(maths sheet momentum 2: M has a block for every v, w and q'). What lifts the whole would crush an ear, and a tail that
is pulled bends the fish by far more than itself.
"""

from collections.abc import Sequence
from typing import NamedTuple
from weakref import WeakKeyDictionary

import numpy as np
import scipy.linalg as la
import scipy.sparse as sp
from scipy.sparse.linalg import splu

from pliant.errors import Array, Ids
from pliant.reduced import ReducedModel, Rigid
from pliant.systems.gentleness import STRAIN, whole_bears
from pliant.systems.world.body import Body
from pliant.systems.world.joints import JointTable

LINEAR = 1 / 3  # of what others bear: where it is turned, it swells
REDUNDANT = 1e-9  # of what joints yield at least: they may say the same twice
TURNS, BELOW = 12, 0.25  # of inverse iteration, in which motions as a whole grow by 5^12; its shift over om^2 so far
_FOUND: "WeakKeyDictionary[ReducedModel | Rigid, Bearing]" = WeakKeyDictionary()


class Bearing:
    """What is known of a model, wherever it is pulled.

    Attributes:
        mass: (s, s) of its unknowns (v, w, q') at rest, in its own axes; of q' alone where it is held.
        stiffness: (s, s).
        square: om^2 of its first vibration alone [1/s^2]; infinite where it is rigid.
        stiff: the force [N] that bends it by about its own size where it is held.
    """

    def __init__(self, model: ReducedModel | Rigid):
        self._held = len(model.fixed) > 0
        inertia = model.inertia if self._held else model.inertia.centred()
        soft = inertia.reduced_mass if self._held else inertia.moving_mass(np.zeros(model.size))
        stiffness = model.stiffness() if isinstance(model, ReducedModel) else np.zeros((0, 0))
        self.square = float(la.eigvalsh(stiffness, soft, subset_by_index=(0, 0))[0]) if model.size else np.inf
        size = float(np.ptp(model.X, axis=0).max())
        self.stiff = whole_bears(inertia.mass, float(np.sqrt(self.square)), size, 0.0)
        self._turned = np.zeros((3, model.size)) if self._held else np.linalg.solve(inertia.J[0, 0], inertia.H[0, 1:].T)
        frame = [] if self._held else [inertia.mass * np.eye(3), inertia.J[0, 0]]
        self.mass = la.block_diag(*frame, soft)
        self.stiffness = la.block_diag(np.zeros((0, 0) if self._held else (6, 6)), stiffness)
        linear = isinstance(model, ReducedModel) and model.force_law.kind == "linear"
        self._strains = _strain_rows(model) / (STRAIN * (LINEAR if linear else 1.0))

    def rows(self, R: Array, r: Array, S: Array) -> Array:
        """W (3, s) of a point at r (3,) with rows S (3, r), both in its own axes; v and w too are in those, R."""
        arm = np.cross(r, np.eye(3))
        own = S - arm @ self._turned
        return R @ (own if self._held else np.concatenate([np.eye(3), arm, own], axis=1))

    def strained(self, y: Array) -> float:
        """The largest strain of a pair over what it bears, by unknowns y (s, 3) of three forces."""
        q = y[len(y) - self._strains.shape[1] :]
        return float(np.linalg.norm(self._strains @ q, axis=1).max(initial=0.0))


class Hand(NamedTuple):
    """Where bodies are held: which of them, and the point X (3,) with rows S (3, r), both as the body has them."""

    body: int
    X: Array
    S: Array


def borne_force(hand: Hand, bodies: Sequence[Body], joints: JointTable) -> float:
    """The largest [N] that no pair of all that hangs together is strained too far by, in any direction."""
    group = _hanging_together(hand.body, bodies, joints.body)
    bearings = [bearing_of(bodies[b]) for b in group]
    ends = np.cumsum([0, *(len(each.mass) for each in bearings)])
    own = {b: slice(ends[k], ends[k + 1]) for k, b in enumerate(group)}
    W = np.zeros((3, ends[-1]))
    bearing = bearings[group.index(hand.body)]
    W[:, own[hand.body]] = bearing.rows(bodies[hand.body].rotation, hand.X, hand.S)
    whole = _Whole(bearings, _joint_rows(bodies, joints, own, int(ends[-1])))
    square = bearing.square if len(group) == 1 else whole.first_square(W.T, min(each.square for each in bearings))
    if not np.isfinite(square):
        return np.inf
    y = whole.response(W.T, square)
    largest = max(each.strained(y[own[b]]) for each, b in zip(bearings, group))
    return 1 / largest if largest > 0 else np.inf


def bearing_of(body: Body) -> Bearing:
    """Of a body that moves; found once."""
    model = body.model
    assert isinstance(model, ReducedModel | Rigid), "obstacles and skins do not move by themselves"
    if model not in _FOUND:
        _FOUND[model] = Bearing(model)
    return _FOUND[model]


class _Whole:
    """Bodies that are joined, as one."""

    def __init__(self, bearings: Sequence[Bearing], J: sp.csr_matrix):
        self._M, self._K = (sp.block_diag(each) for each in zip(*((each.mass, each.stiffness) for each in bearings)))
        self._J, self._weight = J, float(self._M.diagonal().max())

    def response(self, right: Array, square: float) -> Array:
        """(K + om^2 M)^-1 right (s, k), as far as joints let it."""
        slack = -REDUNDANT / (square * self._weight) * sp.eye(self._J.shape[0])
        matrix = sp.bmat([[self._K + square * self._M, self._J.T], [self._J, slack]], format="csc")
        padded = np.concatenate([right, np.zeros((self._J.shape[0], right.shape[1]))])
        return splu(matrix).solve(padded)[: len(right)]

    def first_square(self, right: Array, square: float) -> float:
        """om^2 of the first vibration that forces (s, k) excite, from a guess.

        Inverse iteration y <- (K + s M)^-1 M y, judged by elastic energy, to which motions as a whole are nothing:
        1 / (om^2 + s) = y^T K y+ / y^T K y.
        """
        if not np.isfinite(square):
            return square
        y = self.response(right, square)
        for _ in range(TURNS):
            y, shift = y / np.abs(y).max(), BELOW * square
            along, after = self._K @ y, self.response(self._M @ y, shift)
            square, y = float(np.sum(along * y) / np.sum(along * after)) - shift, after
        return square


def _hanging_together(body: int, bodies: Sequence[Body], pairs: Ids) -> list[int]:
    """A body and all that moves and is joined to it, through others too."""
    moves = [each.kind in ("free", "held") for each in bodies]
    links = [(int(a), int(b)) for a, b in pairs if min(a, b) >= 0 and moves[a] and moves[b]]
    group, more = set[int](), {body}
    while more:
        group |= more
        more = {each for link in links if group.intersection(link) for each in link} - group
    return sorted(group)


def _joint_rows(bodies: Sequence[Body], joints: JointTable, own: dict[int, slice], s: int) -> sp.csr_matrix:
    """J (3k, s) of all points that keep these bodies; others, and the world, stand still."""
    J = sp.lil_matrix((3 * len(joints.body), s))
    for k, side in np.argwhere(np.isin(joints.body, list(own))):
        b, at = int(joints.body[k, side]), joints.at[k, side]
        r = bodies[b].model.size
        S = joints.rows[at : at + 3 * r].reshape(3, r)
        W = bearing_of(bodies[b]).rows(bodies[b].rotation, joints.X[k, side], S)
        J[3 * k : 3 * k + 3, own[b]] = (1 - 2 * side) * W
    rows = J.tocsr()
    return rows[np.diff(rows.indptr) > 0]


def _strain_rows(model: ReducedModel | Rigid) -> Array:
    """(p, r) the strain of pairs of vertices that share a cell, for each coordinate."""
    if not isinstance(model, ReducedModel):
        return np.zeros((0, 0))
    i, j = sp.triu(model.mesh.vertex_adjacency).nonzero()
    way, U = model.X[j] - model.X[i], model.U.reshape(len(model.X), 3, model.size)
    return np.einsum("pa,par->pr", way, U[j] - U[i]) / np.sum(way**2, axis=1)[:, None]
