"""Hands on seams: held vertices, turned interfaces, several at once, and no jumps (maths sheet boundary-aware 6)."""

import numpy as np
import pytest

import pliant as pl
from pliant.errors import ArgumentError
from pliant.numerics import rotation_logarithm

CONTINUOUS = 1e-12


def bar(dt=0.02, soft=3, **options):
    """Length 6, three parts."""
    solid = pl.Solid(pl.shapes.bar((6, 1, 1), (18, 3, 3)), pl.StVK(1e5, 0.3), fixed="x < 1e-9")
    labels = np.minimum((solid.mesh.centroids[:, 0] / 2).astype(int), 2)
    return pl.couple(
        solid, labels, soft, dt=dt, **{"damping": (3.0, 0.05), "gravity": None, **options}, nonlinear=False
    )


def tip_vertex(system):
    return int(system.mesh.select("x > 5.99")[5])


def orientation(system, entity):
    """Rotation vector of the vertices of an entity, by the best fit."""
    ids = system.entities[entity].vertices
    X, x = system.mesh.vertices[ids], system.vertices()[ids]
    U, _, V = np.linalg.svd((x - x.mean(axis=0)).T @ (X - X.mean(axis=0)))
    return rotation_logarithm(U @ np.diag([1, 1, np.linalg.det(U @ V)]) @ V)


def test_a_dragged_vertex_settles_on_its_target():
    system = bar()
    vertex = tip_vertex(system)
    grip = system.hold(vertex, system.mesh.vertices[vertex] + [-1.0, -3.25, 0.0])
    system.step(1500)
    # The sheet leaves 2e-6 after a drag of 3.4: what is left of the motion, not of the constraint.
    assert np.linalg.norm(system.vertices()[vertex] - grip.target) < 1e-5
    grip.target = system.mesh.vertices[vertex]
    system.step(1500)
    assert np.linalg.norm(system.vertices()[vertex] - grip.target) < 1e-5


def test_holding_and_letting_go_do_not_jump():
    system = bar(gravity=(0, -9.81, 0))
    system.step(20)
    before, energy, momentum = system.vertices(), system.energy(), system.momentum()
    vertex = tip_vertex(system)
    size = len(system.q)
    grip = system.hold(vertex, before[vertex])
    assert len(system.q) == size + 3
    np.testing.assert_allclose(system.vertices(), before, atol=CONTINUOUS)
    np.testing.assert_allclose(system.momentum(), momentum, atol=1e-9 * np.abs(momentum).max())
    assert system.energy() == pytest.approx(energy, rel=1e-9)
    system.step(20)
    before, energy = system.vertices(), system.energy()
    grip.release()
    np.testing.assert_allclose(system.vertices(), before, atol=CONTINUOUS)
    assert system.energy() == pytest.approx(energy, rel=1e-12)
    assert not grip.held
    grip.release()


def test_a_held_vertex_stays_while_the_rest_moves():
    system = bar(gravity=(0, -9.81, 0))
    vertex = tip_vertex(system)
    system.hold(vertex, system.mesh.vertices[vertex])
    system.step(600)
    assert np.linalg.norm(system.vertices()[vertex] - system.mesh.vertices[vertex]) < 1e-6
    assert np.abs(system.vertices() - system.mesh.vertices).max() > 0.05


@pytest.mark.parametrize("rate_by_step", [0.01, 0.1, 1.0, 4.0])
def test_constraints_are_stable_at_every_rate(rate_by_step):
    """Spectral radius below one for om dt from 0.01 to 4; 0.33 at 1."""
    system = bar(dt=0.01)
    vertex, offset = tip_vertex(system), 1e-4
    goal = system.mesh.vertices[vertex] + [0, offset, 0]
    system.hold(vertex, goal, rate=rate_by_step / system.dt)
    gaps = []
    for _ in range(round(12 / min(rate_by_step, 0.1))):
        system.step()
        gaps.append(abs(system.vertices()[vertex] - goal).max())
    assert max(gaps) < 1.01 * offset
    assert gaps[-1] < 0.01 * offset
    if rate_by_step == 1.0:
        # A double root decays like k rho^k.
        ratios = np.array(gaps[4:9]) / np.array(gaps[3:8])
        assert 0.25 < np.median(ratios) < 0.5


