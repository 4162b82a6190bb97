"""Skins that touch themselves, by proxies, culled by spheres, moved by muscles (maths sheet momentum 7, 7b)."""

import numpy as np
import pytest
from tongs import GAP, MESH, NAMES, ends, tongs

import pliant as pl
from pliant.errors import ArgumentError, PliantWarning
from pliant.numerics import rotation_exponential
from pliant.systems.world.bones import bones

KEPT = 1e-10  # of the momentum that there is
SHALLOW = 3e-3  # [m]
STRUCK = 0.02 * 0.3  # of what an arm is thick: how deep its corners get in a hit at 8 m/s, 4 mm a small step [m]


@pytest.fixture(scope="module")
def character():
    return tongs()


def close(placed, speed):
    """Throw the arms at each other [m/s], bone by bone as if they turned about the back."""
    for name, sign in zip(NAMES[1:], (-1, -1, 1, 1)):
        body = placed.bone(name)
        spin = np.array([0, 0, sign * speed / 1.6])
        body.spin = spin
        body.velocity = np.cross(spin, body.centre - [0.4, 0, 0])


def crossing(placed):
    """How far the lower arm is above the upper one, at the tips [m]."""
    upper, lower = ends(placed.vertices())
    return max(float(q[1] - upper[np.argsort(((upper - q) ** 2)[:, [0, 2]].sum(axis=1))[0], 1]) for q in lower)


def test_arms_hit_each_other_and_keep_momentum_while_energy_falls(character):
    """Limb against limb: P and L to 1e-10, energy never rises; without it the arms would pass through each other."""
    found, depths = {}, []
    for touches in (True, False):
        world = pl.World(2e-3, gravity=None)
        placed = world.add(character, damping=(0.0, 1e-3), self_collision=touches)
        close(placed, 4.0)
        world.step()
        before, energy, hit, deepest = world.momentum(), world.energy(), 0, -1.0
        for _ in range(150):
            world.step()
            own = world.contacts()
            hit += int((own.bodies[:, 0] == own.bodies[:, 1]).sum())
            deepest = max(deepest, crossing(placed))
            if touches:
                depths += own.depths.tolist()
                assert world.energy() <= energy * (1 + 1e-6)
            energy = world.energy()
        size = 4.0 * sum(body.mass for body in placed.bones)
        for was, now in zip(before, world.momentum()):
            np.testing.assert_allclose(now, was, atol=KEPT * size)
        assert placed.gap() < 1e-8
        found[touches] = hit, deepest
    assert found[True][0] > 10
    assert max(depths) < STRUCK
    assert found[True][1] < 0.01  # of vertices that are not quite above each other
    assert found[False][0] == 0
    assert found[False][1] > 0.05


def test_a_long_limb_folds_on_itself():
    """A row of six bones, bent to a hairpin by a muscle between its ends: they meet and stay apart."""
    mesh = pl.shapes.bar((4, 0.3, 0.3), (24, 2, 2))
    x = mesh.vertices
    place = np.clip(x[:, 0] / 4 * 6 - 0.5, 0, 5)
    weights = np.clip(1.2 - 1.2 * np.abs(place[:, None] - np.arange(6)), 0, 1)
    eel = bones(pl.Solid(mesh, pl.Linear(3e5, 0.3, 1000)), weights / weights.sum(axis=1, keepdims=True), modes=8)
    world = pl.World(4e-3, gravity=None)
    placed = world.add(eel, damping=(3.0, 5e-3), self_collision=True, spacing=0.1)
    top = x[:, 1] > 0.149
    left, right = (np.flatnonzero(top & (np.abs(x[:, 0] - at) < 0.3)) for at in (0.0, 4.0))
    placed.actuate([left, right], [lambda t: 400 * min(t, 1.0)])
    touched = 0
    for _ in range(60):
        world.step(10)
        own = world.contacts()
        touched += len(own.bodies)
        assert len(own.depths) == 0 or own.depths.max() < 0.02
    assert touched > 0
    P, L = world.momentum()
    size = 4.0 * sum(body.mass for body in placed.bones)
    np.testing.assert_allclose(P, 0, atol=KEPT * size)
    np.testing.assert_allclose(L, 0, atol=KEPT * size)


