"""One reduced part, fixed to the ground ([SI05], [MR12]).

M a + C(q) v + f(q) = U^T f_ext,   C = alpha M + beta K(q)
"""

from functools import cached_property
from typing import Literal

import numpy as np
import scipy.linalg as la
from numpy.typing import ArrayLike, DTypeLike

from pliant.errors import (
    ArgumentError,
    Array,
    Diverged,
    Ids,
    check_array,
    check_choice,
    check_count,
    check_number,
)
from pliant.mesh import Mesh
from pliant.reduced import ReducedModel
from pliant.reduced.force import padded
from pliant.reduced.linear import LinearForce
from pliant.skin import Pose, Skin, plain_skin
from pliant.systems.clamped.converged import converged_steps, trial_workspace
from pliant.systems.clamped.explicit import explicit_steps
from pliant.systems.clamped.modal import modal_steps, oscillators
from pliant.systems.clamped.newmark import single_iterations, step_workspace
from pliant.systems.clamped.static import equilibrium
from pliant.systems.newmark import newmark
from pliant.systems.system import State, System, checked_state, gravity_vector, rayleigh

INTEGRATORS = ("implicit", "explicit", "static", "exact")
TOLERANCE = {np.dtype(np.float64): 1e-9, np.dtype(np.float32): 1e-4}
HELD = (np.eye(3)[None], np.zeros((1, 3)))  # the frame of a part that is fixed to the ground
FAR = 1e3  # bodies: a root mean square displacement beyond this is no solution


def _precision(dtype: DTypeLike) -> np.dtype:
    try:
        chosen = np.dtype(dtype)
    except TypeError:
        chosen = np.dtype(object)
    if chosen not in TOLERANCE:
        raise ArgumentError(f"dtype must be float64 or float32; {dtype!r} was given")
    return chosen


