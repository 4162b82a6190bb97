"""Trees, seams and other systems as bodies of a world: touched, thrown, held, saved, and momentum exact throughout."""

import numpy as np
import pytest
from kinds import HELD, bar, system, thirds, tip
from shapes import block, turn

import pliant as pl
from pliant.errors import ArgumentError, Diverged

KEPT = 1e-11  # of momentum
G = (0.0, -9.81, 0.0)
FLYING = ("tree", "seams", "seams-nonlinear")
STANDING = tuple(kind for kind in HELD if kind != "full")


AS_IT_IS = np.eye(3)


def struck(kind, free, place=(0.0, 0.0, 0.0), rotation=AS_IT_IS, dt=2e-3, speed=1.0, **manners):
    """A bar that is a system, and a soft box that flies towards it near its end, both in these axes."""
    world = pl.World(dt, gravity=None, substeps=2)
    taking_part = world.add(system(kind, free), place, rotation, name="bar", **manners)
    box = block((0.1, 0.1, 0.1), (2, 2, 2), 6)
    at = np.array([0.75, 0.112, -0.03])
    world.add(
        box, rotation @ at + place, rotation, rotation @ (0.1, -speed, 0.0), name="box", damping=(0.0, 1e-3), **manners
    )
    return world, taking_part


@pytest.mark.parametrize("restitution", [0.0, 0.5])
@pytest.mark.parametrize("kind", FLYING)
def test_momentum_goes_from_a_body_to_a_system_and_none_is_lost(kind, restitution):
    world, taking_part = struck(kind, True, (0.2, 0.1, -0.3), turn((1, 2, 3), 0.7), restitution=restitution)
    P, L = world.momentum()
    energy, touched = [world.energy()], 0
    for _ in range(60):
        world.step()
        touched = max(touched, len(world.contacts().depths))
        energy.append(world.energy())
    after = world.momentum()
    assert touched > 0
    assert np.linalg.norm(taking_part.momentum()[0]) > 0.1 * np.linalg.norm(P)
    np.testing.assert_allclose(after[0], P, atol=KEPT * np.linalg.norm(P))
    np.testing.assert_allclose(after[1], L, atol=KEPT * np.linalg.norm(L))
    assert max(energy) < energy[0] * (1 + 1e-9)


@pytest.mark.parametrize("kind", FLYING)
def test_a_system_throws_what_it_hits(kind):
    """What bounces off takes energy from the system; together they gain none."""
    world = pl.World(2e-3, gravity=None, substeps=2)
    thrown = world.add(system(kind, True), velocity=(0.0, -1.0, 0.0), restitution=0.8)
    ball = world.add(pl.Rigid(pl.shapes.sphere(0.08, 4), 1000.0), (0.5, -0.15, 0.0), friction=0.0)
    (P, L), energy = world.momentum(), world.energy()
    for _ in range(80):
        world.step()
        assert world.energy() < energy * (1 + 1e-6)
    assert ball.velocity[1] < -0.5
    np.testing.assert_allclose(world.momentum()[0], P, atol=KEPT * np.linalg.norm(P))
    np.testing.assert_allclose(world.momentum()[1], L, atol=KEPT * np.linalg.norm(P))
    assert thrown.momentum()[0][1] > P[1]


@pytest.mark.parametrize("kind", FLYING)
def test_a_system_that_lies_on_the_ground_presses_with_its_weight(kind):
    world = pl.World(4e-3, gravity=G, substeps=2)
    lying = world.add(system(kind, True, gravity=G), (0.0, 0.062, 0.0))
    world.ground(friction=0.5)
    world.step(150)
    forces = []
    for _ in range(10):
        world.step()
        forces.append(world.force_between(lying))
    weight = lying.mass * 9.81
    np.testing.assert_allclose(np.mean(forces, axis=0), (0.0, weight, 0.0), atol=2e-3 * weight)
    assert -1e-3 * 0.1 * 2 < lying.vertices()[:, 1].min() < 1e-4
    assert np.abs(lying.velocity).max() < 1e-3