def test_thrown_characters_that_hit_themselves_and_each_other_keep_momentum_for_ten_seconds(character):
    """Muscles close the tongs again and again, in flight: P and L of all to 1e-10."""
    world = pl.World(1e-2, gravity=None)
    manners = {"damping": (0.5, 2e-3), "self_collision": True, "proxy": 150}
    world.add(character, velocity=(0.5, 0, 0), spin=(0.3, 0.2, 0.4), **manners)
    turned = rotation_exponential(np.array([0, 0.7, 0.3]))
    world.add(character, (2.6, 0.5, 0.1), turned, (-0.5, -0.2, 0), **manners)
    tip = np.flatnonzero(MESH.vertices[:, 0] > 1.8)
    upper, lower = tip[MESH.vertices[tip, 1] > 0], tip[MESH.vertices[tip, 1] < 0]
    for k, placed in enumerate(world.characters):
        placed.actuate([upper, lower], [lambda t, k=k: 600 * np.sin(3 * t + k)])
    before, itself, others = world.momentum(), 0, 0
    for _ in range(1000):
        world.step()
        a, b = world.contacts().bodies.T
        itself, others = itself + int((a == b).sum()), others + int((a != b).sum())
    assert world.time == pytest.approx(10)
    assert itself > 100
    assert others > 5
    size = sum(body.mass for placed in world.characters for body in placed.bones)
    for was, now in zip(before, world.momentum()):
        np.testing.assert_allclose(now, was, atol=KEPT * size)
    assert max(placed.gap() for placed in world.characters) < 1e-8


def test_muscles_bend_and_neither_push_nor_turn(character):
    world = pl.World(2e-3, gravity=None)
    placed = world.add(character, rotation=rotation_exponential(np.array([0.3, 1.0, -0.5])), damping=(0.0, 1e-3))
    x = MESH.vertices
    patches = [np.flatnonzero((x[:, 0] > 1.8) & (sign * x[:, 1] > 0)) for sign in (1, -1)]
    patches.append(np.flatnonzero(x[:, 0] < 0.05))
    muscles = placed.actuate(patches, [lambda t: 200.0, lambda t: 100 * np.sin(9 * t), lambda t: -50.0])
    start = crossing(placed)
    world.step(60)
    size = 2.0 * sum(body.mass for body in placed.bones)
    for momentum in world.momentum():
        np.testing.assert_allclose(momentum, 0, atol=KEPT * size)
    local = placed.vertices() @ rotation_exponential(np.array([0.3, 1.0, -0.5]))
    tips = [local[patch, 1].mean() for patch in patches[:2]]
    assert tips[0] - tips[1] < x[patches[0], 1].mean() - x[patches[1], 1].mean() - 0.01
    assert start < -0.3
    with pytest.raises(ArgumentError, match="has muscles, functions of time"):
        world.save("never.state")
    for muscle in muscles:
        muscle.release()
        muscle.release()
    assert not world._muscles
    with pytest.raises(ArgumentError, match="3 patches and 1 functions"):
        placed.actuate(patches, [lambda t: 1.0])


def test_a_proxy_alone_touches_and_tells_what_it_is(character):
    world = pl.World(5e-3)
    world.ground(friction=0.6)
    placed = world.add(character, (0, 0.6, 0), damping=(2.0, 5e-3), proxy=80, spacing=0.25)
    proxy, made = placed.proxy, world._record
    assert abs(len(proxy.vertices) - 80) <= 2
    assert (proxy.of, proxy.spacing) == (len(MESH.surface_vertices), 0.25)
    assert 0 <= proxy.mean_error <= proxy.error < 0.1
    counts = np.diff(made.surfaces.first_vertex)
    assert counts[placed.skin.number] == len(proxy.vertices)
    assert (counts[[body.number for body in placed.bones]] == 3).all()  # bones are places, and no surfaces
    world.step(300)
    assert placed.vertices()[proxy.vertices, 1].min() > -SHALLOW
    weight, borne = 9.81 * sum(body.mass for body in placed.bones), []
    for _ in range(100):
        world.step()
        borne.append(world.force_between(placed.skin)[1])
    assert np.mean(borne) == pytest.approx(weight, rel=0.05)
    assert np.isin(world.contacts().vertices, [*proxy.vertices, -1]).all()
    again = world.add(character, (0, 3, 0), proxy=80, spacing=0.25)
    assert again.skin.model is placed.skin.model
    with pytest.raises(ArgumentError, match="finer than the surface"):
        world.add(character, (0, 9, 0), proxy=100_000)
    with pytest.raises(ArgumentError, match="are those of a character"):
        world.add(pl.Rigid(MESH, 1000.0), (0, 9, 0), proxy=50)


