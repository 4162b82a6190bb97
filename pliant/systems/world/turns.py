"""Small steps of a world by their stages: compiled ones, and what systems among its bodies do in between."""

from __future__ import annotations

from collections.abc import Sequence
from time import perf_counter
from typing import TYPE_CHECKING, Any

import numpy as np

from pliant.collide import CollisionShape
from pliant.numerics.opaque import Opaque, enter, opaque
from pliant.systems.world.joint import Joint, joined_places
from pliant.systems.world.participants import Participant
from pliant.systems.world.record import DONE, WorldRecord
from pliant.systems.world.rows import Ties, Touched, ties_of
from pliant.systems.world.stepping import FINE, doze, glide, land, press, rebound, seek, tie
from pliant.systems.world.system_body import SystemBody

if TYPE_CHECKING:
    from pliant.systems.world.world import World


STAGES = ("search", "rows", "sweeps", "flight", "bounces", "systems")


class Turns:
    """Bodies and systems take turns. Also without systems: then each stage can be timed.

    Args:
        systems: bodies with their numbers and surfaces.

    Attributes:
        spent: seconds in every stage. taken: small steps.
    """

    def __init__(self, world: World, systems: Sequence[tuple[SystemBody, int, CollisionShape]]):
        self._world = world
        self._systems = [Participant(*each) for each in systems]
        self._stages: dict[Any, Opaque] = {}
        self._staged: WorldRecord | None = None
        self._joints: tuple[Joint, ...] = ()
        self.spent, self.taken, self._since = dict.fromkeys(STAGES, 0.0), 0, 0.0

    def place(self) -> None:
        """Surfaces of the systems, where they are."""
        for each in self._systems:
            each.place(self._world._record)

    def take(self, start: int, total: int) -> int:
        """Small steps from `start` to `total`; why they stopped, or 0."""
        self._since = 0.0
        for step in range(start, total):
            self._world._record.settings.counts[DONE] = step
            stopped = self._small_step(step)
            if stopped:
                return stopped
            self.taken += 1
        self._world._record.settings.counts[DONE] = total
        return FINE

    def _small_step(self, step: int) -> int:
        if self._enter(doze, step, "search"):
            return FINE
        self._join()
        self.place()
        if stopped := self._enter(seek, step, "search"):
            return stopped
        for each in self._systems:
            each.look(self._world._record)
        if self._systems:
            self._make_room()
        if stopped := self._enter(rebound, step, "bounces"):
            return stopped
        made = self._world._record
        for each in self._systems:
            each.bounce(made)
        if stopped := self._enter(glide, step, "flight"):
            return stopped
        for each in self._systems:
            each.predict(made)
        for stage, name in ((tie, "rows"), (press, "sweeps"), (land, "flight")):
            if stopped := self._enter(stage, step, name):
                return stopped
        for each in self._systems:
            each.correct(made)
        return FINE

    def _join(self) -> None:
        """Tell every system what joints hold of it, where these have changed."""
        if self._world.joints != self._joints:
            self._joints = self._world.joints
            held = joined_places(self._world._joints_in_order())
            for each in self._systems:
                each.join(held.get(id(each.body), ()))

    def _enter(self, stage: Any, step: int, name: str) -> int:
        """A compiled stage; the time that it takes counts as that of `name`, and what systems do as their own."""
        now = perf_counter()
        self.spent["systems"] += now - self._since if self._systems and self._since else 0.0
        made = self._world._record
        if made is not self._staged:
            self._stages, self._staged = {}, made
        if stage not in self._stages:
            self._stages[stage] = opaque(stage, made, 0)
        stopped = enter(self._stages[stage].entry, self._stages[stage].record.ctypes.data, step)
        self._since = perf_counter()
        self.spent[name] += self._since - now
        return stopped

    def _make_room(self) -> None:
        made = self._world._record
        touched, ties = _touched_at(made, self._systems), _roomy_ties(made)
        if touched is not made.touched_at or ties is not made.ties:
            self._world._made = made._replace(touched_at=touched, ties=ties)


def _touched_at(made: WorldRecord, participants: Sequence[Participant]) -> Touched:
    """D of all of them, in arrays that grow where they must."""
    touched = made.touched_at
    sizes = [each.D.size if each.touched else 0 for each in participants]
    if sum(sizes) > len(touched.D):
        touched = touched._replace(D=np.zeros(2 * sum(sizes)))
    at = 0
    for each, size in zip(participants, sizes):
        touched.first[each.number] = at
        if size:
            touched.D[at : at + size] = each.D.T.ravel()
        at += size
    return touched


def _roomy_ties(made: WorldRecord) -> Ties:
    """Ties with room for the rows of all contacts, which are as long as systems have touched points."""
    ties, count, bodies = made.ties, int(made.found[0]), made.table
    sides = made.contacts.body[:count].ravel()
    wide: Any = bodies.wide[sides[sides >= 0]]
    others = 2 * (len(ties.kind) - len(made.contacts.gap)) * int(bodies.wide.max(initial=6))
    needed = 3 * (int(wide.sum()) + others)
    if needed <= len(ties.W):
        return ties
    entries = len(ties.body)
    return ties_of(len(ties.kind), entries, 2 * needed // (3 * entries) + 1)
