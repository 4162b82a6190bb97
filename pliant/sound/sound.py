"""Linear modal sound: every vibration mode is an oscillator that is exact at any rate ([MR12] section 2.2)."""

import numpy as np

from pliant.basis import vibration_modes
from pliant.errors import ArgumentError, check_count
from pliant.fem import Solid
from pliant.numerics.progress import Progress
from pliant.sound.bank import Bank
from pliant.sound.presets import Damping
from pliant.sound.voice import Listener, Voice, checked_rate


class Sound(Voice):
    """z_i'' + d_i z_i' + lambda_i z_i = psi_i^T f,  s(t) = sum_i w_i z_i, of a free or a held solid.

    Args:
        solid: what sounds; it has a basis of its own, finer than that of an animation. Quadratic cells give good tones.
        modes: how many; those at or above half the rate are left out.
        rate: samples a second.
        damping: Rayleigh's (alpha [1/s], beta [s]), or a material whose decay was measured: "steel", "glass", ...
        radiation: "constant", all modes alike; "flux" or "rayleigh", the pressure [Pa] that its surface makes in air.
        listener: where it is heard [m], in the axes of the solid: (3,), or two ears (2, 3), or a function of time [s]
            that gives either; None, for constant radiation: nowhere in particular.
        progress: told the stage and its fraction.
    """

    def __init__(
        self,
        solid: Solid,
        modes: int = 60,
        rate: int = 44100,
        damping: Damping = (1.0, 1e-7),
        radiation: str = "constant",
        listener: Listener = None,
        progress: Progress = None,
    ):
        often = checked_rate(rate)
        found = vibration_modes(solid, check_count("modes", modes), progress)
        lowest = found.frequencies[0] / (2 * np.pi)
        audible = found.eigenvalues < (np.pi * often) ** 2
        if not audible.any():
            raise ArgumentError(
                f"all modes are above {often / 2:g} Hz, half the rate, the lowest at {lowest:.4g} Hz; raise the rate, "
                "or take a larger or softer solid"
            )
        super().__init__(
            solid, found.eigenvalues[audible], found.vectors[:, audible], often, damping, radiation, listener
        )

    def __repr__(self) -> str:
        f = self.frequencies
        return f"Sound({len(f)} modes, {f[0]:.4g} to {f[-1]:.4g} Hz, rate {self.rate})"

    def _ringing(self, bank: Bank) -> Bank:
        bank.silence()
        return bank
