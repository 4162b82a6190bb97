"""Cubature of a nonlinear part: few points with positive weights that do the work of all, in states that motion visits.

    f(z) = sum_e V_e G_e^T P(F_e)  ~  sum_{e in rule} w_e G_e^T P(F_e),   w >= 0

Weights come from sparse non-negative least squares, stopped early (Farhat et al. 2014): symmetric, never negative in
energy, and zero for every rigid motion whatever the weights. A part with no more points than a rule may have takes all
of them as they are, and has the forces of the full model. Errors are measured by the displacements they make in the
part at rest, |f|^2 = f K^-1 f, so that stiff directions do not outvote soft ones.
"""

from typing import cast

import numpy as np
import scipy.linalg as la
from numpy.typing import NDArray

from pliant.basis.boundary import PartMatrices, dofs_of
from pliant.errors import Array, Ids
from pliant.fem import FirmStVK, Solid
from pliant.fem.firm_stvk import FirmStVKParameters
from pliant.numerics import rotation_exponential
from pliant.reduced.cubature import CubatureForce, point_gradients
from pliant.reduced.groups import groups_of
from pliant.systems.sparse_nnls import sparse_nnls

RULES = 3  # version of this training, for the cache
TOLERANCE = 0.005  # rms of the relative force error on the states at which to stop
STATES = 120
POOL, ROUNDS = 300, 6  # points added to the candidates in each round, those that the forces left over ask for
MOST = 3  # points a coordinate
SWING = (0.1, 0.6)  # how far the whole goes, in units of its weighted modes
NOISE = (0.01, 0.2)  # energy of what else a part may do, relative to that of its motion
SOFT = 1e-6  # of the largest eigenvalue: rigid motions lie below


def moving_states(solid: Solid, vectors: Array, derivatives: Array, weights: Array, seed: int) -> Array:
    """Displacements (STATES, 3n) of the whole: psi a + Phi a a / 2 for random a, turned at random where it is free.

    Args:
        vectors: (3n, m) modes. derivatives: (3n, m (m + 1) / 2) theirs. weights: (m,) typical amplitudes.
    """
    random, X = np.random.default_rng(seed), solid.mesh.vertices
    i, j = np.triu_indices(len(weights))
    states = np.empty((STATES, X.size))
    for state in states:
        a = random.standard_normal(len(weights)) * weights * random.uniform(*SWING)
        state[:] = vectors @ a + derivatives @ (np.where(i == j, 0.5, 1.0) * a[i] * a[j])
        if not len(solid.fixed):
            R = rotation_exponential(np.pi * random.uniform(-1, 1, 3))
            state[:] = ((X + state.reshape(-1, 3)) @ R.T - X).ravel()
    return states


def part_rule(part: PartMatrices, U: Array, states: Array, seed: int = 0) -> CubatureForce:
    """The rule of a part with columns U (3n_i, r), where it needs one trained on displacements of the whole."""
    e, per_cell = part.solid.elements, part.solid.elements.weights.shape[1]
    count = part.solid.mesh.cell_count * per_cell
    if count <= MOST * U.shape[1]:
        points, weights, error = np.arange(count), np.ones(count), 0.0
    else:
        points, weights, error = _trained(part, U, states, np.random.default_rng(seed))
    cells = points // per_cell
    return CubatureForce(
        material_law=type(part.solid.material),
        constants=np.stack(list(groups_of(part.solid).per_cell.values()))[:, cells],
        cells=cells,
        weights=weights * e.weights[e.blocks[cells], points % per_cell],
        gradients=point_gradients(part.solid, U, points),
        errors=np.array([error, error]),
    )


def _trained(part: PartMatrices, U: Array, states: Array, random: np.random.Generator) -> tuple[Ids, Array, float]:
    """Points (k,), their weights in units of their volume, and the rms error, on states and on noise beside them."""
    solid = part.solid
    K, M = U.T @ (part.K @ U), U.T @ (part.M @ U)
    values, shapes = la.eigh(0.5 * (K + K.T), 0.5 * (M + M.T))
    elastic = values > SOFT * values[-1]
    scale = shapes[:, elastic] / np.sqrt(values[elastic])
    z = la.solve(M, U.T @ (part.M @ states[:, dofs_of(part.domain.vertices)].T), assume_a="pos").T
    for k in range(1, len(z), 2):
        extra = scale @ random.standard_normal(scale.shape[1])
        energy = max(0.5 * z[k] @ U.T @ solid.force(U @ z[k]), np.finfo(float).tiny)
        z[k] += extra * np.sqrt(2 * energy * random.uniform(*NOISE) / (extra @ K @ extra))
    return _fit(solid, U, z, scale, random)


