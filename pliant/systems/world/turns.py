"""Small steps of a world with systems among its bodies: compiled stages, and what systems do in between."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from pliant.collide import CollisionShape
from pliant.numerics.opaque import Opaque, enter, opaque
from pliant.systems.world.participants import Participant
from pliant.systems.world.record import DONE, WorldRecord
from pliant.systems.world.rows import Ties, Touched, ties_of
from pliant.systems.world.stepping import FINE, glide, meet, rebound, seek
from pliant.systems.world.system_body import SystemBody

if TYPE_CHECKING:
    from pliant.systems.world.world import World


class Turns:
    """Bodies and systems take turns.

    Args:
        systems: bodies with their numbers and surfaces.
    """

    def __init__(self, world: World, systems: Sequence[tuple[SystemBody, int, CollisionShape]]):
        self._world = world
        self._systems = [Participant(*each) for each in systems]
        self._stages: dict[Any, Opaque] = {}
        self._staged: WorldRecord | None = None

    def place(self) -> None:
        """Surfaces of the systems, where they are."""
        for each in self._systems:
            each.place(self._world._record)

    def take(self, start: int, total: int) -> int:
        """Small steps from `start` to `total`; why they stopped, or 0."""
        for step in range(start, total):
            self._world._record.settings.counts[DONE] = step
            stopped = self._small_step(step)
            if stopped:
                return stopped
        self._world._record.settings.counts[DONE] = total
        return FINE

    def _small_step(self, step: int) -> int:
        self.place()
        if stopped := self._enter(seek, step):
            return stopped
        for each in self._systems:
            each.look(self._world._record)
        self._make_room()
        if stopped := self._enter(rebound, step):
            return stopped
        made = self._world._record
        for each in self._systems:
            each.bounce(made)
        if stopped := self._enter(glide, step):
            return stopped
        for each in self._systems:
            each.predict(made)
        if stopped := self._enter(meet, step):
            return stopped
        for each in self._systems:
            each.correct(made)
        return FINE

    def _enter(self, stage: Any, step: int) -> int:
        made = self._world._record
        if made is not self._staged:
            self._stages, self._staged = {}, made
        if stage not in self._stages:
            self._stages[stage] = opaque(stage, made, 0)
        return enter(self._stages[stage].entry, self._stages[stage].record.ctypes.data, step)

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
