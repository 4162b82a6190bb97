"""One reduced part, fixed to the ground ([SI05], [MR12]).

M a + C(q) v + f(q) = U^T f_ext,   C = alpha M + beta D(q)    D: rates of strain, or K(q)
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from functools import cached_property
from typing import Any, Literal

import numpy as np
import scipy.linalg as la
from numpy.typing import ArrayLike, DTypeLike

from pliant.basis import SizeReport
from pliant.errors import (
    ArgumentError,
    Array,
    Diverged,
    Ids,
    PliantWarning,
    check_array,
    check_choice,
    check_count,
    check_out,
)
from pliant.fem import Solid
from pliant.fem.inversion import against_crushing
from pliant.mesh import Mesh
from pliant.numerics.opaque import Opaque, opaque
from pliant.reduced import ReducedModel, reduce
from pliant.reduced.force import law_of, padded
from pliant.reduced.linear import LinearForce
from pliant.skin import Points, Pose, Rates, Skin, plain_skin
from pliant.skin.points import vertex_areas
from pliant.skin.skin import WORTH_THREADS
from pliant.systems.arrival import FAR
from pliant.systems.clamped.converged import trial_workspace
from pliant.systems.clamped.driven import (
    CALM,
    Drive,
    Windage,
    blown_on,
    driven_explicit,
    driven_statics,
    hands_load,
)
from pliant.systems.clamped.explicit import explicit_steps
from pliant.systems.clamped.guard import (
    ACCOUNT,
    ANEW,
    CRUSHED,
    FELT,
    FINE,
    STEADY,
    STRAYED,
    TURNED,
    WHY,
    account_of,
    adopt_account,
    arrive,
    guard_of,
    leave,
    spare_of,
)
from pliant.systems.clamped.modal import modal_steps, oscillators
from pliant.systems.clamped.newmark import step_constants, step_workspace
from pliant.systems.clamped.quick import (
    OUTCOME,
    TIME,
    DrivenRecord,
    Quick,
    StepRecord,
    push_rows,
    quick_steps,
)
from pliant.systems.clamped.static import balance
from pliant.systems.clamped.warping import Warping
from pliant.systems.constraints import held_constraints
from pliant.systems.energy_watch import add_supply
from pliant.systems.inversion import TOO_MANY, turned
from pliant.systems.state import State, adopt_forces, checked_state, loads_felt
from pliant.systems.strain_points import LAWS, StrainRule, rate_damping, strain_points
from pliant.systems.strain_rule import strain_rule
from pliant.systems.system import (
    CONVERGED,
    LAYERS,
    MOST_ITERATIONS,
    Layer,
    System,
    check_step,
    given_out,
    gravity_vector,
    made_with,
    rayleigh,
)
from pliant.systems.wind_points import sail_of

INTEGRATORS = ("implicit", "explicit", "static", "exact")
OSCILLATIONS = 1_000_000  # exact steps of all modes together, before an interrupt is heard
TOLERANCE = {np.dtype(np.float64): 1e-9, np.dtype(np.float32): 1e-4}
HELD = (np.eye(3)[None], np.zeros((1, 3)))  # the frame of a part that is fixed to the ground


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
        model: the part; of a `Solid` it is made, by `reduce` with `tolerance`.
        dt: time step [s].
        damping: Rayleigh (alpha [1/s], beta [s]).
        gravity: acceleration (3,) [m/s^2].
        newton: iterations of an implicit step, at most, to convergence; the step is halved where they are not enough.
            1: a single one from q + dt v, the fastest, of second order like the others, and far less accurate.
        integrator: "implicit" Newmark; "explicit" central differences; "static": each step goes to equilibrium;
            "exact": modal oscillators of a linear model, without error for constant loads.
        dtype: float64 or float32.
        tolerance: of the basis that is chosen for a `Solid`; None: 0.02.
        damping_law: what beta damps: "strain" rates alone, so that stress neither brakes rotation nor feeds motion, at
            points that are trained at first use; or "stiffness", K(q) v. The same at rest.
        warp: how a linear model is drawn: "modal", its vertices turned, or "rotation-strain", its tets turned and
            fitted together again, [MR12] section 7; None: straight, as it is computed. Pushes and hands know nothing
            of it.

    Attributes:
        q, v, a: reduced coordinates, velocity, acceleration (r,); writable, as is `dt`.
    """

    kind = "clamped"
    _changed = False  # have hands and winds, since the last step?
    _drive: Drive

    def __init__(
        self,
        model: ReducedModel | Solid,
        dt: float,
        damping: tuple[float, float] = (0.0, 0.0),
        gravity: ArrayLike | None = (0.0, -9.81, 0.0),
        newton: int = CONVERGED,
        integrator: Literal["implicit", "explicit", "static", "exact"] = "implicit",
        dtype: DTypeLike = np.float64,
        tolerance: float | None = None,
        damping_law: Literal["strain", "stiffness"] = "strain",
        warp: Literal["modal", "rotation-strain"] | None = None,
    ):
        if isinstance(model, Solid):
            model = reduce(model, tolerance=tolerance)
        elif tolerance is not None:
            raise ArgumentError("tolerance chooses the basis of a pl.Solid, and a model has one; leave it out")
        if not isinstance(model, ReducedModel):
            raise ArgumentError(
                f"model must be a pliant ReducedModel or Solid; {type(model).__name__} was given (use pl.reduce)"
            )
        if not len(model.fixed):
            raise ArgumentError(
                "a Clamped needs a model with fixed vertices, and this one has none: it would hover; fix some, or let "
                "it fly with pl.couple_nonlinear, pl.couple or pl.substructure"
            )
        self._model, self._dt, self.time = model, check_step(dt), 0.0
        self._damping, self._damping_law = rayleigh(damping), check_choice("damping_law", damping_law, LAWS)
        self._gravity, self._newton = gravity_vector(gravity), check_count("newton", newton, at_most=MOST_ITERATIONS)
        self._integrator = check_choice("integrator", integrator, INTEGRATORS)
        self._dtype, self._warp = _precision(dtype), warp
        self._warping = None if warp is None else Warping(model, warp)
        if integrator == "exact" and not isinstance(model.force_law, LinearForce):
            raise ArgumentError("exact oscillators need a linear model; use pl.reduce(solid, basis, force='linear')")
        self._z, self._v, self._a = (padded(np.zeros(model.size), first, self.dtype) for first in (1, 0, 0))
        self._pushed, self._offsets = np.zeros(model.size), np.array([0, model.size])
        extent = float(np.ptp(model.X, axis=0).max())
        self._limit = self.dtype.type(FAR * extent * np.sqrt(model.inertia.mass / la.eigvalsh(model.mass)[0]))
        self._guard = guard_of(model, self._limit, self.dtype, len(self._z))
        self._spare, self._told = spare_of(self._guard), set[int]()
        self._outcome = np.zeros(OUTCOME)
        self._prepare()
        self._warm_up()
        if integrator in ("implicit", "explicit"):
            self._warn_of_long_steps()

    model = made_with("model", "The part.")
    newton = made_with("newton", "Iterations of an implicit step.")
    integrator = made_with("integrator", "How it is stepped.")
    dtype = made_with("dtype", "float64 or float32.")
    damping_law = made_with("damping_law", "What beta damps.")
    warp = made_with("warp", "How a linear model is drawn.")

    @property
    def report(self) -> SizeReport | None:
        return self.model.report

    @property
    def size(self) -> int:
        return self.model.size

    @property
    def solid(self) -> Solid:
        return self.model.solid

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
        if count.__class__ is not int or count < 0:
            count = check_count("count", count, at_least=0)
        quick, begun = self._quick, self.time
        if count != 1 or quick is None:
            self._in_slices(count, lambda steps, done: self._take(steps, done, begun))
            return
        if self._holds or self._wind is not None:
            self._outcome[TIME], quick = begun, self._quick_driven()
        # Interrupts are heard when a call has returned, and not between these two lines.
        self.time = time = begun + self._dt
        if quick.take(1):
            steps, residual, unusual, _ = self._outcome.tolist()
            self._count(1, int(steps), residual, unusual, begun)
        elif time < 0.5 * self._dt:
            self._count(1, 1, 0.0, False, begun)

    @property
    def _equal_slice(self) -> int | None:
        """Exact steps go to modes and back once a slice."""
        return OSCILLATIONS // self.size + 1 if self.integrator == "exact" else super()._equal_slice

    def _take(self, count: int, done: int, begun: float) -> bool:
        """`count` steps after those that are done since `begun`."""
        quick = self._quick
        if quick is None:
            taken, residual = self._advance(count)
            leave(self._z, self._v, self._a, self._guard.now)
            unusual = self._guard.counts[TURNED] + self._guard.counts[STRAYED]
        else:
            if self._holds or self._wind is not None:
                self._outcome[TIME], quick = self.time, self._quick_driven()
            if not quick.take(count):
                taken, residual, unusual = count, 0.0, 0.0
            else:
                steps, residual, unusual, _ = self._outcome.tolist()
                taken = int(steps)
        self._count(count, taken, residual, unusual, begun + done * self._dt)
        return True

    def _count(self, count: int, taken: int, residual: float, unusual: float, begun: float) -> None:
        """`taken` steps of `count` since `begun`; say so where something was unusual."""
        self.time = begun + taken * self._dt
        if abs(self.time) < 1e-9 * self._dt:
            self.time = 0.0  # gone back to the start, but for rounding
        if taken < count:
            raise Diverged(self._reason(), self.time, residual)
        if unusual:
            self._tell_unusual()

    def _tell_unusual(self) -> None:
        if self._guard.counts[TURNED]:
            cure = against_crushing(self.model.material_law)
            self._tell(TURNED, f"some cells are inside out, so strains there mean little; {cure}")
        if self._guard.counts[STRAYED]:
            self._tell(STRAYED, self._far_bent())

    def _far_bent(self) -> str:
        assert self.model.report is not None
        times = self.model.report.trusted / self.model.report.reach
        return (
            f"the motion is {times:.2g} times as large as that for which the basis was chosen, so its tolerance may "
            "not hold; load it less, or give pl.reduce the loads= that act"
        )

    def _tell(self, what: int, words: str) -> None:
        """Warn, once."""
        if what not in self._told:
            self._told.add(what)
            warnings.warn(words, PliantWarning, 3)

    def _reason(self) -> str:
        """Why a step failed, and what to do."""
        why, where = int(self._guard.counts[WHY]), f"the {self.integrator} step from t = {self.time:.6g} s"
        self._guard.counts[WHY] = FINE
        if why == CRUSHED:
            cure = against_crushing(self.model.material_law)
            return f"{where} turned more than {TOO_MANY:.0%} of the cells inside out; {cure}"
        what = "found no solution" if why == FINE else "gained energy that no load supplied"
        hint = f", or newton={CONVERGED}" if self.newton == 1 and self.integrator == "implicit" else ""
        return f"{where} {what}; use a smaller dt, more damping, a softer push{hint}"

    def push(self, vertices: ArrayLike, forces: ArrayLike, on: Layer = "skin") -> None:
        if not self._bare(on) or not self._push_plain(vertices, forces):
            super().push(vertices, forces, on)

    def _bare(self, layer: Layer) -> bool:
        """Are the vertices of this layer those of the model?"""
        return layer == "mesh" or (layer == "skin" and self.worn is None)

    def _push_plain(self, vertices: ArrayLike, forces: ArrayLike) -> bool:
        """Plain numbers take one compiled call; what is unusual, or wrong, does nothing and is left to others."""
        try:
            ids, given = np.asarray(vertices), np.asarray(forces)
        except (TypeError, ValueError):
            return False
        if ids.dtype != np.int64 or ids.ndim != 1 or given.dtype.kind not in "fi":
            return False
        if given.shape not in ((3,), (len(ids), 3)):
            return False
        # Copies where it takes any: other layouts would be other types, and compiled in the midst of a run.
        rows = given if given.dtype == np.float64 and given.flags.carray else given.astype(np.float64, order="C")
        plain = ids if ids.flags.carray else ids.copy()
        return push_rows(self.model.U, plain, rows.reshape(-1, 3), self._pushed)

    def _push(self, vertices: Ids, forces: Array) -> None:
        self._pushed += self.body.gather_at(self.pose(), vertices, forces).flat

    def _push_reduced(self, load: Array) -> None:
        self._pushed += load

    def release(self) -> None:
        self._pushed[:] = 0.0

    def _adopt_wind(self) -> None:
        if self._wind is not None and self.integrator == "exact":
            self._wind = None
            raise ArgumentError("exact oscillators answer constant loads, and wind changes; use integrator='implicit'")
        self._change_drive(self.hold_forces)

    def _adopt_holds(self, forces: Array) -> None:
        if self._holds and self.integrator == "exact":
            raise ArgumentError("exact oscillators answer constant loads, and hands change; use integrator='implicit'")
        self._change_drive(forces)

    def _change_drive(self, forces: Array) -> None:
        """Other hands or another wind: what hands no longer do is a jump of the load; winds rise within a step."""
        self._arrive(0)
        self._changed = True
        ended = hands_load(self._drive.constraints)
        self._drive = self._present_drive(forces)
        begun = hands_load(self._drive.constraints)
        self._a[1 : self.size + 1] += self._guard.inverse_mass @ (begun - ended)[1 : self.size + 1]
        self._guard.now[2] = self._a
        self._guard.now[FELT] += begun - ended
        self._adopt_drive()  # now, not in the first step

    def _aim_holds(self) -> None:
        self._drive.constraints.targets[:] = np.concatenate([hold.target for hold in self._holds])

    @property
    def hold_forces(self) -> Array:
        return self._drive.constraints.forces.reshape(-1, 3).astype(np.float64)

    def _present_drive(self, forces: Array) -> Drive:
        """The hands and the wind of now."""
        r, pitch = self.size, len(self._z)
        constraints = held_constraints(self, forces, (1, pitch - r - 1), self.dtype)
        columns = np.zeros((pitch, 8))
        columns[:, : len(constraints.G)] = constraints.G[:8].T
        blocks = (columns.ravel(), np.zeros(8 * pitch))
        work = (np.zeros(pitch, self.dtype), *blocks, np.zeros(pitch, self.dtype))
        clock, kept = np.zeros(1), constraints.forces.copy()
        return Drive(constraints, self._blown(clock), self._wind is not None, clock, *work, kept)

    def _blown(self, clock: Array) -> Opaque:
        """The wind of now."""
        if self._wind is None:
            return CALM
        sail = sail_of(self._surface, np.arange(self.size), self._wind)
        self._windage = Windage(sail, clock, np.zeros(self.size), np.zeros(self.size), HELD[0].copy(), HELD[1].copy())
        return opaque(blown_on, self._windage, self._z, self._load)

    @cached_property
    def _surface(self) -> Points:
        return self.body.clusters(vertex_areas(self.model.X, self.mesh.surface))

    def pose(self) -> Pose:
        return Pose.stacked(*HELD, self.q.astype(np.float64), self._offsets)

    @property
    def drawn_by(self) -> Skin | None:
        return self.skin if self._warping is None else self._warping.skin(self.worn)

    def drawn(self, pose: Pose) -> Array:
        return super().drawn(pose) if self._warping is None else self._warping.vertices(pose, self.worn)

    def vertices(self, of: Layer = "skin", out: Array | None = None) -> Array:
        if self._warping is not None:
            worn = self.worn if check_choice("of", of, LAYERS) == "skin" else None
            return given_out(self._warping.vertices(self.pose(), worn), out)
        if not self._bare(of) or not self._small:
            return super().vertices(of, out)
        rows, q = self._rows_and_rest
        shape = self.model.X.shape
        x = np.empty(shape) if out is None else check_out(out, shape)
        q[:-1] = self.q
        np.dot(rows, q, out=x.reshape(-1))
        return x

    @cached_property
    def _rows_and_rest(self) -> tuple[Array, Array]:
        """(U X) (3n, r + 1) and room for (q 1) (r + 1,): the vertices are one product."""
        return np.column_stack([self.model.U, self.model.X.ravel()]), np.ones(self.model.size + 1)

    @cached_property
    def _small(self) -> bool:
        """Is u = U q quicker than to ask several threads?"""
        return self.model.U.size <= WORTH_THREADS

    def rates(self) -> Rates:
        return Rates(np.zeros((1, 3)), np.zeros((1, 3)), self.v.astype(np.float64), self._offsets)

    def energy(self) -> float:
        inertia = self.model.inertia
        return self._mechanical() - float(self.gravity @ (inertia.first_moment + inertia.N @ self.q.astype(np.float64)))

    def _mechanical(self) -> float:
        """T + V of the elastic forces [J]."""
        q, v = self.q.astype(np.float64), self.v.astype(np.float64)
        return float(0.5 * v @ self.model.mass @ v + self.model.energy(q))

    def momentum(self) -> tuple[Array, Array]:
        return self.model.inertia.momentum(self.q.astype(np.float64), self.v.astype(np.float64))

    def state(self) -> State:
        """`balanced`: the load, of weight and pushes, that `a` answers. `account`: of energy, see `gamma_of`, up to a
        step in which the load `felt` was there at last."""
        self._arrive(0)
        moving = {"q": self.q, "v": self.v, "a": self.a, "hold_forces": self.hold_forces}
        if self._converges:
            moving |= {"account": account_of(self._guard), "felt": self._guard.now[FELT, 1 : self.size + 1]}
        return State(**moving, balanced=self._guard.now[STEADY, 1 : self.size + 1], time=self.time)

    def restore(self, state: Mapping[str, ArrayLike]) -> None:
        checked = checked_state(state, dict.fromkeys("qva", (self.size,)) | loads_felt(state, self.size))
        self.q, self.v, self.a, self.time = checked["q"], checked["v"], checked["a"], checked["time"]
        adopt_forces(state, self._drive.constraints.forces)
        self._begin_anew(checked.get("balanced", self._weight + self._pushed))
        if self._converges and "account" in state:
            self._arrive(0)
            account = check_array("account", state["account"], ACCOUNT)
            adopt_account(self._guard, account, checked.get("felt", self._guard.now[FELT, 1 : self.size + 1]))

    @property
    def _converges(self) -> bool:
        return self.integrator == "implicit" and self.newton > 1

    def _begin_anew(self, balanced: Array) -> None:
        """The state of now is what was meant, with an acceleration that answers this load (r,)."""
        now = self._guard.now
        leave(self._z, self._v, self._a, now)
        now[STEADY, 1 : self.size + 1] = balanced
        now[FELT] = now[STEADY] + hands_load(self._drive.constraints)
        self._guard.counts[ANEW] = 1

    def settle(self) -> None:
        state = (self._z, self._v, self._a)
        if self.integrator == "exact":
            self.q = la.solve(self.model.stiffness(), self._weight + self._pushed)
            self._v[:], self._a[:] = 0, 0
        else:
            self._load[1 : self.size + 1] = self._weight + self._pushed
            found, residual = balance(self._law, self._load, self._settings, *state, self._work, self._trial)
            if not found:
                why = "no equilibrium under weight and pushes was found; stiffen the material, or start from rest"
                raise Diverged(why, self.time, residual)
        self._begin_anew(self._weight + self._pushed)

    @property
    def unknowns(self) -> Array:
        return self.v.astype(np.float64)

    def rows(self, points: Points) -> Array:
        return points.jacobian(self.pose())

    def response(self, points: Points) -> Array:
        q, dt = self.q.astype(np.float64), self.dt
        M, K = self.model.mass, self.model.stiffness(q)
        A = (1 + 0.5 * dt * self.alpha) * M + 0.5 * dt * self.beta * self._viscosity(q, K) + 0.25 * dt * dt * K
        return np.linalg.solve(A, self.rows(points).T)

    def _correct(self, change: Array, _momentum: Array, share: float = 0.5) -> None:
        self._arrive(0)
        before = self._mechanical()
        self.v, self.q = self.v + change, self.q + share * self.dt * change
        self.a = self.acceleration()
        after = self._mechanical()
        self._begin_anew(self._weight + self._pushed)
        # An impulse is work like any other: the ledger goes on.
        self._guard.counts[ANEW] = 0
        self._guard.energy[0] = after
        add_supply(self._guard.ledger, after - before)

    def acceleration(self) -> Array:
        """M^-1 (load - f(q) - C v) (r,): what the forces of now do."""
        q, v = self.q.astype(np.float64), self.v.astype(np.float64)
        M, K = self.model.mass, self.model.stiffness(q)
        load = (
            self._weight
            + self._pushed
            + self._drive.constraints.forces @ self._drive.constraints.G[:, 1 : self.size + 1]
        )
        viscous = self.alpha * (M @ v) + self.beta * (self._viscosity(q, K) @ v)
        return np.linalg.solve(M, load - self.model.force(q) - viscous)

    def _viscosity(self, q: Array, K: Array) -> Array:
        """D (r, r), what beta damps."""
        return K if self.strain_rule is None else rate_damping(self.strain_rule, q)

    @property
    def strain_rule(self) -> StrainRule | None:
        """The points whose strain beta damps; None where K does, or nothing."""
        return self._trained_rule if self.beta > 0 and self.damping_law == "strain" else None

    @cached_property
    def _trained_rule(self) -> StrainRule | None:
        return strain_rule(self.model)

    def _mass(self) -> float:
        return self.model.inertia.mass

    def _first_period(self) -> float:
        return float(2 * np.pi / np.sqrt(la.eigvalsh(self.model.stiffness(), self.model.mass)[0]))

    def _made_of(self) -> dict[str, Any]:
        given = {"model": self.model, "dt": self.dt, "damping": self.damping, "gravity": self.gravity}
        given |= {"newton": self.newton, "integrator": self.integrator, "dtype": self.dtype.name}
        return {**given, "damping_law": self.damping_law, "warp": self.warp}

    def _acting(self) -> dict[str, Any]:
        return {"pushed": self._pushed}

    def _act_again(self, acting: dict[str, Any]) -> None:
        self._pushed[:] = acting["pushed"]

    def _adopt_step(self) -> None:
        self._prepare()
        self._adopt_drive()
        self._guard.counts[ANEW] = 1

    def _prepare(self) -> None:
        """Everything the compiled loops read but the state and the pushes."""
        model, n = self.model, self.model.size + 1
        M = model.mass
        self._weight = model.inertia.N.T @ self.gravity
        law, renew = model.force_law, np.ones(1, np.int64)
        points = strain_points([] if self.strain_rule is None else [self.strain_rule])
        by_stiffness = self.beta > 0 and self.strain_rule is None  # which needs that of the moment
        lasting = law.lasting and self.newton > 1 and not by_stiffness
        self._work = step_workspace(M, self.dtype, points)
        self._trial = trial_workspace(n, self.dtype, renew, lasting)
        self._load = padded(self._weight, 0, self.dtype)
        settings = [self.dt, self.alpha, self.beta, TOLERANCE[self.dtype], self._limit]
        settings.append(0.25 * self.dt**2 if self.integrator == "explicit" else 0.0)
        self._settings = np.array(settings, self.dtype)
        self._constants = step_constants(self.dt, self.alpha, self.beta, self.dtype)
        self._quick: Quick | None = None
        if self.integrator == "exact":
            self._modes = oscillators(model.stiffness(), M, self.alpha, self.beta, self.dt)
        else:
            self._force = law.shared(renew, self.dtype) if lasting else law.compiled(self.dtype)
            self._law = law_of(self._force, self.dtype)
        if self.integrator == "implicit":
            acting = (self._law, self._load, self._weight, self._pushed, self._settings, self._constants, self._limit)
            moving = (self._z, self._v, self._a, self._work, self._trial, self._guard, self._outcome)
            self._record = StepRecord(*acting, self.newton, *moving)
        self._driven_record: DrivenRecord | None = None

    def _adopt_drive(self) -> None:
        """Compile, or load from numba's cache, the steps of now."""
        if self.integrator == "implicit":
            self._quick = self._quick or quick_steps(self._record)
            self._quick_driven()

    def _quick_driven(self) -> Quick:
        """Steps under the hands and the wind of now."""
        if self._driven_record is None or self._driven_record.drive is not self._drive:
            self._driven_record = DrivenRecord(self._record, self._drive, self._spare)
            self._driven_steps = quick_steps(self._driven_record)
        return self._driven_steps

    def _warm_up(self) -> None:
        """Compile, or load from numba's cache, what `step` will run: nothing compiles in the real-time loop."""
        self._drive = self._present_drive(np.zeros((0, 3)))
        if self.integrator == "implicit":
            self._adopt_drive()
            self._arrive(0)
        else:
            self._advance(0 if self.integrator != "static" else 1)
            if self.integrator != "exact":
                self._driven(0)
        push_rows(self.model.U, np.zeros(0, np.int64), np.zeros((1, 3)), self._pushed)
        self._z[1:], self._v[:], self._a[:] = 0, 0, 0
        moves = self.integrator in ("implicit", "explicit")
        self.a = np.linalg.solve(self.model.mass, self._weight) if moves else np.zeros(self.size)
        self._begin_anew(self._weight if moves else np.zeros(self.size))

    def _arrive(self, count: int) -> None:
        """Find out what was written by hand since the last step."""
        if self.integrator != "exact":
            state = (self._z, self._v, self._a, self._work)
            arrive(self._law, self._load, self._settings, *state, self._guard, count)

    def _advance(self, count: int) -> tuple[int, float]:
        """Steps taken by other than implicit integrators, and the residual of the last one where there is one."""
        self._load[1 : self.size + 1] = self._weight + self._pushed
        state, nan = (self._z, self._v, self._a), float("nan")
        if self.integrator == "exact":
            moving = (self.q, self.v, self.a)
            before = [each.copy() for each in moving]
            modal_steps(self._modes, self._weight + self._pushed, *moving, count)
            if self.q @ self.q < self._limit**2:
                return count, nan
            for each, good in zip(moving, before):
                each[:] = good
            return 0, nan
        fresh = self._found_new()
        self._arrive(count)
        if self._holds or self._wind is not None:
            return self._driven(count)
        if self.integrator == "static":
            taken, residual = balance(self._law, self._load, self._settings, *state, self._work, self._trial)
            self._guard.counts[TURNED] = sum(turned(*self._guard[-3:], self._z))
            return taken * count, residual
        acting = (self._law, self._load, self._settings)
        return explicit_steps(*acting, *state, self._work, self._guard, count, fresh), nan

    def _found_new(self) -> bool:
        """Has anything changed since the last step, so that its acceleration is not that of now?"""
        now, state = self._guard.now, (self._z, self._v, self._a)
        changed = self._changed or any(not np.array_equal(x, kept) for x, kept in zip((*state, self._load), now))
        self._changed = False
        return changed

    def _driven(self, count: int) -> tuple[int, float]:
        acting, state = (self._law, self._load, self._settings), (self._z, self._v, self._a, self._work)
        if self.integrator == "static":
            return driven_statics(*acting, *state, self._trial, self._drive, self.time, count)
        watched = (self._drive, self._guard, self._spare, self.time, count)
        return driven_explicit(*acting, *state, *watched), float("nan")

    @property
    def settings(self) -> dict[str, Any]:
        """`size` keeps the leading columns of the basis. Exact oscillators know no wind."""
        made = {"model": self.model, "size": self.size, "stiffness": 1.0, "damping": self.damping}
        acting = {"gravity": self.gravity, "newton": self.newton, "dt": self.dt}
        return made | acting | ({} if self.integrator == "exact" else {"wind": self.wind})

    def _retuned(self, changes: dict[str, Any], settings: dict[str, Any]) -> Clamped:
        model: ReducedModel = settings["model"]
        if "size" in changes:
            model = model.truncate(changes["size"])
        if settings["stiffness"] != 1.0:
            model = model.with_material(young=settings["stiffness"] * model.groups.young)
        given = (settings["dt"], settings["damping"], settings["gravity"], settings["newton"])
        return Clamped(model, *given, self.integrator, self.dtype, damping_law=self.damping_law, warp=self.warp)
