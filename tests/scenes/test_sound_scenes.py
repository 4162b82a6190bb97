"""Sound in scene files: what tables say, what is heard of it, and what is refused."""

import json
import subprocess

import numpy as np
import pytest
from scipy.io import wavfile

import pliant as pl
from pliant.app.cli import app
from pliant.app.running import record_scene
from pliant.errors import SceneError, SelectionError
from pliant.scenes.reading import check_scene
from pliant.scenes.scene import Scene

FORK = {
    "gravity": [0, 0, 0],
    "dt": 0.002,
    "duration": 0.5,
    "part": [
        {
            "name": "bar",
            "shape": {"name": "bar", "size": [0.2, 0.01, 0.02], "cells": [8, 1, 1], "kind": "hex"},
            "fixed": "x < 1e-9",
            "basis": {"kind": "modes", "size": 4},
            "material": {"model": "linear", "young": 1e6},
            "sound": {"material": "steel", "damping": [3, 1e-8], "modes": 6},
        }
    ],
}


@pytest.fixture
def fork(tmp_path):
    def made(**more):
        return Scene("fork", check_scene({**FORK, **more}, "fork"), tmp_path)

    return made


def tone_of_a_cantilever():
    return 1.8751**2 / (2 * np.pi * 0.2**2) * np.sqrt(2.1e11 * 0.01**2 / 12 / 7850)


def test_struck_part_sounds_its_own_material(fork):
    """What is seen is soft, what is heard is steel: a cantilever of Euler and Bernoulli."""
    check = {"measure": "tone", "body": "bar", "value": tone_of_a_cantilever(), "within": 0.02}
    scene = fork(strike=[{"where": "x > 0.199", "impulse": [0, -0.01, 0]}], check=[check])
    [verdict] = scene.verify(scene.watch(scene.build()))
    assert verdict.holds, verdict


def test_push_that_ends_is_heard_as_a_pluck(fork):
    scene = fork(push=[{"where": "x > 0.199", "force": [0, 1, 0], "until": 0.1}])
    listening = scene.listen(scene.build())
    samples = listening.samples(0.5)
    after = samples[round(0.11 * 44100) :]
    spectrum = np.abs(np.fft.rfft(after * np.hanning(len(after)), 1 << 19))
    assert np.argmax(spectrum) * 44100 / (1 << 19) == pytest.approx(tone_of_a_cantilever(), rel=0.02)


def test_silent_scenes_are_not_heard(fork, tmp_path):
    assert pl.load_scene("spoon").listen(pl.load_scene("spoon").build()) is None


@pytest.mark.parametrize(
    ("more", "sentence"),
    [
        ({"sound": {"rate": 0}}, "sound.rate"),
        ({"sound": {"radiation": "rayleigh"}}, "needs a listener"),
        ({"strike": [{"where": "x > 0.1"}]}, "strike.0.impulse|strike\\[0\\].impulse"),
        ({"part": [{**FORK["part"][0], "sound": {"damping": "cheese"}}]}, "a material that sounds is one of steel"),
        ({"part": [{**FORK["part"][0], "sound": None}], "strike": [{"where": "x > 0", "impulse": [0, 1, 0]}]},
         "needs a part that sounds"),
    ],
)  # fmt: skip
def test_bad_sounds_are_scene_errors(fork, more, sentence):
    with pytest.raises(SceneError, match=sentence):
        fork(**more)


def test_strike_beside_the_sound_is_refused(fork):
    scene = fork(strike=[{"where": "x > 5", "impulse": [0, 1, 0]}])
    with pytest.raises(SelectionError, match="selects no vertex of the sound of bar"):
        scene.listen(scene.build())


def test_run_writes_sound_film_and_spectrogram(fork, tmp_path):
    from typer.testing import CliRunner

    fork(strike=[{"where": "x > 0.199", "impulse": [0, -0.01, 0]}], sound={"listener": [0, 0.5, 0.5]}).save(
        tmp_path / "fork.toml"
    )
    said = CliRunner().invoke(
        app,
        ["run", str(tmp_path / "fork.toml"), "-o", str(tmp_path / "a.wav"), "-s", "0.3", "--json", "--spectrogram",
         str(tmp_path / "a.png")],
    )  # fmt: skip
    assert said.exit_code == 0, said.output
    assert json.loads(said.output)["output"].endswith("a.wav")
    rate, content = wavfile.read(tmp_path / "a.wav")
    assert (rate, content.shape) == (44100, (round(0.3 * 44100), 2))
    assert (tmp_path / "a.png").stat().st_size > 5000


def test_films_and_pages_have_the_track(fork, tmp_path):
    scene = fork(strike=[{"where": "x > 0.199", "impulse": [0, -0.01, 0]}])
    recording = record_scene(scene, 0.3, 20, heard=True)
    pl.write(recording, tmp_path / "a.mp4", size=(160, 100))
    ffmpeg = pytest.importorskip("imageio_ffmpeg").get_ffmpeg_exe()
    raw = subprocess.run(
        [ffmpeg, "-i", tmp_path / "a.mp4", "-f", "f32le", "-ac", "1", "-ar", "44100", "-"],
        capture_output=True,
        check=True,
    ).stdout
    film = np.frombuffer(raw, dtype="<f4")
    spectrum = np.abs(np.fft.rfft(film * np.hanning(len(film)), 1 << 19))
    assert np.argmax(spectrum) * 44100 / (1 << 19) == pytest.approx(tone_of_a_cantilever(), rel=0.02)
    pl.write(recording, tmp_path / "a.html")
    assert '"sound":"UklGR' in (tmp_path / "a.html").read_text("utf-8")  # RIFF in base64
