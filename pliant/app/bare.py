"""A bare mesh in the viewer: read once, opened with what is said of it, and opened again when more is said."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from pliant.app.reports import MeshFacts
from pliant.app.showing import source_of
from pliant.app.sources import SceneSource
from pliant.errors import ArgumentError, Array, check_ids
from pliant.mesh import Mesh, Surface
from pliant.numerics.progress import Report
from pliant.scenes import Scene, scene_of_mesh
from pliant.scenes.bare_mesh import read_bare
from pliant.scenes.part_building import build_skin
from pliant.scenes.presets import PRESETS
from pliant.scenes.standing import ENDS, NOTHING, TURNS

QUICK = {"kind": "modal", "modes": 8, "size": 30}
PAINTED = "painted"
BRUSH = 0.08  # of the longest side: radius of a dab
MOST_DABS = 16  # that a selection has room for

Opened = Callable[[Scene], None]


@dataclass(frozen=True, eq=False)
class BareMesh:
    """A mesh or surface file, and what is said of it.

    Attributes:
        path: the file. shape: what is in it.
        given: what is said, as for `scene_of_mesh`.
        scene: what was made of it; None before it is opened.
    """

    path: Path
    shape: Mesh | Surface
    given: Mapping[str, Any]
    scene: Scene | None = None

    @staticmethod
    def read(path: Path, **given: Any) -> "BareMesh":
        """From a file; `given` as for `scene_of_mesh`, None where nothing is said."""
        return BareMesh(path, read_bare(path), {key: value for key, value in given.items() if value is not None})

    def source(self, opened: Opened | None = None) -> SceneSource:
        """To be opened by a session; `opened` is told the scene."""

        def open_it(progress: Report) -> SceneSource:
            scene = scene_of_mesh(self.path, shape=self.shape, progress=progress, **self.given)
            if opened is not None:
                opened(scene)
            return replace(_two_steps(scene), mesh=replace(self, scene=scene))

        return SceneSource(build=lambda _: _never(), title=self.path.stem, open=open_it)

    def changed(self, changes: Mapping[str, Any]) -> "BareMesh":
        """With other things said of it; None takes back what was said."""
        said = {key: value for key, value in {**self.given, **changes}.items() if value is not None}
        return replace(self, given=said, scene=None)

    def scale_of(self, size: float) -> float:
        """Metres a unit of the file, so that its longest side is `size` [m]."""
        return size / float(np.ptp(self.shape.bounds, axis=0).max())

    def painted(self, vertices: Sequence[int]) -> str:
        """A selection of what lies within a brush of some vertices of what is drawn."""
        if not 0 < len(vertices) <= MOST_DABS:
            raise ArgumentError(f"paint what is held with 1 to {MOST_DABS} dabs; {len(vertices)} were given")
        X = self._drawn()
        check_ids("vertices", vertices, len(X))
        radius = BRUSH * float(np.ptp(X, axis=0).max())
        dabs = [" + ".join(f"({axis} - {c:.4g})**2" for axis, c in zip("xyz", X[v])) for v in vertices]
        nearest = f"min({', '.join(dabs)})" if len(dabs) > 1 else dabs[0]
        return f"{nearest} < {radius**2:.3g}".replace("- -", "+ ")

    def _drawn(self) -> Array:
        """(n, 3) [m] in the coordinates of the part, which selections speak of."""
        assert self.scene is not None, "it is painted when it is seen"
        part = self.scene.file.part[0]
        skin = build_skin(part, self.scene.folder)
        return self.scene.bodies[0].shape.vertices if skin is None else skin.vertices

    def facts(self) -> MeshFacts:
        """For the page."""
        assert self.scene is not None, "it is opened before it is shown"
        part = self.scene.file.part[0]
        held = self.given.get("fixed", "feet")
        known = (*ENDS, NOTHING)
        return MeshFacts(
            file=self.path.name,
            size=part.scale * float(np.ptp(self.shape.bounds, axis=0).max()),
            up=next(axis for axis, turn in TURNS.items() if turn == self.scene.bodies[0].table.turn),
            held=held if held in known else PAINTED,
            material=str(self.given.get("material", "")),
            young=part.material.young,
            poisson=part.material.poisson,
            density=part.material.density,
            notes=self.scene.notes,
            presets={name: (preset.young, preset.poisson, preset.density) for name, preset in PRESETS.items()},
        )


def _two_steps(scene: Scene) -> SceneSource:
    """A quick basis first where one is to be chosen."""
    source = source_of(scene)
    if scene.file.part[0].basis.kind != "chosen":
        return source
    quick = replace(scene.changed(part=[{"basis": QUICK}]), meshes=scene.meshes)
    return replace(source, first=quick.build)


def _never() -> Any:
    raise AssertionError("a bare mesh is opened first")
