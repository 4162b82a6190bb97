"""Systems: parts through time, and how they hold together."""

from pliant.systems.clamped import Clamped
from pliant.systems.full import Full
from pliant.systems.limb import Limb
from pliant.systems.seams import Seams
from pliant.systems.seams_couple import couple
from pliant.systems.seams_nonlinear import NonlinearSeams, couple_nonlinear
from pliant.systems.substructuring import substructure
from pliant.systems.system import State, System
from pliant.systems.tree import Tree
from pliant.systems.wind import Wind

__all__ = [
    "Clamped",
    "Full",
    "Limb",
    "NonlinearSeams",
    "Seams",
    "State",
    "System",
    "Tree",
    "Wind",
    "couple",
    "couple_nonlinear",
    "substructure",
]
