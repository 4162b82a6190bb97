"""Forces bring clamped parts and free bodies through keyframes: exact slopes, and what real systems make of them."""

import numpy as np
import pytest

from pliant.control import Keyframe, Tracking, gradient, reach, simulate
from pliant.control.adjoint import pull_back as pull_back_clamped
from pliant.control.keyframe_search import Search
from pliant.control.smooth_body import Guide, Place, SmoothBody, mass_points, pull_back, run
from pliant.control.smooth_ground import SmoothPlane, pressed
from pliant.errors import ArgumentError
from pliant.fem import Solid, StVK
from pliant.mesh import shapes
from pliant.numerics import rotation_exponential, rotation_logarithm
from pliant.systems import Clamped, World

DIFFERENCE = 1e-6  # relative, of slopes against central differences: steps are solved to 1e-9
STEPS = 40


@pytest.fixture(scope="module")
def block():
    """A soft free brick of six vibration modes."""
    from pliant.basis import Basis, vibration_modes
    from pliant.reduced import reduce

    solid = Solid(shapes.bar((0.6, 0.3, 0.3), (4, 2, 2)), StVK(young=3e5, poisson=0.3, density=1000))
    return reduce(solid, Basis(vibration_modes(solid, 6).vectors))


def away(a, b):
    """The step (6 + r,) from place a to place b."""
    return np.concatenate([b.t - a.t, rotation_logarithm(b.R @ a.R.T), b.q - a.q])


