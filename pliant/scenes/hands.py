"""The hands of a scene over time: each drags a vertex of seams, or turns an interface, along a smooth way.

The way is a cubic spline through where the vertex is when it is taken and the stations, at equal times, that begins and
ends at rest; with one station, 3 s^2 - 2 s^3.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from weakref import ReferenceType, WeakKeyDictionary, ref

import numpy as np
from scipy.interpolate import CubicSpline

from pliant.errors import ArgumentError, Array, SelectionError
from pliant.mesh import Mesh
from pliant.scenes.hand_tables import HandTable, HoldTable, TurnTable
from pliant.systems import Seams
from pliant.systems.seams.handles import Grip, Turn


@dataclass
class _Grasp:
    """A handle, which its system owns, the way it goes, and when it was last moved [s]."""

    handle: ReferenceType[Grip | Turn]
    way: CubicSpline
    last: float


class ScheduledHand(ABC):
    """One hand of a scene. It may act on several systems, each with a handle of its own."""

    def __init__(self, table: HandTable, stations: Array):
        self.table, self._stations = table, stations
        self._grasps: WeakKeyDictionary[Seams, _Grasp] = WeakKeyDictionary()

    def reach(self, system: Seams) -> None:
        """Take hold, move on or let go, as the end of the next step wants it."""
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

    def prepare(self, system: Seams) -> None:
        """Make sure that it can take hold, and let the system have the columns for it from the start."""
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


class ScheduledHold(ScheduledHand):
    """Drags a vertex; stations are positions [m]."""

    def __init__(self, table: HoldTable, mesh: Mesh):
        self.vertex = _vertex(table, mesh)
        super().__init__(table, mesh.vertices[self.vertex] + np.reshape(table.to, (-1, 3)))

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

    def __init__(self, table: TurnTable):
        self.between = table.between
        super().__init__(table, np.radians(np.reshape(table.to, (-1, 3))))

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


def _vertex(table: HoldTable, mesh: Mesh) -> int:
    if table.vertex is not None:
        if table.vertex >= mesh.vertex_count:
            raise SelectionError(f"hold: vertex {table.vertex} is not among {mesh.vertex_count}")
        return table.vertex
    ids = mesh.select(str(table.where))
    if not len(ids):
        raise SelectionError(f"hold where = {table.where!r} selects no vertex of {mesh}")
    X = mesh.vertices[ids]
    return int(ids[np.linalg.norm(X - X.mean(axis=0), axis=1).argmin()])
