"""The basis of vibration modes alone; it locks in large motion."""

from pliant.basis.basis import Basis
from pliant.basis.vibration import vibration_modes
from pliant.fem import Solid
from pliant.numerics.progress import Progress


def mode_basis(solid: Solid, size: int = 30, progress: Progress = None) -> Basis:
    """The `size` lowest vibration modes."""
    modes = vibration_modes(solid, size, progress)
    return Basis(modes.vectors, frequencies=modes.frequencies)
