"""A bare mesh in the viewer: read once, opened with what is said of it, and opened again when more is said."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from pliant.app.messages import BuildBones, BuildParts, Remake
from pliant.app.parting import PartDraft, decided
from pliant.app.reports import BoneFacts, MeshFacts
from pliant.app.rigging import Draft
from pliant.app.showing import source_of
from pliant.app.sources import SceneSource, opened_later
from pliant.errors import ArgumentError, Array, Ids, check_ids
from pliant.mesh import Mesh, Surface, embed
from pliant.mesh.files.surface_texture import Texture, read_texture
from pliant.mesh.parting import Parting
from pliant.numerics.progress import Report
from pliant.scenes import Scene, scene_of_mesh
from pliant.scenes.bare_mesh import read_bare
from pliant.scenes.part_tables import COMMON
from pliant.scenes.presets import PRESETS
from pliant.scenes.standing import TURNS
from pliant.scenes.units import length_of_unit

PAINTED = "painted"
BRUSH = 0.08  # of the longest side: radius of a dab
REACHED, SLACK = 4, 1.01  # vertices of the cells that a dab reaches, and the digits that a selection leaves out
MOST_DABS = 16  # for which a selection has room

Opened = Callable[[Scene], None]


@dataclass(frozen=True, eq=False)
class Dabs:
    """What is painted: all that is within a radius of some places (k, 3), in units of the file."""

    places: Array
    radius: float

    def selection(self, unit: float) -> str:
        """In metres; `unit` is that of the file [m]."""
        dabs = ["+".join(f"({axis}-{c:.4g})**2" for axis, c in zip("xyz", dab)) for dab in unit * self.places]
        nearest = f"min({', '.join(dabs)})" if len(dabs) > 1 else dabs[0]
        return f"{nearest} < {(unit * self.radius) ** 2:.3g}".replace("--", "+")


@dataclass(frozen=True, eq=False)
class BareMesh:
    """A mesh or surface file, and what is said of it.

    Attributes:
        path: the file. shape: what is in it.
        given: what is said, as for `scene_of_mesh`.
        dabs: where it is painted to be held.
        draft: bones that are placed in it. character: what was said of them when they were built; None: they are not.
        parts: those that are painted and cut. parted: what was said of them when they were built; None: they are not.
        scene: what was made of it; None before it is opened.
    """

    path: Path
    shape: Mesh | Surface
    given: Mapping[str, Any]
    dabs: "Dabs | None" = None
    draft: Draft = field(default_factory=Draft)
    character: BuildBones | None = None
    parts: PartDraft = field(default_factory=PartDraft)
    parted: BuildParts | None = None
    scene: Scene | None = None

    @staticmethod
    def read(path: Path, **given: Any) -> "BareMesh":
        """From a file; `given` as for `scene_of_mesh`, None where nothing is said."""
        return BareMesh(path, read_bare(path), {key: value for key, value in given.items() if value is not None})

    def source(self, opened: Opened | None = None) -> SceneSource:
        """To be opened by a session; `opened` is told the scene."""

        def open_it(progress: Report) -> SceneSource:
            scene = scene_of_mesh(self.path, shape=self.shape, progress=progress, **self._said)
            if opened is not None:
                opened(scene)
            return replace(source_of(scene), mesh=replace(self, scene=scene), texture=self._texture())

        return opened_later(self.path.stem, open_it)

    def remade(self, command: Remake) -> "BareMesh":
        """With what a page says of it."""
        said = dict(self.given)
        if command.size is not None:
            said |= {"scale": command.size / self._extent, "unit": None}
        if command.material is not None:
            said |= {"material": command.material or None, **dict.fromkeys(COMMON)}
        said |= command.model_dump(include={"up", *COMMON}, exclude_none=True)
        dabs = self.dabs
        if command.held is not None:
            said["fixed"], dabs = command.held, None
        if command.dabs is not None:
            dabs = self._dabs(command.dabs)
        given = {key: value for key, value in said.items() if value is not None}
        return replace(self, given=given, dabs=dabs, scene=None)

    def _texture(self) -> Texture | None:
        if isinstance(self.shape, Mesh):
            return None
        return read_texture(self.path, self.shape.vertices, self.shape.triangles)

    @property
    def _extent(self) -> float:
        """Its longest side in units of the file."""
        return float(np.ptp(self.shape.bounds, axis=0).max())

    def _dabs(self, vertices: Sequence[int]) -> Dabs:
        """On vertices of what is drawn, as wide as the brush, and as reaches a few vertices of the cells."""
        if len(vertices) > MOST_DABS:
            raise ArgumentError(f"what is held may be painted with {MOST_DABS} dabs; {len(vertices)} were given")
        assert self.scene is not None, "it is painted when it is seen"
        cells, X = self._cells, self.drawn
        check_ids("dabs", vertices, len(X))
        far = [np.sort(np.linalg.norm(cells - X[v], axis=1))[REACHED - 1] for v in vertices]
        return Dabs(X[list(vertices)], max(self.brush, SLACK * max(far)))

    def built(self, command: BuildBones) -> "BareMesh":
        """A character of the bones that are placed, or a plain solid again."""
        if command.on:
            self.draft.table(1.0, command.modes, command.weights)  # are there any?
        return replace(self, character=command if command.on else None, parted=None, scene=None)

    def in_parts(self, command: BuildParts) -> "BareMesh":
        """A system of the parts that are made, or a plain solid again."""
        if command.on:
            command = decided(self, command)
        return replace(self, parted=command if command.on else None, character=None, scene=None)

    @cached_property
    def parting(self) -> Parting:
        """The parts of its cells [m]; one, before any was made or where it is filled otherwise now."""
        assert self.scene is not None, "it is opened before it is parted"
        cells, made = self.scene.bodies[0].shape, self.parts.parting
        return (
            Parting.of(cells) if made is None or made.mesh.cell_count != cells.cell_count else replace(made, mesh=cells)
        )

    @cached_property
    def cells_below(self) -> Ids:
        """(t,) the cell that carries every triangle that is drawn."""
        assert self.scene is not None, "it is opened before it is shown"
        body = self.scene.bodies[0]
        if isinstance(self.shape, Mesh):
            return body.shape.surface_cells
        corners = body.part.scale * self.shape.vertices[self.shape.triangles]
        return embed(body.shape, corners.mean(axis=1)).cells

    @property
    def brush(self) -> float:
        """Radius of a dab, in units of the file."""
        return BRUSH * self._extent

    @property
    def _cells(self) -> Array:
        """(n, 3) vertices of its cells, in units of the file."""
        assert self.scene is not None, "it is opened before it is shown"
        return self.scene.bodies[0].shape.vertices / self.scene.file.part[0].scale

    @property
    def drawn(self) -> Array:
        """(n, 3) vertices that are drawn, in units of the file."""
        return self._cells if isinstance(self.shape, Mesh) else self.shape.vertices

    @property
    def _unit(self) -> float:
        """That of the file [m]."""
        return length_of_unit(self._extent, self.given.get("scale"), self.given.get("unit"))[0]

    @property
    def _said(self) -> dict[str, Any]:
        """As for `scene_of_mesh`, with what is painted as a selection."""
        said = dict(self.given)
        if self.dabs is not None:
            said["fixed"] = self.dabs.selection(self._unit)
        if self.character is not None:
            said["bones"] = self.draft.table(self._unit, self.character.modes, self.character.weights)
        if self.parted is not None:
            said["parting"] = self.parts.table(self.parted)
        return said

    def facts(self, bones: tuple[BoneFacts, ...] = ()) -> MeshFacts:
        """For the page."""
        assert self.scene is not None, "it is opened before it is shown"
        part = self.scene.file.part[0]
        held = self.given.get("fixed", "feet")
        return MeshFacts(
            file=self.path.name,
            size=part.scale * self._extent,
            up=next(axis for axis, turn in TURNS.items() if turn == self.scene.bodies[0].table.turn),
            held=held if self.dabs is None else PAINTED,
            material=str(self.given.get("material", "")),
            young=part.material.young,
            poisson=part.material.poisson,
            density=part.material.density,
            notes=self.scene.notes,
            presets={name: (preset.young, preset.poisson, preset.density) for name, preset in PRESETS.items()},
            brush=part.scale * self.brush,
            dabs=MOST_DABS,
            bones=bones,
            can_undo_bones=self.draft.before is not None,
            character=self.character is not None,
            parts=self.parts.facts,
            parts_said=self.parts.sentences,
            can_undo_parts=self.parts.before is not None,
            parted=self.parted is not None,
            can_part=self.scene.bodies[0].shape.kind != "triangle",
        )
