"""Analytic obstacles against formulas: gaps, normals, which points, in any frame."""

import numpy as np
import pytest
from brute import vertex_normals
from hypothesis import given, settings
from hypothesis import strategies as st
from placed_surfaces import SURFACES, deformed, moved, placed, random_rotation, shape_named

import pliant as pl
from pliant.collide import box, capsule, collision_shape, contacts_for, fields_of, find_field_contacts, plane, sphere
from pliant.errors import ArgumentError

ROUNDING = 1e-12
MARGIN = 0.02


def touch(shape, places, obstacles, margin=MARGIN, allowed=None):
    S, x, margins = placed([shape], [0] * len(places), places, margin)
    room = contacts_for(20000)
    may = np.ones((len(places), len(obstacles)), np.uint8) if allowed is None else allowed
    count = find_field_contacts(S, x, margins, fields_of(obstacles), may, room, 0)
    return {name: array[:count].copy() for name, array in room._asdict().items()}


def obstacle(kind, rng):
    R, t = random_rotation(rng), 0.3 * rng.normal(size=3)
    if kind == "plane":
        return plane(t, R[:, 1]), R, t
    if kind == "sphere":
        return sphere(0.5, t), np.eye(3), t
    return (box((0.8, 0.6, 0.5), t, R) if kind == "box" else capsule(0.3, 0.7, t, R)), R, t


def expected(kind, p, m):
    """Gap and normal of the formula, in the obstacle's frame; None if they do not touch."""
    if kind == "plane":
        gap, n = p[1], np.array([0.0, 1, 0])
    elif kind == "box":
        half = np.array([0.4, 0.3, 0.25])
        c = np.clip(p, -half, half)
        if (np.abs(p) <= half).all():
            ways = [(s * p[k] - half[k], s * np.eye(3)[k]) for k in range(3) for s in (-1, 1) if s * m[k] < -0.1]
            gap, n = max(ways, key=lambda way: way[0])
        else:
            gap = np.linalg.norm(p - c)
            n = (p - c) / gap
    else:
        radius, half = (0.5, 0.0) if kind == "sphere" else (0.3, 0.35)
        c = np.array([0, np.clip(p[1], -half, half), 0])
        gap = np.linalg.norm(p - c) - radius
        n = (p - c) / np.linalg.norm(p - c)
    return (gap, n) if gap < MARGIN and n @ m < -0.1 else None


@pytest.mark.parametrize("kind", ["plane", "box", "sphere", "capsule"])
@settings(max_examples=10)
@given(seed=st.integers(0, 2**32))
def test_obstacles_touch_as_their_formulas_say(kind, seed):
    rng = np.random.default_rng(seed)
    name = ["ball", "brick", "animal"][seed % 3]
    shape, x = shape_named(name), deformed(SURFACES[name][0], rng)
    made, R, t = obstacle(kind, rng)
    if kind == "plane":
        R = made.R
    x = x - x.mean(axis=0) + t + 0.5 * rng.normal(size=3)
    found = touch(shape, [x], [made])
    own = x[shape.ids]
    places, normals = (own - t) @ R, vertex_normals(own, shape.triangles) @ R
    truth = {k: expected(kind, p, m) for k, (p, m) in enumerate(zip(places, normals))}
    truth = {k: touch for k, touch in truth.items() if touch is not None}
    assert set(found["sample"].tolist()) == set(truth)
    assert len(found["sample"]) == len(truth)
    for k, gap, normal, point in zip(found["sample"], found["gap"], found["normal"], found["point"]):
        assert gap == pytest.approx(truth[k][0], abs=ROUNDING)
        assert normal == pytest.approx(R @ truth[k][1], abs=1e-9)
        assert np.array_equal(point, own[k])
    assert (found["body"] == [0, -1]).all()
    assert (found["triangle"] == -1).all()


