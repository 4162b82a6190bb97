"""One part: basis, reduced mass, reduced internal force (linear, cubic, cubature), inertia integrals, file."""

from pliant.reduced.cache import cache_folder, cached, cached_arrays
from pliant.reduced.force import Force
from pliant.reduced.groups import Groups
from pliant.reduced.inertia import Inertia
from pliant.reduced.interface import InterfaceMap, interface_map
from pliant.reduced.loading import load
from pliant.reduced.model import ReducedModel
from pliant.reduced.receptance import frequency_response
from pliant.reduced.reduction import reduce
from pliant.reduced.rigid import Rigid

__all__ = [
    "Force",
    "Groups",
    "Inertia",
    "InterfaceMap",
    "ReducedModel",
    "Rigid",
    "cache_folder",
    "cached",
    "cached_arrays",
    "frequency_response",
    "interface_map",
    "load",
    "reduce",
]
