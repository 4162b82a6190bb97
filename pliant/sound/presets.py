"""Materials that sound: their stiffness, and how fast tones die away in them.

A mode of frequency omega loses d = alpha + beta omega^2 (Rayleigh), or, as is measured of most materials, a share of
its energy at every swing: d = eta omega, whose loss factor eta hardly depends on frequency.

[CH88] L. Cremer, M. Heckl, Structure-Borne Sound, 2nd ed. (1988): loss factors of materials in bending.
[A11] M. F. Ashby, Materials Selection in Mechanical Design, 4th ed. (2011): moduli, densities, loss coefficients.
"""

from dataclasses import dataclass

import numpy as np

from pliant.errors import ArgumentError, Array, check_array, check_choice
from pliant.fem import Linear

Damping = tuple[float, float] | str


@dataclass(frozen=True)
class SoundPreset:
    """Young's modulus [Pa], Poisson's ratio, density [kg/m^3], loss factor, and whose range that lies in."""

    young: float
    poisson: float
    density: float
    loss: float
    source: str


PRESETS: dict[str, SoundPreset] = {
    "steel": SoundPreset(2.1e11, 0.29, 7850.0, 4e-4, "[CH88] iron, 2 to 6 in 10,000"),
    "aluminium": SoundPreset(7e10, 0.33, 2700.0, 1e-4, "[CH88] aluminium, about 1 in 10,000"),
    "glass": SoundPreset(7e10, 0.22, 2500.0, 1e-3, "[CH88] glass, 6 to 20 in 10,000"),
    "ceramic": SoundPreset(7e10, 0.2, 2400.0, 3e-3, "glazed ware, between glass and the fired brick of [CH88], 1 %"),
    "wood": SoundPreset(1e10, 0.37, 700.0, 1e-2, "[CH88] fir and beech along the grain, 0.8 to 1 %"),
    "plastic": SoundPreset(3.2e9, 0.4, 1180.0, 3e-2, "[CH88] plexiglass, 2 to 4 %"),
}


def sounding_material(name: str) -> Linear:
    """A linear material for `Solid`, such as "glass"; give its name as `damping` too."""
    preset = PRESETS[check_choice("material", name, tuple(PRESETS))]
    return Linear(preset.young, preset.poisson, preset.density)


def decay_rates(damping: Damping, eigenvalues: Array) -> Array:
    """d (m,) [1/s] of modes with these lambda [1/s^2]; amplitudes fall as e^(-d t / 2)."""
    if isinstance(damping, str):
        return PRESETS[check_choice("damping", damping, tuple(PRESETS))].loss * np.sqrt(eigenvalues)
    alpha, beta = check_array("damping", damping, (2,))
    if alpha < 0 or beta < 0:
        raise ArgumentError(
            f"damping must be alpha [1/s] and beta [s], not below zero; ({alpha:g}, {beta:g}) was given"
        )
    return alpha + beta * eigenvalues
