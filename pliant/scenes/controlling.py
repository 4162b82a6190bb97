"""The motion that a scene has when nobody touches it, the control that follows it, and the knocks that it bears."""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence

import numpy as np

from pliant.control import Follower, Muscle, Patch, in_stride, note_path, track
from pliant.errors import Ids
from pliant.numerics.progress import Progress, report
from pliant.scenes.bodies import Body, selected
from pliant.scenes.control_tables import ControlTable, SwayTable
from pliant.scenes.schedule import Schedule
from pliant.scenes.schema import SceneFile
from pliant.scenes.verdict import Track
from pliant.systems import System
from pliant.systems.playing import EachStep, Forces, play

LEARNING = "learning to follow"


class Swaying(EachStep):
    """Pushes of a scene, and forces that come and go."""

    def __init__(self, schedule: Schedule, sways: Sequence[SwayTable], vertices: Sequence[Ids]):
        super().__init__(self._sway)
        self._schedule, self._sways, self._vertices = schedule, sways, vertices

    def _sway(self, system: System) -> None:
        self._schedule.apply(system)
        for sway, ids in zip(self._sways, self._vertices):
            turns = sway.frequency * (system.time + system.dt) + sway.phase / 360
            force = np.sin(2 * np.pi * turns) * np.array(sway.force) / len(ids)
            system.push(ids, force, on="mesh")


class Knocked(EachStep):
    """What acts, and knocks besides."""

    def __init__(self, forces: Forces, knocks: Schedule):
        super().__init__(self._apply)
        self._forces, self._knocks = forces, knocks

    def _apply(self, system: System) -> None:
        self._forces.apply(system)
        self._knocks.add(system)


class Control:
    """A follower and what it has to bear; made by `control_of`.

    Attributes:
        follower: follows what the scene does without knocks.
        forces: of the follower, and knocks.
    """

    def __init__(self, follower: Follower, motion: Forces, knocks: Schedule):
        self.follower, self._motion, self._knocks = follower, motion, knocks
        self.forces = self.by(follower)

    def __repr__(self) -> str:
        return f"Control({self.follower})"

    def by(self, follower: Follower) -> Forces:
        """Those of another follower of the same path, and knocks."""
        return Knocked(follower, self._knocks)

    def observer(self, system: System) -> Callable[[Track], None]:
        """Notes how far the system is from its path, and how far it would be if it were left alone."""
        alone, forces = copy.copy(system), Knocked(self._motion, self._knocks)

        def note(track: Track) -> None:
            play(alone, forces, round((system.time - alone.time) / system.dt))
            track.off_path.append(self.follower.distance(system))
            track.off_alone.append(self.follower.distance(alone))

        return note


def motion_of(table: ControlTable, bodies: Sequence[Body], schedule: Schedule) -> Forces:
    """What acts on a scene that nobody touches."""
    return Swaying(schedule, table.sway, [selected(bodies, sway.where, "sway") for sway in table.sway])


def begin_in_stride(scene: SceneFile, bodies: Sequence[Body], schedule: Schedule, system: System) -> None:
    """Put the system where its motion repeats, where it does."""
    table = scene.tracked
    if table is not None and table.period is not None:
        steps = round(table.period / system.dt)
        system.restore(in_stride(system, steps, motion_of(table, bodies, schedule)))


def left_alone(scene: SceneFile, bodies: Sequence[Body], schedule: Schedule) -> Forces:
    """What acts on a scene where nothing steers."""
    table = scene.tracked
    return schedule if table is None else Knocked(motion_of(table, bodies, schedule), _knocks(table, bodies))


def control_of(
    scene: SceneFile, bodies: Sequence[Body], schedule: Schedule, system: System, progress: Progress = None
) -> Control | None:
    """The control of a system that is at the start of the scene; None where nothing is controlled."""
    table = scene.tracked
    if table is None:
        return None
    report(progress, LEARNING, 0.0)
    motion = motion_of(table, bodies, schedule)
    span = scene.duration if table.period is None else table.period
    path = note_path(system, round(span / system.dt), motion, repeats=table.period is not None)
    report(progress, LEARNING, 0.3)
    follower = track(path, actuators_of(table, bodies), table.gentleness, table.modes)
    report(progress, LEARNING, 1.0)
    return Control(follower, motion, _knocks(table, bodies))


def _knocks(table: ControlTable, bodies: Sequence[Body]) -> Schedule:
    return Schedule(table.knock, [selected(bodies, knock.where, "knock") for knock in table.knock])


def actuators_of(table: ControlTable, bodies: Sequence[Body]) -> list[Patch | Muscle]:
    """Patches, then muscles."""
    patches = [Patch(selected(bodies, each.where, "patch"), each.force) for each in table.patches]
    ends = [[selected(bodies, where, "muscle") for where in (each.where, each.to)] for each in table.muscles]
    return [*patches, *(Muscle(a, b, muscle.pull) for (a, b), muscle in zip(ends, table.muscles))]
