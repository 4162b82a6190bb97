"""A velocity and a spin for a body that flies."""

from pliant.errors import ArgumentError
from pliant.scenes.tables import Vector
from pliant.systems import System, Tree


def throw(system: System, velocity: Vector, spin: Vector, name: str = "system") -> None:
    """Give it a velocity [m/s] and a spin [1/s], unless both are zero."""
    if not (any(velocity) or any(spin)):
        return
    if isinstance(system, Tree):
        system.velocity, system.spin = velocity, spin
    elif hasattr(system, "launch"):
        system.launch(velocity, spin)
    else:
        raise ArgumentError(
            f"{name}: velocity and spin are for bodies that fly, such as trees and seams that nothing holds; "
            f"this one is a {type(system).__name__}"
        )
