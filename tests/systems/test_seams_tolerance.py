"""Parts that choose their columns for a tolerance: runs against the unreduced solid, estimates against equilibria."""

import warnings
from itertools import pairwise

import numpy as np
import pytest
from released import pulled_and_released

import pliant as pl
from pliant.basis.galerkin import galerkin_static
from pliant.basis.held_out import HeldOut, small_errors, spanning
from pliant.basis.indicator import mass_norm
from pliant.basis.learning import Learning
from pliant.basis.size_report import SizeReport
from pliant.basis.typical_loads import bounded, extremities, pull
from pliant.errors import ArgumentError, PliantWarning
from pliant.systems.estimating import warn_of_errors
from pliant.systems.growing import GROWTH, attempted, grown, scaled

MATERIAL = pl.StVK(1e6, 0.3, 1000)
HONEST = 1.3  # an estimate from one Newton correction, of a state that is a few per cent away
FEW = 2.0  # the tip of a pulled limb may err by more than the whole does in the mass
SAME = 1e-6  # relative: equilibria are found to 1e-8 of the forces


def bar(fixed="x < 1e-9", cells=(12, 2, 2)):
    return pl.Solid(pl.shapes.bar((1, 0.1, 0.1), cells), MATERIAL, fixed=fixed)


def fork():
    ends = {(0, 0, 0): 0.09, (0.35, 0.9, 0.1): 0.07, (-0.4, 0.8, -0.1): 0.07}
    mesh = pl.sdf.union(*(pl.sdf.capsule((0, 0.5, 0), end, radius) for end, radius in ends.items())).tets(0.085)
    return pl.Solid(mesh, MATERIAL, fixed="y < 0")


CASES = {"bar": (bar, 0.002), "fork": (fork, 0.01)}


@pytest.fixture(scope="module", params=["bar", pytest.param("fork", marks=pytest.mark.slow)])
def case(request, own_cache):
    """A solid, the labels of three parts, a tolerance, and the system chosen for it."""
    make, tolerance = CASES[request.param]
    solid = make()
    labels = pl.split(solid, 3)
    return solid, labels, tolerance, pl.couple_nonlinear(solid, labels, **settings(solid), tolerance=tolerance)


def settings(solid):
    period = 2 * np.pi / pl.vibration_modes(solid, 1).frequencies[0]
    return {"dt": period / 60, "damping": (0.0, period / 300), "gravity": None}


def slanting_pull(solid, radius=0.06):
    """A pull (3n,) [N] at an extremity, of a typical size, that no column was made for."""
    load = pull(solid, int(extremities(solid, 2)[1]), np.array([0.4, 1.0, 0.7]), radius)
    return bounded(solid, load[:, None], Learning(solid, modes=1).response)[:, 0]


def released(system, load, steps=50):
    """Mean displacements of what is pulled, and for as long after it was let go."""
    forces = load.reshape(-1, 3)
    patch = np.flatnonzero(np.abs(forces).sum(axis=1))
    return pulled_and_released(system, patch, forces[patch], steps)


def test_chosen_parts_move_as_the_full_solid_and_better_than_usual_ones(case):
    solid, labels, tolerance, system = case
    load, given = 0.7 * slanting_pull(solid), settings(solid)
    truth = released(pl.Full(solid, **given), load)
    size = np.linalg.norm(truth, axis=1).max()
    assert size > 0.05

    def error(made):
        return np.linalg.norm(released(made, load) - truth, axis=1).max() / size

    chosen, usual = error(system), error(pl.couple_nonlinear(solid, labels, 4, 10, **given))
    assert chosen < FEW * tolerance
    assert chosen < usual


def test_report_says_what_the_columns_are_worth(case):
    solid, _, tolerance, system = case
    report = system.report
    assert report.error <= report.tolerance == tolerance
    assert report.size == system.size == report.sizes[-1]
    assert (report.worst[:-1] > tolerance).all()  # the first size that meets it is taken
    load = slanting_pull(solid)
    U, u = system.parts.columns(), pl.solve_static(solid, load)
    e = U @ galerkin_static(solid, U, load) - u
    assert np.pi * mass_norm(solid, e) / mass_norm(solid, u) < HONEST * tolerance


