"""Bodies side by side: what they show is that of each in a row, what they have is the sum, and they keep in step."""

import kinds
import numpy as np
import pytest
import scipy.linalg as la

import pliant as pl
from pliant.errors import ArgumentError, Diverged, PliantError
from pliant.export import record

SUMS = 1e-12
DT = 0.005
MESH = pl.shapes.bar((1, 0.1, 0.1), (8, 1, 1))
LABELS = (MESH.centroids[:, 0] > 0.5).astype(np.int64)
HELD = pl.Solid(MESH, pl.StVK(1e6, 0.3, 500), fixed="x < 1e-9")
FREE = pl.Solid(MESH, pl.StVK(1e6, 0.3, 500))
TIP = int(np.argmax(MESH.vertices[:, 0]))


def clamped(newton=3):
    model = pl.reduce(HELD, pl.modal_basis(HELD, 4, 8))
    return pl.Clamped(model, DT, damping=(0.1, 1e-3), newton=newton)


def tree():
    return pl.substructure(HELD, LABELS, size=12, dt=DT, damping=(0, 1e-3))


def seams():
    system = pl.couple(FREE, LABELS, 0, 1, dt=DT, damping=(0, 1e-3), nonlinear=False)
    system.launch((1, 4, 0), (0, 0, 3))
    return system


def full():
    return pl.Full(HELD, DT, damping=(0, 1e-3), newton=3)


@pytest.fixture
def three():
    return pl.Bodies([clamped(), tree(), seams()], ["board", "reed", "stick"])


def pushed(system):
    system.release()
    n = len(MESH.vertices)
    system.push([TIP, n + TIP, 2 * n], [[0, 2.0, 0], [0, 0, 1.0], [0.5, 0, 0]])
    return system


def test_bodies_move_as_each_does_alone(three):
    alone = [clamped(), tree(), seams()]
    for system, force, vertex in zip(alone, ([0, 2.0, 0], [0, 0, 1.0], [0.5, 0, 0]), (TIP, TIP, 0)):
        system.push([vertex], force)
        system.step(40)
    pushed(three).step(40)
    np.testing.assert_array_equal(three.vertices(), np.concatenate([system.vertices() for system in alone]))
    assert three.time == pytest.approx(40 * DT)
    P, L = three.momentum()
    found = np.concatenate([P, L, [three.energy()]])
    expected = sum(np.concatenate([*system.momentum(), [system.energy()]]) for system in alone)
    np.testing.assert_allclose(found, expected, rtol=SUMS)


def test_joined_skin_draws_the_joined_pose(three):
    surface = pl.Surface(MESH.vertices * 1.001, MESH.surface)
    three.systems[1].wear(surface)
    pushed(three).step(40)
    pose = three.pose()
    assert pose.part_count == 1 + 2 + 2
    for of, skin in (("skin", three.skin), ("mesh", three.body)):
        np.testing.assert_allclose(skin.vertices(pose), three.vertices(of), atol=SUMS)
        assert skin is getattr(three, "skin" if of == "skin" else "body"), "made once"
    np.testing.assert_array_equal(three.skin.triangles, three.triangles)
    np.testing.assert_allclose(three.worn.skin(three.body).vertices(pose), three.vertices(), atol=SUMS)


def test_pushes_on_worn_surfaces_reach_their_body(three):
    """A surface vertex on a mesh vertex: the same push."""
    other = pl.Bodies([clamped(), tree(), seams()])
    three.systems[0].wear(pl.Surface(MESH.vertices[::-1].copy(), len(MESH.vertices) - 1 - MESH.surface))
    n = len(MESH.vertices)
    three.push([n - 1 - TIP, n + TIP], [0, 1.0, 0])
    other.push([TIP, n + TIP], [0, 1.0, 0], on="mesh")
    for system in (three, other):
        system.step(20)
    np.testing.assert_allclose(three.vertices("mesh"), other.vertices("mesh"), atol=1e-9)


def test_colours_are_those_of_each_and_plain_elsewhere(three):
    count = len(MESH.surface)
    assert three.colours is None
    three.systems[2].paint(np.tile([1.0, 0, 0], (count, 1)))
    assert three.colours.shape == (3 * count, 3)
    np.testing.assert_array_equal(three.colours[-count:], three.systems[2].colours)
    colours = np.random.default_rng(0).random((3 * count, 3))
    three.paint(colours)
    np.testing.assert_array_equal(three.colours, colours)


