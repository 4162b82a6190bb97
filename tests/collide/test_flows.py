"""Contacts for the next small step alone: none is left out that would be chosen for it."""

import numpy as np
import pytest
from placed_surfaces import SURFACES, deformed, placed, shape_named

from pliant.collide import begin_refreshing, contacts_for, find_more_contacts, rate_contacts
from pliant.collide.flows import SHARE, fit_flow, keep_points
from pliant.collide.thinning import choose

SOON, SLACK, EVERY = 0.01, 5e-4, 10**6
NONE = np.int64(0)


def two_of(name, rng):
    """Vertices of two deformed bodies that are near each other, and velocities of a frame and a wobble."""
    X = SURFACES[name][0]
    places = [deformed(X, rng) for _ in range(2)]
    places[1] += places[0].mean(axis=0) - places[1].mean(axis=0) + 0.6 * np.ptp(X, axis=0) * rng.uniform(-1, 1, 3)
    frames = [(x.mean(axis=0), rng.normal(size=3), 3 * rng.normal(size=3)) for x in places]
    wobble = [rng.normal(size=3) * np.sin(4 * x[:, :1] + rng.uniform(0, 6)) for x in places]
    return places, frames, [v + np.cross(w, x - t) + d for x, (t, v, w), d in zip(places, frames, wobble)]


def own_reaches(frames, speeds):
    """How far points get in a small step, beside the way of all."""
    return np.array([SOON * np.linalg.norm(u - v, axis=1).max() for (_, v, _), u in zip(frames, speeds)])


def rows_of(room, count, chosen):
    return {(*room.body[c], room.sample[c], room.triangle[c]) for c in range(count) if chosen[c]}


@pytest.mark.parametrize("name", ["ball", "brick", "ring", "animal"])
@pytest.mark.parametrize("seed", range(4))
def test_what_matters_in_a_small_step_is_found_for_it(name, seed):
    rng = np.random.default_rng(seed)
    shape = shape_named(name)
    places, frames, speeds = two_of(name, rng)
    own = own_reaches(frames, speeds)
    S, x, margins = placed([shape], [0, 0], places, SLACK + own)
    u = np.concatenate([each[shape.ids] for each in speeds])
    S.ways[:] = [SOON * v for _, v, _ in frames]
    allowed, room, chosen = np.ones((2, 2), np.uint8), contacts_for(5000), np.zeros(5000, np.uint8)

    count = find_more_contacts(S, x, u, SOON, margins, allowed, room, NONE)
    begin_refreshing(S, x, room, NONE, count)
    rate_contacts(S, u, room, count, 2 * SLACK)
    choose(room, count, EVERY, own, S.ways, SOON, 2 * SLACK, 0.0, chosen)
    wanted, everything = rows_of(room, count, chosen), rows_of(room, count, np.ones(count))
    deepest = S.deep.copy()

    for b, (t, v, w) in enumerate(frames):
        fit_flow(S, x, u, b, t, v, w, SOON, SLACK + SHARE * own[b])
    S.brief[:] = 1
    few = find_more_contacts(S, x, u, SOON, margins, allowed, room, NONE)
    found = rows_of(room, few, np.ones(few))
    assert wanted <= found <= everything
    assert few <= count
    np.testing.assert_array_equal(S.deep[S.deep < np.inf], deepest[deepest < np.inf])


@pytest.mark.parametrize("seed", range(4))
def test_what_came_in_since_contacts_were_found_is_found_however_deep(seed):
    """As points came a small step ago, none of which was inside: the bound on depth is of each point."""
    rng = np.random.default_rng(seed)
    shape = shape_named("animal")
    places, frames, speeds = two_of("animal", rng)
    own = own_reaches(frames, speeds)
    S, x, margins = placed([shape], [0, 0], places, SLACK + own)
    u = np.concatenate([each[shape.ids] for each in speeds])
    allowed, room = np.ones((2, 2), np.uint8), contacts_for(5000)
    all_of_them = find_more_contacts(S, x, u, SOON, margins, allowed, room, NONE)
    inside = rows_of(room, all_of_them, room.gap[:all_of_them] < 0)
    before = float(-room.gap[:all_of_them].min(initial=0.0))

    keep_points(S, x - SOON * u, 0, False)
    keep_points(S, x - SOON * u, 1, False)
    for b, (t, v, w) in enumerate(frames):
        fit_flow(S, x, u, b, t, v, w, SOON, SLACK + SHARE * own[b])
    np.testing.assert_allclose(S.flow[:, 8], 0.0, atol=1e-12)
    S.brief[:], S.age[:], S.known[:], S.sunk[:], S.strayed[:] = 1, SOON, before, before, margins
    few = find_more_contacts(S, x, u, SOON, margins, allowed, room, NONE)
    assert inside
    assert inside <= rows_of(room, few, np.ones(few))


def beside_one_inside_out(gap, speed):
    """A ball that flies along x at a ball that stands still, whose points have gone through its middle."""
    X, shape = SURFACES["ball"][0], shape_named("ball")
    S, x, margins = placed([shape], [0, 0], [X, np.array([np.ptp(X[:, 0]) + gap, 0.0, 0.0]) - X], 2 * gap)
    u = np.zeros_like(x)
    u[: len(x) // 2, 0] = speed
    for b in range(2):
        keep_points(S, x - SOON * u, b, False)
        fit_flow(S, x, u, b, np.zeros(3), np.array([speed * (b == 0), 0.0, 0.0]), np.zeros(3), SOON, SLACK)
    S.brief[:], S.age[:] = 1, SOON
    return S, x, u, margins


@pytest.mark.parametrize("known", [0.0, 1e-3, np.inf])
def test_what_was_outside_is_not_inside_where_a_skin_is_inside_out(known):
    """Every triangle of the second ball says that it is behind it; how deep anything was says that it is not."""
    gap, room = 0.01, contacts_for(500)
    S, x, u, margins = beside_one_inside_out(gap, 2 * gap / SOON)
    S.known[:], S.sunk[:], S.deep[:] = known, min(known, 1e-3), 0.0
    count = find_more_contacts(S, x, u, SOON, margins, np.ones((2, 2), np.uint8), room, NONE)
    if known < np.inf:
        assert (room.body[:count, 0] == 0).any()
        assert (room.gap[:count] >= gap - 1e-12).all()
        assert (S.deep == 0).all()
    else:
        assert S.deep.min() >= gap - 1e-12
