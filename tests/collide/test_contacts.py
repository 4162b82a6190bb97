"""Contacts between bodies: against all points and all triangles, in corners and aligned stacks, mirrored, counted."""

import numpy as np
import pytest
from brute import contact, vertex_normals
from hypothesis import given, settings
from hypothesis import strategies as st
from placed_surfaces import SURFACES, contacts_between, deformed, moved, placed, random_rotation, shape_named

import pliant as pl
from pliant.collide import collision_shape, contacts_for, find_contacts, refit

ROUNDING = 1e-9  # of gaps and normals; a normal is a difference of places, a few mm long, divided by its length


def cube(edge=1.0, cells=2):
    mesh = pl.shapes.box((edge,) * 3, (cells,) * 3)
    return mesh.vertices, mesh.surface


def all_contacts(shapes, places, margin, which):
    """By brute force: (a, b, sample) -> gap and normal."""
    found = {}
    for a, x in enumerate(places):
        own = x[shapes[which[a]].ids]
        normals = vertex_normals(own, shapes[which[a]].triangles)
        for b, y in enumerate(places):
            shape = shapes[which[b]]
            if a != b:
                low, high = y.min(axis=0) - margin, y.max(axis=0) + margin
                for sample in np.flatnonzero(((own >= low) & (own <= high)).all(axis=1)):
                    p = own[sample]
                    touch = contact(p, normals[sample], y[shape.ids][shape.triangles], margin, shape.reach)
                    if touch is not None:
                        found[a, b, int(sample)] = touch
    return found


@pytest.mark.parametrize("names", [("ball", "brick"), ("brick", "hexes"), ("animal", "ball"), ("ring", "ring")])
@settings(max_examples=6)
@given(seed=st.integers(0, 2**32), margin=st.sampled_from([1e-4, 0.02, 0.2]))
def test_contacts_are_those_of_all_points_and_triangles(names, seed, margin):
    rng = np.random.default_rng(seed)
    shapes = [shape_named(name) for name in names]
    places = [deformed(SURFACES[name][0], rng) for name in names]
    places[1] += places[0].mean(axis=0) - places[1].mean(axis=0) + 0.6 * random_rotation(rng)[0]
    found = contacts_between(shapes, [0, 1], places, margin / 2)
    truth = all_contacts(shapes, places, margin, [0, 1])
    keys = [(int(a), int(b), int(s)) for (a, b), s in zip(found["body"], found["sample"])]
    assert len(set(keys)) == len(keys)
    assert set(keys) == set(truth)
    for key, gap, normal in zip(keys, found["gap"], found["normal"]):
        assert gap == pytest.approx(truth[key][0], abs=ROUNDING)
        assert normal == pytest.approx(truth[key][1], abs=ROUNDING)


@settings(max_examples=6)
@given(seed=st.integers(0, 2**32), reach=st.sampled_from([0.02, 0.1, 0.3]))
def test_points_deeper_than_the_reach_are_not_found_and_others_are(seed, reach):
    """Bodies nearly in one place, so that whole nodes are inside, some points of them within reach and some beyond."""
    rng = np.random.default_rng(seed)
    shapes = [shape_named("ball", reach=reach), shape_named("brick", reach=reach)]
    places = [0.8 * deformed(SURFACES["ball"][0], rng), 1.5 * deformed(SURFACES["brick"][0], rng)]
    places[1] += places[0].mean(axis=0) - places[1].mean(axis=0) + 0.2 * random_rotation(rng)[0]
    found = contacts_between(shapes, [0, 1], places, 5e-4)
    truth = all_contacts(shapes, places, 1e-3, [0, 1])
    assert {(int(a), int(b), int(s)) for (a, b), s in zip(found["body"], found["sample"])} == set(truth)
    assert found["gap"].min(initial=0) >= -reach - ROUNDING


def test_contacts_say_where_they_are():
    rng = np.random.default_rng(3)
    shapes = [shape_named("animal", spacing=0.05), shape_named("ball")]
    places = [deformed(SURFACES["animal"][0], rng), deformed(SURFACES["ball"][0], rng)]
    places[1] += places[0].mean(axis=0) - places[1].mean(axis=0) + [0.5, 0, 0]
    found = contacts_between(shapes, [0, 1], places, 0.01)
    assert len(found["gap"]) > 50
    for k, (a, b) in enumerate(found["body"]):
        A, B = shapes[a], shapes[b]
        own, other = places[a][A.ids], places[b][B.ids]
        w = A.sample_weights[found["sample"][k]]
        i, j = A.sample_ends[found["sample"][k]]
        point = (1 - w) * own[i] + w * own[j]
        near = found["barycentric"][k] @ other[B.triangles[found["triangle"][k]]]
        assert found["point"][k] == pytest.approx(point, abs=1e-15)
        assert found["barycentric"][k].sum() == pytest.approx(1, abs=1e-12)
        assert (found["barycentric"][k] >= 0).all()
        assert (point - near) @ found["normal"][k] == pytest.approx(found["gap"][k], abs=1e-12)
        assert np.linalg.norm(found["normal"][k]) == pytest.approx(1, abs=1e-12)


