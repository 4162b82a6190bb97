"""The cubic model at audio rate: as the linear one when struck softly, and gliding down when struck hard."""

import time

import numpy as np
import pytest

import pliant as pl
from pliant.errors import ArgumentError, Diverged
from pliant.sound.hammers import pulse
from pliant.sound.nonlinear import glide

SIDE, DEPTH, RATE = 0.2, 0.001, 44100
DAMPING = (6.0, 2e-8)


@pytest.fixture(scope="session")
def plate():
    """A thin square plate of steel, held at its rim."""
    mesh = pl.shapes.bar((SIDE, DEPTH, SIDE), (24, 1, 24), kind="hex11")
    rim = f"x < 1e-6 or x > {SIDE - 1e-6} or abs(z) > {SIDE / 2 - 1e-6}"
    return pl.Solid(mesh, pl.StVK(2.1e11, 0.3, 7850), fixed=rim)


@pytest.fixture(scope="session")
def gong(plate):
    return pl.NonlinearSound(plate, modes=6, size=18, rate=RATE, damping=DAMPING)


@pytest.fixture(scope="session")
def middle(plate):
    x = plate.mesh.vertices
    return int(np.argmin(np.linalg.norm(x - [0.45 * SIDE, DEPTH / 2, 0.04 * SIDE], axis=1)))


def blow(gong, middle, impulse, seconds=0.5):
    fresh = gong.copy()
    fresh.strike(0.0, middle, (0, -impulse, 0), duration=1e-3)
    return fresh.samples(seconds)


def test_first_tone_of_a_clamped_plate_is_leissas(gong, plate):
    """f = 35.99 / (2 pi a^2) sqrt(D / (rho h)) of a square plate with clamped edges."""
    D = 2.1e11 * DEPTH**3 / (12 * (1 - 0.09))
    assert gong.frequencies[0] == pytest.approx(35.99 / (2 * np.pi * SIDE**2) * np.sqrt(D / (7850 * DEPTH)), rel=0.02)


def test_soft_blows_sound_as_the_linear_model(gong, plate, middle):
    soft = blow(gong, middle, 1e-6)
    linear = pl.Sound(plate, modes=6, rate=RATE, damping=DAMPING)
    linear.strike(0.0, middle, (0, -1e-6, 0), duration=1e-3)
    for window in [(0.0, 0.2), (0.2, 0.5)]:
        assert glide(soft, RATE, [window]) == pytest.approx(glide(linear.samples(0.5), RATE, [window]), rel=1e-3)


def test_hard_blows_begin_high_and_glide_down_to_the_linear_tone(gong, middle):
    start, end = glide(blow(gong, middle, 0.2, 1.2), RATE, [(0.005, 0.055), (1.0, 1.2)])
    assert start > 1.1 * end
    assert end == pytest.approx(gong.frequencies[0], rel=0.02)


def test_pitch_rises_with_the_square_of_the_amplitude(gong, middle):
    """Duffing: omega^2 grows by 3/4 gamma A^2, so twice the blow shifts the tone four times as far."""
    base, one, two = (glide(blow(gong, middle, J, 0.25), RATE, [(0.01, 0.25)])[0] for J in (1e-6, 0.01, 0.02))
    assert (two - base) / (one - base) == pytest.approx(4.0, rel=0.15)


def test_finer_steps_agree(gong, middle):
    fine = gong.copy()
    fine.finer = 4
    coarse, exact = blow(gong, middle, 0.05, 0.05), blow(fine, middle, 0.05, 0.05)
    assert np.abs(coarse - exact).max() < 0.005 * np.abs(exact).max()


def test_bad_input_is_refused(plate, gong, middle):
    soft = pl.Solid(plate.mesh, pl.Linear(2.1e11, 0.3, 7850), fixed=plate.fixed)
    with pytest.raises(ArgumentError, match="nonlinear sound is of StVK, whose forces are cubic; Linear was given"):
        pl.NonlinearSound(soft)
    with pytest.raises(Diverged, match="the blow is too hard for the step; strike less"):
        blow(gong, middle, 1e4, 0.05)


def test_hard_blow_moves_as_converged_newmark_steps_do(gong, middle):
    """Another integrator of the same model, with steps four times finer: a few periods agree within 2 %."""
    finer, J = 4, 0.1
    hard = gong.copy()
    hard.decay = np.zeros_like(hard.decay)
    hard.strike(0.0, middle, (0, -J, 0), duration=1e-3)
    heard = hard.samples(0.02)
    system = pl.Clamped(hard.model, dt=1 / (finer * RATE), damping=(0, 0), gravity=None, newton=30)
    [blow] = hard.hits
    force = np.repeat(pulse(blow.duration, 0.0, 1 / RATE), finer)
    found = np.zeros(len(heard))
    audible = gong.eigenvalues < (np.pi * RATE) ** 2
    for k in range(finer * (len(heard) - 1)):
        system.release()
        if k < len(force):
            system.push_reduced(force[k] * blow.gains)
        system.step()
        if (k + 1) % finer == 0:
            found[(k + 1) // finer] = system.q[audible].sum()
    assert np.abs(heard - found).max() < 0.02 * np.abs(found).max()


def test_thirty_cubic_coordinates_sound_in_real_time(plate, middle):
    """Of one core, in processor time; the best of a few, since the machine does other things as well."""
    large = pl.NonlinearSound(plate, modes=10, size=30, rate=RATE)
    large.strike(0.0, middle, (0, -0.05, 0), duration=1e-3)
    large.samples(0.05)
    best = np.inf
    for _ in range(3):
        start = time.process_time()
        large.samples(0.2)
        best = min(best, time.process_time() - start)
    assert best < 0.2