def test_contacts_are_appended_body_by_body():
    mesh = pl.shapes.box((1, 1, 1), (2, 2, 2))
    shape = collision_shape(mesh.vertices, mesh.surface)
    places = [moved(mesh.vertices, 3 * k, 0.499, 0) for k in range(3)]
    obstacles = [plane(), box((20, 1, 20), (0, -0.5, 0))]
    allowed = np.array([[1, 1], [0, 1], [1, 0]], np.uint8)
    found = touch(shape, places, obstacles, 1e-3, allowed)
    assert found["body"].tolist() == np.repeat([[0, -1], [0, -2], [1, -2], [2, -1]], 9, axis=0).tolist()
    assert found["gap"] == pytest.approx(np.full(36, -1e-3), abs=1e-12)
    S, x, margins = placed([shape], [0] * 3, places, 1e-3)
    room = contacts_for(40)
    assert find_field_contacts(S, x, margins, fields_of(obstacles), allowed, room, 20) == 56
    assert np.array_equal(room.gap[20:], found["gap"][:20])
    assert (room.gap[:20] == 0).all()


def test_moving_obstacles_widen_the_margin():
    mesh = pl.shapes.box((1, 1, 1), (1, 1, 1))
    shape = collision_shape(mesh.vertices, mesh.surface)
    S, x, margins = placed([shape], [0], [moved(mesh.vertices, 0, 0.6, 0)], 0.04)
    obstacles, room, allowed = fields_of([plane()]), contacts_for(9), np.ones((1, 1), np.uint8)
    assert find_field_contacts(S, x, margins, obstacles, allowed, room, 0) == 0
    obstacles.margin[0] = 0.07
    assert find_field_contacts(S, x, margins, obstacles, allowed, room, 0) == 4
    obstacles.t[0, 1] = -0.02
    assert find_field_contacts(S, x, margins, obstacles, allowed, room, 0) == 0


def test_obstacles_keep_their_own_numbers():
    position = np.zeros(3)
    made = sphere(1, position)
    position[:] = 5
    assert made.t.tolist() == [0, 0, 0]
    assert not made.t.flags.writeable


def test_deep_points_leave_a_box_by_the_face_they_look_at():
    """A corner of a small box that hangs over the side of an obstacle: the side is nearer, the top is the way out."""
    mesh = pl.shapes.box((0.1, 0.1, 0.1), (1, 1, 1))
    shape = collision_shape(mesh.vertices, mesh.surface)
    found = touch(shape, [moved(mesh.vertices, 0.44, 0.52, 0.1)], [box((1, 1, 1))], 1e-3)
    assert found["gap"] == pytest.approx(np.full(4, -0.03), abs=1e-12)
    assert found["normal"] == pytest.approx(np.tile([0, 1, 0], (4, 1)), abs=1e-12)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: plane(normal=(0, 0, 0)), "direction"),
        (lambda: box((1, 0, 1)), "positive"),
        (lambda: box((1, 1, 1), rotation=2 * np.eye(3)), "rotation"),
        (lambda: sphere(-1), "radius"),
        (lambda: capsule(1, -1), "length"),
        (lambda: sphere(1, (0, np.nan, 0)), "position"),
    ],
)
def test_bad_obstacles_are_refused(make, words):
    with pytest.raises(ArgumentError, match=words):
        make()


@pytest.mark.parametrize("known", [0.0, 0.01, 0.3, np.inf])
def test_no_way_out_is_longer_than_points_can_be_deep(known):
    """A ring that lies leans on a high wall: what of it looks up could else leave that by its lower end alone."""
    shape, (X, _), sunk = shape_named("ring"), SURFACES["ring"], 0.25
    S, x, margins = placed([shape], [0], [moved(X, 0.5 - sunk - X[:, 0].min(), 0.0, 0.0)], 1e-3)
    S.known[:], S.deep[:] = known, 0.0
    room, wall = contacts_for(500), fields_of([box((1, 40, 40))])
    count = find_field_contacts(S, x, margins, wall, np.ones((1, 1), np.uint8), room, 0)
    gaps, aside = room.gap[:count], np.abs(room.normal[:count, 0]) > 0.5
    np.testing.assert_allclose(gaps[aside], room.point[:count, 0][aside] - 0.5, atol=ROUNDING)
    assert aside.any()
    assert (S.deep == -gaps.min()).all()
    if known < np.inf:
        assert (gaps >= -max(known, sunk) - ROUNDING).all()
    else:
        assert gaps.min() < -10