def test_several_holds_act_at_once():
    system = bar()
    ids = [int(v) for v in system.mesh.select("x > 5.99")[[0, 5, 10]]] + [
        int(system.mesh.select("x > 0.9 and x < 1.1")[0])
    ]
    shift = np.array([0.1, 0.4, -0.2])
    grips = [system.hold(vertex, system.mesh.vertices[vertex] + shift * (k + 1) / 4) for k, vertex in enumerate(ids)]
    system.step(1200)
    for grip in grips:
        assert np.linalg.norm(system.vertices()[grip.vertex] - grip.target) < 1e-4


def test_implied_constraints_do_no_harm():
    """Three vertices of a rigid interface fix it; the fourth adds nothing, and asks for nothing else."""
    system = bar(soft=0)
    ids = system.entities[0].vertices[[0, 3, 12, 15]]
    for vertex in ids:
        system.hold(int(vertex), system.mesh.vertices[vertex] + [0, 0.3, 0])
    system.step(800)
    np.testing.assert_allclose(system.vertices()[ids], system.mesh.vertices[ids] + [0, 0.3, 0], atol=1e-3)


# Angle of twist or bending [rad] and the error that averaged rotations leave (maths sheet 6).
@pytest.mark.parametrize(
    ("rotation", "allowed"),
    [((0.5, 0, 0), 0.001), ((1.5, 0, 0), 0.012), ((3.0, 0, 0), 0.050), ((0, 0.5, 0), 0.004), ((0, 1.5, 0), 0.027)],
)
def test_a_turned_interface_has_its_orientation(rotation, allowed):
    system = bar(damping=(0.6, 0.05))
    turn = system.turn(1, rotation)
    system.step(800)
    np.testing.assert_allclose(system.q[turn.places], rotation, atol=1e-9)
    # The sheet's bar is not ours to the vertex: half as much again.
    assert np.linalg.norm(orientation(system, 1) - rotation) < 1.5 * allowed
    turn.release()
    system.step(2000)
    assert np.linalg.norm(orientation(system, 1)) < 1e-2


def test_turn_and_hold_together():
    system = bar()
    vertex = tip_vertex(system)
    turn, grip = system.turn(0, (0.4, 0, 0)), system.hold(vertex, system.mesh.vertices[vertex])
    system.step(1000)
    assert np.linalg.norm(system.q[turn.places] - [0.4, 0, 0]) < 1e-8
    assert np.linalg.norm(system.vertices()[vertex] - grip.target) < 1e-5
    turn.rotation = (0, 0, 0)
    system.dt = 0.01
    system.step(1000)
    assert np.linalg.norm(system.q[turn.places]) < 1e-8


def test_states_remember_the_columns_of_held_vertices():
    system = bar(gravity=(0, -9.81, 0))
    start = system.state()
    grip = system.hold(tip_vertex(system), (5.5, 1.0, 0.0))
    system.step(30)
    held, shape = system.state(), system.vertices()
    grip.release()
    system.restore(start)
    np.testing.assert_allclose(system.vertices(), system.mesh.vertices, atol=CONTINUOUS)
    system.step(10)
    system.restore(held)
    np.testing.assert_allclose(system.vertices(), shape, atol=CONTINUOUS)


def test_columns_of_vertices_let_go_do_not_pile_up():
    system = bar()
    size = len(system.q)
    for vertex in system.mesh.select("x > 5.99"):
        system.hold(int(vertex), system.mesh.vertices[vertex]).release()
    assert len(system.q) <= size + 9


@pytest.mark.parametrize(
    ("act", "says"),
    [
        (lambda s: s.hold(10**6, (0, 0, 0)), "vertex"),
        (lambda s: s.hold(0, (0, 0, 0)), "fixed"),
        (lambda s: s.hold(100, (0, 0)), "target"),
        (lambda s: s.hold(100, (0, 0, 0), rate=0), "rate"),
        (lambda s: s.turn(5, (0, 0, 0)), "entity"),
        (lambda s: [s.turn(0, (0, 0, 0)) for _ in range(2)], "held already"),
        (lambda s: s.launch(), "fixed vertices"),
    ],
)
def test_what_cannot_be_held_is_refused(act, says):
    with pytest.raises(ArgumentError, match=says):
        act(bar())
