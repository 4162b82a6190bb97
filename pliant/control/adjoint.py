"""The gradient of an objective with respect to all control forces, by one pass backwards in time ([MR12]; sheet 10).

    (qh, vh, ah) += grad l_k;   w = qh + a4 vh + a1 ah;   A^T y = w;   dJ/dg_k = B^T y + drho/dg_k
    qh <- P^T y - a4 vh - a1 ah;   vh <- V^T y + a5 vh - a2 ah;   ah <- (a3 M - a6 C) y + a6 vh - a3 ah

Its cost does not depend on the number of controls. The first state is taken as given.
"""

from collections.abc import Mapping

import numpy as np

from pliant.control.objective import Objective
from pliant.control.step_tangent import StepTangent, step_tangent
from pliant.control.trajectory import Trajectory
from pliant.errors import Array
from pliant.systems.newmark import Newmark, newmark


def gradient(trajectory: Trajectory, objective: Objective) -> tuple[float, Array]:
    """J and dJ/dg (T, c); exact for the steps that were taken, converged or of one iteration.

    Raises:
        Diverged: a step was not solved as a whole, so that it has no gradient.
    """
    effort, slope = objective.effort(trajectory.controls)
    cost, y, _ = multipliers(trajectory, objective)
    return effort + cost, slope + y @ trajectory.B


def multipliers(trajectory: Trajectory, objective: Objective) -> tuple[float, Array, Array]:
    """Cost of all states; y (T, r), by how much it grows with a force in every step; and (qh, vh, ah) of the start."""
    M, c, cost = trajectory.model.mass, newmark(trajectory.dt), 0.0
    y, adjoint = np.zeros((trajectory.step_count, trajectory.model.size)), np.zeros((3, trajectory.model.size))
    for k in range(trajectory.step_count, 0, -1):
        stage = objective.stage(k, trajectory.q[k], trajectory.v[k], trajectory.a[k])
        cost += stage.cost
        adjoint += stage[1:]
        y[k - 1], adjoint = _backwards(step_tangent(trajectory, k), M, c, adjoint)
    return cost, y, adjoint


def pull_back(trajectory: Trajectory, rows: Mapping[int, Array]) -> Array:
    """d/dg (m, T, c) of m functions whose slopes are rows (m, r) of q after steps k = 1 .. T, in one pass."""
    M, c, r = trajectory.model.mass, newmark(trajectory.dt), trajectory.model.size
    m = len(next(iter(rows.values())))
    found, adjoint = np.zeros((m, trajectory.step_count, trajectory.B.shape[1])), np.zeros((3, r, m))
    for k in range(trajectory.step_count, 0, -1):
        if k in rows:
            adjoint[0] += rows[k].T
        y, adjoint = _backwards(step_tangent(trajectory, k), M, c, adjoint)
        found[:, k - 1] = y.T @ trajectory.B
    return found


def _backwards(tangent: StepTangent, M: Array, c: Newmark, adjoint: Array) -> tuple[Array, Array]:
    """y (r, ...), and (qh, vh, ah) (3, r, ...) before the step, of one cost or of several."""
    qh, vh, ah = adjoint
    y = np.linalg.solve(tangent.A.T, qh + c.a4 * vh + c.a1 * ah)
    inertial, viscous = M @ y, tangent.C @ y
    before = [
        tangent.P.T @ y - c.a4 * vh - c.a1 * ah,
        tangent.V.T @ y + c.a5 * vh - c.a2 * ah,
        c.a3 * inertial - c.a6 * viscous + c.a6 * vh - c.a3 * ah,
    ]
    return y, np.stack(before)
