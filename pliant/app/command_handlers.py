"""What each command does to the session: one function a command, and the table that finds it."""

import time
from collections.abc import Callable, Sequence
from dataclasses import fields
from typing import TYPE_CHECKING, Any

import numpy as np

from pliant.app import messages
from pliant.app.following import check_following
from pliant.app.holding import Grip, Twist
from pliant.app.leading import Lead
from pliant.app.modeshow import ModeShow
from pliant.app.parting import proposed
from pliant.app.recorder import Recorder
from pliant.app.resketching import check_sketchable
from pliant.app.rigging import in_file
from pliant.app.sketchpad import Sketchpad
from pliant.app.tuning import Settings
from pliant.errors import ArgumentError, Array, check_count, check_ids

if TYPE_CHECKING:
    from pliant.app.bare import BareMesh
    from pliant.app.session import Session
    from pliant.app.stage import Stage
    from pliant.systems import System

MOST_PINS = 100


def play(session: "Session", _: messages.Play, __: int) -> None:
    session.check_running()
    session.playing, session.show = True, None


def pause(session: "Session", _: messages.Pause, __: int) -> None:
    session.playing = False


def step(session: "Session", command: messages.Step, _: int) -> None:
    session.check_running()
    session.note()
    session.playing, session.show = False, None
    session.advance_some(command.count)


def reset(session: "Session", _: messages.Reset, __: int) -> None:
    session.note()
    session.start_over()


def grab(session: "Session", command: messages.Grab, client: int) -> None:
    """Who grabs what is kept takes it over."""
    stage = _touched(session, command.vertex)
    others = [hand for other, hand in session.grips.items() if other != client and isinstance(hand, Grip | Lead)]
    if command.vertex in [hand.vertex for hand in others]:
        raise ArgumentError("somebody holds this point already; pull somewhere else")
    session.note()
    session.drop_pins(at=command.vertex)
    try:
        session.take(client, lambda: stage.hand(command.vertex, command.target))
    except ArgumentError:
        if client not in session.sounding.clients:
            raise
        session.leave_alone(client, command.vertex)


def move(session: "Session", command: messages.Move, client: int) -> None:
    hand = session.grips.get(client)
    if isinstance(hand, Grip | Lead):
        hand.target[:] = command.target


def turn(session: "Session", command: messages.TurnInterface, client: int) -> None:
    """The first one takes hold of the interface, those that follow turn it on."""
    hand = session.grips.get(client)
    if isinstance(hand, Twist) and hand.vertex == command.vertex:
        hand.rotation[:] = command.rotation
        return
    stage = _touched(session, command.vertex)
    session.note()
    session.take(client, lambda: Twist(stage.system, command.vertex, command.rotation))


def _touched(session: "Session", vertex: int) -> "Stage":
    stage = session.on_stage
    session.check_running()
    check_ids("vertex", [vertex], len(stage.rest))
    if session.show:
        raise ArgumentError("a mode is shown, which cannot be pulled; press play first")
    return stage


def release(session: "Session", _: messages.Release, client: int) -> None:
    session.leave(client)


def keep(session: "Session", _: messages.Keep, client: int) -> None:
    if client in session.grips:
        if len(session.pins) >= MOST_PINS:
            raise ArgumentError(f"{MOST_PINS} points are kept already; let go of them first")
        session.pins.append(session.grips.pop(client))


def free(session: "Session", _: messages.Free, __: int) -> None:
    session.drop_pins()


def change(session: "Session", command: messages.Set, _: int) -> None:
    given = {f.name: getattr(command, f.name) for f in fields(Settings)}
    _tune(session, {name: value for name, value in given.items() if value is not None})


def defaults(session: "Session", _: messages.Defaults, __: int) -> None:
    session.speed = 1.0
    _tune(session, session.on_stage.changes)


def _tune(session: "Session", changes: dict[str, Any]) -> None:
    """Whoever changes settings after a divergence wants to try again."""
    stage = session.on_stage
    if session.diverged:
        session.start_over()
    before = stage.system
    stage.tune(session.new_number(), changes)
    session.take_again(before)


def pace(session: "Session", command: messages.Pace, _: int) -> None:
    session.speed = command.speed


def undo(session: "Session", _: messages.Undo, __: int) -> None:
    _go_back(session, session.bookmarks.undo)


def save(session: "Session", _: messages.Save, __: int) -> None:
    session.bookmarks.save(session.on_stage.system)


def load(session: "Session", command: messages.Load, _: int) -> None:
    session.note()
    _go_back(session, lambda system: session.bookmarks.load(system, command.state))


def _go_back(session: "Session", go: Callable[["System"], None]) -> None:
    """To another state: no hand may pull it back, and it is a new beginning for what went astray."""
    stage = session.on_stage
    session.drop_hands()
    go(stage.system)
    stage.leading.adopt()
    session.diverged = session.show = None


