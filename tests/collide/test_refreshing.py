"""Contacts that are followed through small motions instead of being found anew."""

import numpy as np
from placed_surfaces import SURFACES, moved, placed, shape_named

from pliant.collide import (
    begin_refreshing,
    contacts_for,
    drop_marked,
    fields_of,
    find_contacts,
    find_field_contacts,
    find_more_contacts,
    plane,
    refresh_contacts,
)
from pliant.numerics import rotation_exponential

BRICK = SURFACES["brick"][0]


def on_the_ground(places, margin=0.05):
    """Contacts of bricks with each other and with everything below y = 0."""
    S, x, margins = placed([shape_named("brick")], [0] * len(places), places, margin)
    room, n = contacts_for(3000), len(places)
    count = find_contacts(S, x, margins, np.ones((n, n), np.uint8), room)
    ground = fields_of([plane((0.0, 0.0, 0.0), (0.0, 1.0, 0.0))])
    count = find_field_contacts(S, x, margins, ground, np.ones((n, 1), np.uint8), room, count)
    begin_refreshing(S, x, room, 0, count)
    return S, x, room, count


def pile(count=2):
    low = -BRICK[:, 1].min() - 1e-3
    return [moved(BRICK, 0.01 * k, low + k * 0.6995, 0.02 * k) for k in range(count)]


def by_feature(room, count):
    return {(*room.body[c], room.sample[c]): room.gap[c] for c in range(count)}


def test_what_has_not_moved_is_as_it_was():
    S, x, room, count = on_the_ground(pile())
    gaps, points = room.gap[:count].copy(), room.point[:count].copy()
    refresh_contacts(S, x, room, count)
    np.testing.assert_allclose(room.gap[:count], gaps, atol=1e-15)
    np.testing.assert_allclose(room.point[:count], points, atol=1e-15)


def test_gaps_after_a_shift_are_those_found_anew():
    """Flat faces that slide and come closer: the same normal, so the same gap to rounding."""
    S, x, room, count = on_the_ground(pile())
    other = [pile()[0], moved(pile()[1], 2e-3, -5e-4, 1e-3)]
    _, _, anew, there = on_the_ground(other)
    shifted = x.copy()
    shifted[S.first_vertex[1] :] += (2e-3, -5e-4, 1e-3)
    refresh_contacts(S, shifted, room, count)
    followed, expected = by_feature(room, count), by_feature(anew, there)
    # What enters or leaves the sides of the faces by sliding is another matter.
    both = followed.keys() & expected.keys()
    assert len(both) > 0.9 * len(expected)
    faces = [key for key in both if abs(followed[key]) < 2e-3]
    assert len(faces) > 10
    assert max(abs(followed[key] - expected[key]) for key in faces) < 1e-12


def test_the_ground_is_as_far_as_it_is_however_bodies_turn():
    S, x, room, count = on_the_ground(pile(1))
    turned = x @ rotation_exponential(np.array([0.3, 0.2, 1.0]) * 0.1).T
    refresh_contacts(S, turned, room, count)
    np.testing.assert_allclose(room.gap[:count], turned[room.sample[:count], 1], atol=1e-15)


def test_contacts_of_marked_bodies_are_dropped_and_found_again():
    S, x, room, count = on_the_ground(pile(4))
    before = by_feature(room, count)
    S.again[:] = (0, 0, 1, 0)
    left = drop_marked(S, room, count)
    assert 0 < left < count
    assert {key for key in before if 2 not in key[:2]} == by_feature(room, left).keys()
    refresh_contacts(S, x, room, left)
    assert all(abs(gap - before[key]) < 1e-14 for key, gap in by_feature(room, left).items())
    margins = np.full(4, 0.05)
    more = find_more_contacts(S, x, x, 0.0, margins, np.ones((4, 4), np.uint8), room, left)
    ground = fields_of([plane((0.0, 0.0, 0.0), (0.0, 1.0, 0.0))])
    more = find_field_contacts(S, x, margins, ground, np.ones((4, 1), np.uint8), room, more)
    again = by_feature(room, more)
    assert again.keys() == before.keys()
    assert all(abs(again[key] - before[key]) < 1e-14 for key in before)
