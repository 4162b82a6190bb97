"""Characters: one mesh, skinned to bones that deform, are rigid, or move as an artist says ([MC15] section 8)."""

from pliant.systems.world.bones.character import Bone, Character, bones

__all__ = ["Bone", "Character", "bones"]
