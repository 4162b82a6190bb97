"""A minute of `make fuzz`: no crash, no hang, no gigabyte, whatever is read."""

import pytest
from fuzz.running import attack
from fuzz.targets import TARGETS

SECONDS = 60 / len(TARGETS)  # of processor time


@pytest.mark.parametrize("target", TARGETS, ids=lambda target: target.__name__)
def test_attacks_end_in_sentences(target):
    count, faults = attack(target, SECONDS)
    assert count > 5
    assert not faults
