"""A scene: a simulation as data, with the claim it makes and the numbers the claim stands on."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from importlib import resources
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np

from pliant.errors import Array, FileError, Ids, SceneError, SelectionError
from pliant.fem import Solid
from pliant.mesh import Mesh
from pliant.mesh.files.surface_files import SURFACE_ENDINGS
from pliant.numerics.progress import Progress
from pliant.scenes.assembly import Assembly
from pliant.scenes.painting import build_colours
from pliant.scenes.part_building import build_mesh, build_skin, build_solid
from pliant.scenes.reading import check_scene, read_scene
from pliant.scenes.schedule import Schedule, hands_of, play
from pliant.scenes.schema import WHOLE, Camera, Probe, SceneFile
from pliant.scenes.system_building import build_system
from pliant.scenes.system_building_tree import build_assembly, build_assembly_system
from pliant.scenes.verdict import Track, Verdict, judge
from pliant.systems import System

BARE_EDGE = 0.04  # of the diagonal, for the tets of a surface that comes without a scene
AXES = {"x": 0, "y": 1, "z": 2}


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

    def __repr__(self) -> str:
        return f"Scene({self.name[:60]!r}, {self.file.system}, {len(self.file.part)} parts)"

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
    def assembly(self) -> Assembly | None:
        """Its instanced pieces; None where it has one mesh."""
        return build_assembly(self.file, self.folder)

    @cached_property
    def mesh(self) -> Mesh:
        """The cells of its part, or of all instances of its pieces."""
        return build_mesh(self.file.part[0], self.folder) if self.assembly is None else self.assembly.mesh

    @cached_property
    def solid(self) -> Solid:
        """The unreduced solid of its part."""
        if self.assembly is not None:
            raise SceneError(f"{self.name} is assembled from pieces that only stand on each other; it is no one solid")
        return build_solid(self.file.part[0], self.mesh)

    @cached_property
    def schedule(self) -> Schedule:
        """Its pushes and hands over time."""
        return Schedule(self.file.push, self.mesh, hands_of(self.file, self.mesh))

    def build(self, progress: Progress = None) -> System:
        """Its system, from the cache where possible, in the skin that its part asks for."""
        if self.assembly is None:
            system = build_system(self.file, self.solid, self.folder, progress)
        else:
            system = build_assembly_system(self.file, self.assembly, progress)
        surface = build_skin(self.file.part[0], self.folder)
        if surface is not None:
            system.wear(surface)
        elif self.file.paint:
            system.paint(build_colours(self.file.paint, self.mesh, self.assembly))
        return system

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
        """Run `system` with the scene's pushes and note its probes every few steps; momenta too, where a check asks.

        Args:
            seen: called with the system whenever the probes are noted.
            track: filled and returned; one of your own keeps what was seen when the run ends early.
        """
        count = round((self.file.duration if seconds is None else seconds) / system.dt)
        places = {probe.name: (self.probed(probe), AXES[probe.axis]) for probe in self.file.probe}
        weighed = any(check.measure in WHOLE for check in self.file.check)
        track = Track() if track is None else track
        track.values.update({name: [] for name in places})
        track.pushed_until = self.schedule.end
        for start in range(0, count, every):
            began = perf_counter()
            play(system, self.schedule, min(every, count - start))
            track.stepping += perf_counter() - began
            track.times.append(system.time)
            for name, (ids, axis) in places.items():
                u = _places(system, ids) - self.mesh.vertices[ids]
                track.values[name].append(float(u[:, axis].mean()))
            if weighed:
                track.momenta.append(np.concatenate(system.momentum()))
            if seen:
                seen(system)
        return track

    def verify(self, track: Track) -> list[Verdict]:
        """Its checks against what was seen."""
        return [judge(check, track) for check in self.file.check]

    def probed(self, probe: Probe) -> Ids:
        """The vertices that a probe watches."""
        if probe.vertex is not None:
            if probe.vertex >= self.mesh.vertex_count:
                raise SelectionError(f"probe {probe.name}: vertex {probe.vertex} is not among {self.mesh.vertex_count}")
            return np.array([probe.vertex])
        ids = self.mesh.select(str(probe.where))
        if not len(ids):
            raise SelectionError(f"probe {probe.name}: where = {probe.where!r} selects no vertex of {self.mesh}")
        return ids


def _places(system: System, ids: Ids) -> Array:
    """World positions (k, 3) [m] of a few vertices of the mesh."""
    return system.vertices("mesh")[ids] if system.body is None else system.body.vertices_at(system.pose(), ids)


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
    mesh = build_mesh(check_scene({"part": [part]}, str(path)).part[0], path.parent)
    low, high = (float(y) for y in mesh.bounds[:, 1])
    part["fixed"] = f"y < {low + 0.1 * (high - low)}"
    # A Young's modulus that lets it sag visibly under its own weight, whatever its size.
    part["material"] = {"young": 50 * 1000 * 9.81 * float(np.ptp(mesh.bounds, axis=0).max())}
    return Scene(path.stem, check_scene({"part": [part]}, str(path)), path.parent)


def _shelf():
    return resources.files("pliant.scenes") / "gallery"
