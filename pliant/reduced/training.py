"""Training of cubature: greedy choice of points, weights by non-negative least squares ([MR12] section 3.1).

Column of point e: g_e(q_s) = V_e G_e^T P(F_e), the rows of sample s divided by |f(q_s)|; the sum of all columns is the
target. Points are added from random candidates by their cosine with what is left, until the rms error is small.
"""

import numpy as np

from pliant.errors import Array, Ids, check_count, check_number
from pliant.fem import Solid
from pliant.fem.material import stress
from pliant.numerics.progress import Progress, report
from pliant.numerics.specialisation import specialised
from pliant.reduced.cubature import CubatureForce, deform, point_gradients
from pliant.reduced.cubic import cubic_force
from pliant.reduced.groups import Groups
from pliant.reduced.nnls import nnls_gram
from pliant.reduced.states import simulated_states

CANDIDATES, ADDED = 200, 4  # points looked at, and taken, in each round


def cubature_force(
    solid: Solid,
    U: Array,
    groups: Groups,
    progress: Progress = None,
    tolerance: float = 0.005,
    samples: int = 400,
    points: int | None = None,
    seed: int = 0,
) -> CubatureForce:
    """Train a cubature rule on simulated states, and measure it on as many others.

    Args:
        tolerance: rms relative force error on the training states at which to stop.
        samples: training states.
        points: most points; None: 8 r.
    """
    tolerance, samples = check_number("tolerance", tolerance, above=0), check_count("samples", samples)
    limit = check_count("points", 8 * U.shape[1] if points is None else points)
    M = U.T @ (solid.mass @ U)
    states = simulated_states(cubic_force(solid, U, groups), M, solid.mesh.vertices, U, 2 * samples, seed)
    sizes, target = _target(solid, U, states)
    train = slice(0, samples)
    chosen, w = _greedy(solid, U, states[train], sizes[train], target[train].ravel(), tolerance, limit, seed, progress)
    fit = w @ _columns(solid, U, chosen, states, sizes)
    errors = np.linalg.norm(fit.reshape(target.shape) - target, axis=1)[samples:]
    e, cells = solid.elements, chosen // solid.elements.weights.shape[1]
    volumes = e.weights[e.blocks[cells], chosen % e.weights.shape[1]]
    return CubatureForce(
        material_law=type(solid.material),
        constants=np.stack(list(groups.per_cell.values()))[:, cells],
        cells=cells,
        weights=w * volumes,
        gradients=point_gradients(solid, U, chosen),
        errors=np.array([np.sqrt(np.mean(errors**2)), errors.max()]),
    )


def _target(solid: Solid, U: Array, states: Array) -> tuple[Array, Array]:
    """|f| (s,) and f / |f| (s, r) of the states."""
    f = np.stack([U.T @ solid.force(U @ q) for q in states])
    sizes = np.linalg.norm(f, axis=1)
    return sizes, f / sizes[:, None]


def _greedy(
    solid: Solid,
    U: Array,
    states: Array,
    sizes: Array,
    target: Array,
    tolerance: float,
    limit: int,
    seed: int,
    progress: Progress,
) -> tuple[Ids, Array]:
    """Points (k,) and their weights (k,) in units of their own volume."""
    random, left = np.random.default_rng(seed), target.copy()
    count = solid.mesh.cell_count * solid.elements.weights.shape[1]
    chosen, columns, w = np.empty(0, dtype=np.int64), np.empty((0, len(target))), np.empty(0)
    scale = np.sqrt(len(states))
    while np.linalg.norm(left) > tolerance * scale and len(chosen) < min(limit, count):
        offered = np.setdiff1d(random.choice(count, min(CANDIDATES, count), replace=False), chosen)
        new = _columns(solid, U, offered, states, sizes)
        best = np.argsort(-(new @ left) / np.linalg.norm(new, axis=1))[: min(ADDED, limit - len(chosen))]
        chosen, columns = np.concatenate([chosen, offered[best]]), np.concatenate([columns, new[best]])
        w = nnls_gram(columns @ columns.T, columns @ target, np.concatenate([w, np.zeros(len(best))]))
        kept = w > 0
        chosen, columns, w = chosen[kept], columns[kept], w[kept]
        left = target - w @ columns
        report(progress, "cubature", min(1.0, len(chosen) / limit))
    return chosen, w


def _columns(solid: Solid, U: Array, points: Ids, states: Array, sizes: Array) -> Array:
    """Forces of single points in all states (points, s r), relative to the whole force."""
    e, per_cell = solid.elements, solid.elements.weights.shape[1]
    cells = points // per_cell
    volumes = e.weights[e.blocks[cells], points % per_cell]
    z = np.concatenate([np.ones((len(states), 1)), states], axis=1)
    result = np.empty((len(points), *states.shape))
    _point_forces(solid.parameters, cells, point_gradients(solid, U, points), volumes, z, sizes, result)
    return result.reshape(len(points), -1)


@specialised
def _point_forces(parameters, cells, gradients, volumes, z, sizes, result):
    F, P = np.empty((3, 3)), np.empty((3, 3))
    for e in range(len(cells)):
        for s in range(len(z)):
            deform(gradients[e], z[s], F)
            stress(parameters, cells[e], F, P)
            for i in range(gradients.shape[2]):
                total = 0.0
                for k in range(9):
                    total += gradients[e, k, i] * P[k // 3, k % 3]
                result[e, s, i] = volumes[e] / sizes[s] * total
