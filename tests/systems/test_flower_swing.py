"""The flower in motion: small swings at the frequencies of its table, large ones as in maths sheet substructuring 10.

The sheet prints two digits. It does not say which vertex is the tip (here the middle of the hub's top), how the modal
velocity was brought into the tree's coordinates (here the nearest one in kinetic energy) nor how the frequency was
measured, so bounds leave a few of the last digits' units; the rms error is compared at the printed factor of time.
"""

import numpy as np
import pytest
import scipy.linalg as la
from flower import SIZE
from flower_swing import compared, solid, start, tree_swing, true_swing
from tree_reference import full_matrices

import pliant as pl
from pliant.systems.tree.cutting import limbs_of

# inertia: damping beta, steps, frequency over truth, rms, energy from, to, |A-R|/|R| mean, max, gap mean, max
TABLE = {
    "full": (0.0, 480, 1.034, 0.053, 1.00, 1.03, 0.0031, 0.036, 0.0038, 0.038),
    "L1": (0.01, 160, 3.75, 0.49, 0.58, 8.1, 0.0020, 0.020, 0.0024, 0.027),
    "L2": (0.01, 240, 1.37, 0.20, 0.69, 1.3, 0.0028, 0.025, 0.0036, 0.035),
}
MEAN, LARGEST = 0.04, 0.06  # relative: half a unit of the printed digit, and what a slightly different start does
ENERGY = 0.07  # relative to the printed range; L1's peak of 8.1 depends on the start most
FREQUENCY, RMS = 0.025, 0.06  # relative


pytestmark = pytest.mark.usefixtures("own_cache")


@pytest.fixture(scope="module")
def flower():
    return solid()


@pytest.fixture(scope="module")
def thrown(flower):
    body, labels, _ = flower
    return start(body, labels)[0]


@pytest.fixture(scope="module")
def swings(flower, thrown):
    made = {}

    def swing(inertia):
        if inertia not in made:
            passes = 1 if inertia == "full" else None  # the sheet's; undamped trees take more by themselves
            made[inertia] = tree_swing(thrown, *flower, inertia, *TABLE[inertia][:2], passes=passes)
        return made[inertia]

    return swing


def test_small_swings_have_the_frequencies_of_the_linearised_tree(flower):
    """All modes up to the fifth together: average acceleration gives v0 / w sin(n 2 atan(w dt / 2)), exactly."""
    body, labels, names = flower
    limbs, _ = limbs_of(body, labels, size=SIZE, names=names)
    M, K = full_matrices(limbs)
    squares, modes = la.eigh(K, M, subset_by_index=(0, 4))
    w, small = np.sqrt(squares), 1e-6
    tree = pl.Tree(limbs, 0.02, gravity=None)
    tree.v = small * modes @ w
    for n in range(1, 301):
        tree.step()
        if n % 50 == 0:
            found = modes.T @ M @ tree.q / small
            np.testing.assert_allclose(found, np.sin(n * 2 * np.arctan(w * tree.dt / 2)), rtol=0, atol=1e-4)


@pytest.mark.parametrize("inertia", TABLE)
def test_large_swing_has_the_energies_stretches_and_gaps_of_the_sheet(swings, inertia):
    seen = swings(inertia)
    low, high, stretch, most, gap, widest = TABLE[inertia][4:]
    assert min(seen.energy) == pytest.approx(low, rel=ENERGY if inertia != "full" else 0.005)
    assert max(seen.energy) == pytest.approx(high, rel=ENERGY if inertia != "full" else 0.005)
    assert np.mean(seen.stretch) == pytest.approx(stretch, rel=MEAN)
    assert np.max(seen.stretch) == pytest.approx(most, rel=LARGEST)
    assert np.mean(seen.gap) == pytest.approx(gap, rel=MEAN)
    assert np.max(seen.gap) == pytest.approx(widest, rel=LARGEST)


def test_mean_of_the_copies_moves_vertices_as_little_as_the_sheet_says(swings):
    assert swings("full").averaged == pytest.approx(1.7e-3, rel=LARGEST)


def test_second_pass_is_no_better_for_a_held_root(flower, thrown):
    """The sheet: energy up to 1.06 with two passes."""
    seen = tree_swing(thrown, *flower, "full", *TABLE["full"][:2], passes=2)
    assert max(seen.energy) == pytest.approx(1.06, abs=0.006)


def test_passes_that_agree_keep_the_energy(flower, thrown):
    """Neither one nor two do."""
    seen = tree_swing(thrown, *flower, "full", *TABLE["full"][:2])
    np.testing.assert_allclose(seen.energy, 1.0, atol=1e-3)


@pytest.fixture(scope="module")
def truth(flower, thrown):
    body, labels, _ = flower
    return true_swing(thrown, body, labels)


@pytest.mark.slow
def test_true_hub_leans_as_far_as_the_sheet_says(truth):
    assert np.degrees(truth.angle) == pytest.approx(46.0, abs=0.05)


@pytest.mark.slow
@pytest.mark.parametrize("inertia", TABLE)
def test_large_swing_has_the_frequency_of_the_sheet(swings, truth, inertia):
    factor, rms = TABLE[inertia][2:4]
    best, at_printed = compared(swings(inertia), truth, factor)
    assert best == pytest.approx(factor, rel=FREQUENCY)
    assert at_printed == pytest.approx(rms, rel=RMS)