def test_skins_that_nothing_is_near_are_not_placed_and_touch_in_time(character):
    """One falls on the ground, another on it: clear in flight, in contact where they meet, no deeper than others."""
    world = pl.World(4e-3)
    world.ground(friction=0.5)
    low = world.add(character, (0, 1.6, 0), damping=(2.0, 5e-3), proxy=100)
    high = world.add(character, (0.3, 4.0, 0.05), damping=(2.0, 5e-3), proxy=100)
    seen = []
    for _ in range(400):
        world.step()
        x = [placed.vertices()[placed.proxy.vertices] for placed in (low, high)]
        lowest = x[0][:, 1].min()
        seen.append((world._record.kept.clear[low.skin.number], world._record.kept.clear[high.skin.number]))
        if seen[-1][0]:
            assert lowest > 0
        assert lowest > -0.01  # of a height of 1 m, as the other one falls on it at 7 m/s
    assert seen[3] == (1, 1)
    assert seen[-1] == (0, 0)
    assert x[1][:, 1].min() > -SHALLOW


def test_files_bring_back_who_is_clear_and_who_touches_itself(character, tmp_path):
    world = pl.World(4e-3)
    world.ground()
    world.add(character, (0, 0.9, 0), damping=(2.0, 5e-3), proxy=100, self_collision=0.25)
    world.add(character, (0, 4.0, 0), damping=(2.0, 5e-3), proxy=100)
    world.step(60)
    world.save(tmp_path / "tongs.state")
    again = pl.resume(tmp_path / "tongs.state")
    for each in (world, again):
        each.step(40)
    assert again.state() == world.state()
    assert again.characters[0].skin.model.touching == 0.25
    assert len(again.characters[0].proxy.vertices) == len(world.characters[0].proxy.vertices)


def test_a_ray_picks_what_it_hits_first(character):
    world = pl.World(2e-3, gravity=None)
    placed = world.add(character, (0.3, -0.2, 1.0), rotation_exponential(np.array([0.2, 0.4, 0.1])), proxy=120)
    random, x = np.random.default_rng(0), placed.vertices()
    triangles = placed.proxy.triangles
    hits = 0
    for _ in range(60):
        origin, target = 4 * random.normal(size=3), x[random.integers(len(x))] + 0.1 * random.normal(size=3)
        picked = placed.pick(origin, target - origin)
        expected = brute_ray(x[triangles], origin, target - origin)
        assert (picked is None) == (expected is None)
        if picked is not None:
            hits += 1
            assert picked.distance == pytest.approx(expected, rel=1e-9)
            np.testing.assert_allclose(picked.weights @ x[picked.vertices], picked.point, atol=1e-9)
    assert hits > 20
    for level in (0, 2, 4):
        spheres = placed.spheres(level)
        away = np.linalg.norm(x[placed.proxy.vertices][:, None] - spheres[None, :, :3], axis=2)
        assert (away <= spheres[:, 3] + 1e-9).any(axis=1).all()


def brute_ray(corners, origin, direction):
    along, best = direction / np.linalg.norm(direction), None
    for a, b, c in corners:
        matrix = np.column_stack([a - b, a - c, along])
        if abs(np.linalg.det(matrix)) > 1e-14:
            s, t, d = np.linalg.solve(matrix, a - origin)
            if s >= 0 and t >= 0 and s + t <= 1 and d >= 0 and (best is None or d < best):
                best = d
    return best


def test_too_few_modes_for_joints_are_told_with_the_bone_and_how_many_would_do():
    """Twelve motions against eighteen equations: a bone of six modes between two that stand."""
    mesh = pl.shapes.bar((3, 0.3, 0.3), (12, 2, 2))
    place = np.clip(mesh.vertices[:, 0] - 0.5, 0, 2)
    weights = np.clip(1.2 - 1.2 * np.abs(place[:, None] - np.arange(3)), 0, 1)
    weights /= weights.sum(axis=1, keepdims=True)
    solid, kinds = pl.Solid(mesh, pl.Linear(2e6, 0.3, 1000)), {"left": "static", "right": "kinematic"}
    with pytest.warns(PliantWarning, match="belly and the bones .* have 12 motions for the 18 .* at least 12 modes"):
        bones(solid, weights, modes=6, names=["left", "belly", "right"], kinds=kinds)
    bones(solid, weights, modes=12, names=["left", "belly", "right"], kinds=kinds)
    bones(solid, weights, modes=6)  # nothing leads the ends of this one


def test_gap_is_what_the_mesh_says():
    assert crossing_at_rest() == pytest.approx(-GAP)


def crossing_at_rest():
    upper, lower = ends(MESH.vertices)
    return float(lower[:, 1].max() - upper[:, 1].min())
