"""Space-time optimisation reaches keyframes that the actuators can reach, and reports on its way."""

import numpy as np
import pytest

from pliant.control import Tracking, gradient, optimise, simulate
from pliant.errors import Diverged
from pliant.systems import Clamped

STEPS = 30


def distance(model, q, target):
    """Root mean square displacement between two poses, weighted by mass [m]."""
    return np.sqrt((q - target) @ model.mass @ (q - target) / model.inertia.mass)


@pytest.fixture(scope="module")
def keyframe(models):
    """A pose that constant forces hold: a bend sideways and up."""
    system = Clamped(models["cubic"], 0.02, gravity=None, integrator="static")
    tip = np.flatnonzero(models["cubic"].X[:, 0] > 1.999)
    system.push(tip, (0, 2.0, 1.5))
    system.step()
    return system.q.copy()


@pytest.mark.parametrize("newton", [1, 20])
def test_optimised_controls_reach_a_keyframe(models, actuators, keyframe, newton):
    model, told = models["cubic"], []
    system = Clamped(model, 0.02, damping=(0.3, 0.01), gravity=None, newton=newton)
    objective = Tracking({STEPS: keyframe}, model.mass, effort=1e-7)
    optimum = optimise(system, actuators, objective, np.zeros((STEPS, 3)), 60, lambda *news: told.append(news))
    start, end = (distance(model, q, keyframe) for q in (np.zeros(6), optimum.trajectory.q[-1]))
    assert start > 0.05
    assert end < start / 20
    assert [number for number, _ in told] == list(range(1, optimum.iterations + 1))
    costs = [cost for _, cost in told]
    assert costs == sorted(costs, reverse=True)
    assert optimum.value == gradient(optimum.trajectory, objective)[0] <= costs[-1]


def test_rest_weight_stops_the_body_at_the_keyframe(models, actuators, keyframe):
    model = models["cubic"]
    system = Clamped(model, 0.02, damping=(0.3, 0.01), gravity=None, newton=20)
    speeds = []
    for rest in (0.0, 0.05):
        objective = Tracking({STEPS: keyframe}, model.mass, rest, effort=1e-7)
        v = optimise(system, actuators, objective, np.zeros((STEPS, 3)), 60).trajectory.v[-1]
        speeds.append(np.sqrt(v @ model.mass @ v))
    assert speeds[1] < 0.2 * speeds[0]


def test_a_followed_path_gives_back_the_motion_that_made_it(models, actuators):
    model = models["cubic"]
    system = Clamped(model, 0.02, damping=(0.3, 0.01), newton=20)
    hidden = np.sin(np.linspace(0, 3, STEPS))[:, None] * [0.5, 0.2, -0.3]
    path = simulate(system, actuators, hidden).q
    objective = Tracking(dict(enumerate(path[1:], 1)), model.mass)
    optimum = optimise(system, actuators, objective, np.zeros((STEPS, 3)), 60)
    first = gradient(simulate(system, actuators, np.zeros((STEPS, 3))), objective)[0]
    assert optimum.value < first / 400


def test_trials_that_diverge_only_shorten_the_search(models, actuators, keyframe):
    # Controls far too strong: the first trial of the search, one down the slope, leaves every bound.
    model = models["cubic"]
    system = Clamped(model, 0.02, damping=(0.3, 0.01), gravity=None, newton=1)
    objective, strong, nothing = Tracking({STEPS: keyframe}, model.mass), 1e9 * actuators, np.zeros((STEPS, 3))
    _, slope = gradient(simulate(system, strong, nothing), objective)
    with pytest.raises(Diverged):
        simulate(system, strong, -slope / np.linalg.norm(slope))
    optimum = optimise(system, strong, objective, nothing, 40)
    start, end = (distance(model, q, keyframe) for q in (np.zeros(6), optimum.trajectory.q[-1]))
    assert end < start / 20


def test_a_first_guess_that_diverges_is_refused(models, actuators, keyframe):
    model = models["cubic"]
    system = Clamped(model, 0.02, gravity=None)
    with pytest.raises(Diverged):
        optimise(system, actuators, Tracking({STEPS: keyframe}, model.mass), np.full((STEPS, 3), 1e14))
