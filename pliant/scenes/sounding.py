"""What is heard of a scene: voices of its parts, struck by its tables and by what its bodies do."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from pliant.errors import Array, SelectionError
from pliant.fem import StVK
from pliant.scenes.bodies import Body, bodies_in, first_vertices
from pliant.scenes.part_building import build_material, build_mesh, held_solid
from pliant.scenes.part_tables import MaterialTable
from pliant.scenes.schedule import Schedule
from pliant.scenes.schema import GLIDE, TONE, Check, Part, SceneFile
from pliant.scenes.sound_tables import SoundTable, StrikeTable, VoiceTable
from pliant.sound import PRESETS, Hammer, Hearing, NonlinearSound, Sound, Voice
from pliant.sound.hearing import BLUNT
from pliant.sound.nonlinear import glide
from pliant.sound.radiation import ears
from pliant.systems import System
from pliant.systems.playing import Forces

ATTACK, REST = 0.05, 0.2  # [s] of the beginning and the end of a sound, whose tones a glide compares
AFTER = 0.005  # [s] from the first sound to that beginning: the blow itself is over
BEGUN = 1e-3  # of the loudest sample: the first sound


@dataclass(eq=False)
class Listening:
    """What is heard of a run.

    Attributes:
        rate: samples a second.
        voices: of bodies by name, as far as tables strike them.
        hearing: of a world, whose contacts strike them too; else None.
        forces: what acts during the run.
        stands: where bodies stand at the start, R and t by name.
        long_step, substeps: of a world, before it was taken step by small step.
    """

    rate: int
    voices: dict[str, Voice]
    hearing: Hearing | None
    forces: Forces
    stands: dict[str, tuple[Array, Array]]
    long_step: float = 0.0
    substeps: int = 1

    def __repr__(self) -> str:
        return f"Listening({len(self.voices)} voices, rate {self.rate})"

    def frame(self, name: str) -> tuple[Array, Array]:
        """R and t of a body: now, of a world; else where it stands."""
        if self.hearing is None:
            return self.stands[name]
        body = next(body for body in self.hearing.world.bodies if body.name == name)
        return body.rotation, body.position

    def samples(self, seconds: float) -> Array:
        """(k,), or (k, 2) for two ears."""
        return np.sum([voice.samples(seconds) for voice in self._spoken().values()], axis=0)

    def measured(self, checks: Sequence[Check], seconds: float) -> tuple[dict[str, float], dict[str, float]]:
        """Tones [Hz] and glides of the bodies that sounded, by name, where checks ask for them."""
        asked = {check.measure for check in checks}
        heard = self._each(seconds)
        tones = {name: float(glide(x, self.rate, [(0.0, seconds)])[0]) for name, x in heard if TONE in asked}
        return tones, {name: self._glide(x, seconds) for name, x in heard if GLIDE in asked}

    def _glide(self, x: Array, seconds: float) -> float:
        """The strongest frequency at the beginning over that at the end."""
        first = float(np.argmax(np.abs(x) > BEGUN * np.abs(x).max())) / self.rate + AFTER
        start, end = glide(x, self.rate, [(first, first + ATTACK), (seconds - REST, seconds)])
        return float(start / end)

    def _spoken(self) -> dict[str, Voice]:
        if self.hearing is None:
            return self.voices
        bodies = {body.name: body for body in self.hearing.world.bodies}
        return {name: self.hearing.spoken(bodies[name]) for name in self.voices}

    def _each(self, seconds: float) -> list[tuple[str, Array]]:
        heard = []
        for name, voice in self._spoken().items():
            samples = voice.samples(seconds)
            mono = samples if samples.ndim == 1 else samples.mean(axis=1)
            if np.abs(mono).max(initial=0.0) > 0:
                heard.append((name, mono))
        return heard


def listen(scene: SceneFile, bodies: Sequence[Body], schedule: Schedule, system: System) -> Listening | None:
    """What is heard of a run of `system` that begins now; None where no part sounds."""
    if not any(part.sound for part in scene.part):
        return None
    table = scene.sound or SoundTable()
    kinds: dict[str, Voice] = {}
    voices: dict[str, Voice] = {}
    for body in bodies:
        if body.part.sound is not None:
            if body.part.name not in kinds:
                kinds[body.part.name] = build_voice(body.part, body.part.sound, body, table)
            voices[body.name] = kinds[body.part.name].copy()
    place = _ears(table)
    for body in bodies:
        if body.name in voices and place is not None:
            voices[body.name].listener = (place - body.stand.t) @ body.stand.R
    for strike in scene.strike:
        _strike(strike, bodies, voices)
    _push(scene, schedule, bodies, voices)
    stands = {body.name: (body.stand.R, body.stand.t) for body in bodies}
    if not hasattr(system, "contacts"):  # its bodies do not touch
        return Listening(table.rate, voices, None, schedule, stands)
    world: Any = system
    before = world.dt, world.substeps
    named = {body.name: body for body in world.bodies}
    heard = {named[name]: voice for name, voice in voices.items()}
    silent = {named[body.name]: _silent(body) for body in bodies if body.name not in voices}
    hearing = Hearing(world, heard, place, table.roughness, table.grain, schedule, silent)
    for name, voice in voices.items():  # what tables strike
        hearing.voices[named[name].number] = voice
    return Listening(table.rate, voices, hearing, hearing, stands, *before)


def build_voice(part: Part, wanted: VoiceTable, body: Body, table: SoundTable) -> Voice:
    """The voice of a part, in its own coordinates."""
    mesh = body.shape if wanted.shape is None else build_mesh(Part(name=part.name, shape=wanted.shape), body.folder)
    if wanted.order == 2 and mesh.order == 1:
        mesh = mesh.refine_order()
    made_of = part.material if wanted.material is None else wanted.material
    if isinstance(made_of, str):
        preset = PRESETS[made_of]
        made_of = MaterialTable(model="stvk", young=preset.young, poisson=preset.poisson, density=preset.density)
    material = build_material(made_of, mesh)
    solid = held_solid(part, mesh, material, wanted.fixed if wanted.fixed is not None else part.fixed)
    far = None if table.listener is None else np.array(table.listener)
    if not wanted.nonlinear:
        return Sound(solid, wanted.modes, table.rate, wanted.damping, table.radiation, far)
    stvk = solid if isinstance(material, StVK) else solid.of_material(StVK(**made_of.constants))
    modes = min(wanted.modes, wanted.size)
    return NonlinearSound(stvk, modes, wanted.size, table.rate, wanted.damping, table.radiation, far)


def _silent(body: Body) -> Hammer:
    """What a body without a voice is where it hits."""
    material, extent = body.part.material, float(np.ptp(body.shape.vertices, axis=0).min())
    return Hammer(radius=BLUNT * extent, young=material.young, poisson=material.poisson)


def _ears(table: SoundTable) -> Array | None:
    """(e, 3) in the world."""
    if table.listener is None:
        return None
    if table.ears == 0:
        return np.array([table.listener])
    return ears(np.array(table.listener), np.array(table.towards), table.ears)


def _strike(strike: StrikeTable, bodies: Sequence[Body], voices: dict[str, Voice]) -> None:
    chosen, where = bodies_in(bodies, strike.where, "strike")
    hammer = None if strike.hammer is None else Hammer(**strike.hammer.model_dump())
    for body in chosen:
        if body.name not in voices:
            raise SelectionError(f"strike where = {strike.where!r} names {body.name}, whose part has no sound")
        voice = voices[body.name]
        ids = voice.solid.mesh.select(where)
        if not len(ids):
            raise SelectionError(f"strike where = {strike.where!r} selects no vertex of the sound of {body.name}")
        voice.strike(strike.time, ids, np.array(strike.impulse) @ body.stand.R, hammer)


def _push(scene: SceneFile, schedule: Schedule, bodies: Sequence[Body], voices: dict[str, Voice]) -> None:
    """Pushes bend what they push, and are heard when they begin and end."""
    starts = first_vertices(bodies)
    for push, ids in zip(schedule.pushes, schedule.vertices):
        for body, first in zip(bodies, starts):
            own = ids[(ids >= first) & (ids < first + body.shape.vertex_count)] - first
            if not len(own) or body.name not in voices:
                continue
            voice = voices[body.name]
            at = np.unique([voice.nearest(x) for x in body.shape.vertices[own]])
            force = np.array(push.force) @ body.stand.R * len(own) / len(ids)
            until = scene.duration if push.until is None else push.until
            count = round((until - push.start) * voice.rate)
            share = np.sin(np.pi * (np.arange(count) + 0.5) / count) if push.profile == "sine" else np.ones(count)
            voice.press(round(push.start * voice.rate), force @ voice.shapes[at].mean(axis=0), share)