class Clamped(System):
    """A `ReducedModel` through time.

    Args:
        dt: time step [s].
        damping: Rayleigh (alpha [1/s], beta [s]), local in K(q).
        gravity: acceleration (3,) [m/s^2].
        newton: iterations of an implicit step. 1: a single one, as in [SI05] App. C, fast, and damping at large steps;
            more: at most so many, to convergence, the step halved where that is not enough.
        integrator: "implicit" Newmark; "explicit" central differences; "static": each step goes to equilibrium;
            "exact": modal oscillators of a linear model, without error for constant loads.
        dtype: float64 or float32.

    Attributes:
        q, v, a: reduced coordinates, velocity, acceleration (r,); writable, as is `dt`.
        model, alpha, beta, gravity, newton, integrator, dtype: as given; make another `Clamped` to change them.
    """

    def __init__(
        self,
        model: ReducedModel,
        dt: float,
        damping: tuple[float, float] = (0.0, 0.0),
        gravity: ArrayLike | None = (0.0, -9.81, 0.0),
        newton: int = 1,
        integrator: Literal["implicit", "explicit", "static", "exact"] = "implicit",
        dtype: DTypeLike = np.float64,
    ):
        if not isinstance(model, ReducedModel):
            raise ArgumentError(
                f"model must be a pliant ReducedModel; {type(model).__name__} was given (use pl.reduce)"
            )
        self.model, self._dt, self.time = model, check_number("dt", dt, above=0), 0.0
        self.alpha, self.beta = rayleigh(damping)
        self.gravity, self.newton = gravity_vector(gravity), check_count("newton", newton)
        self.integrator = check_choice("integrator", integrator, INTEGRATORS)
        self.dtype = _precision(dtype)
        if integrator == "exact" and not isinstance(model.force_law, LinearForce):
            raise ArgumentError("exact oscillators need a linear model; use pl.reduce(solid, basis, force='linear')")
        self._z, self._v, self._a = (padded(np.zeros(model.size), first, self.dtype) for first in (1, 0, 0))
        self._pushed, self._offsets = np.zeros(model.size), np.array([0, model.size])
        self._prepare()
        self._warm_up()

    @property
    def q(self) -> Array:
        return self._z[1 : self.model.size + 1]

    @q.setter
    def q(self, value: ArrayLike) -> None:
        self.q[:] = check_array("q", value, (self.model.size,))

    @property
    def v(self) -> Array:
        return self._v[1 : self.model.size + 1]

    @v.setter
    def v(self, value: ArrayLike) -> None:
        self.v[:] = check_array("v", value, (self.model.size,))

    @property
    def a(self) -> Array:
        return self._a[1 : self.model.size + 1]

    @a.setter
    def a(self, value: ArrayLike) -> None:
        self.a[:] = check_array("a", value, (self.model.size,))

    @cached_property
    def body(self) -> Skin:
        return plain_skin(self.model.X, self.mesh.surface, self.model.U)

    @property
    def mesh(self) -> Mesh:
        return self.model.mesh

    def step(self, count: int = 1) -> None:
        count = check_count("count", count, at_least=0)
        taken, residual = self._advance(count)
        self.time += taken * self.dt
        if taken < count:
            hint = ", or newton=10" if self.newton == 1 and self.integrator == "implicit" else ""
            raise Diverged(
                f"the {self.integrator} step from t = {self.time:.6g} s found no solution; "
                f"use a smaller dt, more damping, a softer push{hint}",
                self.time,
                residual,
            )

    def _push(self, vertices: Ids, forces: Array) -> None:
        self._pushed += self.body.gather_at(self.pose(), vertices, forces).flat

    def release(self) -> None:
        self._pushed[:] = 0.0

    def pose(self) -> Pose:
        return Pose.stacked(*HELD, self.q.astype(np.float64), self._offsets)

    def energy(self) -> float:
        q, v, inertia = self.q.astype(np.float64), self.v.astype(np.float64), self.model.inertia
        height = self.gravity @ (inertia.first_moment + inertia.N @ q)
        return float(0.5 * v @ self.model.mass @ v + self.model.energy(q) - height)

    def momentum(self) -> tuple[Array, Array]:
        return self.model.inertia.momentum(self.q.astype(np.float64), self.v.astype(np.float64))

    def state(self) -> State:
        return {"q": self.q.copy(), "v": self.v.copy(), "a": self.a.copy(), "time": self.time}

    def restore(self, state: State) -> None:
        checked = checked_state(state, ("q", "v", "a"), self.model.size)
        self.q, self.v, self.a, self.time = checked["q"], checked["v"], checked["a"], checked["time"]

    def _adopt_step(self) -> None:
        self._prepare()

    def _prepare(self) -> None:
        """Everything the compiled loops read but the state and the pushes."""
        model, n = self.model, self.model.size + 1
        M = model.mass
        self._weight = model.inertia.N.T @ self.gravity
        self._work, self._trial = step_workspace(M, self.dtype), trial_workspace(n, self.dtype)
        self._load = padded(self._weight, 0, self.dtype)
        extent = float(np.ptp(model.X, axis=0).max())
        limit = FAR * extent * np.sqrt(model.inertia.mass / la.eigvalsh(M)[0])
        settings = [self.dt, self.alpha, self.beta, TOLERANCE[self.dtype], limit]
        self._settings = np.array(settings, self.dtype)
        self._constants = np.array([*newmark(self.dt), self.alpha, self.beta], self.dtype)
        if self.integrator == "exact":
            self._modes = oscillators(model.stiffness(), M, self.alpha, self.beta, self.dt)
        else:
            self._force = model.force_law.compiled(self.dtype)
        if self.integrator == "explicit":
            self._inverse_mass = np.linalg.inv(M).astype(self.dtype)

    def _warm_up(self) -> None:
        """Compile, or load from numba's cache, what `step` will run: nothing compiles in the real-time loop."""
        self._advance(0 if self.integrator != "static" else 1)
        if self.integrator == "implicit":
            # The other kind of step as well: a viewer's slider turns one into the other.
            state = (self._z, self._v, self._a, self._work)
            single_iterations(self._force, self._load, self._constants, self._settings[4], *state, 0)
            converged_steps(self._force, self._load, self._settings, 2, *state, self._trial, 0)
        self._z[1:], self._v[:], self._a[:] = 0, 0, 0

    def _advance(self, count: int) -> tuple[int, float]:
        """Steps taken, and the residual of the last one where there is one."""
        self._load[1 : self.model.size + 1] = self._weight + self._pushed
        state, nan = (self._z, self._v, self._a, self._work), float("nan")
        if self.integrator == "exact":
            return self._advance_modes(count), nan
        if self.integrator == "static":
            return self._balance(count)
        if self.integrator == "explicit":
            arguments = (self._inverse_mass, self._load, self._settings)
            return explicit_steps(self._force, *arguments, *state, count), nan
        if self.newton == 1:
            limit = self._settings[4]
            return single_iterations(self._force, self._load, self._constants, limit, *state, count), nan
        return converged_steps(self._force, self._load, self._settings, self.newton, *state, self._trial, count)

    def _balance(self, count: int) -> tuple[int, float]:
        if count == 0:
            return 0, 0.0
        before = self._z.copy()
        arguments = (self._load, self._settings, self._z, self._work, self._trial)
        residual = float(equilibrium(self._force, *arguments))
        if not residual <= 1:
            self._z[:] = before
            return 0, residual
        self._v[:], self._a[:] = 0, 0
        return count, residual

    def _advance_modes(self, count: int) -> int:
        shapes, to_modal, transition = self._modes
        load = shapes.T @ (self._weight + self._pushed)
        y, v = to_modal @ self.q, to_modal @ self.v
        modal_steps(transition, load, y, v, count)
        self.q, self.v = shapes @ y, shapes @ v
        M, K = self.model.mass, self.model.stiffness()
        C = self.alpha * M + self.beta * K
        self.a = np.linalg.solve(M, self._weight + self._pushed - C @ self.v - K @ self.q)
        return count
