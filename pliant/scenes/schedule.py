"""The pushes and hands of a scene over time."""

from collections.abc import Sequence
from itertools import combinations

import numpy as np

from pliant.errors import Array, Ids, SelectionError
from pliant.scenes.bodies import Body, selected
from pliant.scenes.control_tables import KnockTable
from pliant.scenes.hand_tables import HandTable, TurnTable
from pliant.scenes.hands import ScheduledHand, ScheduledHold, ScheduledTurn
from pliant.scenes.schema import Push, SceneFile
from pliant.scenes.steering import Steering
from pliant.systems import System


class Schedule:
    """What acts during the next step. Forces and targets are those at its end, as implicit steps want them."""

    def __init__(
        self,
        pushes: Sequence[Push | KnockTable],
        vertices: Sequence[Ids],
        hands: Sequence[ScheduledHand] = (),
        steering: Steering | None = None,
    ):
        self.pushes, self.vertices, self.hands, self.steering = pushes, vertices, hands, steering

    def __repr__(self) -> str:
        return f"Schedule({len(self.pushes)} pushes, {len(self.hands)} hands, until {self.end:g} s)"

    @property
    def end(self) -> float:
        """When the last push ends and the last vertex is let go [s]; 0 without any, inf where one never is.

        Turned interfaces do not count: that is an inner motion, which keeps the momentum of a free solid.
        """
        outer = [each for each in self._tables if not isinstance(each, TurnTable)]
        return max((np.inf if each.until is None else each.until for each in outer), default=0.0)

    @property
    def _tables(self) -> list[Push | KnockTable | HandTable]:
        return [*self.pushes, *(hand.table for hand in self.hands)]

    def apply(self, system: System) -> None:
        """Push with what acts during the next step, in place of what was pushed before."""
        system.release()
        self.add(system)
        for hand in self.hands:
            hand.reach(system)

    def add(self, system: System) -> None:
        """Its pushes, besides what pushes the system already."""
        for push, ids in zip(self.pushes, self.vertices):
            share = self._share(push, system.time + system.dt)
            if share:
                system.push(ids, share * np.asarray(push.force) / len(ids), on="mesh")
        if self.steering is not None:
            self.steering.push(system)

    def force_on(self, vertex: int, end: float) -> Array:
        """(3,) what pushes a vertex of the mesh during the step that ends then [N]."""
        total = np.zeros(3)
        for push, ids in zip(self.pushes, self.vertices):
            if vertex in ids:
                total += self._share(push, end) * np.asarray(push.force) / len(ids)
        return total

    def steady_steps(self, time: float, dt: float, most: int) -> int:
        """How many steps from `time` on have the same forces and targets, at least one and at most `most`."""
        if any(hand.moves(time, dt) for hand in self.hands):
            return 1
        if self.steering is not None and self.steering.acts(time, dt):
            return 1
        changes = [most]
        for push in self.pushes:
            if push.profile == "sine" and push.start < time + dt <= (push.until or 0.0) + dt:
                return 1
        for each in self._tables:
            for moment in (each.start, each.until):
                if moment is not None and moment > time + dt / 2:
                    changes.append(max(1, round((moment - time) / dt)))
        return max(1, min(changes))

    @staticmethod
    def _share(push: Push | KnockTable, end: float) -> float:
        until = np.inf if push.until is None else push.until
        slack = 1e-9 * max(1.0, end)
        if not push.start + slack < end <= until + slack:
            return 0.0
        return float(np.sin(np.pi * (end - push.start) / (until - push.start))) if push.profile == "sine" else 1.0


def schedule_of(scene: SceneFile, bodies: Sequence[Body]) -> Schedule:
    """What a scene file lets act on its bodies."""
    pushed = [selected(bodies, push.where, "push") for push in scene.push]
    steering = None if scene.keyed is None else Steering(scene.keyed, scene.keyframe, bodies)
    return Schedule(scene.push, pushed, _hands(scene, bodies), steering)


def _hands(scene: SceneFile, bodies: Sequence[Body]) -> list[ScheduledHand]:
    holds = [ScheduledHold(table, bodies) for table in scene.hold]
    hands = [*holds, *(ScheduledTurn(table, bodies) for table in scene.turn)]
    for one, other in combinations(hands, 2):
        same = one.body == other.body and one.grasped == other.grasped
        if same and one.table.overlaps(other.table):
            raise SelectionError(f"two hands hold {one.grasped} at the same time; let one go before the other comes")
    return hands


def crossing_frequency(times: Array, values: Array) -> float:
    """Inverse mean time between upward zero crossings [Hz]; nan where there are fewer than two."""
    rising = np.flatnonzero((values[:-1] < 0) & (values[1:] >= 0))
    crossings = times[rising] - values[rising] * (times[rising + 1] - times[rising]) / np.diff(values)[rising]
    return float(1 / np.diff(crossings).mean()) if len(crossings) > 1 else float("nan")