@pytest.mark.parametrize("guided", [False, True])
def test_slopes_of_a_sliding_tumbling_body_agree_with_differences(block, guided):
    random = np.random.default_rng(0)
    points, start = mass_points(block.inertia.centred()), Place(np.array([0, 0.2, 0]), rotation_exponential(
        np.array([0.1, 0.2, 0.05])), np.zeros(block.size))  # fmt: skip
    way = points.place(start)[None] - 0.001 * np.arange(STEPS + 1)[:, None, None]
    patterns = 20 * random.standard_normal((len(block.X), 3, 4))
    ground = SmoothPlane(np.array([0, 1.0, 0]), 0.0, 0.5, 2e4, 0.003, 0.02)
    body = SmoothBody(
        block, 0.005, np.array([0, -9.81, 0]), (0.1, 0.002), (ground,), np.arange(len(block.X)), patterns,
        np.unique(block.mesh.surface), Guide(way, 500.0, 20.0) if guided else None,
    )  # fmt: skip
    rates = np.concatenate([[0.5, -0.5, 0, 0.3, 1, 2], np.zeros(block.size)])
    controls, way = random.standard_normal((2, STEPS, 4))
    motion = run(body, start, rates, controls)
    touched = [each for each in motion.places if body.points.place(each)[:, 1].min() < 0.002]
    assert 5 < len(touched) < STEPS  # it flies and slides
    rows = {k: random.standard_normal((2, 6 + block.size)) for k in (STEPS // 2, STEPS)}

    def seen(share):
        places = run(body, start, rates, controls + share * way).places
        return sum(row @ away(motion.places[k], places[k]) for k, row in rows.items())

    step = 1e-5
    slopes = np.einsum("mtc,tc->m", pull_back(motion, rows), way)
    assert np.allclose((seen(step) - seen(-step)) / (2 * step), slopes, rtol=DIFFERENCE, atol=0)


def test_the_smoothed_ground_has_the_slopes_of_its_force(block):
    random = np.random.default_rng(1)
    plane = SmoothPlane(np.array([0.6, 0.8, 0.0]), 0.1, 0.7, 1e3, 0.01, 0.05)
    x, before, step = 0.1 + 0.05 * random.standard_normal((2, 5, 3)).cumsum(axis=0), None, 1e-6
    x, before = x
    now = pressed([plane], x, before, 0.01)
    for i in range(3):
        change = step * np.eye(3)[i]
        for moved, slope in (((change, 0), now.slope), ((0, change), now.before)):
            ahead, behind = (pressed([plane], x + s * moved[0], before + s * moved[1], 0.01).force for s in (1, -1))
            assert np.allclose((ahead - behind) / (2 * step), slope[:, :, i], rtol=1e-5, atol=1e-4)


def test_a_thrown_body_flies_as_it_does_in_the_world(block):
    world = World(dt=0.01)
    body = world.add(block, velocity=(1, 3, 0), spin=(0, 1, 2))
    start = body.centre.copy()
    reached = reach(body, [Keyframe(0.3, block.size * [0.0], position=(0.3, 0.5, 0))], hold=0)
    assert reached.before[0] > 0.01
    missed = reached.play()
    assert np.allclose(body.centre[2], start[2], atol=0.01)
    assert missed[0] < 0.005 * 0.73
    assert reached.distances[0] < 0.001 * 0.73


def test_a_body_on_the_ground_passes_poses_in_the_real_world(block):
    world = World(dt=0.01)
    world.ground(friction=0.6)
    body = world.add(block, position=(0, 0.15, 0), friction=0.6, damping=(0.5, 0.005))
    world.step(30)
    before = world.state()
    lifted = body.position + np.array([0.1, 0.12, 0])
    keys = [Keyframe(0.3, body.q.copy(), lifted, rotation_exponential(np.array([0, 0.4, 0]))),
            Keyframe(0.6, body.q.copy(), body.position + np.array([0.2, 0, 0.05]))]  # fmt: skip
    told = []
    reached = reach(body, keys, gentleness=1e-4, motions=20, progress=lambda *news: told.append(news))
    after = world.state()
    assert all(np.array_equal(after[name], value) for name, value in before.items())  # it is left as it was
    missed = reached.play()
    assert (reached.before > 0.1).all()
    assert missed.max() < 0.03 * 0.73  # of its diagonal: contact here has no smoothness
    assert told[-1][1] == 1.0
    assert [share for _, share in told] == sorted(share for _, share in told)


@pytest.fixture
def bar(models):
    system = Clamped(models["cubic"], 0.02, damping=(0.3, 0.01), gravity=None, newton=20)
    bent = Clamped(models["cubic"], 0.02, gravity=None, integrator="static")
    bent.push(np.flatnonzero(models["cubic"].X[:, 0] > 1.999), (0, 2.0, 1.5))
    bent.step()
    return system, bent


def test_a_clamped_part_passes_a_pose_and_places_of_its_tip(bar):
    system, bent = bar
    tip = np.flatnonzero(system.model.X[:, 0] > 1.999)
    keys = [Keyframe.of(bent, 0.4), Keyframe(0.8, vertices=tip, targets=system.model.X[tip])]
    reached = reach(system, keys)
    assert reached.before.min() >= 0
    assert reached.before[0] > 0.05
    assert reached.distances.max() < 2.5e-3  # a thousandth of its diagonal, and what six vectors cannot do
    assert np.allclose(reached.play(), reached.distances, atol=1e-9)  # it is the same motion


def test_a_whole_shape_or_a_state_is_as_good_a_keyframe_as_its_coordinates(bar):
    system, bent = bar
    ways = (Keyframe(0.5, state=bent.state()), Keyframe(0.5, targets=bent.vertices()), Keyframe.of(bent, 0.5))
    found = [reach(system, [key]).controls for key in ways]
    assert np.allclose(found[0], found[2])
    assert np.allclose(found[1], found[2], rtol=1e-4, atol=1e-6)


def test_what_was_found_is_kept_until_anything_it_stands_on_changes(bar, monkeypatch, tmp_path):
    """The same question of the same system is answered from the cache; another one, or another system, is not."""
    monkeypatch.setenv("PLIANT_CACHE", str(tmp_path))
    (system, bent), searches, lower = bar, [], Search.lower
    monkeypatch.setattr(Search, "lower", lambda self, *given: searches.append(1) or lower(self, *given))

    def found(keyframe=None, **changed):
        before = len(searches)
        return reach(system, [keyframe or Keyframe.of(bent, 0.4)], **changed), len(searches) - before

    first, searched = found()
    again, searched_again = found()
    assert (searched, searched_again) == (1, 0)
    np.testing.assert_array_equal(again.controls, first.controls)
    np.testing.assert_array_equal([again.distances, again.before], [first.distances, first.before])
    assert again.motions == first.motions
    assert found(Keyframe.of(bent, 0.4, weight=2.0))[1] == found(Keyframe.of(bent, 0.5))[1] == 1
    assert found(Keyframe(0.4, q=1.01 * bent.q))[1] == 1
    for changed in ({"motions": 4}, {"gentleness": 2e-7}, {"smoothness": 0.02}, {"pieces": 4}, {"within": 0.01}):
        assert found(**changed)[1] == 1
    for change in ({"damping": (0.2, 0.01)}, {"gravity": (0.0, -1.0, 0.0)}, {"newton": 10}, {"dt": 0.01}):
        system = bar[0].retuned(**change)
        assert found()[1] == 1
    system = bar[0]
    np.testing.assert_allclose(found()[0].play(), first.distances, atol=1e-9)
    assert found()[1] == 1  # it has moved


def test_patches_alone_reach_what_they_can_and_smooth_forces_change_less(bar, actuators):
    system, bent = bar
    solid = system.model
    patches = np.zeros((2, len(solid.X), 3))
    patches[0, solid.X[:, 0] > 1.999, 1], patches[1, solid.X[:, 0] > 1.999, 2] = 1, 1
    rough, smooth = (reach(system, [Keyframe.of(bent, 0.6)], patches, smoothness=u) for u in (0.0, 1e3))
    assert rough.distances[0] < 0.05 * rough.before[0]
    changes = [np.abs(np.diff(each.controls, axis=0)).sum() for each in (rough, smooth)]
    assert changes[1] < 0.7 * changes[0]


def test_several_right_hand_sides_go_back_as_each_alone_does(models, actuators):
    system = Clamped(models["cubic"], 0.02, damping=(0.3, 0.01), newton=20)
    trajectory = simulate(system, actuators, 0.1 * np.ones((10, 3)))
    target = np.arange(6.0)
    slope = models["cubic"].mass @ (trajectory.q[7] - target)
    [alone] = pull_back_clamped(trajectory, {7: slope[None]})
    assert np.allclose(alone, gradient(trajectory, Tracking({7: target}, models["cubic"].mass))[1])


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda bar: ([Keyframe(0.4, np.zeros(4))], None), "keyframe 0 has 4 coordinates and the body 6"),
        (lambda bar: ([Keyframe(0.4, targets=np.zeros((7, 3)))], None), "places of 7 vertices and the mesh 66"),
        (lambda bar: ([Keyframe(0.4, np.zeros(6)), Keyframe(0.2, np.zeros(6))], None), "put them in order"),
        (lambda bar: ([Keyframe(0.4, np.zeros(6))], {"duration": 0.2}), "lies beyond the end at 0.2 s"),
        (lambda bar: ([], None), "keyframes has none"),
        (lambda bar: ([Keyframe(0.4)], None), "must have one of q, state or targets"),
        (lambda bar: ([Keyframe(0.4, np.zeros(6), position=(0, 0, 0))], None), "the part is clamped"),
        (lambda bar: ([Keyframe(0.4, np.zeros(6))], {"actuators": np.zeros((1, 66, 3))}), "actuator 0 can move"),
        (lambda bar: ([Keyframe(0.4, np.zeros(6))], {"actuators": np.ones((1, 5, 3))}), "one force on each of 66"),
    ],
)  # fmt: skip
def test_what_cannot_be_reached_for_is_said_in_a_sentence(bar, make, said):
    keys, options = make(bar)
    with pytest.raises(ArgumentError, match=said):
        reach(bar[0], keys, **(options or {}))


def test_actuators_on_held_vertices_move_nothing(bar):
    system = bar[0]
    held = np.zeros((1, len(system.model.X), 3))
    held[0, system.model.fixed] = 1.0
    with pytest.raises(ArgumentError, match="actuator 0 can move nothing"):
        reach(system, [Keyframe(0.4, np.zeros(6))], held)
