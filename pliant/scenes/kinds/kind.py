"""What scene files know of a kind of system: one record."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from pliant.errors import Ids
from pliant.fem import Solid
from pliant.numerics.progress import Progress
from pliant.scenes.bodies import Body
from pliant.scenes.schema import SceneFile
from pliant.scenes.tables import Table
from pliant.systems import System


@dataclass(frozen=True, eq=False)
class Kind:
    """A kind of system.

    Attributes:
        name: what `system = ` says.
        build: makes the system of one body of a scene, telling its progress.
        table: its own keys, `[name]` in a file; None: it has none.
        accepts: keys that not every kind understands, of those below `system` in a file: wind, hold, turn, newton,
            integrator, precision, start, place, assembly.
        check: raises ValueError, in a sentence, where a file asks for what the kind cannot do.
        warm: steps the smallest such systems of a solid with labelled cells, so that compiled code is there.
    """

    name: str
    build: Callable[[SceneFile, Body, Progress], System]
    table: type[Table] | None = None
    accepts: frozenset[str] = frozenset()
    check: Callable[[SceneFile], None] | None = None
    warm: Callable[[Solid, Ids], None] | None = None

    def __repr__(self) -> str:
        table = f", [{self.name}] table" if self.table else ""
        return f"Kind({self.name!r}{table}, accepts {', '.join(sorted(self.accepts)) or 'nothing more'})"


def plain_kind(name: str, builder: Callable[[Solid, SceneFile], System]) -> Kind:
    """A kind that needs nothing but the solid of a body and what the file says."""

    def build(scene: SceneFile, body: Body, _progress: Progress) -> System:
        return builder(body.solid, scene)

    return Kind(name, build)
