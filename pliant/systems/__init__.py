"""Systems: parts, and the coupling that moves them through time."""

from pliant.systems.full import Full
from pliant.systems.system import State, System

__all__ = ["Full", "State", "System"]
