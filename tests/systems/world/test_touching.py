"""Contacts, friction, bounces, stacks: the experiments of maths sheet momentum 9, and what they must keep."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from shapes import block, turn

import pliant as pl
from pliant.errors import ArgumentError
from pliant.systems.world import World

KEPT = 1e-11  # of momentum
G = 9.81


def two_bars(restitution, friction, rule="midpoint"):
    """Sheet 9 (b)."""
    world = World(2e-3, gravity=None, substeps=1, sweeps=20, rule=rule)
    model = block()
    centre = model.inertia.centre
    manners = {"friction": friction, "restitution": restitution, "damping": (0.0, 1e-3)}
    world.add(model, -centre, velocity=(1.0, 0.0, 0.0), spin=(0.0, 0.0, 1.0), **manners)
    at = np.array([0.3, 0.35, 0.05]) - centre
    world.add(model, at, velocity=(-0.5, -1.0, 0.0), spin=(0.3, 0.0, -1.0), **manners)
    return world


@pytest.mark.parametrize("rule", ["midpoint", "euler"])
@pytest.mark.parametrize(("restitution", "friction"), [(0.0, 0.0), (0.5, 0.3), (1.0, 0.0)])
def test_two_bars_exchange_momentum_and_never_gain_energy(restitution, friction, rule):
    world = two_bars(restitution, friction, rule)
    (P, L), energy = world.momentum(), [world.energy()]
    before = world.bodies[0].velocity
    for _ in range(400):
        world.step()
        energy.append(world.energy())
    after = world.momentum()
    np.testing.assert_allclose(after[0], P, atol=KEPT * np.linalg.norm(P))
    np.testing.assert_allclose(after[1], L, atol=KEPT * np.linalg.norm(L))
    assert np.diff(energy).max() < 1e-9 * energy[0]
    assert np.linalg.norm(world.bodies[0].velocity - before) > 0.5  # they did meet


@settings(max_examples=12, deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_random_pairs_keep_momentum(seed):
    random = np.random.default_rng(seed)
    world = World(5e-3, gravity=None, substeps=2)
    model = block()
    for side in (-1.0, 1.0):
        place = np.array([0.3 * side, 0.25 * side, 0.0]) + 0.02 * random.normal(size=3) - model.inertia.centre
        world.add(
            model if random.random() < 0.7 else pl.Rigid(model.mesh, 500.0),
            place,
            turn(random.normal(size=3), 0.2),
            (-1.0 * side, -2.0 * side, 0.3 * side),
            random.normal(size=3),
            friction=random.random(),
            restitution=random.random(),
        )
    P, L = world.momentum()
    world.step(60)
    scale = sum(body.mass * np.linalg.norm(body.velocity) for body in world.bodies)
    np.testing.assert_allclose(world.momentum()[0], P, atol=KEPT * scale)
    np.testing.assert_allclose(world.momentum()[1], L, atol=KEPT * scale)


@pytest.mark.parametrize("rule", ["midpoint", "euler"])
@pytest.mark.parametrize("factor", [0.9, 1.1, 1.5])
def test_a_box_on_a_slope_sticks_or_slides_as_coulomb_says(factor, rule):
    """Sheet 9 (e): tan = 0.9 mu stays, above it slides with g (sin - mu cos)."""
    mu = 0.5
    angle = np.arctan(factor * mu)
    world = World(5e-3, gravity=G * np.array([np.sin(angle), -np.cos(angle), 0.0]), substeps=1, sweeps=30, rule=rule)
    world.ground(friction=mu)
    model = block((0.6, 0.3, 0.6), (3, 2, 3), 6)
    body = world.add(model, (0.0, 0.15, 0.0), friction=mu, damping=(0.0, 1e-3))
    world.step(100)
    before = body.velocity[0]
    world.step(100)
    wanted = max(0.0, G * (np.sin(angle) - mu * np.cos(angle)))
    if factor < 1:
        assert np.abs(body.velocity).max() < 1e-3
    else:
        assert (body.velocity[0] - before) / 0.5 == pytest.approx(wanted, rel=0.01)


@pytest.mark.parametrize("height", [0.2, 0.5])
@pytest.mark.parametrize("restitution", [0.0, 0.5, 1.0])
def test_a_rigid_ball_bounces_to_the_height_that_restitution_says(restitution, height):
    world = World(1e-3, substeps=1)
    world.ground(friction=0.0)
    ball = pl.Rigid(pl.shapes.sphere(0.1, 6), 1000.0)
    bottom = ball.X[:, 1].min()
    body = world.add(ball, (0.0, height - bottom, 0.0), restitution=restitution, friction=0.0)
    world.step(round(np.sqrt(2 * height / G) / 1e-3) + 5)
    top = 0.0
    for _ in range(round(2 * np.sqrt(2 * height / G) / 1e-3)):
        world.step()
        top = max(top, (body.vertices()[:, 1]).min())
    # One step of 1 ms decides where the bounce begins: 2 m/s make 2 mm, and steps are 1 % of the fall.
    assert top == pytest.approx(restitution**2 * height, abs=0.02 * height)


@pytest.mark.parametrize("restitution", [0.0, 0.3, 0.8])
def test_contacts_tell_all_impulses_of_a_fall(restitution):
    """What they did over a fall and all its bounces is what stopped it, and what bore it since."""
    world = World(5e-3, substeps=1)
    world.ground(restitution=restitution)
    body = world.add(
        block((0.4, 0.4, 0.4), (3, 3, 3), 6), (0.0, 0.3, 0.0), restitution=restitution, damping=(0.0, 2e-3)
    )
    told = np.zeros(3)
    for _ in range(200):
        world.step()
        told += world.contacts().impulses.sum(axis=0)
    needed = body.mass * (body.velocity + G * world.time * np.array([0.0, 1.0, 0.0]))
    np.testing.assert_allclose(told, needed, atol=1e-9 * needed[1])


def test_nothing_passes_a_thin_bar_at_thirty_metres_a_second():
    world = World(5e-3, gravity=None)
    bar = block((1.0, 0.05, 0.2), (8, 1, 2), 6, 1e7)
    world.add(pl.Rigid(bar.mesh, 1000.0), kind="static")
    ball = world.add(pl.Rigid(pl.shapes.sphere(0.04, 4), 1000.0), (0.5, 1.0, 0.0), velocity=(0.0, -30.0, 0.0))
    world.step(40)
    assert ball.centre[1] > 0.0


@pytest.mark.parametrize("heavy", [False, True])
def test_ten_boxes_stand(heavy):
    """Ten seconds, also under a top that weighs ten times as much."""
    world = ten_boxes(heavy)
    world.step(1800)
    before = world.bodies[-1].centre
    world.step(200)
    assert np.abs(world.bodies[-1].centre - before).max() < 2e-3
    assert world.bodies[-1].centre[1] == pytest.approx(3.8, abs=0.02)


def ten_boxes(heavy):
    world = World(5e-3)
    world.ground(friction=0.6)
    model = block((0.4, 0.4, 0.4), (2, 2, 2), 6, 1e8)
    top = model.with_material(density=10000.0) if heavy else model
    for k in range(10):
        at = (0.01 * (k % 2), 0.2 + 0.4 * k, 0.01 * (k // 2 % 2))
        world.add(top if k == 9 else model, at, friction=0.6, damping=(0.0, 1e-4))
    return world


def test_a_restored_run_repeats_to_the_last_bit():
    world = ten_boxes(False)
    world.step(30)
    start = world.state()
    world.step(30)
    first = world.state()
    world.restore(start)
    world.step(30)
    assert world.state() == first


def test_a_kinematic_floor_carries_what_lies_on_it():
    world = World(5e-3)
    model = block((0.4, 0.4, 0.4), (2, 2, 2), 6, 1e7)
    floor = pl.Rigid(pl.shapes.bar((4.0, 0.2, 2.0), (4, 1, 2)), 1000.0)
    world.add(floor, path=lambda t: ((-2.0 + 0.5 * t, -0.1, 0.0), np.eye(3)), friction=1.0)
    body = world.add(model, (0.0, 0.2, 0.0), friction=1.0, damping=(0.0, 1e-3))
    world.step(200)
    np.testing.assert_allclose(body.velocity, [0.5, 0.0, 0.0], atol=5e-3)


@pytest.mark.parametrize("cone", ["impulse", "velocity"])
@pytest.mark.parametrize("restitution", [0.0, 0.5, 1.0])
def test_a_bat_throws_back_as_newton_says(restitution, cone):
    """Of a bat that goes its way at V: v = V + e (V - v0), and the energy that it gives is no one's gain."""
    world = World(2e-3, gravity=None, cone=cone)
    bat = pl.Rigid(pl.shapes.box((1.0, 0.2, 1.0), (1, 1, 1)), 1000.0)
    world.add(bat, path=lambda t: ((0.0, 1.0 * t, 0.0), np.eye(3)), restitution=restitution)
    ball = pl.Rigid(pl.shapes.sphere(0.1, 4), 1000.0)
    bodies = [world.add(ball, (0.3 * k, 0.5, 0.0), velocity=(0.0, -1.0, 0.0), friction=0.0) for k in (-1, 0, 1)]
    world.step(200)
    for body in bodies:
        np.testing.assert_allclose(body.velocity, (0.0, 1.0 + 2 * restitution, 0.0), atol=1e-6)


