"""The state of a session as a page shows it."""

from dataclasses import replace
from typing import TYPE_CHECKING

from pliant.app.guests import can_take_guests
from pliant.app.holding import is_free
from pliant.app.inspecting import can_inspect
from pliant.app.keyframing import steerable
from pliant.app.leading import rig_facts
from pliant.app.reports import MeshFacts, SceneEntry, Status
from pliant.app.resketching import can_sketch
from pliant.app.rigging import bone_facts
from pliant.app.stage import Stage
from pliant.app.tuning import tunable

if TYPE_CHECKING:
    from pliant.app.session import Session


def status_of(session: "Session") -> Status:
    """All that a page shows of the simulation but its shape."""
    status = Status(
        scenes=tuple(
            SceneEntry(name, s.title or name, s.claim, s.thumbnail is not None) for name, s in session.scenes.items()
        ),
        playing=session.playing,
        mode=session.show[0] if session.show else None,
        slowed=session.show[1].slowed if session.show else 1.0,
        recording=session.recorder is not None,
        recorded=float(session.recording.times[-1]) if session.recording else None,
        sketching=session.sketchpad is not None,
        diverged=session.diverged,
        speed=session.speed,
        can_undo=session.bookmarks.can_undo,
        saved=session.bookmarks.times,
        pins=tuple(pin.vertex for pin in session.pins),
        failed=session.failed,
        opened=session.opened,
        keyframes=tuple(frame.time for frame in session.keyframing.frames),
        missed=session.keyframing.missed,
    )
    return status if session.stage is None else _with_stage(status, session.stage, session.improving)


def _with_stage(status: Status, stage: Stage, improving: bool) -> Status:
    return replace(
        status,
        scene=stage.name,
        geometry=stage.geometry.number,
        settings=stage.settings,
        tuned=bool(stage.changes),
        tunable=tunable(stage.base),
        most_vectors=stage.most_vectors,
        frequencies=tuple(map(float, stage.vibrations.frequencies)),
        can_sketch=can_sketch(stage.base),
        can_keyframe=steerable(stage.system) is not None,
        can_turn=bool(stage.system.turnable),
        can_throw=can_take_guests(stage.system),
        can_inspect=can_inspect(stage.system),
        can_hear=stage.source.listen is not None,
        free=is_free(stage.system) and not stage.source.grounded,
        camera=stage.source.camera,
        ground=stage.ground,
        exactness=exactness(stage, improving),
        rigs=rig_facts(stage.system),
        clip=stage.leading.facts(),
        mesh=_mesh_facts(stage),
        following=None if stage.following is None else stage.following.facts,
    )


def _mesh_facts(stage: Stage) -> MeshFacts | None:
    mesh = stage.source.mesh
    return None if mesh is None else mesh.facts(bone_facts(stage, mesh))


def exactness(stage: Stage, improving: bool) -> str:
    """How exact the motion is, as far as it is known; a sentence."""
    count, measured = stage.base.size, stage.base.report
    if measured is None:
        better = "; a better choice is being made" if improving else ""
        return f"{count} vectors, whose error is not known{better}"
    found = f"{count} vectors, with an estimated error of {100 * measured.error:.2g} %"
    if measured.error > measured.tolerance:
        return f"{found}, more than the {100 * measured.tolerance:g} % that were aimed at"
    if not measured.meets:
        return f"{found}, and of {100 * measured.sudden:.2g} % where it is pulled twice as far"
    return found
