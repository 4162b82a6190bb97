"""The regulator along a path: its linear model against differences, and what it leaves of a disturbance."""

import numpy as np
import pytest

import pliant as pl
from pliant.control import simulate
from pliant.control.regulator import _step, follow, regulate
from pliant.errors import ArgumentError

DT, STEPS = 0.005, 120
SHEET = (0.14, 0.19)  # of the open loop, r = 8 and 3 random actuators (maths sheet section 10)


@pytest.fixture(scope="module")
def part(solid):
    return pl.reduce(solid, pl.modal_basis(solid, modes=4, size=8), force="cubic")


def swinging(part, seed):
    """A path under slow controls of three random actuators."""
    draw = np.random.default_rng(seed)
    B = draw.standard_normal((8, 3)) * 5.0
    t = np.arange(1, STEPS + 1) * DT
    controls = np.stack([np.sin(2 * np.pi * f * t) for f in (1.0, 1.7, 2.3)], axis=1)
    system = pl.Clamped(part, DT, damping=(0.05, 0.001), gravity=None, newton=30, damping_law="stiffness")
    return system, simulate(system, B, controls)


def knocked(system, seed):
    system.v[:] = 0.5 * np.random.default_rng(seed + 10).standard_normal(8) / np.arange(1, 9)
    return system.state()


def test_linear_model_of_the_steps_is_that_of_differences(part):
    """A control that is changed in step 40 changes the state after it by B, and the next ones by A A B."""
    system, path = swinging(part, 0)
    h = 1e-5
    for j in range(3):
        runs = []
        for sign in (1, -1):
            controls = path.controls.copy()
            controls[39, j] += sign * h
            runs.append(simulate(system, path.B, controls))
        change = _step(path, 40)[1][:, j]
        for k in (40, 41, 42):
            if k > 40:
                change = _step(path, k)[0] @ change
            slope = np.concatenate([getattr(runs[0], x)[k] - getattr(runs[1], x)[k] for x in "qva"]) / (2 * h)
            assert slope == pytest.approx(change, abs=1e-5 * np.abs(change).max())


@pytest.mark.parametrize("seed", [0, 1])
def test_knocked_body_comes_back_as_the_sheet_says(part, seed):
    """Integrated tracking error over that of the open loop."""
    system, path = swinging(part, seed)
    before = knocked(system, seed)
    regulator = regulate(path, gentleness=1e-3, rest=0.01)
    closed = follow(system, regulator).sum()
    system.restore(before)
    still = regulate(path, gentleness=1e12)
    open_loop = follow(system, still).sum()
    assert closed / open_loop < max(SHEET)


def test_gentler_regulators_push_less_and_come_back_later(part):
    system, path = swinging(part, 0)
    before = knocked(system, 0)
    errors, efforts = [], []
    for gentleness in (1e-3, 1e-1, 1e1):
        system.restore(before)
        regulator = regulate(path, gentleness, rest=0.01)
        efforts.append(np.abs(regulator.gains).max())
        errors.append(follow(system, regulator).sum())
    assert errors == sorted(errors)
    assert efforts == sorted(efforts, reverse=True)


def test_actuator_that_moves_nothing_is_refused(part):
    system, path = swinging(part, 0)
    B = path.B.copy()
    B[:, 1] = 0
    with pytest.raises(ArgumentError, match="actuator 1 can move nothing"):
        regulate(simulate(system, B, path.controls))
