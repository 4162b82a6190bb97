"""Many systems over threads: each goes where it would have gone alone, and one that fails does not lose the others."""

import threading
import time

import numpy as np
import pytest
from kinds import ALL, bar, stirred, system, tip

import pliant as pl
from pliant.errors import ArgumentError, Diverged


def test_every_kind_goes_where_it_would_have_gone_alone():
    alone, together = ([stirred(kind, free) for kind, free in ALL] for _ in range(2))
    for each in alone:
        each.step(7)
    pl.step_all(together, 7, threads=4)
    for one, other in zip(alone, together):
        np.testing.assert_array_equal(other.vertices(), one.vertices())
        assert other.time == one.time


def test_systems_of_one_model_share_no_scratch():
    alone, together = ([system("clamped") for _ in range(8)] for _ in range(2))
    for each, force in zip([*alone, *together], 2 * list(range(8))):
        each.push([tip(bar())], (0, force, 0))
    for each in alone:
        each.step(200)
    pl.step_all(together, 200, threads=4)
    for one, other in zip(alone, together):
        np.testing.assert_array_equal(other.q, one.q)


def test_an_error_of_one_leaves_the_others_at_the_end():
    systems = [system("clamped") for _ in range(4)]
    systems[2].push([tip(bar())], (0, 1e12, 0))
    with pytest.raises(Diverged) as caught:
        pl.step_all(systems, 5, threads=2)
    assert [round(each.time / each.dt) for each in systems] == [5, 5, 0, 5]
    assert "this is 2" in caught.value.__notes__[0]
    assert np.isfinite(systems[2].q).all()


def test_steps_let_other_threads_run():
    """The interpreter counts while a long call runs: the GIL is released."""
    long, seen = system("clamped"), []
    long.step(1)
    worker = threading.Thread(target=lambda: long.step(20_000))
    worker.start()
    while worker.is_alive():
        seen.append(time.perf_counter())
        time.sleep(0.0005)
    assert len(seen) > 20


@pytest.mark.parametrize("given", [[1, 2], "both", None])
def test_what_is_no_list_of_systems_is_refused(given):
    with pytest.raises((ArgumentError, TypeError)):
        pl.step_all(given, 1)


def test_one_system_twice_is_refused():
    each = system("clamped")
    with pytest.raises(ArgumentError, match="twice"):
        pl.step_all([each, each], 1)


def test_nothing_to_step_is_fine():
    pl.step_all([], 3)
