"""The energy watch of trees, steps that help themselves, and accelerations that begin with the forces."""

import numpy as np
import pytest
import scipy.linalg as la
from tree_reference import full_matrices

import pliant as pl
from pliant.errors import Diverged
from pliant.systems.energy_watch import EXCHANGED, WORK
from pliant.systems.tree.composite import add_energies
from pliant.systems.tree.cutting import limbs_of

LENGTH, THICK, STIFF = 0.4, 0.04, 1e6
BALANCED = 2e-3  # of the work done: what Newmark errs at these steps
PULL = 0.2 * STIFF * THICK**2


def bar(parts=4, stiff=STIFF, held=True):
    mesh = pl.shapes.bar((LENGTH, THICK, THICK), (16, 2, 2))
    solid = pl.Solid(mesh, pl.StVK(stiff, 0.3, 1000), fixed=mesh.select("x < 0.001") if held else None)
    centres = mesh.vertices[mesh.cells].mean(axis=1)[:, 0]
    return solid, np.minimum((centres / LENGTH * parts).astype(int), parts - 1)


@pytest.fixture(scope="module")
def held():
    return bar()


def tree_of(made, **options):
    return pl.substructure(*made, **{"size": 10 * (made[1].max() + 1), "dt": 2.5e-3, **options})


def tip(tree):
    return np.flatnonzero(tree.mesh.vertices[:, 0] > LENGTH - 1e-6)


def mechanical(tree):
    """T + V [J]."""
    parts = np.zeros(3)
    tree.energy()
    add_energies(*tree._moving, tree.gravity, parts)
    return parts[0] + parts[1]


def blown(tree):
    tree.wind = pl.Wind((0.0, 3.0, 1.0), length=1.0)


def pushed(tree):
    tree.push(tip(tree), [0.0, 0.05, 0.02])


def pushed_inside(tree):
    tree.push_reduced(np.linspace(-0.01, 0.01, tree.size))


def led(tree):
    tree.hold(int(tip(tree)[0]), [LENGTH, 0.04, 0.0], 20.0)


@pytest.mark.parametrize("act", [blown, pushed, pushed_inside, led])
def test_work_of_all_that_acts_is_the_energy_gained(held, act):
    """T + V - W stays, undamped and stepped finely: weight and each kind of load."""
    tree = tree_of(held, dt=1e-3, damping=(0, 0), gravity=(0, -1.0, 0))
    act(tree)
    for _ in range(10):
        tree.step(16)
    ledger = tree._watch.ledger
    assert ledger[EXCHANGED] > 1e-4
    assert abs(mechanical(tree) - ledger[WORK]) < (BALANCED if act is not led else 10 * BALANCED) * ledger[EXCHANGED]


def test_strong_pull_on_a_soft_tree_is_followed(held):
    """0.2 E A sideways at 2.5 ms: one pass a step makes a thousand times the energy of the pull."""
    tree = tree_of(held, gravity=None)
    tree.push(tip(tree), [0.0, PULL / len(tip(tree)), 0.0])
    tree.step(800)
    assert mechanical(tree) < PULL * LENGTH
    x = tree.vertices()[tip(tree)].mean(axis=0)
    assert np.linalg.norm(x) < 1.5 * LENGTH
    with pytest.raises(Diverged):
        once = tree_of(held, gravity=None, passes=1)
        once.push(tip(once), [0.0, PULL / len(tip(once)), 0.0])
        once.step(800)


def test_energy_from_nowhere_is_named_and_the_last_good_state_kept(held):
    tree = tree_of(held, gravity=None, damping=(0, 0), passes=1)
    tree.push(tip(tree), [0.0, PULL / len(tip(tree)), 0.0])
    with pytest.raises(
        Diverged, match="gained energy that no load supplied, most of it in part ., by t = .* use a smaller"
    ) as info:
        tree.step(400)
    assert info.value.part in {limb.name for limb in tree.limbs}
    assert info.value.time == tree.time
    assert round(tree.time / tree.dt) % 16 == 0
    assert mechanical(tree) < 2 * PULL * LENGTH
    again = tree_of(held, gravity=None, damping=(0, 0), passes=1)
    again.push(tip(again), [0.0, PULL / len(tip(again)), 0.0])
    again.step(round(tree.time / tree.dt))
    np.testing.assert_array_equal(again.q, tree.q)


def test_watch_begins_anew_where_the_state_is_written(held):
    """A state that somebody gave needs no explanation, whatever its energy."""
    tree = tree_of(held, gravity=None)
    tree.step(32)
    tree.v = np.full(tree.size, 1e-3)
    tree.step(64)
    tree.q, tree.v = np.zeros(tree.size), np.full(tree.size, 1e-2)
    tree.step(64)


@pytest.mark.parametrize("stiff", [1e5, 1e7])
@pytest.mark.parametrize("inertia", ["L1", "L2"])
def test_lumped_bar_of_eight_parts_sags_with_the_default_damping(inertia, stiff):
    tree = tree_of(bar(8, stiff), inertia=inertia)
    tree.step(800)
    assert mechanical(tree) < 5 * tree.limbs[0].model.inertia.mass * 8 * 9.81 * LENGTH


@pytest.mark.parametrize("change", [None, "push", "velocity"])
def test_first_step_has_the_acceleration_of_the_forces(held, change):
    """q(dt) = q0 + dt v0 + dt^2/2 a0 + O(dt^3) with M a0 = f - f_int; from a0 = 0 it is half of that."""
    dt = 1e-6
    tree = tree_of(held, dt=dt)
    if change == "push":
        tree.push(tip(tree), [0.0, 0.3, 0.0])
    if change == "velocity":
        tree.v = 1e-3 * np.arange(tree.size)
    q, v, a = np.array(tree.q), np.array(tree.v), tree.acceleration()
    tree.step()
    np.testing.assert_allclose(tree.q, q + dt * v + dt**2 / 2 * a, rtol=0, atol=0.02 * dt**2 * np.abs(a).max())


