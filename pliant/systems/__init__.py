"""Systems: parts through time, and how they hold together."""

from pliant.systems.assembling import assemble
from pliant.systems.bodies import Bodies
from pliant.systems.clamped import Clamped
from pliant.systems.estimating import estimate_errors
from pliant.systems.full import Full
from pliant.systems.saving import resume
from pliant.systems.seams import NonlinearSeams, Seams, couple, couple_nonlinear
from pliant.systems.state import State
from pliant.systems.system import System
from pliant.systems.together import step_all
from pliant.systems.tree import Limb, Tree, substructure
from pliant.systems.wind import Wind
from pliant.systems.world import Character, Haptics, World, bones

__all__ = [
    "Bodies",
    "Character",
    "Clamped",
    "Full",
    "Haptics",
    "Limb",
    "NonlinearSeams",
    "Seams",
    "State",
    "System",
    "Tree",
    "Wind",
    "World",
    "assemble",
    "bones",
    "couple",
    "couple_nonlinear",
    "estimate_errors",
    "resume",
    "step_all",
    "substructure",
]
