"""A tree of parts through time: limbs in packs, frames by polar decomposition, inertia full or lumped ([LS11])."""

from pliant.systems.tree.limb import Limb
from pliant.systems.tree.substructuring import substructure
from pliant.systems.tree.tree import Tree

__all__ = ["Limb", "Tree", "substructure"]
