"""The one drawing formula: a vertex belongs to a few parts p with weights that sum to one.

    x_v = sum_p w_vp [ R_p (X_v + warp(Omega_v q_p) U_vp q_p) + t_p ]

A single body has one part and no frame; trees have frames, and weights of one half on interfaces ([LS11]); seams have
no frames but warp ([BA13]); bones have frames and an artist's weights ([MC15] Eq. 42).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import ArrayLike

from pliant.errors import ArgumentError, Array, Ids, check_array, check_ids
from pliant.numerics import rotation_exponential_into
from pliant.skin.displacement import displacements
from pliant.skin.pose import Pose
from pliant.skin.warp import warp

WEIGHT_SUM = 1e-9


@dataclass(frozen=True, eq=False)
class SkinPart:
    """The vertices that one part moves. Instances of a part share `X`, `U` and `omega`.

    Attributes:
        vertices: (k,) which vertices of the skin.
        weights: (k,) the part's share in each.
        X: (k, 3) rest positions in the part's frame [m].
        U: (3k, r) rows of the basis.
        omega: (3k, r) rows of the rotation vectors, for warping; None for plain linear displacement.
    """

    vertices: Ids
    weights: Array
    X: Array
    U: Array
    omega: Array | None = None

    def __post_init__(self) -> None:
        k = len(np.atleast_1d(self.vertices))
        checked = {
            "weights": check_array("weights of a skin part", self.weights, (k,)),
            "X": check_array("X of a skin part", self.X, (k, 3)),
            "U": check_array("U of a skin part", self.U, (3 * k, None)),
        }
        if self.omega is not None:
            checked["omega"] = check_array("omega of a skin part", self.omega, checked["U"].shape)
        for name, array in checked.items():
            object.__setattr__(self, name, array)

    def displacements(self, q: Array) -> Array:
        """warp(Omega q) U q at the part's vertices, in its frame, (k, 3) [m]."""
        u = displacements(self.U, q)
        if self.omega is not None:
            _warp_all((self.omega @ q).reshape(-1, 3), u)
        return u


class PartLoad(NamedTuple):
    """What forces on the skin mean to a part: a force on its frame, a torque about its origin, forces on `q`."""

    force: Array
    torque: Array
    reduced: Array


@dataclass(frozen=True, eq=False)
class Skin:
    """Pose -> vertices, and its transpose.

    Attributes:
        vertex_count: n.
        triangles: (t, 3) what is drawn.
        parts: one a part of the system, in the order of its pose.
    """

    vertex_count: int
    triangles: Ids
    parts: Sequence[SkinPart]

    def __post_init__(self) -> None:
        total = np.zeros(self.vertex_count)
        for part in self.parts:
            np.add.at(total, check_ids("vertices of a skin part", part.vertices, self.vertex_count), part.weights)
        loose = np.flatnonzero(np.abs(total - 1) > WEIGHT_SUM)
        if loose.size:
            raise ArgumentError(
                f"the weights of a skin vertex must sum to one; {loose.size} do not, the first is vertex {loose[0]} "
                f"with {total[loose[0]]:.6g}"
            )

    @property
    def rest(self) -> Pose:
        """The pose of all zeros: identity frames, no deformation."""
        frames = tuple((np.eye(3), np.zeros(3)) for _ in self.parts)
        return Pose(frames, tuple(np.zeros(part.U.shape[1]) for part in self.parts))

    def vertices(self, pose: Pose) -> Array:
        """World positions (n, 3) [m]."""
        x = np.zeros((self.vertex_count, 3))
        for part, (R, t), q in self._with(pose):
            _add_placed(part.vertices, part.weights, part.X, part.displacements(q), R, t, x)
        return x

    def gather(self, pose: Pose, forces: ArrayLike) -> tuple[PartLoad, ...]:
        """What world forces (n, 3) [N] on the vertices mean to every part.

        Where the part warps, forces are turned back by the rotation exp(Omega q) of each vertex, as virtual work asks.
        """
        forces = check_array("forces", forces, (self.vertex_count, 3))
        loads = []
        for part, (R, _), q in self._with(pose):
            arms, f = part.X + part.displacements(q), part.weights[:, None] * forces[part.vertices]
            local = f @ R
            if part.omega is not None:
                _turn_back((part.omega @ q).reshape(-1, 3), local)
            torque = np.cross(arms @ R.T, f).sum(axis=0)
            loads.append(PartLoad(f.sum(axis=0), torque, part.U.T @ local.ravel()))
        return tuple(loads)

    def _with(self, pose: Pose) -> zip:
        if len(pose.frames) != len(self.parts) or len(pose.coordinates) != len(self.parts):
            raise ArgumentError(f"the pose has {len(pose.coordinates)} parts but the skin has {len(self.parts)}")
        return zip(self.parts, pose.frames, pose.coordinates)


def plain_skin(X: Array, triangles: Ids, U: Array, omega: Array | None = None) -> Skin:
    """The skin of a single part that moves all vertices."""
    n = len(X)
    return Skin(n, triangles, (SkinPart(np.arange(n), np.ones(n), X, U, omega),))


@njit(cache=True, nogil=True)
def _warp_all(w, u):
    bent = np.empty(3)
    for v in range(len(u)):
        warp(w[v], u[v], bent)
        u[v] = bent


@njit(cache=True, nogil=True)
def _turn_back(w, f):
    R, turned = np.empty((3, 3)), np.empty(3)
    for v in range(len(f)):
        rotation_exponential_into(R, w[v])
        for i in range(3):
            turned[i] = R[0, i] * f[v, 0] + R[1, i] * f[v, 1] + R[2, i] * f[v, 2]
        f[v] = turned


@njit(cache=True, nogil=True)
def _add_placed(vertices, weights, X, u, R, t, x):
    for k in range(len(vertices)):
        a, b, c = X[k, 0] + u[k, 0], X[k, 1] + u[k, 1], X[k, 2] + u[k, 2]
        for i in range(3):
            x[vertices[k], i] += weights[k] * (R[i, 0] * a + R[i, 1] * b + R[i, 2] * c + t[i])
