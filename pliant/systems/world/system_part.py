"""A system of any kind as the part of a body: what it looks like, and nothing that the tables of bodies move."""

from __future__ import annotations

from dataclasses import dataclass

from pliant.errors import ArgumentError, Array, Ids
from pliant.mesh import Mesh
from pliant.skin import Skin
from pliant.systems.saving import savable
from pliant.systems.system import System
from pliant.systems.world.massless import Massless


@dataclass(frozen=True, eq=False)
class SystemPart(Massless):
    """Attributes:
    system: moves by itself, in axes of its own.
    X: (n, 3) where the vertices of its mesh were when it came [m].
    """

    system: System
    X: Array

    def __repr__(self) -> str:
        return repr(self.system)

    @property
    def mesh(self) -> Mesh:
        """Its cells."""
        return self.system.mesh

    @property
    def skin(self) -> Skin:
        """What draws it."""
        assert self.system.body is not None
        return self.system.body

    @property
    def triangles(self) -> Ids:
        """Its surface."""
        return self.skin.triangles


def system_part(system: System) -> SystemPart:
    """The part that a system is; refused where it answers no impulses."""
    kind = type(system).__name__
    if system.body is None:
        raise ArgumentError(f"a {kind} has no basis, so it cannot be a body of a world; reduce its solid (pl.reduce)")
    if system.worn is not None:
        raise ArgumentError(f"this {kind} wears a surface; in a world it is touched by its mesh: wear(None) first")
    system.response(system.points([0], "mesh"))
    return SystemPart(system, system.vertices("mesh"))


savable(SystemPart, moves=True)
