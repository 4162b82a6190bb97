"""Sizes of parts: they add up, follow the rule, and respect what a part can span."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pliant.basis.part_sizes import part_sizes
from pliant.errors import ArgumentError, PliantWarning

FLOWER = [81, 81, 81, 75, 42, 42, 42, 42, 63, 100, 42, 42, 48]  # vertices of the parts of the flower


def test_log_rule_by_hand():
    """10 log(10, 100, 1000) / log(10^6) = 10 (1, 2, 3) / 6 = 1.67, 3.33, 5: the first has the largest remainder."""
    assert part_sizes(10, [10, 100, 1000]).tolist() == [2, 3, 5]
    assert part_sizes(12, [10, 100, 1000]).tolist() == [2, 4, 6]


def test_proportional_rule_by_hand():
    assert part_sizes(10, [10, 20, 70], "proportional").tolist() == [1, 2, 7]
    assert part_sizes(6, [10, 10, 100], "proportional").tolist() == [1, 1, 4]


def test_flower_follows_the_rule():
    sizes = part_sizes(156, FLOWER)
    share = 156 * np.log(FLOWER) / np.log(FLOWER).sum()
    assert sizes.sum() == 156
    assert (np.abs(sizes - share) < 1).all()


counts = st.lists(st.integers(4, 5000), min_size=1, max_size=30)


@given(counts, st.integers(0, 500), st.sampled_from(["log", "proportional"]))
def test_sizes_add_up_and_larger_parts_get_no_less(vertices, extra, rule):
    total = len(vertices) + extra
    sizes = part_sizes(total, vertices, rule)
    assert sizes.sum() == total
    assert sizes.min() >= 1
    order = np.argsort(vertices, kind="stable")
    steps = np.diff(sizes[order])
    assert (steps[np.diff(np.array(vertices)[order]) > 0] >= 0).all()
    assert (steps >= -1).all()  # equal parts differ by one at most


@pytest.mark.filterwarnings("ignore::pliant.errors.PliantWarning")
@given(st.lists(st.tuples(st.integers(4, 5000), st.integers(1, 40)), min_size=1, max_size=20), st.integers(0, 300))
def test_limits_are_kept_and_the_rest_passed_on(parts, extra):
    vertices, limits = map(list, zip(*parts))
    total = len(parts) + extra
    sizes = part_sizes(total, vertices, limits=limits)
    assert (sizes <= limits).all()
    assert sizes.sum() == min(total, sum(limits))


def test_capped_parts_are_named():
    with pytest.warns(PliantWarning, match=r"1 parts span less than their share of 30: tip \(3\); the others"):
        sizes = part_sizes(30, [50, 50, 50], limits=[100, 100, 3], names=["base", "arm", "tip"])
    assert sizes.tolist() == [14, 13, 3]
    with pytest.warns(PliantWarning, match="all together 9"):
        assert part_sizes(30, [50, 50, 50], limits=[3, 3, 3]).tolist() == [3, 3, 3]


@pytest.mark.parametrize(("size", "rule", "message"), [(2, "log", "at least 3"), (9, "random", "rule must be one of")])
def test_bad_input_is_refused(size, rule, message):
    with pytest.raises(ArgumentError, match=message):
        part_sizes(size, [10, 10, 10], rule)
