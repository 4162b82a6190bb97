"""Cubature rules: few points, positive weights, and their error on motions they were not trained on."""

import numpy as np
import pytest
from projected import projected

from pliant.basis import modal_basis
from pliant.fem import Corotational, NeoHookean, Solid, StVK
from pliant.mesh import shapes
from pliant.reduced import reduce
from pliant.reduced.cubic import cubic_force
from pliant.reduced.groups import groups_of
from pliant.reduced.nnls import nnls_gram
from pliant.reduced.states import simulated_states
from pliant.reduced.training import _moving_rule, cubature_force

HELD_OUT, POINTS = 0.02, 160  # maths sheet section 12
TOLERANCE = 0.005  # the default of training


@pytest.fixture(scope="module")
def spoon_basis(spoon):
    return modal_basis(spoon, modes=8, size=20)


@pytest.fixture(scope="module")
def strange_states(spoon, spoon_basis):
    """States of other runs than any that training sees."""
    U = spoon_basis.vectors
    force = cubic_force(spoon, U, groups_of(spoon))
    return simulated_states(force, U.T @ (spoon.mass @ U), spoon.mesh.vertices, U, 60, seed=99)


@pytest.mark.parametrize("kind", [StVK, NeoHookean])
def test_cubature_of_the_spoon_is_accurate_on_held_out_motion(spoon, spoon_basis, strange_states, kind):
    solid = Solid(spoon.mesh, kind(2e8, 0.3, 1000), spoon.fixed)
    model = reduce(solid, spoon_basis, force="cubature", points=POINTS)
    law, oracle = model.force_law, projected(solid, spoon_basis)
    assert len(law.weights) <= POINTS
    assert (law.weights > 0).all()
    assert law.errors[0] <= HELD_OUT
    gaps = []
    for q in strange_states:
        f = oracle.force(q)
        gaps.append(np.linalg.norm(model.force(q) - f) / np.linalg.norm(f))
    assert np.sqrt(np.mean(np.square(gaps))) <= HELD_OUT
    assert np.linalg.eigvalsh(model.stiffness(strange_states[0]))[0] >= -1e-9 * np.abs(model.stiffness()).max()


def test_training_goes_on_until_states_it_was_not_fitted_to_are_right(bar, bar_basis):
    solid = Solid(bar.mesh, NeoHookean(1e6, 0.3, 1000), bar.fixed)
    stages = []
    law = reduce(solid, bar_basis, force="cubature", progress=lambda *at: stages.append(at)).force_law
    assert law.errors[0] <= 2 * TOLERANCE  # the third set of states is as hard as the second, give or take
    assert {name for name, _ in stages} == {"states", "cubature"}
    assert stages[-1][1] == 1.0
    coarse = reduce(solid, bar_basis, force="cubature", tolerance=0.05, samples=100).force_law
    assert len(coarse.weights) < len(law.weights)


def test_states_of_training_leave_rest_and_stay_within_the_body(bar, bar_basis):
    U = bar_basis.vectors
    force = cubic_force(bar, U, groups_of(bar))
    states = simulated_states(force, U.T @ (bar.mass @ U), bar.mesh.vertices, U, 50, seed=1)
    reach = np.abs(states @ U.T).max(axis=1) / np.ptp(bar.mesh.vertices, axis=0).max()
    assert reach.min() > 0
    assert 0.02 < np.median(reach) < 0.3
    assert reach.max() <= 1


@pytest.mark.parametrize("kind", ["tet", "hex"])
def test_cubature_works_for_any_cell_and_material(kind):
    mesh = shapes.bar((1, 0.2, 0.2), (4, 1, 1), kind=kind)
    solid = Solid(mesh, Corotational(1e6, 0.3), fixed=np.flatnonzero(mesh.vertices[:, 0] < 1e-9))
    basis = modal_basis(solid, modes=3, size=5)
    model = reduce(solid, basis, samples=40)
    assert model.force_law.kind == "cubature"
    assert model.force_law.errors[0] < 0.05
    q = 0.05 * np.ones(5)
    # The energy's derivative is the force, and the force's derivative the stiffness, unclamped this near to rest.
    h, d = 1e-5, np.eye(5)
    slopes = [(model.energy(q + h * e) - model.energy(q - h * e)) / (2 * h) for e in d]
    assert np.allclose(slopes, model.force(q), rtol=1e-6, atol=1e-6 * np.abs(model.force(q)).max())
    stiffer = model.with_material(young=2e6)
    assert np.allclose(stiffer.force(q), 2 * model.force(q), rtol=1e-12)


def test_nnls_satisfies_the_optimality_conditions():
    random = np.random.default_rng(3)
    A, b = random.standard_normal((60, 25)), random.standard_normal(60)
    w = nnls_gram(A.T @ A, A.T @ b, np.zeros(25))
    gradient = A.T @ (b - A @ w)
    assert (w >= 0).all()
    assert np.abs(gradient[w > 0]).max() < 1e-10
    assert gradient[w == 0].max() < 1e-10


def test_errors_of_a_rule_are_those_on_states_that_it_has_not_seen(bar, bar_basis):
    """rms and largest |f - f_rule| / |f| on the last quarter of its states, of which the weights know nothing."""
    samples, U = 40, bar_basis.vectors
    law = cubature_force(bar, U, groups_of(bar), tolerance=0.05, samples=samples)
    moving = _moving_rule(bar, U, groups_of(bar), 0)
    states = simulated_states(moving, U.T @ (bar.mass @ U), bar.mesh.vertices, U, 2 * samples, 0)
    errors = []
    for q in states:
        f = U.T @ bar.force(U @ q)
        errors.append(np.linalg.norm(law.jet(q)[1:, 0] - f) / np.linalg.norm(f))
    unseen = np.array(errors[samples + samples // 2 :])
    np.testing.assert_allclose(law.errors, [np.sqrt(np.mean(unseen**2)), unseen.max()], rtol=1e-6)
    assert np.sqrt(np.mean(np.square(errors[:samples]))) < 0.9 * law.errors[0]


def test_training_ends_where_no_point_helps(bar, bar_basis):
    law = reduce(bar, bar_basis, force="cubature", tolerance=1e-16, samples=1).force_law
    assert len(law.weights) <= 40 * bar_basis.size
