"""Parts that share the coordinates of their interfaces; loops are welcome ([BA13]).

M a + C v + K q = f_q,  C = alpha M + beta K,  q = (interfaces, internal of every part)
x = X + warp(W q) U q,  w = W q the rotation averaged across parts     (maths sheet boundary-aware 3-6)
"""

from functools import cached_property
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from pliant.basis.interface_entities import Entity
from pliant.errors import ArgumentError, Array, Diverged, Ids, check_array, check_choice, check_count, check_number
from pliant.mesh import Mesh
from pliant.skin import Pose, Skin
from pliant.systems.seams.compensation import carried, compensated, kept_with
from pliant.systems.seams.frame import find_spin, frame_at, measure_shape, shape_workspace
from pliant.systems.seams.handles import Grip, Hands, Turn
from pliant.systems.seams.loads import Loads
from pliant.systems.seams.parts import CoupledParts
from pliant.systems.seams.points import PROJECTIONS, Points, by_group, clustered_points, vertex_points
from pliant.systems.seams.solver import arrow, condensed
from pliant.systems.seams.steps import Rigid, Workspace, seams_steps
from pliant.systems.seams.wind_points import vertex_areas
from pliant.systems.system import State, System, checked_state, gravity_vector, rayleigh
from pliant.systems.tree.cutting import PartKey, part_number
from pliant.systems.wind import CALM, Wind, WindField, check_wind

FAR = 1e4  # bodies: coordinates beyond this are no solution
RATE = 20.0  # [1/s] how fast held things go to their targets, where steps allow it


