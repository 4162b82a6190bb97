"""Tones, decays and spectra of struck solids, against beam theory, closed forms and the matrix exponential."""

import time

import numpy as np
import pytest
import scipy.linalg as la
from hypothesis import given
from hypothesis import strategies as st
from scipy.io import wavfile
from struck_bar import DAMPING, DEPTH, LENGTH, RATE

import pliant as pl
from pliant.errors import ArgumentError, FileError
from pliant.sound.bank import Bank
from pliant.sound.presets import PRESETS

# cosh x cos x = 1: free bars of Euler and Bernoulli
ROOTS = np.array([4.730041, 7.853205, 10.995608])
HEARD = 0.02  # partials and decays are claimed within 2 %


def flat_bending(sound):
    """Modes that bend across the depth: what moves along y, and does not turn about x."""
    X = sound.solid.mesh.vertices
    across = np.einsum("nim->im", sound.shapes**2)
    twist = np.abs(np.einsum("n,nm->m", X[:, 2], sound.shapes[:, 1]))
    lifts = np.abs(sound.shapes[:, 1]).sum(axis=0) * np.abs(X[:, 2]).max()
    return np.flatnonzero((across[1] > 0.9 * across.sum(axis=0)) & (twist < 0.1 * lifts))


def test_partials_of_a_free_bar_are_those_of_euler_and_bernoulli(bar):
    found = bar.frequencies[flat_bending(bar)[:3]]
    steel = PRESETS["steel"]
    theory = ROOTS**2 / (2 * np.pi * LENGTH**2) * np.sqrt(steel.young * DEPTH**2 / 12 / steel.density)
    assert found == pytest.approx(theory, rel=HEARD)
    assert found / found[0] == pytest.approx([1, 2.757, 5.404], rel=HEARD)


def test_spectrum_of_a_struck_bar_has_its_peaks_at_the_eigenfrequencies(bar_solid, end):
    bar = pl.Sound(bar_solid, modes=12, damping=(2.0, 0.0))
    bar.strike(0.0, end, (0, -0.01, 0))
    samples = bar.samples(2.0)
    spectrum = np.abs(np.fft.rfft(samples * np.hanning(len(samples))))
    peaks = np.flatnonzero((spectrum[1:-1] > spectrum[:-2]) & (spectrum[1:-1] > spectrum[2:])) + 1
    strong = peaks[spectrum[peaks] > 1e-3 * spectrum.max()] / 2.0
    sounded = np.abs(bar.shapes[end, 1]) / bar.frequencies
    for f in bar.frequencies[sounded > 0.05 * sounded.max()]:
        assert np.abs(strong - f).min() < 0.5  # a line of the spectrum is half a hertz wide
    for f in strong:
        assert np.abs(bar.frequencies - f).min() < 0.5


