"""Bodies that nothing touches: momentum to rounding, energy by rule, order in time ([MC15] 3, sheet 3, E12)."""

import numpy as np
import pytest
from shapes import block, turn

import pliant as pl
from pliant.systems.world import World

SPIN = (2.0, 3.0, 1.0)
KEPT = 1e-12  # of L


def tumbling(rule, dt=0.01, model=None, way=0.3, substeps=1, damping=(0.0, 0.0)):
    """The bar of E12, undamped there."""
    world = World(dt, gravity=None, substeps=substeps, rule=rule)
    body = world.add(block(way=0.05) if model is None else model, rotation=turn((1, 1, 0), 0.4), damping=damping)
    body.q = way * np.random.default_rng(0).normal(size=body.model.size)
    body.spin = SPIN
    return world, body


@pytest.mark.parametrize("damping", [(0.0, 0.0), (0.5, 0.01)])
@pytest.mark.parametrize("rule", ["midpoint", "euler"])
def test_angular_momentum_is_kept_by_any_rule_and_damping(rule, damping):
    """Damping is of the inner motion alone."""
    world, _ = tumbling(rule, damping=damping)
    P, L = world.momentum()
    world.step(2000)
    np.testing.assert_allclose(world.momentum()[1], L, atol=KEPT * np.linalg.norm(L))
    np.testing.assert_allclose(world.momentum()[0], P, atol=1e-13)


def test_midpoint_keeps_the_energy_of_a_tumbling_bar_and_eq_35_gains():
    world, _ = tumbling("midpoint")
    start = world.energy()
    world.step(5000)
    assert abs(world.energy() / start - 1) < 1e-3
    world, _ = tumbling("euler")
    world.step(5000)
    assert world.energy() > 1.1 * start


@pytest.mark.slow
def test_a_hundred_thousand_tumbling_steps_keep_momentum_and_energy():
    world, _ = tumbling("midpoint")
    start, (_, L) = world.energy(), world.momentum()
    for _ in range(100):
        world.step(1000)
        assert abs(world.energy() / start - 1) < 1e-3
    np.testing.assert_allclose(world.momentum()[1], L, atol=KEPT * np.linalg.norm(L))


def test_a_rigid_box_keeps_energy_to_rounding():
    """For r = 0 midpoint steps are those of the body's own momentum, whose energy is quadratic."""
    world, _ = tumbling("midpoint", model=pl.Rigid(block().mesh, 1000.0))
    start = world.energy()
    world.step(2000)
    assert abs(world.energy() / start - 1) < 1e-10


def test_nonlinear_forces_keep_energy_to_second_order():
    """The midpoint rule keeps quadratic energies; of a quartic one the error swings, and falls with dt^2."""

    def swing(substeps):
        world, _ = tumbling("midpoint", model=block(way=0.05, force="cubic"), substeps=substeps)
        start, energies = world.energy(), []
        for _ in range(100):
            world.step()
            energies.append(world.energy())
        return np.abs(np.array(energies) / start - 1).max()

    coarse, fine = swing(4), swing(8)
    assert coarse < 5e-3
    assert 3 < coarse / fine < 5


@pytest.mark.parametrize(("rule", "order"), [("midpoint", 2), ("euler", 1)])
def test_errors_fall_with_the_order_of_the_rule(rule, order):
    def places(dt, count, used):
        world, _ = tumbling(used, dt)
        world.step(count)
        return world.vertices()

    truth = places(2.5e-5, 1600, "midpoint")
    coarse, fine = (np.abs(places(4e-4 / n, 100 * n, rule) - truth).max() for n in (1, 2))
    assert 2 ** (order - 0.35) < coarse / fine < 2 ** (order + 0.5)


@pytest.mark.parametrize("rule", ["midpoint", "euler"])
def test_cube_without_the_correction_loses_what_it_keeps_with_it(rule):
    """[MC15] Fig. 3, sheet 9 (a): the angular momentum of a deforming cube at rest stays zero."""
    world = World(1e-3, gravity=None, substeps=1, rule=rule)
    model = block((1.0, 1.0, 1.0), (1, 1, 1), 12, 1e5, 0.1)
    body = world.add(model)
    body.q = np.random.default_rng(1).uniform(-1, 1, 12)
    world.step(1000)
    _, L = world.momentum()
    assert np.linalg.norm(L) < 1e-9
    # What the inner motion alone carries in the axes of the body, which the frame must turn against.
    inertia = model.inertia.centred()
    assert np.linalg.norm(inertia.momentum(body.q, body.v)[1]) > 1
    angle = np.degrees(np.arccos((np.trace(body.rotation) - 1) / 2))
    assert angle > 0.1


