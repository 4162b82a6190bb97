"""Hearing a world: its contacts strike the voices of its bodies, each small step."""

from __future__ import annotations

from collections.abc import Mapping
from os import PathLike
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from pliant.errors import ArgumentError, Array, check_number
from pliant.mesh.files.paths import replacing
from pliant.numerics.waves import wav_bytes
from pliant.sound.hammers import Hammer, hertz_duration
from pliant.sound.rubbing import profile, rubbed
from pliant.sound.voice import Voice
from pliant.systems import System, World
from pliant.systems.playing import Forces
from pliant.systems.world.body import Body
from pliant.systems.world.readout import ContactReport

SUDDEN = 1.0  # times what pressed before: more than that on top is a hit
FAINT = 1e-3  # [m/s] by which a hit changes a speed, that nobody hears
BORNE = 2.0  # steps of fall: what weighs no more than that only comes to lie
BLUNT = 0.25  # radius of a body where it is hit, of its least extent
MOVED = 1e-3  # [m] less than which a listener stands still


class Touch(NamedTuple):
    """What presses a body at an instant: how hard [N s] and where (3,), in its axes; how fast it passes [m/s]."""

    impulse: Array
    point: Array
    speed: float


class Hearing:
    """Several bodies that sound when they touch, for one ear or two.

    A hit lasts as long as Hertz' law says, for the masses, stiffnesses and speed of the two; what stays in touch
    presses evenly, and rubs where it slides or rolls. From now on every step of the world is one of its small steps, so
    that no hit is missed: `step` here, or `record(world, seconds, before_step=hearing)`.

    Args:
        world: what is heard.
        voices: of its bodies; several may share one.
        listener: a place (3,) [m] in the world, or two ears (2, 3); None: constant radiation, nowhere in particular.
        roughness: of surfaces that slide or roll, a share of the force between them.
        grain: length of what is rough [m].
        silent: what bodies without a voice are made of where they hit; rigid without it.
        forces: what else acts over time, such as the schedule of a scene.
    """

    def __init__(
        self,
        world: World,
        voices: Mapping[Body, Voice],
        listener: ArrayLike | None = None,
        roughness: float = 0.05,
        grain: float = 2e-4,
        forces: Forces | None = None,
        silent: Mapping[Body, Hammer] | None = None,
    ):
        if not hasattr(world, "contacts") or not voices:
            raise ArgumentError("hearing needs a world and a voice of one of its bodies, such as {bar: sound}")
        if len({voice.rate for voice in voices.values()}) > 1:
            raise ArgumentError(f"voices must have one rate; {sorted({v.rate for v in voices.values()})} were given")
        self.world, self.forces = world, forces
        self.roughness = check_number("roughness", roughness, at_least=0)
        self.grain = check_number("grain", grain, above=0)
        self.voices = {body.number: voice.copy() for body, voice in voices.items()}
        self.silent = {body.number: hammer for body, hammer in (silent or {}).items()}
        self.rate = next(iter(self.voices.values())).rate
        self._ears = None if listener is None else np.atleast_2d(np.asarray(listener, dtype=float))
        world.dt, world.substeps = world.small_step, 1
        self._began = self._heard = world.time
        self._before: dict[tuple[int, int], float] = {}
        self._touches: dict[tuple[int, int], list[tuple[int, Touch]]] = {}
        self._places: list[tuple[Array, Array]] = []
        self._steps = 0
        self._note_places()

    def __repr__(self) -> str:
        return f"Hearing({len(self.voices)} voices, {self._steps * self.world.dt:.4g} s)"

    # As what acts on a system, for `record` and `play`

    def apply(self, system: System) -> None:
        """Hear the step before, then let the other forces act."""
        self.hear()
        if self.forces is not None:
            self.forces.apply(system)

    def __call__(self, system: System) -> None:
        """As `apply`, for `record`."""
        self.apply(system)

    def steady_steps(self, _time: float, _dt: float, _most: int) -> int:
        """One: contacts are looked at after every step."""
        return 1

    def step(self, count: int = 1) -> None:
        """Small steps of the world, heard."""
        for _ in range(count):
            if self.forces is not None:
                self.forces.apply(self.world)
            self.world.step()
            self.hear()

    def forget(self) -> None:
        """All that was heard so far; what stays in touch does not hit again."""
        for voice in self.voices.values():
            voice.silence()
        self._touches, self._places = {}, self._places[-1:]
        self._began = self._heard = self.world.time
        self._steps = 0

    def samples(self, seconds: float | None = None) -> Array:
        """What was heard so far, and rings on: (k,), or (k, 2) for two ears."""
        self.hear()
        span = self._steps * self.world.dt if seconds is None else check_number("seconds", seconds, at_least=0)
        return np.sum([self.spoken(self.world.bodies[number]).samples(span) for number in self.voices], axis=0)

    def spoken(self, body: Body) -> Voice:
        """The voice of a body with all that happened to it so far, heard from where the listener is."""
        self.hear()
        voice = self.voices[body.number]
        spoken = voice.copy()
        spoken.hits, spoken.forces = list(voice.hits), list(voice.forces)
        self._rub(body.number, spoken)
        if self._ears is not None:
            spoken.listener = self._heard_from(body.number)
        return spoken

    def write(self, path: str | PathLike[str], seconds: float | None = None, gain: float | None = None) -> None:
        """Write a .wav, whole or not at all."""
        content = wav_bytes(self.samples(seconds), self.rate, gain)
        with replacing(path) as temporary:
            temporary.write_bytes(content)

    def hear(self) -> None:
        """Take note of the steps since the last look; there is one at most."""
        if self.world.time <= self._heard:
            return
        self._heard = self.world.time
        self._steps += 1
        self._note_places()
        report = self.world.contacts()
        pressed: dict[tuple[int, int], list[int]] = {}
        for k, (a, b) in enumerate(report.bodies):
            pressed.setdefault((int(a), int(b)), []).append(k)
        hard = {pair: float(np.linalg.norm(report.impulses[ks].sum(axis=0))) for pair, ks in pressed.items()}
        for pair, ks in pressed.items():
            if pair[0] in self.voices or pair[1] in self.voices:
                self._meet(pair, report, ks, hard[pair])
        self._before = hard

    def _meet(self, pair: tuple[int, int], report: ContactReport, ks: list[int], hard: float) -> None:
        """What is more than pressed before is a hit, and the rest goes on."""
        before = self._before.get(pair, 0.0)
        surplus = hard - before
        mass = 1 / sum(1 / self._mass(number) for number in pair)
        sudden = surplus > SUDDEN * before and surplus > self._faint() * mass
        share = surplus / hard if sudden else 0.0
        if sudden:
            self._hit(pair, report, ks, share, mass, surplus)
        steady = report.impulses[ks] * (1 - share)
        for side, number in enumerate(pair):
            if number in self.voices:
                J, point = (1 - 2 * side) * steady.sum(axis=0), np.abs(steady).sum(axis=1) @ report.points[ks]
                weight = np.abs(steady).sum()
                if weight > 0:
                    R, t = self._frame(number)
                    speed = max(float(report.slips[ks].max()), self._passing(pair, report.normals[ks[0]]))
                    touch = Touch(R.T @ J, R.T @ (point / weight - t), speed)
                    self._touches.setdefault((number, pair[1 - side]), []).append((self._steps, touch))

    def _hit(
        self, pair: tuple[int, int], report: ContactReport, ks: list[int], share: float, mass: float, surplus: float
    ) -> None:
        duration = self._duration(pair, mass, surplus)
        time = max(self._heard - self._began - self.world.dt / 2, 0.0)
        for side, number in enumerate(pair):
            if number in self.voices:
                voice, (R, t) = self.voices[number], self._frame(number)
                gains = np.zeros(len(voice.eigenvalues))
                for k in ks:
                    at = voice.nearest(R.T @ (report.points[k] - t))
                    gains += (1 - 2 * side) * share * (R.T @ report.impulses[k]) @ voice.shapes[at]
                voice.hit(time, gains, duration)

    def _duration(self, pair: tuple[int, int], mass: float, impulse: float) -> float:
        """Of Hertz' contact between the two [s]."""
        voices = [self.voices[number] for number in pair if number in self.voices]
        others = [self.silent[number] for number in pair if number in self.silent]
        bounce = max((self.world.bodies[n].restitution for n in pair if n >= 0), default=0.0)
        radii = [
            *(BLUNT * float(np.ptp(v.solid.mesh.vertices, axis=0).min()) for v in voices),
            *(hammer.radius for hammer in others),
        ]
        modulus = 1 / (sum(v.compliance for v in voices) + sum(hammer.compliance for hammer in others))
        return hertz_duration(mass, 1 / sum(1 / r for r in radii), modulus, impulse / (mass * (1 + bounce)))

    def _rub(self, number: int, voice: Voice) -> None:
        """Forces of what stayed in touch: each in a window of two steps, so that they go over into each other."""
        dt, step = self.world.dt, 1 / voice.rate
        for (own, _other), touches in self._touches.items():
            if own != number or self.roughness == 0:
                continue
            steps = np.array([k for k, _ in touches])
            hard = np.array([np.linalg.norm(touch.impulse) for _, touch in touches]) / dt
            speed = np.array([touch.speed for _, touch in touches])
            for run in np.split(np.arange(len(steps)), np.flatnonzero(np.diff(steps) > 1) + 1):
                if speed[run].max() <= 0:
                    continue
                first, last = int((steps[run[0]] - 1) * dt / step), int(np.ceil(steps[run[-1]] * dt / step))
                at, known = (np.arange(first, last) + 0.5) * step, (steps[run] - 0.5) * dt
                force = np.interp(at, known, hard[run], 0.0 if len(run) > 1 else None)
                rough = rubbed(
                    force, np.interp(at, known, speed[run]), self.roughness, self.grain, step, profile(number)
                )
                for k, middle in zip(run, known):
                    touch = touches[k][1]
                    window = np.clip(1 - np.abs(at - middle) / dt, 0.0, 1.0)
                    chosen = np.flatnonzero(window > 0)
                    length = np.linalg.norm(touch.impulse)
                    if not len(chosen) or length == 0 or touch.speed == 0:
                        continue
                    inside = slice(chosen[0], chosen[-1] + 1)
                    gains = (touch.impulse / length) @ voice.shapes[voice.nearest(touch.point)]
                    voice.press(first + chosen[0], gains, (window * rough)[inside])

    def _faint(self) -> float:
        """The least change of speed that counts as a hit [m/s]."""
        return FAINT + BORNE * self.world.dt * float(np.linalg.norm(self.world.gravity))

    def _passing(self, pair: tuple[int, int], normal: Array) -> float:
        """How fast the middles of the two pass each other along the surface [m/s]; so does the ground below a wheel."""
        between = self._velocity(pair[0]) - self._velocity(pair[1])
        return float(np.linalg.norm(between - normal * (normal @ between)))

    def _velocity(self, number: int) -> Array:
        free = number >= 0 and self.world.bodies[number].kind == "free"
        return self.world.bodies[number].velocity if free else np.zeros(3)

    def _mass(self, number: int) -> float:
        return self.world.bodies[number].mass if number >= 0 else float("inf")

    def _frame(self, number: int) -> tuple[Array, Array]:
        R, t = self._places[-1]
        k = list(self.voices).index(number)
        return R[k], t[k]

    def _note_places(self) -> None:
        bodies = [self.world.bodies[number] for number in self.voices]
        self._places.append((np.stack([b.rotation for b in bodies]), np.stack([b.position for b in bodies])))

    def _heard_from(self, number: int) -> ArrayLike:
        """The ears in the axes of a body: places where it stands, a function of time where it moves."""
        assert self._ears is not None
        k = list(self.voices).index(number)
        R = np.stack([places[0][k] for places in self._places])
        t = np.stack([places[1][k] for places in self._places])
        paths = np.einsum("fji,fej->fei", R, self._ears[None] - t[:, None])
        if np.abs(paths - paths[0]).max() < MOVED:
            return paths[0]
        dt, last = self.world.dt, len(paths) - 1
        return lambda time: paths[min(round(time / dt), last)]  # type: ignore[return-value]
