"""What scene files know of a kind of system: one record."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from pliant.errors import Ids
from pliant.fem import Solid
from pliant.numerics.progress import Progress
from pliant.scenes.bodies import Body
from pliant.scenes.kinds.comparing import Method
from pliant.scenes.schema import SceneFile
from pliant.scenes.tables import Table
from pliant.systems import System

if TYPE_CHECKING:
    from pliant.scenes.scene import Scene


Guest = Callable[[SceneFile, Body], System]


@dataclass(frozen=True, eq=False)
class Kind:
    """A kind of system.

    Attributes:
        name: what `system = ` says.
        build: makes the system of one body of a scene, telling its progress.
        table: its own keys, `[name]` in a file; None: it has none.
        accepts: keys that not every kind understands, of those below `system` in a file: wind, hold, turn, newton,
            damping_law, integrator, precision, start, place, assembly, ground, obstacle, joint, rigid, actuate.
        whole: makes one system of all bodies of a scene, where they share a space, given what makes a body of another
            kind; None: each has its own.
        visits: can a body of this kind be in a space that others share?
        check: raises ValueError, in a sentence, where a file asks for what the kind cannot do.
        warm: steps the smallest such systems of a solid with labelled cells, so that compiled code is there.
        by_basis: is its model that of its part, reduced on the basis that the part names?
        comparisons: models that `pliant compare` can run a scene on, by name, each made by a function of a scene to
            another; none: the scene on this kind, under its name.
        compared: which of all models such a scene is compared on where nobody says; None: those of `comparisons`.
    """

    name: str
    build: Callable[[SceneFile, Body, Progress], System]
    table: type[Table] | None = None
    accepts: frozenset[str] = frozenset()
    check: Callable[[SceneFile], None] | None = None
    warm: Callable[[Solid, Ids], None] | None = None
    by_basis: bool = False
    comparisons: Mapping[str, Method] = field(default_factory=dict)
    compared: Callable[[Scene], list[str]] | None = None
    whole: Callable[[SceneFile, Sequence[Body], Progress, Guest], System] | None = None
    visits: bool = False

    @property
    def methods(self) -> Mapping[str, Method]:
        """Models of this kind that a scene can be compared on, by name."""
        return self.comparisons or {self.name: lambda scene: scene.with_system(self.name)}

    def usual(self, scene: Scene) -> list[str]:
        """Names of the models that such a scene is compared on where nobody says."""
        return list(self.methods) if self.compared is None else self.compared(scene)

    def __repr__(self) -> str:
        table = f", [{self.name}] table" if self.table else ""
        return f"Kind({self.name!r}{table}, accepts {', '.join(sorted(self.accepts)) or 'nothing more'})"


def plain_kind(name: str, builder: Callable[[Solid, SceneFile], System]) -> Kind:
    """A kind that needs nothing but the solid of a body and what the file says."""

    def build(scene: SceneFile, body: Body, _progress: Progress) -> System:
        return builder(body.solid, scene)

    return Kind(name, build)
