"""Gradients of a run over its constants, against differences, and constants that are found again in noise."""

import numpy as np
import pytest

import pliant as pl
from pliant.control import Tracking, simulate
from pliant.control.parameters import constants_of, values_of, with_values
from pliant.control.sensitivity import constants_gradient, sensitivities
from pliant.errors import ArgumentError

DT, STEPS, DAMPING = 0.005, 80, (0.3, 0.004)
EXACT = 1e-6  # relative, of central differences in a run of 20 steps


@pytest.fixture(scope="module", params=["strain", "stiffness"])
def swinging(request, models):
    """A bar that was bent and is let go, under its weight."""
    system = pl.Clamped(models["cubic"], DT, damping=DAMPING, newton=30, damping_law=request.param)
    system.q[:] = 0.05 * np.linalg.solve(models["cubic"].stiffness(), models["cubic"].inertia.N.T @ [0, 20.0, 30.0])
    return system


@pytest.fixture(scope="module")
def tip(solid):
    return solid.mesh.select("x > 1.999")


def motion(system, logs, constants, steps=20):
    from pliant.control.parameters import Law

    made = with_values(system, constants, np.exp(logs))
    still = Law(made, made.strain_rule).unbalanced(made.q, made.q, made.v, np.zeros(made.size))
    made.a[:] = np.linalg.solve(made.model.mass, -still)
    return made, simulate(made, np.eye(made.size), np.zeros((steps, made.size)))


def check_by_differences(system, constants):
    """Sensitivities of a run, in every constant."""
    logs, h = np.log(values_of(system, constants)), 1e-5
    made, run = motion(system, logs, constants)
    found = sensitivities(made, run, constants)
    for j, change in enumerate(h * np.eye(len(constants))):
        ahead, behind = (motion(system, logs + s * change, constants)[1].q for s in (1, -1))
        expected = (ahead - behind) / (2 * h)
        assert np.abs(found[..., j] - expected).max() < EXACT * 10 * np.abs(expected).max()


def test_sensitivities_are_those_of_differences(swinging):
    check_by_differences(swinging, constants_of(swinging, ("young", "density", "alpha", "beta")))


def test_adjoint_gradient_is_that_of_the_sensitivities(swinging):
    constants = constants_of(swinging, ("young", "density", "alpha", "beta"))
    made, run = motion(swinging, np.log(values_of(swinging, constants)), constants)
    target = 0.9 * run.q[-1]
    objective = Tracking({10: target, 20: target}, made.model.mass)
    value, slope = constants_gradient(made, run, objective, constants)
    dq = sensitivities(made, run, constants)
    expected = sum((made.model.mass @ (run.q[k] - target)) @ dq[k] for k in (10, 20))
    assert slope == pytest.approx(expected, rel=1e-9)
    assert value > 0


def test_single_iteration_steps_have_their_own_sensitivities(models):
    system = pl.Clamped(models["cubic"], DT, damping=DAMPING, newton=1, damping_law="stiffness")
    system.q[:] = 0.05 * np.linalg.solve(models["cubic"].stiffness(), models["cubic"].inertia.N.T @ [0, 20.0, 30.0])
    constants = constants_of(system, ("young", "density"))
    check_by_differences(system, constants)


def measured(system, ids, noise, seed=0, push=None, steps=STEPS):
    """Displacements (T, k, 3) of a run, with noise relative to the largest of them."""
    X, before, seen = system.model.X[ids], system.state(), []
    if push is not None:
        system.push(*push)
    for _ in range(steps):
        system.step()
        seen.append(system.vertices()[ids] - X)
    system.release()
    system.restore(before)
    u = np.array(seen)
    return u + noise * np.abs(u).max() * np.random.default_rng(seed).standard_normal(u.shape)


def test_tip_path_with_noise_returns_young_within_one_per_cent(swinging, tip):
    """The claim of the issue: 1 % of noise, E within 1 %, and within a few of its standard errors."""
    path = measured(swinging, tip, 0.01)
    guess = with_values(swinging, constants_of(swinging, ("young",)), np.array([0.7 * 1.4e6]))
    found = pl.fit(guess, tip, path)
    assert found.values["young"] == pytest.approx(1.4e6, rel=0.01)
    assert abs(found.values["young"] - 1.4e6) < 4 * found.errors["young"]
    assert found.spread == pytest.approx(0.01 * np.abs(path).max(), rel=0.15)
    assert found.system.model.groups.young[0] == found.values["young"]