def test_system_and_its_report_come_back_from_a_file_and_from_the_cache(case, tmp_path):
    solid, labels, tolerance, system = case
    system.save(tmp_path / "it.state")
    again = pl.couple_nonlinear(solid, labels, **settings(solid), tolerance=tolerance)
    for other in (pl.resume(tmp_path / "it.state"), again):
        assert repr(other.report) == repr(system.report)
        assert np.array_equal(other.report.errors, system.report.errors)
        assert other.report.reach == system.report.reach


def test_errors_depend_on_the_span_alone():
    solid = bar(fixed=None)
    learning = Learning(solid, modes=8)
    loads = 1e-6 * learning.held_out()
    random = np.random.default_rng(0)
    rigid = np.tile(np.eye(3), (solid.mesh.vertex_count, 1))
    U = np.hstack([learning.modes.vectors, rigid])
    mixed = U @ random.standard_normal((U.shape[1],) * 2)
    states = learning.response.solve(loads).T
    once, again = (HeldOut(solid, loads, states, np.ones(len(states))).errors(columns) for columns in (U, mixed))
    assert again == pytest.approx(once, rel=SAME)
    assert small_errors(learning, mixed, loads) == pytest.approx(once, abs=1e-5)  # small loads: the linear limit
    assert spanning(solid, mixed).shape[1] == U.shape[1] - 3
    assert small_errors(learning, np.hstack([U, states.T]), loads).max() < SAME


def test_vibrations_of_a_sudden_weight_are_held_to_the_tolerance():
    """Columns that hold every state at rest may miss what swings; the report of chosen parts has both."""
    solid = bar()
    learning = Learning(solid, modes=8)
    loads, U = learning.weights, learning.modes.vectors[:, :3]
    states = learning.response.solve(loads).T
    held_out = HeldOut(solid, loads, states, np.ones(3), learning.sudden)
    missed = learning.sudden.errors(spanning(solid, U))
    assert missed.max() > 0.5  # nothing stretches along the bar
    np.testing.assert_array_equal(held_out.errors(U)[3:], missed)
    system = pl.couple_nonlinear(solid, pl.split(solid, 2), dt=0.01)
    vibrations = system.report.errors[-1, -3:]
    assert 0 < vibrations.max() <= system.report.tolerance


def test_columns_grow_by_a_factor():
    sizes = [scaled(10, step) for step in range(8)]
    assert sizes[2] == 10
    assert all(1 < b / a <= GROWTH + 1 / a for a, b in pairwise(sizes))
    assert all(scaled(1, step) < scaled(1, step + 1) for step in range(8))


def test_growing_ends_with_the_best_where_nothing_meets_the_tolerance():
    errors = iter([0.5, 0.2, 0.3, 0.1])
    step, report = grown(lambda k: np.zeros((3, 10 * (k + 1))), lambda U: np.array([next(errors)]), 0.01, 30)
    assert (step, report.size) == (1, 20)
    assert report.sizes.tolist() == [10, 20, 30]


def test_free_parts_choose_their_size_too():
    solid = bar(fixed=None, cells=(8, 1, 1))
    labels = pl.split(solid, 2)
    sizes = [pl.couple_nonlinear(solid, labels, dt=0.01, gravity=None, tolerance=t).report.size for t in (0.3, 0.1)]
    assert sizes[0] < sizes[1]


def test_linear_parts_give_where_they_are_pulled():
    solid, tolerance = fork(), 0.01
    labels, load = pl.split(solid, 3), slanting_pull(solid, radius=0.0)
    truth = Learning(solid, modes=1).response.solve(load)

    def error(system):
        U = system.coupled.basis()
        u = U @ np.linalg.solve(U.T @ solid.stiffness() @ U, U.T @ load)
        return 1 - load @ u / (load @ truth)

    chosen = pl.couple(solid, labels, dt=0.01, tolerance=tolerance, nonlinear=False)
    usual = pl.couple(solid, labels, 6, dt=0.01, nonlinear=False)
    assert chosen.report.error <= tolerance
    assert usual.report is None
    assert error(chosen) < min(tolerance, error(usual))
    chosen.step(10)