def show_mode(session: "Session", command: messages.ShowMode, _: int) -> None:
    stage = session.on_stage
    if command.mode is None:
        session.show = None
        return
    vibrations = stage.vibrations
    check_count("mode", command.mode, at_least=0, at_most=len(vibrations.frequencies) - 1)
    show = ModeShow(vibrations, command.mode, stage)
    session.show, session.playing = (command.mode, show, time.monotonic()), False
    session.drop_hands()


def switch(session: "Session", command: messages.SwitchScene, _: int) -> None:
    session.begin(command.name)


def remake(session: "Session", command: messages.Remake, _: int) -> None:
    stage = session.on_stage
    session.admit(stage.name, _bare(stage).remade(command).source())


def _bare(stage: "Stage") -> "BareMesh":
    if stage.source.mesh is None:
        raise ArgumentError("this scene is not made from a bare mesh; change its scene file")
    return stage.source.mesh


def place_bone(session: "Session", command: messages.PlaceBone, _: int) -> None:
    stage = session.on_stage
    mesh = _bare(stage)
    stage.redraft(mesh.draft.placed(in_file(stage, mesh, [command.ends[0], command.ends[-1]])))


def change_bone(session: "Session", command: messages.ChangeBone, _: int) -> None:
    stage = session.on_stage
    stage.redraft(_bare(stage).draft.changed(command))


def paint_bone(session: "Session", command: messages.PaintBone, _: int) -> None:
    stage = session.on_stage
    mesh = _bare(stage)
    stage.redraft(mesh.draft.painted(command.bone, in_file(stage, mesh, command.at), mesh.brush, command.share))


def undo_bone(session: "Session", _: messages.UndoBone, __: int) -> None:
    stage = session.on_stage
    stage.redraft(_bare(stage).draft.undone())


def find_bones(session: "Session", command: messages.FindBones, _: int) -> None:
    session.find_bones(_bare(session.on_stage), command.count or None)


def build_bones(session: "Session", command: messages.BuildBones, _: int) -> None:
    stage = session.on_stage
    session.admit(stage.name, _bare(stage).built(command).source())


def propose_parts(session: "Session", command: messages.ProposeParts, _: int) -> None:
    mesh = _parted(session)
    session.find_parts(lambda: proposed(mesh, command.method, command.count or None))


def paint_part(session: "Session", command: messages.PaintPart, _: int) -> None:
    stage, mesh = session.on_stage, _parted(session)
    places = _in_part(stage, mesh, command.at)
    session.repart(mesh.parting.painted(places, command.radius, command.part))


def cut_part(session: "Session", command: messages.CutPart, _: int) -> None:
    stage, mesh = session.on_stage, _parted(session)
    [place] = _in_part(stage, mesh, [command.at])
    if command.normal is None:
        session.find_parts(lambda: mesh.parting.limb_cut(place))
        return
    assert mesh.scene is not None, "it is opened before it is parted"
    session.repart(mesh.parting.cut(place, np.array(command.normal) @ mesh.scene.bodies[0].stand.R))


def change_part(session: "Session", command: messages.ChangePart, _: int) -> None:
    stage, mesh = session.on_stage, _parted(session)
    stage.repart(mesh.parts.changed(command, mesh.parting), session.new_number())


def join_parts(session: "Session", command: messages.JoinParts, _: int) -> None:
    session.repart(_parted(session).parting.joined(command.part, command.other))


def split_part(session: "Session", command: messages.SplitPart, _: int) -> None:
    mesh = _parted(session)
    session.find_parts(lambda: mesh.parting.split(command.part))


def undo_part(session: "Session", _: messages.UndoPart, __: int) -> None:
    stage = session.on_stage
    stage.repart(_parted(session).parts.undone(), session.new_number())


def show_parts(session: "Session", command: messages.ShowParts, _: int) -> None:
    mesh = _parted(session)
    session.on_stage.show_parts(command.on and mesh.parts.parting is not None, session.new_number())


def build_parts(session: "Session", command: messages.BuildParts, _: int) -> None:
    stage = session.on_stage
    session.admit(stage.name, _bare(stage).in_parts(command).source())


def _parted(session: "Session") -> "BareMesh":
    """A bare mesh that may be cut; a recording has one set of colours."""
    if session.recorder is not None:
        raise ArgumentError("parts cannot be changed while it is recorded; stop the recording first")
    mesh = _bare(session.on_stage)
    _ = mesh.parting  # shells refuse
    return mesh


def _scale(mesh: "BareMesh") -> float:
    assert mesh.scene is not None, "it is opened before it is parted"
    return mesh.scene.bodies[0].part.scale


def _in_part(stage: "Stage", mesh: "BareMesh", places: Sequence[Sequence[float]]) -> Array:
    """Places (k, 3) of the shape at its start, in the coordinates of its part [m]."""
    return np.asarray(_scale(mesh) * in_file(stage, mesh, places))


