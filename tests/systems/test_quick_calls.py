"""Calls of `Clamped` that take one compiled call each do what the general ones do, and refuse what those refuse."""

from time import perf_counter

import numpy as np
import pytest
from kinds import bar, system, tip

import pliant as pl
from pliant.errors import ArgumentError, Diverged
from pliant.systems import System
from pliant.systems.clamped.quick import push_rows

ROUNDING = 1e-13  # of sums in another order
TWICE = 2.0  # what a call may take, beside the product it is about


def best(run, rounds=40, calls=200):
    """Shortest mean time of a call [s]."""
    times = []
    for _ in range(rounds):
        start = perf_counter()
        for _ in range(calls):
            run()
        times.append((perf_counter() - start) / calls)
    return min(times)


@pytest.mark.parametrize("settings", [{}, {"newton": 1}, {"dtype": np.float32}], ids=str)
def test_steps_of_one_call_are_those_of_many(settings):
    one, many = (pl.Clamped(system("clamped").model, 2e-3, (0.1, 2e-3), **settings) for _ in range(2))
    for count, force in [(1, 0.0), (7, 5.0), (0, 0.0), (150, -20.0)]:
        for each in (one, many):
            each.push([tip(bar())], (0, force, force))
        one.step(count)
        for _ in range(count):
            many.step()
        np.testing.assert_array_equal(one.q, many.q)
        np.testing.assert_array_equal(one.a, many.a)
        np.testing.assert_allclose(one.time, many.time)


def test_steps_follow_another_dt_and_states_written_by_hand():
    """As a system made with that step and put into that state does."""
    changed, made = system("clamped"), system("clamped", dt=1e-3)
    changed.step(3)
    changed.dt = 1e-3
    changed.q = changed.q + 1e-3
    made.q, made.v, made.a = changed.q, changed.v, changed.a
    for each in (changed, made):
        each.step(5)
    np.testing.assert_array_equal(changed.q, made.q)


def test_a_failed_step_says_why_and_keeps_the_last_good_state():
    quick = system("clamped")
    quick.step(4)
    good = quick.q.copy()
    quick.push([tip(bar())], (0, 1e12, 0))
    with pytest.raises(Diverged, match="the implicit step from t = 0.008 s"):
        quick.step(3)
    np.testing.assert_array_equal(quick.q, good)


@pytest.mark.parametrize(
    ("vertices", "forces"),
    [
        ([5], (0, 0, 3)),
        ([5, 9, 5], (1.0, 2.0, 3.0)),
        (np.array([5, 9]), np.array([[1.0, 0, 0], [0, 2, 0]])),
        (np.array([5, 9])[::-1], np.ones((3, 2)).T),
        ((5, 9, 2), np.ones((3, 3), np.float32)),
        (np.arange(99) == 7, (0, 1, 0)),
        (7, [[0, 1, 0]]),
        ([], np.zeros((0, 3))),
    ],
    ids=str,
)
def test_pushes_are_those_of_the_general_way(vertices, forces):
    quick, general = system("clamped"), system("clamped")
    quick.push(vertices, forces)
    System.push(general, vertices, forces)
    np.testing.assert_allclose(quick._pushed, general._pushed, rtol=0, atol=ROUNDING * np.abs(general._pushed).max())
    quick.release()
    assert not quick._pushed.any()


@pytest.mark.parametrize(
    ("vertices", "forces"),
    [
        ([99], (0, 0, 1)),
        ([-1], (0, 0, 1)),
        ([1], (0, 0, np.nan)),
        ([1, 2], np.ones((3, 3))),
        ([1, 2], np.ones((1, 3))),
        ([1.5], (0, 0, 1)),
        ([1], (0, 1)),
        ([1], (1j, 0, 0)),
        ([1], "up"),
        ([1], np.ones((1, 1, 3))),
        ([[1, 2], [3]], (0, 0, 1)),
    ],
    ids=str,
)
def test_bad_pushes_are_refused_and_leave_nothing(vertices, forces):
    quick = system("clamped")
    with pytest.raises(ArgumentError):
        quick.push(vertices, forces)
    assert not quick._pushed.any()


def test_no_layout_of_arrays_compiles_in_the_midst_of_a_run():
    quick, compiled = system("clamped"), len(push_rows.signatures)
    frozen = np.ones((2, 3))
    frozen.setflags(write=False)
    for forces in (frozen, np.ones((3, 2)).T, np.ones((2, 6))[:, ::2], np.ones((2, 3), int), (1, 2, 3)):
        quick.push(np.arange(8)[::4], forces)
    assert len(push_rows.signatures) == compiled


def test_layers_that_there_are_not_are_refused():
    for call in (lambda s: s.push([1], (0, 0, 1), on="bones"), lambda s: s.vertices("bones")):
        with pytest.raises(ArgumentError, match="skin"):
            call(system("clamped"))


def test_vertices_are_those_of_the_skin():
    quick = system("clamped", gravity=(0, -9.81, 0))
    quick.step(30)
    np.testing.assert_allclose(quick.vertices(), quick.skin.vertices(quick.pose()), rtol=0, atol=ROUNDING)


def test_vertices_cost_no_more_than_twice_their_product():
    spoon = pl.Solid(pl.shapes.spoon(), pl.StVK(2e8, 0.3, 1000), fixed="x < 1e-9")
    model = pl.reduce(spoon, pl.modal_basis(spoon, modes=5, size=10))
    quick, U, q = pl.Clamped(model, 1e-3), np.array(model.U), np.ones(10)
    assert best(quick.vertices) < TWICE * best(lambda: U @ q)
