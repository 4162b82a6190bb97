"""Seams whose parts are nonlinear: the shared coordinates of [BA13], the exact cubic forces of [SI05].

    W(q) = sum_i W_i(P_i q),   M a + C(q) v + dW/dq = U^T f_ext,   C = alpha M + beta D(q),  D: rates of strain, or K(q)

This is the Galerkin projection of the unreduced StVK solid onto columns U that are cut at the interfaces, so:
- no cracks, in any decomposition, loops and cross points included: a shared vertex has one row of one trace (maths
  sheet boundary-aware 1), also when it has moved far;
- the trace of every interface is affine and more, and every part that nothing holds has its affine fields: all rigid
  motions R X + t of the whole are in the span, W vanishes on them, and free bodies need neither a frame nor warping;
- each part has its own quartic W_i over r_i coordinates, so that cost and memory grow with the number of parts, where
  one basis for all of them would cost the fourth power of their sum;
- A = a1 M + a4 C + K is a block arrow: parts condense their internal coordinates, the boundary is solved once.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from functools import cached_property
from typing import Any, NoReturn, cast

import numpy as np
import scipy.linalg as la
import scipy.sparse as sp
from numpy.typing import ArrayLike

from pliant.basis.basis import check_solid
from pliant.basis.columns import as_columns
from pliant.basis.interface_entities import Entity
from pliant.basis.size_report import GRACE, SizeReport
from pliant.basis.size_search import SUDDEN
from pliant.basis.vibration import SHIFT
from pliant.errors import (
    ArgumentError,
    Array,
    Diverged,
    Ids,
    PliantWarning,
    check_array,
    check_choice,
    check_count,
    check_number,
)
from pliant.fem import FirmStVK, Solid, StVK
from pliant.fem.inversion import against_crushing
from pliant.mesh import Mesh
from pliant.mesh.domains import PartKey, labelled_domains
from pliant.numerics import lowest_eigenpairs
from pliant.numerics.progress import COMPILING, Progress, report
from pliant.reduced.choosing import TOLERANCE as USUAL_TOLERANCE
from pliant.reduced.force import pitch_of
from pliant.skin import Points, Pose, Rates, Skin
from pliant.skin.points import vertex_areas
from pliant.systems.constraints import held_constraints
from pliant.systems.estimating import warn_of_errors
from pliant.systems.growing import MOST, refuse_with_tolerance, refuse_without_tolerance
from pliant.systems.holding import checked_rate
from pliant.systems.inversion import TOO_MANY
from pliant.systems.seams.coupling import check_whole
from pliant.systems.seams.energy_control import CRUSHED, FINE, GAINED, ledger
from pliant.systems.seams.fronts import Fronts, factorised, fronts_of, solve_again
from pliant.systems.seams.inside_out import cells_of
from pliant.systems.seams.kept_momentum import carry_momentum, kept_momentum
from pliant.systems.seams.newton import WHOLE, correction_workspace
from pliant.systems.seams.nonlinear_parts import NonlinearParts, nonlinear_parts
from pliant.systems.seams.nonlinear_sizes import chosen_parts
from pliant.systems.seams.nonlinear_steps import Drive, Settings, nonlinear_steps, trial_workspace
from pliant.systems.seams.nonlinear_turning import aim, can_turn, lay_rows, rotation_vector, turning_of, with_turns
from pliant.systems.seams.part_forces import Jets, jets_of
from pliant.systems.seams.point_forces import PointForces, points_of
from pliant.systems.seams.turning import Turn, checked_entity, refuse_turned, shared_by
from pliant.systems.state import State, adopt_forces, checked_state
from pliant.systems.strain_points import LAWS, StrainRule, rate_damping
from pliant.systems.strain_rule import strain_rule
from pliant.systems.system import CONVERGED, MOST_ITERATIONS, System, check_step, gravity_vector, made_with, rayleigh
from pliant.systems.wind_points import sail_of

TOLERANCE = 1e-9  # of the largest force: a converged step
KEPT = 3  # iterations with a kept factor for one of Newton's
ROUGH = 1e-6  # the same with cubature, whose forces are within a percent
SOFT = 4  # columns of an interface besides the affine ones
HELD, FREE = 10, 20  # internal columns of a part besides the affine ones
NEGLIGIBLE = 1e-6  # of the extent: swings whose energy is not looked at
FORCES = ("auto", "cubic", "cubature")
REMEDY = (
    'cut it into more parts, so that force="cubic" can be had, or give soft= and derivatives= where that is good enough'
)
FAR = 1e3  # bodies: a root mean square displacement beyond this is no solution


class NonlinearSeams(System):
    """A solid in nonlinear parts through time; `couple_nonlinear` makes it.

    Args:
        parts: the parts and their columns.
        dt: time step [s].
        damping: Rayleigh (alpha [1/s], beta [s]).
        gravity: acceleration (3,) [m/s^2].
        newton: iterations of a step. More than one: at most so many, to convergence, the step halved where that is not
            enough; 1: a single one, a few times faster, which damps large steps and lags with strong damping.
        damping_law: what beta damps: "strain" rates alone, so that stress neither brakes rotation nor feeds motion; or
            "stiffness", K(q) v, of a solid that is held. The same at rest.

    Attributes:
        q, v, a: coordinates, velocity, acceleration; writable, as are `dt` and `damping`.
        wind: a `Wind` or None; writable.
        entities: what the parts share.
        parts: as given.
        turns: the hands on its interfaces.
    """

    kind = "seams-nonlinear"
    turns: tuple[Turn, ...] = ()

    def __init__(
        self,
        parts: NonlinearParts,
        dt: float,
        damping: tuple[float, float] = (0.0, 0.0),
        gravity: ArrayLike | None = (0.0, -9.81, 0.0),
        newton: int = CONVERGED,
        damping_law: str = "strain",
    ):
        self._parts, self._dt, self.time = parts, check_step(dt), 0.0
        self._damping, self._gravity = rayleigh(damping), gravity_vector(gravity)
        self._newton = check_count("newton", newton, at_most=MOST_ITERATIONS)
        self._damping_law = check_choice("damping_law", damping_law, LAWS)
        self._q, self._v, self._a, self._pushed, self._weight = (np.zeros(parts.size) for _ in range(5))
        for model, places in zip(parts.models, parts.places):
            self._weight[places] += model.inertia.N.T @ self.gravity
        pitch = pitch_of(max(model.size for model in parts.models) + 1)
        plan = fronts_of(parts.places, [len(own) for own in parts.boundary], parts.trace.entity)
        self._workspace = correction_workspace(parts.size, pitch, plan)
        self._trial = trial_workspace(parts.size)
        masses, mass = [model.mass for model in parts.models], self._mass()
        self._mass_factor = cast(Fronts, factorised(plan, masses))
        lightest = lowest_eigenpairs(parts.sum_of(masses), sp.identity(parts.size, format="csr"), 1)[0][0]
        extent = float(np.ptp(self.mesh.vertices, axis=0).max())
        self._limit = FAR * extent * float(np.sqrt(mass / lightest))
        self._kept = kept_momentum(parts, self._mass_factor)
        self._forces = self._compiled_forces()
        swing = mass * (NEGLIGIBLE * extent * 2 * np.pi / self._first_period()) ** 2
        cells = cells_of(parts.models if parts.exact else ())
        self._ledger, self._warned = ledger(parts.size, len(parts.models), swing, cells), False
        self._adopt_step()
        self._drive_by(np.zeros((0, 3)), np.zeros((0, 3)))
        self._a[:] = solve_again(self._mass_factor, self._weight)  # the weight acts from the start
        self._kept.wrench[:] = np.concatenate(self._momentum_of(self._a))
        self.step(0)
        self._warn_of_long_steps()

    def _compiled_forces(self) -> Jets | PointForces:
        if self.parts.exact:
            rules = self._rules if self._by_strain and self.beta > 0 else ()
            return jets_of(self.parts.models, self.parts.places, rules)
        fly = slice(3 if self.free else 0)
        return points_of(self.parts, not self._by_strain, self._kept.constants.shifts[fly], self._kept.constants.N[fly])

    @property
    def _by_strain(self) -> bool:
        """Damping by K would brake the spin of what flies."""
        return self.free or self.damping_law == "strain"

    @cached_property
    def _rules(self) -> tuple[StrainRule, ...]:
        """What brakes the strain of each part."""
        return tuple(cast(StrainRule, strain_rule(model)) for model in self.parts.models)

    parts = made_with("parts", "The parts and their columns.")
    newton = made_with("newton", "Iterations of a step.")
    damping_law = made_with("damping_law", "What beta damps.")

    @property
    def size(self) -> int:
        return self.parts.size

    @property
    def report(self) -> SizeReport | None:
        return self.parts.report

    @property
    def solid(self) -> Solid:
        return self.parts.solid

    @property
    def q(self) -> Array:
        return self._q

    @q.setter
    def q(self, value: ArrayLike) -> None:
        self._q[:] = check_array("q", value, self._q.shape)
        self._kept.h[:] = np.concatenate(self.momentum())

    @property
    def v(self) -> Array:
        return self._v

    @v.setter
    def v(self, value: ArrayLike) -> None:
        self._v[:] = check_array("v", value, self._v.shape)
        self._kept.h[:] = np.concatenate(self.momentum())

    @property
    def a(self) -> Array:
        return self._a

    @a.setter
    def a(self, value: ArrayLike) -> None:
        self._a[:] = check_array("a", value, self._a.shape)

    @property
    def damping(self) -> tuple[float, float]:
        return self._damping

    @damping.setter
    def damping(self, value: tuple[float, float]) -> None:
        self._damping = rayleigh(value)
        if self.parts.exact:
            self._forces = self._compiled_forces()
        self._adopt_step()

    @property
    def entities(self) -> tuple[Entity, ...]:
        return self.parts.entities

    @property
    def interfaces(self) -> tuple[tuple[str, ...], ...]:
        names = self.parts.domains.names
        return tuple(tuple(names[i] for i in entity.parts) for entity in self.entities)

    @property
    def mesh(self) -> Mesh:
        return self.parts.solid.mesh

    @cached_property
    def body(self) -> Skin:
        return Skin(self.mesh.vertex_count, self.mesh.surface, self.parts.skin_parts)

    def step(self, count: int = 1) -> None:
        count = check_count("count", count, at_least=0)
        load, state = self._weight + self._pushed, (self._q, self._v, self._a)
        work = (self._forces, self._workspace, self._trial, self._settings)
        beside, begun = (load, self._drive, self._kept, self._ledger), self.time

        def take(steps: int, done: int) -> bool:
            taken, residual, found = nonlinear_steps(*work, *beside, self.time, *state, steps)
            self.time = begun + (done + taken) * self.dt
            if taken < steps:
                self._diverge(residual, found)
            return True

        self._in_slices(count, take)
        if self._ledger.cells.seen[0] and not self._warned:
            self._warned = True
            warnings.warn(f"some cells are inside out; {self._against_crushing}", PliantWarning, 2)

    @property
    def _against_crushing(self) -> str:
        return against_crushing(type(self.solid.material))

    def _diverge(self, residual: float, found: int) -> NoReturn:
        part = {FINE: self._culprit, GAINED: self._gainer, CRUSHED: self._crushed}[found]()
        what = {
            FINE: f"found no solution in {part}",
            GAINED: f"gained energy that no load supplied, most of it in {part}",
            CRUSHED: f"turned more than {TOO_MANY:.0%} of the volume inside out, most of it in {part}",
        }[found]
        hint = f", or newton={CONVERGED}" if self.newton == 1 else ""
        cure = self._against_crushing if found == CRUSHED else f"use a smaller dt, more damping, a softer push{hint}"
        raise Diverged(f"the step from t = {self.time:.6g} s {what}; {cure}", self.time, residual, part)

    def _push(self, vertices: Ids, forces: Array) -> None:
        loads = self.body.gather_at(self.pose(), vertices, forces)
        np.add.at(self._pushed, self._reads, loads.flat)

    def _push_reduced(self, load: Array) -> None:
        self._pushed += load

    def release(self) -> None:
        self._pushed[:] = 0.0

    def pose(self) -> Pose:
        """One entry a part: z of its interfaces and its inside; the frames are the world's."""
        frames = [(np.eye(3), np.zeros(3))] * self.parts.domains.count
        return Pose(frames, [self._q[places] for places in self.parts.places])

    def rates(self) -> Rates:
        d = self.parts.domains.count
        return Rates(np.zeros((d, 3)), np.zeros((d, 3)), self._v[self._reads], self.pose().offsets)

    @cached_property
    def _reads(self) -> Ids:
        """Which of q the coordinates of the parts are, one part after the other."""
        return np.concatenate(self.parts.places)

    def energy(self) -> float:
        total = 0.0
        for model, places in zip(self.parts.models, self.parts.places):
            q, v, inertia = self._q[places], self._v[places], model.inertia
            height = self.gravity @ (inertia.first_moment + inertia.N @ q)
            total += float(0.5 * v @ model.mass @ v + model.energy(q) - height)
        return total

    def momentum(self) -> tuple[Array, Array]:
        return self._momentum_of(self._v)

    def _momentum_of(self, v: Array) -> tuple[Array, Array]:
        """With these velocities (size,), at the present q."""
        linear, angular = np.zeros(3), np.zeros(3)
        for model, places in zip(self.parts.models, self.parts.places):
            P, L = model.inertia.momentum(self._q[places], v[places])
            linear, angular = linear + P, angular + L
        return linear, angular

    def state(self) -> State:
        self._forget_factor()
        arrays = {"q": self._q, "v": self._v, "a": self._a, "momentum": self._kept.h, "wrench": self._kept.wrench}
        return State(time=self.time, hold_forces=self.hold_forces, turn_torques=self._torques, **arrays)

    def restore(self, state: Mapping[str, ArrayLike]) -> None:
        shapes = dict.fromkeys("qva", (self.size,)) | dict.fromkeys(("momentum", "wrench"), (6,))
        checked = checked_state(state, shapes)
        self._q[:], self._v[:], self._a[:] = checked["q"], checked["v"], checked["a"]
        self.time = checked["time"]
        self._forget_factor()
        self._kept.h[:], self._kept.wrench[:] = checked["momentum"], checked["wrench"]
        forces = self._drive.constraints.forces
        adopt_forces(state, forces[: 3 * len(self._holds)])
        adopt_forces(state, forces[3 * len(self._holds) :], "turn_torques")

    def _made_of(self) -> dict[str, Any]:
        given = {"parts": self.parts, "dt": self.dt, "damping": self.damping, "gravity": self.gravity}
        return {**given, "newton": self.newton, "damping_law": self.damping_law}

    def _acting(self) -> dict[str, Any]:
        turns = [(turn.entity, turn.rotation, turn.rate) for turn in self.turns]
        return {"pushed": self._pushed, "turns": turns}

    def _act_again(self, acting: dict[str, Any]) -> None:
        self._pushed[:] = acting["pushed"]
        for entity, rotation, rate in acting.get("turns", ()):
            self.turn(entity, rotation, rate)

    def _launch(self, velocity: Array, spin: Array) -> None:
        x = self.vertices("mesh")
        masses = self.parts.solid.lumped_mass[::3]
        arms = x - masses @ x / masses.sum()
        self.v = self.coordinates_of(velocity + np.cross(spin, arms))

    def _adopt_wind(self) -> None:
        self._adopt_holds(self.hold_forces)

    def _adopt_holds(self, forces: Array) -> None:
        self._adopt_hands(forces, self._torques)

    def _adopt_turns(self, turns: tuple[Turn, ...]) -> None:
        """Those that stay keep their torques."""
        known = dict(zip(map(id, self.turns), self._torques))
        self.turns = turns
        torques = np.array([known.get(id(turn), np.zeros(3)) for turn in turns]).reshape(-1, 3)
        self._adopt_hands(self.hold_forces, torques)

    def _adopt_hands(self, forces: Array, torques: Array) -> None:
        """What hands no longer do is a jump of the load, which accelerations answer."""
        pulled, twisted = self._hand_loads()
        self._drive_by(forces, torques)
        pulls, twists = self._hand_loads()
        jump, twist = pulls - pulled, twists - twisted
        if jump.any() or twist.any():
            change = solve_again(self._mass_factor, jump)
            self._a += change + solve_again(self._mass_factor, twist)
            self._kept.wrench[:] += np.concatenate(self._momentum_of(change))

    def _hand_loads(self) -> tuple[Array, Array]:
        """What holds vertices, and what turns interfaces, as loads (size,) at the present q."""
        constraints, held = self._drive.constraints, 3 * len(self._drive.constraints.limits)
        lay_rows(self._drive.turning, self._q, constraints.G)
        pulls, twists = (
            constraints.forces[:held] @ constraints.G[:held],
            constraints.forces[held:] @ constraints.G[held:],
        )
        return pulls, twists

    def _drive_by(self, forces: Array, torques: Array) -> None:
        held = held_constraints(self, forces)
        constraints = with_turns(held, [turn.rate for turn in self.turns], torques)
        given = [turn.entity for turn in self.turns], [turn.rotation for turn in self.turns]
        turning = turning_of(self.parts, self._kept.constants.fit, *given)
        surface = self.body.points([]) if self._wind is None else self._surface
        sail, pose = sail_of(surface, self._reads, self._wind), self.pose()
        frames = (pose.rotations.copy(), pose.translations.copy())
        self._workspace.factors[1] = -1
        self._drive = Drive(constraints, turning, sail, self._wind is not None, *frames)

    @cached_property
    def _surface(self) -> Points:
        return self.body.clusters(vertex_areas(self.mesh.vertices, self.mesh.surface))

    def _aim_holds(self) -> None:
        targets = [hold.target for hold in self._holds]
        self._drive.constraints.targets[: 3 * len(targets)] = np.concatenate([np.empty(0), *targets])
        aim(self._drive.turning, [turn.rotation for turn in self.turns])

    @property
    def hold_forces(self) -> Array:
        return self._drive.constraints.forces[: 3 * len(self._drive.constraints.limits)].reshape(-1, 3).copy()

    @property
    def _torques(self) -> Array:
        """(k, 3) what turned each of `turns` in the last step [N m], in the axes of the body where it flies."""
        return self._drive.constraints.forces[3 * len(self._drive.constraints.limits) :].reshape(-1, 3).copy()

    def turn(self, entity: int, rotation_vector: ArrayLike, rate: float | None = None) -> Turn:
        """Hold an interface at a rotation from rest (3,) [rad] until `release`; its place and strain stay free.

        The rotation is the best fit to its vertices; of a free body it is relative to that of the whole, and turning
        neither pushes nor spins the body. Beyond half a turn it goes the shorter way: move the handle there in steps.

        Args:
            entity: which of `entities`.
            rate: as of `hold`.
        """
        number = checked_entity(self.entities, entity)
        rotation = check_array("rotation_vector", rotation_vector, (3,))
        if number not in self.turnable:
            raise ArgumentError(f"entity {number} is a single vertex or a straight row of them; turn another one")
        refuse_turned(self.turns, number)
        turn = Turn(self, number, rotation, checked_rate(rate, self.dt))
        self._adopt_turns((*self.turns, turn))
        return turn

    def _end_turn(self, turn: Turn) -> None:
        if turn.held:
            self._adopt_turns(tuple(other for other in self.turns if other is not turn))

    @cached_property
    def turnable(self) -> dict[int, Ids]:  # type: ignore[override]
        X = self.mesh.vertices
        return {number: entity.vertices for number, entity in enumerate(self.entities) if can_turn(X, entity)}

    def interface(self, a: PartKey, b: PartKey) -> int:
        """Which of `entities` two parts share, the parts given by their numbers or names."""
        return shared_by(self.parts.domains, self.entities, a, b)

    def rotation_of(self, entity: int) -> Array:
        """The rotation vector (3,) [rad] of an interface from rest, as `turn` means it; 0 where it cannot turn."""
        number = checked_entity(self.entities, entity)
        if number not in self.turnable:
            return np.zeros(3)
        return rotation_vector(turning_of(self.parts, self._kept.constants.fit, [number], [np.zeros(3)]), self._q)

    @property
    def unknowns(self) -> Array:
        return self._v.copy()

    def rows(self, points: Points) -> Array:
        W = np.zeros((self.size, 3 * points.count))
        np.add.at(W, self._reads, points.jacobian(self.pose()).T)
        return W.T

    def response(self, points: Points) -> Array:
        (K, D, _), dt, W = self._matrices(), self.dt, self.rows(points).T
        mass, viscous, stiff = 1 + 0.5 * dt * self.alpha, 0.5 * dt * self.beta, 0.25 * dt * dt
        A = [mass * model.mass + viscous * own + stiff * k for model, own, k in zip(self.parts.models, D, K)]
        factor = factorised(self._workspace.fronts, A)
        if factor is None:
            return np.asarray(la.solve(self.parts.sum_of(A).toarray(), W, assume_a="sym"))
        return solve_again(factor, W)

    def _correct(self, change: Array, momentum: Array, share: float = 0.5) -> None:
        self._v += change
        self._q += share * self.dt * change
        if self.free:
            self._kept.h[:] += momentum
            carry_momentum(self._kept, self._q, self._v)
        self._a[:] = self.acceleration()

    def acceleration(self) -> Array:
        """M^-1 (load - f(q) - C v): what the forces of now do."""
        _, D, f = self._matrices()
        load = self._weight + self._pushed + np.sum(self._hand_loads(), axis=0)
        right = load - f
        for model, own, places in zip(self.parts.models, D, self.parts.places):
            right[places] -= self.alpha * (model.mass @ self._v[places]) + self.beta * (own @ self._v[places])
        return solve_again(self._mass_factor, right)

    def _matrices(self) -> tuple[list[Array], list[Array], Array]:
        """K(q) and what beta damps of every part, and f(q)."""
        K, D, f = list[Array](), list[Array](), np.zeros(self.size)
        for model, places in zip(self.parts.models, self.parts.places):
            z = self._q[places]
            K.append(model.stiffness(z))
            f[places] += model.force(z)
        if self._by_strain and self.beta > 0:
            D = [rate_damping(rule, self._q[places]) for rule, places in zip(self._rules, self.parts.places)]
        return K, D or K, f

    def coordinates_of(self, displacement: ArrayLike) -> Array:
        """q of the displacement (n, 3) [m] nearest in the mass; exact for what the columns span, as rigid motions."""
        u = check_array("displacement", displacement, (self.mesh.vertex_count, 3))
        load = np.zeros(self.parts.size)
        for domain, model, places in zip(self.parts.domains.parts, self.parts.models, self.parts.places):
            load[places] += model.U.T @ (model.solid.mass @ u[domain.vertices].ravel())
        return solve_again(self._mass_factor, load)

    def _adopt_step(self) -> None:
        # A kept factor takes more iterations than Newton does, each of which is cheap.
        tolerance, more = (TOLERANCE, 1) if self.parts.exact or self.newton == 1 else (ROUGH, KEPT)
        self._settings = Settings(self.dt, *self._damping, more * self.newton, tolerance, self._limit)

    def _forget_factor(self) -> None:
        """So that all who go on from one state make the same factor and start, and the same motion to the last bit."""
        self._trial.q[:] = np.nan
        if isinstance(self._forces, PointForces):
            self._forces.kept_for[0] = 0.0

    def _mass(self) -> float:
        return float(sum(model.inertia.mass for model in self.parts.models))

    def _first_period(self) -> float:
        return self._period

    @cached_property
    def _period(self) -> float:
        """Of the lowest frequency at rest [s]."""
        first, models = 6 if self.free else 0, self.parts.models
        M = self.parts.sum_of([model.mass for model in models])
        K = self.parts.sum_of([model.stiffness() for model in models])
        shift = -SHIFT * K.diagonal().max() / M.diagonal().max() if self.free else 0.0
        return float(2 * np.pi / np.sqrt(lowest_eigenpairs(K, M, first + 1, shift)[0][first]))

    def _gainer(self) -> str:
        """The part whose elastic energy grew most since the watch found nothing."""
        return self.parts.domains.names[int(np.argmax(self._ledger.parts - self._ledger.good_parts))]

    def _crushed(self) -> str:
        """The part of which most was inside out when the watch looked."""
        return self.parts.domains.names[int(np.argmax(self._ledger.cells.parts))]

    def _culprit(self) -> str:
        """The part whose matrix could not be made positive definite, else the one with the largest residual."""
        found = int(self._workspace.culprit[0])
        if found == WHOLE:
            norms = [np.linalg.norm(np.nan_to_num(self._workspace.residual[own])) for own in self.parts.places]
            found = int(np.argmax(norms))
        return self.parts.domains.names[found]

    writable = ("dt", "damping", "wind")

    @property
    def settings(self) -> dict[str, Any]:
        acting = {"damping": self.damping, "gravity": self.gravity, "newton": self.newton, "dt": self.dt}
        return {**acting, "wind": self.wind}

    def _retuned(self, changes: dict[str, Any], settings: dict[str, Any]) -> NonlinearSeams:
        given = (settings["dt"], settings["damping"], settings["gravity"], settings["newton"])
        return NonlinearSeams(self.parts, *given, self.damping_law)


