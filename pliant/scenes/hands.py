"""The hands of a scene over time: each drags a vertex of a body, or turns an interface, along a smooth way.

The way is a cubic spline through where the vertex is when it is taken and the stations, at equal times, that begins and
ends at rest; with one station, 3 s^2 - 2 s^3.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar
from weakref import ReferenceType, WeakKeyDictionary, ref

import numpy as np
from scipy.interpolate import CubicSpline

from pliant.errors import ArgumentError, Array, Ids, SceneError
from pliant.scenes.bodies import Body, first_vertices, own_vertex, rest_places, selected
from pliant.scenes.hand_tables import HandTable, HoldTable, TurnTable
from pliant.systems import Bodies, System


@dataclass
class _Grasp:
    """A handle, which its system owns, the way it goes, and when it was last moved [s]."""

    handle: ReferenceType[Any]
    way: CubicSpline
    last: float


class ScheduledHand(ABC):
    """One hand of a scene. It may act on several systems, each with a handle of its own.

    Attributes:
        table: what the file says of it.
        body: number of the body that it acts on.
        key: of its table in the file.
    """

    key: ClassVar[str]

    def __init__(self, table: HandTable, body: int, stations: Array):
        self.table, self.body, self._stations = table, body, stations
        self._grasps: WeakKeyDictionary[System, _Grasp] = WeakKeyDictionary()

    def __repr__(self) -> str:
        until = "the end" if self.table.until is None else f"{self.table.until:g} s"
        return f"{type(self).__name__}({self.grasped[:60]} of body {self.body}, {self.table.start:g} s to {until})"

    def reach(self, whole: System) -> None:
        """Take hold, move on or let go, as the end of the next step wants it."""
        system = system_of(whole, self.body)
        end, grasp = system.time + system.dt, self._grasps.get(system)
        if grasp is not None and (end < grasp.last or not self.holds(end)):
            self._grasps.pop(system)
            if (handle := grasp.handle()) is not None:
                handle.release()
            grasp = None
        if grasp is None and self.holds(end):
            grasp = self._grasp(system)
        if grasp is not None and (handle := grasp.handle()) is not None:
            grasp.last = end
            self._aim(handle, grasp.way(min(end, grasp.way.x[-1])))
            self._grasps[system] = grasp

    def holds(self, end: float) -> bool:
        """Does it hold during the step that ends then?"""
        slack = 1e-9 * max(1.0, end)
        return self.table.start + slack < end <= (self.table.until or np.inf) + slack

    def moves(self, time: float, dt: float) -> bool:
        """Is its target another one at the end of each step from now on?"""
        return self.table.start < time + dt <= self.table.arrival + dt

    def _grasp(self, system: System) -> _Grasp | None:
        """None where somebody else holds it already."""
        try:
            handle, here = self._take(system)
        except ArgumentError:
            return None
        table = self.table
        times = np.linspace(table.start, table.arrival, len(self._stations) + 1)[1:]
        ahead = times > system.time + 0.5 * system.dt
        if not ahead.any():  # taken after the arrival: it waits at the last station
            times, ahead = times + system.time + system.dt - times[-1], np.arange(len(times)) == len(times) - 1
        way = CubicSpline(
            np.append(system.time, times[ahead]), np.vstack([here, self._stations[ahead]]), bc_type="clamped"
        )
        return _Grasp(ref(handle), way, system.time)

    def prepare(self, system: System) -> None:
        """Make sure that it can take hold of its body, and let that have the columns for it from the start."""
        self._take(system)[0].release()

    @property
    @abstractmethod
    def grasped(self) -> str:
        """What it holds, in words."""

    @abstractmethod
    def _take(self, system: System) -> tuple[Any, Array]:
        """A handle, and where what it holds is now."""

    @abstractmethod
    def _aim(self, handle: Any, at: Array) -> None:
        """Move the handle."""


def system_of(whole: System, body: int) -> System:
    """The system of one body."""
    # Several bodies are a row of systems, and a hand of a scene takes one of them by its number there.
    return whole.systems[body] if isinstance(whole, Bodies) else whole


def places(system: System, vertices: Ids) -> Array:
    """World positions (k, 3) [m] of a few vertices (k,) of the mesh."""
    if system.body is None:
        return system.vertices("mesh")[vertices]
    return system.body.vertices_at(system.pose(), vertices)


def hold_vertex(system: System, vertex: int, at: Array, rate: float | None, limit: float | None = None) -> Any:
    """A handle on a vertex of the mesh; it has a `target`."""
    if any((hold.vertex, hold.on) == (vertex, "mesh") for hold in system.holds):
        raise ArgumentError(f"vertex {vertex} is held already")
    return system.hold(vertex, at, rate, on="mesh", limit=limit)


def turn_interface(system: Any, parts: tuple[str, str], rate: float | None) -> tuple[Any, Array]:
    """A handle on the interface of two parts, and its present rotation vector; it has a `rotation`."""
    entity = system.interface(*parts)
    here = system.rotation_of(entity)
    return system.turn(entity, here, rate), here


class ScheduledHold(ScheduledHand):
    """Drags a vertex; stations are positions [m]."""

    key = "hold"

    def __init__(self, table: HoldTable, bodies: Sequence[Body]):
        body, self.vertex = _held_vertex(table, bodies)
        self._in_row, self._own = first_vertices(bodies)[body] + self.vertex, bodies[body].shape.vertex_count
        self.limit = table.limit
        rest = bodies[body].stand.points(bodies[body].shape.vertices[[self.vertex]])
        super().__init__(table, body, rest + np.reshape(table.to, (-1, 3)))

    @property
    def grasped(self) -> str:
        return f"vertex {self.vertex}"

    def _take(self, system: System) -> tuple[Any, Array]:
        # A system of all bodies has their vertices in a row.
        alone = system.body is None or system.body.vertex_count == self._own
        vertex = self.vertex if alone else self._in_row
        here = places(system, np.array([vertex]))[0]
        return hold_vertex(system, vertex, here, self.table.rate, self.limit), here

    def _aim(self, handle: Any, at: Array) -> None:
        handle.target = at


class ScheduledTurn(ScheduledHand):
    """Turns an interface; stations are rotation vectors [rad]."""

    key = "turn"

    def __init__(self, table: TurnTable, bodies: Sequence[Body]):
        self.between = table.between
        super().__init__(table, _turned_body(table, bodies), np.radians(np.reshape(table.to, (-1, 3))))

    @property
    def grasped(self) -> str:
        return "the interface of " + " and ".join(sorted(self.between))

    def _take(self, system: System) -> tuple[Any, Array]:
        return turn_interface(system, self.between, self.table.rate)

    def _aim(self, handle: Any, at: Array) -> None:
        handle.rotation = at


def _held_vertex(table: HoldTable, bodies: Sequence[Body]) -> tuple[int, int]:
    """A body, and which of its own vertices is held."""
    if table.vertex is not None:
        return own_vertex(bodies, table.vertex, "hold:")
    X, ids = rest_places(bodies), selected(bodies, str(table.where), "hold")
    vertex = int(ids[np.linalg.norm(X[ids] - X[ids].mean(axis=0), axis=1).argmin()])
    firsts = first_vertices(bodies)
    body = int(np.searchsorted(firsts, vertex, side="right")) - 1
    return body, vertex - firsts[body]


def _turned_body(table: TurnTable, bodies: Sequence[Body]) -> int:
    names = [body.name for body in bodies]
    if table.body is None and len(bodies) > 1:
        raise SceneError(f"turn between {' and '.join(table.between)}: say whose, body = one of {', '.join(names)}")
    if table.body is not None and table.body not in names:
        raise SceneError(f"turn.body {table.body!r} is none of {', '.join(names)}")
    return 0 if table.body is None else names.index(table.body)
