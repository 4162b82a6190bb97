"""A velocity and a spin for a body that flies."""

from pliant.errors import ArgumentError
from pliant.scenes.tables import Vector
from pliant.systems import System


def throw(system: System, velocity: Vector, spin: Vector, name: str = "system") -> None:
    """Give it a velocity [m/s] and a spin [1/s], unless both are zero."""
    if not (any(velocity) or any(spin)):
        return
    try:
        system.launch(velocity, spin)
    except ArgumentError as reason:
        raise ArgumentError(f"{name}: velocity and spin are for bodies that fly; {reason}") from None
