"""Systems side by side that do not touch: bodies of any kinds in one."""

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from pliant.errors import ArgumentError, Array, Diverged, Ids, check_array, check_count, check_number
from pliant.fem import Solid
from pliant.mesh import Mesh, Surface
from pliant.skin import Pose, Skin, Worn
from pliant.systems.joining import bare, joined_meshes, joined_poses, joined_skins, joined_worn
from pliant.systems.system import Layer, State, System, checked_push

Made = TypeVar("Made")
TOGETHER = 1e-9  # steps: what clocks may differ by
PLAIN = (0.5, 0.66, 0.74)  # of a body without colours beside one that has some


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

    def _adopt_step(self) -> None:
        for each in self.systems:
            each.dt = self._dt

    def step(self, count: int = 1) -> None:
        """All bodies or none: where one finds no solution, all stop at its last good step."""
        goal = check_count("count", count, at_least=0)
        starts = [each.state() for each in self.systems]
        taken, stopped = [0] * len(self.systems), dict[str, Diverged]()
        for k, each in enumerate(self.systems):
            try:
                each.step(goal)
                taken[k] = goal
            except Diverged as reason:
                goal = taken[k] = round((each.time - self.time) / self.dt)
                stopped = {self.names[k]: reason}
        for each, start, steps in zip(self.systems, starts, taken):
            if steps > goal:
                each.restore(start)
                each.step(goal)
        self.time = self.systems[0].time
        for name, why in stopped.items():
            raise Diverged(f"{name}: {why}", self.time, why.residual, why.part or name) from why

    def push(self, vertices: ArrayLike, forces: ArrayLike, on: Layer = "skin") -> None:
        ids, given = checked_push(vertices, forces, self._vertex_count(on))
        for each, rows, own in self._split(ids, on):
            each.push(own, given[rows], on)

    def _push(self, vertices: Ids, forces: Array) -> None:
        self.push(vertices, forces, "mesh")

    def release(self) -> None:
        for each in self.systems:
            each.release()

    def hold(self, vertex: int, target: ArrayLike | None, rate: float | None = None, on: Layer = "skin") -> "BodyHold":
        """Hold a vertex as its body does."""
        number = check_count("vertex", vertex, at_least=0, at_most=self._vertex_count(on) - 1)
        [(each, _, own)] = self._split(np.array([number]), on)
        return BodyHold(number, held(each, int(own[0]), target, rate, on))

    def turn(self, entity: int, rotation_vector: ArrayLike, rate: float | None = None) -> Any:
        """Turn one of `interfaces` as its body does."""
        counts = [len(interfaces_of(each)) for each in self.systems]
        if not any(counts):
            raise ArgumentError("none of the bodies has interfaces to turn; pull them instead")
        number = check_count("entity", entity, at_least=0, at_most=sum(counts) - 1)
        k = int(np.searchsorted(np.cumsum(counts), number, side="right"))
        return self._asked(k, "turn")(number - sum(counts[:k]), rotation_vector, rate)

    @property
    def interfaces(self) -> tuple[Any, ...]:
        """What the parts of each body share, body after body."""
        return tuple(entity for each in self.systems for entity in interfaces_of(each))

    def launch(self, velocity: ArrayLike = (0, 0, 0), spin: ArrayLike = (0, 0, 0)) -> None:
        """Give every body this velocity (3,) [m/s], and this spin (3,) [1/s] about its own centre."""
        speed, turning = check_array("velocity", velocity, (3,)), check_array("spin", spin, (3,))
        launches = [self._asked(k, "launch") for k in range(len(self.systems))]
        for launch in launches:
            launch(speed, turning)

    def vertices(self, of: Layer = "skin") -> Array:
        return np.concatenate([each.vertices(of) for each in self.systems])

    def velocities(self, of: Layer = "skin") -> Array:
        """(n, 3) [m/s] of the skin or the mesh."""
        return np.concatenate([self._asked(k, "velocities")(of) for k in range(len(self.systems))])

    @property
    def body(self) -> Skin | None:
        skins = [each.body for each in self.systems]
        return self._kept("body", skins, lambda: joined_skins(skins))

    @property
    def skin(self) -> Skin | None:
        skins = [each.skin for each in self.systems]
        return self._kept("skin", skins, lambda: joined_skins(skins))

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

    def energy(self) -> float:
        return sum(each.energy() for each in self.systems)

    def momentum(self) -> tuple[Array, Array]:
        linear, angular = zip(*(each.momentum() for each in self.systems))
        return np.sum(linear, axis=0), np.sum(angular, axis=0)

    def state(self) -> State:
        return {"bodies": [each.state() for each in self.systems], "time": self.time}

    def restore(self, state: State) -> None:
        given = state.get("bodies") if isinstance(state, dict) else None
        if not isinstance(given, list | tuple) or len(given) != len(self.systems):
            raise ArgumentError(f"state must come from state() of {len(self.systems)} such bodies")
        time, before = check_number("time", state.get("time")), [each.state() for each in self.systems]
        try:
            for each, own in zip(self.systems, given):
                each.restore(own)
        except Exception:
            for each, own in zip(self.systems, before):
                each.restore(own)
            raise
        self.time = time

    @property
    def size(self) -> int:
        """Unknowns of all bodies."""
        return sum(self._asked(k, "size") for k in range(len(self.systems)))

    @property
    def free(self) -> bool:
        """Do all bodies fly?"""
        return all(getattr(each, "free", False) for each in self.systems)

    @property
    def solid(self) -> Solid:
        raise ArgumentError("bodies side by side are no one solid; ask those of `systems`")

    @property
    def damping(self) -> tuple[float, float]:
        return self._common("damping")

    @damping.setter
    def damping(self, value: tuple[float, float]) -> None:
        self._pass_on("damping", value)

    @property
    def gravity(self) -> Array:
        return self._common("gravity")

    @gravity.setter
    def gravity(self, value: ArrayLike | None) -> None:
        self._pass_on("gravity", value)

    @property
    def wind(self) -> Any:
        return self._common("wind")

    @wind.setter
    def wind(self, value: Any) -> None:
        self._pass_on("wind", value)

    def _common(self, name: str) -> Any:
        """What all bodies have."""
        values = [self._asked(k, name) for k in range(len(self.systems))]
        if any(np.any(np.not_equal(value, values[0])) for value in values):
            raise ArgumentError(f"the bodies differ in {name}; ask those of `systems`")
        return values[0]

    def _pass_on(self, name: str, value: Any) -> None:
        for k in range(len(self.systems)):
            self._asked(k, name)
        for each in self.systems:
            setattr(each, name, value)

    def _asked(self, k: int, name: str) -> Any:
        """A capability of a body, which has it or says no in a sentence."""
        try:
            return getattr(self.systems[k], name)
        except AttributeError:
            kind = type(self.systems[k]).__name__
            raise ArgumentError(f"{self.names[k]} is a {kind}, which has no {name}") from None

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