def test_partials_decay_as_rayleigh_says(bar, end):
    """Amplitude of each partial, by projection on its tone, in two windows a while apart."""
    bar.strike(0.0, end, (0, -0.01, 0))
    samples, window = bar.samples(1.5), np.hanning(RATE // 4)
    t = np.arange(len(window)) / RATE
    for k in flat_bending(bar)[:3]:
        tone = window * np.exp(-2j * np.pi * bar.frequencies[k] * t)
        early, late = (abs(tone @ samples[round(s * RATE) :][: len(t)]) for s in (0.1, 1.1))
        expected = DAMPING[0] + DAMPING[1] * bar.eigenvalues[k]
        assert -2 * np.log(late / early) == pytest.approx(expected, rel=HEARD)
    assert bar.decay_times == pytest.approx(2 * np.log(1000) / (DAMPING[0] + DAMPING[1] * bar.eigenvalues))


def test_strike_between_samples_is_the_closed_form(bar, end):
    """z = J psi e^(-s t) sin(w t) / w after the strike, wherever it falls; silence before."""
    time, J = 0.0100037, np.array([0.002, -0.01, 0.003])
    bar.strike(time, end, J)
    samples = bar.samples(0.05)
    t = np.arange(len(samples)) / RATE - time
    s = bar.decay / 2
    w = np.sqrt(bar.eigenvalues - s**2)
    gains = J @ bar.shapes[end]
    exact = (np.exp(-np.outer(t, s)) * np.sin(np.outer(t, w)) / w * gains).sum(axis=1) * (t > 0)
    assert np.abs(samples - exact).max() < 1e-11 * np.abs(exact).max()


@given(
    frequency=st.floats(1.0, 400.0),
    damping=st.floats(0.0, 5000.0),
    forces=st.lists(st.floats(-2, 2), min_size=1, max_size=20),
)
def test_bank_is_the_matrix_exponential(frequency, damping, forces):
    """Under-, critically and overdamped, under any force that is constant over each step."""
    value, h = (2 * np.pi * frequency) ** 2, 1e-3
    bank = Bank(np.array([value]), np.array([damping]), h)
    A = np.array([[0.0, 1.0, 0.0], [-value, -damping, 1.0], [0.0, 0.0, 0.0]])
    flow, state, expected = la.expm(h * A), np.zeros(3), []
    for f in forces:
        expected.append(state[0])
        state = flow @ np.array([state[0], state[1], f])
    out = np.zeros(len(forces))
    bank.drive(np.ones((1, 1)), np.array([forces]), np.ones(1), np.zeros(1), out)
    scale = max(1.0 / value, np.abs(expected).max())
    assert out == pytest.approx(expected, abs=1e-9 * scale)
    assert bank.z[0] == pytest.approx(state[0], abs=1e-9 * scale)


def test_rates_of_a_bank_follow_a_kick():
    bank = Bank(np.array([4e6]), np.array([3.0]), 1 / RATE)
    bank.z, bank.Y = bank.kicked(np.array([2.0]), 0.0)
    assert bank.z[0] == 0
    assert bank.rates[0] == pytest.approx(2.0)


def test_push_over_time_is_the_sum_of_its_instants(bar, end):
    """A force history at a tenth of the rate is felt as what changes evenly between its instants."""
    forces = np.zeros((30, 3))
    forces[:, 1] = np.sin(np.linspace(0, np.pi, 30))
    bar.push(0.01, end, forces, rate=RATE / 10)
    slow = bar.samples(0.1)
    again, fine = bar.copy(), np.zeros((300, 3))
    middles = (np.arange(300) + 0.5) / 10
    fine[:, 1] = np.interp(middles, np.arange(31), [*forces[:, 1], forces[-1, 1]])
    again.push(0.01, end, fine)
    assert slow == pytest.approx(again.samples(0.1), abs=1e-3 * np.abs(slow).max())


def test_plucked_bar_rings_from_its_static_bend(bar_solid):
    """A held bar, pulled slowly by F at its end and let go, starts from z = psi.F / lambda."""
    solid = pl.Solid(bar_solid.mesh, bar_solid.material, fixed="x < 1e-9")
    sound, tip = pl.Sound(solid, modes=3, damping=(0, 0)), int(np.argmax(solid.mesh.vertices[:, 0]))
    sound.pluck(0.0, tip, (0, 1.0, 0), pull=0.5)
    after = sound.samples(0.6)[round(0.5 * RATE) :]
    static = sound.shapes[tip, 1] / sound.eigenvalues
    assert after[0] == pytest.approx(static.sum(), rel=0.01)
    assert np.abs(after).max() == pytest.approx(np.abs(static).sum(), rel=0.05)


def test_modes_above_half_the_rate_are_left_out(bar_solid, bar):
    low = pl.Sound(bar_solid, modes=12, rate=4000)
    assert len(low.frequencies) == (bar.frequencies < 2000).sum() < 12


def test_wav_file_holds_the_samples(bar, end, tmp_path):
    bar.strike(0.0, end, -0.01)
    bar.write(tmp_path / "bar.wav", 0.25)
    rate, content = wavfile.read(tmp_path / "bar.wav")
    samples = bar.samples(0.25)
    assert (rate, content.dtype) == (RATE, np.int16)
    assert content / 32767 == pytest.approx(0.9 * samples / np.abs(samples).max(), abs=2e-5)


def test_presets_decay_by_their_loss_factor(bar_solid):
    wood = pl.Sound(bar_solid, modes=4, damping="wood")
    assert wood.decay == pytest.approx(0.01 * 2 * np.pi * wood.frequencies)
    assert {"steel", "wood", "glass", "ceramic", "plastic"} <= set(PRESETS)
    assert all(preset.source for preset in PRESETS.values())


def test_bad_input_is_refused_in_a_sentence(bar_solid, bar, end, tmp_path):
    with pytest.raises(ArgumentError, match="rate must be a whole number of at least 1000"):
        pl.Sound(bar_solid, rate=0)
    with pytest.raises(
        ArgumentError, match="all modes are above 500 Hz, half the rate, the lowest at .* raise the rate"
    ):
        tiny = pl.Solid(pl.shapes.bar((0.02, 0.02, 0.02), (1, 1, 1)), bar_solid.material)
        pl.Sound(tiny, modes=2, rate=1000)
    with pytest.raises(ArgumentError, match="damping must be one of steel"):
        pl.Sound(bar_solid, modes=1, damping="cheese")
    with pytest.raises(ArgumentError, match="damping must be alpha .* not below zero"):
        pl.Sound(bar_solid, modes=1, damping=(-1, 0))
    with pytest.raises(ArgumentError, match="needs a listener"):
        pl.Sound(bar_solid, modes=1, radiation="rayleigh")
    with pytest.raises(ArgumentError, match="radiation must be one of"):
        pl.Sound(bar_solid, modes=1, radiation="loud")
    with pytest.raises(ArgumentError, match="vertex must lie between"):
        bar.strike(0, 10**6, (0, 1, 0))
    with pytest.raises(ArgumentError, match="impulse must"):
        bar.strike(0, end, (0, np.nan, 0))
    with pytest.raises(ArgumentError, match="time must be finite and at least 0"):
        bar.strike(-1, end, (0, 1, 0))
    with pytest.raises(ArgumentError, match="seconds must"):
        bar.samples(-1)
    with pytest.raises(ArgumentError, match="must end in .wav"):
        bar.write(tmp_path / "bar.mp3", 1)
    with pytest.raises(FileError, match="does not exist; make it first"):
        bar.write(tmp_path / "nowhere" / "bar.wav", 0.01)
    held = pl.Solid(bar_solid.mesh, bar_solid.material, fixed="x < 1e-9")
    with pytest.raises(ArgumentError, match="is held, so that striking it makes no sound"):
        pl.Sound(held, modes=1).strike(0, int(held.fixed[0]), (0, 1, 0))


def test_a_thousand_modes_ring_in_a_fiftieth_of_real_time():
    """Of one core, in processor time; the best of a few, since the machine does other things as well."""
    frequencies = np.geomspace(50, 20000, 1000)
    bank = Bank((2 * np.pi * frequencies) ** 2, 1 + 1e-4 * frequencies, 1 / RATE)
    bank.z, ones, heard = np.ones(1000), np.ones(1000), np.zeros(RATE)
    bank.ring(ones, np.zeros(1000), heard)
    best = np.inf
    for _ in range(5):
        start = time.process_time()
        bank.ring(ones, np.zeros(1000), heard)
        best = min(best, time.process_time() - start)
    assert best < 1 / 50