def test_a_clamped_system_answers_a_hit_as_the_same_model_does():
    # One model, once by Newmark's rule as a system, once by the rule of bodies: equal as dt goes to zero.
    model = pl.reduce(bar(), pl.modal_basis(bar(), 6, 12))

    def tip_after(add, dt):
        world = pl.World(dt, gravity=None, substeps=1, sweeps=40)
        hit = add(world, dt)
        box = block((0.1, 0.1, 0.1), (2, 2, 2), 6)
        world.add(box, (0.85, 0.1105, 0.0), velocity=(0.0, -0.5, 0.0), friction=0.0, damping=(0.0, 1e-3))
        world.step(round(0.06 / dt))
        return hit.vertices()[tip(bar())] - bar().mesh.vertices[tip(bar())]

    def as_system(world, dt):
        return world.add(pl.Clamped(model, dt, damping=(0.0, 2e-3), gravity=None), friction=0.0)

    def as_body(world, _):
        return world.add(model, damping=(0.0, 2e-3), friction=0.0)

    errors = [np.linalg.norm(tip_after(as_system, dt) - tip_after(as_body, dt)) for dt in (1e-3, 2.5e-4)]
    size = np.linalg.norm(tip_after(as_body, 2.5e-4))
    assert size > 5e-3
    assert errors[0] < 0.05 * size
    assert errors[1] < 0.5 * errors[0]


@pytest.mark.parametrize("kind", STANDING)
def test_what_a_hit_does_does_not_depend_on_where_axes_stand(kind):
    R, place = turn((1, -2, 1), 1.1), np.array([3.0, -1.0, 2.0])
    here, there = struck(kind, False), struck(kind, False, place, R)
    for world, _ in (here, there):
        world.step(40)
    # Tangents of contacts depend on the axes of the world, and so does what is left after a few sweeps.
    expected = here[1].vertices() @ R.T + place
    moved = np.abs(here[1].vertices() - bar().mesh.vertices).max()
    assert moved > 1e-3
    np.testing.assert_allclose(there[1].vertices(), expected, atol=0.02 * moved)


@pytest.mark.parametrize("kind", STANDING)
def test_a_restored_run_repeats_to_the_last_bit(kind, tmp_path):
    world, _ = struck(kind, False)
    world.step(12)
    kept = world.state()
    world.save(tmp_path / "run.state")
    world.step(10)
    expected = world.state()
    world.restore(kept)
    world.step(10)
    assert world.state() == expected
    again = pl.resume(tmp_path / "run.state")
    again.step(10)
    assert again.state() == expected


def test_hands_pushes_and_wind_reach_systems_in_the_axes_of_the_world():
    R, place = turn((0, 0, 1), np.pi / 2), np.array([1.0, 2.0, 3.0])
    world, hit = struck("clamped", False, place, R)
    world.remove(world.bodies[1])
    alone = system("clamped", False, dt=world.small_step)
    vertex, way, push = tip(bar()), np.array([0.01, 0.02, 0.05]), np.array([1.0, -2.0, 3.0])
    start = alone.vertices()[vertex]
    hold, same = hit.hold(vertex, R @ (start + way) + place, 20.0), alone.hold(vertex, start + way, 20.0)
    hit.push([vertex], R @ push)
    alone.push([vertex], push)
    world.step(100)
    alone.step(200)
    np.testing.assert_allclose(hit.vertices(), alone.vertices() @ R.T + place, atol=1e-9)
    np.testing.assert_allclose(hold.force, R @ same.force, atol=1e-6 * np.linalg.norm(same.force))
    hold.target = R @ (start - way) + place
    np.testing.assert_allclose(hit.system.holds[0].target, start - way, atol=1e-12)
    hold.release()
    assert world.holds == hit.system.holds == ()
    world.release()
    world.wind = pl.Wind((0.0, 0.0, 30.0), gust=0.0)
    np.testing.assert_allclose(hit.system.wind.velocity, R.T @ (0.0, 0.0, 30.0), atol=1e-12)


