"""Thinning: the deepest stay, pairs keep their share, what is chosen spreads."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from pliant.collide import choose, contacts_for


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


def chosen_of(room, count, most, reach=None, slack=0.0, alike=0.0):
    """Numbers of the contacts that are chosen."""
    chosen = np.full(len(room.gap), 7, np.uint8)
    choose(
        room,
        count,
        most,
        np.full(9, np.inf) if reach is None else 4 * np.asarray(reach),
        np.zeros((9, 3)),
        0.0,
        slack,
        alike,
        chosen,
    )
    assert (chosen[count:] == 7).all()
    return np.flatnonzero(chosen[:count])


@settings(max_examples=30)
@given(seed=st.integers(0, 2**32), sizes=st.lists(st.integers(1, 60), min_size=1, max_size=5), most=st.integers(1, 30))
def test_the_deepest_is_chosen_and_no_more_than_most_of_a_pair(seed, sizes, most):
    room, count, pair = random_contacts(np.random.default_rng(seed), sizes)
    chosen = chosen_of(room, count, most)
    for k, size in enumerate(sizes):
        mine = np.flatnonzero(pair == k)
        assert (pair[chosen] == k).sum() == min(size, most)
        assert room.gap[mine].argmin() + mine[0] in chosen


def grid(gaps):
    """21 x 21 contacts of a pair, a unit apart."""
    room = contacts_for(441)
    x, z = np.meshgrid(np.arange(21.0), np.arange(21.0))
    room.point[:] = np.stack([x.ravel(), 0 * x.ravel(), z.ravel()], axis=1)
    room.body[:] = [0, 1]
    room.gap[:] = np.broadcast_to(gaps(x, z), x.shape).ravel()
    room.gap[220] = -1
    return room


def test_what_is_chosen_spreads_over_the_face():
    """Five of them are the deepest, which is in the middle, and the corners."""
    room = grid(lambda x, z: 0.0)
    at = room.point[chosen_of(room, 441, 5)][:, [0, 2]]
    assert at.tolist() == [[0, 0], [20, 0], [10, 10], [0, 20], [20, 20]]


def test_what_cannot_close_soon_is_not_chosen():
    """Corners of the grid are farther than bodies get: those of what they reach are chosen instead."""
    room = grid(lambda x, z: np.where((np.abs(x - 10) <= 5) & (np.abs(z - 10) <= 5), 0.1, 0.3))
    at = room.point[chosen_of(room, 441, 5, [0.1, 0.05], 0.05)][:, [0, 2]]
    assert at.tolist() == [[5, 5], [15, 5], [10, 10], [5, 15], [15, 15]]
    assert len(chosen_of(room, 441, 500, [0.1, 0.05], 0.05)) == 121


def test_contacts_in_one_place_are_few_too():
    room = contacts_for(100)
    room.body[:] = [3, -2]
    assert 1 <= len(chosen_of(room, 100, 24)) <= 24
    assert len(chosen_of(room, 0, 24)) == 0


def test_the_same_are_chosen_where_depths_hardly_differ():
    chosen, rng = [], np.random.default_rng(0)
    for _ in range(2):
        room, count, _ = random_contacts(np.random.default_rng(1), [60])
        room.gap[:count] = -1e-3 + 1e-6 * rng.random(count)
        chosen.append(chosen_of(room, count, 24, alike=1e-5).tolist())
    assert chosen[0] == chosen[1]
