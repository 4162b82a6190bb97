"""Vectors that nobody counted are measured, and said to be poor where they are; those that somebody counted are not."""

import warnings

import numpy as np
import pytest

import pliant as pl
from bench.zoo import solid_of
from pliant.basis.galerkin import galerkin_static
from pliant.basis.held_out import held_out_error
from pliant.basis.learning import Learning
from pliant.basis.size_report import GOOD
from pliant.basis.typical_loads import SWINGING
from pliant.errors import PliantWarning
from pliant.fem import solve_static
from pliant.reduced import uncounted

ROUGH = 3.0  # times


@pytest.fixture(scope="module")
def comb():
    return solid_of("comb", 0.6)


@pytest.fixture(scope="module")
def basis(comb):
    return pl.modal_basis(comb)


@pytest.fixture
def kept(tmp_path, monkeypatch):
    monkeypatch.setenv("PLIANT_CACHE", str(tmp_path))


def test_poor_vectors_that_nobody_counted_are_told_of_once_they_are_measured(comb, basis, kept, monkeypatch):
    assert not basis.counted
    assert basis.size == 30
    with pytest.warns(PliantWarning, match="^30 vectors, which nobody counted, leave an estimated error of"):
        pl.reduce(comb, basis)
    monkeypatch.setattr(uncounted, "held_out_error", lambda *_: pytest.fail("measured again"))
    with pytest.warns(PliantWarning, match="leave the basis out"):
        pl.reduce(comb, basis)


def test_estimate_tells_poor_from_good_as_full_equilibria_do(comb, basis):
    """One Newton correction of a state that is far away is no more than a rough estimate."""
    learning, U, true = Learning(comb, modes=SWINGING), basis.vectors, list[float]()
    for load in np.hstack([learning.held_out(), learning.weights]).T:
        u = solve_static(comb, load)
        e = u - U @ galerkin_static(comb, U, load)
        true.append(max(np.pi * np.sqrt(e @ comb.mass @ e / (u @ comb.mass @ u)), abs(load @ e) / (load @ u)))
    assert max(true) > GOOD
    assert max(true) / ROUGH < held_out_error(comb, basis) < ROUGH * max(true)


@pytest.mark.parametrize("given", [{"size": 30}, {"size": 20}, {"modes": 4, "size": None}])
def test_vectors_that_somebody_counted_are_not_measured(comb, given, monkeypatch):
    monkeypatch.setattr(uncounted, "held_out_error", lambda *_: pytest.fail("measured"))
    basis = pl.modal_basis(comb, **given)
    assert basis.counted
    with warnings.catch_warnings():
        warnings.simplefilter("error", PliantWarning)
        pl.reduce(comb, basis)


def test_good_vectors_and_linear_forces_are_not_told_of(comb, basis, kept):
    bar = pl.Solid(pl.shapes.bar((2, 0.3, 0.2), (8, 2, 2)), pl.StVK(1e6, 0.3, 1000), fixed="x < 1e-9")
    with warnings.catch_warnings():
        warnings.simplefilter("error", PliantWarning)
        pl.reduce(bar, pl.modal_basis(bar))
        pl.reduce(comb, basis, "linear")
    assert basis.truncate(10).counted