def test_groups_pass_through_each_other():
    world = World(5e-3, gravity=None)
    model = block((0.4, 0.4, 0.4), (2, 2, 2), 6, 1e7)
    a = world.add(model, (-0.5, 0, 0), velocity=(1.0, 0, 0), group=1)
    world.add(model, (0.5, 0, 0), velocity=(-1.0, 0, 0), group=1)
    world.step(200)
    np.testing.assert_allclose(a.velocity, (1.0, 0, 0), atol=1e-12)


def test_groups_and_damping_are_written_while_bodies_move():
    model = block((0.4, 0.4, 0.4), (2, 2, 2), 6, 1e7)

    def met(written):
        given = {"group": 1, "damping": (3.0, 1e-3)}
        world = World(5e-3, gravity=None)
        a = world.add(model, (-0.5, 0, 0), velocity=(1.0, 0, 0), **({} if written else given))
        b = world.add(model, (0.5, 0, 0), velocity=(-1.0, 0, 0), **({} if written else given))
        a.v = np.ones(6)
        for body in (a, b) if written else ():
            body.group, body.damping = given["group"], given["damping"]
        world.step(100)
        return world

    one, other = met(True), met(False)
    np.testing.assert_array_equal(one.vertices(), other.vertices())
    np.testing.assert_allclose(one.bodies[0].velocity, (1.0, 0, 0), atol=1e-12)
    one.bodies[0].group = 0
    one.bodies[0].position, one.bodies[0].velocity = one.bodies[1].position - (1.0, 0, 0), (2.0, 0, 0)
    one.step(100)
    assert one.bodies[0].velocity[0] < 1.0  # they meet now


