"""Parts that share the coordinates of their interfaces; loops are welcome ([BA13]).

M a + C v + K q = f_q,  C = alpha M + beta K,  q = (interfaces, internal of every part)
x = X + warp(W q) U q,  w = W q the rotation averaged across parts     (maths sheet boundary-aware 3-6)
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike

from pliant.basis import SizeReport
from pliant.basis.interface_entities import Entity
from pliant.basis.vibration import SHIFT
from pliant.errors import ArgumentError, Array, Diverged, Ids, check_array, check_choice, check_count
from pliant.mesh import Mesh
from pliant.mesh.domains import PartKey
from pliant.numerics import lowest_eigenpairs, rotation_exponential
from pliant.skin import Points, Pose, Rates, Skin
from pliant.skin.point_kernels import PROJECTIONS
from pliant.skin.points import vertex_areas
from pliant.skin.tables import frozen
from pliant.systems.free_frame import SHAPES as FRAME_SHAPES
from pliant.systems.holding import Hold, checked_rate
from pliant.systems.seams.acceleration import acceleration_of
from pliant.systems.seams.answering import correct_free, free_response, free_rows
from pliant.systems.seams.compensation import KeptColumns, carried
from pliant.systems.seams.flight import flight_workspace
from pliant.systems.seams.frame import find_spin, frame_at, measure_shape, shape_workspace
from pliant.systems.seams.held_rows import held_rows
from pliant.systems.seams.loads import ActingLoads, summed
from pliant.systems.seams.parts import CoupledParts
from pliant.systems.seams.points import body_points
from pliant.systems.seams.rigid_motion import RigidMotion
from pliant.systems.seams.solver import Condensed, arrow, condensed, mechanical, solve_arrow
from pliant.systems.seams.standing import CHANGED, FLOWN, LOST, OVERTURNED, UNEXPLAINED, standing
from pliant.systems.seams.steps import Workspace, flying_steps, standing_steps
from pliant.systems.seams.turning import Turn, checked_entity, refuse_turned, shared_by
from pliant.systems.seams.watched import energy_of, watched
from pliant.systems.slices import TIMED
from pliant.systems.state import State, checked_state
from pliant.systems.system import System, check_step, gravity_vector, made_with, rayleigh
from pliant.systems.system_points import SystemPoints
from pliant.systems.wind_points import sail_of

UNMEASURED = np.empty(0)  # no state
FAR = 1e4  # bodies: coordinates beyond this are no solution
WHY = {
    FLOWN: "found no solution; use softer pushes, nearer targets or a smaller dt",
    LOST: "found no solution: the body is bent or stretched too far for linear parts; use a smaller dt, a stiffer "
    "material, slower hands and spins, or couple_nonlinear",
    UNEXPLAINED: "begins a rise of energy that no load supplied; use a smaller dt, more damping, or couple_nonlinear",
    OVERTURNED: "begins to bend linear parts by more than a full turn, where they mean nothing; use nearer targets, "
    "softer pushes, more damping, or couple_nonlinear",
}


class Seams(System):
    """A solid in parts through time; `couple` makes it.

    A body with fixed vertices stands in the world. One without any has a frame, which carries linear and angular
    momentum exactly, as measured on its warped mass points; the coordinates only deform it, and feel centrifugal,
    Coriolis and Euler forces. Energy is kept but for a swing of second order in the step, also without damping. What
    is approximate there: kinetic energy takes the linear deformation for the warped one; damping acts on the
    deformation alone; a body that is bent or stretched as far as it is wide is refused by `Diverged`; a turned
    interface is an inner motion, without torque on the frame. Beyond 2000 vertices, weight, wind and inertia act on a
    few hundred clusters of vertices.

    Args:
        coupled: the parts and their columns.
        dt: time step [s].
        damping: Rayleigh (alpha [1/s], beta [s]).
        gravity: acceleration (3,) [m/s^2].
        projection: what turns forces back to the coordinates: "R" the rotation of each vertex, "J" the exact gradient
            of the load's work, "Rt" the warp itself, "none".

    Attributes:
        q, v, a: coordinates, velocity, acceleration; writable. They change their length when a vertex is held.
        wind: a `Wind` or None; writable.
        damping: (alpha, beta); writable.
        entities: what the parts share.
        coupled: the present parts and columns.
    """

    kind = "seams"
    _bears = 0.25

    def __init__(
        self,
        coupled: CoupledParts,
        dt: float,
        damping: tuple[float, float] = (0.0, 0.0),
        gravity: ArrayLike | None = (0.0, -9.81, 0.0),
        projection: str = "R",
    ):
        self._solid, self._base, self.coupled = coupled.solid, coupled, coupled
        self._dt, self.time = check_step(dt), 0.0
        self._damping, self._gravity = rayleigh(damping), gravity_vector(gravity)
        self._projection = check_choice("projection", projection, PROJECTIONS)
        self._body: Skin | None = None
        self._loads: ActingLoads | None = None
        self._jolted = True
        self.turns: tuple[Turn, ...] = ()
        self._nodes: dict[int, tuple[int, Array]] = {}
        self._kept = KeptColumns(coupled)
        self._pushed: list[tuple[Ids, Array]] = []
        self._pushed_reduced = np.zeros(coupled.size)
        self._last_points: tuple[Points, SystemPoints] | None = None
        self._last_rows: tuple[Points, Array] | None = None
        self._q, self._v, self._a = (np.zeros(coupled.size) for _ in range(3))
        X, m = self.solid.mesh.vertices, coupled.masses
        self._frame = frame_at(np.zeros(3) if len(self.solid.fixed) else m @ X / m.sum())
        self._ahead = frame_at(self._frame.free.t)
        extent = float(np.ptp(X, axis=0).max())
        self._limit = FAR * (1 + extent) * (1 + float(np.sqrt(m.sum())))
        self._adopt_columns(coupled)
        self.step(0)
        self._warn_of_long_steps()

    solid = made_with("solid", "The whole.")
    projection = made_with("projection", "What turns forces back to the coordinates.")

    @property
    def report(self) -> SizeReport | None:
        return self.coupled.report

    @property
    def size(self) -> int:
        return self.coupled.size

    @property
    def q(self) -> Array:
        return self._q

    @q.setter
    def q(self, value: ArrayLike) -> None:
        self._q[:] = self._deforming(check_array("q", value, self._q.shape))

    @property
    def v(self) -> Array:
        return self._v

    @v.setter
    def v(self, value: ArrayLike) -> None:
        self._v[:] = self._deforming(check_array("v", value, self._v.shape))

    @property
    def a(self) -> Array:
        return self._a

    @a.setter
    def a(self, value: ArrayLike) -> None:
        self._a[:] = self._deforming(check_array("a", value, self._a.shape))

    @property
    def damping(self) -> tuple[float, float]:
        return self._damping

    @damping.setter
    def damping(self, value: tuple[float, float]) -> None:
        self._damping = rayleigh(value)
        self._adopt_step()

    def _adopt_wind(self) -> None:
        self._loads = None

    @property
    def entities(self) -> tuple[Entity, ...]:
        return self.coupled.entities

    @property
    def interfaces(self) -> tuple[tuple[str, ...], ...]:
        names = self.coupled.domains.names
        return tuple(tuple(names[i] for i in entity.parts) for entity in self.entities)

    def step(self, count: int = 1) -> None:
        count = check_count("count", count, at_least=0)
        if self._loads is None:
            self._loads, self._standing.numbers[CHANGED] = self._present_loads(), 1
        if count and self._jolted:
            self._jolted = False
            if not (self.free or self._v.any() or self._holds or self.turns):
                # Newmark's rule goes on from an acceleration, which loads change at once. Wind is that of the step.
                self._a[:] = acceleration_of(self, self.time + self.dt)
        if count and self.free:
            # Sweeps begin with the forces of the step before; those of another call are no state.
            self._held.constraints.forces[:] = 0.0
        begun, advance = self.time, self._fly if self.free else self._stand

        def take(steps: int, done: int) -> bool:
            taken, why = advance(steps)
            self.time = begun + (done + taken) * self.dt
            if taken < steps:
                raise Diverged(f"the step from t = {self.time:.6g} s {WHY[why]}", self.time)
            return True

        self._in_slices(count, take)

    @property
    def _equal_slice(self) -> int | None:
        """What flies is measured anew in each slice."""
        return TIMED if self.free else super()._equal_slice

    def _stand(self, count: int) -> tuple[int, int]:
        self._measured = UNMEASURED
        given = (self._arrow, self._factors, self._loads, self._held, self._frame, self._shape, self._standing)
        return standing_steps(*given, self._workspace, self._limit, self.time, self._q, self._v, self._a, count)

    def _fly(self, count: int) -> tuple[int, int]:
        self._measured = UNMEASURED
        given = (self._arrow, self._factors, self._loads, self._held, self._rigid, self._frame, self._ahead)
        workspaces = (self._shape, self._flight, self._watched, self._workspace)
        return flying_steps(*given, *workspaces, self._limit, self.time, self._q, self._v, self._a, count)

    def _push(self, vertices: Ids, forces: Array) -> None:
        self._pushed.append((vertices, forces))
        self._loads, self._jolted = None, True

    def _push_reduced(self, load: Array) -> None:
        self._pushed_reduced = self._pushed_reduced + load
        self._loads, self._jolted = None, True

    def release(self) -> None:
        if self._pushed or self._pushed_reduced.any():
            self._pushed.clear()
            self._pushed_reduced = np.zeros(self.size)
            self._loads, self._jolted = None, True

    def _adopt_holds(self, forces: Array) -> None:
        """Held vertices have three columns of their part that let them alone move ([BA13] Eq. 20). These go in without
        a jump, and stay for a while when the vertex is let go."""
        self._nodes = {id(hold): self._nodes.get(id(hold)) or self._node(hold) for hold in self._holds}
        for node, _ in self._nodes.values():
            self._compensate(node)
        self._bind()

    def _node(self, hold: Hold) -> tuple[int, Array]:
        """The vertex of the mesh that a hand holds, and where the vertex of the skin is from there (3,)."""
        node, beside = hold.vertex, np.zeros(3)
        if self.worn is not None and hold.on == "skin":
            corners = self.worn.embedding.rows[hold.vertex]
            node = int(corners.indices[np.argmax(corners.data)])
            pose = self.pose()
            beside = self.points([hold.vertex]).place(pose)[0] - self.points([node], "mesh").place(pose)[0]
        if np.isin(node, self.solid.fixed):
            raise ArgumentError(f"vertex {hold.vertex} is fixed; hold another one")
        if any(node == other for other, _ in self._nodes.values()):
            raise ArgumentError(
                f"the cell of vertex {hold.vertex} is held already; move that hand, or release it first"
            )
        return node, beside

    def _aim_holds(self) -> None:
        self._held.constraints.targets[:] = self._goals()

    def _goals(self) -> Array:
        places = [hold.target - self._nodes[id(hold)][1] for hold in self._holds]
        return np.concatenate([np.empty(0), *places, *(turn.angles for turn in self.turns)])

    @property
    def hold_forces(self) -> Array:
        """Turned into the world by the rotation of the body, or of the vertex where the body stands."""
        points, forces = self._held.points, self._held.constraints.forces
        forces = forces[: 3 * len(self._holds)].reshape(-1, 3)
        R = self._frame.axes[:3]
        if self.free:
            return forces @ R.T
        pairs = zip(forces, points.work.w)
        return np.array([R @ rotation_exponential(w) @ force for force, w in pairs]).reshape(-1, 3)

    def turn(self, entity: int, rotation_vector: ArrayLike, rate: float | None = None) -> Turn:
        """Hold an interface at a rotation from rest (3,) [rad] until `release`; of a free body, relative to its frame.

        Args:
            entity: which of `entities`.
            rate: as of `hold`.
        """
        number = checked_entity(self.entities, entity)
        places, axes = self.coupled.trace.turns[number]
        rotation = check_array("rotation_vector", rotation_vector, (3,))
        if not len(places):
            raise ArgumentError(f"entity {number} is a single vertex or has no turning columns; turn another one")
        refuse_turned(self.turns, number)
        turn = Turn(self, number, rotation, checked_rate(rate, self.dt), places, axes)
        self.turns = (*self.turns, turn)
        self._bind()
        return turn

    def _end_turn(self, turn: Turn) -> None:
        if turn.held:
            self.turns = tuple(other for other in self.turns if other is not turn)
            self._bind()

    def interface(self, a: PartKey, b: PartKey) -> int:
        """Which of `entities` two parts share, the parts given by their numbers or names."""
        return shared_by(self.coupled.domains, self.entities, a, b)

    def rotation_of(self, entity: int) -> Array:
        """The rotation vector (3,) [rad] of an interface from rest, as `turn` means it; 0 where it cannot turn."""
        places, axes = self.coupled.trace.turns[checked_entity(self.entities, entity)]
        return np.asarray(np.linalg.lstsq(axes, self._q[places], rcond=None)[0] if len(places) else np.zeros(3))

    def _launch(self, velocity: Array, spin: Array) -> None:
        self._measure()
        R = self._frame.axes[:3]
        self._frame.free.P[:] = self._rigid.mass * velocity
        self._frame.free.L[:] = R @ (self._shape.I @ (R.T @ spin) + self._shape.G)
        self._measure()

    @property
    def body(self) -> Skin:
        """Another one after a vertex was held for the first time, since its part then has more columns."""
        if self._body is None:
            self._body = Skin(self.mesh.vertex_count, self.mesh.surface, self.coupled.groups)
        return self._body

    @property
    def mesh(self) -> Mesh:
        return self.solid.mesh

    def pose(self) -> Pose:
        """One entry a part: z of its interfaces and its inside; all in one frame."""
        if self.free:
            self._measure()
        R, t = self._frame.axes[:3].copy(), self._frame.axes[3].copy()
        return Pose([(R, t)] * self.coupled.domains.count, [self._q[places] for places in self.coupled.places])

    def rates(self) -> Rates:
        self._measure()
        R, (speed, spin) = self._frame.axes[:3], self._frame.drift[:2]
        origin = speed - self._shape.centre_rate - np.cross(spin, self._shape.centre)
        moving = (origin, spin) if self.free else np.zeros((2, 3))
        linear, angular = (np.tile(R @ rate, (self.coupled.domains.count, 1)) for rate in moving)
        return Rates(linear, angular, self._v[self.coupled.reads], self.pose().offsets)

    @property
    def unknowns(self) -> Array:
        """Of a free body: velocity of its centre of mass and spin, in the world, then v."""
        if not self.free:
            return self._v.copy()
        self._measure()
        R = self._frame.axes[:3]
        return np.concatenate([self._frame.free.P / self._rigid.mass, R @ self._frame.drift[1], self._v])

    def rows(self, points: Points) -> Array:
        """Those of the last time where they serve."""
        self._measure()
        if self._last_rows is None or self._last_rows[0] is not points:
            W = self._to_own(points.jacobian(self.pose()).T).T
            self._last_rows = points, frozen(free_rows(self, points, W) if self.free else W)
        return self._last_rows[1]

    def response(self, points: Points) -> Array:
        W = self.rows(points)
        return free_response(self, W) if self.free else self._solved(W.T)

    def _correct(self, change: Array, momentum: Array, share: float = 0.5) -> None:
        if self.free:
            change = correct_free(self, change, momentum, share * self.dt)
        self._v += change
        self._q += share * self.dt * change
        self._a[:] = self.acceleration()

    def acceleration(self) -> Array:
        """M^-1 (load - K q - C v) (size,): what the forces of now do."""
        return acceleration_of(self, self.time)

    def _to_own(self, flat: Array) -> Array:
        """(sum r, k) of the coordinates of a pose -> (size, k) of q."""
        own = np.zeros((self.size, flat.shape[1]))
        np.add.at(own, self.coupled.reads, flat)
        return own

    def _solved(self, loads: Array) -> Array:
        """A^-1 loads (size, k), without rigid motion where the frame carries it."""
        x = np.ascontiguousarray(loads.T)
        for row in x:
            solve_arrow(self._arrow, self._factors, row)
        return x.T - self._rigid.Q @ (self._rigid.B.T @ x.T)

    def _mass(self) -> float:
        return float(self._masses.measure.sum())

    def _first_period(self) -> float:
        """Of the lowest vibration [s], about the shape at rest."""
        M, K = map(sp.csr_matrix, self.coupled.assembled())
        first = self._rigid.Q.shape[1]
        shift = -SHIFT * K.diagonal().max() / M.diagonal().max() if first else 0.0
        return float(2 * np.pi / np.sqrt(lowest_eigenpairs(K, M, first + 1, shift)[0][first]))

    def energy(self) -> float:
        self._measure()
        m, frame, q, v = self._masses.measure, self._frame, self._q, self._v
        height = self.gravity @ (frame.axes[:3] @ (m @ self._shape.y) + m.sum() * frame.axes[3])
        if self.free:
            return float(energy_of(self._arrow, self._masses, self._rigid, frame, self._shape, q, v) - height)
        return float(mechanical(self._arrow, q, v) - height)

    def momentum(self) -> tuple[Array, Array]:
        self._measure()
        frame, shape, m = self._frame, self._shape, self._masses.measure[:, None]
        if self.free:
            return frame.free.P.copy(), frame.free.L + np.cross(frame.free.t, frame.free.P)
        return (m * shape.rate).sum(axis=0), np.cross(shape.y, m * shape.rate).sum(axis=0)

    def state(self) -> State:
        frame = self._frame.free._asdict() if self.free else {}
        return State(q=self._q, v=self._v, a=self._a, time=self.time, columns=self._kept.table, **frame)

    def restore(self, state: Mapping[str, ArrayLike]) -> None:
        kept = KeptColumns(self._base, check_array("columns", _columns(state), (None, 2), dtype=np.int64), self._kept)
        coupled = self.coupled if kept.vertices == self._kept.vertices else kept.coupled()
        checked = checked_state(state, dict.fromkeys("qva", (coupled.size,)) | (FRAME_SHAPES if self.free else {}))
        if coupled is not self.coupled:
            self._kept = kept
            self._adopt_columns(coupled)
        self._q, self._v, self._a = (checked[name].copy() for name in "qva")
        self._jolted = False
        self.time = checked["time"]
        if self.free:
            for name, array in self._frame.free._asdict().items():
                array[:] = checked[name]
        for node, _ in self._nodes.values():
            self._compensate(node)

    def _made_of(self) -> dict[str, Any]:
        given = {"coupled": self._base, "dt": self.dt, "damping": self.damping, "gravity": self.gravity}
        return {**given, "projection": self.projection}

    def _acting(self) -> dict[str, Any]:
        turns = [(turn.entity, turn.rotation, turn.rate) for turn in self.turns]
        beside = [self._nodes[id(hold)][1] for hold in self._holds]
        return {"pushed": self._pushed, "reduced": self._pushed_reduced, "turns": turns, "beside": beside}

    def _act_again(self, acting: dict[str, Any]) -> None:
        self._pushed = self._pushed_again(acting["pushed"])
        self._pushed_reduced = check_array("reduced", acting["reduced"], (self.size,)).copy()
        for hold, beside in zip(self._holds, acting["beside"]):
            self._nodes[id(hold)] = self._nodes[id(hold)][0], beside
        for entity, rotation, rate in acting["turns"]:
            self.turn(entity, rotation, rate)
        self._aim_holds()
        self._loads = None

    def _deforming(self, x: Array) -> Array:
        """Without rigid motion where the frame carries it."""
        return x - self._rigid.Q @ (self._rigid.B.T @ x)

    def _adopt_columns(self, coupled: CoupledParts) -> None:
        """Everything that depends on the columns alone."""
        self.coupled, self._body = coupled, None
        self.__dict__.pop("_surface", None)
        self._loads = None
        self.mass_points = self.body.clusters(coupled.masses)
        self._masses = body_points(coupled, self.mass_points)
        self._shape, self._measured = shape_workspace(len(self._masses.measure)), UNMEASURED
        self._flight = flight_workspace(self._masses, coupled.size)
        self._workspace = Workspace(*np.zeros((6, coupled.size)))
        stiffest = max(float(np.max(np.diag(c.K_bb), initial=0.0)) for c in coupled.columns)
        extent = float(np.ptp(self.mesh.vertices, axis=0).max())
        self._watched = watched(coupled.size, stiffest, extent)
        self._standing = standing(coupled.size, stiffest, extent)
        self._pushed_reduced = np.zeros(coupled.size)
        self._arrow = arrow(coupled)
        self.__dict__.pop("mass_factor", None)
        Q = coupled.rigid_motions() if self.free else np.empty((coupled.size, 0))
        M = coupled.assembled()[0] if self.free else np.empty((0, coupled.size))
        B = (M @ Q) @ np.linalg.inv(Q.T @ M @ Q) if self.free else Q.copy()
        self._rigid = RigidMotion(np.ascontiguousarray(Q), np.ascontiguousarray(B), float(coupled.masses.sum()))
        self._adopt_step()
        if self.worn is not None:
            self.wear(self.worn)

    def _adopt_step(self) -> None:
        self._factors = condensed(self.coupled, self.dt, *self._damping)
        self._bind()

    def _bind(self) -> None:
        """The present constraints, for the present columns and step."""
        rigid = (self._rigid.Q, self._rigid.B) if self.free else None
        nodes = np.array([self._nodes[id(hold)][0] for hold in self._holds], dtype=np.int64)
        turned = [(turn.places, turn.angles) for turn in self.turns]
        rates = [np.full(3, hold.rate) for hold in self._holds]
        rates += [np.full(len(turn.places), turn.rate) for turn in self.turns]
        limits = [hold.limit for hold in self._holds]
        given = (nodes, self._goals()[: 3 * len(nodes)], turned, np.concatenate([np.empty(0), *rates]), limits, rigid)
        self._held = held_rows(self.coupled, self.body, self._arrow, self._factors, *given)

    def _compensate(self, vertex: int) -> None:
        """Give the part of an inner vertex its compensating columns, and carry the state over."""
        part = self._kept.part_without(vertex)
        if part is None:
            return
        new = self._kept.add(part, vertex, {node for node, _ in self._nodes.values()})
        self._q, self._v, self._a = (carried(self.coupled, part, new, x) for x in (self._q, self._v, self._a))
        self._adopt_columns(self.coupled.with_columns(part, new))

    def _measure(self) -> None:
        """Bring the mass points, and the frame of a free body, up to the present state; it may be that they are."""
        state = np.concatenate([self._q, self._v, *self._frame.free])
        if np.array_equal(state, self._measured):
            return
        self._measured, self._last_rows = state, None
        measure_shape(self._masses, self._q, self._v, self._shape)
        if self.free:
            find_spin(self._frame, self._shape, self._rigid.mass)

    @cached_property
    def mass_factor(self) -> Condensed:
        """Of the mass alone: a step that takes no time."""
        return condensed(self.coupled, 0.0, 0.0, 0.0)

    @cached_property
    def _surface(self) -> Points:
        """Points that carry the area of the surface."""
        return self.body.clusters(self._areas).in_one_frame()

    @cached_property
    def _areas(self) -> Array:
        return vertex_areas(self.mesh.vertices, self.mesh.surface)

    def _points_of(self, vertices: Ids) -> SystemPoints:
        """Those of the last time where they serve."""
        points = self.body.points(vertices)
        if self._last_points is None or self._last_points[0] is not points:
            self._last_points = points, body_points(self.coupled, points)
        return self._last_points[1]

    def _present_loads(self) -> ActingLoads:
        vertices, forces = summed(self._pushed)
        surface = self.body.points([]).in_one_frame() if self._wind is None else self._surface
        return ActingLoads(
            self._masses,
            self._masses.measure[:, None] * self.gravity,
            self.gravity.copy(),
            bool(self.gravity.any()) and not self.free,
            self._points_of(vertices),
            forces,
            self._pushed_reduced,
            self._rigid.Q.T @ self._pushed_reduced if self.free else np.zeros(6),
            sail_of(surface, self.coupled.reads, self._wind),
            self._wind is not None,
            PROJECTIONS.index(self.projection),
        )

    writable = ("dt", "damping", "wind")

    @property
    def settings(self) -> dict[str, Any]:
        return {"damping": self.damping, "gravity": self.gravity, "dt": self.dt, "wind": self.wind}

    def _retuned(self, changes: dict[str, Any], settings: dict[str, Any]) -> Seams:
        return Seams(self._base, settings["dt"], settings["damping"], settings["gravity"], self.projection)

    @property
    def turnable(self) -> dict[int, Ids]:
        turns = enumerate(zip(self.entities, self.coupled.trace.turns))
        return {number: entity.vertices for number, (entity, (places, _)) in turns if len(places)}


def _columns(state: Mapping[str, ArrayLike]) -> ArrayLike:
    return state.get("columns", np.empty((0, 2))) if isinstance(state, Mapping) else np.empty((0, 2))