def colour(session: "Session", command: messages.Colour, client: int) -> None:
    if command.by is None:
        session.stresses.clients.discard(client)
    else:
        session.stresses.want(client, session.on_stage)


def probe(session: "Session", command: messages.Probe, client: int) -> None:
    if command.vertices:
        check_ids("vertices", list(command.vertices), len(session.on_stage.rest))
    session.probing.want(client, command.vertices)


def listen(session: "Session", command: messages.Listen, client: int) -> None:
    session.listen(client, command.on)


def strike(session: "Session", command: messages.Strike, client: int) -> None:
    """Heard by all who listen; nothing moves."""
    stage = session.on_stage
    [vertex] = check_ids("vertex", [command.vertex], len(stage.rest))
    if session.sounding.on(stage):
        session.sounding.heard(stage).strike(stage.system.vertices()[vertex], stage.rest[vertex])


def steer(session: "Session", command: messages.Steer, _: int) -> None:
    check_following(session.on_stage.following).change(command.on, command.gentleness)


def inspect(session: "Session", command: messages.Inspect, client: int) -> None:
    session.inspecting.want(client, command.what, session.on_stage, command.level)


def scrub(session: "Session", command: messages.Scrub, _: int) -> None:
    session.on_stage.leading.scrub(command.time)


def record(session: "Session", command: messages.Record, _: int) -> None:
    if command.on:
        session.recorder = Recorder() if session.on_stage else None
    elif session.recorder is not None:
        session.finish_recording()


def sketch(session: "Session", command: messages.Sketch, _: int) -> None:
    check_sketchable(session.on_stage.base)
    if command.on:
        session.sketchpad = Sketchpad()
    elif session.sketchpad is not None:
        pad, session.sketchpad = session.sketchpad, None
        session.rebuild(pad)


def keep_pose(session: "Session", _: messages.KeepPose, __: int) -> None:
    session.check_running()
    session.keyframing = session.keyframing.kept(session.on_stage.system)


def time_keyframe(session: "Session", command: messages.TimeKeyframe, _: int) -> None:
    session.keyframing = session.keyframing.retimed(command.number, command.time)


def drop_keyframe(session: "Session", command: messages.DropKeyframe, _: int) -> None:
    session.keyframing = session.keyframing.without(command.number)


def find_motion(session: "Session", _: messages.FindMotion, __: int) -> None:
    session.check_running()
    session.find_motion()


# Moving a hand changes nothing that pages show besides the shape, and happens often.
def throw(session: "Session", command: messages.Throw, _: int) -> None:
    session.check_running()
    session.on_stage.guests.throw(command.eye, command.target)
    session.forget()


def drop(session: "Session", _: messages.DropAnother, __: int) -> None:
    session.check_running()
    session.on_stage.guests.drop()
    session.forget()


QUIET = (
    messages.Grab,
    messages.Move,
    messages.Release,
    messages.TurnInterface,
    messages.SwitchScene,
    messages.Colour,
    messages.Strike,
    messages.Listen,
    messages.Probe,
    messages.Inspect,
    messages.Remake,
    messages.FindBones,
    messages.BuildBones,
    messages.ProposeParts,
    messages.SplitPart,
    messages.BuildParts,
)

ACTS: dict[type, Callable[["Session", Any, int], None]] = {
    messages.Play: play,
    messages.Pause: pause,
    messages.Step: step,
    messages.Reset: reset,
    messages.Grab: grab,
    messages.Move: move,
    messages.Release: release,
    messages.TurnInterface: turn,
    messages.Keep: keep,
    messages.Free: free,
    messages.Set: change,
    messages.Defaults: defaults,
    messages.Pace: pace,
    messages.Undo: undo,
    messages.Save: save,
    messages.Load: load,
    messages.ShowMode: show_mode,
    messages.SwitchScene: switch,
    messages.Remake: remake,
    messages.PlaceBone: place_bone,
    messages.ChangeBone: change_bone,
    messages.PaintBone: paint_bone,
    messages.UndoBone: undo_bone,
    messages.FindBones: find_bones,
    messages.BuildBones: build_bones,
    messages.ProposeParts: propose_parts,
    messages.PaintPart: paint_part,
    messages.CutPart: cut_part,
    messages.ChangePart: change_part,
    messages.JoinParts: join_parts,
    messages.SplitPart: split_part,
    messages.UndoPart: undo_part,
    messages.ShowParts: show_parts,
    messages.BuildParts: build_parts,
    messages.Colour: colour,
    messages.Probe: probe,
    messages.Inspect: inspect,
    messages.Scrub: scrub,
    messages.Listen: listen,
    messages.Strike: strike,
    messages.Steer: steer,
    messages.Record: record,
    messages.Sketch: sketch,
    messages.KeepPose: keep_pose,
    messages.TimeKeyframe: time_keyframe,
    messages.DropKeyframe: drop_keyframe,
    messages.FindMotion: find_motion,
    messages.Throw: throw,
    messages.DropAnother: drop,
}
