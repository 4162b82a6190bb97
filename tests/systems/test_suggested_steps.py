"""The step that a system suggests: its error in time is what was asked for."""

from copy import copy

import numpy as np
import pytest
import scipy.linalg as la
from kinds import ALL, system

import pliant as pl
from pliant.errors import ArgumentError, PliantWarning
from pliant.systems import Limb, Tree

SOLID = pl.Solid(pl.shapes.bar((1, 0.1, 0.1), (8, 1, 1)), pl.StVK(1e6, 0.3, 1000), fixed="x < 1e-9")
PERIODS = 3


@pytest.fixture(scope="module")
def linear():
    return pl.reduce(SOLID, pl.modal_basis(SOLID, 4, 6), force="linear")


@pytest.mark.parametrize("tolerance", [0.1, 0.01, 0.001])
def test_error_of_the_first_vibration_after_three_periods_is_the_tolerance(linear, tolerance):
    values, shapes = la.eigh(linear.stiffness(), linear.mass)
    period = 2 * np.pi / np.sqrt(values[0])
    longest = pl.Clamped(linear, period / 1000, gravity=None).suggest_dt(tolerance)
    # A quarter later the error of the phase is all in the coordinate.
    count = round((PERIODS + 0.25) * period / longest)
    system = pl.Clamped(linear, longest, gravity=None)
    system.q = 1e-3 * shapes[:, 0]
    system.step(count)
    error = abs(shapes[:, 0] @ linear.mass @ system.q / 1e-3 - np.cos(np.sqrt(values[0]) * system.time))
    assert error == pytest.approx(tolerance * (PERIODS + 0.25) / PERIODS, rel=0.06)


def test_full_and_reduced_bodies_suggest_alike(linear):
    full, reduced = pl.Full(SOLID, 1e-3), pl.Clamped(linear, 1e-3)
    # The mesh's modes are found to 1e-3, and those of the basis are its own.
    assert full.suggest_dt() == pytest.approx(reduced.suggest_dt(), rel=1e-3)
    assert reduced.suggest_dt(0.04) == pytest.approx(2 * reduced.suggest_dt(0.01))


def test_steps_above_a_tenth_of_the_period_warn_once_and_shorter_ones_do_not(linear):
    period = 2 * np.pi / np.sqrt(la.eigvalsh(linear.stiffness(), linear.mass)[0])
    with pytest.warns(PliantWarning, match="a tenth of the first period") as told:
        system = pl.Clamped(linear, 0.11 * period)
    assert len(told) == 1
    system.step(3)
    pl.Clamped(linear, 0.09 * period)
    pl.Clamped(linear, period, integrator="exact")


@pytest.mark.parametrize(("kind", "free"), ALL)
def test_every_kind_warns_once_of_steps_above_a_tenth_of_its_first_period(kind, free):
    period = system(kind, free)._first_period()
    with pytest.warns(PliantWarning, match="a tenth of the first period") as told:
        _go_on(kind, free, 0.102 * period)
    assert len(told) == 1
    _go_on(kind, free, 0.098 * period)


def _go_on(kind, free, dt):
    made = system(kind, free, dt=dt, gravity=(0, -9.81, 0))
    made.step(2)
    copy(made).step(2)


@pytest.mark.parametrize("kind", ["full", "tree"])
def test_slow_motions_are_seen_without_looking_for_the_first_period(kind, monkeypatch):
    monkeypatch.setattr(pl.Full, "_first_period", lambda _: pytest.fail("looked for"))
    monkeypatch.setattr(Tree, "_first_period", lambda _: pytest.fail("looked for"))
    for free in (False, True):
        system(kind, free, gravity=(0, -9.81, 0)).step(2)


def test_what_is_retuned_to_long_steps_warns_and_what_is_estimated_does_not():
    made = system("full", gravity=(0, -9.81, 0))
    made.step()
    with pytest.warns(PliantWarning, match="a tenth of the first period"):
        made.retuned(dt=0.11 * made._first_period()).step()
    pl.estimate_errors(system("seams"))


def test_trees_in_which_nothing_deforms_say_nothing():
    mesh = pl.shapes.bar((0.1, 0.02, 0.02), (2, 1, 1))
    Tree([Limb(pl.Rigid(mesh, 1000.0))], 1.0, free=True).step()


def test_tolerances_that_mean_nothing_are_refused(linear):
    with pytest.raises(ArgumentError, match="tolerance"):
        pl.Clamped(linear, 1e-3).suggest_dt(0)
