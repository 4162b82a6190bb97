"""A Newmark step linearised about a state of a trajectory (maths sheet section 10).

A dq+ = P dq + V dv + (a3 M - a6 C) da + B dg,   C = alpha M + beta D

J = df/dq,   E(x) = d(K x)/dq,   H(x) = d(D x)/dq,   D that of rates of strain, or K

                    all at          A                                 P                 V
converged step      q+              a1 M + a4 C + J + beta H(v+)      a1 M + a4 C       a2 M - a5 C
one iteration       p = q + dt v    a1 M + a4 C + K                   a1 M + a4 C + S   a2 M - a5 C + dt S

S = K - J - E(q+ - p) - beta H(v+): what the predictor p does to the matrices that it is solved with.
"""

from typing import NamedTuple

import numpy as np

from pliant.control.force_slopes import force_slopes
from pliant.control.trajectory import Trajectory
from pliant.errors import Array, Diverged
from pliant.systems.newmark import newmark
from pliant.systems.strain_points import rate_damping, rate_slope

SOLVED = 1e-6  # relative residual beyond which a state is no solution of its step, so that its tangent means nothing


class StepTangent(NamedTuple):
    """Matrices (r, r) of the linearised step."""

    A: Array
    P: Array
    V: Array
    C: Array


def step_tangent(trajectory: Trajectory, k: int) -> StepTangent:
    """The tangent of step k = 1 .. T. Raises `Diverged` where the states do not solve the step."""
    model, c, (alpha, beta) = trajectory.model, newmark(trajectory.dt), trajectory.damping
    q_new, v_new, at = trajectory.q[k], trajectory.v[k], _linearised_at(trajectory, k)
    K = model.stiffness(at)
    C = alpha * model.mass + beta * _viscosity(trajectory, at, K)
    _check_solved(trajectory, k, K, C)
    P, V = c.a1 * model.mass + c.a4 * C, c.a2 * model.mass - c.a5 * C
    J, E = _slopes(trajectory, at, q_new - at, beta * v_new)
    if trajectory.converged:
        return StepTangent(P + J + E, P, V, C)
    S = K - J - E
    return StepTangent(P + K, P + S, V + trajectory.dt * S, C)


def _viscosity(trajectory: Trajectory, q: Array, K: Array) -> Array:
    return K if trajectory.rule is None else rate_damping(trajectory.rule, q)


def _slopes(trajectory: Trajectory, q: Array, x: Array, v: Array) -> tuple[Array, Array]:
    """J, and E(x) + H(v)."""
    if trajectory.rule is None:
        return force_slopes(trajectory.model, q, x + v)
    J, E = force_slopes(trajectory.model, q, x)
    return J, E + rate_slope(trajectory.rule, q, v)


def _linearised_at(trajectory: Trajectory, k: int) -> Array:
    """q+ of a converged step, the predictor of a single iteration."""
    return trajectory.q[k] if trajectory.converged else trajectory.q[k - 1] + trajectory.dt * trajectory.v[k - 1]


def _check_solved(trajectory: Trajectory, k: int, K: Array, C: Array) -> None:
    """Refuse a step that was halved, shifted or cut short: it followed another rule than the one differentiated."""
    error = max(_force_error(trajectory, k, K, C), _rate_error(trajectory, k))
    if not error <= SOLVED:
        time = trajectory.time + (k - 1) * trajectory.dt
        raise Diverged(
            f"step {k} from t = {time:.6g} s was not solved as a whole, so it has no gradient; "
            "use a smaller dt, weaker controls, or newton=20",
            time,
            error,
        )


def _force_error(trajectory: Trajectory, k: int, K: Array, C: Array) -> float:
    """|M a+ + C v+ + f - load| over the largest of the terms, f at q+ or continued linearly from the predictor."""
    model, at = trajectory.model, _linearised_at(trajectory, k)
    f = model.force(at) + K @ (trajectory.q[k] - at)
    return _relative([model.mass @ trajectory.a[k], C @ trajectory.v[k], f, -trajectory.load(k)])


def _rate_error(trajectory: Trajectory, k: int) -> float:
    """|v+ - a4 (q+ - q) - a5 v - a6 a| over the largest of the terms."""
    c, q, v, a = newmark(trajectory.dt), trajectory.q, trajectory.v, trajectory.a
    return _relative([v[k], -c.a4 * (q[k] - q[k - 1]), -c.a5 * v[k - 1], -c.a6 * a[k - 1]])


def _relative(terms: list[Array]) -> float:
    """|sum of the terms| over the largest of their norms."""
    largest = max(np.linalg.norm(term) for term in terms)
    return float(np.linalg.norm(sum(terms)) / largest) if largest > 0 else 0.0