def test_smooth_pushes_are_not_taken_for_jumps(held):
    """A load that grows a little, or changes in every call, keeps the acceleration of the last step; others do not."""
    tree = tree_of(held)
    tree.push(tip(tree), [0.0, 1.0, 0.0])
    tree.step(5)
    tree.release()
    a = np.array(tree.state()["a"])
    tree.push(tip(tree), [0.0, 1.0, 0.0])
    np.testing.assert_array_equal(tree.a, a)
    tree.step()
    tree.step()
    a = np.array(tree.a)
    tree.release()
    tree.push(tip(tree), [0.0, 1.1, 0.0])
    tree.state()
    np.testing.assert_array_equal(tree.a, a)
    tree.release()
    tree.state()
    assert np.abs(tree.a - a).max() > 1e-3 * np.abs(a).max()


def test_first_period_is_that_of_the_linearised_tree(held):
    tree = tree_of(held)
    M, K = full_matrices(limbs_of(*held, size=40)[0])
    assert tree._first_period() == pytest.approx(2 * np.pi / np.sqrt(la.eigh(K, M, eigvals_only=True)[0]), rel=1e-6)


def test_first_period_of_a_free_tree_is_that_of_its_bending():
    """A free bar bends at 22.373 / 3.516 times the frequency of a clamped one (Euler-Bernoulli, slender bars)."""
    free, clamped = (tree_of(bar(held=held))._first_period() for held in (False, True))
    assert clamped / free == pytest.approx(22.373 / 3.516, rel=0.1)


@pytest.mark.parametrize("inertia", ["full", "L1", "L2"])
def test_damping_keeps_the_angular_momentum_of_a_spinning_tree(inertia):
    """Strain rates alone are damped: 1e-10 over a second at beta = 0.01."""
    tree = tree_of(bar(held=False), inertia=inertia, gravity=None, damping=(0.0, 0.01), dt=5e-3)
    tree.launch(spin=[1.0, 2.0, 6.0])
    before = tree.momentum()[1]
    tree.step(200)
    assert np.linalg.norm(tree.momentum()[1] - before) < 1e-10 * np.linalg.norm(before)


def test_damping_does_not_brake_a_pendulum():
    """A stiff bar swings on a soft hinge: E ~ exp(-beta omega^2 t), what the strain rates of the hinge explain."""
    (solid, labels), beta = bar(4), 4e-3
    hinged = pl.Solid(solid.mesh, pl.StVK(STIFF * np.where(labels == 0, 0.02, 50.0), 0.3, 1000), solid.fixed)
    tree = pl.substructure(hinged, labels, size=24, dt=1e-3, gravity=None, damping=(0.0, beta))
    M, K = full_matrices(tree.limbs)
    swing = la.eigh(K, M, eigvals_only=True)[:2]  # omega^2 in the two planes, which tets tell apart
    tree.push(tip(tree), [0.0, 2e-3, 0.0])
    tree.step(4)
    tree.release()
    periods = round(4 * np.pi / np.sqrt(swing[0]) / tree.dt)
    tree.step(periods)  # other modes have faded
    before = mechanical(tree)
    tree.step(periods)
    rate = np.log(before / mechanical(tree)) / (periods * tree.dt)
    assert 0.97 * beta * swing[0] < rate < 1.03 * beta * swing[1]


@pytest.mark.parametrize("free", [False, True])
def test_hand_that_stands_still_feeds_no_undamped_tree(free):
    """Pulled aside by 40 % of its length at 60 /s and 5 ms: from then on the hand does no work, and energy stays."""
    tree = tree_of(bar(held=not free), dt=5e-3, gravity=None, damping=(0, 0))
    held = int(tip(tree)[0])
    tree.hold(held, tree.vertices()[held] + 0.4 * LENGTH * np.array([0.2, 0.6, -0.77]), 60.0)
    tree.step(96)
    before, work = mechanical(tree), tree._watch.ledger[WORK]
    tree.step(160)
    assert abs(tree._watch.ledger[WORK] - work) < 0.05 * before
    assert abs(mechanical(tree) - before) < 0.05 * before


@pytest.mark.parametrize("size", [1, 9, 16, 25, 100])
def test_going_back_does_not_forget_the_account(held, size, monkeypatch):
    """Steps that are taken again, finer, start from the ledger of the state they start from, whatever the slices."""
    monkeypatch.setattr("pliant.systems.slices.next_size", lambda *_: size)
    tree = tree_of(held, gravity=None, damping=(0, 0))
    tree.push(tip(tree), [0.0, 0.05, 0.02])
    tree._slice = size
    tree.step(32)
    good, time = tree._watch.ledger.copy(), tree.time
    tree.step(7)
    tree._watch.ledger[WORK] += 1.0
    tree._go_back()
    assert tree.time == time
    np.testing.assert_array_equal(tree._watch.ledger, good)
    tree.step(25)
    assert tree._watch.ledger[WORK] > good[WORK]


def test_state_of_a_held_free_tree_goes_on_to_the_last_bit():
    """Momentum is carried by the mean of a hand's forces, which are state."""
    trees = [tree_of(bar(held=False), dt=5e-3, gravity=None) for _ in range(2)]
    held = int(tip(trees[0])[0])
    target = trees[0].vertices()[held] + [0.0, 0.1, 0.0]
    for tree in trees:
        tree.hold(held, target, 20.0)
    trees[0].step(20)
    trees[1].restore(trees[0].state())
    for tree in trees:
        tree.step(20)
    np.testing.assert_array_equal(trees[0].q, trees[1].q)
