"""The hands of a scene over time: each drags a vertex of a body, or turns an interface, along a smooth way.

The way is a cubic spline through where the vertex is when it is taken and the stations, at equal times, that begins and
ends at rest; with one station, 3 s^2 - 2 s^3.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from weakref import ReferenceType, WeakKeyDictionary, ref

import numpy as np
from scipy.interpolate import CubicSpline

from pliant.errors import ArgumentError, Array, SceneError, SelectionError
from pliant.scenes.bodies import Body, first_vertices, selected
from pliant.scenes.hand_tables import HandTable, HoldTable, TurnTable
from pliant.systems import Bodies, Seams, System
from pliant.systems.seams.handles import Grip, Turn


@dataclass
class _Grasp:
    """A handle, which its system owns, the way it goes, and when it was last moved [s]."""

    handle: ReferenceType[Grip | Turn]
    way: CubicSpline
    last: float


class ScheduledHand(ABC):
    """One hand of a scene. It may act on several systems, each with a handle of its own.

    Attributes:
        table: what the file says of it.
        body: number of the body that it acts on.
    """

    def __init__(self, table: HandTable, body: int, stations: Array):
        self.table, self.body, self._stations = table, body, stations
        self._grasps: WeakKeyDictionary[Seams, _Grasp] = WeakKeyDictionary()

    def reach(self, whole: System) -> None:
        """Take hold, move on or let go, as the end of the next step wants it."""
        system = held_system(whole, self.body)
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

    def _grasp(self, system: Seams) -> _Grasp | None:
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
        assert isinstance(system, Seams), "the schema lets hands on seams alone"
        self._take(system)[0].release()

    @property
    @abstractmethod
    def grasped(self) -> str:
        """What it holds, in words."""

    @abstractmethod
    def _take(self, system: Seams) -> tuple[Grip | Turn, Array]:
        """A handle, and where what it holds is now."""

    @abstractmethod
    def _aim(self, handle: Grip | Turn, at: Array) -> None:
        """Move the handle."""


def held_system(whole: System, body: int) -> Seams:
    """The system of one body, which hands can hold on to."""
    system = whole.systems[body] if isinstance(whole, Bodies) else whole
    assert isinstance(system, Seams), "the schema lets hands on seams alone"
    return system


class ScheduledHold(ScheduledHand):
    """Drags a vertex; stations are positions [m]."""

    def __init__(self, table: HoldTable, bodies: Sequence[Body]):
        body, self.vertex = _held_vertex(table, bodies)
        rest = bodies[body].stand.points(bodies[body].shape.vertices[[self.vertex]])
        super().__init__(table, body, rest + np.reshape(table.to, (-1, 3)))

    @property
    def grasped(self) -> str:
        return f"vertex {self.vertex}"

    def _take(self, system: Seams) -> tuple[Grip, Array]:
        here = system.body.vertices_at(system.pose(), [self.vertex])[0]
        return system.hold(self.vertex, here, self.table.rate), here

    def _aim(self, handle: Grip | Turn, at: Array) -> None:
        assert isinstance(handle, Grip)
        handle.target = at


class ScheduledTurn(ScheduledHand):
    """Turns an interface; stations are rotation vectors [rad]."""

    def __init__(self, table: TurnTable, bodies: Sequence[Body]):
        self.between = table.between
        super().__init__(table, _turned_body(table, bodies), np.radians(np.reshape(table.to, (-1, 3))))

    @property
    def grasped(self) -> str:
        return "the interface of " + " and ".join(sorted(self.between))

    def _take(self, system: Seams) -> tuple[Turn, Array]:
        entity = system.interface(*self.between)
        here = system.rotation_of(entity)
        return system.turn(entity, here, self.table.rate), here

    def _aim(self, handle: Grip | Turn, at: Array) -> None:
        assert isinstance(handle, Turn)
        handle.rotation = at


def _held_vertex(table: HoldTable, bodies: Sequence[Body]) -> tuple[int, int]:
    """A body, and which of its own vertices is held."""
    X = np.concatenate([body.mesh.vertices for body in bodies])
    if table.vertex is not None:
        if table.vertex >= len(X):
            raise SelectionError(f"hold: vertex {table.vertex} is not among {len(X)}")
        vertex = table.vertex
    else:
        ids = selected(bodies, str(table.where), "hold")
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