def test_what_acts_on_others_goes_on_where_a_body_is_removed():
    """Pushes, hands, joints and manners of pairs know their bodies by more than their numbers."""
    model = block((0.4, 0.4, 0.4), (2, 2, 2), 6, 1e7)

    def run(with_another):
        world = World(5e-3)
        if with_another:
            first = world.add(model, (-9.0, 0.0, 0.0), name="first")
        pushed, held, left, right = (world.add(model, (2.0 * k, 0.0, 0.0), damping=(0.0, 1e-3)) for k in range(4))
        pushed.push([3, 5], (0.0, 900.0, 100.0))
        held.hold(7, held.vertices()[7])
        world.join(left, (0.2, 0.2, 0.0))
        world.pair(left, right, friction=0.0)
        if with_another:
            world.join(first, (0.0, 0.0, 0.0))
            first.hold(4, first.vertices()[4])
            first.push([1], (5.0, 0.0, 0.0))
            world.remove(first)
        world.step(60)
        assert len(world.joints) == len(world.holds) == 1
        return world

    np.testing.assert_allclose(run(True).vertices(), run(False).vertices(), atol=1e-9)


def test_contacts_tell_who_presses_how_hard():
    world = World(5e-3)
    world.ground(friction=0.5)
    model = block((0.4, 0.4, 0.4), (2, 2, 2), 6, 1e8)
    low = world.add(model, (0.0, 0.2, 0.0), damping=(0.0, 1e-3))
    high = world.add(model, (0.01, 0.6, 0.01), damping=(0.0, 1e-3))
    world.step(300)
    weight = low.mass * G
    np.testing.assert_allclose(world.force_between(high, low), [0.0, weight, 0.0], atol=0.02 * weight)
    np.testing.assert_allclose(world.force_between(low, high), [0.0, -weight, 0.0], atol=0.02 * weight)
    np.testing.assert_allclose(world.force_between(low), [0.0, 2 * weight, 0.0], atol=0.02 * weight)
    report = world.contacts()
    assert len(report.points) == len(report.forces) > 4
    np.testing.assert_allclose(np.linalg.norm(report.normals, axis=1), 1.0)
    assert np.abs(report.depths).max() < 1e-3
    touching = low.model.X[report.vertices[(report.bodies == [0, -1]).all(axis=1)]]
    np.testing.assert_allclose(touching[:, 1], -0.2, atol=1e-9)  # the underside


