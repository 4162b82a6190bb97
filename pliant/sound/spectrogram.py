"""A picture of a sound: how strong each frequency is at each time."""

from os import PathLike
from pathlib import Path

import numpy as np

from pliant.errors import Array, check_array
from pliant.mesh.files.paths import replacing
from pliant.mesh.packages import imported

QUIET = -80.0  # [dB] below the loudest


def spectrogram(samples: Array, rate: int, window: int = 2048) -> tuple[Array, Array, Array]:
    """Times (t,) [s], frequencies (f,) [Hz] and levels (f, t) [dB], the loudest at 0."""
    from scipy.signal import stft

    mono = check_array("samples", samples if np.ndim(samples) == 1 else np.mean(samples, axis=1), (None,))
    f, t, Z = stft(mono, rate, nperseg=window, noverlap=3 * window // 4)
    level = np.abs(Z)
    return t, f, 20 * np.log10(np.maximum(level / max(level.max(), 1e-300), 1e-12))


def write_spectrogram(
    path: str | PathLike[str], samples: Array, rate: int, highest: float | None = None, title: str = ""
) -> None:
    """Draw samples (k,) or (k, 2), `rate` a second, as .png, .svg or .pdf, up to `highest` [Hz], below a `title`."""
    figures = imported("matplotlib.figure", "drawing a spectrogram")
    t, f, level = spectrogram(np.asarray(samples, dtype=float), rate)
    figure = figures.Figure(figsize=(8, 4.5), dpi=120, layout="constrained")
    axes = figure.subplots()
    drawn = axes.pcolormesh(t, f / 1e3, level, vmin=QUIET, vmax=0, shading="auto", cmap="magma", rasterized=True)
    axes.set(xlabel="time [s]", ylabel="frequency [kHz]", title=title, ylim=(0, (highest or rate / 2) / 1e3))
    figure.colorbar(drawn, label="level [dB]")
    with replacing(path) as temporary:
        figure.savefig(temporary, format=Path(path).suffix.lstrip(".") or "png")