def test_restored_bodies_go_the_same_way_again(three):
    pushed(three).step(10)
    state = three.state()
    three.step(20)
    there = three.vertices()
    three.restore(state)
    assert three.time == pytest.approx(10 * DT)
    three.step(20)
    np.testing.assert_array_equal(three.vertices(), there)
    broken = {name: array for name, array in three.state().items() if name != "2 q"}
    with pytest.raises(ArgumentError):
        three.restore(broken)
    np.testing.assert_array_equal(three.vertices(), there)


def test_velocities_are_those_of_the_joined_skin(three):
    pushed(three).step(10)
    np.testing.assert_allclose(
        three.skin.velocities(three.pose(), three.rates()),
        three.velocities(),
        atol=SUMS * np.abs(three.velocities()).max(),
    )
    assert three.size == sum(system.size for system in three.systems)


def test_state_is_bytes_and_back(three):
    pushed(three).step(10)
    state = three.state()
    three.step(5)
    three.restore(type(state).from_bytes(bytes(state)))
    assert three.state() == state


def test_what_one_body_refuses_is_changed_in_none():
    bodies = pl.Bodies([seams(), clamped()])
    with pytest.raises(ArgumentError, match="damping of a Clamped is fixed"):
        bodies.damping = (0.5, 0.5)
    assert bodies.systems[0].damping == (0, 1e-3)


def test_the_step_is_shared(three):
    three.dt = 0.002
    assert [system.dt for system in three.systems] == [0.002] * 3


@pytest.mark.parametrize("first", [True, False])
def test_divergence_names_the_body_and_leaves_none_ahead(first):
    """The wild one stops at a step; all the others are then where they are after as many."""
    wild, calm, alone = clamped(newton=1), tree(), tree()
    bodies = pl.Bodies([wild, calm] if first else [calm, wild], ["wild", "calm"] if first else ["calm", "wild"])
    at = TIP if first else len(MESH.vertices) + TIP
    bodies.push([at], [0, 1e9, 0])
    with pytest.raises(Diverged, match=r"^wild: ") as caught:
        bodies.step(50)
    assert caught.value.part == "wild"
    assert wild.time == pytest.approx(calm.time, abs=SUMS)
    assert bodies.time == caught.value.time == pytest.approx(wild.time, abs=SUMS)
    assert bodies.time < 50 * DT
    alone.step(round(calm.time / DT))
    np.testing.assert_array_equal(calm.vertices(), alone.vertices())


def test_a_body_that_goes_back_to_an_earlier_call_takes_the_others_along():
    """Crushed bodies are found out at a check, and go back to the check before."""
    wild, calm, alone = clamped(newton=1), tree(), tree()
    bodies = pl.Bodies([wild, calm], ["wild", "calm"])
    for _ in range(70):
        bodies.step()
    bodies.push([TIP], [-2e4, 0, 0])
    with pytest.raises(Diverged, match=r"^wild: .* inside out") as caught:
        for _ in range(64):
            bodies.step()
    assert caught.value.time == bodies.time == calm.time == pytest.approx(wild.time, abs=SUMS)
    assert bodies.time < 70 * DT
    alone.step(round(calm.time / DT))
    np.testing.assert_array_equal(calm.vertices(), alone.vertices())


def test_the_unreduced_truth_may_be_one_of_them():
    bodies = pl.Bodies([clamped(), full()])
    assert bodies.skin is bodies.body is None
    bodies.step(3)
    assert bodies.vertices().shape == (2 * len(MESH.vertices), 3)
    recording = record(bodies, 0.02)
    np.testing.assert_array_equal(recording.vertices(-1), bodies.vertices())


def test_hold_finds_the_body_of_its_vertex(three):
    n = len(MESH.vertices)
    target = three.vertices()[2 * n + TIP] + [0, 0.05, 0]
    hand = three.hold(2 * n + TIP, target)
    assert hand.vertex == TIP, "its number in its body"
    assert hand.held
    assert three.holds == (hand,)
    alone = seams()
    alone.hold(TIP, target)
    for system in (alone, three):
        system.step(50)
    np.testing.assert_array_equal(three.vertices()[2 * n :], alone.vertices())
    hand.release()
    assert not hand.held


def test_bodies_settle_and_suggest_together():
    bodies = pl.Bodies([clamped(), clamped()])
    bodies.settle()
    before = bodies.vertices()
    bodies.step(20)
    np.testing.assert_allclose(bodies.vertices(), before, atol=1e-9)
    assert bodies.suggest_dt() == clamped().suggest_dt()
    mixed = pl.Bodies([clamped(), seams()])
    held = mixed.state()
    with pytest.raises(PliantError, match="settle"):
        mixed.settle()
    assert mixed.state() == held


