"""Sound of large vibrations: the cubic model of a part at audio rate, so that a hard blow glides down in pitch.

In coordinates z of the reduced vibration modes, z'' + d z' + lambda z = f - g(z), g the quadratic and cubic forces of
StVK. The linear part is exact, and g is felt in the middle of two steps: second order in h, exact where g is constant.

    z+ = 2 c z - e^(-d h) z- + (1 - 2 c + e^(-d h)) / lambda (f - g(z))

Shapes that stretch are far above what is heard. Those past half the rate follow at once: z = (f - g(z)) / lambda.
Forces are summed in single precision, in a third of the time: what they miss is 1e-7 of them, 140 dB below.
"""

from collections.abc import Sequence

import numpy as np
import scipy.linalg as la
from numba import njit

from pliant.basis import Basis, Modes, modal_basis, vibration_modes
from pliant.errors import ArgumentError, Array, Diverged, check_count
from pliant.fem import Solid, StVK
from pliant.numerics.opaque import call
from pliant.numerics.progress import Progress
from pliant.reduced import ReducedModel, reduce
from pliant.reduced.force import aligned, law_of, padded, pitch_of
from pliant.sound.bank import Bank
from pliant.sound.presets import Damping
from pliant.sound.voice import Listener, Voice, checked_rate

LOWEST = 20.0  # [Hz] that people hear
LINES = 1 << 20  # of a spectrum in which tones are looked for, at least


class NonlinearSound(Voice):
    """As `Sound`, of StVK with all its cubic forces; some 30 coordinates run in real time.

    Args:
        solid: of `StVK`.
        modes: vibration modes that are heard, at most; those above half the rate are left out.
        size: coordinates, of modes and their derivatives: without the latter a plate could not stretch as it bends.
        finer: steps a sample. More of them bear harder blows.
        rate, damping, radiation, listener, progress: as of `Sound`.
    """

    def __init__(
        self,
        solid: Solid,
        modes: int = 8,
        size: int = 24,
        rate: int = 44100,
        damping: Damping = (1.0, 1e-7),
        radiation: str = "constant",
        listener: Listener = None,
        finer: int = 1,
        progress: Progress = None,
    ):
        if not isinstance(solid.material, StVK):
            name = type(solid.material).__name__
            raise ArgumentError(f"nonlinear sound is of StVK, whose forces are cubic; {name} was given")
        often, self.finer = checked_rate(rate), check_count("finer", finer)
        self.model, values = _diagonal(solid, check_count("modes", modes), check_count("size", size), often, progress)
        super().__init__(solid, values, self.model.U, often, damping, radiation, listener)

    def __repr__(self) -> str:
        f = self.frequencies
        return f"NonlinearSound({len(f)} coordinates, from {f[0]:.4g} Hz, rate {self.rate})"

    def _ringing(self, bank: Bank) -> "CubicBank":
        return CubicBank(self.model, self.eigenvalues, self.decay, 1 / self.rate, self.finer)


