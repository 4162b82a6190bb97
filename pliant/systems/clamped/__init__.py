"""One reduced part, fixed to the ground, through time: implicit, explicit, static and exact ([SI05], [MR12])."""

from pliant.systems.clamped.clamped import Clamped

__all__ = ["Clamped"]
