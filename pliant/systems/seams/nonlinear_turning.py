"""Turned interfaces of nonlinear seams: their best-fit rotations follow targets, as rows of the constraint solver.

    B(q) = sum_i (x_i - mean) A_i^T,   B = R S,   Q = R_b^T R,   A_i arms at rest, R_b of the whole body where it flies
    w = C : B',   C B' = (tr S - S)^-1 axl(B' R^T - R B'^T),   rows G = R_b^T (C - C_b):  Q' Q^T = [G v]x

Three rows hold the rotation and leave place and strain of the interface free. B is linear in q, but R and the rows are
not, so each step lays its own, where v and a lead. With d = log(Q* Q^T) there, x = log(Q T^T) for a target T, x' = G v:

    x'' = 2 (d - h x') / h^2,   G* a+ = G* a - x'' + feedback(x, x', x'')

which is what constant rows get (`constraints`), and all that the turning of the rows does besides. Rows of a free body
vanish on its rigid motions: what turns it inside neither pushes nor spins it.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from scipy.spatial.transform import Rotation

from pliant.basis.boundary import dofs_of
from pliant.basis.interface_entities import Entity
from pliant.errors import Array
from pliant.numerics import rotation_logarithm
from pliant.numerics.counting import counting
from pliant.numerics.dot import dot
from pliant.numerics.polar import polar_with
from pliant.systems.constraints import Constraints, constraints_of, feedback
from pliant.systems.seams.nonlinear_parts import NonlinearParts

STRAIGHT = 1e-6  # of the largest spread: vertices in a row have no rotation about it
THIN = 1e-9  # of the largest stretch: an interface crushed to a line


class Turning(NamedTuple):
    """What compiled steps read of k turned interfaces, and their work space.

    Attributes:
        fits, starts: (k, 3, 3, size) and (k, 3, 3): B = start + fit q.
        body, upright: (3, 3, size) and 1 (3, 3): upright + body q is the affine fit of a free body; 0 of a held one.
        targets: (k, 3, 3) T.
        ahead: (size,) where v and a lead.
        B, U, V, x: a polar decomposition. R, R_b, Q, Q_0: (3, 3). C, C_b: (3, 3, 3). spin: (3,).
    """

    fits: Array
    starts: Array
    body: Array
    upright: Array
    targets: Array
    ahead: Array
    B: Array
    U: Array
    V: Array
    x: Array
    R: Array
    R_b: Array
    Q: Array
    Q_0: Array
    C: Array
    C_b: Array
    spin: Array


def turning_of(parts: NonlinearParts, body: Array, entities: Sequence[int], rotations: Sequence[Array]) -> Turning:
    """Entities that are turned to rotation vectors (3,) [rad]."""
    k, size = len(entities), parts.size
    fits, starts = np.zeros((k, 3, 3, size)), np.zeros((k, 3, 3))
    for row, number in enumerate(entities):
        fits[row], starts[row] = _fit(parts, parts.entities[number])
    B, U, V, R, R_b, Q, Q_0 = np.zeros((7, 3, 3))
    C, C_b = np.zeros((2, 3, 3, 3))
    given, ahead, (x, spin) = (fits, starts, body, np.eye(3), np.zeros((k, 3, 3))), np.zeros(size), np.zeros((2, 3))
    made = Turning(*given, ahead, B, U, V, x, R, R_b, Q, Q_0, C, C_b, spin)
    aim(made, rotations)
    return made


def aim(turning: Turning, rotations: Sequence[Array]) -> None:
    """Set the targets."""
    for target, rotation in zip(turning.targets, rotations):
        target[:] = Rotation.from_rotvec(rotation).as_matrix()


def can_turn(X: Array, entity: Entity) -> bool:
    """Whether its vertices are neither one nor in a straight row."""
    spreads = np.linalg.svd(X[entity.vertices] - entity.centre, compute_uv=False)
    return bool(len(spreads) > 1 and spreads[1] > STRAIGHT * spreads[0])


def _fit(parts: NonlinearParts, entity: Entity) -> tuple[Array, Array]:
    """`fit` and `start` of an entity, over the sum of its squared arms."""
    arms = parts.solid.mesh.vertices[entity.vertices] - entity.centre
    weights = arms / (arms**2).sum()
    own = parts.trace.columns.tocsr()[dofs_of(entity.vertices)].toarray().reshape(len(arms), 3, -1)
    fit = np.zeros((3, 3, parts.size))
    fit[:, :, : parts.trace.size] = np.einsum("kaj,kb->abj", own, weights)
    return fit, arms.T @ weights


def rotation_vector(turning: Turning, q: Array) -> Array:
    """log Q (3,) [rad] of the first interface, at most half a turn."""
    R, R_b = _rotation(turning.starts[0] + turning.fits[0] @ q), _rotation(turning.upright + turning.body @ q)
    return np.asarray(Rotation.from_matrix(R_b.T @ R).as_rotvec())


def _rotation(B: Array) -> Array:
    U, _, V = np.linalg.svd(B)
    return U @ np.diag([1.0, 1.0, np.linalg.det(U @ V)]) @ V


def with_turns(held: Constraints, rates: Sequence[float], torques: Array) -> Constraints:
    """Constraints of hands, and after them three rows for each turn, still to be laid."""
    more = np.zeros(3 * len(rates))
    G = np.ascontiguousarray(np.pad(held.G, ((0, len(more)), (0, 0))))
    rest, targets = (np.concatenate([array, more]) for array in (held.rest, held.targets))
    speeds, forces = np.concatenate([held.rates, np.repeat(rates, 3)]), np.concatenate([held.forces, torques.ravel()])
    return constraints_of(G, rest, targets, speeds, forces, list(held.limits))


@counting
def lay_rows(turning, q, G):
    """The last rows of G, at q."""
    first = len(G) - 3 * len(turning.fits)
    for k in range(len(turning.fits)):
        _orient(turning, k, q)
        _fill(turning, k, G, first + 3 * k)


@counting
def lay_turns(turning, G, rates, wanted, h, q, v, a):
    """The last rows of G where a step of h [s] leads from q, v, a, and what they want there."""
    first = len(G) - 3 * len(turning.fits)
    for j in range(len(q) if len(turning.fits) else 0):
        turning.ahead[j] = q[j] + h * (v[j] + 0.5 * h * a[j])
    for k in range(len(turning.fits)):
        _orient(turning, k, q)
        _find_spin(turning, k, v)
        turning.Q_0[:] = turning.Q
        x = rotation_logarithm(_beside(turning.Q, turning.targets[k]))
        _orient(turning, k, turning.ahead)
        _fill(turning, k, G, first + 3 * k)
        d = rotation_logarithm(_beside(turning.Q, turning.Q_0))
        for i in range(3):
            row, rate = first + 3 * k + i, turning.spin[i]
            second = 2 * (d[i] - h * rate) / (h * h)
            wanted[row] = dot(G[row], a) - second + feedback(x[i], rate, second, rates[row], h)


@counting
def _orient(turning, k, q):
    """R, R_b, C, C_b and Q = R_b^T R at q."""
    _fit_rotation(turning, turning.fits[k], turning.starts[k], q, turning.R, turning.C)
    _fit_rotation(turning, turning.body, turning.upright, q, turning.R_b, turning.C_b)
    R, R_b = turning.R, turning.R_b
    for i in range(3):
        for j in range(3):
            turning.Q[i, j] = R_b[0, i] * R[0, j] + R_b[1, i] * R[1, j] + R_b[2, i] * R[2, j]


@counting
def _fit_rotation(turning, fit, start, q, R, C):
    """R of B = start + fit q, and C with w = C : B'."""
    B, U, x = turning.B, turning.U, turning.x
    for a in range(3):
        for b in range(3):
            B[a, b] = start[a, b] + dot(fit[a, b], q)
    polar_with(B, R, U, x, turning.V)
    least = THIN * x[0]
    for i in range(3):
        for a in range(3):
            for b in range(3):
                C[i, a, b] = 0.0
        for axis in range(3):
            m, n = (axis + 1) % 3, (axis + 2) % 3
            share = 0.0
            for j in range(3):
                share += U[i, j] * U[axis, j] / max(x[(j + 1) % 3] + x[(j + 2) % 3], least)
            for b in range(3):
                C[i, n, b] += share * R[m, b]
                C[i, m, b] -= share * R[n, b]


