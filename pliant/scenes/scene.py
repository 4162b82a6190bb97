"""A scene: a simulation as data, with the claim it makes and the numbers the claim stands on."""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from importlib import resources
from pathlib import Path
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np

from pliant.errors import FileError, Ids, SceneError, SelectionError
from pliant.fem import Solid
from pliant.mesh import Mesh
from pliant.mesh.files.surface_files import SURFACE_ENDINGS
from pliant.scenes.cooking import Progress, cook, cook_mesh, cook_solid
from pliant.scenes.reading import check_scene, read_scene
from pliant.scenes.schedule import Schedule, crossing_frequency, play
from pliant.scenes.schema import Camera, Check, Probe, SceneFile
from pliant.systems import System

BARE_EDGE = 0.04  # of the diagonal, for the tets of a surface that comes without a scene
AXES = {"x": 0, "y": 1, "z": 2}


@dataclass
class Track:
    """What the probes saw: times (f,) [s], one displacement (f,) [m] a probe, and the wall time of the steps [s]."""

    times: list[float] = field(default_factory=list)
    values: dict[str, list[float]] = field(default_factory=dict)
    stepping: float = 0.0


class Verdict(NamedTuple):
    """A check and the number that was found."""

    check: Check
    found: float

    @property
    def holds(self) -> bool:
        """Is the number within the tolerance?"""
        return bool(abs(self.found - self.check.value) <= self.check.within * abs(self.check.value))

    def __str__(self) -> str:
        c = self.check
        return f"{c.measure} of {c.probe}: {self.found:.5g}, claimed {c.value:.5g} within {100 * c.within:g} %"


@dataclass(frozen=True, eq=False)
class Scene:
    """A scene file and where it stands.

    Attributes:
        name: of the gallery entry, or of the file without its suffix.
        file: what the file says.
        folder: where its meshes are looked up.
    """

    name: str
    file: SceneFile
    folder: Path

    @property
    def title(self) -> str:
        return self.file.title or self.name

    @property
    def claim(self) -> str:
        return self.file.claim

    @property
    def camera(self) -> Camera | None:
        return self.file.camera

    @property
    def thumbnail(self) -> Path | None:
        """A small picture of it, a .png of its name beside the file."""
        path = self.folder / f"{self.name}.png"
        return path if path.is_file() else None

    @cached_property
    def mesh(self) -> Mesh:
        """The cells of its part."""
        return cook_mesh(self.file.part[0], self.folder)

    @cached_property
    def solid(self) -> Solid:
        """The unreduced solid of its part."""
        return cook_solid(self.file.part[0], self.mesh)

    @cached_property
    def schedule(self) -> Schedule:
        """Its pushes over time."""
        return Schedule(self.file.push, self.mesh)

    def build(self, progress: Progress = None) -> System:
        """Its system, from the cache where possible."""
        return cook(self.file, self.solid, self.folder, progress)

    def with_system(self, system: str) -> "Scene":
        """The same scene on another system."""
        return self.changed(system=system)

    def changed(self, **keys: Any) -> "Scene":
        """The same scene with other keys, checked as a file is; tables in `part` are merged."""
        document = self.file.model_dump(by_alias=True)
        parts = [{**old, **new} for old, new in zip(document["part"], keys.pop("part", [{}]))]
        return Scene(self.name, check_scene({**document, **keys, "part": parts}, self.name), self.folder)

    def watch(
        self,
        system: System,
        seconds: float | None = None,
        every: int = 1,
        seen: Callable[[System], None] | None = None,
        track: Track | None = None,
    ) -> Track:
        """Run `system` with the scene's pushes and note its probes every few steps.

        Args:
            seen: called with the system whenever the probes are noted.
            track: filled and returned; one of your own keeps what was seen when the run ends early.
        """
        count = round((self.file.duration if seconds is None else seconds) / system.dt)
        places = {probe.name: (self._ids(probe), AXES[probe.axis]) for probe in self.file.probe}
        track = Track() if track is None else track
        track.values.update({name: [] for name in places})
        for start in range(0, count, every):
            began = perf_counter()
            play(system, self.schedule, min(every, count - start))
            track.stepping += perf_counter() - began
            u = system.vertices() - self.mesh.vertices
            track.times.append(system.time)
            for name, (ids, axis) in places.items():
                track.values[name].append(float(u[ids, axis].mean()))
            if seen:
                seen(system)
        return track

    def verify(self, track: Track) -> list[Verdict]:
        """Its checks against what the probes saw."""
        return [Verdict(check, _measure(check, track)) for check in self.file.check]

    def _ids(self, probe: Probe) -> Ids:
        if probe.vertex is not None:
            if probe.vertex >= self.mesh.vertex_count:
                raise SelectionError(f"probe {probe.name}: vertex {probe.vertex} is not among {self.mesh.vertex_count}")
            return np.array([probe.vertex])
        ids = self.mesh.select(str(probe.where))
        if not len(ids):
            raise SelectionError(f"probe {probe.name}: where = {probe.where!r} selects no vertex of {self.mesh}")
        return ids


def _measure(check: Check, track: Track) -> float:
    values = np.array(track.values[check.probe])
    if check.measure == "frequency":
        return crossing_frequency(np.array(track.times), values)
    return float({"max": values.max(), "min": values.min(), "final": values[-1]}[check.measure])


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


def scene_of_mesh(path: Path) -> Scene:
    """A scene for a bare mesh or surface file: rubber, its lowest tenth held, the push-button basis."""
    part: dict[str, Any] = {"name": path.stem, "mesh": path.name, "clip": True}
    if path.suffix.lower() in SURFACE_ENDINGS:
        part = {"name": path.stem, "surface": path.name, "edge": BARE_EDGE}
    mesh = cook_mesh(check_scene({"part": [part]}, str(path)).part[0], path.parent)
    low, high = (float(y) for y in mesh.bounds[:, 1])
    part["fixed"] = f"y < {low + 0.1 * (high - low)}"
    # A Young's modulus that lets it sag visibly under its own weight, whatever its size.
    part["material"] = {"young": 50 * 1000 * 9.81 * float(np.ptp(mesh.bounds, axis=0).max())}
    return Scene(path.stem, check_scene({"part": [part]}, str(path)), path.parent)


def _shelf():
    return resources.files("pliant.scenes") / "gallery"
