"""The motion of a clamped part under reduced control forces B g_k ([MR12] part 2, control; maths sheet section 10).

M a + C(q) v + f(q) = U^T f_gravity + B g_k    during step k = 1 .. T
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from pliant.errors import ArgumentError, Array, check_array
from pliant.reduced import ReducedModel
from pliant.systems import Clamped, System
from pliant.systems.playing import EachStep, play_and_look
from pliant.systems.strain_points import StrainRule


@dataclass(frozen=True, eq=False)
class Trajectory:
    """All states of a run of T steps, and what they followed from; made by `simulate`. Arrays are read-only.

    Attributes:
        model: the part.
        dt: time step [s].
        damping: (alpha [1/s], beta [s]).
        rule: the points whose strain beta damps; None: K does.
        converged: steps were iterated to convergence; otherwise of one iteration each.
        time: of the first state [s].
        weight: reduced gravity load (r,) [N].
        B: reduced force of every control at one (r, c).
        controls: g (T, c).
        q, v, a: coordinates, velocities, accelerations (T + 1, r); row 0 is the start.
    """

    model: ReducedModel
    dt: float
    damping: tuple[float, float]
    rule: StrainRule | None
    converged: bool
    time: float
    weight: Array
    B: Array
    controls: Array
    q: Array
    v: Array
    a: Array

    def __post_init__(self) -> None:
        for name in ("weight", "B", "controls", "q", "v", "a"):
            getattr(self, name).setflags(write=False)

    def __repr__(self) -> str:
        return f"Trajectory({self.step_count} steps of {self.dt:.4g} s, {self.B.shape[1]} controls, {self.model})"

    @property
    def step_count(self) -> int:
        """T."""
        return len(self.controls)

    def load(self, k: int) -> Array:
        """External reduced force (r,) during step k = 1 .. T."""
        return self.weight + self.B @ self.controls[k - 1]


def simulate(system: Clamped, B: ArrayLike, controls: ArrayLike) -> Trajectory:
    """Run the system's own steps from its present state under the forces B g_k; its state is then put back.

    Args:
        system: implicit, float64. Pushes that act on it are dropped: the controls are the only ones.
        B: (r, c); `U.T @ f` for a pattern f (3n, c) of vertex forces.
        controls: g (T, c), one row a step.

    Raises:
        Diverged: a step found no solution.
    """
    check_steerable(system)
    B = check_array("B", B, (system.model.size, None)).copy()
    g = check_array("controls", controls, (None, B.shape[1])).copy()
    before = system.state()
    try:
        states = _states(system, B, g)
    finally:
        system.release()
        system.restore(before)
    model, weight = system.model, system.model.inertia.N.T @ system.gravity
    damping = (system.alpha, system.beta)
    acting = (damping, system.strain_rule, system.newton > 1)
    return Trajectory(model, system.dt, *acting, system.time, weight, B, g, *states)


def _states(system: Clamped, B: Array, controls: Array) -> Array:
    """q, v, a after every step, and before the first, (3, T + 1, r)."""
    states = np.empty((3, len(controls) + 1, system.model.size))
    states[:, 0] = system.q, system.v, system.a
    steps = iter(range(1, len(controls) + 1))

    def look(_: System) -> None:
        states[:, next(steps)] = system.q, system.v, system.a

    rows = iter(controls)

    def steer(_: System) -> None:
        system.release()
        system.push_reduced(B @ next(rows))

    play_and_look(system, EachStep(steer), range(1, len(controls) + 1), look)
    return states


def check_steerable(system: Clamped) -> None:
    """Refuse what has no gradient."""
    # The adjoint differentiates the one step that Clamped takes; no other kind has that gradient.
    if not isinstance(system, Clamped):
        raise ArgumentError(f"system must be a pliant Clamped; {type(system).__name__} was given")
    if system.integrator != "implicit" or system.dtype != np.float64:
        raise ArgumentError(
            "control needs implicit steps in float64, whose gradient is known; "
            f"the system is {system.integrator} in {system.dtype}"
        )
