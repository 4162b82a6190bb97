"""The kinds of systems that scene files can ask for: one file a kind, one line in the table."""

from pliant.scenes.kinds.assembled import ASSEMBLED
from pliant.scenes.kinds.clamped import CLAMPED
from pliant.scenes.kinds.full import FULL
from pliant.scenes.kinds.kind import Kind, plain_kind
from pliant.scenes.kinds.seams import SEAMS
from pliant.scenes.kinds.tree import TREE
from pliant.scenes.kinds.world import WORLD

SYSTEMS: dict[str, Kind] = {kind.name: kind for kind in (CLAMPED, TREE, SEAMS, WORLD, ASSEMBLED, FULL)}

__all__ = ["SYSTEMS", "Kind", "plain_kind"]
