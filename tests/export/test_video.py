"""Films and rows of pictures: how many, how long, what is in them, and what is said where they cannot be written."""

import sys

import numpy as np
import pytest
from PIL import Image
from recordings import made_up

import pliant as pl
from pliant.app.running import PAGE_ANGLE, picture_size, record_scene
from pliant.errors import ArgumentError, FileError, MissingPackage
from pliant.export import Camera, Recording, read_recording, write
from pliant.export.photographer import Photographer
from pliant.export.video import shown_frames
from pliant.scenes import load_scene

SIZE = (160, 120)
SIGNATURES = {".mp4": b"ftyp", ".webm": b"\x1aE\xdf\xa3"}


def falling(frames=6, fps=20.0):
    """A ball that falls straight down."""
    ball = pl.shapes.sphere(cells=6)
    drop = np.linspace(3, 0, frames)[:, None, None] * np.array([0, 1, 0])
    return Recording(ball.surface, np.arange(frames) / fps, positions=ball.vertices + drop)


def test_gif_plays_as_long_as_the_recording(tmp_path):
    write(falling(), tmp_path / "a.gif", size=SIZE)
    with Image.open(tmp_path / "a.gif") as film:
        assert (film.size, film.n_frames, film.info["duration"], film.info["loop"]) == (SIZE, 6, 50, 0)


def test_gif_shows_the_motion(tmp_path):
    """The blue ball sinks from picture to picture."""
    write(falling(4), tmp_path / "a.gif", size=SIZE)
    heights = []
    with Image.open(tmp_path / "a.gif") as film:
        for k in range(film.n_frames):
            film.seek(k)
            picture = np.asarray(film.convert("RGB")).astype(int)
            heights.append(np.nonzero(picture[..., 2] - picture[..., 0] > 60)[0].mean())
    assert (np.diff(heights) > 8).all()


@pytest.mark.parametrize(
    ("rate", "speed", "shown"),
    [(10, 1.0, [0, 1, 2, 3]), (5, 1.0, [0, 2]), (20, 1.0, [0, 0, 1, 1, 2, 2, 3]), (10, 0.5, [0, 0, 1, 1, 2, 2, 3])],
)
def test_film_takes_the_nearest_frames(rate, speed, shown):
    assert shown_frames(falling(4, 10.0), rate, speed).tolist() == shown


@pytest.mark.parametrize("ending", SIGNATURES)
def test_film_is_what_its_ending_says(tmp_path, ending):
    reader = pytest.importorskip("imageio_ffmpeg", reason="films need the package imageio-ffmpeg")
    path = tmp_path / f"a{ending}"
    write(falling(), path, size=SIZE, speed=0.5)
    assert SIGNATURES[ending] in path.read_bytes()[:16]
    assert [each.name for each in tmp_path.iterdir()] == [path.name]
    frames = reader.read_frames(str(path))
    facts = next(frames)
    assert facts["size"] == SIZE
    assert facts["duration"] == pytest.approx(0.6, abs=0.11)  # 0.25 s at half the speed and the last picture
    first = np.frombuffer(next(frames), np.uint8).reshape(*SIZE[::-1], 3).astype(int)
    exact = Photographer(falling(), SIZE).take(0).astype(int)
    assert np.abs(first - exact).mean() < 3  # of 255, lost in coding
    frames.close()


def test_missing_ffmpeg_is_named_and_leaves_nothing(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "imageio_ffmpeg", None)
    with pytest.raises(MissingPackage, match=r"writing \.mp4 files needs .*pip install 'pliant\[video\]'"):
        write(falling(), tmp_path / "a.mp4", size=SIZE)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        ("a.mp4", {"size": (161, 120)}, "must be even; 161 x 120"),
        ("a.gif", {"speed": 0.0}, "speed"),
        ("a.gif", {"fps": 0.0}, "fps"),
        ("a-%03d.png", {"time": 0.1}, "one picture a frame"),
    ],
)
def test_what_cannot_be_filmed_is_refused(tmp_path, name, options, message):
    with pytest.raises(ArgumentError, match=message):
        write(falling(2), tmp_path / name, **{"size": SIZE, **options})


def test_numbered_pictures_are_those_of_the_frames(tmp_path):
    recording, told = made_up("tree", frames=3), []
    write(recording, tmp_path / "a-%03d.png", size=SIZE, progress=lambda *stage: told.append(stage))
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a-000.png", "a-001.png", "a-002.png"]
    assert told == [("pictures", pytest.approx(k / 3)) for k in (1, 2, 3)]
    taker = Photographer(recording, SIZE)
    with Image.open(tmp_path / "a-002.png") as picture:
        np.testing.assert_array_equal(np.asarray(picture)[..., :3], taker.take(2))


def test_numbered_pictures_need_a_folder(tmp_path):
    with pytest.raises(FileError, match="does not exist"):
        write(falling(2), tmp_path / "nowhere" / "a-%d.png", size=SIZE)


def test_pictures_are_taken_by_the_camera_of_the_scene(tmp_path):
    scene = load_scene("spoon")
    recording = record_scene(scene, 0.02, 60)
    camera = Camera(scene.camera.position, scene.camera.target, PAGE_ANGLE)
    assert recording.camera == camera
    assert Photographer(recording, SIZE).camera == camera
    assert Photographer(recording, SIZE, direction=(0, 0, 1)).camera != camera
    write(recording, tmp_path / "a.npz")
    assert read_recording(tmp_path / "a.npz").camera == camera


def test_samples_of_a_pixel_that_share_their_light_are_close_to_those_that_do_not(monkeypatch):
    """Of a ball: by less than rounding to bytes on average, and by 12 of 255 at most but on its outline."""
    taker = Photographer(falling(1), SIZE)
    shared = taker.take(0).astype(int)
    monkeypatch.setattr("pliant.export.studio.light_givers", lambda rows, points, *_: np.arange(len(points)))
    apart = np.abs(taker.take(0).astype(int) - shared).max(axis=2)
    assert np.quantile(apart, 0.999) <= 12
    assert apart.mean() < 0.5


def test_sizes_are_words_such_as_640x480(tmp_path):
    assert picture_size("640x480", tmp_path / "a.gif", True) == (640, 480)
    with pytest.raises(ArgumentError, match="such as 1280x720"):
        picture_size("large", tmp_path / "a.gif", True)
    with pytest.raises(ArgumentError, match="has no pixels"):
        picture_size("640x480", tmp_path / "a.glb", False)