@counting
def _find_spin(turning, k, v):
    """spin = G v, for C, C_b and R_b as found last."""
    w = np.zeros(3)
    for a in range(3):
        for b in range(3):
            own, whole = dot(turning.fits[k, a, b], v), dot(turning.body[a, b], v)
            for i in range(3):
                w[i] += turning.C[i, a, b] * own - turning.C_b[i, a, b] * whole
    for i in range(3):
        turning.spin[i] = turning.R_b[0, i] * w[0] + turning.R_b[1, i] * w[1] + turning.R_b[2, i] * w[2]


@counting
def _fill(turning, k, G, first):
    """Rows `first` to `first + 2` of G, for C, C_b and R_b as found last."""
    for i in range(3):
        for j in range(G.shape[1]):
            G[first + i, j] = 0.0
        for a in range(3):
            for b in range(3):
                own = whole = 0.0
                for m in range(3):
                    own += turning.R_b[m, i] * turning.C[m, a, b]
                    whole += turning.R_b[m, i] * turning.C_b[m, a, b]
                fit, body = turning.fits[k, a, b], turning.body[a, b]
                for j in range(G.shape[1]):
                    G[first + i, j] += own * fit[j] - whole * body[j]


@counting
def _beside(P, T):
    """P T^T."""
    product = np.empty((3, 3))
    for i in range(3):
        for j in range(3):
            product[i, j] = P[i, 0] * T[j, 0] + P[i, 1] * T[j, 1] + P[i, 2] * T[j, 2]
    return product
