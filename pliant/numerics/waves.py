"""Samples of sound as the bytes of a .wav file."""

import io

import numpy as np
from numpy.typing import ArrayLike

from pliant.errors import ArgumentError, check_number

LOUDEST = 0.9  # of the largest number in a file, where nobody says how loud


def wav_bytes(samples: ArrayLike, rate: int, gain: float | None = None) -> bytes:
    """A .wav of 16 bits.

    Args:
        samples: (k,) or (k, 2).
        rate: samples a second.
        gain: multiplies them, and those past 1 are refused; None: the loudest becomes 0.9.
    """
    from scipy.io import wavfile  # slow to import, and few write sound

    x = np.asarray(samples, dtype=float)
    loudest = float(np.abs(x).max(initial=0.0))
    if not np.isfinite(loudest):
        raise ArgumentError("samples of a .wav must be finite; damp the sound more, or strike it less")
    if gain is None:
        gain = LOUDEST / loudest if loudest > 0 else 1.0
    elif check_number("gain", gain, above=0) * loudest > 1:
        raise ArgumentError(f"a gain of {gain:g} makes samples of {gain * loudest:.3g}, past 1; leave it out, or less")
    stream = io.BytesIO()
    wavfile.write(stream, rate, np.round(32767 * gain * x).astype("<i2"))
    return stream.getvalue()
