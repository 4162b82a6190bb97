"""The unreduced solid through time: the truth that the reduced systems are measured against.

M a + C(u) v + f(u) = f_ext,   C = alpha M + beta V(u),  V: the stiffness of the material without its stress, which
                               brakes rates of strain and no rotation (`fem.viscosity`); or K(u)
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import cached_property
from typing import Any, Literal, NoReturn

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike
from scipy.sparse.linalg import eigsh

from pliant.basis import vibration_modes
from pliant.basis.rigid import without_rigid
from pliant.errors import (
    ArgumentError,
    Array,
    Diverged,
    Ids,
    SingularMatrix,
    check_array,
    check_choice,
    check_count,
    check_ids,
)
from pliant.fem import Linear, Solid, solve_static
from pliant.fem.rounding import arrived, rounding
from pliant.fem.viscosity import viscosity
from pliant.mesh import Mesh
from pliant.numerics import PatternSolver, factor
from pliant.numerics.sparse_factor import Factor
from pliant.skin import Points, Pose, Rates
from pliant.skin.points import vertex_areas
from pliant.skin.tables import SkinTables, frozen
from pliant.systems.constraints import apply_change, find_change, held_constraints, want
from pliant.systems.full_watch import FullWatch
from pliant.systems.newmark import newmark
from pliant.systems.spin import angular_momentum, spun
from pliant.systems.state import State, adopt_forces, checked_state, loads_felt
from pliant.systems.strain_points import LAWS
from pliant.systems.system import (
    CONVERGED,
    LAYERS,
    MOST_ITERATIONS,
    Layer,
    System,
    given_out,
    gravity_vector,
    made_with,
    rayleigh,
    telling,
)
from pliant.systems.wind_points import blow, sail_of

TOLERANCE = 1e-9
HALVINGS = 8
LOOKS = 16  # for slow motions, by a factor that is there
WORLD = (np.eye(3)[None], np.zeros((1, 3)))  # the frame of what has none


class Full(System):
    """A `Solid` through time. Its steps are driven from Python, since sparse factorisations are library calls.

    Whether implicit steps are too long for the first period is asked after the first of them, by whose factor a few
    iterations show slow motions; only where they show none, the first period is looked for.

    Args:
        dt: time step [s].
        damping: Rayleigh (alpha [1/s], beta [s]).
        gravity: acceleration (3,) [m/s^2].
        newton: Newton iterations allowed for a step. 1: a single one from u + dt v, of second order like the others;
            more: to convergence, the step halved where that is not enough.
        integrator: "implicit" Newmark with average acceleration, or "explicit" central differences with lumped mass.
        damping_law: what beta damps: "strain" rates alone, so that stress neither brakes rotation nor feeds motion; or
            "stiffness", K(u) v, of a solid that is held. The same at rest.

    Attributes:
        u, v, a: displacement, velocity, acceleration (3n,); writable.
    """

    kind = "full"

    def __init__(
        self,
        solid: Solid,
        dt: float,
        damping: tuple[float, float] = (0.0, 0.0),
        gravity: ArrayLike | None = (0.0, -9.81, 0.0),
        newton: int = CONVERGED,
        integrator: Literal["implicit", "explicit"] = "implicit",
        damping_law: Literal["strain", "stiffness"] = "strain",
    ):
        if not isinstance(solid, Solid):
            raise ArgumentError(f"solid must be a pliant Solid; {type(solid).__name__} was given")
        self._solid, self.time = solid, 0.0
        self.dt = dt
        self._damping, self._gravity = rayleigh(damping), gravity_vector(gravity)
        self._newton = check_count("newton", newton, at_most=MOST_ITERATIONS)
        self._integrator = check_choice("integrator", integrator, ("implicit", "explicit"))
        self._damping_law = check_choice("damping_law", damping_law, LAWS)
        self._state = {name: np.zeros(solid.dof_count) for name in "uva"}
        self._weight = solid.gravity_load(self.gravity)
        self._pushed = np.zeros(solid.dof_count)
        self._solver = PatternSolver(definite=False)
        self._blown, self._balanced = np.zeros(solid.dof_count), np.zeros(solid.dof_count)
        self._constraints = held_constraints(self, np.zeros((0, 3)))
        self._watch = FullWatch(solid, integrator == "explicit")
        self._begin_anew()
        self._tells = telling() and integrator == "implicit"
        solid.tangent(self.u)  # compiles, or loads from numba's cache, what steps will run
        self._viscosity(self.u)

    solid = made_with("solid", "What moves.")
    newton = made_with("newton", "Newton iterations allowed for a step.")
    integrator = made_with("integrator", "How it is stepped.")
    damping_law = made_with("damping_law", "What beta damps.")

    @property
    def size(self) -> int:
        return self.solid.dof_count

    @property
    def u(self) -> Array:
        return self._state["u"]

    @u.setter
    def u(self, value: ArrayLike) -> None:
        self._set("u", value)

    @property
    def v(self) -> Array:
        return self._state["v"]

    @v.setter
    def v(self, value: ArrayLike) -> None:
        self._set("v", value)

    @property
    def a(self) -> Array:
        return self._state["a"]

    @a.setter
    def a(self, value: ArrayLike) -> None:
        self._set("a", value)

    def _set(self, name: str, value: ArrayLike) -> None:
        array = check_array(name, value, (self.solid.dof_count,))
        if array.reshape(-1, 3)[self.solid.fixed].any():
            raise ArgumentError(f"{name} moves fixed vertices; set it to zero on solid.fixed")
        self._state[name] = array.copy()

    def step(self, count: int = 1) -> None:
        if check_count("count", count, at_least=0) == 0:
            return
        changed = self._arrive() or not np.array_equal(self._balanced, self._steady)
        before, felt = (self.a, self.time), self._balanced
        advance = self._explicit if self.integrator == "explicit" else self._implicit
        if self.integrator == "explicit":
            # Whatever was pushed, or written into u and v, since the last step is felt at once.
            if changed:
                self._state["a"], self._balanced = self._acceleration(self.u, self.v), self._steady
        elif not self._balanced.any():
            self._answer(self._weight)  # which acts from the start
        try:
            self._steps(advance, count)
            if self._tells and self._solver.analysed:
                self._tells = False
                self._warn_of_long_steps()
        except Diverged:
            if self.time == before[1]:
                self._state["a"], self._balanced = before[0], felt
            raise
        finally:
            self._left = dict(self._copies())

    def _steps(self, advance: Callable[[Array, Array, Array], tuple[Array, Array, Array]], count: int) -> None:
        begun = self.time
        for done in range(count):
            before, felt, hands = self._state, self._balanced, self._constraints.forces.copy()
            try:
                self._take(advance)
            except KeyboardInterrupt:
                self._state, self.time, self._balanced = before, begun + done * self.dt, felt
                self._constraints.forces[:] = hands
                self._begin_anew()
                raise
            self.time = begun + (done + 1) * self.dt
            if self._watch.due or not self._watch.within(self._state):
                self._check()

    def _take(self, advance: Callable[[Array, Array, Array], tuple[Array, Array, Array]]) -> None:
        """A step, but for the time."""
        self._blow()
        load = self._balanced + self._blown
        before = self.u, self.v, self.a
        self._state = dict(zip("uva", advance(*before)))
        if self._holds:
            self._keep_hold(*before)
        if self.free and self.integrator == "implicit":
            self._keep_spin(load, *before[:2])
        self._balanced = self._steady
        self._watch.count(0.5 * (load + self._load), self.u - before[0])

    def _keep_spin(self, load: Array, u: Array, v: Array) -> None:
        """Give the end of a step from u, v under `load` the angular momentum that the loads leave it."""
        X, h = self.mesh.vertices, 0.5 * self.alpha * self.dt
        before, after = X + u.reshape(-1, 3), X + self.u.reshape(-1, 3)
        torque = np.cross(before, load.reshape(-1, 3)) + np.cross(after, self._load.reshape(-1, 3))
        L = (1 - h) * angular_momentum(self.solid.mass, before, v) + 0.5 * self.dt * torque.sum(axis=0)
        self._state["v"] = spun(self.solid.mass, after, self.v, L / (1 + h))

    def _check(self) -> None:
        try:
            self._watch.check(self._state, self.time, self.dt)
        except Diverged:
            good = self._watch.good
            self._state, self.time = {name: np.array(good[name]) for name in "uva"}, float(good["time"])
            self._watch.begin(self._state, self.time, self.dt)
            if self.integrator == "explicit":
                self._blew_up()
            raise

    def _arrive(self) -> bool:
        """Find out what was written by hand since the last step; was anything?"""
        moved = any(not np.array_equal(self._state[name], self._left[name]) for name in "uv")
        given = not np.array_equal(self.a, self._left["a"])
        if moved and not given and self.integrator == "implicit":
            self._state["a"] = self._accelerated(self._balanced + self._blown)
        if given:
            self._balanced = self._steady
        if moved or given:
            self._begin_anew()
        return moved or given

    def _answer(self, load: Array) -> None:
        """Give the acceleration to another load."""
        self._state["a"] = self.a + self._by_mass(load - self._balanced)
        self._balanced = load

    def _begin_anew(self) -> None:
        self._left = dict(self._copies())
        self._watch.begin(self._state, self.time, self.dt)

    def _copies(self) -> Iterator[tuple[str, Array]]:
        return ((name, self._state[name].copy()) for name in "uva")

    def _push(self, vertices: Ids, forces: Array) -> None:
        np.add.at(self._pushed.reshape(-1, 3), vertices, forces)

    def _push_reduced(self, load: Array) -> None:
        self._pushed += load

    def release(self) -> None:
        self._pushed[:] = 0.0

    def _launch(self, velocity: Array, spin: Array) -> None:
        x, m = self.vertices("mesh"), self.solid.lumped_mass[::3]
        self.v = (velocity + np.cross(spin, x - m @ x / m.sum())).ravel()

    def _adopt_wind(self) -> None:
        self._arrive()
        self._blown[:] = 0.0
        if self._wind is None:
            return
        areas = vertex_areas(self.mesh.vertices, self.mesh.surface)
        blown = np.flatnonzero(areas)
        points = replace(self.points(blown, "mesh"), measure=areas[blown])
        self._sail = sail_of(points, np.arange(self.size), self._wind)
        blow(self._sail, *WORLD, self.time, 0, self.u, self._blown)

    def _blow(self) -> None:
        if self._wind is not None:
            self._blown[:] = 0.0
            blow(self._sail, *WORLD, self.time + self.dt, 0, self.u, self._blown)

    def _adopt_holds(self, forces: Array) -> None:
        self._arrive()
        before = self._constraints
        self._constraints = held_constraints(self, forces)
        change = self._constraints.forces @ self._constraints.G - before.forces @ before.G
        self._balanced = self._balanced + change
        self._jump(change)

    def _jump(self, change: Array) -> None:
        """Hands that begin or end are felt at once."""
        if change.any() and self.integrator == "implicit":
            self._state["a"] = self.a + self._by_mass(change)
            self._left["a"] = self.a.copy()

    def _aim_holds(self) -> None:
        self._constraints.targets[:] = np.concatenate([hold.target for hold in self._holds])

    @property
    def hold_forces(self) -> Array:
        return self._constraints.forces.reshape(-1, 3).copy()

    @property
    def _steady(self) -> Array:
        """What acts from outside and does not change by itself: weight, pushes, and hands as they are."""
        return self._weight + self._pushed + self._constraints.forces @ self._constraints.G

    @property
    def _load(self) -> Array:
        """Everything from outside."""
        return self._steady + self._blown

    def _keep_hold(self, u: Array, v: Array, a: Array) -> None:
        """Change the forces of the hands by what their constraints ask for, and the end of the step with them."""
        G, rest, targets, rates, limits, forces, (wanted, change, Y, T) = self._constraints
        dt, c = self.dt, newmark(self.dt)
        if self.integrator == "explicit":
            half = G @ (self.v - 0.5 * dt * self.a)
            x = G @ self.u + rest - targets
            wanted[:] = -(2 * rates * half + rates**2 * x) / (1 + rates * dt)
            Y[:] = G / self.solid.lumped_mass
            factors = (0.0, 0.5 * dt, 1.0)
        else:
            want(G, rest, targets, rates, wanted, dt, u, v, a)
            Y[:] = 0.0
            Y[:, self.solid.free] = self._solve(self._matrix(self.u), G[:, self.solid.free].T).T
            factors = (1.0, c.a4, c.a1)
        find_change(G, wanted, forces, change, Y, T, limits, factors[2], self.a)
        for name, scale in zip("uva", factors):
            apply_change(Y, change, scale, self._state[name])

    def _matrix(self, u: Array) -> sp.csr_matrix:
        """A = a1 M + a4 C + K."""
        c, M, K = newmark(self.dt), self.solid.mass, self.solid.stiffness(u)
        viscous = c.a4 * self._viscosity(u, K).data
        return self.solid.pattern.matrix((c.a1 + c.a4 * self.alpha) * M.data + viscous + K.data)

    def _viscosity(self, u: Array, K: sp.csr_matrix | None = None) -> sp.csr_matrix:
        """beta V(u), or beta K(u); K: where it is known already."""
        if self.beta == 0:
            return self.solid.pattern.matrix(np.zeros(len(self.solid.pattern.indices)))
        if self._by_strain:
            return self.solid.pattern.matrix(self.beta * viscosity(self.solid, u))
        return self.solid.pattern.matrix(self.beta * (self.solid.stiffness(u) if K is None else K).data)

    @property
    def _by_strain(self) -> bool:
        """Damping by K would brake the spin of what flies."""
        return self.free or self.damping_law == "strain"

    def points(self, vertices: ArrayLike, on: Layer = "skin") -> Points:
        """Every vertex, or corner of the cell that it hangs in, reads its own three displacements."""
        ids = check_ids("vertices", vertices, self._vertex_count(on))
        if self.worn is None or on == "mesh":
            start, corners, weights = np.arange(len(ids) + 1), ids, np.ones(len(ids))
        else:
            rows = self.worn.embedding.rows[ids]
            start, corners, weights = rows.indptr.astype(np.int64), rows.indices.astype(np.int64), rows.data
        used, part = np.unique(corners, return_inverse=True)
        d, none = len(used), np.empty(0, dtype=np.int64)
        X, zero = self.mesh.vertices[corners], np.zeros(len(corners), dtype=np.int64)
        chain = (3 * used[:, None] + np.arange(3)).ravel()
        tables = (start, part.ravel(), weights, X, zero, zero - 1, np.eye(3).ravel(), none.astype(float))
        frames = (np.zeros(d, dtype=np.int64), 3 * np.arange(d), np.full(d, 3), chain)
        offsets = np.array([0, self.size])
        return Points(SkinTables(*map(frozen, (*tables, *frames))), np.ones(len(ids)), offsets)

    @property
    def unknowns(self) -> Array:
        return self.v.copy()

    def rates(self) -> Rates:
        return Rates(np.zeros((1, 3)), np.zeros((1, 3)), self.v.copy(), np.array([0, self.size]))

    def velocities(self, of: Layer = "skin") -> Array:
        v = self.v.reshape(-1, 3).copy()
        return v if self.worn is None or check_choice("of", of, LAYERS) == "mesh" else self.worn.embedding.carry(v)

    def rows(self, points: Points) -> Array:
        W = points.jacobian(self.pose())
        W.reshape(len(W), -1, 3)[:, self.solid.fixed] = 0.0
        return W

    def response(self, points: Points) -> Array:
        W, free = self.rows(points), self.solid.free
        Y = np.zeros((self.size, len(W)))
        Y[free] = newmark(self.dt).a1 * self._solve(self._matrix(self.u), W[:, free].T)
        return Y

    def _correct(self, change: Array, _momentum: Array, share: float = 0.5) -> None:
        before = dict(self._state)
        self._state["v"] = self.v + change
        self._state["u"] = self.u + share * self.dt * change
        self._state["a"] = self.acceleration()
        self._balanced, self._left = self._steady, dict(self._copies())
        self._watch.struck(before, self._state, self.dt)

    def acceleration(self) -> Array:
        """M^-1 (load - f(u) - C v) (3n,): what the forces of now do."""
        if self.integrator == "explicit":
            return self._acceleration(self.u, self.v)
        return self._accelerated(self._load)

    def _accelerated(self, load: Array) -> Array:
        viscous = self.alpha * (self.solid.mass @ self.v) + self._viscosity(self.u) @ self.v
        return self._by_mass(load - self.solid.force(self.u) - viscous)

    def _by_mass(self, f: Array) -> Array:
        """M^-1 f where nothing is fixed."""
        a, free = np.zeros(self.size), self.solid.free
        a[free] = self._mass_factor.solve(f[free])
        return a

    @cached_property
    def _mass_factor(self) -> Factor:
        return factor(self.solid.free_matrix(self.solid.mass))

    def vertices(self, of: Layer = "skin", out: Array | None = None) -> Array:
        if check_choice("of", of, LAYERS) == "skin":
            return given_out(self.drawn(self.pose()), out)
        return given_out(self.mesh.vertices + self.u.reshape(-1, 3), out)

    def drawn(self, pose: Pose) -> Array:
        x = self.mesh.vertices + pose.flat.reshape(-1, 3)
        return x if self.worn is None else self.worn.embedding.carry(x)

    @property
    def body(self) -> None:
        return None

    @property
    def mesh(self) -> Mesh:
        return self.solid.mesh

    @property
    def triangles(self) -> Ids:
        return self.mesh.surface if self.worn is None else self.worn.surface.triangles

    def pose(self) -> Pose:
        """One part whose basis is the identity: its coordinates are the displacements."""
        return Pose(frames=((np.eye(3), np.zeros(3)),), coordinates=(self.u.copy(),))

    def energy(self) -> float:
        kinetic = 0.5 * self.v @ (self.solid.mass @ self.v)
        return float(kinetic + self.solid.energy(self.u) - self._weight @ self.vertices("mesh").ravel())

    def momentum(self) -> tuple[Array, Array]:
        p = (self.solid.mass @ self.v).reshape(-1, 3)
        return p.sum(axis=0), np.cross(self.vertices("mesh"), p).sum(axis=0)

    def state(self) -> State:
        """`balanced`: the load, of weight, pushes and hands, that `a` answers."""
        self._arrive()
        moving = {"u": self.u, "v": self.v, "a": self.a, "hold_forces": self.hold_forces}
        return State(**moving, balanced=self._balanced, time=self.time)

    def restore(self, state: Mapping[str, ArrayLike]) -> None:
        checked = checked_state(state, dict.fromkeys("uva", (self.size,)) | loads_felt(state, self.size))
        self.u, self.v, self.a, self.time = checked["u"], checked["v"], checked["a"], checked["time"]
        adopt_forces(state, self._constraints.forces)
        self._balanced = np.array(checked.get("balanced", self._steady))
        self._begin_anew()

    def settle(self) -> None:
        self.u = solve_static(self.solid, self._weight + self._pushed, self.u)
        self.v, self.a = np.zeros(self.size), np.zeros(self.size)
        self._balanced = self._weight + self._pushed
        self._begin_anew()

    def _made_of(self) -> dict[str, Any]:
        given = {"solid": self.solid, "dt": self.dt, "damping": self.damping, "gravity": self.gravity}
        return {**given, "newton": self.newton, "integrator": self.integrator, "damping_law": self.damping_law}

    def _acting(self) -> dict[str, Any]:
        return {"pushed": self._pushed}

    def _act_again(self, acting: dict[str, Any]) -> None:
        self._pushed[:] = acting["pushed"]

    def _implicit(self, u: Array, v: Array, a: Array) -> tuple[Array, Array, Array]:
        """One step, cut into ever smaller ones until Newton converges on each."""
        left, h = self.dt, self.dt
        while left > 1e-12 * self.dt:
            result, residual = self._newmark(u, v, a, min(h, left))
            if result is not None:
                left -= min(h, left)
                u, v, a = result
            elif h / 2 < self.dt / 2**HALVINGS:
                raise Diverged(
                    f"the step from t = {self.time:.6g} s did not converge (relative residual {residual:.2g}) even cut "
                    f"into {2**HALVINGS} parts; use a smaller dt, more damping or a softer push",
                    self.time,
                    residual,
                )
            else:
                h /= 2
        return u, v, a

    def _newmark(self, u: Array, v: Array, a: Array, h: float) -> tuple[tuple[Array, Array, Array] | None, float]:
        """Newton on M a+ + C(u+) v+ + f(u+) = f_ext; the new state or None, and the relative residual."""
        c, M, free = newmark(h), self.solid.mass, self.solid.free
        load = self._load
        once = self.newton == 1
        new = u + h * v
        residual, size = np.inf, np.inf
        for iteration in range(self.newton + 1):
            v_new = c.a4 * (new - u) + c.a5 * v + c.a6 * a
            a_new = c.a1 * (new - u) - c.a2 * v - c.a3 * a
            if not np.isfinite(new).all():
                break
            if once and iteration == 1:
                return (new, v_new, a_new), residual
            f, K = self.solid.tangent(new)
            V = self._viscosity(new, K)
            inertia, viscous = M @ (a_new + self.alpha * v_new), V @ v_new
            r = (load - f - inertia - viscous)[free]
            A = self.solid.pattern.matrix((c.a1 + c.a4 * self.alpha) * M.data + K.data + c.a4 * V.data)
            previous, size = size, float(np.linalg.norm(r))
            scale = max(float(np.linalg.norm(term[free])) for term in (load, f, inertia, viscous))
            residual = size / max(scale, np.finfo(float).tiny)
            if not np.isfinite(residual):
                break
            if not once and arrived(size, previous, TOLERANCE * scale, rounding(self.solid, A.diagonal(), new)):
                return (new, v_new, a_new), residual
            if iteration == self.newton:
                break
            if not once and self.beta > 0 and not self._by_strain:
                A.data += self.beta * self._stiffness_rate(new, v_new)
            try:
                correction = self._solve(A, r)
            except SingularMatrix:
                break
            new = new.copy()
            new[free] += correction
        return None, residual

    def _stiffness_rate(self, u: Array, v: Array) -> Array:
        """Data of dK(u)[v]. Exact for StVK, whose K is quadratic in u, with a step of any size."""
        if isinstance(self.solid.material, Linear):
            return np.zeros(len(self.solid.pattern.indices))
        size = np.abs(v).max()
        extent = np.ptp(self.solid.mesh.vertices, axis=0).max()
        step = 1e-4 * extent / size if size > 0 else 1.0
        ahead, behind = self.solid.stiffness(u + step * v), self.solid.stiffness(u - step * v)
        return (ahead.data - behind.data) / (2 * step)

    def _solve(self, A: sp.csr_matrix, r: Array) -> Array:
        if not self._solver.analysed:
            # By the solid alone: a path depends on the state and not on where the solver was first used.
            M, K = self.solid.mass, self.solid.stiffness()
            scale = K.diagonal().sum() / M.diagonal().sum()
            self._solver.analyse(self.solid.free_matrix(self.solid.pattern.matrix(scale * M.data + K.data)))
        return self._solver.solve(self.solid.free_matrix(A), r)

    def _explicit(self, u: Array, v: Array, a: Array) -> tuple[Array, Array, Array]:
        """v_half = v + h/2 a,  u+ = u + h v_half,  a+ = M^-1 (f_ext - f(u+) - C v_half),  v+ = v_half + h/2 a+."""
        half = v + 0.5 * self.dt * a
        new = u + self.dt * half
        if not np.isfinite(new).all() or np.abs(half).max() * self.dt > 10 * np.ptp(self.solid.mesh.vertices):
            self._blew_up()
        a_new = self._acceleration(new, half)
        return new, half + 0.5 * self.dt * a_new, a_new

    def _blew_up(self) -> NoReturn:
        limit = f"dt must stay below {stable_step(self.solid):.3g} s"
        raise Diverged(f"the explicit step from t = {self.time:.6g} s blew up; {limit}", self.time)

    def _acceleration(self, u: Array, v: Array) -> Array:
        f = self.solid.force(u)
        if self.beta > 0:
            f = f + self._viscosity(u) @ v
        a = (self._load - f) / self.solid.lumped_mass - self.alpha * v
        held = np.ones(len(a), dtype=bool)
        held[self.solid.free] = False
        a[held] = 0.0
        return a

    def _mass(self) -> float:
        return float(self.solid.lumped_mass.sum() / 3)

    def _is_surely_slow(self) -> bool:
        """x <- A^-1 M x by the factor of the last step: x K x / x M x is never below the first lambda."""
        K, M, free = self.solid.stiffness(), self.solid.mass, self.solid.free
        x = np.zeros(self.size)
        x[free] = np.random.default_rng(0).standard_normal(len(free))
        for _ in range(LOOKS):
            x[free] = self._solver.solve_again((M @ x)[free])
            x = without_rigid(self.solid, x[:, None])[:, 0] if self.free else x
            x /= np.abs(x).max()
            if x @ (K @ x) < self._slowest_asked * (x @ (M @ x)):
                return True
        return False

    def _first_period(self) -> float:
        return float(2 * np.pi / vibration_modes(self.solid, 1).frequencies[0])

    @property
    def settings(self) -> dict[str, Any]:
        acting = {"damping": self.damping, "gravity": self.gravity, "newton": self.newton, "dt": self.dt}
        return {"stiffness": 1.0, **acting, "wind": self.wind}

    def _retuned(self, changes: dict[str, Any], settings: dict[str, Any]) -> Full:
        solid: Solid = self.solid
        if settings["stiffness"] != 1.0:
            material = replace(solid.material, young=settings["stiffness"] * np.asarray(solid.material.young))
            solid = solid.of_material(material)
        given = (settings["dt"], settings["damping"], settings["gravity"], settings["newton"])
        return Full(solid, *given, self.integrator, self.damping_law)


def stable_step(solid: Solid) -> float:
    """Longest stable undamped explicit step at rest, 2 / omega_max with lumped mass [s]."""
    free = solid.free
    scale = sp.diags(1 / np.sqrt(solid.lumped_mass[free]))
    K = scale @ solid.free_matrix(solid.stiffness()) @ scale
    start = np.random.default_rng(0).standard_normal(len(free))
    return float(2 / np.sqrt(eigsh(K, k=1, which="LA", v0=start, tol=1e-3, return_eigenvectors=False)[0]))
