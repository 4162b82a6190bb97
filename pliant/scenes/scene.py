"""A scene: a simulation as data, with the claim it makes and the numbers the claim stands on."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from importlib import resources
from itertools import zip_longest
from os import PathLike
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np

from pliant.errors import Array, FileError, Ids, SceneError, check_choice
from pliant.fem import Solid
from pliant.mesh import Mesh
from pliant.mesh.files.surface_files import reading_once
from pliant.numerics.progress import Progress
from pliant.scenes.assembly import Assembly
from pliant.scenes.bodies import Body, bodies_of, first_vertices, joined_mesh, own_vertex, rest_places, selected
from pliant.scenes.control_tables import OF_CONTROL
from pliant.scenes.controlling import Control, begin_in_stride, control_of, left_alone
from pliant.scenes.hands import places
from pliant.scenes.keyframe_tables import STEERED
from pliant.scenes.kinds import SYSTEMS
from pliant.scenes.observing import observers
from pliant.scenes.painting import check_painted
from pliant.scenes.reading import check_scene, read_scene
from pliant.scenes.saving import moved, write_scene
from pliant.scenes.schedule import Schedule, schedule_of
from pliant.scenes.schema import MISSED, OF_SOUNDS, OF_WORLDS, Camera, Probe, SceneFile
from pliant.scenes.sounding import Listening, listen
from pliant.scenes.system_building import build_body, build_whole
from pliant.scenes.verdict import Track, Verdict, judge
from pliant.systems import Bodies, System
from pliant.systems.playing import Forces, play_and_look

NUMERICAL = ("newton", "precision", "damping_law", "warp")  # what a comparison on another system need not keep
AXES = {"x": 0, "y": 1, "z": 2}


@dataclass(frozen=True, eq=False)
class Scene:
    """A scene file and where it stands.

    Attributes:
        name: of the gallery entry, or of the file without its suffix.
        file: what the file says.
        folder: where its meshes are looked up.
        meshes: of parts by name, where they are at hand already.
        notes: what was assumed in making it, in sentences.
        studied: makes something else of its system, for comparisons; None: it is as it is.
    """

    name: str
    file: SceneFile
    folder: Path
    meshes: Mapping[str, Mesh] = field(default_factory=dict, repr=False)
    notes: tuple[str, ...] = ()
    studied: Callable[[Any], Any] | None = field(default=None, repr=False)

    def __repr__(self) -> str:
        return f"Scene({self.name[:60]!r}, {self.file.system}, {len(self.file.part)} parts)"

    @property
    def title(self) -> str:
        return self.file.title or self.name

    @property
    def claim(self) -> str:
        return self.file.claim

    @property
    def floor(self) -> float | None:
        """Height of the floor that is drawn [m]: as the file says, or that of the highest level ground."""
        level = [each.height for each in self.file.ground if not any(each.normal[::2]) and each.normal[1] > 0]
        return max(level, default=None) if self.file.floor is None else self.file.floor

    @property
    def camera(self) -> Camera | None:
        return self.file.camera

    @property
    def thumbnail(self) -> Path | None:
        """A small picture of it, a .png of its name beside the file."""
        path = self.folder / f"{self.name}.png"
        return path if path.is_file() else None

    @cached_property
    def bodies(self) -> tuple[Body, ...]:
        """Its bodies, each with a `name`, a `mesh` and a `solid`; most scenes have one."""
        return bodies_of(self.file, self.folder, self.meshes)

    @property
    def assembly(self) -> Assembly | None:
        """The instanced pieces of its only body; None where that is one mesh, or there are several."""
        return self.bodies[0].assembly if len(self.bodies) == 1 else None

    @cached_property
    def mesh(self) -> Mesh:
        """The cells of all bodies, one body after the other."""
        return joined_mesh(self.bodies)

    @property
    def solid(self) -> Solid:
        """The unreduced solid of its only body."""
        if len(self.bodies) > 1:
            names = ", ".join(body.name for body in self.bodies)
            raise SceneError(f"{self.name} has several bodies, {names}; ask one of scene.bodies for its solid")
        return self.bodies[0].solid

    @cached_property
    def schedule(self) -> Schedule:
        """Its pushes and hands over time."""
        return schedule_of(self.file, self.bodies)

    def build(self, progress: Progress = None) -> System:
        """Its system, from the cache where possible, in the skins that its parts ask for."""
        with reading_once():
            return self._build(progress)

    def _build(self, progress: Progress) -> System:
        bodies, hands = self.bodies, self.schedule.hands
        if SYSTEMS[self.file.system].whole is not None:
            whole = self._steered(build_whole(self.file, bodies, hands, progress), progress)
            return whole if self.studied is None else self.studied(whole)
        if len(bodies) > 1:
            check_painted(self.file.paint, [body.name for body in bodies])
        systems = [
            build_body(self.file, body, [hand for hand in hands if hand.body == k], progress)
            for k, body in enumerate(bodies)
        ]
        alone = len(systems) == 1
        whole = systems[0] if alone else Bodies(systems, [body.name for body in bodies])
        return self._steered(whole, progress)

    def _steered(self, system: System, progress: Progress) -> System:
        """With forces that bring it through the keyframes of the scene, or in stride with the motion it is held to."""
        begin_in_stride(self.file, self.bodies, self.schedule, system)
        if self.schedule.steering is not None:
            self.schedule.steering.plan(system, progress)
        return system

    def with_system(self, system: str, **keys: Any) -> "Scene":
        """The same scene on another kind of system, without what only says how fast or exact the old one was."""
        kind = check_choice("system", system, tuple(SYSTEMS))
        takes = SYSTEMS[kind].accepts
        dropped: dict[str, Any] = {key: None for key in NUMERICAL if key not in takes}
        if "bones" not in takes:
            dropped |= self.without_bones()
        unmeasured: tuple[str, ...] = OF_WORLDS if SYSTEMS[kind].whole is None else ()
        if self.file.tracked is not None:  # what follows one motion is no comparison of two
            dropped["control"] = None
            unmeasured = (*unmeasured, *OF_CONTROL)
        if self.file.keyed is not None and kind not in STEERED:
            dropped |= {"control": None, "keyframe": None}
            unmeasured = (*unmeasured, MISSED)
        if unmeasured:
            kept = [each for each in self.file.check if each.measure not in unmeasured]
            dropped["check"] = [each.model_dump(exclude_unset=True) for each in kept]
        tables = dropped.pop("body", [body.model_dump(exclude_unset=True) for body in self.file.body])
        bodies = [{**table, "system": kind} for table in tables]
        return self.changed(system=kind, body=bodies or None, **{**dropped, **keys})

    def without_bones(self) -> dict[str, Any]:
        """Keys for `changed` that leave out all that characters have."""
        return {
            "part": [{"bones": None, "proxy": None}] * len(self.file.part),
            "body": [body.model_dump(exclude_unset=True, exclude={"self_collision"}) for body in self.file.body],
            "actuate": [
                each.model_dump(by_alias=True, exclude_unset=True) for each in self.file.actuate if each.muscles
            ],
            "drive": None,
        }

    def changed(self, **keys: Any) -> "Scene":
        """The same scene with other keys, None for the default, checked as a file is; tables in `part` are merged."""

        def whole(table: dict[str, Any]) -> dict[str, Any]:
            return {key: value for key, value in table.items() if value is not None}

        document = self.file.model_dump(by_alias=True, exclude_unset=True)
        tables: list[dict[str, Any]] = keys.pop("part", [])
        parts = [
            whole({**old, **new}) for old, new in zip_longest(document["part"], tables, fillvalue=dict[str, Any]())
        ]
        return Scene(self.name, check_scene(whole({**document, **keys, "part": parts}), self.name), self.folder)

    def save(self, path: str | PathLike[str]) -> None:
        """Write it as a scene file, whole or not at all; files that it names are found from there."""
        document = self.file.model_dump(mode="json", by_alias=True, exclude_unset=True)
        write_scene(moved(document, self.folder, Path(path).parent), path, self.notes)

    def watch(
        self,
        system: System,
        seconds: float | None = None,
        every: int = 1,
        seen: Callable[[System], None] | None = None,
        track: Track | None = None,
    ) -> Track:
        """Run `system` with the scene's pushes and note its probes every few steps; more of it, where a check asks.

        Args:
            seen: called with the system whenever the probes are noted.
            track: filled and returned; one of your own keeps what was seen when the run ends early.
        """
        span = self.file.duration if seconds is None else seconds
        listening = self.listen(system) if any(check.measure in OF_SOUNDS for check in self.file.check) else None
        count = round(span / system.dt)
        watched = {probe.name: (self.probed(probe), AXES[probe.axis]) for probe in self.file.probe}
        whole, control = observers(self.file, system), self.control(system)
        if control is not None and any(check.measure in OF_CONTROL for check in self.file.check):
            whole.append(control.observer(system))
        track = Track() if track is None else track
        track.values.update({name: [] for name in watched})
        track.pushed_until = self.schedule.end
        steering = self.schedule.steering
        began = perf_counter()

        def look(system: System) -> None:
            nonlocal began
            track.stepping += perf_counter() - began
            track.times.append(system.time)
            for name, (ids, axis) in watched.items():
                u = places(system, ids) - self.rest[ids]
                track.values[name].append(float(u[:, axis].mean()))
            if steering is not None and (off := steering.missed_now(system)) is not None:
                track.missed.append(off)
            for observe in whole:
                observe(track)
            if seen:
                seen(system)
            began = perf_counter()

        forces = next((each.forces for each in (control, listening) if each is not None), self.schedule)
        play_and_look(system, forces, [*range(every, count, every), count], look)
        if listening is not None:
            track.tones, track.glides = listening.measured(self.file.check, span)
        return track

    def listen(self, system: System) -> Listening | None:
        """What is heard of its parts that sound, of a run that begins now; None where none does.

        Let `forces` of it act instead of the schedule; a world then takes its small steps one by one.
        """
        return listen(self.file, self.bodies, self.schedule, system)

    @property
    def alone(self) -> Forces:
        """What acts on its system where nothing steers it: its schedule, and what makes its motion, and knocks."""
        return left_alone(self.file, self.bodies, self.schedule)

    def steer(self, system: System) -> Control | None:
        """As `control`, of a system that is anywhere, which it puts where its motion repeats."""
        begin_in_stride(self.file, self.bodies, self.schedule, system)
        return self.control(system)

    def control(self, system: System, progress: Progress = None) -> Control | None:
        """What brings a system, which is at the start of the scene, back to its motion; None where nothing does.

        Let `forces` of it act instead of the schedule.
        """
        return control_of(self.file, self.bodies, self.schedule, system, progress)

    def verify(self, track: Track) -> list[Verdict]:
        """Its checks against what was seen."""
        return [judge(check, track) for check in self.file.check]

    def probed(self, probe: Probe) -> Ids:
        """The vertices that a probe watches."""
        if probe.vertex is not None:
            body, own = own_vertex(self.bodies, probe.vertex, f"probe {probe.name}:")
            return np.array([first_vertices(self.bodies)[body] + own])
        return selected(self.bodies, str(probe.where), f"probe {probe.name}:")

    @cached_property
    def rest(self) -> Array:
        """Where the vertices of its system are at rest (n, 3) [m]."""
        return rest_places(self.bodies)


def gallery() -> list[str]:
    """Names of all gallery scenes."""
    return sorted(entry.name.removesuffix(".toml") for entry in _shelf().iterdir() if entry.name.endswith(".toml"))


def load_scene(name: str | Path) -> Scene:
    """A gallery scene by its name, or the scene in a .toml file."""
    text = str(name)
    if text in gallery():
        with resources.as_file(_shelf() / f"{text}.toml") as path:
            return Scene(text, read_scene(path), path.parent)
    path = Path(text)
    if path.suffix != ".toml":
        raise SceneError(f"no scene is called {text!r}; give a .toml file or one of: {', '.join(gallery())}")
    if not path.is_file():
        raise FileError(f"the scene {path} does not exist; give a .toml file or one of: {', '.join(gallery())}")
    return Scene(path.stem, read_scene(path), path.parent)


def _shelf():
    return resources.files("pliant.scenes") / "gallery"
