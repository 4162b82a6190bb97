"""Gentle forces that bring a motion back to its path: the linear-quadratic regulator along it (maths sheet section 10).

x = (dq, dv, da),   x+ = A_k x + B_k dg,   cost = sum_k x_k^T Q x_k + dg_k^T R dg_k
G = (R + B^T P B)^-1 B^T P A,   P <- Q + A^T P (A - B G),   backwards in time;   g_k = gbar_k - G_k (x_k - xbar_k)
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from pliant.control.step_tangent import step_tangent
from pliant.control.trajectory import Trajectory, check_steerable
from pliant.errors import ArgumentError, Array, check_array, check_number
from pliant.systems import Clamped
from pliant.systems.newmark import newmark

POWERLESS = 1e-12  # of the largest gain of other actuators


@dataclass(frozen=True, eq=False)
class Regulator:
    """Forces that follow a path; made by `regulate`.

    Attributes:
        path: the motion that is followed, with its own controls.
        gains: G_k (T, c, 3r), that of step k + 1 in row k.
    """

    path: Trajectory
    gains: Array

    def __repr__(self) -> str:
        return f"Regulator({len(self.gains)} steps, {self.gains.shape[1]} actuators)"

    def controls(self, k: int, q: Array, v: Array, a: Array) -> Array:
        """g (c,) of step k + 1, chosen from the state after step k; after the last step the last gains stay."""
        k = min(k, len(self.gains) - 1)
        path = self.path
        away = np.concatenate([q - path.q[k], v - path.v[k], a - path.a[k]])
        return path.controls[k] - self.gains[k] @ away

    def steer(self, system: Clamped, k: int) -> None:
        """Push the system as it needs during the step after the k-th, in place of what pushed it."""
        system.release()
        system.push_reduced(self.path.B @ self.controls(k, system.q, system.v, system.a))


def regulate(
    path: Trajectory, gentleness: float = 1e-3, weight: ArrayLike | None = None, rest: float = 0.0
) -> Regulator:
    """Gains along a path that `simulate` or `optimise` made.

    Args:
        gentleness: price of forces, R = gentleness I, for controls of order one; more of it brings back later.
        weight: W (r, r) of displacements in Q; None: the mass matrix.
        rest: s [s^2], of velocities: Q = diag(W, s W, 0).

    Raises:
        ArgumentError: an actuator can move nothing.
    """
    price = check_number("gentleness", gentleness, above=0)
    r, c = path.model.size, path.B.shape[1]
    W = path.model.mass if weight is None else check_array("weight", weight, (r, r))
    powerless = np.flatnonzero(np.abs(path.B).max(axis=0) <= POWERLESS * np.abs(path.B).max(initial=0.0))
    if not c or len(powerless):
        raise ArgumentError(f"actuator {powerless[0] if c else 0} can move nothing; give every column of B a force")
    Q = np.zeros((3 * r, 3 * r))
    Q[:r, :r], Q[r : 2 * r, r : 2 * r] = W, check_number("rest", rest, at_least=0) * W
    P, gains = Q.copy(), np.zeros((path.step_count, c, 3 * r))
    for k in range(path.step_count, 0, -1):
        A, B = _step(path, k)
        G = np.linalg.solve(price * np.eye(c) + B.T @ P @ B, B.T @ P @ A)
        P = Q + A.T @ P @ (A - B @ G)
        P = (P + P.T) / 2
        gains[k - 1] = G
    return Regulator(path, gains)


def follow(system: Clamped, regulator: Regulator) -> Array:
    """Step the system along the path from its present state; how far it was from it (T,) [m sqrt(kg)], in mass norm."""
    check_steerable(system)
    path, away = regulator.path, np.zeros(len(regulator.gains))
    for k in range(len(away)):
        regulator.steer(system, k)
        system.step()
        d = system.q - path.q[k + 1]
        away[k] = np.sqrt(d @ path.model.mass @ d)
    system.release()
    return away


def _step(path: Trajectory, k: int) -> tuple[Array, Array]:
    """A (3r, 3r) and B (3r, c) of step k = 1 .. T."""
    tangent, M, n = step_tangent(path, k), path.model.mass, newmark(path.dt)
    eye, nothing = np.eye(len(M)), np.zeros_like(M)
    dq = np.linalg.solve(tangent.A, np.hstack([tangent.P, tangent.V, n.a3 * M - n.a6 * tangent.C]))
    dv = n.a4 * (dq - np.hstack([eye, nothing, nothing])) + np.hstack([nothing, n.a5 * eye, n.a6 * eye])
    da = n.a1 * (dq - np.hstack([eye, nothing, nothing])) - np.hstack([nothing, n.a2 * eye, n.a3 * eye])
    Bq = np.linalg.solve(tangent.A, path.B)
    return np.vstack([dq, dv, da]), np.vstack([Bq, n.a4 * Bq, n.a1 * Bq])
