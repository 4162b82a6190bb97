"""The adjoint gradient against differences, for both kinds of step; motions without a gradient are refused."""

import dataclasses

import numpy as np
import pytest

from pliant.control import StageCost, Tracking, gradient, simulate
from pliant.control.force_slopes import force_slopes
from pliant.errors import ArgumentError, Diverged
from pliant.systems import Clamped

GRADIENT = 1e-7  # maths sheet section 12
CLAMPED_GRADIENT = 1e-4  # cubature: where a point's clamp switches the motion has a kink, and differences straddle it
SLOPE = 1e-8  # of a difference: truncation and rounding of a millionth of the body
STEPS, STEP = 25, 0.05


class Everything:
    """An objective that looks at q, v, a and g, and is quadratic in none of the last three."""

    path = 0.3 * np.random.default_rng(1).standard_normal((STEPS, 6))

    def stage(self, k, q, v, a):
        off = q - self.path[k - 1]
        cost = 0.5 * off @ off + np.cos(v).sum() + 1e-4 * (a**4).sum()
        return StageCost(float(cost), off, -np.sin(v), 4e-4 * a**3)

    def effort(self, controls):
        return float((controls**4).sum()), 4 * controls**3


@pytest.fixture(scope="module")
def controls():
    return np.random.default_rng(0).standard_normal((STEPS, 3))


def value(trajectory, objective):
    states = zip(trajectory.q[1:], trajectory.v[1:], trajectory.a[1:])
    costs = [objective.stage(k, *state).cost for k, state in enumerate(states, 1)]
    return sum(costs) + objective.effort(trajectory.controls)[0]


def slope_by_differences(system, B, controls, objective, direction):
    """Central differences at three widths, their h^2 and h^4 errors cancelled by Richardson."""

    def difference(h):
        return [value(simulate(system, B, controls + s * h * direction), objective) for s in (1, -1)]

    coarse, middle, fine = (np.subtract(*difference(h)) / (2 * h) for h in (STEP, STEP / 2, STEP / 4))
    first, second = (4 * middle - coarse) / 3, (4 * fine - middle) / 3
    return (16 * second - first) / 15


@pytest.mark.parametrize("newton", [1, 20])
@pytest.mark.parametrize(("kind", "law"), [("cubic", "strain"), ("cubic", "stiffness"), ("linear", "strain")])
def test_gradient_equals_differences_in_every_control(models, actuators, controls, kind, law, newton):
    system = Clamped(models[kind], 0.02, damping=(0.3, 0.01), newton=newton, damping_law=law)
    J, slope = gradient(simulate(system, actuators, controls), Everything())
    assert pytest.approx(value(simulate(system, actuators, controls), Everything()), rel=1e-13) == J
    units = np.eye(controls.size).reshape(-1, *controls.shape)
    expected = [slope_by_differences(system, actuators, controls, Everything(), unit) for unit in units]
    error = np.abs(slope - np.reshape(expected, slope.shape)).max()
    assert error < GRADIENT * np.abs(expected).max()


@pytest.mark.parametrize("newton", [1, 20])
def test_gradient_sees_the_clamped_stiffness_of_cubature(models, actuators, controls, newton):
    system = Clamped(models["cubature"], 0.02, damping=(0.3, 0.01), newton=newton)
    direction = np.random.default_rng(2).standard_normal(controls.shape)
    _, slope = gradient(simulate(system, actuators, controls), Everything())
    expected = slope_by_differences(system, actuators, controls, Everything(), direction)
    assert np.sum(slope * direction) == pytest.approx(expected, rel=CLAMPED_GRADIENT)


@pytest.mark.parametrize("newton", [1, 20])
def test_gradients_of_the_two_steps_are_not_interchangeable(models, actuators, controls, newton):
    trajectory = simulate(Clamped(models["cubic"], 0.02, (0.3, 0.01), newton=newton), actuators, controls)
    with pytest.raises(Diverged, match="not solved"):
        gradient(dataclasses.replace(trajectory, converged=newton == 1), Everything())