def test_contacts_tell_how_they_slip_and_rub():
    """Coulomb: friction is mu times what presses, against the way it slides; v = v0 - mu g t."""
    world = World(5e-3, substeps=1, sweeps=30)
    world.ground(friction=0.25)
    plate = pl.Rigid(pl.shapes.box((0.6, 0.1, 0.6), (2, 1, 2)), 1000.0)
    body = world.add(plate, (0.0, 0.05, 0.0), velocity=(2.0, 0.0, 0.0), friction=1.0)  # of the pair: 0.5
    world.step(40)
    report = world.contacts()
    pressing = (report.impulses * report.normals).sum(axis=1)
    rubbing = report.impulses - pressing[:, None] * report.normals
    assert pressing.sum() == pytest.approx(body.mass * G * world.dt, rel=1e-9)
    np.testing.assert_allclose(rubbing.sum(axis=0), (-0.5 * pressing.sum(), 0.0, 0.0), atol=1e-9 * pressing.sum())
    np.testing.assert_allclose(report.slips, 2.0 - 0.5 * G * world.time, rtol=1e-9)
    np.testing.assert_allclose(report.forces, report.impulses / world.dt)


@pytest.mark.parametrize("kind", ["hex", "tet10", "hex20"])
def test_bodies_of_other_cells_stand_on_each_other(kind):
    solid = pl.Solid(pl.shapes.bar((0.4, 0.4, 0.4), (2, 2, 2), kind=kind), pl.Linear(1e7, 0.3, 1000.0))
    model = pl.reduce(solid, pl.Basis(pl.vibration_modes(solid, 6).vectors), force="linear")
    world = World(5e-3)
    world.ground(friction=0.6)
    middle = model.inertia.centre
    for k in range(3):
        world.add(model, np.array((0.01 * (k % 2), 0.2 + 0.4 * k, 0.0)) - middle, friction=0.6, damping=(0.0, 1e-3))
    world.step(200)
    high, low = world.bodies[2], world.bodies[1]
    assert high.centre[1] == pytest.approx(1.0, abs=2e-3)
    assert world.force_between(high, low)[1] == pytest.approx(high.mass * G, rel=1e-3)


@pytest.mark.parametrize("force", ["cubic", "cubature"])
def test_nonlinear_bodies_exchange_momentum_and_gain_no_energy(force):
    """One hits another of linear forces: every kind of force in one world."""
    model = block(young=1e6, force=force)
    world = World(2e-3, gravity=None, substeps=2)
    world.add(model, damping=(0.0, 1e-3))
    world.add(block(), (0.3, 0.25, 0.05), velocity=(-0.5, -1.0, 0.0), spin=(0.3, 0.0, -1.0), damping=(0.0, 1e-3))
    (P, L), energies = world.momentum(), [world.energy()]
    for _ in range(150):
        world.step()
        energies.append(world.energy())
    np.testing.assert_allclose(world.momentum()[0], P, atol=KEPT * np.linalg.norm(P))
    np.testing.assert_allclose(world.momentum()[1], L, atol=KEPT * np.linalg.norm(L))
    assert np.diff(energies).max() < 1e-4 * energies[0]  # of a quartic energy, by the midpoint rule
    assert world.bodies[0].velocity[1] < -0.3


def test_contacts_between_vertices_of_an_edge_name_no_vertex():
    """A box that lies across a narrow beam touches it with points along its edges alone."""
    world = World(5e-3, spacing=0.05)
    beam = world.add(pl.Rigid(pl.shapes.box((0.1, 0.2, 2.0), (1, 1, 1)), 1000.0), kind="static")
    plank = world.add(pl.Rigid(pl.shapes.box((1.0, 0.2, 0.4), (1, 1, 1)), 1000.0), (0.0, 0.2, 0.0))
    world.step(40)
    report = world.contacts()
    assert (report.bodies[:, 0] == plank.number).any()
    for body, vertex, point in zip(report.bodies[:, 0], report.vertices, report.points):
        corners = (plank if body == plank.number else beam).vertices()
        near = np.linalg.norm(corners - point, axis=1).min() < 1e-3
        assert (vertex >= 0) == near