def test_given_loads_choose_smaller_parts():
    solid = fork()
    labels, load = pl.split(solid, 3), slanting_pull(solid)
    for build in (pl.couple, pl.couple_nonlinear):
        few = build(solid, labels, dt=0.01, tolerance=0.01, loads=load)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", PliantWarning)  # of cubature, which errs by 0.03 under twice the weight
            many = build(solid, labels, dt=0.01, tolerance=0.01)
        assert few.report.error <= 0.01
        assert few.size <= many.size


@pytest.mark.parametrize("build", [pl.couple, pl.couple_nonlinear])
def test_parts_that_may_not_grow_say_what_they_reach(build):
    solid = bar(cells=(8, 1, 1))
    with pytest.warns(PliantWarning, match=r"leave an estimated error of .*, above the tolerance of 1e-06; .*most="):
        system = build(solid, pl.split(solid, 2), dt=0.01, tolerance=1e-6, most=45)
    assert system.report.error > 1e-6
    assert system.report.size == system.size


@pytest.mark.parametrize("build", [pl.couple, pl.couple_nonlinear])
@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"tolerance": 0.01, "soft": 4}, "soft was given; leave one of them out"),
        ({"soft": 4, "loads": np.ones(3)}, "loads is for a tolerance"),
        ({"soft": 4, "most": 40}, "most is for a tolerance"),
        ({"tolerance": 0.0}, "tolerance"),
        ({"tolerance": 2.0}, "tolerance"),
        ({"tolerance": 0.1, "most": 0}, "most"),
    ],
)
def test_what_makes_no_sense_is_refused(build, given, words):
    solid = bar()
    with pytest.raises(ArgumentError, match=words):
        build(solid, pl.split(solid, 2), dt=0.01, **given)


@pytest.mark.parametrize("by", [None, "seams"])
def test_assembled_parts_are_chosen_for_the_tolerance(by):
    solid = bar()
    system = pl.assemble(solid, 3, dt=0.01, by=by, tolerance=0.05)
    assert system.report.error <= system.report.tolerance == 0.05


def test_what_cubature_errs_by_is_warned_of_where_a_tolerance_is_asked():
    """Forces within half a per cent do not hold a tolerance of 0.001 twice as far away, where 0.002 is allowed."""
    solid = bar(cells=(18, 3, 3))  # more cells than points that a rule may have
    with pytest.warns(PliantWarning, match=r"leave an estimated error of 0\.00[2-9].* by 2 tenths of its size; cut"):
        system = pl.couple_nonlinear(solid, pl.split(solid, 2), dt=0.01, tolerance=0.001, force="cubature")
    with pytest.warns(PliantWarning, match="under the given loads; do this$"):
        warn_of_errors(system, solid, "two parts", "do this", loads=slanting_pull(solid)[:, None], good=1e-6)


def test_attempts_go_on_from_the_step_that_was_reached():
    def report(sizes, errors):
        return SizeReport(sizes[-1], 0.01, np.array(sizes), np.array(errors)[:, None])

    begun, found = [], iter([(2, report([10, 20], [0.3, 0.2])), (3, report([20, 30], [0.1, 0.005]))])

    def search(attempt, first):
        begun.append((attempt, first))
        return next(found)

    attempt, step, measured = attempted(search)
    assert (attempt, step, measured.size) == (1, 3, 30)
    assert begun == [(0, 0), (1, 2)]
    assert measured.sizes.tolist() == [10, 20, 30]
    assert measured.worst.tolist() == [0.3, 0.1, 0.005]


def test_columns_of_a_free_solid_are_chosen_by_default():
    solid = pl.Solid(pl.shapes.bar((1, 0.1, 0.1), (10, 1, 1)), pl.StVK(1e6, 0.3, 1000))
    system = pl.couple_nonlinear(solid, pl.split(solid, 3), dt=0.01, gravity=None)
    assert system.report is not None
    assert system.report.error <= 0.02  # the tolerance of the default
    assert pl.estimate_errors(system).max() <= 0.05