def test_force_slopes_of_cubature_are_slopes_along_any_direction(models):
    model, x, along = models["cubature"], np.linspace(-1, 1, 6), np.linspace(1, 2, 6)
    q = 0.5 * np.cos(np.arange(6))
    J, E = force_slopes(model, q, x)
    assert np.abs(J - J.T).max() < SLOPE * np.abs(J).max()
    change = (model.force(q + 1e-5 * along) - model.force(q - 1e-5 * along)) / 2e-5
    assert np.abs(J @ along - change).max() < SLOPE * np.abs(J).max()
    assert np.abs(E @ along - model.stiffness_derivative(q, along) @ x).max() < 1e-5 * np.abs(E).max()


def test_force_slopes_of_cubic_forces_are_the_stiffness_and_its_derivative(models):
    model, x = models["cubic"], np.linspace(-1, 1, 6)
    q = 0.5 * np.cos(np.arange(6))
    J, E = force_slopes(model, q, x)
    assert np.array_equal(J, model.stiffness(q))
    assert np.allclose(E @ q, model.stiffness_derivative(q, q) @ x, rtol=0, atol=1e-12 * np.abs(E).max())


def test_simulation_is_the_motion_of_the_system_itself(models, actuators, controls, solid):
    for newton in (1, 20):
        system = Clamped(models["cubic"], 0.02, damping=(0.3, 0.01), newton=newton)
        system.v = np.linspace(-0.1, 0.1, 6)
        before = system.state()
        trajectory = simulate(system, actuators, controls)
        assert all(np.array_equal(system.state()[name], before[name]) for name in before)
        tip, middle = solid.mesh.select("x > 1.999"), solid.mesh.select("abs(x - 1) < 0.001")
        for g in controls:
            system.release()
            system.push(tip, (0, 6 * g[1], 3 * g[0]))
            system.push(middle, (0, 0, -8 * g[2]))
            system.step()
        for name in "qva":
            ours, theirs = getattr(trajectory, name)[-1], getattr(system, name)
            assert np.abs(ours - theirs).max() < 1e-9 * np.abs(theirs).max()


def test_halved_steps_have_no_gradient(models, actuators):
    # A blow so hard that two Newton iterations do not solve a whole step: the system halves it.
    system = Clamped(models["cubic"], 0.1, newton=2)
    trajectory = simulate(system, actuators, np.full((4, 3), 20.0))
    with pytest.raises(Diverged, match="not solved as a whole") as caught:
        gradient(trajectory, Everything())
    assert 0 <= caught.value.time < 0.4
    assert caught.value.residual > 1e-6


def test_divergence_leaves_the_system_as_it_was(models, actuators):
    system = Clamped(models["cubic"], 0.02)
    system.step(3)
    before = system.state()
    with pytest.raises(Diverged):
        simulate(system, actuators, np.full((50, 3), 1e14))
    assert np.array_equal(system.q, before["q"])
    assert system.time == before["time"]


def test_bad_arguments_are_refused(models, actuators, controls):
    model = models["cubic"]
    with pytest.raises(ArgumentError, match="implicit"):
        simulate(Clamped(model, 0.001, integrator="explicit"), actuators, controls)
    with pytest.raises(ArgumentError, match="float64"):
        simulate(Clamped(model, 0.02, dtype=np.float32), actuators, controls)
    system = Clamped(model, 0.02)
    with pytest.raises(ArgumentError, match="Clamped"):
        simulate(model, actuators, controls)
    with pytest.raises(ArgumentError, match="B must have shape"):
        simulate(system, actuators[:3], controls)
    with pytest.raises(ArgumentError, match="controls must have shape"):
        simulate(system, actuators, controls[:, :2])
    with pytest.raises(ArgumentError, match="target is set for step 30"):
        gradient(simulate(system, actuators, controls), Tracking({30: np.zeros(6)}, model.mass))
    with pytest.raises(ArgumentError, match="weight"):
        Tracking({3: np.zeros(6)}, model.mass[:4])
    with pytest.raises(ArgumentError, match="step of a target"):
        Tracking({0: np.zeros(6)}, model.mass)