def test_bodies_that_start_inside_each_other_are_refused():
    world = World(5e-3)
    model = block((0.4, 0.4, 0.4), (2, 2, 2), 6, 1e8)
    world.add(model, name="left")
    world.add(model, (0.3, 0.0, 0.0), name="right")
    with pytest.raises(pl.PliantError, match="left and right overlap by 0.1 m|right and left overlap by 0.1 m"):
        world.step()
    world = World(5e-3)
    world.ground()
    world.add(model)
    with pytest.raises(pl.PliantError, match="the ground or an obstacle overlap by 0.2 m"):
        world.step()


@pytest.mark.parametrize("axis", [0, 1, 2])
@pytest.mark.parametrize("cells", [1, 2])
def test_boxes_in_a_row_that_start_inside_each_other_are_refused(cells, axis):
    """With one cell an edge no vertex of either is inside the other one: all lie on its surface."""
    box = pl.Rigid(pl.shapes.box((0.4, 0.4, 0.4), (cells,) * 3), 1000.0)
    for apart, refused in ((0.3, True), (0.4, False), (0.38, False)):
        world = World(5e-3, gravity=None)
        for k, name in enumerate(("first", "second", "third")):
            world.add(box, np.eye(3)[axis] * (0.0, 0.4, 0.4 + apart)[k], name=name)
        if refused:
            with pytest.raises(pl.PliantError, match=r"(second and third|third and second) overlap by 0.1 m"):
                world.step()
        else:
            world.step()


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"friction": -0.1}, "friction"),
        ({"restitution": 1.5}, "restitution"),
        ({"position": (0.0, np.nan, 0.0)}, "position must be finite"),
        ({"rotation": 2 * np.eye(3)}, "must be a rotation"),
        ({"kind": "held"}, "no fixed vertices"),
        ({"kind": "kinematic"}, "needs a path"),
        ({"velocity": (1.0, 2.0)}, "velocity must have shape"),
    ],
)
def test_bad_bodies_are_refused_in_a_sentence(given, words):
    world = World(5e-3)
    with pytest.raises(pl.PliantError, match=words):
        world.add(block(), **given)
    assert world.bodies == ()


def test_bad_grounds_and_pairs_are_refused_in_a_sentence():
    world = World(5e-3)
    a, b = world.add(block(), name="a"), world.add(block(), (5.0, 0.0, 0.0), name="b")
    with pytest.raises(pl.PliantError, match="friction must be"):
        world.ground(friction=-0.5)
    with pytest.raises(pl.PliantError, match="friction must be"):
        world.pair(a, b, friction=-1.0)
    with pytest.raises(pl.PliantError, match="height"):
        world.ground(height=np.nan)
    with pytest.raises(pl.PliantError, match="velocity must be finite"):
        a.velocity = (np.nan, 0.0, 0.0)
    with pytest.raises(pl.PliantError, match="dt"):
        World(np.nan)


