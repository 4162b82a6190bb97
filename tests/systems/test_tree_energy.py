"""Trees that nothing damps keep their energy: their passes go on until they agree, which is the trapezoidal rule."""

import numpy as np
import pytest

import pliant as pl
from pliant.systems.tree.striding import AGREED, HASTY, SETTLED, hastes

DT = 0.01
MESH = pl.shapes.bar((1.0, 0.1, 0.1), (12, 2, 2))
RUBBER = pl.StVK(1e6, 0.3, 1000)
DEPTH = 9.5  # [J] that weight and strain fall by to where the bar hangs at rest; it swings 80 degrees to either side
KEPT = 2e-3  # of that: the trapezoidal rule errs by a swing that does not grow
LONG = 5e-3  # of that, in 100,000 steps
FED = 0.1  # of that, in ten seconds: what a single pass feeds


def bar(held=True, dt=DT, **settings):
    solid = pl.Solid(MESH, RUBBER, fixed="x < 1e-6" if held else None)
    return pl.substructure(solid, pl.split(MESH, 3), size=18, dt=dt, **{"damping": (0, 0), **settings})


def energies(tree, seconds):
    found = []
    for _ in range(10):
        tree.step(round(0.1 * seconds / tree.dt))
        found.append(tree.energy())
    return np.array(found)


def test_undamped_tree_keeps_its_energy():
    """T + V of weight and strain, from rest where all are 0."""
    assert np.abs(energies(bar(), 10)).max() < KEPT * DEPTH


def test_single_passes_feed_an_undamped_tree():
    """Why more than one is needed; what they feed in a time goes with dt."""
    coarse, fine = (energies(bar(dt=dt, passes=1), 10)[-1] for dt in (DT, DT / 4))
    assert coarse > FED * DEPTH
    assert coarse / fine == pytest.approx(4, rel=0.5)


def test_free_undamped_tree_keeps_energy_and_momentum():
    tree = bar(held=False, gravity=None)
    tree.v = np.random.default_rng(0).normal(0, 0.3, tree.size)
    tree.launch((0.2, 0.1, 0.0), (1.0, 2.0, -1.5))
    before, (P, L) = tree.energy(), tree.momentum()
    found = energies(tree, 10)
    assert np.abs(found - before).max() < KEPT * before
    np.testing.assert_allclose(tree.momentum()[0], P, atol=1e-12 * np.abs(P).max())
    np.testing.assert_allclose(tree.momentum()[1], L, atol=1e-12 * np.abs(L).max())


@pytest.mark.slow
@pytest.mark.parametrize("dt", [0.005, 0.01])
def test_undamped_tree_keeps_its_energy_for_long(dt):
    """100,000 steps."""
    found = energies(bar(dt=dt), 100_000 * dt)
    assert np.abs(found).max() < LONG * DEPTH


def test_damping_of_a_quarter_step_is_enough_for_one_pass():
    one, free = (bar(damping=(0, 0.25 * DT), gravity=(0, -1.0, 0), passes=passes) for passes in (1, None))
    for tree in (one, free):
        tree.step(200)
    np.testing.assert_array_equal(one.q, free.q)


def test_passes_follow_from_damping():
    """One is enough in strides up to what beta takes; undamped, none is short enough."""
    assert hastes(0.01, 0.0025, 5.0) == (HASTY, SETTLED)
    assert hastes(0.01, 0.001, 5.0) == (pytest.approx(3 * 0.001 * 5.0), AGREED)
    assert hastes(0.01, 0.001, 100.0) == (HASTY, AGREED)
    assert hastes(0.01, 0.0, 5.0) == (0.0, AGREED)


@pytest.mark.parametrize("inertia", ["L1", "L2"])
def test_undamped_lumped_tree_says_how_much_damping_it_needs(inertia):
    """A smaller step is no cure."""
    tree = bar(inertia=inertia)
    with pytest.raises(pl.Diverged, match=rf"{inertia} needs damping=\(0, {tree.steady_damping[1]:.2g}\) at least"):
        tree.step(1000)
