"""Training of cubature: greedy choice of points, weights by non-negative least squares ([MR12] section 3.1).

Column of point e: g_e(q_s) = V_e G_e^T P(F_e), the rows of sample s divided by |f(q_s)|; the sum of all columns is the
target. Points are added from random candidates by their cosine with what is left, until the rms error is small on
states that the weights were not fitted to; a third set of states measures the result.
The states come from motion and pulls of the body itself, summed over all its points or many of them.
"""

from typing import NamedTuple

import numpy as np

from pliant.errors import Array, Ids, check_count, check_number
from pliant.fem import Solid
from pliant.fem.material import stress
from pliant.numerics.progress import Progress, report
from pliant.numerics.specialisation import specialised
from pliant.reduced.chosen_points import ChosenPoints
from pliant.reduced.cubature import CubatureForce, deform, point_gradients
from pliant.reduced.groups import Groups
from pliant.reduced.states import simulated_states

CANDIDATES = 200  # points looked at in each round
ADDED, SHARE = 4, 20  # points taken in each round: so many, or one for so many that are there already
MOST = 40  # points a coordinate: at 30 coordinates half a millisecond
FITTED = 4  # times better than asked on the states it is fitted to: more points would not help the others
SAMPLES, ROWS = 800, 24_000  # states to train on, and the most forces in all of them together
TRIES, PROGRESS = 20, 1e-3  # rounds without so much less of an error: rounding is reached, or no point helps
SCORED = 100  # of them, drawn anew each round, decide which candidates are promising
MOVING = 600  # points that move the body while states are gathered: its stiffness to some per cent


