"""What is heard while a recording plays."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from pliant.errors import ArgumentError, Array, check_array, check_count
from pliant.mesh.files.paths import replacing
from pliant.numerics.waves import wav_bytes

if TYPE_CHECKING:
    from pliant.export.recording import Recording


@dataclass(frozen=True, eq=False)
class Soundtrack:
    """Samples (k,) or (k, 2), left and right, from the first frame on; `rate` of them a second."""

    samples: Array
    rate: int

    def __post_init__(self) -> None:
        shape = (None,) if getattr(self.samples, "ndim", 1) == 1 else (None, 2)
        object.__setattr__(self, "samples", check_array("samples of a sound track", self.samples, shape))
        check_count("rate of a sound track", self.rate)

    def __repr__(self) -> str:
        return f"Soundtrack({len(self.samples) / self.rate:.4g} s, rate {self.rate})"

    def wav(self, speed: float = 1.0) -> bytes:
        """A .wav; slow motion is lower."""
        return wav_bytes(self.samples, max(round(self.rate * speed), 1))


def write_wav(recording: Recording, path: Path) -> None:
    """Write the sound track alone, .wav of 16 bits."""
    with replacing(path) as temporary:
        if recording.sound is None:
            cure = 'give a part of the scene sound = { damping = "steel" }, or the recording samples by with_sound'
            raise ArgumentError(f"{path} cannot be written, since nothing sounds: {cure}")
        temporary.write_bytes(recording.sound.wav())