@pytest.mark.parametrize("cells", [1, 2, 3])
@pytest.mark.parametrize("depth", [1e-4, 1e-3, -1e-3])
@pytest.mark.parametrize("shift", [(0, 0), (1e-12, 0), (1e-9, -1e-9), (0.01, 0.02), (0.5, 0.5)])
def test_aligned_boxes_touch_upright(cells, depth, shift):
    """Sheet momentum 5.1: the nearest face of a vertex that lies on an edge of the other box is its side."""
    shape = collision_shape(*cube(1.0, cells))
    X = cube(1.0, cells)[0]
    found = contacts_between([shape], [0, 0], [X, moved(X, shift[0], 1 - depth, shift[1])], 2e-3)
    upward = np.where(found["body"][:, 0] == 1, 1.0, -1.0)
    assert found["normal"] == pytest.approx(upward[:, None] * np.array([[0, 1, 0]]), abs=2e-5)  # 1e-9 / 1e-4
    assert found["gap"] == pytest.approx(np.full(len(upward), -depth), abs=1e-9)
    span = np.ptp(found["point"], axis=0)[[0, 2]]
    assert span == pytest.approx(1 - np.abs(shift), abs=1e-4)  # they hold the whole face that the two share


def test_boxes_of_slightly_different_width_touch_upright():
    """No corner of either is in the other where one is longer and the other is wider; points along edges are."""
    X, triangles = cube(1.0, 1)
    wider, longer = X * [1 + 1e-4, 1, 1], X * [1, 1, 1 + 1e-4]
    shapes = [collision_shape(wider, triangles, 0.1), collision_shape(longer, triangles, 0.1)]
    found = contacts_between(shapes, [0, 1], [wider, moved(longer, 0, 0.9995, 0)], 1e-3)
    inside = found["gap"] < 0
    assert np.abs(found["normal"][inside, 1]) == pytest.approx(np.ones(inside.sum()), abs=1e-6)
    assert (np.ptp(found["point"][inside], axis=0)[[0, 2]] > 0.79).all()


@pytest.mark.parametrize(("depth", "seen"), [(0.045, False), (0.055, True)])
def test_edges_that_cross_are_seen_from_half_the_spacing_on(depth, seen):
    """Two bars on edge, one across the other, slope 1; points every 0.1, the crossing in the middle between two."""
    beam = pl.shapes.bar((1.1, 0.2, 0.2), (1, 1, 1))
    shape = collision_shape(beam.vertices, beam.surface, spacing=0.1)
    turn = np.sqrt(0.5) * np.array([[np.sqrt(2), 0, 0], [0, 1, -1], [0, 1, 1]])
    lower = moved(beam.vertices, -0.55, 0, 0) @ turn.T
    upper = moved(lower[:, [2, 1, 0]] * [1, 1, -1], 0, 0.2 * np.sqrt(2) - depth, 0)
    found = contacts_between([shape], [0, 0], [lower, upper], 0.0)
    assert (len(found["gap"]) > 0) == seen
    assert found["gap"] == pytest.approx(np.full(len(found["gap"]), (0.05 - depth) / np.sqrt(2)), abs=1e-12)


def test_point_in_a_corner_leaves_by_the_face_it_looks_at():
    """The lowest corner of a small box, 1 cm inside the side x of a large one and 3 cm below its top.

    The side is nearer, but the corner looks away from it (its own box hangs over): only the top opposes.
    """
    X, triangles = cube(1.0, 1)
    shape, small = collision_shape(X, triangles), collision_shape(0.1 * X, triangles)
    found = contacts_between([shape, small], [0, 1], [X, moved(0.1 * X, 0.44, 0.52, 0.1)], 0.0)
    mine = found["body"][:, 0] == 1
    assert mine.sum() == 4
    assert np.isclose(found["point"][mine, 0], 0.49).sum() == 2
    assert found["normal"][mine] == pytest.approx(np.tile([0, 1, 0], (4, 1)), abs=1e-12)
    assert found["gap"][mine] == pytest.approx(np.full(4, -0.03), abs=1e-12)


def test_swapped_bodies_touch_alike():
    rng = np.random.default_rng(9)
    shapes = [shape_named("animal"), shape_named("ring")]
    places = [deformed(SURFACES["animal"][0], rng), deformed(SURFACES["ring"][0], rng)]
    places[1] += places[0].mean(axis=0) - places[1].mean(axis=0) + [0.4, 0, 0]
    one = contacts_between(shapes, [0, 1], places, 0.01)
    other = contacts_between(shapes, [1, 0], places[::-1], 0.01)
    assert len(one["gap"]) == len(other["gap"]) > 30
    first, second = np.lexsort(one["point"].T), np.lexsort(other["point"].T)
    for name in ("point", "normal", "gap", "sample", "triangle", "barycentric"):
        assert np.array_equal(one[name][first], other[name][second])
    assert np.array_equal(one["body"][first], 1 - other["body"][second])


