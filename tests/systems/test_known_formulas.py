"""Lines that were once wrong unseen: each against its formula."""

import numpy as np
import pytest
from kinds import ALL, bar, stirred, system, thirds, tip

import pliant as pl
from pliant.skin.points import vertex_areas
from pliant.systems.seams.middle import spin_forces

SUMS = 1e-10
NEAR = 0.05


def test_spin_forces_of_free_seams_are_those_of_a_turning_frame():
    """f = -m (V' + w' x s + w x (w x s) + 2 w x s'), in a frame that turns with w and moves with V'."""
    flying = stirred("seams", True)
    masses, middle, random = flying._loads.masses, flying._flight.middle, np.random.default_rng(1)
    for array in (middle.y, middle.rate, middle.centre, middle.still, middle.lift):
        array[:] = random.standard_normal(array.shape)
    middle.spin[:] = middle.still
    spin_forces(masses, middle)
    (w, dw), s, ds = middle.still, middle.y - middle.centre[0], middle.rate - middle.centre[1]
    turning = np.cross(dw, s) + np.cross(w, np.cross(w, s)) + 2 * np.cross(w, ds)
    expected = -masses.measure[:, None] * (middle.lift + turning)
    np.testing.assert_allclose(middle.forces, expected, atol=SUMS * np.abs(expected).max())


@pytest.mark.parametrize("kind", ["full", "tree", "seams", "seams-nonlinear"])
def test_a_body_is_thrown_about_its_centre_of_mass(kind):
    """P = m v, L about the centre = I w, and vertices move by v + w x (x - c)."""
    made, v, w = system(kind, True), np.array([0.3, 0.2, -0.1]), np.array([0.4, -0.3, 0.5])
    made.launch(v, w)
    x, solid = made.vertices("mesh"), bar(True)
    masses = solid.lumped_mass[::3]
    centre = masses @ x / masses.sum()
    np.testing.assert_allclose(made.momentum()[0], masses.sum() * v, rtol=1e-9)
    assert np.linalg.norm(np.cross(w, centre)) > 0.1  # it would be elsewhere, were it about the origin
    np.testing.assert_allclose(made.velocities("mesh"), v + np.cross(w, x - centre), atol=1e-9)


def test_momentum_of_a_clamped_part_is_that_of_its_bent_shape():
    """P = sum p, L = sum x x p with p = M U q' and x = X + U q."""
    made = stirred("clamped")
    made.q = 20 * made.q
    solid, U = bar(), made.model.U
    p = (solid.mass @ (U @ made.v)).reshape(-1, 3)
    x = solid.mesh.vertices + (U @ made.q).reshape(-1, 3)
    linear, angular = made.momentum()
    np.testing.assert_allclose(linear, p.sum(axis=0), atol=SUMS * np.abs(p).sum())
    np.testing.assert_allclose(angular, np.cross(x, p).sum(axis=0), atol=1e-9 * np.abs(p).sum())
    straight = np.cross(solid.mesh.vertices, p).sum(axis=0)
    assert np.abs(straight - angular).max() > 1e-3 * np.abs(angular).max()


def lumped_tree():
    solid = bar(True)
    return pl.substructure(solid, thirds(solid), size=18, inertia="L2", dt=2e-3, damping=(0.0, 2e-3), gravity=None)


@pytest.mark.parametrize("kind", ["tree", "tree-lumped", "seams", "seams-nonlinear", "full"])
def test_wind_is_that_of_the_end_of_a_step(kind):
    """P = dt A p(dt) after a step, or half of it by Newmark's mean, in a wind that is everywhere the same."""
    made = lumped_tree() if kind == "tree-lumped" else system(kind, True, damping=(0.0, 0.0))
    wind = pl.Wind((0.0, 3.0, 0.0), gust=0.9)
    wind.field.waves[:, 1:4], wind.field.waves[:, 4] = 0.0, 300.0
    made.wind = wind
    made.step()
    solid = bar(True)
    area = vertex_areas(solid.mesh.vertices, solid.mesh.surface).sum()
    early, late = (wind.pressure(np.zeros((1, 3)), t)[0, 1] for t in (0.0, made.dt))
    assert abs(early - late) > 0.05 * abs(late)
    gained = made.momentum()[0][1]
    whole, mean = made.dt * area * late, 0.5 * made.dt * area * (early + late)
    assert (
        min(abs(gained / whole - 1), abs(2 * gained / whole - 1), abs(gained / mean - 1) if kind == "full" else 1)
        < 1e-6
    )


@pytest.mark.parametrize(("kind", "free"), [("clamped", False), ("seams-nonlinear", False)])
def test_what_acted_through_a_step_has_moved_it_half_way(kind, free):
    """q changes by dt / 2 times the change of its rate: an impulse is a force through all of the step."""
    made = stirred(kind, free)
    made.predict()
    before = made.state()
    made.correct(made.points([tip(bar(free))]), [[0.01, 0.03, -0.02]])
    after = made.state()
    change = after["v"] - before["v"]
    assert np.abs(change).max() > 0
    np.testing.assert_allclose(
        after["q"] - before["q"], 0.5 * made.dt * change, atol=1e-9 * made.dt * np.abs(change).max()
    )


@pytest.mark.parametrize(("kind", "free"), ALL)
def test_points_have_moved_half_way_by_what_acted_through_a_step(kind, free):
    """dx = dt/2 dv, but for what velocities gain by that very bend, of the order of dt."""
    made, there = stirred(kind, free), [tip(bar(free))]
    made.predict()
    x, v = made.vertices("mesh")[there], made.velocities("mesh")[there]
    made.correct(made.points(there), [[1e-3, 3e-3, -2e-3]])
    change = made.velocities("mesh")[there] - v
    moved = made.vertices("mesh")[there] - x
    np.testing.assert_allclose(moved, 0.5 * made.dt * change, atol=NEAR * made.dt * np.abs(change).max())


def test_a_push_on_free_nonlinear_seams_gives_half_its_impulse_in_its_first_step():
    """P = F dt (n - 1/2) after n steps: the mean of both ends of each."""
    made, F = system("seams-nonlinear", True, damping=(0.0, 0.0)), np.array([1.0, 4.0, -3.0])
    made.push([tip(bar(True))], F)
    for n in (1, 2, 3):
        made.step()
        np.testing.assert_allclose(made.momentum()[0], (n - 0.5) * made.dt * F, rtol=1e-9)
