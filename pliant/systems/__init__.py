"""Systems: parts, and the coupling that moves them through time."""

from pliant.systems.clamped import Clamped
from pliant.systems.full import Full
from pliant.systems.system import State, System

__all__ = ["Clamped", "Full", "State", "System"]
