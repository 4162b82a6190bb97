"""Constants of a material from a motion that was measured: least squares by sensitivities, with standard errors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import least_squares

from pliant.control.parameters import Law, constants_of, values_of, with_values
from pliant.control.sensitivity import sensitivities
from pliant.control.trajectory import Trajectory, check_steerable, simulate
from pliant.errors import ArgumentError, Array, Diverged, check_array, check_count, check_ids
from pliant.systems import Clamped

FAR = 1e3  # of the spread of what was measured: how wrong a motion is that diverged
NEAR = 1e-10  # relative change of constants at which the search ends
UNSEEN = 1e-12  # of the largest: singular values of a Jacobian below are of constants that nothing was measured of


@dataclass(frozen=True, eq=False)
class Fit:
    """What was found.

    Attributes:
        values: by name: "young" [Pa], "density" [kg/m^3], "alpha" [1/s], "beta" [s]; "young 0", ... of several groups.
        errors: their standard errors, in the same units, for noise that is independent from number to number.
        correlation: of the constants (p, p), in the order of `values`.
        spread: standard deviation of what is left [m].
        system: with the constants that were found, in the state of the start.
        evaluations: motions that were run.
    """

    values: dict[str, float]
    errors: dict[str, float]
    correlation: Array
    spread: float
    system: Clamped
    evaluations: int

    def __repr__(self) -> str:
        found = ", ".join(f"{name} {value:.5g} +- {self.errors[name]:.2g}" for name, value in self.values.items())
        return f"Fit({found}; {self.spread:.2g} m left)"


def fit(
    system: Clamped,
    probes: ArrayLike,
    measured: ArrayLike,
    vary: Sequence[str] = ("young",),
    push: tuple[ArrayLike, ArrayLike] | None = None,
    every: int = 1,
    iterations: int = 50,
) -> Fit:
    """Find constants of a system by how some of its vertices moved.

    The motion begins in the present q and v of the system, which is left as it was, and goes by its own steps.

    Args:
        system: with a first guess of all constants.
        probes: vertices (k,).
        measured: their displacements from the mesh at rest (t, k, 3) [m], after `every`, 2 `every`, ... steps.
        vary: what to find: "young" and "density" of every group, "alpha" and "beta". What cannot be told apart, such as
            young and density of a motion without known forces, is refused.
        push: vertices, and forces on them meanwhile: (3,) or (k, 3) [N] that stay, or (T, k, 3), one for each step.
        every: steps from one measurement to the next.
        iterations: at most so many, each a motion and its sensitivities.

    Raises:
        ArgumentError: the measurements do not determine what is asked for.
    """
    check_steerable(system)
    problem = _Problem(system, probes, measured, vary, push, check_count("every", every))
    start = np.log(values_of(system, problem.constants))
    found = least_squares(
        problem.left, start, problem.jacobian, method="trf", x_scale="jac", xtol=NEAR, ftol=NEAR, gtol=NEAR,
        max_nfev=check_count("iterations", iterations),
    )  # fmt: skip
    return problem.fit(found.x, int(found.nfev))


class _Problem:
    """Residuals (t k 3,) and their Jacobian over logarithms of constants."""

    def __init__(
        self,
        system: Clamped,
        probes: ArrayLike,
        measured: ArrayLike,
        vary: Sequence[str],
        push: tuple[ArrayLike, ArrayLike] | None,
        every: int,
    ):
        self.system, self.constants = system, constants_of(system, vary)
        ids = check_ids("probes", probes, len(system.model.X))
        wanted = check_array("measured", measured, (None, len(ids), 3))
        if not wanted.size or wanted.size <= len(self.constants):
            raise ArgumentError(f"measured has {wanted.size} numbers, too few for {len(self.constants)} constants")
        self.wanted, self.every = wanted.reshape(len(wanted), -1), every
        self.rows = system.model.U.reshape(-1, 3, system.size)[ids].reshape(-1, system.size)
        self.controls = _controls(system, push, every * len(wanted))
        self._known: tuple[Array, Clamped, Trajectory] | None = None

    def motion(self, logs: Array) -> tuple[Clamped, Trajectory]:
        if self._known is None or not np.array_equal(self._known[0], logs):
            made = with_values(self.system, self.constants, np.exp(logs))
            still = Law(made, made.strain_rule).unbalanced(made.q, made.q, made.v, np.zeros(made.size))
            made.a[:] = -np.linalg.solve(made.model.mass, still)  # pushes are felt from the end of the first step on
            self._known = logs.copy(), made, simulate(made, np.eye(made.size), self.controls)
        return self._known[1:]

    def left(self, logs: Array) -> Array:
        try:
            _, trajectory = self.motion(logs)
        except Diverged:
            return np.full(self.wanted.size, FAR * max(self.wanted.std(), 1e-12))
        return (trajectory.q[self.every :: self.every] @ self.rows.T - self.wanted).ravel()

    def jacobian(self, logs: Array) -> Array:
        made, trajectory = self.motion(logs)
        dq = sensitivities(made, trajectory, self.constants)[self.every :: self.every]
        return np.einsum("pr,trc->tpc", self.rows, dq).reshape(self.wanted.size, -1)

    def fit(self, logs: Array, evaluations: int) -> Fit:
        left, J = self.left(logs), self.jacobian(logs)
        scale = np.linalg.svd(J, compute_uv=False)
        if scale[-1] <= UNSEEN**0.5 * scale[0]:
            asked = " and ".join(map(str, self.constants))
            raise ArgumentError(f"what was measured does not determine {asked}; vary fewer, or push with known forces")
        variance = float(left @ left) / (len(left) - len(logs))
        covariance = variance * np.linalg.inv(J.T @ J)
        deviation = np.sqrt(np.diag(covariance))
        names, values = [str(c) for c in self.constants], np.exp(logs)
        return Fit(
            dict(zip(names, map(float, values))),
            dict(zip(names, map(float, values * deviation))),
            covariance / np.outer(deviation, deviation),
            float(np.sqrt(variance)),
            with_values(self.system, self.constants, values),
            evaluations,
        )


def _controls(system: Clamped, push: tuple[ArrayLike, ArrayLike] | None, steps: int) -> Array:
    """Reduced forces (T, r)."""
    if push is None:
        return np.zeros((steps, system.size))
    ids = check_ids("vertices of push", push[0], len(system.model.X))
    f = np.asarray(push[1], dtype=float)
    shape = (steps, len(ids), 3)
    try:
        forces = check_array("forces of push", np.broadcast_to(f, shape), shape)
    except ValueError:
        raise ArgumentError(f"forces of push must be (3,), ({len(ids)}, 3) or {shape}; {f.shape} was given") from None
    return np.einsum("tki,kir->tr", forces, system.model.U.reshape(-1, 3, system.size)[ids])