def test_standard_errors_are_the_scatter_of_many_fits(swinging, tip):
    """Young's modulus of twelve measurements with other noise: their scatter is what each of them says of itself."""
    fits = [pl.fit(swinging, tip[:1], measured(swinging, tip[:1], 0.02, seed, steps=30)) for seed in range(12)]
    scatter = np.std([each.values["young"] for each in fits], ddof=1)
    said = np.mean([each.errors["young"] for each in fits])
    assert 0.5 < scatter / said < 2.0  # of twelve draws


def test_known_push_tells_density_and_damping_too(models, tip):
    system = pl.Clamped(models["cubic"], DT, damping=DAMPING, gravity=None, newton=30, damping_law="stiffness")
    push = (tip, (0.0, 1.0, 2.0))
    path = measured(system, tip, 0.002, push=push)
    constants = constants_of(system, ("young", "density", "alpha"))
    guess = with_values(system, constants, values_of(system, constants) * [1.3, 0.8, 2.0])
    found = pl.fit(guess, tip, path, vary=("young", "density", "alpha"), push=push)
    truth = {"young": 1.4e6, "density": 1000.0, "alpha": DAMPING[0]}
    for name, value in truth.items():
        assert abs(found.values[name] - value) < 4 * found.errors[name], name
    assert found.values["density"] == pytest.approx(1000.0, rel=0.01)
    assert np.abs(found.correlation).max() == pytest.approx(1.0)


def test_young_of_two_groups_is_found_and_its_sensitivities_are_those_of_differences():
    mesh = pl.shapes.bar((2, 0.2, 0.1), (10, 2, 1))
    young = np.where(mesh.centroids[:, 0] < 1, 1.4e6, 5e5)
    solid = pl.Solid(mesh, pl.StVK(young=young, poisson=0.3, density=1000), fixed="x < 1e-9")
    model = pl.reduce(solid, pl.modal_basis(solid, modes=4, size=8))
    system = pl.Clamped(model, DT, damping=(0.3, 0.0), newton=30)
    constants = constants_of(system, ("young",))
    assert [str(each) for each in constants] == ["young 0", "young 1"]
    check_by_differences(system, constants)
    ids = mesh.select("x > 1.999 or abs(x - 1) < 1e-9")
    truth = dict(zip(map(str, constants), values_of(system, constants)))
    guess = with_values(system, constants, np.array([1.0e6, 8e5]))
    fit = pl.fit(guess, ids, measured(system, ids, 0.002))
    for name, value in truth.items():
        assert fit.values[name] == pytest.approx(value, rel=0.02)
        assert abs(fit.values[name] - value) < 4 * fit.errors[name]


def test_what_cannot_be_told_apart_is_refused(models, tip):
    """Without forces or weight, only young over density counts."""
    system = pl.Clamped(models["cubic"], DT, damping=(0.3, 0.0), gravity=None, newton=30)
    system.q[0] = 0.2
    with pytest.raises(ArgumentError, match="what was measured does not determine young and density; vary fewer"):
        pl.fit(system, tip, measured(system, tip, 0.0, steps=20), vary=("young", "density"))


def test_bad_input_is_refused_in_a_sentence(models, tip):
    system = pl.Clamped(models["cubic"], DT, damping=(0.0, 0.001), damping_law="stiffness")
    path = np.zeros((5, len(tip), 3))
    with pytest.raises(ArgumentError, match="what is fitted must be one of young, density, alpha, beta"):
        pl.fit(system, tip, path, vary=("colour",))
    with pytest.raises(ArgumentError, match="alpha is 0, from where it cannot be fitted; begin above zero"):
        pl.fit(system, tip, path, vary=("alpha",))
    with pytest.raises(ArgumentError, match="measured must have shape"):
        pl.fit(system, tip, np.zeros((5, 1, 3)))
    with pytest.raises(ArgumentError, match="forces of push must be"):
        pl.fit(system, tip, path, push=(tip, np.zeros((2, 7))))
