"""What a world does is heard: when bodies hit, how hard, how they slide, and from where."""

import numpy as np
import pytest
from scipy.io import wavfile
from struck_bar import DEPTH, LENGTH, RATE, WIDTH

import pliant as pl
from pliant.errors import ArgumentError

DT, SUBSTEPS = 0.004, 4
RADIUS, DENSITY, HEIGHT, BOUNCE = 0.01, 1000.0, 0.2, 0.5


@pytest.fixture
def bar_body():
    return pl.Rigid(pl.shapes.bar((LENGTH, DEPTH, WIDTH), (6, 1, 1)), 7850)


@pytest.fixture
def world():
    return pl.World(DT, substeps=SUBSTEPS)


def test_dropped_ball_strikes_when_and_as_hard_as_it_falls(world, bar_body, bar):
    """t = sqrt(2 h / g), J = m v (1 + e), at the vertex below the ball."""
    ball = pl.Rigid(pl.shapes.sphere(RADIUS, cells=4), DENSITY)
    table = world.add(bar_body, kind="static", restitution=BOUNCE)
    world.add(ball, position=(0.02, HEIGHT, 0.0), restitution=BOUNCE)
    hearing = pl.Hearing(world, {table: bar})
    hearing.step(round(0.22 / world.dt))
    [voice] = hearing.voices.values()
    [hit] = voice.hits
    fall = HEIGHT - DEPTH / 2 - RADIUS
    time, speed = np.sqrt(2 * fall / 9.81), np.sqrt(2 * 9.81 * fall)
    assert hit.time == pytest.approx(time, abs=1.5 * world.dt)
    J = -ball.inertia.mass * speed * (1 + BOUNCE)
    at = voice.nearest(np.array([0.02, DEPTH / 2, 0.0]))
    assert hit.gains == pytest.approx(J * voice.shapes[at, 1], abs=0.03 * np.abs(J * voice.shapes[at, 1]).max())
    samples = hearing.samples(0.5)
    assert np.flatnonzero(samples)[0] == pytest.approx(hit.time * RATE, abs=2)
    assert len(samples) == round(0.5 * RATE)


def test_heard_world_moves_as_it_does_unheard(bar_body, bar):
    """Small steps one by one are the steps of the world."""

    def fallen():
        world = pl.World(DT, substeps=SUBSTEPS)
        table = world.add(bar_body, kind="static", restitution=BOUNCE)
        ball = world.add(pl.Rigid(pl.shapes.sphere(RADIUS, cells=4), DENSITY), position=(0.02, HEIGHT, 0.001))
        return world, table, ball

    world, _, plain = fallen()
    world.step(60)
    other, table, ball = fallen()
    pl.Hearing(other, {table: bar}).step(60 * SUBSTEPS)
    assert other.time == pytest.approx(world.time)
    assert ball.vertices() == pytest.approx(plain.vertices(), abs=1e-9)


def test_resting_is_silent_and_sliding_is_not(bar_body, bar_modes):
    """What lies still presses, and nothing is heard; what slides on rough ground hums on."""

    def heard(speed):
        world = pl.World(DT, substeps=SUBSTEPS)
        world.ground(0, friction=0.2)
        body = world.add(bar_body, position=(0, DEPTH / 2, 0), velocity=(speed, 0, 0), friction=0.2)
        hearing = pl.Hearing(world, {body: bar_modes})
        hearing.step(round(0.2 / world.dt))
        return hearing.samples()

    rest, slide = heard(0.0), heard(1.0)
    assert np.abs(slide[RATE // 20 :]).max() > 0
    late = RATE // 20  # the first steps, in which it comes to lie, are over
    assert np.std(np.diff(rest[late:])) < 0.05 * np.std(np.diff(slide[late:]))


def test_two_bodies_in_stereo_are_heard_on_their_sides(world, bar_body, bar):
    """Two bars left and right of a listener, each struck by its own ball at its own time."""
    ball = pl.Rigid(pl.shapes.sphere(RADIUS, cells=4), DENSITY)
    tables = [world.add(bar_body, position=(x, 0, 0), kind="static") for x in (-2.0, 2.0)]
    for x, height in ((-2.0, 0.1), (2.0, 0.5)):
        world.add(ball, position=(x + 0.02, height, 0.0))
    listener = pl.ears((0.15, 0.0, 0.5), (0.15, 0.0, 0.0), width=0.2)  # looks back at them: left is to the left
    hearing = pl.Hearing(world, dict.fromkeys(tables, bar), listener=listener)
    hearing.step(round(0.6 / world.dt))
    left, right = hearing.samples(0.6).T
    first, second = slice(round(0.14 * RATE), round(0.25 * RATE)), slice(round(0.4 * RATE), round(0.6 * RATE))
    assert np.abs(left[first]).max() > 1.05 * np.abs(right[first]).max()
    late = [np.diff(ear[second] - ear[second].mean()) for ear in (left, right)]
    assert np.std(late[1]) > np.std(late[0]) * 0.9
    assert np.flatnonzero(left)[0] < np.flatnonzero(right)[0]


def test_recorded_world_can_be_heard_too(world, bar_body, bar, tmp_path):
    world.ground(0)
    body = world.add(bar_body, position=(0, 0.05, 0))
    hearing = pl.Hearing(world, {body: bar})
    recording = pl.record(world, 0.2, rate=30, before_step=hearing)
    assert len(recording.times) == 7
    hearing.write(tmp_path / "drop.wav", 0.3)
    rate, content = wavfile.read(tmp_path / "drop.wav")
    assert (rate, len(content)) == (RATE, round(0.3 * RATE))
    assert np.abs(content).max() == pytest.approx(0.9 * 32767, abs=1)


def test_bad_hearings_are_refused(world, bar_body, bar, bar_solid):
    body, other = world.add(bar_body), world.add(bar_body, position=(0, 1, 0))
    with pytest.raises(ArgumentError, match="hearing needs a world and a voice"):
        pl.Hearing(world, {})
    with pytest.raises(ArgumentError, match="voices must have one rate"):
        pl.Hearing(world, {body: bar, other: pl.Sound(bar_solid, modes=2, rate=48000)})
