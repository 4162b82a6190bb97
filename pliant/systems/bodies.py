"""Systems side by side that do not touch: bodies of any kinds in one."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from typing import Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from pliant.errors import ArgumentError, Array, Diverged, Ids, check_array, check_count, check_ids, check_out
from pliant.fem import Solid
from pliant.mesh import Mesh, Surface
from pliant.skin import Points, Pose, Rates, Skin, Worn
from pliant.systems.gentleness import Gentleness
from pliant.systems.holding import Hold
from pliant.systems.joining import (
    bare,
    joined_meshes,
    joined_points,
    joined_poses,
    joined_rates,
    joined_skins,
    joined_worn,
    points_of_bodies,
)
from pliant.systems.slices import uninterrupted
from pliant.systems.state import State, checked_state
from pliant.systems.system import Layer, System, checked_push

Made = TypeVar("Made")
TOGETHER = 1e-9  # steps: what clocks may differ by
LONGEST = 64  # steps between two checks of any kind of system
PLAIN = (0.5, 0.66, 0.74)  # of a body without colours beside one that has some


def _shared(name: str, doc: str) -> Any:
    """A property that all bodies have: read where they agree, passed on to all of them or none."""

    def read(bodies: Bodies) -> Any:
        values = [getattr(each, name) for each in bodies.systems]
        if any(np.any(np.not_equal(value, values[0])) for value in values):
            raise ArgumentError(f"the bodies differ in {name}; ask those of `systems`")
        return values[0]

    def write(bodies: Bodies, value: Any) -> None:
        before = [getattr(each, name) for each in bodies.systems]
        for k, each in enumerate(bodies.systems):
            try:
                setattr(each, name, value)
            except ArgumentError:
                for changed, old in zip(bodies.systems[:k], before):
                    setattr(changed, name, old)
                raise

    return property(read, write, doc=doc)


class Bodies(System):
    """One system made of systems. Vertices, triangles and parts of the pose are those of the bodies in a row.

    Args:
        systems: of any kinds, at the same time and with the same step.
        names: one a body, all different; None: "body 0", ...

    Attributes:
        systems, names: as given. What is done to one of the systems, other than stepping it, is welcome.
    """

    kind = "bodies"

    def __init__(self, systems: Sequence[System], names: Sequence[str] | None = None):
        self.systems = tuple(systems)
        if not self.systems or not all(isinstance(each, System) for each in self.systems):
            raise ArgumentError("systems must be at least one pliant System")
        given = [f"body {k}" for k in range(len(self.systems))] if names is None else list(names)
        if len(given) != len(self.systems) or len(set(given)) < len(given):
            raise ArgumentError(f"names must be {len(self.systems)} different ones; {given} was given")
        self.names = tuple(given)
        for what in ("dt", "time"):
            if np.ptp([getattr(each, what) for each in self.systems]) > TOGETHER * self.systems[0].dt:
                raise ArgumentError(f"bodies of one system must have the same {what}")
        self._dt, self.time = self.systems[0].dt, self.systems[0].time
        self._made: dict[str, tuple[tuple[Any, ...], Any]] = {}
        self._past: list[list[State]] = []

    def _adopt_step(self) -> None:
        for each in self.systems:
            each.dt = self._dt

    def step(self, count: int = 1) -> None:
        """All bodies or none: where one finds no solution, all stop at its last good step, or at a call before it.

        Ctrl-C takes all of them back to where the call began.
        """
        goal, starts = check_count("count", count, at_least=0), self._remembered()
        try:
            self._step_all(goal, starts)
        except KeyboardInterrupt:
            uninterrupted(self._go_back, starts[0].time)
            raise

    def _step_all(self, goal: int, starts: list[State]) -> None:
        taken, stopped = [0] * len(self.systems), dict[str, Diverged]()
        for k, each in enumerate(self.systems):
            try:
                each.step(goal)
                taken[k] = goal
            except Diverged as reason:
                goal = taken[k] = round((each.time - self.time) / self.dt)
                stopped = {self.names[k]: reason}
                if goal < 0:
                    break
        if goal < 0:
            self._go_back(self.time + goal * self.dt)
        for each, start, steps in zip(self.systems, starts, taken):
            if steps > goal >= 0:
                each.restore(start)
                each.step(goal)
        self.time = self.systems[0].time
        for name, why in stopped.items():
            raise Diverged(f"{name}: {why}", self.time, why.residual, why.part or name) from why

    def _remembered(self) -> list[State]:
        """The states of now, kept with those of the calls of the last `LONGEST` steps and the one before these."""
        now, enough = [each.state() for each in self.systems], self.time - (LONGEST - TOGETHER) * self.dt
        self._past = [states for states in self._past if states[0].time < self.time]
        while len(self._past) > 1 and self._past[1][0].time < enough:
            self._past.pop(0)
        self._past.append(now)
        return now

    def _go_back(self, time: float) -> None:
        """To the states that began the last call not after `time`, or the oldest kept."""
        there = [states for states in self._past if states[0].time < time + TOGETHER * self.dt]
        for each, state in zip(self.systems, there[-1] if there else self._past[0]):
            each.restore(state)
        self.time = self.systems[0].time
        self._past.clear()

    def _saved(self) -> dict[str, Any]:
        return {"systems": self.systems, "names": self.names}

    @classmethod
    def _resumed(cls, saved: dict[str, Any]) -> Bodies:
        return cls(**saved)

    def push(self, vertices: ArrayLike, forces: ArrayLike, on: Layer = "skin") -> None:
        ids, given = checked_push(vertices, forces, self._vertex_count(on))
        for each, rows, own in self._split(ids, on):
            each.push(own, given[rows], on)

    def _push(self, vertices: Ids, forces: Array) -> None:
        self.push(vertices, forces, "mesh")

    def release(self) -> None:
        for each in self.systems:
            each.release()

    def push_reduced(self, load: ArrayLike) -> None:
        given = check_array("load", load, (self.size,))
        for each, own in zip(self.systems, np.split(given, np.cumsum([each.size for each in self.systems])[:-1])):
            each.push_reduced(own)

    @property
    def holds(self) -> tuple[Hold, ...]:
        """The hands on all bodies; each speaks of the vertices of its own body."""
        return tuple(hold for each in self.systems for hold in each.holds)

    @property
    def hold_forces(self) -> Array:
        return np.concatenate([each.hold_forces for each in self.systems])

    def hold(
        self,
        vertex: int,
        target: ArrayLike | None,
        rate: float | None = None,
        on: Layer = "skin",
        limit: float | None = None,
    ) -> Hold | None:
        """Hold a vertex as its body does; what is returned speaks of the vertices of that body."""
        number = check_count("vertex", vertex, at_least=0, at_most=self._vertex_count(on) - 1)
        [(each, _, own)] = self._split(np.array([number]), on)
        return each.hold(int(own[0]), target, rate, on, limit)

    def gentleness(self, vertex: int, on: Layer = "skin") -> Gentleness:
        """As the body of this vertex has it."""
        number = check_count("vertex", vertex, at_least=0, at_most=self._vertex_count(on) - 1)
        [(each, _, own)] = self._split(np.array([number]), on)
        return each.gentleness(int(own[0]), on)

    def turn(self, entity: int, rotation_vector: ArrayLike, rate: float | None = None) -> Any:
        """Turn one of `interfaces` as its body does."""
        each, own = self._body_with(entity)
        return each.turn(own, rotation_vector, rate)

    def rotation_of(self, entity: int) -> Array:
        """As the body of this interface has it."""
        each, own = self._body_with(entity)
        return each.rotation_of(own)

    def _body_with(self, entity: int) -> tuple[System, int]:
        """The body of an interface, and its number there."""
        counts = [len(each.interfaces) for each in self.systems]
        if not any(counts):
            raise ArgumentError("none of the bodies has interfaces to turn; pull them instead")
        number = check_count("entity", entity, at_least=0, at_most=sum(counts) - 1)
        k = int(np.searchsorted(np.cumsum(counts), number, side="right"))
        return self.systems[k], number - sum(counts[:k])

    @property
    def turnable(self) -> dict[int, Ids]:
        found, before = dict[int, Ids](), 0
        for each, first in zip(self.systems, self._firsts("mesh")):
            found |= {before + number: first + ids for number, ids in each.turnable.items()}
            before += len(each.interfaces)
        return found

    def interface(self, a: Any, b: Any) -> int:
        """Which of `interfaces` two parts of one body share, named as there: "ball: left"."""
        for number, parts in enumerate(self.interfaces):
            if a in parts and b in parts:
                return number
        raise ArgumentError(
            f"{a} and {b} share no interface; there are {', '.join(map(str, self.interfaces)) or 'none'}"
        )

    def settle(self) -> None:
        """Every body to where it stands still; none of them where one cannot."""
        before = [each.state() for each in self.systems]
        try:
            for each in self.systems:
                each.settle()
        except Exception:
            for each, state in zip(self.systems, before):
                each.restore(state)
            raise

    def suggest_dt(self, tolerance: float = 0.01) -> float:
        """The least of those of all bodies."""
        return min(each.suggest_dt(tolerance) for each in self.systems)

    @property
    def interfaces(self) -> tuple[tuple[str, ...], ...]:
        """What meets in each body, body after body: "ball: left", "ball: right"."""
        named = zip(self.names, self.systems)
        return tuple(tuple(f"{name}: {part}" for part in parts) for name, each in named for parts in each.interfaces)

    def _launch(self, velocity: Array, spin: Array) -> None:
        """Every body gets this velocity, and this spin about its own centre."""
        for each in self.systems:
            each.launch(velocity, spin)

    def vertices(self, of: Layer = "skin", out: Array | None = None) -> Array:
        if out is None:
            return np.concatenate([each.vertices(of) for each in self.systems])
        ends = np.cumsum([each._vertex_count(of) for each in self.systems])
        for each, rows in zip(self.systems, np.split(check_out(out, (int(ends[-1]), 3)), ends[:-1])):
            each.vertices(of, rows)
        return out

    def velocities(self, of: Layer = "skin") -> Array:
        return np.concatenate([each.velocities(of) for each in self.systems])

    @property
    def body(self) -> Skin | None:
        skins = [each.body for each in self.systems]
        return self._kept("body", skins, lambda: joined_skins(skins))

    @property
    def skin(self) -> Skin | None:
        skins = [each.skin for each in self.systems]
        return self._kept("skin", skins, lambda: joined_skins(skins))

    @property
    def drawn_by(self) -> Skin | None:
        skins = [each.drawn_by for each in self.systems]
        if all(skin is each.skin for skin, each in zip(skins, self.systems)):
            return self.skin
        return self._kept("drawn by", skins, lambda: joined_skins(skins))

    def drawn(self, pose: Pose) -> Array:
        ends = np.cumsum([0, *(each.pose().part_count for each in self.systems)])
        own = [Pose(pose.frames[a:b], pose.coordinates[a:b]) for a, b in pairwise(ends)]
        return np.concatenate([each.drawn(part) for each, part in zip(self.systems, own)])

    @property
    def mesh(self) -> Mesh:
        meshes = [each.mesh for each in self.systems]
        return self._kept("mesh", meshes, lambda: joined_meshes(meshes))

    @property
    def triangles(self) -> Ids:
        firsts = self._firsts("skin")
        return np.concatenate([each.triangles + first for each, first in zip(self.systems, firsts)])

    @property
    def worn(self) -> Worn | None:  # type: ignore[override]
        """What the bodies wear, in a row; a body that wears nothing is there with its own surface."""
        worn = [each.worn for each in self.systems]
        if not any(worn):
            return None
        return self._kept("worn", worn, self._join_worn)

    def _join_worn(self) -> Worn:
        meshes = [each.mesh for each in self.systems]
        dressed = [each.worn or bare(mesh, each.triangles) for each, mesh in zip(self.systems, meshes)]
        return joined_worn(meshes, dressed)

    @property
    def colours(self) -> Array | None:  # type: ignore[override]
        """(t, 3), plain for bodies without any; None where none has any."""
        if all(each.colours is None for each in self.systems):
            return None
        rows = [
            np.tile(PLAIN, (len(each.triangles), 1)) if each.colours is None else each.colours for each in self.systems
        ]
        return np.concatenate(rows)

    def wear(self, surface: Surface | Worn | None) -> None:
        if surface is None:
            for each in self.systems:
                each.wear(None)
        elif surface is not self.worn:
            raise ArgumentError("bodies wear surfaces of their own; let those of `systems` wear them")

    def paint(self, colours: ArrayLike | None) -> None:
        ends = np.cumsum([len(each.triangles) for each in self.systems])
        given = None if colours is None else check_array("colours", colours, (int(ends[-1]), 3))
        pieces = [None] * len(ends) if given is None else np.split(given, ends[:-1])
        for each, piece in zip(self.systems, pieces):
            each.paint(piece)

    def pose(self) -> Pose:
        return joined_poses([each.pose() for each in self.systems])

    def rates(self) -> Rates:
        return joined_rates([each.rates() for each in self.systems])

    def energy(self) -> float:
        return sum(each.energy() for each in self.systems)

    def momentum(self) -> tuple[Array, Array]:
        linear, angular = zip(*(each.momentum() for each in self.systems))
        return np.sum(linear, axis=0), np.sum(angular, axis=0)

    def state(self) -> State:
        """The arrays of all bodies, the number of the body in front of their names."""
        own = [(k, each.state()) for k, each in enumerate(self.systems)]
        return State(**{f"{k} {name}": array for k, state in own for name, array in state.items()}, time=self.time)

    def restore(self, state: Mapping[str, ArrayLike]) -> None:
        time, before = checked_state(state, {})["time"], [each.state() for each in self.systems]
        own: list[dict[str, ArrayLike]] = [{} for _ in self.systems]
        for name, array in state.items():
            body, _, rest = name.partition(" ")
            if body.isdecimal() and int(body) < len(own):
                own[int(body)][rest] = array
        try:
            for each, given in zip(self.systems, own):
                each.restore(given)
        except Exception:
            for each, kept in zip(self.systems, before):
                each.restore(kept)
            raise
        self.time, self._past = time, []

    @property
    def size(self) -> int:
        """Unknowns of all bodies."""
        return sum(each.size for each in self.systems)

    @property
    def free(self) -> bool:
        """Do all bodies fly?"""
        return all(each.free for each in self.systems)

    def points(self, vertices: ArrayLike, on: Layer = "skin") -> Points:
        if self.body is not None:
            return super().points(vertices, on)
        ids = check_ids("vertices", vertices, self._vertex_count(on))
        split = {id(each): (rows, numbers) for each, rows, numbers in self._split(ids, on)}
        none = np.empty(0, np.int64)
        mine = [(each, *split.get(id(each), (none, none))) for each in self.systems]
        own = [(rows, each.points(numbers, on)) for each, rows, numbers in mine]
        return joined_points(own, [each.pose() for each in self.systems], len(ids))

    @property
    def unknowns(self) -> Array:
        """Those of all bodies in a row."""
        return np.concatenate([each.unknowns for each in self.systems])

    def rows(self, points: Points) -> Array:
        return self._by_body(points, lambda each, own: each.rows(own))

    def response(self, points: Points) -> Array:
        return self._by_body(points, lambda each, own: each.response(own).T).T

    def _by_body(self, points: Points, rows_of: Callable[[System, Points], Array]) -> Array:
        """Rows (3k, s): those of every body in the columns of its unknowns, zero in the others."""
        ends = np.cumsum([0, *(len(each.unknowns) for each in self.systems)])
        rows = np.zeros((points.count, 3, ends[-1]))
        for each, (ids, own), first, last in zip(self.systems, self._own_points(points), ends, ends[1:]):
            if len(ids):
                rows[ids, :, first:last] = rows_of(each, own).reshape(len(ids), 3, -1)
        return rows.reshape(3 * points.count, -1)

    def correct(self, points: Points, impulses: ArrayLike) -> None:
        """Bodies that have none of the points go on as they were."""
        given = check_array("impulses", impulses, (points.count, 3))
        for each, (ids, own) in zip(self.systems, self._own_points(points)):
            if len(ids):
                each.correct(own, given[ids])

    def _own_points(self, points: Points) -> list[tuple[Ids, Points]]:
        return points_of_bodies(points, [each.pose() for each in self.systems])

    @property
    def solid(self) -> Solid:
        raise ArgumentError("bodies side by side are no one solid; ask those of `systems`")

    damping = _shared("damping", "Rayleigh constants (alpha [1/s], beta [s]) of all bodies.")
    gravity = _shared("gravity", "Acceleration (3,) of all bodies [m/s^2].")
    wind = _shared("wind", "Blows on all bodies.")

    def _kept(self, name: str, sources: Sequence[Any], make: Callable[[], Made]) -> Made:
        """What is made of these objects, again where one of them is another one."""
        before = self._made.get(name)
        if before is None or any(a is not b for a, b in zip(before[0], sources)):
            self._made[name] = before = tuple(sources), make()
        return before[1]

    def _vertex_count(self, layer: Layer) -> int:
        return sum(each._vertex_count(layer) for each in self.systems)

    def _firsts(self, layer: Layer) -> list[int]:
        counts = [each._vertex_count(layer) for each in self.systems]
        return np.cumsum([0, *counts[:-1]]).tolist()

    def _split(self, ids: Ids, layer: Layer) -> list[tuple[System, Ids, Ids]]:
        """Of every body that has some of these vertices: which, and their own numbers there."""
        firsts = self._firsts(layer)
        body = np.searchsorted(firsts, ids, side="right") - 1
        found = [(k, np.flatnonzero(body == k)) for k in np.unique(body)]
        return [(self.systems[k], rows, ids[rows] - firsts[k]) for k, rows in found]