def test_free_fall_is_a_parabola_to_rounding():
    world = World(0.01)
    body = world.add(block(), velocity=(1.0, 2.0, 0.0))
    start = body.centre
    world.step(100)
    np.testing.assert_allclose(body.centre - start, [1.0, 2.0 - 9.81 / 2, 0.0], atol=1e-12)


def test_a_held_body_is_a_clamped_part():
    """The same model, force and damping as `pl.Clamped`, whose midpoint is Newmark's trapezoid for linear forces."""
    solid = pl.Solid(pl.shapes.bar((1.0, 0.1, 0.1), (8, 1, 1)), pl.Linear(1e6, 0.3, 1000.0), fixed="x < 1e-9")
    model = pl.reduce(solid, pl.modal_basis(solid, 4, 4), force="linear")
    world = World(5e-3, substeps=1)
    body = world.add(model, damping=(0.1, 1e-3))
    clamped = pl.Clamped(model, 5e-3, damping=(0.1, 1e-3))
    clamped.a = 0.0 * clamped.a + np.linalg.solve(model.mass, model.inertia.N.T @ clamped.gravity)
    world.step(200)
    clamped.step(200)
    np.testing.assert_allclose(body.q, clamped.q, atol=1e-9 * np.abs(clamped.q).max())


def test_a_push_accelerates_and_turns_as_newton_says():
    world = World(1e-3, gravity=None, substeps=1)
    body = world.add(pl.Rigid(block().mesh, 1000.0))
    x, f = body.vertices()[0], np.array([0.0, 3.0, 1.0])
    body.push([0], f)
    world.step()
    P, L = world.momentum()
    np.testing.assert_allclose(P, 1e-3 * f, atol=1e-14)
    np.testing.assert_allclose(
        L - np.cross(body.centre, P), 1e-3 * np.cross(x - body.model.inertia.centre, f), atol=1e-6
    )
    world.release()
    world.step(10)
    np.testing.assert_allclose(world.momentum()[0], P, atol=1e-14)


@pytest.mark.parametrize("soft", [False, True])
def test_wind_gives_a_body_what_its_pressure_on_all_of_its_surface_does(soft):
    """p = 1/2 1.2 kg/m^3 v^2 on the area of a bar: 2 (a b + b c + c a), evenly, so that nothing turns it."""
    world = World(5e-3, gravity=None)
    model = block((0.4, 0.4, 0.4), (2, 2, 2), 6, 1e7)
    body = world.add(model if soft else pl.Rigid(model.mesh, 1000.0), rotation=turn((1, 2, 3), 0.5))
    world.wind = pl.Wind((3.0, 0.0, 4.0), gust=0.0)
    world.step(40)
    wanted = 0.5 * 1.2 * 5.0 * np.array([3.0, 0.0, 4.0]) * 6 * 0.4**2 * world.time
    np.testing.assert_allclose(body.momentum()[0], wanted, rtol=1e-9, atol=1e-12)
    world.wind = None
    world.step(40)
    np.testing.assert_allclose(body.momentum()[0], wanted, rtol=1e-9, atol=1e-12)


def test_looking_changes_nothing():
    """Velocities are asked for between the steps of one of two worlds; both go on to the last bit."""
    (one, _), (other, _) = tumbling("midpoint"), tumbling("midpoint")
    for _ in range(50):
        one.step()
        assert np.isfinite(one.velocities()).all()
        assert one.energy() > 0
        other.step()
    assert one.state() == other.state()


def test_gravity_can_change_while_a_world_runs():
    world = World(0.01, gravity=(0.0, -9.81, 0.0))
    body = world.add(block(), velocity=(1.0, 0.0, 0.0))
    world.step(10)
    world.gravity = (0.0, 0.0, 3.0)
    before = body.velocity
    world.step(10)
    np.testing.assert_allclose(body.velocity - before, (0.0, 0.0, 0.3), atol=1e-12)
    np.testing.assert_array_equal(world.gravity, (0.0, 0.0, 3.0))


@pytest.mark.parametrize("name", ["q", "v"])
def test_coordinates_written_in_place_are_where_motion_goes_on(name):
    """As those that are given as a whole: nobody takes them for a gain of energy."""
    ways = []
    for in_place in (True, False):
        world = World(5e-3, gravity=None)
        body = world.add(block())
        world.step(3)
        value = np.full(body.model.size, 1e-2)
        if in_place:
            getattr(body, name)[:] = value
        else:
            setattr(body, name, value)
        world.step(20)
        ways.append(world.vertices())
    np.testing.assert_array_equal(*ways)
    assert np.abs(ways[0] - block().X).max() > 1e-4