def test_what_is_drawn_is_where_bodies_are():
    world, hit = struck("seams", True, (0.0, 1.0, 0.0), turn((1, 0, 0), 0.4))
    world.step(20)
    n = bar(True).mesh.vertex_count
    np.testing.assert_allclose(world.vertices()[:n], hit.vertices(), atol=1e-12)
    np.testing.assert_allclose(world.vertices()[n:], world.bodies[1].vertices(), atol=1e-12)
    before, h = world.vertices(), 1e-6
    v = world.velocities()
    for each in (world, hit.system):
        each.dt = h
    world.step()
    np.testing.assert_allclose((world.vertices() - before) / h, v, atol=1e-3 * np.abs(v).max())
    assert world.size == hit.system.size + world.bodies[1].model.size


def test_systems_meet_each_other():
    world = pl.World(2e-3, gravity=None, substeps=2)
    a = world.add(system("tree", True), velocity=(0.0, 0.0, 0.6))
    b = world.add(system("seams", True), (0.3, 0.02, 0.25), turn((0, 1, 0), 0.2))
    P, L = world.momentum()
    world.step(60)
    assert b.velocity[2] > 0.1
    assert a.velocity[2] < 0.5
    np.testing.assert_allclose(world.momentum()[0], P, atol=KEPT * np.linalg.norm(P))
    np.testing.assert_allclose(world.momentum()[1], L, atol=KEPT * np.linalg.norm(L))


def test_a_system_that_finds_no_solution_is_named_and_all_keep_the_last_good_step():
    world, hit = struck("seams-nonlinear", False, speed=0.0)
    world.step(5)
    time = world.time
    hit.push([tip(bar())], (0.0, 0.0, 1e12))
    with pytest.raises(Diverged, match="bar: "):
        world.step(50)
    assert time <= world.time == pytest.approx(hit.system.time)
    assert np.isfinite(world.vertices()).all()
    world.release()
    world.restore(world.state())


def test_a_removed_system_leaves_the_others_alone():
    world, hit = struck("clamped", False)
    world.step(3)
    hit.hold(tip(bar()), hit.vertices()[tip(bar())])
    world.remove(hit)
    world.step(3)
    assert [body.name for body in world.bodies] == ["box"]
    assert world.holds == hit.system.holds == ()


def light_tree():
    solid = bar()
    return pl.substructure(solid, thirds(solid), size=18, dt=2e-3, inertia="L1", gravity=None)


@pytest.mark.parametrize(
    ("add", "words"),
    [
        (lambda world: world.add(light_tree()), "full inertia"),
        (lambda world: world.add(system("full")), "no basis"),
        (lambda world: world.add(system("clamped", gravity=G)), "feels the gravity"),
        (lambda world: world.add(system("clamped"), velocity=(1.0, 0.0, 0.0)), "held"),
        (lambda world: world.add(system("clamped"), damping=(0.1, 0.0)), "its own kind, way and damping"),
        (lambda world: world.add(world.bodies[0].system), "already"),
        (
            lambda world: world.join(world.bodies[0], 0, kind="hinge", axis=(0, 0, 1), torque=1.0),
            "its hinge has no motor or limits",
        ),
        (lambda world: world.rows(world.points([0])), "unknowns of its own"),
        (lambda world: world.wear(pl.Surface(np.eye(3), [[0, 1, 2]])), "wears nothing"),
        (lambda world: setattr(world.bodies[0], "velocity", (1.0, 0.0, 0.0)), "launch"),
    ],
)
def test_what_systems_cannot_do_is_said_in_a_sentence(add, words):
    world, _ = struck("clamped", False)
    count = len(world.bodies)
    with pytest.raises(ArgumentError, match=words):
        add(world)
    assert len(world.bodies) == count
    world.step()
