"""What pages hear: the modes of what sounds, once, and then every hit, as what it adds to each mode."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from pliant.app.reports import HitsReport, VoiceFacts, VoicesReport
from pliant.errors import ArgumentError, Array
from pliant.sound import Hammer, Voice
from pliant.sound.radiation import SOUND_SPEED
from pliant.sound.voice import checked_ears
from pliant.systems import System
from pliant.systems.playing import Forces, play

if TYPE_CHECKING:
    from pliant.app.stage import Stage
    from pliant.scenes import Listening

MOST_HITS = 64  # a report; louder ones first
MOST_MODES = 200  # of a voice, the lowest
DIGITS = 4
MALLET = Hammer(0.03, 0.012, 2e8, 0.4)  # a press of a pointer
BLOW = 0.05  # [N s]


class Heard:
    """The voices of the scene on stage, and what struck them since pages were last told."""

    def __init__(self, listening: Listening, system: System):
        self.system, self.listening = system, listening
        self.names = list(listening.voices)
        if listening.hearing is not None:  # it took over the steps, which are the session's here
            world = listening.hearing.world
            world.dt, world.substeps = listening.long_step, listening.substeps
        self._clear()

    def advance(self, forces: Forces | None, count: int) -> None:
        """Steps of the system; of a world one small step after the other, so that no hit is missed."""
        hearing = self.listening.hearing
        if hearing is None:
            play(self.system, forces, count)
            return
        world = hearing.world
        dt, substeps = world.dt, world.substeps
        for _ in range(count):
            if forces is not None:
                forces.apply(world)
            world.dt, world.substeps = dt / substeps, 1
            try:
                for _ in range(substeps):
                    world.step()
                    hearing.hear()
            finally:
                world.dt, world.substeps = dt, substeps

    def strike(self, place: Array, rest: Array) -> None:
        """A mallet on what sounds nearest to a place (3,) of the world, which was at `rest` (3,) at the start."""
        found = []
        for name, voice in self.listening.voices.items():
            R, t = self.listening.frame(name)
            x = R.T @ ((place if self.listening.hearing is not None else rest) - t)
            vertex = voice.nearest(x)
            found.append((float(np.linalg.norm(voice.solid.mesh.vertices[vertex] - x)), voice, vertex))
        far, voice, vertex = min(found, key=lambda each: each[0])
        if far < float(np.ptp(voice.solid.mesh.vertices, axis=0).max()) / 2:
            voice.strike(0.0, vertex, BLOW, MALLET)

    def report(self) -> HitsReport | None:
        """What happened since the last one."""
        hits = []
        for number, voice in enumerate(self.listening.voices.values()):
            for hit in voice.hits:
                gains = hit.gains[:MOST_MODES]
                if np.abs(gains).max(initial=0.0) > 0:
                    hits.append((float(np.linalg.norm(gains)), number, hit.duration, gains))
        self._clear()
        if not hits:
            return None
        hits.sort(key=lambda hit: -hit[0])
        return HitsReport(tuple((n, _short(d), *map(_short, gains)) for _, n, d, gains in hits[:MOST_HITS]))

    def voices(self) -> VoicesReport:
        """Modes of all that sounds."""
        return VoicesReport(tuple(_facts(name, voice) for name, voice in self.listening.voices.items()))

    def _clear(self) -> None:
        if self.listening.hearing is not None:
            self.listening.hearing.forget()
        for voice in self.listening.voices.values():
            voice.silence()


class Sounding:
    """Who listens, and to what."""

    def __init__(self) -> None:
        self.clients: set[int] = set()
        self._heard: Heard | None = None

    def want(self, client: int, on: bool, stage: Stage) -> VoicesReport | None:
        """Begin or stop to listen; what sounds, for the page that begins."""
        self.clients.discard(client)
        if not on:
            return None
        if stage.source.listen is None:
            raise ArgumentError("nothing sounds here; open the xylophone, or give a part of the scene a sound")
        self.clients.add(client)
        return self.heard(stage).voices()

    def forget(self, client: int) -> None:
        self.clients.discard(client)

    def heard(self, stage: Stage) -> Heard:
        """Of the system that runs now."""
        if self._heard is None or self._heard.system is not stage.system:
            assert stage.source.listen is not None, "asked for where something sounds"
            self._heard = Heard(stage.source.listen(stage.system), stage.system)
        return self._heard

    def on(self, stage: Stage) -> bool:
        """Does anybody listen, to something?"""
        return bool(self.clients) and stage.source.listen is not None


def _facts(name: str, voice: Voice) -> VoiceFacts:
    audible = slice(0, MOST_MODES)
    place = voice.listener
    heard = [None] if place is None or callable(place) else list(checked_ears(place))
    ears = []
    for ear in heard:
        of_place, of_rate = voice.radiator.weights(ear)
        wait = 0.0 if ear is None else voice.radiator.distance(ear) / SOUND_SPEED
        ears.append((_short(wait), tuple(map(_short, of_place[audible])), tuple(map(_short, of_rate[audible]))))
    frequencies, decay = voice.frequencies[audible], voice.decay[audible]
    return VoiceFacts(name, tuple(map(_short6, frequencies)), tuple(map(_short, decay)), tuple(ears))


def _short(value: Any) -> float:
    return float(f"{float(value):.{DIGITS}g}")


def _short6(value: Any) -> float:
    return float(f"{float(value):.6g}")