def test_turn_finds_the_body_of_its_interface():
    bodies, alone = pl.Bodies([clamped(), seams(), seams()]), seams()
    assert bodies.interfaces == (("body 1: part 0", "body 1: part 1"), ("body 2: part 0", "body 2: part 1"))
    handle = bodies.turn(1, (0, 0, 0.3))
    alone.turn(0, (0, 0, 0.3))
    for system in (bodies, alone):
        system.step(30)
    np.testing.assert_array_equal(bodies.systems[2].vertices(), alone.vertices())
    np.testing.assert_array_equal(bodies.rotation_of(1), alone.rotation_of(0))
    assert bodies.interface("body 2: part 0", "body 2: part 1") == 1
    first = bodies.systems[0].mesh.vertex_count + bodies.systems[1].mesh.vertex_count
    np.testing.assert_array_equal(bodies.turnable[1], alone.turnable[0] + first)
    handle.release()
    with pytest.raises(ArgumentError, match="share no interface; there are"):
        bodies.interface("body 1: part 0", "body 2: part 1")
    with pytest.raises(ArgumentError, match="none of the bodies has interfaces"):
        pl.Bodies([clamped()]).turn(0, (0, 0, 1))


def test_wind_and_launch_are_passed_on():
    bodies = pl.Bodies([seams(), seams()], ["a", "b"])
    wind = pl.Wind(np.array([3.0, 0, 0]))
    bodies.wind = wind
    assert all(system.wind is wind for system in bodies.systems)
    bodies.launch((0, 0, 2))
    np.testing.assert_allclose(bodies.momentum()[0], [0, 0, 2 * 2 * FREE.lumped_mass[::3].sum()], atol=SUMS)
    assert bodies.free


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: pl.Bodies([]), "at least one"),
        (lambda: pl.Bodies([1]), "at least one pliant System"),
        (lambda: pl.Bodies([seams(), seams()], ["a", "a"]), "2 different ones"),
        (lambda: pl.Bodies([seams(), pl.Full(HELD, 0.1)]), "the same dt"),
        (lambda: pl.Bodies([seams()]).wear(pl.Surface(MESH.vertices, MESH.surface)), "surfaces of their own"),
        (lambda: pl.Bodies([seams()]).solid, "no one solid"),
        (lambda: pl.Bodies([seams()]).push([999], [0, 1, 0]), "vertices must lie between"),
    ],
)
def test_bodies_refuse_what_makes_no_sense(make, message):
    with pytest.raises(ArgumentError, match=message):
        make()


def test_rows_responses_and_impulses_are_those_of_the_bodies():
    one, other = kinds.stirred("clamped"), kinds.stirred("seams", True)
    both = pl.Bodies([one, other], ["held", "flying"])
    n = one.mesh.vertex_count
    points, own = both.points([20, n + 30]), (one.points([20]), other.points([30]))
    np.testing.assert_array_equal(both.unknowns, np.concatenate([one.unknowns, other.unknowns]))
    expected = la.block_diag(one.rows(own[0]), other.rows(own[1]))
    np.testing.assert_allclose(both.rows(points), expected, atol=1e-12)
    expected = la.block_diag(one.response(own[0]), other.response(own[1]))
    np.testing.assert_allclose(both.response(points), expected, atol=1e-12)
    before = other.momentum()[0]
    both.correct(points, [[0, 0, 0.001], [0.002, 0, 0]])
    np.testing.assert_allclose(other.momentum()[0] - before, [0.002, 0, 0], atol=1e-12)


def test_impulses_leave_bodies_alone_that_have_none_of_the_points(three):
    three.predict()
    others = [each.state() for each in three.systems[1:]]
    three.correct(three.points([TIP]), [[0, 1e-3, 0]])
    assert [each.state() for each in three.systems[1:]] == others
    assert three.systems[2].rows(three.systems[2].points([])).shape == (0, len(three.systems[2].unknowns))


def test_points_of_bodies_without_a_basis_are_those_of_each():
    one, other = kinds.stirred("full"), kinds.stirred("tree")
    both = pl.Bodies([one, other])
    n = one.mesh.vertex_count
    ids = np.array([n + 7, 20, n + 3, 5])
    points = both.points(ids)
    np.testing.assert_allclose(points.place(both.pose()), both.vertices()[ids], atol=1e-12)
    np.testing.assert_allclose(points.velocity(both.pose(), both.rates()), both.velocities()[ids], atol=1e-12)
