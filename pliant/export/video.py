"""Moving pictures of a recording: .mp4 and .webm through ffmpeg, .gif through Pillow."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from numpy.typing import NDArray

from pliant.errors import ArgumentError, FileError, Ids, check_number
from pliant.export.camera import Camera
from pliant.export.photographer import Photographer
from pliant.export.recording import Recording
from pliant.mesh.files.paths import replacing
from pliant.mesh.packages import imported
from pliant.numerics.progress import Progress, report

Picture = NDArray[np.uint8]
FASTEST = 60.0  # pictures a second that are shown, unless more are asked for
FASTEST_GIF = 50.0  # a picture lasts hundredths of a second there, and viewers slow down below two
AUDIO = {".mp4": "aac", ".webm": "libopus"}
ENCODERS = {
    ".mp4": ("libx264", ["-crf", "18", "-preset", "fast", "-movflags", "+faststart"]),
    ".webm": ("libvpx-vp9", ["-crf", "28", "-b:v", "0", "-deadline", "good", "-cpu-used", "4", "-row-mt", "1"]),
}
PALETTE_PICTURES = 6  # from which the colours of a .gif are chosen


def write_video(
    recording: Recording,
    path: Path,
    fps: float | None = None,
    speed: float = 1.0,
    size: tuple[int, int] = (1280, 720),
    direction: Sequence[float] | None = None,
    camera: Camera | None = None,
    colour: Sequence[float] | None = None,
    ground: float | None = None,
    progress: Progress = None,
) -> None:
    """Write a film, .mp4 (H.264) or .webm (VP9), with what is heard where the recording has a sound track.

    Args:
        fps: pictures a second; None: as many as were recorded, at most 60.
        speed: 0.25 is slow motion, four times as long.
        size: width and height [pixels], even numbers.
        direction, camera, colour, ground: as of pictures.
        progress: told the stage "pictures" and its fraction.
    """
    if any(side % 2 for side in size):
        raise ArgumentError(f"the width and height of a film must be even; {size[0]} x {size[1]} was given")
    photographer = Photographer(recording, size, direction, camera, colour, ground)
    rate = _rate(recording, fps, speed, FASTEST)
    with replacing(path) as temporary, _track(recording, path, speed) as heard:
        ffmpeg = imported("imageio_ffmpeg", f"writing {path.suffix} files")
        codec, options = ENCODERS[path.suffix.lower()]
        how = {"fps": rate, "codec": codec, "quality": None, "macro_block_size": 2, "output_params": options}
        if heard is not None:
            how |= {"audio_path": str(heard), "audio_codec": AUDIO[path.suffix.lower()]}
            how["output_params"] = [*options, "-ar", "48000", "-b:a", "192k", "-shortest"]
        film = ffmpeg.write_frames(str(temporary), (photographer.width, photographer.height), **how)
        try:
            film.send(None)
            for picture in _pictures(photographer, shown_frames(recording, rate, speed), progress):
                film.send(picture.tobytes())
        except OSError as reason:
            raise FileError(f"{path} cannot be written: ffmpeg says {' '.join(str(reason).split())[-200:]}") from None
        finally:
            film.close()


@contextmanager
def _track(recording: Recording, path: Path, speed: float) -> Iterator[Path | None]:
    """The sound track in a file beside `path`, for as long as it is needed."""
    if recording.sound is None:
        yield None
        return
    with TemporaryDirectory(dir=path.parent) as folder:
        file = Path(folder) / "track.wav"
        file.write_bytes(recording.sound.wav(speed))
        yield file


def write_gif(
    recording: Recording,
    path: Path,
    fps: float | None = None,
    speed: float = 1.0,
    size: tuple[int, int] = (480, 300),
    direction: Sequence[float] | None = None,
    camera: Camera | None = None,
    colour: Sequence[float] | None = None,
    ground: float | None = None,
    progress: Progress = None,
) -> None:
    """Write a picture that moves and begins again, .gif.

    Args:
        fps: pictures a second, at most 50; None: as many as were recorded, at most 25.
        speed, size, direction, camera, colour, ground, progress: as of films.
    """
    photographer = Photographer(recording, size, direction, camera, colour, ground)
    rate = _rate(recording, None if fps is None else min(fps, FASTEST_GIF), speed, FASTEST_GIF / 2)
    hundredths = max(round(100 / rate), 2)
    with replacing(path) as temporary:
        images = imported("PIL.Image", "writing .gif files")
        frames = shown_frames(recording, 100 / hundredths, speed)
        films = [images.fromarray(picture) for picture in _pictures(photographer, frames, progress)]
        palette = _palette(images, films)
        # Without dithering: dots that dance from frame to frame are worse than bands, and larger.
        first, *others = (film.quantize(palette=palette, dither=images.Dither.NONE) for film in films)
        first.save(temporary, save_all=True, append_images=others, duration=10 * hundredths, loop=0, optimize=False)


def shown_frames(recording: Recording, rate: float, speed: float) -> Ids:
    """The recorded frame that is nearest to each picture of a film, (k,)."""
    start, span = recording.times[0], recording.times[-1] - recording.times[0]
    due = start + np.arange(np.floor(span * rate / speed + 1e-6) + 1) * speed / rate
    after = np.clip(np.searchsorted(recording.times, due), 1, max(recording.frame_count - 1, 1))
    if recording.frame_count == 1:
        return np.zeros(len(due), dtype=np.int64)
    return np.where(due - recording.times[after - 1] <= recording.times[after] - due, after - 1, after)


def _rate(recording: Recording, fps: float | None, speed: float, fastest: float) -> float:
    """Pictures a second of a film."""
    check_number("speed", speed, above=0)
    if fps is not None:
        return check_number("fps", fps, at_least=1, at_most=1000)
    if recording.frame_count == 1:
        return min(fastest, 25.0)
    recorded = (recording.frame_count - 1) / (recording.times[-1] - recording.times[0])
    return float(np.clip(round(recorded * speed), 1, fastest))


def _pictures(photographer: Photographer, frames: Ids, progress: Progress) -> Iterator[Picture]:
    """One a frame; what is shown again is drawn once."""
    last, picture = -1, np.empty(0, np.uint8)
    for count, frame in enumerate(frames, 1):
        if frame != last:
            last, picture = frame, photographer.take(int(frame))
        yield picture
        report(progress, "pictures", count / len(frames))


def _palette(images, films):
    """256 colours for all pictures, from a strip of some of them."""
    chosen = [films[k] for k in np.unique(np.linspace(0, len(films) - 1, PALETTE_PICTURES).astype(int))]
    width, height = chosen[0].size
    strip = images.new("RGB", (width, height * len(chosen)))
    for k, film in enumerate(chosen):
        strip.paste(film, (0, k * height))
    return strip.quantize(colors=256, method=images.Quantize.MEDIANCUT)
