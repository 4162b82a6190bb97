"""One simulation and what people do with it: applies commands, advances time, says what happened. Single-threaded."""

import itertools
import time
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from pliant.app.bare import BareMesh
from pliant.app.bookmarks import Bookmarks
from pliant.app.builder import Builder
from pliant.app.clock import RealTime
from pliant.app.command_handlers import ACTS, QUIET
from pliant.app.following import Following
from pliant.app.inspecting import Inspecting
from pliant.app.keyframing import Keyframing, finder
from pliant.app.leading import Touch
from pliant.app.messages import Command, Grab, TurnInterface
from pliant.app.meter import Meter
from pliant.app.modeshow import ModeShow, show_frame
from pliant.app.probing import Probing
from pliant.app.recorder import Recorder
from pliant.app.recovery import Recovery
from pliant.app.reports import HandReport, Measure, Notice, Progress, Report, Status
from pliant.app.resketching import Resketched, in_place_of, resketched
from pliant.app.sketchpad import Sketchpad
from pliant.app.sounding import Sounding
from pliant.app.sources import SceneSource
from pliant.app.stage import Stage
from pliant.app.status import exactness, status_of
from pliant.app.stresses import Stresses
from pliant.errors import ArgumentError, Diverged, PliantError, check_choice
from pliant.export import Recording
from pliant.mesh.bones import Skeleton, curve_skeleton
from pliant.mesh.parting import Parting
from pliant.systems import System

BUDGET = 0.02  # [s] of a tick that may go into steps: leaves time for 30 frames a second of what is slow
MEASURES = 0.05  # [s] between two measures
UNKNOWN = 4  # steps of a system that nobody has timed
CHARTED = 6  # coordinates

Tell = Callable[[Report, int | None], None]
Later = Callable[[Callable[[], None]], None]


