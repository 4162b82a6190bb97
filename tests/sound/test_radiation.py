"""What listeners hear, against the pulsating sphere and the piston in a wall."""

import numpy as np
import pytest
from struck_bar import RATE

import pliant as pl
from pliant.errors import ArgumentError
from pliant.mesh.normals import vertex_normals
from pliant.sound.radiation import AIR_DENSITY, SOUND_SPEED, ears, radiator


def pressure(source, place):
    """Amplitude for z = cos(omega t)."""
    of_place, of_rate = source.weights(np.asarray(place))
    return np.hypot(of_place, np.sqrt(source.eigenvalues) * of_rate)


@pytest.mark.parametrize("kind", ["flux", "rayleigh"])
def test_breathing_sphere_radiates_as_a_monopole(kind):
    """p = rho omega^2 4 pi a^2 / (4 pi r), where it is small against the wave."""
    ball = pl.shapes.sphere(0.01, cells=20)
    X, surface = ball.vertices, ball.surface
    shapes = vertex_normals(X, surface)[:, :, None] * np.isin(np.arange(len(X)), surface)[:, None, None]
    omega = 2 * np.pi * 300.0
    source = radiator(kind, X, surface, shapes, np.array([omega**2]))
    expected = AIR_DENSITY * omega**2 * 0.01**2 / 1.5
    assert pressure(source, (0, 1.5, 0))[0] == pytest.approx(expected, rel=0.02)  # of a sphere of flat triangles


def test_piston_in_a_wall_is_heard_on_its_axis():
    """|p| = rho c v |2 sin(k/2 (sqrt(r^2 + a^2) - r))| of a disc, at frequencies where it is large against the wave."""
    a, rings, spokes = 0.1, 60, 96
    radii, angles = np.linspace(0, a, rings + 1)[1:], 2 * np.pi * np.arange(spokes) / spokes
    X = [np.zeros((1, 3))] + [np.stack([r * np.cos(angles), r * np.sin(angles), 0 * angles], 1) for r in radii]
    k, after = np.arange(spokes), (np.arange(spokes) + 1) % spokes
    fan = [np.stack([0 * k, 1 + k, 1 + after], 1)]
    for j in range(rings - 1):
        inner, outer = 1 + j * spokes, 1 + (j + 1) * spokes
        fan += [
            np.stack([inner + k, outer + k, outer + after], 1),
            np.stack([inner + k, outer + after, inner + after], 1),
        ]
    X, triangles = np.concatenate(X), np.concatenate(fan)
    omega = 2 * np.pi * np.array([500.0, 3000.0, 6000.0])
    shapes = np.zeros((len(X), 3, 3))
    shapes[:, 2] = 1.0
    source = radiator("rayleigh", X, triangles, shapes, omega**2)
    r = 0.3
    exact = AIR_DENSITY * SOUND_SPEED * omega * np.abs(2 * np.sin(omega / SOUND_SPEED / 2 * (np.hypot(r, a) - r)))
    assert pressure(source, (0, 0, r)) == pytest.approx(exact, rel=0.01)


def test_sound_arrives_after_its_way(bar, end):
    bar.strike(0.0, end, (0, -0.01, 0))
    bar.listener = (0.0, 3.43, 0.0)
    samples = bar.samples(0.05)
    way = bar.radiator.distance(np.array([0.0, 3.43, 0.0])) / SOUND_SPEED
    assert not samples[: int(way * RATE)].any()
    assert samples[int(way * RATE) + 2 :].any()
    bar.listener = None
    near = bar.samples(0.05)
    later = round(0.02 * RATE)
    shift = np.arange(len(near)) / RATE - way
    expected = np.interp(shift, np.arange(len(near)) / RATE, near) / (way * SOUND_SPEED)
    assert samples[later:] == pytest.approx(expected[later:], abs=0.02 * np.abs(expected).max())


def test_nearer_ear_hears_more_and_sooner(bar, end):
    bar.strike(0.0, end, (0, -0.01, 0))
    bar.listener = ears((1.0, 0.5, 0.0), (1.0, 0.5, 1.0))  # looks along z, so that the bar is to its right
    far, near = bar.samples(0.1).T
    assert np.abs(near).max() > np.abs(far).max()
    assert np.flatnonzero(near)[0] < np.flatnonzero(far)[0]


def test_moving_listener_hears_doppler(bar, end):
    """Coming at v: f (1 + v / c)."""
    bar.decay = np.full_like(bar.decay, 0.5)
    bar.strike(0.0, end, (0, -0.01, 0))
    speed = 20.0
    bar.listener = lambda t: (0.0, 40.0 - speed * t, 0.0)
    samples = bar.samples(1.5)[round(0.3 * RATE) :]
    spectrum = np.abs(np.fft.rfft(samples * np.hanning(len(samples)), 8 * len(samples)))
    heard = np.argmax(spectrum) * RATE / (8 * len(samples))
    assert heard == pytest.approx(bar.frequencies[0] * (1 + speed / SOUND_SPEED), rel=2e-3)


def test_standing_and_moving_listeners_agree_where_both_stand(bar_solid, end):
    place = (0.1, 0.6, 0.2)
    sound = pl.Sound(bar_solid, modes=6, radiation="rayleigh", listener=place)
    sound.strike(0.001, end, (0, -0.01, 0))
    still = sound.samples(0.1)
    sound.listener = lambda _t: place
    begun = np.flatnonzero(still)[0] + 10  # the first wave front is sharper than samples are
    assert sound.samples(0.1)[begun:] == pytest.approx(still[begun:], abs=0.02 * np.abs(still).max())


def test_bad_listeners_are_refused(bar):
    with pytest.raises(ArgumentError, match="listener must be a place"):
        bar.listener = (1.0, 2.0)
