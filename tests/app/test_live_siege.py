"""Hostile clients beside an honest viewer: it goes on seeing what happens, whatever they do."""

import pytest
from siege import besiege, summary

pytestmark = pytest.mark.filterwarnings(
    "ignore::pliant.errors.PliantWarning"
)  # hostile hands crush cells, and are told
SEEN = 5  # frames a second, of 60: how many there are depends on what else the machine does, as in the slow part
ENOUGH = 30
LARGEST = 2**30  # bytes beyond what the process had, which may be a suite with all kernels


def check(seconds, hostile, viewers, rate):
    siege = besiege(seconds, hostile, viewers)
    assert siege.stumbles == []
    assert siege.memory - siege.before < LARGEST
    assert sum(siege.acts.values()) > hostile * seconds / 10, "they did their worst"
    assert siege.rates.mean() >= rate, summary(siege)


def test_honest_viewer_sees_frames_among_hostile_ones():
    check(8, 4, 3, SEEN)


@pytest.mark.slow
def test_honest_viewer_sees_thirty_frames_a_second_for_minutes():
    check(300, 6, 50, ENOUGH)
