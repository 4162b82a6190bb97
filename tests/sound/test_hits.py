"""How long hits take, and that soft ones sound dull."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from struck_bar import RATE

import pliant as pl
from pliant.errors import ArgumentError
from pliant.sound.hammers import hertz_duration, pulse
from pliant.sound.rubbing import profile, rubbed


@pytest.mark.parametrize("speed", [0.1, 1.0, 5.0])
def test_duration_of_a_hit_is_that_of_hertz_equation(speed):
    """m x'' = -4/3 E* sqrt(R) x^(3/2), integrated until x is zero again."""
    mass, radius, modulus = 0.02, 0.01, 1e9
    k = 4 / 3 * modulus * np.sqrt(radius)

    def law(_t, y):
        return [y[1], -k / mass * max(y[0], 0.0) ** 1.5]

    def apart(_t, y):
        return y[0]

    apart.terminal, apart.direction = True, -1  # type: ignore[attr-defined]
    run = solve_ivp(law, (0, 1), [1e-15, speed], events=apart, rtol=1e-10, atol=1e-14)
    assert hertz_duration(mass, radius, modulus, speed) == pytest.approx(run.t_events[0][0], rel=1e-4)


@pytest.mark.parametrize("offset", [0.0, 3e-6, 1.5e-5])
def test_pulse_carries_its_impulse_whole(offset):
    force = pulse(2.3e-4, offset, 1 / RATE)
    assert force.sum() / RATE == pytest.approx(1.0, rel=1e-12)
    middle = (np.arange(len(force)) + 0.5) @ force / RATE**2
    assert middle == pytest.approx(offset + 1.15e-4, abs=1e-6)


def brightness(samples):
    """Mean frequency of its energy [Hz]."""
    power = np.abs(np.fft.rfft(samples)) ** 2
    return (np.fft.rfftfreq(len(samples), 1 / RATE) @ power) / power.sum()


def test_soft_and_slow_hammers_sound_dull(bar, end):
    rubber, steel = pl.Hammer(0.02, 0.01, 5e6, 0.45), pl.Hammer(0.02, 0.01, 2e11)

    def struck(hammer, impulse):
        bar.silence()
        bar.strike(0.0, end, (0, -impulse, 0), hammer)
        power = np.abs(np.fft.rfft(bar.samples(0.5))) ** 2
        return power[round(0.5 * 900) :].sum() / power.sum()  # of all but the first tone

    assert bar.hit_duration(rubber, 0.02) > 10 * bar.hit_duration(steel, 0.02)
    assert struck(rubber, 0.02) < 0.1 * struck(steel, 0.02)
    assert struck(rubber, 0.001) < 0.5 * struck(rubber, 0.1)


def test_short_hits_sound_like_none_at_all(bar, end):
    """Where the pulse is far shorter than the tones, only its impulse counts."""
    bar.strike(0.01 - 2e-5, end, (0, -0.01, 0), duration=4e-5)
    pulsed = bar.samples(0.2)
    bar.silence()
    bar.strike(0.01, end, (0, -0.01, 0))
    kicked = bar.samples(0.2)
    assert np.abs(pulsed - kicked).max() < 0.08 * np.abs(kicked).max()


def test_roughness_grows_with_force_and_speed_and_rests_in_silence():
    force, line = np.full(RATE, 3.0), profile()
    loud = [np.std(rubbed(force, np.full(RATE, v), 0.1, 2e-4, 1 / RATE, line)) for v in (0.0, 0.01, 0.1)]
    assert loud[0] == 0
    assert 5 * loud[1] < loud[2]
    slow, fast = (rubbed(force, np.full(RATE, v), 0.1, 2e-4, 1 / RATE, line) for v in (0.02, 0.2))
    assert brightness(fast) == pytest.approx(10 * brightness(slow), rel=0.2)


def test_bad_hammers_are_refused():
    with pytest.raises(ArgumentError, match="the mass of a hammer must be finite and above 0"):
        pl.Hammer(mass=0)
