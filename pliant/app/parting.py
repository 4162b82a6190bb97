"""Parts that a person makes of a bare mesh: a draft that is painted and cut, and what a scene has of it."""

from __future__ import annotations

import colorsys
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from pliant.app.messages import BuildParts, ChangePart
from pliant.app.reports import PartFacts
from pliant.basis import vibration_parts
from pliant.errors import ArgumentError, Array, Ids, PliantError
from pliant.mesh import split
from pliant.mesh.parting import Parting, run_lengths
from pliant.scenes.kinds import SYSTEMS

if TYPE_CHECKING:
    from pliant.app.bare import BareMesh

GOLDEN = 0.618034  # of a turn of hue from one part to the next, so that neighbours differ
FIRST = 0.55  # hue of the first
MODES = 12  # of a part, where nobody says
SAID = 6  # sentences
OF_PARTS = {"root", "rigid", "sizes"}  # keys of kinds of systems that take what is said of parts
USUAL = 6  # parts by vibration, where nobody says how many


@dataclass(frozen=True)
class PartSaid:
    """Of one part: does it deform, and in how many vectors."""

    rigid: bool = False
    modes: int = MODES


@dataclass(frozen=True, eq=False)
class PartDraft:
    """All that is painted, cut and said.

    Attributes:
        parting: None before anything was.
        said: by name of a part, where it is not the usual. root: name of what carries the others; None: as it fits.
        before: the draft before the last change, to go back to.
    """

    parting: Parting | None = None
    said: Mapping[str, PartSaid] = field(default_factory=dict)
    root: str | None = None
    before: PartDraft | None = None

    def __repr__(self) -> str:
        return f"PartDraft({self.parting or 'nothing'})"

    def with_parts(self, parting: Parting) -> PartDraft:
        """With other parts; what is said of those that are gone is forgotten."""
        said = {name: what for name, what in self.said.items() if name in parting.names}
        return PartDraft(parting, said, self.root if self.root in parting.names else None, self)

    def changed(self, command: ChangePart, parting: Parting) -> PartDraft:
        """With another name of a part, or other words on it."""
        number = parting.number(command.part)
        old = parting.names[number]
        name = command.name or old
        keys = command.model_dump(include={"rigid", "modes"}, exclude_none=True)
        said = {**self.said, old: replace(self.said.get(old, PartSaid()), **keys)}
        said = {name if key == old else key: what for key, what in said.items()}
        root = name if self.root == old else self.root
        if command.root is not None:
            root = name if command.root else None
        return PartDraft(parting.renamed(number, name), said, root, self)

    def undone(self) -> PartDraft:
        """As before the last change."""
        if self.before is None:
            raise ArgumentError("no part is made that could be taken back")
        return self.before

    def of(self, name: str) -> PartSaid:
        return self.said.get(name, PartSaid())

    def table(self, command: BuildParts) -> dict[str, Any]:
        """As `scene_of_mesh` has it.

        Raises:
            ArgumentError: there is one part alone.
            MeshError: a part is in several pieces.
        """
        parting = self.parting
        if parting is None or parting.count < 2:
            raise ArgumentError("there is one part alone; paint another, cut one off, or let them be proposed")
        _ = parting.domains  # says which part falls apart
        kind = command.system or "seams"
        table: dict[str, Any] = {"system": kind}
        if set(getattr(SYSTEMS[kind].table, "model_fields", ())) >= OF_PARTS:
            sizes = {name: 0 if self.of(name).rigid else self.of(name).modes for name in parting.names}
            said = {"root": self.root, "rigid": [name for name in parting.names if self.of(name).rigid], "sizes": sizes}
            table[kind] = {key: value for key, value in said.items() if value}
        elif self.said or self.root:
            raise ArgumentError("modes of a part, rigid ones and a root are for trees; build a tree, or take them back")
        paint = {name: _hex(part_colour(k)) for k, name in enumerate(parting.names)}
        return {"labels": run_lengths(parting.labels), "label_names": list(parting.names), "paint": paint, **table}

    @cached_property
    def facts(self) -> tuple[PartFacts, ...]:
        """For pages."""
        if self.parting is None:
            return ()
        rows = zip(self.parting.names, self.parting.volumes, self.parting.pieces)
        return tuple(
            PartFacts(
                name,
                _hex(part_colour(k)),
                float(f"{share:.3g}"),
                int(pieces),
                self.of(name).rigid,
                self.of(name).modes,
                name == self.root,
            )
            for k, (name, share, pieces) in enumerate(rows)
        )

    @cached_property
    def sentences(self) -> tuple[str, ...]:
        """What is good and bad about the parts."""
        said = () if self.parting is None else self.parting.said
        return said if len(said) <= SAID else (*said[:SAID], f"and {len(said) - SAID} things more")


def proposed(mesh: BareMesh, method: str, count: int | None) -> Parting:
    """Parts of the cells of a bare mesh, found by a method; `count` may be left to all but vibration."""
    assert mesh.scene is not None, "it is opened before it is parted"
    cells, solid = mesh.parting.mesh, mesh.scene.bodies[0].of_its_part.solid
    labels = vibration_parts(solid, count or USUAL) if method == "vibration" else split(cells, count, method)
    return Parting.of(cells, labels).freed(solid.fixed)


def decided(mesh: BareMesh, command: BuildParts) -> BuildParts:
    """The command with a system: a tree where the parts make one and what is held lies in its root, else seams.

    Raises:
        ArgumentError: there is one part alone, or one is held whole; or what is said of parts is for trees.
        MeshError: a part is in several pieces.
    """
    assert mesh.scene is not None, "it is opened before it is parted"
    fixed, draft = mesh.scene.bodies[0].of_its_part.solid.fixed, mesh.parts
    fits = "tree" if draft.said or draft.root or _makes_tree(mesh.parting, fixed) else "seams"
    chosen = command.model_copy(update={"system": command.system or fits})
    draft.table(chosen)
    if held := mesh.parting.held_whole(fixed):
        name = mesh.parting.names[held[0]]
        raise ArgumentError(f"{name} is held whole, so it cannot move; join it to a neighbour, or hold less")
    return chosen


def _makes_tree(parting: Parting, fixed: Ids) -> bool:
    try:
        parting.domains.rooted(parting.domains.root_of(fixed))
    except PliantError:
        return False
    return True


def part_colour(part: int) -> tuple[float, float, float]:
    """From 0 to 1."""
    return colorsys.hls_to_rgb((FIRST + part * GOLDEN) % 1, 0.56, 0.5)


def colours_of(mesh: BareMesh, parting: Parting) -> Array:
    """(t, 3) of every triangle that is drawn."""
    palette = np.array([part_colour(k) for k in range(parting.count)])
    return palette[parting.labels[mesh.cells_below]]


def _hex(rgb: tuple[float, ...]) -> str:
    return "#" + "".join(f"{round(255 * value):02x}" for value in rgb)