def test_bases_that_move_a_body_as_a_whole_are_refused():
    solid = pl.Solid(pl.shapes.bar((1.0, 0.2, 0.2), (4, 1, 1)), pl.Linear(1e6, 0.3, 1000.0))
    modes = pl.vibration_modes(solid, 3).vectors
    shift = np.tile([0.0, 1.0, 0.0], len(modes) // 3)[:, None]
    model = pl.reduce(solid, pl.Basis(np.hstack([modes, shift])), force="linear")
    with pytest.raises(pl.PliantError, match="turn it as a whole"):
        World(5e-3).add(model)


@pytest.mark.parametrize("rule", ["midpoint", "euler"])
def test_ten_dominoes_fall_at_the_speed_of_the_sheet(rule):
    """Sheet 9 (c): all fall; 20 degrees are passed at 0.51 to 1.96 s, the last five 9.6 a second; floor 2 mm."""
    world = World(0.01, sweeps=6, rule=rule)
    world.ground(friction=1.25)  # with 0.2 of the dominoes this makes 0.5
    model = block((0.12, 1.0, 0.5), (1, 4, 2), 6, 1e6)
    for k in range(10):
        R = np.eye(3) if k else turn((0, 0, 1), -np.radians(12))
        foot = np.array([0.12, model.X[:, 1].min(), 0.0])  # tipped about its front edge
        world.add(model, np.array([0.4 * k + 0.12, 0.0, 0.0]) - R @ foot, R, friction=0.2)
    passed, deepest = np.full(10, np.inf), 0.0
    while world.time < 3.0:
        world.step()
        tilts = [np.degrees(np.arccos(np.clip(body.rotation[1, 1], -1, 1))) for body in world.bodies]
        passed = np.where(np.array(tilts) > 20, np.minimum(passed, world.time), passed)
        report = world.contacts()
        deepest = max(deepest, report.depths[report.bodies[:, 1] < 0].max(initial=0.0))
    assert passed[0] == pytest.approx(0.51, rel=0.05)
    assert passed[-1] == pytest.approx(1.96, rel=0.15)
    assert 4 / (passed[9] - passed[5]) == pytest.approx(9.6, rel=0.15)
    assert deepest < 2e-3


def test_pairs_have_manners_of_their_own():
    world = World(5e-3, gravity=None)
    model = block((0.4, 0.4, 0.4), (2, 2, 2), 6, 1e8)
    rigid = pl.Rigid(model.mesh, 1000.0)
    a = world.add(rigid, (-0.5, 0.0, 0.0), velocity=(1.0, 0.0, 0.0))
    b = world.add(rigid, (0.5, 0.0, 0.0), velocity=(-1.0, 0.0, 0.0))
    world.pair(a, b, friction=0.0, restitution=1.0)
    world.step(100)
    np.testing.assert_allclose([a.velocity[0], b.velocity[0]], [-1.0, 1.0], atol=1e-4)  # what sweeps leave


@pytest.mark.parametrize("rule", ["midpoint", "euler"])
def test_four_boxes_of_jelly_stand_still(rule):
    # Sheet 9: drift below 1e-3 m in the last half second; its own run has 3e-5 m, 3e-4 m/s and 0.04 degrees.
    model = block((0.4, 0.4, 0.4), (3, 3, 3), 6)
    world = World(5e-3, substeps=1, sweeps=30, rule=rule)
    world.ground(friction=0.6)
    for k in range(4):
        world.add(model, (0.01 * (k % 2), 0.2 + 0.4 * k, 0.0), friction=0.6)
    world.step(200)
    before = np.array([body.centre for body in world.bodies])
    world.step(100)
    assert np.abs([body.centre for body in world.bodies] - before).max() < 1e-4
    assert np.abs([body.velocity for body in world.bodies]).max() < 1e-3
    assert min(body.rotation[1, 1] for body in world.bodies) > np.cos(np.radians(0.1))


@pytest.mark.slow
def test_an_hour_in_a_shaken_box_stays_finite_and_shallow():
    world = shaken_box()
    deepest = 0.0
    for _ in range(3600):
        world.step(50)
        deepest = max(deepest, world.contacts().depths.max(initial=0.0))
    assert np.isfinite(world.vertices()).all()
    assert deepest < 5e-3


def test_a_while_in_a_shaken_box_stays_finite_and_shallow():
    world = shaken_box()
    deepest = 0.0
    for _ in range(15):
        world.step(50)
        deepest = max(deepest, world.contacts().depths.max(initial=0.0))
        inside = np.abs(np.array([body.centre for body in world.bodies[6:]]) - walls_shift(world.time)).max()
        assert inside < 0.6
    assert deepest < 5e-3


def walls_shift(t):
    """Where the middle of the box is."""
    return np.array([0.1 * np.sin(5 * t), 0.05 * np.sin(3 * t), 0.0])


def shaken_box():
    """Five bodies between six walls that shake as one."""
    world = World(0.02, substeps=8)
    for axis in range(3):
        for side in (-1, 1):
            size, at = np.full(3, 1.4), np.zeros(3)
            size[axis], at[axis] = 0.2, 0.7 * side
            mesh = pl.shapes.bar(tuple(size), (2, 2, 2))
            corner = at - mesh.vertices.mean(axis=0)
            path = lambda t, corner=corner: (corner + walls_shift(t), np.eye(3))  # noqa: E731
            world.add(pl.Rigid(mesh, 1000.0), path=path, group=1)
    models = [block((0.3, 0.2, 0.2), (3, 2, 2), 6, 1e6), pl.Rigid(block((0.2, 0.2, 0.2), (2, 2, 2)).mesh, 1000.0)]
    for k in range(5):
        at = np.array([0.32 * (k % 2) - 0.3, 0.0, 0.4 * (k // 2) - 0.4])
        world.add(models[k % 2], at, turn((1, k, 2), 0.3), damping=(0.0, 1e-3), restitution=0.2)
    return world


def test_steps_are_timed_by_stage_and_go_where_others_do():
    def settled(timed):
        world = World(5e-3)
        world.ground()
        for k in range(2):
            world.add(pl.Rigid(block((0.4, 0.4, 0.4), (2, 2, 2), 6).mesh, 1000.0), (0.01 * k, 0.21 + 0.41 * k, 0.0))
        world.timed = timed
        world.step(40)
        return world

    plain, timed = settled(False), settled(True)
    np.testing.assert_allclose(timed.vertices(), plain.vertices(), atol=1e-12)
    assert plain.stage_times() == {}
    times = timed.stage_times()
    assert min(times[name] for name in ("search", "rows", "sweeps", "flight")) > 0
    assert times["systems"] == 0
    assert timed.stage_times() == {}  # since the last time


@pytest.mark.parametrize(("spacing", "sunk"), [(None, 0.05), (0.04, 0.02)])
def test_edges_that_cross_bear_by_the_points_on_them(spacing, sunk):
    """A bar on edge falls across another one on edge, with no vertex of either near the crossing: it sinks in by half
    the spacing at the most, which is half the thickness where none is given."""
    bar = pl.Rigid(pl.shapes.bar((1.0, 0.2, 0.2), (1, 1, 1)), 1000.0)
    world = World(5e-3, spacing=spacing)
    on_edge, half = turn((1.0, 0.0, 0.0), np.pi / 4), 0.1 * np.sqrt(2)
    world.add(bar, (-0.5, 0.0, 0.0), on_edge, kind="static")
    across = world.add(bar, (0.013, 2 * half + 0.01, 0.5), turn((0.0, 1.0, 0.0), np.pi / 2) @ on_edge)
    world.step(40)
    assert across.centre[1] > 2 * half - sunk - 0.01


def test_planks_of_one_cell_that_lie_across_each_other_bear():
    plank = pl.Rigid(pl.shapes.bar((1.0, 0.1, 0.1), (1, 1, 1)), 500.0)
    world = World(5e-3)
    world.ground()
    low = world.add(plank, -plank.inertia.centre + (0.0, 0.05, 0.0))
    high = world.add(plank, (0.0, 0.155, 0.0) - turn((0, 1, 0), 1.3) @ plank.inertia.centre, turn((0, 1, 0), 1.3))
    world.step(200)
    assert high.centre[1] == pytest.approx(0.15, abs=1e-3)
    assert world.force_between(high, low)[1] == pytest.approx(high.mass * G, rel=0.02)


def test_bodies_that_came_to_overlap_go_on_after_a_file(tmp_path):
    """What is refused is where bodies start, not what they did to each other since."""
    world = pl.World(1e-3, gravity=None)
    for place in (0.0, 2.0):
        world.add(pl.Rigid(pl.shapes.bar((1, 1, 1), (1, 1, 1)), 1000.0), (place, 0, 0))
    world.step()
    world.bodies[1].position = (0.7, 0.1, 0.05)
    world.save(tmp_path / "boxes.state")
    again = pl.resume(tmp_path / "boxes.state")
    for each in (world, again):
        each.step(5)
    assert again.state() == world.state()
    again.add(pl.Rigid(pl.shapes.bar((1, 1, 1), (1, 1, 1)), 1000.0), (0.5, 0.5, 0.5))
    with pytest.raises(pl.PliantError, match="overlap by"):
        again.step()


def test_the_spacing_of_points_is_kept_in_files_and_must_be_positive(tmp_path):
    world = World(5e-3, spacing=0.1)
    world.add(pl.Rigid(pl.shapes.bar((1.0, 0.2, 0.2), (1, 1, 1)), 1000.0))
    world.save(tmp_path / "edges.pliant")
    assert pl.resume(tmp_path / "edges.pliant").spacing == 0.1
    with pytest.raises(ArgumentError, match="spacing"):
        World(5e-3, spacing=0.0)
