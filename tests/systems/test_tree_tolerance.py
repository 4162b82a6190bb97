"""Trees that choose their size for a tolerance: the full model at rest, and runs against it."""

import copy
import warnings

import numpy as np
import pytest
from released import pulled_and_released

import pliant as pl
from pliant.errors import ArgumentError, PliantWarning

FEW = 2.0  # the end of a bar that is pulled sideways may err by more than the whole does in the mass
SAME = 1e-9  # relative: another tree of the same models, led to rest in the same way


def bar(cells=(12, 2, 2)):
    return pl.Solid(pl.shapes.bar((1, 0.1, 0.1), cells), pl.StVK(1e6, 0.3, 1000), fixed="x < 1e-9")


def sideways(solid):
    """Forces (n, 3) [N] on the end."""
    end, forces = solid.mesh.select("x > 0.999999"), np.zeros(solid.mesh.vertices.shape)
    forces[end] = (0, 1.8 / len(end), 1.2 / len(end))
    return forces


@pytest.fixture(scope="module")
def chosen(own_cache):
    """A solid, the labels of five parts, and the tree chosen for 5 % under a pull at its end."""
    solid = bar()
    labels = pl.split(solid, 5)
    return solid, labels, pl.substructure(solid, labels, dt=0.01, tolerance=0.05, loads=sideways(solid), gravity=None)


def test_the_smallest_size_tried_that_meets_the_tolerance_is_taken(chosen):
    solid, _, tree = chosen
    report = tree.report
    assert report.error <= report.tolerance == 0.05
    assert report.size == tree.size == report.sizes[-1]
    assert (report.worst[:-1] > 0.05).all()
    asked = pl.estimate_errors(tree, sideways(solid), solid)
    np.testing.assert_allclose(asked, report.errors[-1], rtol=SAME)


def test_a_chosen_tree_moves_as_the_full_solid(chosen):
    solid, labels, _ = chosen
    forces = sideways(solid)
    patch = np.flatnonzero(forces.any(axis=1))
    period = 2 * np.pi / pl.vibration_modes(solid, 1).frequencies[0]
    given = {"dt": period / 60, "damping": (0.0, period / 300), "gravity": None}
    tree = pl.substructure(solid, labels, **given, tolerance=0.05, loads=forces)
    truth, found = (pulled_and_released(it, patch, forces[patch], 40) for it in (pl.Full(solid, **given), tree))
    size = np.linalg.norm(truth, axis=1).max()
    assert size > 0.05
    assert np.linalg.norm(found - truth, axis=1).max() < FEW * 0.05 * size


def test_the_report_goes_along_into_files_and_copies_and_goes_with_the_limbs(chosen, tmp_path):
    _, _, tree = chosen
    tree.save(tmp_path / "it.state")
    for other in (pl.resume(tmp_path / "it.state"), tree.retuned(dt=0.005), copy.copy(tree)):
        assert repr(other.report) == repr(tree.report)
        np.testing.assert_array_equal(other.report.errors, tree.report.errors)
    other.cut(1)
    assert other.report is None
    assert tree.report is not None


def test_a_tree_that_no_size_mends_says_what_it_reaches_and_what_to_take():
    """Weight along the bar narrows it, and an interface that narrows is none that a part can stand on."""
    solid = bar((12, 1, 1))
    with pytest.warns(PliantWarning, match=r"error of 0\.\d+, above the tolerance of 0\.001; .* pl\.couple_nonlinear"):
        tree = pl.substructure(solid, pl.split(solid, 4), dt=0.01, tolerance=0.001)
    report = tree.report
    assert report.error == report.worst.min() > 0.01
    assert 3 <= len(report.sizes) < 8
    assert tree.size == report.size


def test_no_more_coordinates_are_tried_than_are_allowed():
    solid = bar()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PliantWarning)
        tree = pl.substructure(solid, pl.split(solid, 4), dt=0.01, tolerance=0.001, loads=sideways(solid), most=20)
    assert tree.report.sizes.tolist() == [20]
    assert tree.size == 20


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"tolerance": 0.01, "size": 40}, "size was given; leave one of them out"),
        ({"tolerance": 0.01, "sizes": [20, 20]}, "sizes was given; leave one of them out"),
        ({"size": 40, "loads": np.ones(3)}, "loads is for a tolerance"),
        ({"size": 40, "most": 40}, "most is for a tolerance"),
        ({"tolerance": 0.0}, "tolerance"),
        ({"tolerance": 0.1, "most": 0}, "most"),
        ({"tolerance": 0.1, "loads": np.ones(3)}, "loads"),
    ],
)
def test_what_makes_no_sense_is_refused(given, words):
    solid = bar()
    with pytest.raises(ArgumentError, match=words):
        pl.substructure(solid, pl.split(solid, 4), dt=0.01, **given)
