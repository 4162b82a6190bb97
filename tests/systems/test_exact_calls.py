"""Exact oscillators cost no solve a step: their modes are found when the system is made."""

import numpy as np
import pytest
import scipy.linalg as la
from kinds import bar, tip

import pliant as pl
from pliant.systems.clamped import clamped

DT, OTHER = 2e-3, 1e-3
SOLVERS = [
    *((module, name) for module in (np.linalg, la) for name in ("solve", "inv", "eigh", "eigvalsh", "cholesky")),
    *((la, name) for name in ("cho_factor", "cho_solve", "lu_factor", "lu_solve", "expm")),
]
BUILDERS = [(pl.ReducedModel, name) for name in ("stiffness", "force", "energy", "residual")]


@pytest.fixture
def exact():
    model = pl.reduce(bar(), pl.modal_basis(bar(), 4, 4), force="linear")
    return pl.Clamped(model, DT, (0.1, 2e-3), integrator="exact")


@pytest.fixture
def called(monkeypatch):
    """Names of what builds K or f, or solves, as often as it is called."""
    calls = []

    def counted(name, function):
        def call(*arguments, **options):
            calls.append(name)
            return function(*arguments, **options)

        return call

    for home, name in [*BUILDERS, *SOLVERS, (clamped, "oscillators")]:
        monkeypatch.setattr(home, name, counted(name, getattr(home, name)))
    return calls


def test_exact_steps_build_and_solve_nothing(exact, called):
    exact.step()
    called.clear()
    for force in (0.0, 3.0, -5.0):
        exact.push([tip(bar())], (0, force, 0))
        for count in (1, 20):
            exact.step(count)
    assert np.abs(exact.q).max() > 0
    assert called == []


def test_exact_oscillators_are_found_once_for_another_step(exact, called):
    exact.dt = OTHER
    assert called.count("oscillators") == called.count("stiffness") == 1
    called.clear()
    exact.step(3)
    assert called == []
