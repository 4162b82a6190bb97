"""Thinning: the deepest stay, pairs keep their share, the order is kept, what is kept spreads."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from pliant.collide import contacts_for, thin


def random_contacts(rng, sizes):
    """Pairs (k, k + 1) with so many contacts each, from both sides."""
    count = sum(sizes)
    room = contacts_for(count + 3)
    pair = np.repeat(np.arange(len(sizes)), sizes)
    swap = rng.random(count) < 0.5
    room.body[:count] = np.where(swap[:, None], np.stack([pair + 1, pair], 1), np.stack([pair, pair + 1], 1))
    room.sample[:count], room.triangle[:count] = np.arange(count), rng.integers(99, size=count)
    room.gap[:count], room.point[:count] = rng.normal(size=count), rng.normal(size=(count, 3))
    room.normal[:count], room.barycentric[:count] = rng.normal(size=(count, 3)), rng.random((count, 3))
    return room, count, pair


@settings(max_examples=30)
@given(seed=st.integers(0, 2**32), sizes=st.lists(st.integers(1, 60), min_size=1, max_size=5), most=st.integers(1, 30))
def test_thin_keeps_the_deepest_and_no_more_than_most_of_a_pair(seed, sizes, most):
    room, count, pair = random_contacts(np.random.default_rng(seed), sizes)
    before = [array[:count].copy() for array in room]
    kept = thin(room, 0, count, most, np.full(9, np.inf), 0.0)
    numbers = room.sample[:kept]
    assert (np.diff(numbers) > 0).all()
    for name, array in zip(room._fields[:-1], before):
        assert np.array_equal(getattr(room, name)[:kept], array[numbers])
    gaps = before[room._fields.index("gap")]
    for k, size in enumerate(sizes):
        mine = np.flatnonzero(pair == k)
        chosen = numbers[pair[numbers] == k]
        assert len(chosen) == min(size, most)
        assert gaps[mine].argmin() + mine[0] in chosen


def test_thin_spreads_over_the_face():
    """On a grid of 21 x 21 contacts, five are the deepest, which is in the middle, and the corners."""
    room = contacts_for(441)
    x, z = np.meshgrid(np.arange(21.0), np.arange(21.0))
    room.point[:] = np.stack([x.ravel(), 0 * x.ravel(), z.ravel()], axis=1)
    room.body[:] = [0, 1]
    room.gap[220] = -1
    assert thin(room, 0, 441, 5, np.zeros(2), 0.0) == 5
    assert room.point[:5, [0, 2]].tolist() == [[0, 0], [20, 0], [10, 10], [0, 20], [20, 20]]


def test_thin_survives_contacts_in_one_place():
    room = contacts_for(100)
    room.body[:] = [3, -2]
    assert thin(room, 0, 100, 24, np.zeros(4), 0.0) == 24
    assert thin(room, 0, 0, 24, np.zeros(4), 0.0) == 0


def test_thin_prefers_what_is_reached_soon_and_leaves_the_first_alone():
    """Corners of the grid are farther than bodies get: the rim of what they reach is kept instead."""
    room = contacts_for(442)
    x, z = np.meshgrid(np.arange(21.0), np.arange(21.0))
    room.point[1:] = np.stack([x.ravel(), 0 * x.ravel(), z.ravel()], axis=1)
    room.body[:] = [0, 1]
    room.gap[1:] = np.where((np.abs(x - 10) <= 5) & (np.abs(z - 10) <= 5), 0.1, 0.3).ravel()
    room.gap[221] = -1
    room.sample[0] = 77
    assert thin(room, 1, 442, 5, np.array([0.15, 0.05]), 0.0) == 6
    assert room.sample[0] == 77
    assert room.point[1:6, [0, 2]].tolist() == [[5, 5], [15, 5], [10, 10], [5, 15], [15, 15]]


def test_thin_keeps_the_same_where_depths_hardly_differ():
    kept, rng = [], np.random.default_rng(0)
    for _ in range(2):
        room, count, _ = random_contacts(np.random.default_rng(1), [60])
        room.gap[:count] = -1e-3 + 1e-6 * rng.random(count)
        n = thin(room, 0, count, 24, np.full(9, np.inf), 1e-5)
        kept.append(room.sample[:n].tolist())
    assert kept[0] == kept[1]