class Session:
    """What the live thread owns.

    Args:
        scenes: by name.
        tell: hears every report, and the client it is for (None: all).
        later: takes what background work wants done in the session's own thread.

    Attributes:
        stage: the scene that is played; None while the first one is built.
        playing: does time run? speed: of it; 1 is real time. owed: steps that were asked for while it is held.
        bookmarks: states to go back to. stresses: who wants to see them.
        diverged: what happened, if the simulation was stopped because it goes astray again and again.
        failed: why there is nothing to see. opened: how many stages there were.
        progress: of what is built. improving: is that a better system for what is played?
        grips: the hand of every client that pulls. pins: hands that stayed when people let go.
        show: which mode is shown, how, and since when.
        keyframing: poses that were kept, and the motion through them.
        recorder, sketchpad: what is being noted; `recording`: what was recorded last.
        frame: the newest frame. `status`: the newest status.
    """

    def __init__(self, scenes: Mapping[str, SceneSource], tell: Tell, later: Later):
        if not scenes:
            raise ArgumentError("a live session needs at least one scene")
        self.scenes, self._tell, self._later = dict(scenes), tell, later
        self._builder, self._clock, self._meter, self._recovery = Builder(), RealTime(), Meter(), Recovery()
        self._numbers, self._frames = itertools.count(1), itertools.count(1)
        self.stage: Stage | None = None
        self.playing, self.speed, self.owed = True, 1.0, 0
        self.bookmarks, self.stresses, self.probing, self.inspecting = Bookmarks(), Stresses(), Probing(), Inspecting()
        self.sounding, self.keyframing = Sounding(), Keyframing()
        self.diverged: str | None = None
        self.failed: str | None = None
        self.opened, self.progress, self.improving = 0, Progress("", 1.0), False
        self.grips: dict[int, Touch] = {}
        self.pins: list[Touch] = []
        self.show: tuple[int, ModeShow, float] | None = None
        self.recorder: Recorder | None = None
        self.recording: Recording | None = None
        self.sketchpad: Sketchpad | None = None
        self.frame = b""
        self._next_measure, self._stale = 0.0, True
        self._step_time = 0.0  # [s], of the last steps; 0: not known
        self._waiting: Callable[[], None] | None = None  # for the end of a recording
        self.status: Status = status_of(self)

    @property
    def on_stage(self) -> Stage:
        """The scene that is played; an error while there is none."""
        if self.stage is None:
            raise ArgumentError("the scene is still being built; wait a moment")
        return self.stage

    def check_running(self) -> None:
        """Nothing moves before the first scene is there, or after a divergence."""
        if self.on_stage and self.diverged:
            raise ArgumentError("the simulation has diverged; reset it first")

    def note(self) -> None:
        """A person is about to do something that may be undone."""
        could = self.bookmarks.can_undo
        self.bookmarks.note(self.on_stage.system)
        if not could:
            self._changed()

    def forget(self) -> None:
        """Other bodies are there than before, so there is no way back to what was."""
        self.bookmarks = Bookmarks()
        self._recovery.forget()

    def new_number(self) -> int:
        """For a geometry."""
        return next(self._numbers)

    def apply(self, command: Command, client: int) -> None:
        """Do what a client asks; what cannot be done is said to that client alone."""
        try:
            ACTS[type(command)](self, command, client)
        except Diverged as reason:
            self._recover(reason)
        except PliantError as reason:
            self._tell(Notice(sentence(reason), "error"), client)
            if isinstance(command, Grab | TurnInterface):
                self._tell(HandReport(command.vertex, held=False), client)
        if not isinstance(command, QUIET):
            self._changed()

    def leave(self, client: int) -> None:
        """The hand of a client lets go."""
        hand = self.grips.pop(client, None)
        if hand is not None:
            hand.release()

    def depart(self, client: int) -> None:
        """A client is gone."""
        self.leave(client)
        self.stresses.clients.discard(client)
        self.probing.forget(client)
        self.inspecting.forget(client)
        self.sounding.forget(client)

    def take(self, client: int, make: Callable[[], Touch]) -> None:
        """The hand of a client lets go of what it has and takes something else."""
        self.leave(client)
        self.grips[client] = make()
        self._tell(HandReport(self.grips[client].vertex, held=True), client)

    def leave_alone(self, client: int, vertex: int) -> None:
        """A hand that struck what cannot be pulled, and did not mean to."""
        self._tell(HandReport(vertex, held=False), client)

    def drop_pins(self, at: int | None = None) -> None:
        """Let go of all that is kept, or of what is kept at a vertex."""
        dropped = [pin for pin in self.pins if at in (None, pin.vertex)]
        for pin in dropped:
            pin.release()
            self.pins.remove(pin)
        if dropped:
            self._changed()

    def drop_hands(self) -> None:
        """Everybody lets go of everything."""
        for client, hand in list(self.grips.items()):
            self.leave(client)
            self._tell(HandReport(hand.vertex, held=False), client)
        self.drop_pins()

    def take_again(self, before: System) -> None:
        """All hands take hold of the system that came in the place of `before`."""
        system = self.on_stage.system
        if system is not before:
            for hand in (*self.grips.values(), *self.pins):
                hand.release()
                hand.take(system)

    # Work in the background

    def begin(self, name: str | None = None) -> None:
        """Build a scene, by default the first, and put it on stage."""
        name = next(iter(self.scenes)) if name is None else name
        source = self.scenes[check_choice("scene", name, list(self.scenes))]
        number = self.new_number()

        def build(progress: Callable[[str, float], None]) -> Stage:
            progress("starting", 0.0)
            opened = source if source.open is None else source.open(progress)
            return Stage(name, opened, (opened.first or opened.build)(progress), number)

        self._work(build, self._open)

    def admit(self, name: str, source: SceneSource) -> None:
        """Take a source in, under a name that may be taken, and open it; what is played goes on until it is there."""
        self.scenes[name] = source
        self.begin(name)

    def _open(self, stage: Stage) -> None:
        self.stage, self.playing, self.owed, self.diverged, self.failed = stage, True, 0, None, None
        self.opened += 1
        self.recorder = self.sketchpad = self.show = self.recording = None
        self.grips, self.pins, self.bookmarks, self.probing = {}, [], Bookmarks(), Probing()
        self.keyframing = Keyframing()
        self._recovery.forget()
        self._step_time = 0.0
        self._clock.hold()
        if (learn := stage.source.control) is not None:
            stage.follow(Following(learn, stage.source.gentleness, lambda: self._later(self._changed)))
        if stage.source.first is not None:
            self._improve(stage)

    def _improve(self, stage: Stage) -> None:
        """Build what is meant beside what was there first, and go on with it."""
        number, first = self.new_number(), stage.base

        def build(progress: Callable[[str, float], None]) -> Resketched:
            better = stage.source.build(lambda step, fraction: progress(f"a better basis, {step}", fraction))
            return in_place_of(first, better)

        def install(made: Resketched) -> None:
            if self.recorder is not None:  # a recording has one basis
                self._waiting = lambda: self._finished(lambda: install(made))
                return
            before = stage.system
            self.show, self.keyframing = None, Keyframing()
            stage.install(made, number)
            self.take_again(before)
            self.bookmarks.project(made.projection)
            self._recovery.forget()
            self._tell(Notice(f"It moves better now: {exactness(stage, improving=False)}"), None)

        self._work(build, install)
        self.improving = True

    def rebuild(self, pad: Sketchpad) -> None:
        """Build a basis from a sketch and go on with it."""
        stage, number = self.on_stage, self.new_number()
        loads = stage.on_mesh(pad.loads(len(stage.rest)))

        def build(progress: Callable[[str, float], None]) -> Resketched:
            progress("starting", 0.0)
            return resketched(stage.base, loads, progress)

        def install(made: Resketched) -> None:
            self.drop_hands()
            self.recorder = self.show = None
            self.keyframing = Keyframing()
            stage.install(made, number)
            self.bookmarks = Bookmarks()
            self._tell(Notice(f"{len(loads)} pulls became a basis of {stage.most_vectors} vectors"), None)

        self._work(build, install)

    def find_motion(self) -> None:
        """Look for forces that lead through the keyframes, and play them from the start."""
        stage = self.on_stage
        find = finder(stage, self.keyframing.frames)

        def install(found: Keyframing) -> None:
            self.keyframing = found
            self.start_over()
            stage.lead(found)
            self.playing = True
            self._tell(Notice(f"It passes {len(found.frames)} keyframes within {found.missed:.2g} m"), None)

        self._work(find, install)

    def find_bones(self, mesh: BareMesh, count: int | None) -> None:
        """Find bones in a bare mesh and have them placed; what is played goes on meanwhile."""
        stage = self.on_stage

        def find(progress: Callable[[str, float], None]) -> Skeleton:
            progress("bones", 0.0)
            return curve_skeleton(mesh.shape, count)

        self._work(find, lambda found: stage.redraft(mesh.draft.found(found)))

    def repart(self, parting: Parting) -> None:
        """Go on with other parts of the bare mesh."""
        stage = self.on_stage
        assert stage.source.mesh is not None, "parts are made of bare meshes"
        stage.repart(stage.source.mesh.parts.with_parts(parting), self.new_number())

    def find_parts(self, make: Callable[[], Parting]) -> None:
        """Make parts, which takes a while; what is played goes on meanwhile."""
        stage = self.on_stage
        before = stage.source.mesh

        def find(progress: Callable[[str, float], None]) -> Parting:
            progress("parts", 0.0)
            return make()

        def install(found: Parting) -> None:
            if self.stage is not stage or stage.source.mesh is not before:
                self._tell(Notice("parts were changed meanwhile, so nothing was found; try again", "error"), None)
                return
            self.repart(found)

        self._work(find, install)

    def _work(self, job: Callable[..., Any], install: Callable[[Any], None]) -> None:
        self.improving, self._waiting = False, None
        self._builder.start(
            job,
            progress=lambda stage, fraction: self._say_progress(Progress(stage, fraction)),
            done=lambda result: self._later(lambda: self._finished(lambda: install(result))),
            failed=lambda reason: self._later(lambda: self._finished(lambda: self._regret(reason))),
        )

    def _say_progress(self, progress: Progress) -> None:
        self.progress = progress
        self._tell(progress, None)

    def _finished(self, finish: Callable[[], None]) -> None:
        self.improving = False
        self._say_progress(Progress("", 1.0))
        finish()
        self._changed()

    def _regret(self, reason: Exception) -> None:
        """Said for a while, and for as long as there is nothing else to see."""
        if self.stage is None:
            self.failed = sentence(reason)
        self._tell(Notice(sentence(reason), "error"), None)

    # Time

    def tick(self, now: float) -> bool:
        """Take the steps that are due; returns whether there is a new frame to show."""
        stage = self.stage
        if stage is None:
            return False
        if self.playing:
            self._catch_up(stage, now)
        else:
            self._clock.hold()
            if self.owed:
                self._stale = True
                self._take_owed(now + BUDGET)
        self._sound(stage)
        if now >= self._next_measure:
            self._next_measure = now + MEASURES
            self._measure(stage, now)
        if not (self.playing or self.show or self._stale):
            return False
        self._stale = False
        self._picture(stage, now)
        return True

    def _catch_up(self, stage: Stage, now: float) -> None:
        """A slow system takes fewer steps than are due, so that commands and frames do not wait for it."""
        dt, end = stage.system.dt, now + BUDGET
        due = self._clock.due(now, dt, self.speed)
        while due > 0 and self.playing and time.monotonic() < end:
            count = self._affordable(due, end - time.monotonic())
            self.advance(count)
            self._clock.paid(count, dt)
            due -= count

    def _affordable(self, wanted: int, seconds: float) -> int:
        """Steps that take about half of the time that is left, as long as the last ones took; few, of what is new."""
        if self._step_time <= 0:
            return min(wanted, UNKNOWN)
        return max(1, min(wanted, int(0.5 * max(seconds, 0.0) / self._step_time)))

    def advance_some(self, count: int) -> None:
        """Take so many steps, as far as the time of a tick goes; those that are left come in the next ones."""
        end, self.owed = time.monotonic() + BUDGET, count
        self._take_owed(end)

    def _take_owed(self, end: float) -> None:
        while self.owed > 0 and not self.diverged and time.monotonic() < end:
            count = self._affordable(self.owed, end - time.monotonic())
            self.owed -= count
            self.advance(count)

    def advance(self, count: int) -> None:
        """Take steps; what goes astray is put back."""
        stage = self.on_stage
        self._recovery.note(stage.system)
        begun, good = time.perf_counter(), stage.system.state()
        try:
            heard = self.sounding.heard(stage) if self.sounding.on(stage) else None
            stage.advance(count, [*self.grips.values(), *self.pins], heard)
            if fault := stage.fault():
                stage.system.restore(good)
                raise Diverged(f"{fault} at t = {stage.system.time:.4g} s")
        except Diverged as reason:
            self._recover(reason)
        taken = time.perf_counter() - begun
        self._step_time = max(taken / count, 0.5 * self._step_time)
        self._meter.count(count, taken, count * stage.system.dt)
        if self.sketchpad is not None:
            self.sketchpad.note(time.monotonic(), [(grip.vertex, grip.steady_force) for grip in self.grips.values()])

    def _recover(self, reason: Diverged) -> None:
        """Everybody lets go, the body goes back to a calm state and plays on; time is held where that does not help."""
        part = f"{reason.part}: " if reason.part and reason.part not in str(reason) else ""
        why, system = part + sentence(reason), self.on_stage.system
        self.drop_hands()
        if self._recovery.put_back(system, time.monotonic()):
            self._tell(
                Notice(f"It went astray, so it is let go and back at t = {system.time:.3g} s: {why}", "error"), None
            )
        else:
            self.diverged, self.playing = f"It goes astray again and again, so time is held: {why}", False
        self._changed()

    def start_over(self) -> None:
        """Back to the start of the scene, as if nothing had happened."""
        self.drop_hands()
        if len(self.on_stage.guests):
            self.forget()
        self.on_stage.reset()
        self._recovery.forget()
        self.diverged = self.show = None

    # What others see

    def _picture(self, stage: Stage, now: float) -> None:
        if stage.refit(self.new_number):
            if self.recorder is not None and not self.recorder.is_empty:
                self.finish_recording()
            self._changed()
        number = next(self._frames)
        if self.show is not None:
            self.frame = show_frame(self.show[1], stage.geometry, number, now - self.show[2])
            return
        self.frame = stage.frame(number)
        if self.recorder is not None:
            self.recorder.note(stage.system, stage.geometry.skin)
            if self.recorder.is_full:
                self.finish_recording()
                self._changed()

    def finish_recording(self) -> None:
        """Stop recording and keep what there is."""
        recorder, self.recorder = self.recorder, None
        if recorder is not None:
            stage = self.on_stage
            title = stage.source.title or stage.name
            self.recording = recorder.recording(title, stage.source.claim)
        waiting, self._waiting = self._waiting, None
        if waiting is not None:
            self._later(waiting)

    def _measure(self, stage: Stage, now: float) -> None:
        step, ratio = self._meter.read(now)
        system = stage.system
        measure = Measure(
            time=system.time,
            step=step,
            dt=system.dt,
            ratio=ratio,
            energy=system.energy(),
            coordinates=tuple(map(float, system.pose().flat[:CHARTED])),
            recorded=self.recorder.seconds if self.recorder else 0.0,
            pulls=len(self.sketchpad.pulls) if self.sketchpad else 0,
            rounding=stage.rounding(),
            off_way=None if stage.following is None else stage.following.distance(system),
        )
        self._tell(measure, None)
        stresses = self.stresses.report(stage, now)
        if stresses is not None:
            for client in self.stresses.clients:
                self._tell(stresses, client)
        inspected = self.inspecting.report(stage, now)
        if inspected is not None:
            for client in self.inspecting.clients:
                self._tell(inspected, client)
        for client, probed in self.probing.reports(stage).items():
            self._tell(probed, client)
        for client, hand in self.grips.items():
            self._tell(HandReport(hand.vertex, True, float(np.linalg.norm(hand.force))), client)

    def _sound(self, stage: Stage) -> None:
        """Hits of this tick, to those who listen."""
        if self.sounding.on(stage):
            hits = self.sounding.heard(stage).report()
            if hits is not None:
                for client in self.sounding.clients:
                    self._tell(hits, client)

    def listen(self, client: int, on: bool) -> None:
        """A page begins or stops to listen."""
        voices = self.sounding.want(client, on, self.on_stage)
        if voices is not None:
            self._tell(voices, client)

    def _changed(self) -> None:
        self._stale, self.status = True, status_of(self)
        self._tell(self.status, None)

    def __repr__(self) -> str:
        state = self.diverged or ("playing" if self.playing else "held")
        return f"Session({self.stage or 'nothing built yet'}, {state}, {len(self.grips) + len(self.pins)} hands)"


def sentence(reason: Exception) -> str:
    """What an error says to a person."""
    return str(reason) if isinstance(reason, PliantError) else f"{type(reason).__name__}: {reason}"