def test_contacts_move_with_the_bodies():
    """A rotation and a shift of everything changes places and directions, nothing else."""
    rng = np.random.default_rng(4)
    shapes = [shape_named("animal"), shape_named("brick")]
    places = [deformed(SURFACES["animal"][0], rng), deformed(SURFACES["brick"][0], rng)]
    places[1] += places[0].mean(axis=0) - places[1].mean(axis=0) + [0.4, 0.2, 0]
    R, t = random_rotation(rng), rng.normal(size=3)
    one = contacts_between(shapes, [0, 1], places, 0.01)
    other = contacts_between(shapes, [0, 1], [x @ R.T + t for x in places], 0.01)
    assert len(one["gap"]) > 30
    assert np.array_equal(one["sample"], other["sample"])
    assert other["gap"] == pytest.approx(one["gap"], abs=ROUNDING)
    assert other["normal"] == pytest.approx(one["normal"] @ R.T, abs=ROUNDING)


def heap(count, rng):
    shapes = [collision_shape(*cube(0.5, 2)), shape_named("ball")]
    which = np.arange(count) % 2
    X = [cube(0.5, 2)[0], 0.7 * SURFACES["ball"][0]]
    places = [X[w] @ random_rotation(rng).T + rng.uniform(0, 1.6, 3) for w in which]
    return shapes, which, places


@pytest.mark.parametrize("count", [2, 12, 40])
def test_no_pair_of_bodies_is_missed(count):
    rng = np.random.default_rng(count)
    shapes, which, places = heap(count, rng)
    found = contacts_between(shapes, which, places, 0.01)
    alone = set()
    for a in range(count):
        for b in range(a + 1, count):
            if len(contacts_between(shapes, [which[a], which[b]], [places[a], places[b]], 0.01)["gap"]):
                alone.add((a, b))
    pairs = np.sort(found["body"], axis=1)
    assert set(map(tuple, pairs.tolist())) == alone
    assert np.array_equal(np.lexsort((pairs[:, 1], pairs[:, 0])), np.arange(len(pairs)))  # pair by pair, in order


def test_bodies_that_may_not_touch_do_not():
    rng = np.random.default_rng(2)
    shapes, which, places = heap(12, rng)
    allowed = (rng.random((12, 12)) < 0.5).astype(np.uint8)
    allowed &= allowed.T
    found = contacts_between(shapes, which, places, 0.01)
    some = contacts_between(shapes, which, places, 0.01, allowed)
    kept = allowed[found["body"][:, 0], found["body"][:, 1]] == 1
    assert 0 < kept.sum() < len(kept)
    for name in ("body", "sample", "triangle", "gap", "normal"):
        assert np.array_equal(some[name], found[name][kept])


def test_contacts_do_not_depend_on_what_was_before():
    rng = np.random.default_rng(6)
    shapes, which, places = heap(20, rng)
    S, x, margins = placed(shapes, which, places, 0.01)
    allowed, room = np.ones((20, 20), np.uint8), contacts_for(20000)
    first = find_contacts(S, x, margins, allowed, room)
    before = [array[:first].copy() for array in room[:-1]]
    other = x + rng.normal(size=3) * np.repeat(rng.normal(size=20), np.diff(S.first_vertex))[:, None]
    refit(S, other)
    assert find_contacts(S, other, margins, allowed, room) != first
    refit(S, x)
    assert find_contacts(S, x, margins, allowed, room) == first
    assert all(np.array_equal(array[:first], kept) for array, kept in zip(room, before))


def test_contacts_without_room_are_counted():
    rng = np.random.default_rng(6)
    shapes, which, places = heap(20, rng)
    S, x, margins = placed(shapes, which, places, 0.01)
    allowed, room, small = np.ones((20, 20), np.uint8), contacts_for(20000), contacts_for(7)
    count = find_contacts(S, x, margins, allowed, room)
    assert count > 7
    assert find_contacts(S, x, margins, allowed, small) == count
    assert np.array_equal(small.gap, room.gap[:7])


def test_more_pairs_than_are_sorted_at_a_time_are_all_found():
    """80 cubes, each near enough to all others: 3160 pairs, and room to sort 1280."""
    shape, X = collision_shape(*cube(0.1, 1)), cube(0.1, 1)[0]
    rng = np.random.default_rng(8)
    S, x, margins = placed([shape], np.zeros(80, dtype=int), [X + 5 * rng.normal(size=3) for _ in range(80)], 50.0)
    assert len(S.pairs) < 80 * 79 // 2
    room = contacts_for(100000)
    count = find_contacts(S, x, margins, np.ones((80, 80), np.uint8), room)
    assert len(np.unique(np.sort(room.body[:count], axis=1), axis=0)) == 80 * 79 // 2


def test_vertices_that_are_no_numbers_touch_nothing():
    shape, X = collision_shape(*cube(1.0, 1)), cube(1.0, 1)[0]
    found = contacts_between([shape], [0, 0, 0], [X, moved(X, 0, 0.99, 0), np.full_like(X, np.nan)], 0.01)
    assert (found["body"] < 2).all()
    assert len(found["gap"]) == 8
