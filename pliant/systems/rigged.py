"""Parts of a skin that are the bones of a character, for files that know joints."""

from dataclasses import dataclass

from pliant.mesh.bones import Armature


@dataclass(frozen=True, eq=False)
class Rigged:
    """A character among the parts of a skin.

    Attributes:
        name: its own.
        first: the number of the part of its first bone; the others follow it.
        armature: its joints, one a bone.
    """

    name: str
    first: int
    armature: Armature

    def __repr__(self) -> str:
        return f"Rigged({self.name!r}, {len(self.armature.names)} joints)"