class CubicBank:
    """Oscillators under the cubic forces of a model whose mass is one and whose stiffness is diagonal at rest."""

    def __init__(self, model: ReducedModel, eigenvalues: Array, decay: Array, step: float, finer: int):
        self.finer, self.step = finer, step / finer
        heard = eigenvalues < (np.pi / step) ** 2
        bank = Bank(np.where(heard, eigenvalues, 1.0), np.where(heard, decay, 0.0), self.step)
        self.turn, self.fade = heard * bank.turn, heard * bank.fade
        self.gain = np.where(heard, 1 - self.turn + self.fade, 1.0) / eigenvalues
        self.push, self.pull = np.where(heard, bank.push, 1 / eigenvalues), heard * bank.pull
        self.eigenvalues, self.heard = eigenvalues, heard
        self.z, self.Y = np.zeros(len(heard)), np.zeros(len(heard))
        self._force = model.force_law.compiled(np.float32)
        self._law = law_of(self._force, np.float32)
        n = len(heard) + 1
        self._rows, self._q = aligned(n * pitch_of(n), np.float32), padded(self.z, 1.0, np.float32)

    def ring(self, by_place: Array, by_past: Array, out: Array) -> None:
        """As of a `Bank`."""
        self.drive(np.zeros((1, len(self.z))), np.zeros((1, len(out))), by_place, by_past, out)

    def drive(self, gains: Array, signals: Array, by_place: Array, by_past: Array, out: Array) -> None:
        """As of a `Bank`."""
        self.Y *= self.heard  # kicks reach what is heard alone
        pushes, pulls = np.ascontiguousarray(self.push * gains), np.ascontiguousarray(self.pull * gains)
        linear = self.eigenvalues, self.heard, self.turn, self.fade, self.gain
        state = self.z, self.Y, self._q, self._rows
        weights = by_place * self.heard, by_past * self.heard
        done = _drive(self._law, self.finer, linear, pushes, pulls, signals, state, weights, out)
        if done < len(out):
            raise Diverged("the blow is too hard for the step; strike less, or give more steps a sample (finer)")


@njit(cache=True, nogil=True)
def _drive(law, finer, linear, pushes, pulls, signals, state, weights, out):
    """Samples until z is no number any more."""
    values, heard, turn, fade, gain = linear
    z, Y, q, rows = state
    r, pitch = len(z), len(q)
    for t in range(len(out)):
        s = 0.0
        for j in range(r):
            s += weights[0][j] * z[j] + weights[1][j] * Y[j]
        out[t] += s
        if not abs(s) < 1e100:
            return t
        for _ in range(finer):
            for again in range(2):  # what follows at once is found first, and then felt
                for j in range(r):
                    q[j + 1] = z[j]
                call(law, q, rows)
                for j in range(r):
                    f = values[j] * z[j] - rows[(j + 1) * pitch]
                    if not heard[j]:
                        z[j] = gain[j] * f
                        for k in range(len(signals)):
                            z[j] += pushes[k, j] * signals[k, t]
                    elif again:
                        x = z[j]
                        z[j] = turn[j] * x - Y[j] + gain[j] * f
                        Y[j] = fade[j] * x
                        for k in range(len(signals)):
                            z[j] += pushes[k, j] * signals[k, t]
                            Y[j] += pulls[k, j] * signals[k, t]
    return len(out)


def _diagonal(solid: Solid, modes: int, size: int, rate: int, progress: Progress) -> tuple[ReducedModel, Array]:
    """The cubic model in coordinates whose mass is one and whose stiffness is diagonal at rest, lambda (r,)."""
    found = vibration_modes(solid, modes, progress)
    heard = found.eigenvalues < (np.pi * rate) ** 2
    if not heard.any():
        raise ArgumentError(f"all modes are above {rate / 2:g} Hz, half the rate; raise it, or take a softer solid")
    chosen = Modes(found.eigenvalues[heard], found.vectors[:, heard])
    U = modal_basis(solid, chosen, size, progress=progress).vectors
    values, T = la.eigh(U.T @ (solid.stiffness() @ U), U.T @ (solid.mass @ U))
    return reduce(solid, Basis(U @ T), "cubic", progress), values


def glide(samples: Array, rate: int, windows: Sequence[tuple[float, float]]) -> Array:
    """The strongest frequency that is heard [Hz] in each span of time [s]: how the pitch of a blow moves."""
    found = []
    for start, end in windows:
        x = samples[round(start * rate) : round(end * rate)]
        lines = max(LINES, len(x))
        spectrum = np.abs(np.fft.rfft(x * np.hanning(len(x)), lines))
        spectrum[: int(LOWEST * lines / rate)] = 0.0  # a steady push bends, and is not heard
        found.append(np.argmax(spectrum) * rate / lines)
    return np.array(found)
