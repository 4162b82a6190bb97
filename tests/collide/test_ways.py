"""Contacts of bodies that are on their way, and of bodies of which it is known how deep they can be."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from placed_surfaces import SURFACES, moved, placed, shape_named

from pliant.collide import contacts_for, find_contacts

BRICK = SURFACES["brick"][0]
TALL = float(np.ptp(BRICK[:, 1]))


def found(places, ways, known=np.inf, margin=1e-3):
    """(pair, sample, triangle) and gap of all contacts."""
    S, x, margins = placed([shape_named("brick")], [0] * len(places), places, margin)
    S.ways[:], S.known[:], S.deep[:] = ways, known, 0.0
    room, n = contacts_for(3000), len(places)
    count = find_contacts(S, x, margins, np.ones((n, n), np.uint8), room)
    rows = {(*room.body[c], room.sample[c], room.triangle[c]): room.gap[c] for c in range(count)}
    return rows, S


def test_what_goes_the_same_way_does_not_meet_and_what_comes_does():
    places = [BRICK, moved(BRICK, 0.0, TALL + 0.05, 0.0)]
    assert not found(places, [(0.0, -3.0, 0.0), (0.0, -3.0, 0.0)])[0]
    assert not found(places, [(0.0, 0.0, 0.0), (0.0, -0.04, 0.0)])[0]
    assert found(places, [(0.0, 0.0, 0.0), (0.0, -0.06, 0.0)])[0]


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10**6))
def test_all_that_can_close_on_its_way_is_found(seed):
    """Whatever a straight way of both brings within the margin was found at its start."""
    rng = np.random.default_rng(seed)
    places = [BRICK, moved(BRICK, *rng.uniform((-0.2, TALL, -0.1), (0.2, TALL + 0.3, 0.1)))]
    ways = rng.uniform((-0.1, -0.3, -0.1), (0.1, 0.3, 0.1), (2, 3))
    after = [moved(each, *way) for each, way in zip(places, ways)]
    met = bool(found(after, np.zeros((2, 3)))[0])
    assert not met or found(places, ways)[0]


@pytest.mark.parametrize("deep", [0.01, 0.04, 0.08])
def test_a_bound_on_depth_leaves_out_nothing_above_it(deep):
    places = [BRICK, moved(BRICK, 0.013, TALL - deep, 0.021)]
    all_of_them, S = found(places, np.zeros((2, 3)))
    np.testing.assert_allclose(S.deep, deep, atol=1e-9)
    assert found(places, np.zeros((2, 3)), 1.01 * S.deep)[0] == all_of_them