class Seams(System):
    """A solid in parts through time; `couple` makes it.

    A body with fixed vertices stands in the world. One without any has a frame, which carries linear and angular
    momentum exactly, as measured on its warped mass points; the coordinates only deform it, and feel centrifugal,
    Coriolis and Euler forces. What is approximate there: kinetic energy takes the linear deformation for the warped
    one, so energy is kept to second order in step and deformation (fast spins want a little damping); damping acts on
    the deformation alone; a turned interface is an inner motion, without torque on the frame. Beyond 2000 vertices,
    weight, wind and inertia act on a few hundred clusters of vertices.

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

    MADE_WITH: ClassVar[frozenset[str]] = frozenset({"solid", "gravity", "projection"})

    def __init__(
        self,
        coupled: CoupledParts,
        dt: float,
        damping: tuple[float, float] = (0.0, 0.0),
        gravity: ArrayLike | None = (0.0, -9.81, 0.0),
        projection: str = "R",
    ):
        self.solid, self._base, self.coupled = coupled.solid, coupled, coupled
        self._dt, self.time = check_number("dt", dt, above=0), 0.0
        self._damping = rayleigh(damping)
        self.gravity = gravity_vector(gravity)
        self.projection = check_choice("projection", projection, PROJECTIONS)
        self._wind: Wind | None = None
        self._body: Skin | None = None
        self._loads: Loads | None = None
        self._hands = Hands(self)
        self._kept: dict[int, list[int]] = {}
        self._pushed: list[tuple[Ids, Array]] = []
        self._q, self._v, self._a = (np.zeros(coupled.size) for _ in range(3))
        X, m = self.solid.mesh.vertices, coupled.masses
        self._frame = frame_at(np.zeros(3) if len(self.solid.fixed) else m @ X / m.sum())
        self._ahead = frame_at(self._frame.centre)
        extent = float(np.ptp(X, axis=0).max())
        self._limit = FAR * (1 + extent) * (1 + float(np.sqrt(m.sum())))
        self._adopt_columns(coupled)
        self.step(0)

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

    @property
    def wind(self) -> Wind | None:
        return self._wind

    @wind.setter
    def wind(self, value: Wind | None) -> None:
        self._wind = check_wind(value)
        self._loads = None

    @property
    def entities(self) -> tuple[Entity, ...]:
        return self.coupled.entities

    @property
    def free(self) -> bool:
        """Does nothing hold it, so that it has a frame?"""
        return not len(self.solid.fixed)

    def step(self, count: int = 1) -> None:
        count = check_count("count", count, at_least=0)
        if self._loads is None:
            self._loads = self._present_loads()
        state = (self._q, self._v, self._a)
        arguments = (
            self._loads,
            self._hands.holds,
            self._rigid,
            self._frame,
            self._ahead,
            self._shape,
            self._workspace,
        )
        taken = seams_steps(self._arrow, self._factors, *arguments, self._limit, self.time, *state, count)
        self.time += taken * self.dt
        if taken < count:
            raise Diverged(
                f"the step from t = {self.time:.6g} s found no solution; use softer pushes, "
                "nearer targets or a smaller dt",
                self.time,
            )

    def _push(self, vertices: Ids, forces: Array) -> None:
        self._pushed.append((vertices, forces))
        self._loads = None

    def release(self) -> None:
        if self._pushed:
            self._pushed.clear()
            self._loads = None

    def hold(self, vertex: int, position: ArrayLike, rate: float | None = None) -> Grip:
        """Hold a vertex at a position (3,) [m] until `release` of the grip; set its `target` to drag it.

        The part of the vertex gets three columns that let the vertex alone move ([BA13] Eq. 20); the motion goes on
        without a jump, also on release, when the columns stay for a while.

        Args:
            rate: how fast it goes there [1/s], critically damped; by default 20, or 1/dt if that is less.
        """
        vertex = check_count("vertex", vertex, at_least=0, at_most=self.solid.mesh.vertex_count - 1)
        target, rate = check_array("position", position, (3,)), self._checked_rate(rate)
        if np.isin(vertex, self.solid.fixed):
            raise ArgumentError(f"vertex {vertex} is fixed; hold another one")
        if any(grip.vertex == vertex for grip in self._hands.grips):
            raise ArgumentError(f"vertex {vertex} is held already; set the target of its grip, or release it first")
        grip = Grip(self._hands, vertex, target, rate)
        self._hands.grips.append(grip)
        self._compensate(vertex)
        self._bind()
        return grip

    def turn(self, entity: int, rotation_vector: ArrayLike, rate: float | None = None) -> Turn:
        """Hold an interface at a rotation from rest (3,) [rad] until `release`; of a free body, relative to its frame.

        Args:
            entity: which of `entities`.
            rate: as of `hold`.
        """
        number = self._checked_entity(entity)
        places, axes = self.coupled.trace.turns[number]
        rotation = check_array("rotation_vector", rotation_vector, (3,))
        if not len(places):
            raise ArgumentError(f"entity {number} is a single vertex or has no turning columns; turn another one")
        if any(turn.entity == number for turn in self._hands.turns):
            raise ArgumentError(f"entity {number} is held already; set the rotation of its handle, or release it first")
        turn = Turn(self._hands, number, places, axes, rotation, self._checked_rate(rate))
        self._hands.turns.append(turn)
        self._bind()
        return turn

    def interface(self, a: PartKey, b: PartKey) -> int:
        """Which of `entities` two parts share, the parts given by their numbers or names."""
        domains = self.coupled.domains
        parts = sorted(part_number(domains, "interface", key) for key in (a, b))
        found = [number for number, entity in enumerate(self.entities) if list(entity.parts) == parts]
        if len(found) != 1:
            count = f"{len(found)} interfaces; give one of {found}" if found else "no interface; name neighbours"
            raise ArgumentError(f"{' and '.join(domains.names[k] for k in parts)} share {count}")
        return found[0]

    def rotation_of(self, entity: int) -> Array:
        """The rotation vector (3,) [rad] of an interface from rest, as `turn` means it; 0 where it cannot turn."""
        places, axes = self.coupled.trace.turns[self._checked_entity(entity)]
        return np.asarray(np.linalg.lstsq(axes, self._q[places], rcond=None)[0] if len(places) else np.zeros(3))

    def launch(self, velocity: ArrayLike = (0, 0, 0), spin: ArrayLike = (0, 0, 0)) -> None:
        """Give a free body a velocity of its centre of mass (3,) [m/s] and a spin (3,) [rad/s], both in the world."""
        if not self.free:
            raise ArgumentError("launch needs a solid without fixed vertices; this one is held")
        speed, spin = check_array("velocity", velocity, (3,)), check_array("spin", spin, (3,))
        self._measure()
        R = self._frame.axes[:3]
        self._frame.linear[:] = self._rigid.mass * speed
        self._frame.angular[:] = R @ (self._shape.I @ (R.T @ spin) + self._shape.G)
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

    def energy(self) -> float:
        self._measure()
        kinetic, elastic, q, v = 0.0, 0.0, self._q, self._v
        for c, places in zip(self.coupled.columns, self.coupled.places):
            b = len(c.boundary)
            qb, vb, qi, vi = q[places[:b]], v[places[:b]], q[places[b:]], v[places[b:]]
            kinetic += float(0.5 * (vb @ c.M_bb @ vb + vi @ vi) + vb @ c.M_bi @ vi)
            elastic += float(0.5 * (qb @ c.K_bb @ qb + c.values @ qi**2))
        m, frame, shape = self._masses.weights, self._frame, self._shape
        height = self.gravity @ (frame.axes[:3] @ (m @ shape.y) + m.sum() * frame.axes[3])
        if self.free:
            spin = frame.drift[1]
            rigid = 0.5 * frame.linear @ frame.linear / m.sum() + spin @ (0.5 * shape.I @ spin + shape.G)
            kinetic += float(rigid)
        return float(kinetic + elastic - height)

    def momentum(self) -> tuple[Array, Array]:
        self._measure()
        frame, shape, m = self._frame, self._shape, self._masses.weights[:, None]
        if self.free:
            return frame.linear.copy(), frame.angular + np.cross(frame.centre, frame.linear)
        return (m * shape.rate).sum(axis=0), np.cross(shape.y, m * shape.rate).sum(axis=0)

    def state(self) -> State:
        state = {"q": self._q.copy(), "v": self._v.copy(), "a": self._a.copy(), "time": self.time}
        frame = {name: getattr(self._frame, name).copy() for name in self._FRAMED} if self.free else {}
        return state | frame | {"columns": self.coupled, "kept": {k: list(ids) for k, ids in self._kept.items()}}

    _FRAMED: ClassVar[dict[str, tuple[int, ...]]] = {
        "turn": (4,),
        "centre": (3,),
        "linear": (3,),
        "angular": (3,),
        "drift": (6, 3),
    }

    def restore(self, state: State) -> None:
        given = state.get("columns") if isinstance(state, dict) else None
        coupled = self.coupled
        if isinstance(given, CoupledParts) and given.parts is self.coupled.parts:
            coupled = given
        checked = checked_state(state, ("q", "v", "a"), coupled.size)
        framed = self._FRAMED if self.free else {}
        frame = {name: check_array(name, state.get(name, ()), shape) for name, shape in framed.items()}
        if coupled is not self.coupled:
            self._kept = {part: list(ids) for part, ids in state["kept"].items()}
            self._adopt_columns(coupled)
        self._q, self._v, self._a = (checked[name].copy() for name in "qva")
        self.time = checked["time"]
        for name, value in frame.items():
            getattr(self._frame, name)[:] = value
        for grip in self._hands.grips:
            self._compensate(grip.vertex)

    def _deforming(self, x: Array) -> Array:
        """Without rigid motion where the frame carries it."""
        return x - self._rigid.Q @ (self._rigid.B.T @ x)

    def _checked_entity(self, entity: int) -> int:
        if not self.entities:
            raise ArgumentError("there are no interfaces; couple more than one part")
        return check_count("entity", entity, at_least=0, at_most=len(self.entities) - 1)

    def _checked_rate(self, rate: float | None) -> float:
        return min(RATE, 1 / self.dt) if rate is None else check_number("rate", rate, above=0)

    def _adopt_columns(self, coupled: CoupledParts) -> None:
        """Everything that depends on the columns alone."""
        self.coupled, self._body = coupled, None
        self.__dict__.pop("_surface", None)
        self._loads = None
        self._pushed_points: tuple[Ids, Points] | None = None
        self._masses = clustered_points(coupled, coupled.masses)
        self._shape = shape_workspace(len(self._masses.weights))
        vectors = [np.zeros(coupled.size) for _ in range(5)]
        self._workspace = Workspace._make([*vectors, np.zeros(int(np.diff(coupled.chains[0]).max()))])
        self._arrow = arrow(coupled)
        Q = coupled.rigid_motions() if self.free else np.empty((coupled.size, 0))
        M = coupled.assembled()[0] if self.free else np.empty((0, coupled.size))
        B = (M @ Q) @ np.linalg.inv(Q.T @ M @ Q) if self.free else Q.copy()
        self._rigid = Rigid(np.ascontiguousarray(Q), np.ascontiguousarray(B), float(coupled.masses.sum()))
        self._adopt_step()
        if self.worn is not None:
            self.wear(self.worn)

    def _adopt_step(self) -> None:
        self._factors = condensed(self.coupled, self.dt, *self._damping)
        self._bind()

    def _bind(self) -> None:
        """The present constraints, for the present columns and step."""
        rigid = (self._rigid.Q, self._rigid.B) if self.free else None
        self._hands.bind(self.coupled, self._arrow, self._factors, rigid)

    def _compensate(self, vertex: int) -> None:
        """Give the part of an inner vertex its compensating columns, and carry the state over."""
        i = int(self.coupled.sharing[0][vertex])
        before = self._kept.get(i, [])
        if i >= self.coupled.domains.count or vertex in before:
            return
        kept = kept_with(before, vertex, {grip.vertex for grip in self._hands.grips})
        new = compensated(self.coupled.parts[i], self._base.columns[i], np.array(sorted(kept)))
        self._q, self._v, self._a = (carried(self.coupled, i, new, x) for x in (self._q, self._v, self._a))
        self._kept[i] = kept
        self._adopt_columns(self.coupled.with_columns(i, new))

    def _measure(self) -> None:
        """Bring the mass points, and the frame of a free body, up to the present state."""
        measure_shape(self._masses, self._q, self._v, self._workspace.z, self._shape)
        if self.free:
            find_spin(self._frame, self._shape, self._rigid.mass)

    @cached_property
    def _surface(self) -> Points:
        """Points that carry the area of the surface."""
        return clustered_points(self.coupled, vertex_areas(self.mesh.vertices, self.mesh.surface))

    def _present_pushes(self) -> tuple[Points, Array]:
        """Points and forces (k, 3) of the vertices that are pushed; the points of the last time where they serve."""
        given = np.concatenate([np.empty(0, np.int64), *(ids for ids, _ in self._pushed)])
        vertices, places = np.unique(given, return_inverse=True)
        forces = np.zeros((len(vertices), 3))
        np.add.at(forces, places, np.concatenate([np.empty((0, 3)), *(each for _, each in self._pushed)]))
        order = by_group(self.coupled, vertices)
        if self._pushed_points is None or not np.array_equal(self._pushed_points[0], vertices[order]):
            self._pushed_points = vertices[order], vertex_points(self.coupled, vertices[order])
        return self._pushed_points[1], forces[order]

    def _present_loads(self) -> Loads:
        pushed, forces = self._present_pushes()
        field = CALM if self._wind is None else self._wind.field
        surface = self._masses if self._wind is None else self._surface
        return Loads(
            self._masses,
            self._masses.weights[:, None] * self.gravity,
            self.gravity,
            bool(self.gravity.any()) and not self.free,
            pushed,
            forces,
            surface,
            WindField(field.velocity.copy(), field.waves.copy(), field.pressure),
            self._wind is not None,
            np.zeros((3, len(forces), 3)),
            np.zeros((3, len(surface.weights), 3)),
            PROJECTIONS.index(self.projection),
        )
