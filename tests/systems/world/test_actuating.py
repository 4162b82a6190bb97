"""Bodies that move themselves: balanced forces over time."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from shapes import block, turn

import pliant as pl
from pliant.errors import ArgumentError
from pliant.systems.world.actuating import balanced


@given(seed=st.integers(0, 2**32 - 1), count=st.integers(3, 40))
def test_balanced_forces_have_no_sum_and_no_torque_and_change_the_least(seed, count):
    rng = np.random.default_rng(seed)
    x, f = rng.normal(size=(count, 3)), rng.normal(size=(count, 3))
    left = balanced(x, f)
    scale = np.abs(f).sum() * (1 + np.abs(x).max())
    assert np.abs(left.sum(axis=0)).max() < 1e-13 * scale
    assert np.abs(np.cross(x, left).sum(axis=0)).max() < 1e-13 * scale
    # What was taken off moves bodies as a whole, so nothing else of it could have been kept.
    a, b = rng.normal(size=3), rng.normal(size=3)
    np.testing.assert_allclose(balanced(x, f + a + np.cross(b, x)), left, atol=1e-11 * scale)
    np.testing.assert_allclose(balanced(x, left), left, atol=1e-13 * scale)


def swimmer(kind=None, **options):
    world = pl.World(5e-3, gravity=None, substeps=2)
    body = world.add(block(), (0.3, 0.2, 0.1), turn((1, 2, 0), 0.8), (0.4, 0.1, 0.0), (0.3, 0.2, 0.9), **options)
    ends = np.flatnonzero(np.abs(body.model.X[:, 0] - 0.5) > 0.3)
    forces = np.zeros((len(ends), 3))
    forces[:, 1] = 30 * np.cos(6 * body.model.X[ends, 0])
    return world, body, ends, forces


def test_a_free_body_bends_itself_and_keeps_its_momentum_to_rounding():
    world, body, ends, forces = swimmer()
    P, L = world.momentum()
    body.actuate(ends, forces, lambda t: np.sin(25 * t))
    bent = 0.0
    for _ in range(200):
        world.step(2)
        bent = max(bent, np.abs(body.model.U @ body.q).max())
    assert bent > 0.01
    np.testing.assert_allclose(world.momentum()[0], P, atol=1e-12 * np.linalg.norm(P))
    np.testing.assert_allclose(world.momentum()[1], L, atol=1e-12 * np.linalg.norm(L))


def test_a_held_body_answers_as_to_a_push_of_the_same_forces():
    solid = pl.Solid(pl.shapes.bar((1.0, 0.2, 0.2), (6, 2, 2)), pl.Linear(5e5, 0.3, 1000.0), fixed="x < 0.01")
    model = pl.reduce(solid, pl.Basis(pl.vibration_modes(solid, 5).vectors), force="linear")
    R, tips = turn((0, 1, 1), 0.6), solid.mesh.select("x > 0.99")
    worlds = [pl.World(2e-3, gravity=None) for _ in range(2)]
    bodies = [world.add(model, rotation=R, damping=(0.0, 1e-3)) for world in worlds]
    bodies[0].actuate(tips, (0.0, 3.0, 1.0), lambda _: 2.0)
    bodies[1].push(tips, 2 * R @ (0.0, 3.0, 1.0))
    for world in worlds:
        world.step(100)
    assert np.abs(bodies[0].q).max() > 0
    np.testing.assert_allclose(bodies[0].q, bodies[1].q, atol=1e-12 * np.abs(bodies[1].q).max())


def test_strengths_are_taken_in_the_middle_of_small_steps_however_steps_are_called():
    times, worlds = [], []
    for calls in ((1,) * 12, (5, 7)):
        world, body, ends, forces = swimmer()
        body.actuate(ends, forces, lambda t: times.append(t) or np.cos(40 * t))
        for count in calls:
            world.step(count)
        worlds.append(world)
    np.testing.assert_allclose(worlds[0].bodies[0].q, worlds[1].bodies[0].q, atol=1e-12)
    np.testing.assert_allclose(times[:24], (np.arange(24) + 0.5) * 2.5e-3, atol=1e-12)


def test_what_is_released_acts_no_more():
    world, body, ends, forces = swimmer()
    actuation = body.actuate(ends, forces, lambda _: 1.0)
    actuation.release()
    actuation.release()
    other, still, *_ = swimmer()
    world.step(20)
    other.step(20)
    np.testing.assert_array_equal(body.q, still.q)


@pytest.mark.parametrize(
    ("vertices", "forces", "strength", "words"),
    [
        ([0, 1], (0, 1, 0), abs, "on a line"),
        ([0, 1, 5], (0, 1, 0), 2.0, "function of time"),
        ([0, 1, 999], (0, 1, 0), abs, "vertices"),
        ([0, 1, 5], (0, np.nan, 0), abs, "forces"),
    ],
)
def test_bad_actuation_is_refused_in_a_sentence(vertices, forces, strength, words):
    _, body, *_ = swimmer()
    with pytest.raises(ArgumentError, match=words):
        body.actuate(vertices, forces, strength)


def test_rigid_bodies_and_strengths_that_are_no_numbers_are_refused(tmp_path):
    world, body, ends, forces = swimmer()
    stone = world.add(pl.Rigid(pl.shapes.bar((0.2, 0.2, 0.2), (1, 1, 1)), 1000.0), (3.0, 0.0, 0.0))
    with pytest.raises(ArgumentError, match="does not deform"):
        stone.actuate([0, 1, 2], (0, 1, 0), abs)
    actuation = body.actuate(ends, forces, lambda t: np.nan if t > 0.01 else 0.0)
    with pytest.raises(ArgumentError, match="strength of body 0"):
        world.step(10)
    with pytest.raises(ArgumentError, match="no file can keep; release"):
        world.save(tmp_path / "x.state")
    actuation.release()
    world.step(3)