def _fit(solid: Solid, U: Array, z: Array, scale: Array, random: np.random.Generator) -> tuple[Ids, Array, float]:
    """Points (k,), their weights in units of their volume, and the rms error."""
    forces = np.stack([scale.T @ (U.T @ solid.force(U @ q)) for q in z])
    sizes = np.linalg.norm(forces, axis=1)
    target = (forces / sizes[:, None]).astype(np.float32).ravel()
    every = np.arange(solid.mesh.cell_count * solid.elements.weights.shape[1])
    G = point_gradients(solid, U, every)
    stresses = _stresses(solid, G, z, every) / sizes.astype(np.float32)
    turned = (G.reshape(-1, U.shape[1]) @ scale).astype(np.float32).reshape(len(every), 9, -1)
    pool, columns = np.empty(0, np.int64), np.empty((0, len(target)), np.float32)
    weights, left, limit = np.empty(0), target, min(MOST * U.shape[1], len(every))
    for _ in range(ROUNDS):
        pull = turned.reshape(-1, scale.shape[1]) @ left.reshape(len(z), -1).T
        scores = np.einsum("eks,eks->e", stresses, pull.reshape(stresses.shape)).astype(float)
        scores[pool] = -np.inf
        asked = np.flatnonzero(scores > 0)
        if not len(asked):
            break
        chance = scores[asked] / scores[asked].sum()
        new = random.choice(asked, min(POOL, len(asked)), replace=False, p=chance)
        fresh = np.einsum("eks,ekr->esr", stresses[new], turned[new], optimize=True).reshape(len(new), -1)
        pool, columns = np.concatenate([pool, new]), np.concatenate([columns, fresh])
        weights = sparse_nnls(
            (columns @ columns.T).astype(float), (columns @ target).astype(float), len(z), TOLERANCE, limit
        )
        left = target - weights.astype(np.float32) @ columns
        error = float(np.sqrt(left @ left / len(z)))
        if error < TOLERANCE * 1.1:
            break
    kept = np.flatnonzero(weights)
    return pool[kept], weights[kept], error


def _stresses(solid: Solid, G: Array, z: Array, points: Ids) -> NDArray[np.float32]:
    """V P (points, 9, states) of firm StVK."""
    e, per_cell = solid.elements, solid.elements.weights.shape[1]
    cells = points // per_cell
    volumes, (lam, mu, k, J0) = e.weights[e.blocks[cells], points % per_cell], _constants(solid)
    result = np.empty((len(points), 9, len(z)), np.float32)
    for first in range(0, len(points), 1000):
        own = slice(first, first + 1000)
        F = (G[own] @ z.T).transpose(0, 2, 1).reshape(-1, len(z), 3, 3) + np.eye(3)
        E = 0.5 * (F.swapaxes(2, 3) @ F - np.eye(3))
        bulk = (volumes * lam[cells])[own, None] * np.trace(E, axis1=2, axis2=3)
        S = bulk[..., None, None] * np.eye(3) + 2 * (volumes * mu[cells])[own, None, None, None] * E
        P = F @ S
        lack = np.maximum(1 - np.linalg.det(F) / J0[cells][own, None], 0)
        crushed = np.nonzero(lack)
        pressure = -(volumes * k[cells])[own][crushed[0]] * lack[crushed] ** 2
        P[crushed] += pressure[:, None, None] * _cofactors(F[crushed])
        result[own] = P.reshape(-1, len(z), 9).transpose(0, 2, 1)
    return result


def _constants(solid: Solid) -> FirmStVKParameters:
    return cast(FirmStVK, solid.material).parameters(solid.mesh.cell_count)


def _cofactors(F: Array) -> Array:
    """(k, 3, 3), rows from the other two."""
    return np.stack([np.cross(F[:, (i + 1) % 3], F[:, (i + 2) % 3]) for i in range(3)], axis=1)
