"""The motion through the keyframes of a scene: looked for when it is built, acting when it is played."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from pliant.control import Keyframe, Reached, reach
from pliant.errors import Array, Ids, SceneError, SelectionError
from pliant.mesh.selection import select
from pliant.numerics import rotation_exponential
from pliant.numerics.progress import Progress, report
from pliant.scenes.bodies import Body
from pliant.scenes.keyframe_tables import KeyframesControl, KeyframeTable
from pliant.systems import System
from pliant.systems.world.body import Body as WorldBody


class Stretch(NamedTuple):
    """first: step from which the forces of `reached` act. steps: of them. missed: in the real system [m]."""

    first: int
    steps: int
    reached: Reached
    missed: Array


class Steering:
    """Forces of a scene with keyframes, found for one system at a time.

    Attributes:
        stretches: in order, each from where the last one led.
    """

    def __init__(self, wanted: KeyframesControl, tables: Sequence[KeyframeTable], bodies: Sequence[Body]):
        names = [body.name for body in bodies]
        if wanted.body is not None and wanted.body not in names:
            raise SceneError(f"[control] speaks of the body {wanted.body!r}, which is not among {', '.join(names)}")
        self.wanted, self.tables = wanted, tables
        self.body = bodies[0 if wanted.body is None else names.index(wanted.body)]
        self.stretches: list[Stretch] = []
        self._of: System | None = None

    def __repr__(self) -> str:
        return f"Steering({len(self.tables)} keyframes of {self.body.name})"

    @property
    def missed(self) -> list[float]:
        """How far each keyframe was missed in the real system when the motion was looked for [m]."""
        return [float(each) for stretch in self.stretches for each in stretch.missed]

    def plan(self, system: System, progress: Progress = None) -> None:
        """Look for the motion from the present state of a system on; it is left in that."""
        dt, before = system.dt, system.state()
        ahead = [(k, table) for k, table in enumerate(self.tables) if table.time > system.time + dt / 2]
        every = self.wanted.every or max(1, len(ahead))
        groups = [ahead[k : k + every] for k in range(0, len(ahead), every)]
        self.stretches, self._of = [], system
        try:
            for k, group in enumerate(groups):
                self.stretches.append(self._stretch(system, group, _share(progress, k, len(groups))))
        finally:
            system.restore(before)
        report(progress, "finding the motion", 1.0)

    def _stretch(self, system: System, group: Sequence[tuple[int, KeyframeTable]], progress: Progress) -> Stretch:
        wanted, thing = self.wanted, self._thing(system)
        keyframes = [self._keyframe(k, table, table.time - system.time) for k, table in group]
        first = round(system.time / system.dt)
        reached = reach(
            thing, keyframes, self._actuators(), None, wanted.pieces, wanted.gentleness, wanted.smoothness, wanted.hold,
            motions=wanted.motions, progress=progress,
        )  # fmt: skip
        return Stretch(first, len(reached.controls), reached, reached.play())

    def push(self, system: System) -> None:
        """Push with what acts during the next step, besides what pushes already."""
        if self._of is not system:
            self.plan(system)
        at = round(system.time / system.dt)
        for each in self.stretches:
            if each.first <= at < each.first + each.steps:
                each.reached.push(at - each.first)

    def acts(self, time: float, dt: float) -> bool:
        """Do its forces change from step to step now?"""
        return bool(self.tables) and time < self.tables[-1].time + dt / 2

    def missed_now(self, system: System) -> float | None:
        """How far the system is from a keyframe that is due now [m]; None: there is none."""
        at = round(system.time / system.dt)
        for each in self.stretches:
            for k, step in enumerate(each.reached.steps):
                if each.first + step == at and self._of is system:
                    return each.reached.off(k)
        return None

    def _thing(self, system: System) -> Any:
        bodies = [each for each in getattr(system, "bodies", ()) if isinstance(each, WorldBody)]
        named: list[Any] = [each for each in bodies if each.name == self.body.name]
        return named[0] if named else system

    def _keyframe(self, k: int, table: KeyframeTable, time: float) -> Keyframe:
        if table.q is not None:
            turn = None if table.turn is None else rotation_exponential(np.radians(table.turn))
            return Keyframe(time, table.q, table.at, turn, weight=table.weight)
        ids = [self._selected(target.where, f"keyframe {k}") for target in table.targets]
        rest = self.body.stand.points(self.body.shape.vertices)
        places = [rest[own] + np.array(target.move) for own, target in zip(ids, table.targets)]
        return Keyframe(time, vertices=np.concatenate(ids), targets=np.concatenate(places), weight=table.weight)

    def _actuators(self) -> Array | None:
        if not self.wanted.actuators:
            return None
        forces = np.zeros((len(self.wanted.actuators), self.body.shape.vertex_count, 3))
        for each, table in zip(forces, self.wanted.actuators):
            own = self._selected(table.where, "actuator")
            each[own] = np.array(table.force) / len(own)
        return forces

    def _selected(self, where: str, whose: str) -> Ids:
        mesh = self.body.shape
        of_cells = {name: np.unique(mesh.cells[ids]) for name, ids in mesh.cell_groups.items()}
        ids = select(where, mesh.vertices, {**of_cells, **mesh.vertex_groups})
        if not len(ids):
            raise SelectionError(f"{whose} where = {where!r} selects no vertex of {self.body.name}")
        return ids


def _share(progress: Progress, k: int, count: int) -> Progress:
    """Of one search among several."""
    if progress is None:
        return None
    return lambda stage, fraction: report(progress, stage, (k + fraction) / count)