class BodyHold:
    """A hold on a vertex of one of several bodies; `vertex` is its number in the row of all."""

    def __init__(self, vertex: int, handle: Any):
        self.vertex, self._handle = vertex, handle

    @property
    def target(self) -> Array:
        """(3,) where it goes [m]; writable."""
        return self._handle.target

    @target.setter
    def target(self, value: ArrayLike) -> None:
        self._handle.target = value

    @property
    def rate(self) -> float:
        """How fast [1/s]."""
        return self._handle.rate

    @property
    def held(self) -> bool:
        """Is it still in force?"""
        return self._handle.held

    def release(self) -> None:
        """Let go."""
        self._handle.release()


def held(system: System, vertex: int, target: ArrayLike | None, rate: float | None, on: Layer) -> Any:
    """A hold on a vertex of one system."""
    hold = getattr(system, "hold", None)
    if hold is None or (on == "skin" and system.worn is not None):
        raise ArgumentError(f"a {type(system).__name__} that is drawn like this cannot be held; push it instead")
    return hold(vertex, target, rate)


def interfaces_of(system: System) -> tuple[Any, ...]:
    """What the parts of one system share; nothing where it has no such parts."""
    try:
        return tuple(getattr(system, "interfaces", getattr(system, "entities", ())))
    except ArgumentError:
        return ()