def cubature_force(
    solid: Solid,
    U: Array,
    groups: Groups,
    progress: Progress = None,
    tolerance: float = 0.005,
    samples: int | None = None,
    points: int | None = None,
    seed: int = 0,
) -> CubatureForce:
    """Train a cubature rule on states of motion and of pulls, and measure it on others.

    Args:
        tolerance: rms relative force error at which to stop, on states that the weights are not fitted to.
        samples: training states, and as many others; None: 800, fewer above 30 coordinates.
        points: most points; None: 40 r. A point costs about 3 r^2 multiply-adds a jet.
    """
    r = U.shape[1]
    tolerance = check_number("tolerance", tolerance, above=0)
    samples = check_count("samples", max(200, min(SAMPLES, ROWS // r)) if samples is None else samples)
    limit = check_count("points", MOST * r if points is None else points)
    states = simulated_states(
        _moving_rule(solid, U, groups, seed),
        U.T @ (solid.mass @ U),
        solid.mesh.vertices,
        U,
        2 * samples,
        seed,
        progress,
    )
    seen = samples + samples // 2
    sizes, target = _target(solid, U, states)
    chosen, w = _greedy(
        _Problem(solid, U, states[:seen], sizes[:seen], target[:seen], samples), tolerance, limit, seed, progress
    )
    fit = w @ _columns(solid, U, chosen, states[seen:], sizes[seen:])
    errors = np.linalg.norm(fit.reshape(-1, r) - target[seen:], axis=1)
    return _rule(solid, U, groups, chosen, w, np.array([np.sqrt(np.mean(errors**2)), errors.max()]))


def _rule(solid: Solid, U: Array, groups: Groups, points: Ids, w: Array, errors: Array) -> CubatureForce:
    """The rule of some points with weights (k,) in units of their own volume."""
    cells = points // solid.elements.weights.shape[1]
    return CubatureForce(
        material_law=type(solid.material),
        constants=np.stack(list(groups.per_cell.values()))[:, cells],
        cells=cells,
        weights=w * _volumes(solid, points),
        gradients=point_gradients(solid, U, points),
        errors=errors,
    )


def _volumes(solid: Solid, points: Ids) -> Array:
    e = solid.elements
    cells, local = np.divmod(points, e.weights.shape[1])
    return e.weights[e.blocks[cells], local]


def _moving_rule(solid: Solid, U: Array, groups: Groups, seed: int) -> CubatureForce:
    """All points, or many at random with the volume of the others."""
    count = solid.mesh.cell_count * solid.elements.weights.shape[1]
    points = np.sort(np.random.default_rng(seed).choice(count, min(count, MOVING), replace=False))
    share = _volumes(solid, np.arange(count)).sum() / _volumes(solid, points).sum()
    return _rule(solid, U, groups, points, np.full(len(points), share), np.full(2, np.nan))


def _target(solid: Solid, U: Array, states: Array) -> tuple[Array, Array]:
    """|f| (s,) and f / |f| (s, r) of the states."""
    f = np.stack([U.T @ solid.force(U @ q) for q in states])
    sizes = np.linalg.norm(f, axis=1)
    return sizes, f / sizes[:, None]


class _Problem(NamedTuple):
    """States (s, r), their |f| (s,) and f / |f| (s, r); the first `fitted` of them are fitted, the others watched."""

    solid: Solid
    U: Array
    states: Array
    sizes: Array
    target: Array
    fitted: int

    def errors(self, left: Array) -> tuple[float, float]:
        """rms relative error of the fitted and of the watched states."""
        squares = (left.reshape(self.target.shape) ** 2).sum(axis=1)
        watched = squares[self.fitted :] if len(squares) > self.fitted else squares
        return float(np.sqrt(squares[: self.fitted].mean())), float(np.sqrt(watched.mean()))


def _greedy(problem: _Problem, tolerance: float, limit: int, seed: int, progress: Progress) -> tuple[Ids, Array]:
    """Points (k,) and their weights (k,) in units of their own volume."""
    solid, U, states, sizes, target, fitted = problem
    random, chosen = np.random.default_rng(seed), ChosenPoints(target.ravel(), fitted * U.shape[1])
    count = solid.mesh.cell_count * solid.elements.weights.shape[1]
    fit, error = problem.errors(chosen.left)
    best, tries = fit, 0
    while fit > tolerance / FITTED and error > tolerance and len(chosen) < min(limit, count) and tries < TRIES:
        offered = np.setdiff1d(random.choice(count, min(CANDIDATES, count), replace=False), chosen.points)
        some = random.choice(fitted, min(SCORED, fitted), replace=False)
        more = min(max(ADDED, len(chosen) // SHARE), limit - len(chosen))
        added = offered[_promising(problem, offered, chosen.left, some)[:more]]
        chosen.add(added, _columns(solid, U, added, states, sizes))
        fit, error = problem.errors(chosen.left)
        best, tries = (fit, 0) if fit < (1 - PROGRESS) * best else (best, tries + 1)
        report(progress, "cubature", _done(len(chosen) / limit, error, tolerance))
    return chosen.points, chosen.w


def _promising(problem: _Problem, offered: Ids, left: Array, some: Ids) -> Ids:
    """Candidates by falling cosine with what is left, in some of the fitted states."""
    solid, U, states, sizes, target, _ = problem
    columns, wanted = _columns(solid, U, offered, states[some], sizes[some]), left.reshape(target.shape)[some].ravel()
    lengths = np.maximum(np.linalg.norm(columns, axis=1), np.finfo(float).tiny)  # zero where all is fixed
    return np.argsort(-(columns @ wanted) / lengths)


def _done(used: float, error: float, tolerance: float) -> float:
    """How far training is: by the points that are used, or by the digits that the error has lost."""
    return float(min(1.0, max(used, np.log(max(error, tolerance)) / np.log(tolerance))))


def _columns(solid: Solid, U: Array, points: Ids, states: Array, sizes: Array) -> Array:
    """Forces of single points in all states (points, s r), relative to the whole force."""
    cells = points // solid.elements.weights.shape[1]
    z = np.concatenate([np.ones((len(states), 1)), states], axis=1)
    result = np.empty((len(points), *states.shape))
    gradients, volumes = point_gradients(solid, U, points), _volumes(solid, points)
    _point_forces(solid.parameters, cells, gradients, volumes, z, sizes, result)
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