def couple_nonlinear(
    solid: Solid,
    labels: ArrayLike | None = None,
    soft: int | None = None,
    derivatives: int | None = None,
    *,
    dt: float,
    damping: tuple[float, float] = (0.0, 0.0),
    gravity: ArrayLike | None = (0.0, -9.81, 0.0),
    modes: int = 8,
    newton: int = CONVERGED,
    force: str = "auto",
    tolerance: float | None = None,
    loads: ArrayLike | None = None,
    most: int = MOST,
    damping_law: str = "strain",
    progress: Progress = None,
) -> NonlinearSeams:
    """Cut a solid into nonlinear parts and couple them by the coordinates of their interfaces.

    Args:
        labels: (m,) a part number 0 to d - 1 for every cell, as `pl.split` gives, any face-connected parts; None: the
            cell groups of the mesh.
        soft: columns of every interface besides its affine ones: the leading directions there of the modes and modal
            derivatives of the whole solid; 4 by default.
        derivatives: columns inside every part besides its affine ones: the leading directions of the same, cut out. By
            default 10; 20 where nothing holds the solid, which must then bend alike whichever way it has turned. Where
            neither these nor `soft` are given, both are chosen for a tolerance.
        dt: time step [s].
        damping: Rayleigh (alpha [1/s], beta [s]).
        gravity: acceleration (3,) [m/s^2].
        modes: vibration modes of the whole that, with their derivatives, are cut.
        newton: iterations of a step, see `NonlinearSeams`.
        force: "cubic": exact, cost grows with the fourth power of a part's coordinates; "cubature": points with
            positive weights trained on motions of the solid, forces within about 1 %, cost grows with the square;
            "auto": cubic for held solids whose parts are small, else cubature. Its points resist below half of their
            volume as those of `FirmStVK` do, so that no part stays inside out.
        tolerance: instead of `soft` and `derivatives`: relative displacement error of a motion, over a period, as the
            error indicator estimates it under loads that were held out. Static states of typical loads are cut as
            well, and columns grow until it holds; `system.report` says what was measured. What cubature errs by comes
            on top. 0.02 where nothing is said.
        loads: for a tolerance: those that will act, (3n, s), (s, 3n) or (s, n, 3) [N]; None: weight, and pulls at the
            extremities.
        most: for a tolerance: coordinates of all parts that are allowed; a warning says where they do not suffice.
        damping_law: as of `NonlinearSeams`.
        progress: called with a stage and the fraction of it that is done.

    Raises:
        MeshError: a part is not in one piece.
        SingularMatrix: a part can move rigidly though its interfaces stand still.
        BasisError: so many interfaces meet in a part that it has more coordinates than cubic forces take.
    """
    mesh = check_solid(solid).mesh
    check_choice("force", force, FORCES)
    allowed = (StVK,) if force == "cubic" else (StVK, FirmStVK)
    if not isinstance(solid.material, allowed):
        names = " or ".join(f"pl.{kind.__name__}" for kind in allowed)
        raise ArgumentError(
            f"nonlinear parts have the forces of StVK; the material is {type(solid.material).__name__}: "
            f"take {names}, or linear parts (pl.couple with nonlinear=False)"
        )
    check_whole(solid)
    domains, usual = labelled_domains(mesh, labels), (SOFT, HELD if len(solid.fixed) else FREE)
    if tolerance is None and soft is None and derivatives is None:
        tolerance = USUAL_TOLERANCE
    if tolerance is None:
        refuse_without_tolerance(loads, most)
        soft, derivatives = usual[0] if soft is None else soft, usual[1] if derivatives is None else derivatives
        parts = nonlinear_parts(
            solid,
            domains,
            check_count("soft", soft, at_least=0),
            check_count("derivatives", derivatives, at_least=0),
            check_count("modes", modes),
            force,
            progress,
        )
    else:
        refuse_with_tolerance(soft=soft, derivatives=derivatives)
        tolerance, most = check_number("tolerance", tolerance, above=0, at_most=1), check_count("most", most)
        modes = check_count("modes", modes)
        parts = chosen_parts(solid, domains, usual, tolerance, loads, most, modes, force, progress)
    report(progress, COMPILING, 1.0)
    system = NonlinearSeams(parts, dt, damping, gravity, newton, damping_law)
    if tolerance is not None and not parts.exact:  # what columns err by was measured, what cubature errs by was not
        given = None if loads is None else as_columns(solid, "loads", loads)
        recipe, good = [domains.labels, modes, force, most, tolerance], GRACE * tolerance
        warn_of_errors(system, solid, recipe, REMEDY, progress, SUDDEN, given, good)
    return system
